import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { caller, expectData, openShop } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

const ALL = ['checkout:read', 'checkout:write', 'contracts:read', 'contracts:write'];
const SHAPE = {
  id: expect.stringMatching(/^key_\S/),
  name: expect.any(String),
  key_prefix: expect.stringMatching(/^sk_test_[0-9A-Za-z]{4}$/),
  scopes: ALL,
  created_at: '2026-01-01T00:00:00.000000Z',
  revoked_at: null,
};

describe('§5, interface §3: API keys', () => {
  it('a new key is shown once, with all four scopes by default', async () => {
    const shop = await openShop(sim);
    const made = expectData(await shop.call('POST', '/_sim/keys'), 201);
    expect(made).toEqual({ ...SHAPE, key: expect.stringMatching(/^sk_test_[0-9A-Za-z]{32}$/) });
    expect(made.key.slice(0, 12)).toBe(made.key_prefix);
    const listed = await shop.call('GET', '/_sim/keys');
    const { key, ...rest } = made;
    expect(expectData(listed)).toEqual([rest, SHAPE]);
    expect(listed.text).not.toContain(key);
    const headers = { 'x-client-id': shop.shop.clientId, 'x-api-key': key };
    expect((await caller(sim, headers)('GET', '/v1/ping')).status).toBe(200);
  });

  it('a live account issues live keys', async () => {
    const shop = await openShop(sim);
    const { key } = expectData(await shop.live.call('POST', '/_sim/keys', {}), 201);
    expect(key).toMatch(/^sk_live_[0-9A-Za-z]{32}$/);
    expect(expectData(await shop.call('GET', '/_sim/keys'))).toHaveLength(1);
  });

  it.each([
    ['empty', []],
    ['unknown', ['checkout:delete']],
    ['one unknown among known', ['checkout:read', 'admin']],
    ['no list', 'checkout:read'],
    ['numbers', [1]],
    ['null inside', [null]],
    ['null', null],
  ])('scopes %s: 422, and no key is made', async (_name, scopes) => {
    const shop = await openShop(sim);
    const answer = await shop.call('POST', '/_sim/keys', { scopes });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors).every((field) => field.startsWith('scopes'))).toBe(true);
    expect(expectData(await shop.call('GET', '/_sim/keys'))).toHaveLength(1);
  });

  it('an empty list is named as such', async () => {
    const shop = await openShop(sim);
    const { body } = await shop.call('POST', '/_sim/keys', { scopes: [] });
    expect(body.errors).toEqual({ scopes: ['The scopes field must not be empty.'] });
  });

  it('an unknown field is 422', async () => {
    const shop = await openShop(sim);
    expect(Object.keys((await shop.call('POST', '/_sim/keys', { scope: ALL })).body.errors)).toEqual(['scope']);
  });

  it('a revoked key is refused immediately, listed with its instant, and revoking it again changes nothing', async () => {
    const shop = await openShop(sim);
    const made = expectData(await shop.call('POST', '/_sim/keys', { name: 'till', scopes: ['checkout:read'] }), 201);
    const call = caller(sim, { 'x-client-id': shop.shop.clientId, 'x-api-key': made.key });
    expect((await call('GET', '/v1/ping')).status).toBe(200);
    const revoked = await shop.call('DELETE', `/_sim/keys/${made.id}`);
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expect((await call('GET', '/v1/ping')).status).toBe(401);
    expect((await call('GET', '/_sim/settings')).status).toBe(401);
    expectData(await shop.call('POST', '/_sim/clock/advance', { by: '1d' }));
    expect((await shop.call('DELETE', `/_sim/keys/${made.id}`)).status).toBe(204);
    const [listed] = expectData(await shop.call('GET', '/_sim/keys'));
    expect(listed).toMatchObject({
      name: 'till',
      scopes: ['checkout:read'],
      revoked_at: '2026-01-01T00:00:00.000000Z',
    });
  });

  it('an unknown key to revoke is 404', async () => {
    const shop = await openShop(sim);
    expect(await shop.call('DELETE', '/_sim/keys/key_unknown')).toMatchObject({
      status: 404,
      body: { message: 'Key not found.' },
    });
  });

  it('lists are newest first; ?after reads forward; ?limit bounds; an unknown id or limit is 422', async () => {
    const shop = await openShop(sim);
    for (const name of ['a', 'b', 'c']) expectData(await shop.call('POST', '/_sim/keys', { name }), 201);
    const names = async (query: string) =>
      expectData(await shop.call('GET', `/_sim/keys${query}`)).map(({ name }: { name: string }) => name);
    expect((await names('')).slice(0, 3)).toEqual(['c', 'b', 'a']);
    expect(await names('?limit=1')).toEqual(['c']);
    const [{ id }] = expectData(await shop.call('GET', '/_sim/keys?limit=1000')).slice(-1);
    expect(await names(`?after=${id}`)).toEqual(['a', 'b', 'c']);
    expect(await names(`?after=${id}&limit=2`)).toEqual(['a', 'b']);
    for (const query of ['?after=nothing', '?limit=0', '?limit=1001', '?limit=x', '?limit=1&limit=2']) {
      expect((await shop.call('GET', `/_sim/keys${query}`)).status, query).toBe(422);
    }
  });
});

describe('interface §3: keys for those who have none left', () => {
  it('the control token with a client id lists and creates keys, after the last one was revoked', async () => {
    const { shop, call } = await openShop(sim);
    const [first] = expectData(await call('GET', '/_sim/keys'));
    expect((await call('DELETE', `/_sim/keys/${first.id}`)).status).toBe(204);
    expect((await call('GET', '/_sim/keys')).status).toBe(401);
    const holder = caller(sim, { authorization: `Bearer ${sim.controlToken}`, 'x-client-id': shop.clientId });
    expect(expectData(await holder('GET', '/_sim/keys'))).toHaveLength(1);
    const { key } = expectData(await holder('POST', '/_sim/keys'), 201);
    const renewed = caller(sim, { 'x-client-id': shop.clientId, 'x-api-key': key });
    expect((await renewed('GET', '/v1/ping')).status).toBe(200);
  });

  it.each([
    ['a wrong token', () => ({ authorization: 'Bearer wrong', 'x-client-id': sim.default.clientId })],
    ['no client id', () => ({ authorization: `Bearer ${sim.controlToken}` })],
    ['an unknown client id', () => ({ authorization: `Bearer ${sim.controlToken}`, 'x-client-id': 'mch_test_none' })],
    [
      'a wrong key beside the token',
      () => ({
        authorization: `Bearer ${sim.controlToken}`,
        'x-client-id': sim.default.clientId,
        'x-api-key': 'wrong',
      }),
    ],
  ])('%s: 401', async (_what, headers) => {
    expect((await caller(sim, headers())('GET', '/_sim/keys')).status).toBe(401);
  });

  it('no other lever of an account accepts the token', async () => {
    const headers = { authorization: `Bearer ${sim.controlToken}`, 'x-client-id': sim.default.clientId };
    expect((await caller(sim, headers)('GET', '/_sim/clock')).status).toBe(401);
  });
});
