import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { expectData, openShop, order, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

const list = (shop: TestShop, query = '') => shop.call('GET', `/v1/contracts${query}`);
const references = (data: { reference: string }[]) => data.map(({ reference }) => reference);

/** Many contracts, without the network in between; oldest first. */
async function fill(shop: TestShop, count: number): Promise<string[]> {
  const { headers } = shop.shop;
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const created = await sim.inject({ method: 'POST', url: '/v1/sessions', headers, payload: order() });
    const { id } = created.json<{ data: { id: string } }>().data;
    const url = `/_sim/sessions/${id}/complete`;
    made.push(
      (await sim.inject({ method: 'POST', url, headers })).json<{ data: { reference: string } }>().data.reference,
    );
  }
  return made;
}

describe('§4.5: the contract list', () => {
  it('empty: one page, from and to null', async () => {
    const shop = await openShop(sim);
    const { status, body } = await list(shop);
    const path = `${sim.url}/v1/contracts`;
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [],
      links: { first: `${path}?page=1`, last: `${path}?page=1`, prev: null, next: null },
      meta: {
        current_page: 1,
        from: null,
        last_page: 1,
        links: [
          { url: null, label: '&laquo; Previous', page: null, active: false },
          { url: `${path}?page=1`, label: '1', page: 1, active: true },
          { url: null, label: 'Next &raquo;', page: null, active: false },
        ],
        path,
        per_page: 15,
        to: null,
        total: 0,
      },
    });
  });

  it('newest first, by created_at and then by the order they were made', async () => {
    const shop = await openShop(sim);
    const made = await fill(shop, 3);
    expectData(await shop.call('POST', '/_sim/clock/advance', { by: '1h' }));
    made.push(...(await fill(shop, 1)));
    expect(references((await list(shop)).body.data)).toEqual(made.toReversed());
  });

  it('pages of 15, the links between them, and what lies past the end', async () => {
    const shop = await openShop(sim);
    const made = (await fill(shop, 31)).toReversed();
    const path = `${sim.url}/v1/contracts`;
    const first = (await list(shop)).body;
    const second = (await list(shop, '?page=2')).body;
    const third = (await list(shop, '?page=3')).body;
    expect([first, second, third].flatMap(({ data }) => references(data))).toEqual(made);
    expect([first, second, third].map(({ data }) => data.length)).toEqual([15, 15, 1]);
    expect(first.links).toEqual({
      first: `${path}?page=1`,
      last: `${path}?page=3`,
      prev: null,
      next: `${path}?page=2`,
    });
    expect(second.links).toMatchObject({ prev: `${path}?page=1`, next: `${path}?page=3` });
    expect(third.links).toMatchObject({ prev: `${path}?page=2`, next: null });
    expect(first.meta).toMatchObject({ current_page: 1, from: 1, to: 15, last_page: 3, total: 31 });
    expect(second.meta).toMatchObject({ current_page: 2, from: 16, to: 30 });
    expect(third.meta).toMatchObject({ current_page: 3, from: 31, to: 31 });

    for (const page of [4, 1_000_000, 600_000_000_000_000, 1_000_000_000_000_000, Number.MAX_SAFE_INTEGER]) {
      const past = await list(shop, `?page=${page}`);
      expect(past.status).toBe(200);
      expect(past.body.data).toEqual([]);
      expect(past.body.meta).toMatchObject({ current_page: page, from: null, to: null, last_page: 3, total: 31 });
      expect(past.body.links).toMatchObject({ prev: `${path}?page=${page - 1}`, next: null, last: `${path}?page=3` });
    }
  });

  it('status filters, counts and is kept in every link', async () => {
    const shop = await openShop(sim);
    const [kept, ended] = (await fill(shop, 2)) as [string, string];
    await shop.call('POST', `/v1/contracts/${ended}/cancel`);
    const pending = await shop.contractIn('pending');
    const path = `${sim.url}/v1/contracts`;
    for (const [status, expected] of [
      ['active', [kept]],
      ['cancelled', [ended]],
      ['pending', [pending.reference]],
      ['completed', []],
      ['defaulted', []],
    ] as const) {
      const { body } = await list(shop, `?status=${status}&page=2`);
      expect(body.meta.total, status).toBe(expected.length);
      expect(body.links.first).toBe(`${path}?status=${status}&page=1`);
      expect(body.links.last).toBe(`${path}?status=${status}&page=1`);
      expect(body.links.prev).toBe(`${path}?status=${status}&page=1`);
      expect(body.meta.links[1].url).toBe(`${path}?status=${status}&page=1`);
      expect(body.meta.path).toBe(path);
      expect(references((await list(shop, `?status=${status}`)).body.data), status).toEqual(expected);
    }
    expect((await list(shop)).body.meta.total).toBe(3);
    expect((await list(shop, '?page=1&other=x')).body.links.first).toBe(`${path}?page=1`);
  });

  it.each([
    ['?page=', 200, null],
    ['?status=', 200, null],
    ['?status=&page=', 200, null],
    ['?page=1', 200, null],
    ['?page=%201%20', 200, null],
    ['?page=%2B1', 200, null],
    ['?page=01', 422, { page: ['The page field must be an integer.'] }],
    ['?page=0', 422, { page: ['The page field must be at least 1.'] }],
    ['?page=-1', 422, { page: ['The page field must be at least 1.'] }],
    ['?page=abc', 422, { page: ['The page field must be an integer.'] }],
    ['?page=1.5', 422, { page: ['The page field must be an integer.'] }],
    ['?page=1e3', 422, { page: ['The page field must be an integer.'] }],
    ['?page=0x1', 422, { page: ['The page field must be an integer.'] }],
    ['?page=null', 422, { page: ['The page field must be an integer.'] }],
    ['?page=-9007199254740991', 422, { page: ['The page field must be at least 1.'] }],
    ['?page=-99999999999999999999', 422, { page: ['The page field must be at least 1.'] }],
    ['?page=1&page=2', 422, { page: ['The page field must be an integer.'] }],
    ['?page=1&page=1', 422, { page: ['The page field must be an integer.'] }],
    ['?status=open', 422, { status: ['The selected status is invalid.'] }],
    ['?status=Active', 422, { status: ['The selected status is invalid.'] }],
    ['?status=past_due', 422, { status: ['The selected status is invalid.'] }],
    ['?status=constructor', 422, { status: ['The selected status is invalid.'] }],
    ['?status=active&status=active', 422, { status: ['The selected status is invalid.'] }],
    ['?status[]=active', 422, { status: ['The selected status is invalid.'] }],
    ['?page%5B%5D=2', 422, { page: ['The page field must be an integer.'] }],
    [
      '?page=0&status=open',
      422,
      { status: ['The selected status is invalid.'], page: ['The page field must be at least 1.'] },
    ],
  ])('decisions §5: %s answers %i', async (query, status, errors) => {
    const shop = await openShop(sim);
    const answer = await list(shop, query);
    expect(answer.status).toBe(status);
    if (errors === null) return;
    const messages = Object.values(errors).flat();
    expect(Object.entries(answer.body.errors)).toEqual(Object.entries(errors));
    expect(answer.body.message).toBe(messages[0] + (messages.length > 1 ? ' (and 1 more error)' : ''));
  });

  it.each(['99999999999999999999', '9'.repeat(400)])(
    'an integer that no number holds exactly is past the last page: %s',
    async (page) => {
      const shop = await openShop(sim);
      await fill(shop, 1);
      const { status, body } = await list(shop, `?page=${page}`);
      expect([status, body.data]).toEqual([200, []]);
      expect(body.meta).toMatchObject({ current_page: Number.MAX_SAFE_INTEGER, from: null, to: null, last_page: 1 });
      expect(body.links.prev).toBe(`${sim.url}/v1/contracts?page=${Number.MAX_SAFE_INTEGER - 1}`);
    },
  );

  it('blank parameters count as absent', async () => {
    const shop = await openShop(sim);
    expect((await list(shop, '?status=%20&page=%20')).body.meta.current_page).toBe(1);
  });

  it('URLs are built from the server’s own address, never from the Host header', async () => {
    const shop = await openShop(sim);
    const headers = { ...shop.shop.headers, host: 'evil.localhost', 'x-forwarded-host': 'evil.localhost' };
    const answer = await sim.inject({ method: 'GET', url: '/v1/contracts', headers });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).not.toContain('evil.localhost');
    expect(answer.body).toContain(`${sim.url}/v1/contracts?page=1`);
    const created = await sim.inject({ method: 'POST', url: '/v1/sessions', headers, payload: order() });
    expect(created.statusCode).toBe(201);
    expect(created.body).not.toContain('evil.localhost');
  });
});

describe('decisions §5: meta.links as Laravel 12, three on each side', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await openShop(sim);
    await fill(shop, 15 * 13 + 1);
  });
  const shown = async (page: number) => {
    const { links } = (await list(shop, `?page=${page}`)).body.meta;
    expect(links[0]).toMatchObject({ label: '&laquo; Previous', page: page > 1 ? page - 1 : null, active: false });
    expect(links.at(-1)).toMatchObject({ label: 'Next &raquo;', active: false });
    const active = links.filter((link: { active: boolean }) => link.active).map((link: { page: number }) => link.page);
    expect(active).toEqual([page]);
    for (const { url, label, page: number } of links.slice(1, -1)) {
      expect(url).toBe(label === '...' ? null : `${sim.url}/v1/contracts?page=${number}`);
      expect(label).toBe(number === null ? '...' : String(number));
    }
    return links
      .slice(1, -1)
      .map((link: { label: string }) => link.label)
      .join(' ');
  };

  it('14 pages: a window at the start, in the middle and at the end', async () => {
    expect(await shown(1)).toBe('1 2 3 4 5 6 7 8 9 10 ... 13 14');
    expect(await shown(7)).toBe('1 2 3 4 5 6 7 8 9 10 ... 13 14');
    expect(await shown(8)).toBe('1 2 ... 5 6 7 8 9 10 11 12 13 14');
    expect(await shown(14)).toBe('1 2 ... 5 6 7 8 9 10 11 12 13 14');
  });

  it('16 pages: the middle shows three on each side; 13 pages show all', async () => {
    await fill(shop, 30);
    expect(await shown(8)).toBe('1 2 ... 5 6 7 8 9 10 11 ... 15 16');
    expect(await shown(9)).toBe('1 2 ... 6 7 8 9 10 11 12 ... 15 16');
    expect(await shown(10)).toBe('1 2 ... 7 8 9 10 11 12 13 14 15 16');
    const small = await openShop(sim);
    await fill(small, 15 * 12 + 1);
    const labels = (await list(small)).body.meta.links.map((link: { label: string }) => link.label);
    expect(labels).toEqual([
      '&laquo; Previous',
      ...Array.from({ length: 13 }, (_, n) => String(n + 1)),
      'Next &raquo;',
    ]);
  });
});

describe('§4.5, decisions §5: contracts born from dashboard previews', () => {
  it('never appear in lists and read as 404, and make no event or email', async () => {
    const shop = await openShop(sim);
    const preview = expectData(await shop.call('POST', '/_sim/sessions', order({ preview: true })), 201);
    expect((await shop.call('GET', `/v1/checkout-sessions/${preview.id}`)).status).toBe(404);
    const { reference } = await shop.step(preview.id, 'complete');
    expect((await list(shop)).body.data).toEqual([]);
    expect((await list(shop)).body.meta.total).toBe(0);
    expect((await list(shop, '?status=active')).body.meta.total).toBe(0);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/cancel'],
    ] as const) {
      const answer = await shop.call(method, `/v1/contracts/${reference}${path}`);
      expect([answer.status, answer.body]).toEqual([404, { message: 'Contract not found.' }]);
    }
    expect(expectData(await shop.call('GET', '/_sim/events'))).toEqual([]);
    expect(expectData(await shop.call('GET', '/_sim/emails'))).toEqual([]);
    expect(expectData(await shop.call('GET', '/_sim/sessions'))).toEqual([]);
  });

  it('interface §13: an unknown field is refused, as everywhere under /_sim', async () => {
    const { call } = await openShop(sim);
    const answer = await call('POST', '/_sim/sessions', order({ preview: true, custmer_email: 'ada@example.com' }));
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual({
      custmer_email: ['The custmer_email field is not known. Did you mean customer_email?'],
    });
    expect(expectData(await call('GET', '/_sim/sessions'))).toEqual([]);
  });

  it('preview must be said; an ordinary session is opened under /v1', async () => {
    const shop = await openShop(sim);
    for (const body of [order(), order({ preview: false }), order({ preview: 'true' })]) {
      const answer = await shop.call('POST', '/_sim/sessions', body);
      expect(answer.status).toBe(422);
      expect(Object.keys(answer.body.errors)).toEqual(['preview']);
    }
    const bad = await shop.call('POST', '/_sim/sessions', { preview: true });
    expect(Object.keys(bad.body.errors)).toEqual(['order_reference', 'total_amount', 'return_url', 'cancel_url']);
  });
});
