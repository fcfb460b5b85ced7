import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../../src/domain/scope.ts';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { caller, expectData, openShop, order, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let other: TestShop;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
  other = await openShop(sim);
});
afterAll(() => sim.close());

const UNKNOWN_SESSION = `cs_${'0'.repeat(32)}`;
const UNKNOWN_CONTRACT = 'LAY-0000000000';

/** §5 rule 6: every operation, with the status it answers once it is let in. */
const OPERATIONS = [
  ['GET', '/v1/ping', 'checkout:read', 200],
  ['GET', '/v1/config', 'checkout:read', 200],
  ['POST', '/v1/sessions', 'checkout:write', 201],
  ['GET', `/v1/checkout-sessions/${UNKNOWN_SESSION}`, 'checkout:read', 404],
  ['GET', '/v1/contracts', 'contracts:read', 200],
  ['GET', `/v1/contracts/${UNKNOWN_CONTRACT}`, 'contracts:read', 404],
  ['PATCH', `/v1/contracts/${UNKNOWN_CONTRACT}`, 'contracts:write', 404],
  ['POST', `/v1/contracts/${UNKNOWN_CONTRACT}/cancel`, 'contracts:write', 404],
] as const;
const payloadOf = (path: string) => (path === '/v1/sessions' ? order() : undefined);

describe('§5 rule 3: a rejected pair is 401 without saying which half was wrong', () => {
  it('the same bytes and headers whatever was wrong, on every operation', async () => {
    const { clientId, apiKey, live } = shop.shop;
    const revoked = await shop.withScopes(['checkout:read']);
    const [key] = expectData(await shop.call('GET', '/_sim/keys?limit=1'));
    await shop.call('DELETE', `/_sim/keys/${key.id}`);
    const unknownKey = apiKey.slice(0, -1) + (apiKey.endsWith('a') ? 'b' : 'a');
    const wrong: Record<string, Record<string, string>> = {
      'no headers': {},
      'no key': { 'x-client-id': clientId },
      'no client id': { 'x-api-key': apiKey },
      'empty key': { 'x-client-id': clientId, 'x-api-key': '' },
      'empty client id': { 'x-client-id': '', 'x-api-key': apiKey },
      'unknown key': { 'x-client-id': clientId, 'x-api-key': unknownKey },
      'unknown client id': { 'x-client-id': `${clientId.slice(0, 9)}${'0'.repeat(32)}`, 'x-api-key': apiKey },
      'halves swapped': { 'x-client-id': apiKey, 'x-api-key': clientId },
      'key of another merchant': { 'x-client-id': clientId, 'x-api-key': other.shop.apiKey },
      'sandbox id with live key': { 'x-client-id': clientId, 'x-api-key': live.apiKey },
      'live id with sandbox key': { 'x-client-id': live.clientId, 'x-api-key': apiKey },
      'key with another prefix': { 'x-client-id': clientId, 'x-api-key': apiKey.replace('_test_', '_live_') },
      'key cut short': { 'x-client-id': clientId, 'x-api-key': apiKey.slice(0, -1) },
      'key prolonged': { 'x-client-id': clientId, 'x-api-key': `${apiKey}a` },
      'key in capitals': { 'x-client-id': clientId, 'x-api-key': apiKey.toUpperCase() },
      'key prefix only': { 'x-client-id': clientId, 'x-api-key': apiKey.slice(0, 12) },
      'revoked key': { ...revoked },
      'bearer token instead': { authorization: `Bearer ${apiKey}` },
      'the control token': { authorization: `Bearer ${sim.controlToken}` },
      'very long halves': { 'x-client-id': 'x'.repeat(5000), 'x-api-key': 'y'.repeat(5000) },
    };
    const seen = new Set<string>();
    for (const [name, headers] of Object.entries(wrong)) {
      for (const [method, path] of OPERATIONS) {
        const answer = await caller(sim, headers)(method, path, payloadOf(path));
        expect(answer.status, `${name}: ${method} ${path}`).toBe(401);
        const told = [...answer.headers].filter(([header]) => header !== 'date' && !header.startsWith('x-ratelimit'));
        seen.add(JSON.stringify([told, answer.text]));
      }
    }
    expect([...seen]).toHaveLength(1);
    expect(JSON.parse((JSON.parse([...seen][0] as string) as string[])[1] as string)).toEqual({
      message: 'Unauthenticated.',
    });
  });

  it('a header sent twice is not a valid pair, whichever copy is right', async () => {
    const { clientId, apiKey } = shop.shop;
    for (const pairs of [
      ['x-client-id', clientId, 'x-client-id', clientId, 'x-api-key', apiKey],
      ['x-client-id', clientId, 'x-api-key', apiKey, 'x-api-key', apiKey],
      ['x-client-id', clientId, 'x-api-key', apiKey, 'x-api-key', 'wrong'],
      ['x-client-id', clientId, 'x-api-key', 'wrong', 'X-Api-Key', apiKey],
    ]) {
      expect(await pingStatus(pairs)).toBe(401);
    }
    expect(await pingStatus(['X-CLIENT-ID', clientId, 'X-API-KEY', apiKey])).toBe(200);
  });

  it('§5: credentials count in headers only', async () => {
    const { clientId, apiKey } = shop.shop;
    const query = new URLSearchParams({ 'x-client-id': clientId, 'x-api-key': apiKey });
    expect((await caller(sim)('GET', `/v1/ping?${query}`)).status).toBe(401);
  });

  it('authentication happens before the body is read', async () => {
    for (const body of ['{', 'x'.repeat(2 * 1024 * 1024)]) {
      expect((await caller(sim)('POST', '/v1/sessions', body)).status).toBe(401);
    }
  });
});

describe('§5 rule 6: every combination of scopes × every operation', () => {
  const combinations = Array.from({ length: 15 }, (_, index) =>
    SCOPES.filter((_scope, bit) => ((index + 1) >> bit) & 1),
  );

  it.each(combinations.map((scopes) => [scopes.join(' '), scopes] as const))('%s', async (_name, scopes) => {
    const call = caller(sim, await shop.withScopes(scopes));
    for (const [method, path, needed, allowed] of OPERATIONS) {
      const answer = await call(method, path, payloadOf(path));
      const name = `${method} ${path}`;
      if ((scopes as readonly string[]).includes(needed)) {
        expect(answer.status, name).toBe(allowed);
      } else {
        expect(answer.status, name).toBe(403);
        expect(answer.body, name).toEqual({ message: `This key does not have the ${needed} scope.` });
      }
    }
  });
});

describe('§5 rule 7, decisions §2: clearance and account status', () => {
  const NOT_CLEARED = { message: 'This merchant is not cleared to transact.' };
  const NOT_ACTIVE = { message: 'This account is not active.' };

  it.each([
    [{ clearance: 'in_review' }, NOT_CLEARED],
    [{ clearance: 'suspended' }, NOT_CLEARED],
    [{ account_status: 'closed' }, NOT_ACTIVE],
    [{ clearance: 'suspended', account_status: 'closed' }, NOT_CLEARED],
  ])('%j is 403 without reason on every operation, whatever the scopes', async (settings, body) => {
    const own = await openShop(sim);
    const narrow = caller(sim, await own.withScopes(['contracts:write']));
    const session = await own.open();
    await own.set(settings);
    for (const [method, path] of OPERATIONS) {
      for (const call of [own.call, narrow]) {
        const answer = await call(method, path, payloadOf(path));
        expect(answer.status, `${method} ${path}`).toBe(403);
        expect(answer.body, `${method} ${path}`).toEqual(body);
      }
    }
    expect((await caller(sim)('GET', `/v1/sessions/${session.id}`)).status).toBe(200);
    expect((await own.live.call('GET', '/v1/ping')).status).toBe(200);

    await own.set({ clearance: 'cleared', account_status: 'active' });
    expect((await own.call('GET', '/v1/ping')).status).toBe(200);
  });
});

describe('§4.4, §4.6: what is another merchant’s, or the other mode’s, reads as not there', () => {
  it('with the same bytes as something unknown, and nothing happens to it', async () => {
    const session = await shop.open();
    const contract = await shop.complete();
    for (const call of [other.call, shop.live.call, other.live.call]) {
      for (const [method, path, unknown] of [
        ['GET', `/v1/checkout-sessions/${session.id}`, `/v1/checkout-sessions/${UNKNOWN_SESSION}`],
        ['GET', `/v1/contracts/${contract.reference}`, `/v1/contracts/${UNKNOWN_CONTRACT}`],
        ['PATCH', `/v1/contracts/${contract.reference}`, `/v1/contracts/${UNKNOWN_CONTRACT}`],
        ['POST', `/v1/contracts/${contract.reference}/cancel`, `/v1/contracts/${UNKNOWN_CONTRACT}/cancel`],
      ] as const) {
        const body = method === 'PATCH' ? { order_reference: 'stolen' } : undefined;
        const [foreign, nothing] = [await call(method, path, body), await call(method, unknown, body)];
        expect(foreign.status, path).toBe(404);
        expect(foreign.text, path).toBe(nothing.text);
      }
    }
    expect(expectData(await shop.call('GET', `/v1/contracts/${contract.reference}`))).toEqual(contract);
  });

  it('§4.5: a list shows one account’s contracts', async () => {
    const own = await openShop(sim);
    const mine = await own.complete();
    const live = await own.live.complete();
    expect((await own.call('GET', '/v1/contracts')).body.data).toEqual([mine]);
    expect((await own.live.call('GET', '/v1/contracts')).body.data).toEqual([live]);
    expect((await own.call('GET', '/v1/contracts')).body.meta.total).toBe(1);
  });

  it('the control plane’s account levers keep to it too', async () => {
    const session = await shop.open();
    const contract = await shop.complete();
    const [key] = expectData(await shop.call('GET', '/_sim/keys'));
    for (const call of [other.call, shop.live.call]) {
      for (const verb of ['accept', 'pay', 'complete', 'cancel']) {
        const body = { customer_name: 'Eve', customer_email: 'eve@example.com' };
        const answer = await call('POST', `/_sim/sessions/${session.id}/${verb}`, verb === 'accept' ? body : {});
        expect(answer.status, verb).toBe(404);
      }
      expect((await call('GET', `/_sim/contracts/${contract.reference}/attempts`)).status).toBe(404);
      expect((await call('PUT', `/_sim/contracts/${contract.reference}/outcomes`, { outcomes: [] })).status).toBe(404);
      expect((await call('POST', `/_sim/contracts/${contract.reference}/installments/1/settle`)).status).toBe(404);
      expect((await call('DELETE', `/_sim/keys/${key.id}`)).status).toBe(404);
    }
    expect(expectData(await shop.call('GET', `/v1/checkout-sessions/${session.id}`)).status).toBe('pending');
  });
});

/** The answer to a ping with header lines exactly as given: name, value, name, value. */
function pingStatus(headers: string[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const host = new URL(sim.url).host;
    const sent = request(`${sim.url}/v1/ping`, { headers: ['host', host, ...headers] as never }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject);
    sent.end();
  });
}
