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
  test.each(['{"order_reference": "A-1",}', '[1, 2]', 'order=A-1', '"sk_test_oops"'])(
    'a body that is no JSON object is shown as it was sent: %s',
    async (text) => {
      const { call, own } = await begin();
      expect((await call('POST', '/v1/sessions', text)).status).toBe(422);
      expect(await own()).toMatchObject([{ request_body: text }]);
    },
  );

  test.each([{}, { 'content-type': 'application/json' }])(
    'a request without a body has none, whatever its headers: %j',
    async (more) => {
      const { shop, own } = await begin();
      const url = '/v1/contracts/LAY-NOBODY0000/cancel';
      await sim.inject({ method: 'POST', url, headers: { ...shop.headers, ...more } });
      await sim.inject({ method: 'POST', url, headers: shop.headers, payload: {} });
      expect((await own()).map(({ request_body }) => request_body)).toEqual([{}, null]);
    },
  );

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
        'fault',
      ].sort(),
    );
  });

  test('requests outside the service are not logged', async () => {
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
    const { shop, call, open, own } = await begin();
    await open();
    await call('POST', '/_sim/faults', { kind: 'error', operation: 'ping' });
    await sim.inject({ method: 'GET', url: '/v1/ping', headers: shop.headers });
    await call('GET', '/v1/contracts?page=0');
    await call('GET', '/v1/contracts/LAY-NOTHING000');
    await call('GET', '/v1/contracts');
    expect((await own('?path=/v1/contracts')).map(({ status }) => status)).toEqual([200, 404, 422]);
    expect((await own('?status=404')).map(lineOf)).toEqual(['GET /v1/contracts/LAY-NOTHING000 404']);
    expect((await own('?status=4xx')).map(({ status }) => status)).toEqual([404, 422]);
    expect((await own('?status=5xx')).map(lineOf)).toEqual(['GET /v1/ping 503']);
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
    const foreign = await caller(sim, { ...(await sim.merchant()).headers })('GET', `/_sim/requests?after=${cursor}`);
    expect(foreign.body.errors).toHaveProperty('after');
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
    const signing = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const wrong = `${shop.apiKey.slice(0, -4)}0000`;
    await caller(sim)('GET', '/v1/ping', undefined, { 'x-client-id': shop.clientId, 'x-api-key': wrong });
    await call('GET', `/v1/contracts?api_key=${shop.apiKey}`);
    await open({ metadata: { note: `the key is ${shop.apiKey}, the secret ${signing}` } });

    const everything = await call('GET', '/_sim/requests?limit=1000');
    for (const secret of [shop.apiKey, wrong, signing]) expect(everything.text).not.toContain(secret);
    const [noted, listed, refused, created] = (await own()) as [Logged, Logged, Logged, Logged];
    expect(created.request_headers['x-api-key']).toBe(`${shop.apiKey.slice(0, 12)}…`);
    expect(created.request_headers['x-client-id']).toBe(shop.clientId);
    expect(refused.request_headers['x-api-key']).toBe(`${wrong.slice(0, 12)}…`);
    expect(listed.path).toBe(`/v1/contracts?api_key=${shop.apiKey.slice(0, 12)}…`);
    const note = `the key is ${shop.apiKey.slice(0, 12)}…, the secret whsec_…`;
    expect(noted.request_body).toMatchObject({ metadata: { note } });
    expect(noted.response_body.data.metadata).toEqual({ note });
  });

  test.each([
    ['authorization', 'Bearer abc', 'Bearer …'],
    ['authorization', 'abc', '…'],
    ['proxy-authorization', 'Basic dXNlcjpwYXNzd29yZA==', 'Basic …'],
    ['cookie', 'a=b; session=c', '…'],
    ['x-api-key', 'hunter2', '…'],
    ['shop_api_key', 'hunter2', '…'],
    ['x-apikey', 'hunter2', '…'],
    ['x-auth-token', 'Token abc', '…'],
    ['x-shop-password', 'abc', '…'],
    ['referer', 'https://ada:hunter2@shop.example/cart', 'https://…@shop.example/cart'],
    ['idempotency-key', 'k-1', 'k-1'],
    ['accept', 'text/html', 'text/html'],
  ])('the header %s: %s is shown as %s', async (name, value, shown) => {
    const { shop, own } = await begin();
    const headers = { ...shop.headers, [name]: value };
    await sim.inject({ method: 'GET', url: '/v1/ping', headers });
    expect((await own())[0]?.request_headers[name]).toBe(shown);
  });

  test('user info in URLs, wherever they appear', async () => {
    const { shop, call, own } = await begin();
    const body = {
      return_url: 'https://ada:hunter2@shop.example/return?to=a@b.example',
      cancel_url: 'https://shop.example/cancel',
      customer_email: 'ada@example.com',
      metadata: { a: 'see ftp://ada@files.example, http://shop.example and ada@example.com', b: 'x://p@ss:w@rd@h/@' },
      more: { list: ['https://t0ken@shop.example', 1, null, true] },
    };
    await call('POST', '/v1/sessions', order(body));
    await call('GET', '/v1/contracts?from=https://ada:hunter2@shop.example/&mail=ada@example.com');
    const [listed, created] = (await own()) as [Logged, Logged];
    const shown = {
      return_url: 'https://…@shop.example/return?to=a@b.example',
      cancel_url: 'https://shop.example/cancel',
      metadata: { a: 'see ftp://…@files.example, http://shop.example and ada@example.com', b: 'x://…@h/@' },
    };
    const more = { list: ['https://…@shop.example', 1, null, true] };
    expect(created.request_body).toMatchObject({ ...shown, customer_email: 'ada@example.com', more });
    expect(created.response_body.data).toMatchObject(shown);
    expect(listed.path).toBe('/v1/contracts?from=https://…@shop.example/&mail=ada@example.com');
    // The line of a list, and the whole request.
    const lines = expectData(await call('GET', '/_sim/browse/requests')) as Logged[];
    expect(lines.map(({ path }) => path)).toEqual([listed.path, created.path]);
    const whole = await call('GET', `/_sim/requests/${created.id}`);
    expect(expectData(whole)).toEqual(created);
    expect(whole.text).not.toContain('hunter2');
    expect(shop.clientId).toBe(created.client_id);
  });

  test('a long text is masked without delay', async () => {
    const { call, own } = await begin();
    const text = `${'https://a:b'.repeat(20_000)}${'a'.repeat(200_000)}${'sk_test_'.repeat(20_000)}@`;
    await call('POST', '/v1/sessions', order({ text }));
    const begun = process.cpuUsage();
    await own();
    const { user } = process.cpuUsage(begun);
    expect(user / 1000).toBeLessThan(2_000);
  });
});

describe('whose requests an account sees', () => {
  const nobody = caller;

  test('its own; none of another merchant, nor of its own other mode', async () => {
    const ada = await begin();
    const bob = await begin();
    await ada.call('GET', '/v1/ping');
    await ada.live.call('GET', '/v1/config');
    await bob.call('GET', '/v1/contracts');

    expect((await ada.log()).map(lineOf)).toEqual(['GET /v1/ping 200']);
    expect((await bob.log()).map(lineOf)).toEqual(['GET /v1/contracts 200']);
    const live = expectData(await ada.live.call('GET', '/_sim/requests')) as Logged[];
    expect(live.map(lineOf)).toEqual(['GET /v1/config 200']);
  });

  test('a refused pair is in the log of the account whose client id it named', async () => {
    const ada = await begin();
    const bob = await begin();
    const named = { 'x-client-id': ada.shop.clientId };
    for (const headers of [named, { ...named, 'x-api-key': bob.shop.apiKey }, { ...named, 'x-api-key': 'x' }]) {
      expect((await nobody(sim)('GET', '/v1/ping', undefined, headers)).status).toBe(401);
    }
    await nobody(sim)('GET', '/v1/nothing', undefined, named);
    await nobody(sim)('DELETE', '/v1/ping', undefined, named);
    const logged = await ada.log();
    expect(logged.map(lineOf)).toEqual([
      'DELETE /v1/ping 405',
      'GET /v1/nothing 404',
      ...Array.from({ length: 3 }, () => 'GET /v1/ping 401'),
    ]);
    expect(new Set(logged.map(({ client_id }) => client_id))).toEqual(new Set([ada.shop.clientId]));
    expect(await bob.log()).toEqual([]);
  });

  test('a request that names no account is in no account’s log', async () => {
    const { call, log, shop } = await begin();
    await call('GET', '/v1/ping');
    const [{ id }] = (await log()) as [Logged];
    const [, digits] = id.split('_') as [string, string];
    for (const headers of [{}, { 'x-api-key': shop.apiKey }, { 'x-client-id': 'mch_test_nobody' }]) {
      expect((await nobody(sim)('GET', '/v1/ping', undefined, headers as Record<string, string>)).status).toBe(401);
    }
    expect((await log()).map(({ id }) => id)).toEqual([id]);
    const next = `req_${String(Number(digits) + 1).padStart(12, '0')}`;
    for (const path of [`/_sim/requests/${next}`, `/_sim/browse/related/${next}`]) {
      expect((await call('GET', path)).status, path).toBe(404);
    }
    const workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
    expect((await workspace('GET', `/_sim/browse/find/${next}`)).status).toBe(404);
    expect(expectData(await workspace('GET', `/_sim/browse/find/${id}`)).client_id).toBe(shop.clientId);
  });

  test('a hosted read is in the log of its session’s account, whoever asks, also when it is refused', async () => {
    await using strict = await createSimulator({ seed: 5, rateLimit: 2 });
    const [ada, bob] = [await openShop(strict), await openShop(strict)];
    const read = async (shop: typeof ada) =>
      (expectData(await shop.call('GET', '/_sim/requests')) as Logged[]).map(lineOf);
    const { id } = await ada.open();
    const path = `/v1/sessions/${id}`;
    await nobody(strict)('GET', path);
    await nobody(strict)('GET', path, undefined, { ...bob.shop.headers });
    await nobody(strict)('GET', '/v1/sessions/cs_unknown');
    expect(await read(ada)).toEqual([`GET ${path} 429`, `GET ${path} 200`, 'POST /v1/sessions 201']);
    expect(await read(bob)).toEqual([]);
  });
});

test('it is bounded: the oldest requests are forgotten, the ids go on', async () => {
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

test('a restore brings back everything but the request log, which a restart keeps', async () => {
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
    const kept = expectData(await later('GET', '/_sim/requests')) as Logged[];
    expect(kept.map(({ path }) => path)).toEqual(['/v1/sessions', '/v1/ping']);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
