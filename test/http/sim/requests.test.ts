import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { caller, expectData, openShop, order } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 5, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

interface Logged {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly request_headers: Record<string, string>;
  readonly request_body: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
  readonly response_body: any;
  readonly client_id: string | null;
}

/** A merchant of its own, and its log. */
async function begin() {
  const { shop, call, live, open } = await openShop(sim);
  const log = async (query = ''): Promise<Logged[]> => expectData(await call('GET', `/_sim/requests${query}`));
  const own = async (query = '') => (await log(query)).filter(({ client_id }) => client_id === shop.clientId);
  return { shop, call, live, open, log, own };
}

const lineOf = ({ method, path, status }: Logged) => `${method} ${path} ${status}`;

describe('interface §3: the request log', () => {
  test('every request of the account under /v1, newest first, with both bodies and in real time', async () => {
    const { shop, call, open, own } = await begin();
    const before = Date.now();
    const session = await open({ order_reference: 'A-7', metadata: { note: 'zwölf €' } });
    await call('GET', `/v1/checkout-sessions/${session.id}`);
    await call('POST', '/v1/sessions', { order_reference: '' });

    const logged = await own();
    expect(logged.map(lineOf)).toEqual([
      'POST /v1/sessions 422',
      `GET /v1/checkout-sessions/${session.id} 200`,
      'POST /v1/sessions 201',
    ]);
    const [refused, read, created] = logged as [Logged, Logged, Logged];
    expect(created.request_body).toEqual(order({ order_reference: 'A-7', metadata: { note: 'zwölf €' } }));
    expect(created.response_body).toEqual({ data: session });
    expect(read.request_body).toBeNull();
    expect(read.response_body).toEqual({ data: session });
    expect(refused.response_body.errors).toHaveProperty('order_reference');
    for (const { at, duration_ms, client_id } of logged) {
      expect(Date.parse(at)).toBeGreaterThanOrEqual(before - 1);
      expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
      expect(duration_ms).toBeGreaterThan(0);
      expect(client_id).toBe(shop.clientId);
    }
  });

  test('has exactly the keys of its shape', async () => {
    const { call, own } = await begin();
    await call('GET', '/v1/ping');
    expect(Object.keys((await own())[0] as Logged).sort()).toEqual(
      [
        'id',
        'at',
        'method',
        'path',
        'status',
        'duration_ms',
        'request_headers',
        'request_body',
        'response_body',
        'client_id',
      ].sort(),
    );
  });

  test('what is no part of the service is not logged', async () => {
    const { call, own, open } = await begin();
    const { id } = await open();
    await call('GET', '/_sim/clock');
    await call('POST', `/_sim/sessions/${id}/complete`, {});
    await call('GET', `/checkout/${id}`);
    expect((await own()).map(lineOf)).toEqual(['POST /v1/sessions 201']);
  });

  test('a path in percent-encoding is the path that the router reads', async () => {
    const { call, own } = await begin();
    expect((await call('GET', '/%76%31/p%69ng')).status).toBe(200);
    expect((await own()).map(lineOf)).toEqual(['GET /%76%31/p%69ng 200']);
  });

  test('filters by the beginning of the path, by a status and by a class of statuses', async () => {
    const { call, open, own } = await begin();
    await open();
    await call('GET', '/v1/contracts?page=0');
    await call('GET', '/v1/contracts/LAY-NOTHING000');
    await call('GET', '/v1/contracts');
    expect((await own('?path=/v1/contracts')).map(({ status }) => status)).toEqual([200, 404, 422]);
    expect((await own('?status=404')).map(lineOf)).toEqual(['GET /v1/contracts/LAY-NOTHING000 404']);
    expect((await own('?status=4xx')).map(({ status }) => status)).toEqual([404, 422]);
    expect((await own('?status=2XX&path=/v1/sessions')).map(lineOf)).toEqual(['POST /v1/sessions 201']);
    expect(await own('?status=500')).toEqual([]);
  });

  test.each(['banana', '4x', '9xx', '42', '-1'])('a status filter %s is refused', async (status) => {
    const { call } = await begin();
    const answer = await call('GET', `/_sim/requests?status=${status}`);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['status']]);
  });

  test('`after` gives what is newer than an id, oldest first, so that a reader misses nothing', async () => {
    const { call, open, own, log } = await begin();
    await open();
    const [{ id: cursor }] = (await log('?limit=1')) as [Logged];
    await call('GET', '/v1/ping');
    await call('GET', '/v1/config');
    await call('GET', '/v1/contracts');
    const first = await own(`?after=${cursor}&limit=2`);
    expect(first.map(({ path }) => path)).toEqual(['/v1/ping', '/v1/config']);
    const second = await own(`?after=${first.at(-1)?.id}&limit=2`);
    expect(second.map(({ path }) => path)).toEqual(['/v1/contracts']);
    expect(await log(`?after=${second.at(-1)?.id}`)).toEqual([]);
    expect((await call('GET', '/_sim/requests?after=nonsense')).body.errors).toHaveProperty('after');
  });

  test.each(['0', '1001', 'many'])('a limit of %s is refused', async (limit) => {
    const { call } = await begin();
    expect((await call('GET', `/_sim/requests?limit=${limit}`)).body.errors).toHaveProperty('limit');
  });
});

describe('secrets in the request log', () => {
  test('a key is shown by its first 12 characters, also a wrong one, and nowhere whole', async () => {
    const { shop, call, own, open } = await begin();
    await open();
    const wrong = `${shop.apiKey.slice(0, -4)}0000`;
    await caller(sim)('GET', '/v1/ping', undefined, { 'x-client-id': shop.clientId, 'x-api-key': wrong });
    await caller(sim)('GET', '/v1/ping', undefined, { authorization: `Bearer ${shop.apiKey}`, cookie: shop.apiKey });

    const everything = await call('GET', '/_sim/requests?limit=1000');
    expect(everything.text).not.toContain(shop.apiKey);
    expect(everything.text).not.toContain(wrong);
    const [created] = await own('?path=/v1/sessions');
    expect(created?.request_headers['x-api-key']).toBe(`${shop.apiKey.slice(0, 12)}…`);
    expect(created?.request_headers['x-client-id']).toBe(shop.clientId);
  });
});

describe('whose requests an account sees', () => {
  test('its own and those that named nobody; none of another merchant, nor of its own other mode', async () => {
    const ada = await begin();
    const bob = await begin();
    await ada.call('GET', '/v1/ping');
    await ada.live.call('GET', '/v1/config');
    await bob.call('GET', '/v1/contracts');
    await caller(sim)('GET', '/v1/ping?from=nobody');

    expect((await ada.own()).map(({ path }) => path)).toEqual(['/v1/ping']);
    expect((await bob.own()).map(({ path }) => path)).toEqual(['/v1/contracts']);
    for (const { log, shop } of [ada, bob]) {
      const logged = await log('?limit=1000');
      expect(new Set(logged.map(({ client_id }) => client_id))).toEqual(new Set([shop.clientId, null]));
      expect(logged.map(lineOf)).toContain('GET /v1/ping?from=nobody 401');
    }
    const live = expectData(await ada.live.call('GET', '/_sim/requests?limit=1000')) as Logged[];
    expect(live.filter(({ client_id }) => client_id !== null).map(({ path }) => path)).toEqual(['/v1/config']);
  });
});

test('it is bounded: the oldest requests are forgotten, the ids go on', { timeout: 60_000 }, async () => {
  await using small = await createSimulator({ seed: 5, rateLimit: 'off' });
  const { headers } = small.default;
  const ping = (n: number) => small.inject({ method: 'GET', url: `/v1/ping?n=${n}`, headers });
  for (let n = 1; n <= 2100; n += 1) await ping(n);
  const list = async (query: string) =>
    (await small.inject({ method: 'GET', url: `/_sim/requests${query}`, headers })).json<{ data: Logged[] }>().data;

  const newest = await list('?limit=1000');
  expect(newest[0]?.path).toBe('/v1/ping?n=2100');
  const [oldest] = await list('?after=req_000000000001&limit=1');
  expect(oldest?.path).toBe('/v1/ping?n=101');
});

test('a large body is kept whole', async () => {
  const { call, own } = await begin();
  const text = 'ü'.repeat(400_000);
  await call('POST', '/v1/sessions', order({ text }));
  expect((await own())[0]?.request_body).toEqual(order({ text }));
});

test('a restore brings back everything but the request log; a restart begins a new one', async () => {
  const data = mkdtempSync(join(tmpdir(), 'layaway-requests-'));
  try {
    const first = await createSimulator({ data, seed: 5 });
    const call = caller(first, { ...first.default.headers });
    const paths = async () =>
      (expectData(await call('GET', '/_sim/requests')) as Logged[]).map(({ path }) => path.split('?')[0]);
    await call('GET', '/v1/ping');
    await first.snapshots.save('before');
    expectData(await call('POST', '/v1/sessions', order()), 201);
    await first.snapshots.restore('before');
    expect(expectData(await call('GET', '/_sim/sessions'))).toEqual([]);
    expect(await paths()).toEqual(['/v1/sessions', '/v1/ping']);
    await first.close();

    await using second = await createSimulator({ data });
    const later = caller(second, { ...second.default.headers });
    expect(expectData(await later('GET', '/_sim/requests'))).toEqual([]);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
