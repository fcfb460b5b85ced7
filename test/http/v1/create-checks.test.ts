import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../../src/index.ts';
import { caller, expectData, manualTime, openShop, order } from '../../support/shop.ts';

/**
 * One request that is wrong in every way at once; each test cures what was named and meets the next refusal
 * (decisions §5, order of checks on create).
 */
describe('decisions §5: the order of checks on POST /v1/sessions', () => {
  const LONG_KEY = { 'idempotency-key': 'k'.repeat(256) };
  const TEXT = { 'content-type': 'text/plain' };

  it('clearance, scope, content type, JSON, key length, idempotency, validation, availability, created', async () => {
    await using sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const shop = await openShop(sim);
    const reader = caller(sim, await shop.withScopes(['checkout:read']));
    const key = { 'idempotency-key': 'used' };
    const first = expectData(await shop.call('POST', '/v1/sessions', order(), key), 201);
    const unavailable = { layaway_enabled: false };
    await shop.set({ ...unavailable, clearance: 'suspended', account_status: 'closed' });

    const unknown = caller(sim, { 'x-client-id': shop.shop.clientId, 'x-api-key': 'wrong' });
    expect((await unknown('POST', '/v1/sessions', '{', { ...TEXT, ...LONG_KEY })).status).toBe(401);

    const notCleared = await reader('POST', '/v1/sessions', '{', { ...TEXT, ...LONG_KEY });
    expect([notCleared.status, notCleared.body.message]).toEqual([403, 'This merchant is not cleared to transact.']);
    await shop.set({ clearance: 'cleared' });
    const closed = await reader('POST', '/v1/sessions', '{', { ...TEXT, ...LONG_KEY });
    expect([closed.status, closed.body.message]).toEqual([403, 'This account is not active.']);
    await shop.set({ account_status: 'active' });

    const noScope = await reader('POST', '/v1/sessions', '{', { ...TEXT, ...LONG_KEY });
    expect([noScope.status, noScope.body.message]).toEqual([403, 'This key does not have the checkout:write scope.']);

    expect((await shop.call('POST', '/v1/sessions', '{', { ...TEXT, ...LONG_KEY })).status).toBe(415);
    const malformed = await shop.call('POST', '/v1/sessions', '{', LONG_KEY);
    expect([malformed.status, Object.keys(malformed.body.errors)]).toEqual([422, ['body']]);
    expect((await shop.call('POST', '/v1/sessions', { total_amount: 1 }, LONG_KEY)).status).toBe(400);
    expect((await shop.call('POST', '/v1/sessions', { total_amount: 1 }, key)).status).toBe(409);

    const replay = await shop.call('POST', '/v1/sessions', order(), key);
    expect([replay.status, replay.body.data.id]).toEqual([201, first.id]);

    const fresh = { 'idempotency-key': 'fresh' };
    const invalid = await shop.call('POST', '/v1/sessions', order({ total_amount: 1 }), fresh);
    expect([invalid.status, Object.keys(invalid.body.errors)]).toEqual([422, ['total_amount']]);
    const refused = await shop.call('POST', '/v1/sessions', order(), fresh);
    expect([refused.status, refused.body.reason]).toEqual([403, 'merchant_disabled']);
    await shop.set({ layaway_enabled: true });
    expect((await shop.call('POST', '/v1/sessions', order(), fresh)).status).toBe(201);
  });

  it('the source’s limit is checked first, then the pair, then the key’s limit, then clearance', async () => {
    const time = manualTime();
    await using sim = await createSimulator({ seed: 1, time, rateLimit: 2 });
    const shop = await openShop(sim, { clearance: 'suspended' });
    const wrong = { 'x-client-id': shop.shop.clientId, 'x-api-key': 'wrong' };
    const from = async (remoteAddress: string, headers: object) => {
      const request = { method: 'POST', url: '/v1/sessions', payload: '{', remoteAddress } as const;
      return (await sim.inject({ ...request, headers: { 'content-type': 'text/plain', ...headers } })).statusCode;
    };
    const pair = shop.shop.headers;
    expect([await from('192.0.2.1', pair), await from('192.0.2.1', pair)]).toEqual([403, 403]);
    expect(await from('192.0.2.1', wrong), 'source before pair').toBe(429);
    expect(await from('192.0.2.1', pair), 'source').toBe(429);
    expect(await from('192.0.2.2', wrong), 'pair before key').toBe(401);
    expect(await from('192.0.2.2', pair), 'key before clearance').toBe(429);
    time.pass(60_000);
    expect(await from('192.0.2.1', pair), 'clearance').toBe(403);
  });

  it('elsewhere: auth, clearance, scope, content type, JSON, resource, validation', async () => {
    await using sim = await createSimulator({ seed: 1 });
    const shop = await openShop(sim);
    const reader = caller(sim, await shop.withScopes(['contracts:read']));
    const { reference } = await shop.complete();
    const unknown = '/v1/contracts/LAY-0000000000';
    await shop.set({ clearance: 'in_review' });
    expect((await caller(sim)('PATCH', unknown, '{', TEXT)).status).toBe(401);
    expect((await reader('PATCH', unknown, '{', TEXT)).body.message).toBe('This merchant is not cleared to transact.');
    await shop.set({ clearance: 'cleared' });
    expect((await reader('PATCH', unknown, '{', TEXT)).body.message).toMatch(/scope/);
    expect((await shop.call('PATCH', unknown, '{', TEXT)).status).toBe(415);
    expect((await shop.call('PATCH', unknown, '{')).status).toBe(422);
    expect((await shop.call('PATCH', unknown, { order_reference: 5 })).status).toBe(404);
    expect((await shop.call('PATCH', `/v1/contracts/${reference}`, { order_reference: 5 })).status).toBe(422);
    expect((await shop.call('POST', `${unknown}/cancel`, '[]')).status).toBe(422);
  });
});
