import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, createSimulator, LayawayError, type Simulator } from '../../src/index.ts';
import { manualTime } from '../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

async function clientOfShop() {
  const shop = await sim.merchant();
  return { shop, client: createClient({ baseUrl: sim.url, clientId: shop.clientId, apiKey: shop.apiKey }) };
}

const ORDER = {
  order_reference: 'A-1',
  total_amount: 20_000,
  return_url: 'https://shop.example/return',
  cancel_url: 'https://shop.example/cancel',
};

describe('interface §4: a typed client of /v1, over real HTTP', () => {
  test('every operation', async () => {
    const { shop, client } = await clientOfShop();
    expect(await client.ping()).toMatchObject({ client_id: shop.clientId });
    expect(await client.config()).toMatchObject({ mode: 'sandbox', terms: { min_order_amount: 5000 } });
    const session = await client.createSession(ORDER);
    expect(await client.getSession(session.id)).toEqual(session);
    const { reference } = await shop.sessions.complete(session.id);
    expect(await client.getContract(reference)).toMatchObject({ status: 'active', order_reference: 'A-1' });
    expect(await client.updateContract(reference, { metadata: { a: 'b' } })).toMatchObject({ metadata: { a: 'b' } });
    const page = await client.listContracts({ status: 'active' });
    expect(page.data.map((contract) => contract.reference)).toEqual([reference]);
    expect(await client.cancelContract(reference)).toMatchObject({ status: 'cancelled' });
  });

  test('an idempotency key is sent', async () => {
    const { client } = await clientOfShop();
    const first = await client.createSession(ORDER, { idempotencyKey: 'k' });
    expect((await client.createSession(ORDER, { idempotencyKey: 'k' })).id).toBe(first.id);
    await expect(
      client.createSession({ ...ORDER, total_amount: 30_000 }, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({
      status: 409,
    });
  });

  test.each(['/', '/v1', '/v1/'])('a base URL may end with %s', async (end) => {
    const { clientId, apiKey } = sim.default;
    const client = createClient({ baseUrl: `${sim.url}${end}`, clientId, apiKey });
    expect(await client.ping()).toMatchObject({ client_id: clientId });
  });

  test('a key that HTTP does not allow in a header is named, and not the address', async () => {
    const { client, shop } = await clientOfShop();
    const says = (name: string) =>
      `The header ${name} contains a character that HTTP does not allow in headers, such as the … of a shortened key.`;
    const pair = { baseUrl: sim.url, clientId: shop.clientId };
    await expect(createClient({ ...pair, apiKey: `${shop.apiKey.slice(0, 12)}…` }).ping()).rejects.toThrow(
      new TypeError(says('x-api-key')),
    );
    await expect(client.createSession(ORDER, { idempotencyKey: 'one\ntwo' })).rejects.toThrow(
      new TypeError(says('idempotency-key')),
    );
    // As a file with one line gives it.
    expect(await createClient({ ...pair, apiKey: `${shop.apiKey}\n` }).ping()).toMatchObject({ dba: 'Example Store' });
  });

  test('what is not a base URL is refused', () => {
    expect(() => createClient({ baseUrl: '127.0.0.1:4747', clientId: 'a', apiKey: 'b' })).toThrow(
      '127.0.0.1:4747 is not a base URL. Use a URL such as http://127.0.0.1:4747.',
    );
  });

  test('a refusal is a LayawayError with status and body', async () => {
    const client = createClient({ baseUrl: sim.url, clientId: sim.default.clientId, apiKey: 'wrong' });
    const error = await client.ping().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LayawayError);
    expect(error).toMatchObject({ status: 401, body: { message: 'Unauthenticated.' }, message: 'Unauthenticated.' });
  });
});

describe('a refusal says how many seconds to wait, as its Retry-After does', () => {
  const refusalOf = (call: Promise<unknown>) => call.then(String, (thrown: LayawayError) => thrown);

  test('the 429 of the rate limit', async () => {
    await using limited = await createSimulator({ rateLimit: 1, time: manualTime() });
    const { clientId, apiKey, v1 } = limited.default;
    const client = createClient({ baseUrl: limited.url, clientId, apiKey });
    await client.ping();
    expect(await refusalOf(client.ping())).toMatchObject({ status: 429, retryAfterSeconds: 60 });
    // Without the network, as a shop asks.
    expect(await refusalOf(v1.ping())).toMatchObject({ status: 429, retryAfterSeconds: 60 });
  });

  test.each([
    [{ kind: 'throttled', retry_after: 7 } as const, 429, 7],
    [{ kind: 'error', retry_after: 5 } as const, 503, 5],
    [{ kind: 'error', status: 502 } as const, 502, null],
  ])('the fault %o', async (fault, status, retryAfterSeconds) => {
    const { shop, client } = await clientOfShop();
    await shop.faults.add(fault);
    expect(await refusalOf(client.ping())).toMatchObject({ status, retryAfterSeconds });
  });

  test('a refusal without it has null', async () => {
    const { client } = await clientOfShop();
    expect(await refusalOf(client.getSession('cs_unknown'))).toMatchObject({ status: 404, retryAfterSeconds: null });
  });

  test.each([
    ['a date, by the clock of the server', { 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' }, 120],
    ['what is neither a number nor a date', { 'retry-after': 'soon' }, null],
  ])('%s', async (_, headers, retryAfterSeconds) => {
    const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
    await using gateway = await stranger((_request, response) => {
      response.writeHead(503, { date, ...headers }).end();
    });
    expect(await refusalOf(gateway.client.ping())).toMatchObject({ status: 503, retryAfterSeconds });
  });

  test('a date of a server that sends no Date says nothing', async () => {
    await using gateway = await stranger((_request, response) => {
      response.sendDate = false;
      response.writeHead(503, { 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' }).end();
    });
    expect(await refusalOf(gateway.client.ping())).toMatchObject({ status: 503, retryAfterSeconds: null });
  });
});

/** Somebody else behind the address. */
async function stranger(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    client: createClient({ baseUrl, clientId: 'a', apiKey: 'b' }),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describe('what is not the service', () => {
  test('an address without a response is named, with what to do', async () => {
    const gone = await createSimulator();
    await gone.close();
    const error = (await createClient({ baseUrl: gone.url, clientId: 'a', apiKey: 'b' })
      .ping()
      .catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ gave no response: connect ECONNREFUSED .*\. Check that the server is running and that the URL is right\.$/,
    );
    expect(error.message).toContain(gone.url);
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test('the reason is told, however many addresses a name has', async () => {
    const gone = await createSimulator();
    await gone.close();
    const baseUrl = `http://localhost:${new URL(gone.url).port}`;
    const asked = createClient({ baseUrl, clientId: 'a', apiKey: 'b' }).ping();
    await expect(asked).rejects.toThrow(/^http:\/\/localhost:\d+ gave no response: .*ECONNREFUSED/);
  });

  test('a port to which fetch does not connect is not a server that is down', async () => {
    const asked = createClient({ baseUrl: 'http://127.0.0.1:6000', clientId: 'a', apiKey: 'b' }).ping();
    await expect(asked).rejects.toThrow(
      'http://127.0.0.1:6000 gave no response: bad port. fetch() does not connect to ports that browsers reserve for other protocols. Use another port.',
    );
  });

  test('a connection that ends in the middle of a response is one without a response', async () => {
    await using other = await stranger((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"data"', () => response.destroy());
    });
    await expect(other.client.ping()).rejects.toThrow(/^http:.* gave no response: /);
  });

  test('a gateway’s page is a LayawayError with its text', async () => {
    await using other = await stranger((_request, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'));
    await expect(other.client.ping()).rejects.toMatchObject({
      name: 'LayawayError',
      status: 502,
      body: '<h1>Bad Gateway</h1>',
      message: 'The service returned 502.',
    });
  });

  test('a redirect is not followed with the key', async () => {
    const asked: (string | undefined)[] = [];
    await using other = await stranger((request, response) => {
      asked.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(other.client.ping()).rejects.toMatchObject({ name: 'LayawayError', status: 302 });
    expect(asked).toEqual(['/v1/ping']);
  });

  test.each(['<h1>Welcome</h1>', 'null', ''])(
    'a success that is not the JSON of the service is reported: %j',
    async (body) => {
      await using other = await stranger((_request, response) => response.end(body));
      await expect(other.client.ping()).rejects.toThrow('is not the Layaway Checkout Service');
    },
  );
});
