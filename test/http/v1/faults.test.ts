import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { FAULT_KINDS, FAULTS } from '../../../src/domain/faults.ts';
import type { RequestLine } from '../../../src/http/stream/watch-lines.ts';
import { createSimulator, type RequestRecord, type Shop } from '../../../src/index.ts';
import { headerLines } from '../../support/raw-request.ts';
import { expectData, openShop, order, type TestShop } from '../../support/shop.ts';

const lines: RequestLine[] = [];
const broken: unknown[] = [];
const sim = await createSimulator({
  seed: 1,
  clock: { frozenAt: '2026-01-01T00:00:00Z' },
  onRequest: (line) => void lines.push(line),
  onFault: (error) => void broken.push(error),
});
afterAll(async () => {
  await sim.close();
  expect(broken).toEqual([]);
});

let store: TestShop;
beforeEach(async () => {
  store = await openShop(sim);
  lines.length = 0;
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** All bytes that the server sends to one request on a connection of its own, and how the connection ended. */
async function exchange(
  { method = 'POST', path = '/v1/sessions', body, headers = {} }: Asked,
  shop: Shop = store.shop,
) {
  const { hostname, port, host } = new URL(sim.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  let error: NodeJS.ErrnoException | null = null;
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', (reason) => {
    error = reason;
  });
  const closed = once(socket, 'close');
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = headerLines({
    host,
    connection: 'close',
    ...shop.headers,
    ...(text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    ...headers,
  });
  socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n${text}`);
  await closed;
  const all = Buffer.concat(chunks);
  const at = all.indexOf('\r\n\r\n');
  const [status = '', ...fields] = all.subarray(0, Math.max(0, at)).toString('latin1').split('\r\n');
  return {
    bytes: all.length,
    error,
    status: Number(status.split(' ')[1] ?? 0),
    headers: Object.fromEntries(fields.map((field) => field.toLowerCase().split(': ', 2) as [string, string])),
    body: all.subarray(at + 4).toString('utf8'),
  };
}

/** A request to open a session, of which the server has the head and the first of 100 bytes. */
async function begun() {
  const { hostname, port, host } = new URL(sim.url);
  const socket = connect(Number(port), hostname);
  socket.write(`POST /v1/sessions HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`);
  socket.write(`content-length: 100\r\nexpect: 100-continue\r\n${headerLines(store.shop.headers)}\r\n{`);
  await once(socket, 'data');
  return {
    leave: () => socket.destroy(),
    /** Sends the rest of the body. Gives the status of the answer. */
    async finish(rest: string) {
      socket.write(rest);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return Number(answer.toString('latin1').split(' ')[1]);
    },
  };
}

const KINDS = FAULT_KINDS.filter((kind) => FAULTS[kind].on === 'request');

const opening = (more: Asked = {}): Asked => ({ body: order(), ...more });
const latest = async () => (await store.shop.logs.list({ limit: 1 }))[0] as RequestRecord;
const sessions = () => store.shop.sessions.list();

describe('interface §7: what a request meets', () => {
  test('lost_request: nothing is sent, nothing is done', async () => {
    const { id } = await store.shop.faults.add({ kind: 'lost_request' });
    expect((await exchange(opening())).bytes).toBe(0);
    expect(await sessions()).toEqual([]);
    const mark = { id, kind: 'lost_request' };
    expect(await latest()).toMatchObject({ method: 'POST', status: null, response_body: null, fault: mark });
    expect(lines).toContainEqual(expect.objectContaining({ method: 'POST', status: null, fault: mark }));
    expect((await exchange(opening())).status).toBe(201);
    expect(await latest()).toMatchObject({ status: 201, fault: null });
  });

  test('lost_answer: nothing is sent, everything is done', async () => {
    const { id } = await store.shop.faults.add({ kind: 'lost_answer', operation: 'createSession' });
    const asked = opening({ headers: { 'idempotency-key': 'first' } });
    expect((await exchange(asked)).bytes).toBe(0);
    const [opened, ...others] = await sessions();
    expect(others).toEqual([]);
    expect(opened).toMatchObject({ order_reference: 'A-1', status: 'pending' });
    expect(await latest()).toMatchObject({
      status: 201,
      response_body: { data: { id: opened?.id } },
      fault: { id, kind: 'lost_answer' },
    });

    const again = await exchange(asked);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    expect(JSON.parse(again.body).data.id).toBe(opened?.id);
    const anew = await exchange(opening({ headers: { 'idempotency-key': 'second' } }));
    expect(anew.headers).not.toHaveProperty('idempotent-replayed');
    expect(await sessions()).toHaveLength(2);
  });

  test('cut_answer: the head as it would have been, half of the body, then the end', async () => {
    await store.shop.faults.add({ kind: 'cut_answer' });
    const { status, headers, body } = await exchange(opening());
    const whole = JSON.stringify((await latest()).response_body);
    expect(status).toBe(201);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(whole));
    expect(body).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    expect(await sessions()).toHaveLength(1);
    expect(await latest()).toMatchObject({ status: 201, fault: { kind: 'cut_answer' } });
  });

  test('cut_answer: of a HEAD the whole head arrives, because its response has no body', async () => {
    await store.shop.faults.add({ kind: 'cut_answer' });
    const { status, headers, body } = await exchange({ method: 'HEAD', path: '/v1/ping' });
    expect([status, headers['content-type'], body]).toEqual([200, 'application/json; charset=utf-8', '']);
    expect(await latest()).toMatchObject({ method: 'HEAD', status: 200, fault: { kind: 'cut_answer' } });
  });

  test('cut_answer: of a HEAD the client learns that the connection closes, so its next request is not lost', async () => {
    await store.shop.faults.add({ kind: 'cut_answer' });
    const kept = { connection: 'keep-alive' };
    const { headers } = await exchange({ method: 'HEAD', path: '/v1/ping', headers: kept });
    expect(headers.connection).toBe('close');
  });

  test('error: nothing is done, a server error is answered', async () => {
    await store.shop.faults.add({ kind: 'error', status: 502, retry_after: 7 });
    const { status, headers, body } = await exchange(opening());
    expect([status, headers['retry-after'], body]).toEqual([502, '7', '{"message":"Server Error"}']);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(await sessions()).toEqual([]);
    expect(await latest()).toMatchObject({ status: 502, response_body: { message: 'Server Error' } });
  });

  test('error: 503 and no Retry-After unless they are given', async () => {
    await store.shop.faults.add({ kind: 'error' });
    const { status, headers } = await exchange(opening());
    expect(status).toBe(503);
    expect(headers).not.toHaveProperty('retry-after');
  });

  test('late_error: everything is done, a server error is answered', async () => {
    await store.shop.faults.add({ kind: 'late_error', status: 504, retry_after: 0 });
    const { status, headers, body } = await exchange(opening({ headers: { 'idempotency-key': 'late' } }));
    expect([status, headers['retry-after'], body]).toEqual([504, '0', '{"message":"Server Error"}']);
    expect(await latest()).toMatchObject({ status: 504, response_body: { message: 'Server Error' } });
    expect(await sessions()).toHaveLength(1);
    const again = await exchange(opening({ headers: { 'idempotency-key': 'late' } }));
    expect(again.headers['idempotent-replayed']).toBe('true');
    await store.shop.faults.add({ kind: 'late_error' });
    const late = await exchange(opening({ headers: { 'idempotency-key': 'late' } }));
    expect(late.status).toBe(503);
    expect(late.headers).not.toHaveProperty('idempotent-replayed');
    expect(await sessions()).toHaveLength(1);
  });

  test('a path is compared decoded and without the query', async () => {
    await store.shop.faults.add({ kind: 'error', path: '/v1/contracts/*' });
    expect((await exchange({ method: 'GET', path: '/v1/contracts?page=1' })).status).toBe(200);
    expect((await exchange({ method: 'GET', path: '/%76%31/contracts/LAY-1?page=1' })).status).toBe(503);
  });

  test.each(KINDS.filter((kind) => kind !== 'slow'))('%s: the client does not get the usual answer', async (kind) => {
    const ping = { method: 'GET', path: '/v1/ping' };
    const { status, body } = await exchange(ping);
    await store.shop.faults.add({ kind });
    const struck = await exchange(ping);
    expect({ status: struck.status, body: struck.body }, 'src/http/routes/v1/strike.ts does nothing').not.toEqual({
      status,
      body,
    });
  });

  test.each(KINDS)(
    '%s has struck once its client knows, whether the request is carried out or refused',
    async (kind) => {
      for (const total_amount of [20_000, 1]) {
        await store.shop.faults.add({ kind, ...(kind === 'slow' ? { delay_ms: 1 } : {}) });
        await exchange(opening({ body: order({ total_amount }) }));
        expect((await store.shop.faults.list()).at(-1)).toMatchObject({ kind, met: 1 });
      }
    },
  );

  test('throttled: nothing is done, and 429 is answered as the real limit answers it', async () => {
    await store.shop.faults.add({ kind: 'throttled', retry_after: 9 });
    const { status, headers, body } = await exchange(opening());
    expect([status, headers['retry-after'], body]).toEqual([429, '9', '{"message":"Too Many Attempts."}']);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '6000', 'x-ratelimit-remaining': '0' });
    const leftSeconds = Number(headers['x-ratelimit-reset']) - Date.now() / 1000;
    expect(leftSeconds).toBeGreaterThan(5);
    expect(leftSeconds).toBeLessThan(11);
    expect(await sessions()).toEqual([]);
  });

  test('throttled: without a limit, the response names the usual one', async () => {
    await using unlimited = await createSimulator({ rateLimit: 'off' });
    const { faults, headers } = unlimited.default;
    await faults.add({ kind: 'throttled' });
    const answer = await unlimited.inject({ method: 'GET', url: '/v1/ping', headers });
    expect([answer.statusCode, answer.headers['x-ratelimit-limit']]).toEqual([429, '6000']);
  });

  test('slow: a server that closes does not leave an injected request waiting', async () => {
    const closing = await createSimulator();
    const { faults, headers } = closing.default;
    await faults.add({ kind: 'slow', delay_ms: 60_000 });
    const asked = closing.inject({ method: 'GET', url: '/v1/ping', headers }).catch(({ code }) => code);
    await expect.poll(async () => (await faults.list())[0]?.met).toBe(1);
    await closing.close();
    expect(await asked).toBe('ECONNRESET');
  });

  test('throttled, at once again: the response is one that the OpenAPI document allows', async () => {
    await store.shop.faults.add({ kind: 'throttled', retry_after: 0 });
    const { status, headers } = await store.call('GET', '/v1/ping');
    expect([status, headers.get('retry-after')]).toEqual([429, '0']);
  });

  test('slow: its response alone comes later, whatever else is asked meanwhile', async () => {
    await store.shop.faults.add({ kind: 'slow', delay_ms: 500 });
    const answered: string[] = [];
    const slow = exchange(opening()).then(({ status }) => answered.push(`slow ${status}`));
    await expect.poll(sessions).toHaveLength(1);
    const others = Array.from({ length: 5 }, () =>
      exchange({ method: 'GET', path: '/v1/ping' }).then(({ status }) => answered.push(`other ${status}`)),
    );
    await Promise.all([slow, ...others]);
    expect(answered).toEqual([...Array(5).fill('other 200'), 'slow 201']);
    const [, struck] = (await store.shop.logs.list())
      .toReversed()
      .sort((a, b) => a.duration_ms - b.duration_ms)
      .slice(-2);
    expect(struck).toMatchObject({ status: 201, fault: { kind: 'slow' } });
    expect(struck?.duration_ms).toBeGreaterThanOrEqual(490);
  });

  test('slow: a client that leaves is logged immediately, and nothing is left behind', async () => {
    await store.shop.faults.add({ kind: 'slow', delay_ms: 60_000 });
    const left = new AbortController();
    const asked = fetch(`${sim.url}/v1/ping`, { headers: store.shop.headers, signal: left.signal });
    await expect.poll(async () => (await store.shop.faults.list())[0]?.met).toBe(1);
    left.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(async () => (await latest()).fault?.kind).toBe('slow');
  });

  test.each(['lost_request', 'lost_answer', 'cut_answer'] as const)(
    'requests sent behind one that is struck by %s, on the same connection, are logged once if they are carried out',
    async (kind) => {
      const { shop } = store;
      await shop.faults.add({ kind, operation: 'createSession' });
      const { hostname, port, host } = new URL(sim.url);
      const head = Object.entries({ host, ...shop.headers, 'content-type': 'application/json' });
      const request = (reference: string) => {
        const body = JSON.stringify(order({ order_reference: reference }));
        const fields = [...head, ['content-length', Buffer.byteLength(body)]].map(
          ([name, value]) => `${name}: ${value}`,
        );
        return `POST /v1/sessions HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`;
      };
      const references = ['A-1', 'A-2', 'A-3'];
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.resume();
      socket.write(references.map(request).join(''));
      await once(socket, 'close');
      const done = async () => (await shop.sessions.list()).map((session) => session.order_reference);
      await expect.poll(done).toContain('A-3');
      const logged = await shop.logs.list();
      const answered = logged.filter(({ status }) => status === 201);
      expect(answered.map(({ request_body }) => (request_body as { order_reference: string }).order_reference)).toEqual(
        await done(),
      );
      expect(logged.filter(({ fault }) => fault !== null).length).toBe(1);
      expect(lines.filter(({ path }) => path === '/v1/sessions').length).toBe(3);
    },
  );

  test('a read is struck like a write', async () => {
    for (const kind of ['lost_answer', 'lost_request'] as const) {
      await store.shop.faults.add({ kind });
      expect((await exchange({ method: 'GET', path: '/v1/ping' })).bytes).toBe(0);
    }
    await store.shop.faults.add({ kind: 'cut_answer' });
    const { status, headers, body } = await exchange({ method: 'GET', path: '/v1/contracts' });
    expect(status).toBe(200);
    expect(body.length).toBe(Math.floor(Number(headers['content-length']) / 2));
    await store.shop.faults.add({ kind: 'late_error' });
    expect((await exchange({ method: 'HEAD', path: '/v1/contracts' })).status).toBe(503);
  });

  test('a request that a library sends within the process ends as it would on a socket', async () => {
    const { shop } = store;
    for (const kind of ['lost_request', 'lost_answer', 'cut_answer'] as const) {
      await shop.faults.add({ kind });
      const error = await shop.v1.ping().catch((reason) => reason);
      expect(error).toMatchObject({
        code: 'ECONNRESET',
        message: 'The connection was closed before the response was complete.',
      });
    }
    await shop.faults.add({ kind: 'throttled' });
    await expect(shop.v1.ping()).rejects.toMatchObject({ status: 429 });
    await shop.faults.add({ kind: 'slow', delay_ms: 1 });
    expect(await shop.v1.ping()).toMatchObject({ scopes: expect.any(Array) });
  });
});

describe('interface §7: where faults strike', () => {
  test('after authentication: a pair that is not valid is refused, and nothing is counted', async () => {
    const { id } = await store.shop.faults.add({ kind: 'error', times: null });
    const headers = { ...store.shop.headers, 'x-api-key': 'sk_test_wrong' };
    expect((await fetch(`${sim.url}/v1/ping`, { headers })).status).toBe(401);
    expect((await fetch(`${sim.url}/v1/nothing`, { headers: store.shop.headers })).status).toBe(404);
    expect(await store.shop.faults.list()).toMatchObject([{ id, met: 0 }]);
  });

  test('before clearance, scope and body: refusals are lost like successes', async () => {
    await store.set({ clearance: 'suspended' });
    await store.shop.faults.add({ kind: 'error' });
    expect((await exchange(opening())).status).toBe(503);
    await store.shop.faults.add({ kind: 'lost_answer' });
    expect((await exchange(opening())).bytes).toBe(0);
    expect(await latest()).toMatchObject({ status: 403, fault: { kind: 'lost_answer' } });
    expect(await store.shop.faults.list()).toMatchObject([{ met: 1 }, { met: 1 }]);
    await store.set({ clearance: 'cleared' });

    await store.shop.faults.add({ kind: 'late_error' });
    expect((await exchange({ body: { total_amount: 'much' } })).status).toBe(503);
    await store.shop.faults.add({ kind: 'cut_answer' });
    const { status, body } = await exchange({ headers: { 'content-type': 'text/plain' }, body: order() });
    expect([status, body.length > 0]).toEqual([415, true]);
    expect((await store.shop.faults.list()).map(({ met }) => met)).toEqual([1, 1, 1, 1]);
    expect(await sessions()).toEqual([]);
  });

  test('only the account’s own requests: not those of others, of its live account, of the control plane, of pages', async () => {
    const other = await openShop(sim);
    await store.shop.faults.add({ kind: 'lost_request', times: null });
    expect((await exchange(opening(), other.shop)).status).toBe(201);
    expect((await exchange(opening(), store.shop.live)).status).toBe(201);
    const { id } = expectData(await store.call('POST', '/_sim/sessions', { ...order(), preview: true }), 201);
    expect((await fetch(`${sim.url}/checkout/${id}`)).status).toBe(200);
    // The hosted page's own read takes no pair.
    expect((await exchange({ method: 'GET', path: `/v1/sessions/${id}` })).status).toBe(200);
    for (const path of ['/docs', '/openapi.json', '/healthz', '/'])
      expect((await fetch(`${sim.url}${path}`, { headers: store.shop.headers })).status, path).toBe(200);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 0 }]);
  });

  test('by operation, method and decoded path', async () => {
    const { reference } = await store.complete();
    const add = store.shop.faults.add;
    await add({ kind: 'error', operation: 'getContract', times: null });
    await add({ kind: 'error', status: 500, method: 'PATCH', path: '/v1/contracts/*', times: null });
    await add({ kind: 'error', status: 502, path: '/v1/contracts/ä b', times: null });
    const status = async (method: string, path: string) => (await exchange({ method, path })).status;
    expect(await status('GET', `/v1/contracts/${reference}?x=1`)).toBe(503);
    expect(await status('HEAD', `/v1/contracts/${reference}`)).toBe(503);
    expect(await status('GET', '/v1/contracts?page=1')).toBe(200);
    expect((await exchange({ method: 'PATCH', path: `/v1/contracts/${reference}`, body: {} })).status).toBe(500);
    expect((await exchange({ method: 'PATCH', path: '/v1/contracts/%C3%A4%20b', body: {} })).status).toBe(500);
    expect(await status('POST', `/v1/contracts/${reference}/cancel`)).toBe(200);
  });
});

describe('interface §7: how often', () => {
  test('`skip`, `every` and `times`, in the order they were added; a later one does not count what was struck', async () => {
    await store.shop.faults.add({ kind: 'error', status: 500, skip: 1, every: 3, times: 2 });
    await store.shop.faults.add({ kind: 'error', status: 502, every: 2, times: null });
    const seen: number[] = [];
    for (let n = 0; n < 10; n += 1) seen.push((await exchange({ method: 'GET', path: '/v1/ping' })).status);
    expect(seen).toEqual([502, 500, 200, 502, 500, 200, 502, 200, 502, 200]);
    expect((await store.shop.faults.list()).map(({ met }) => met)).toEqual([2, 4]);
  });

  test('requests at once: one that strikes once strikes one of them', async () => {
    await store.shop.faults.add({ kind: 'late_error' });
    const all = await Promise.all(Array.from({ length: 8 }, () => exchange(opening())));
    expect(all.map(({ status }) => status).sort()).toEqual([...Array(7).fill(201), 503]);
    expect(await sessions()).toHaveLength(8);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 1 }]);
  });

  test('a strike is decided before the body arrives, and a second request does not get it, too', async () => {
    await store.shop.faults.add({ kind: 'late_error' });
    const [one, two] = [await begun(), await begun()];
    const rest = `${' '.repeat(98)}}`;
    expect([await one.finish(rest), await two.finish(rest)]).toEqual([503, 422]);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 1 }]);
  });

  test('of those under way at once, one that strikes every second request strikes no other', async () => {
    await store.shop.faults.add({ kind: 'late_error', every: 2, times: null });
    const all = [await begun(), await begun(), await begun()];
    const rest = `${' '.repeat(98)}}`;
    expect(await Promise.all(all.map((each) => each.finish(rest)))).toEqual([503, 422, 503]);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 2 }]);
  });

  test('one that a body never came for is struck all the same', async () => {
    await store.shop.faults.add({ kind: 'lost_answer' });
    (await begun()).leave();
    await expect.poll(async () => (await store.shop.faults.list())[0]?.met).toBe(1);
    expect((await exchange(opening())).status).toBe(201);
  });
});
