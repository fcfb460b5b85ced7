import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { type Call, caller, expectData, openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let reference: string;
let workspace: Call;
const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  shop = await openShop(sim);
  workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
  for (const n of [1, 2, 3]) {
    expectData(await shop.call('POST', '/_sim/keys', { name: `key ${n}` }), 201);
    expectData(
      await shop.call('POST', '/_sim/webhook-endpoints', { url: `${url}${n}`, events: ['webhook.test'] }),
      201,
    );
    expectData(await workspace('POST', '/_sim/snapshots', { name: `snapshot-${n}` }), 201);
    await openShop(sim);
  }
  const [{ id }] = expectData(await shop.call('GET', '/_sim/webhook-endpoints'));
  for (let n = 0; n < 3; n += 1) expectData(await shop.call('POST', `/_sim/webhook-endpoints/${id}/test`));
  ({ reference } = await shop.complete());
  await shop.complete();
  await shop.complete();
  expectData(await shop.call('POST', '/_sim/clock/advance', { by: '60d' }));
});
afterAll(async () => {
  receiver.close();
  await sim.close();
});

/** Every list of the control plane; who reads it, if not the merchant, and what its ids are called, if not that. */
const LISTS: readonly { readonly path: string; readonly by?: 'workspace'; readonly id?: string }[] = [
  { path: '/_sim/sessions' },
  { path: '/_sim/contracts', id: 'reference' },
  { path: '/_sim/contracts/…/attempts', id: 'reference' },
  { path: '/_sim/events' },
  { path: '/_sim/webhook-endpoints' },
  { path: '/_sim/deliveries' },
  { path: '/_sim/emails' },
  { path: '/_sim/keys' },
  { path: '/_sim/requests' },
  { path: '/_sim/merchants', by: 'workspace' },
  { path: '/_sim/snapshots', by: 'workspace', id: 'name' },
];

describe('interface §3: lists are newest first; ?after=<id> gives what is newer, oldest first; ?limit bounds', () => {
  describe.each(LISTS)('$path', ({ path, by, id = 'id' }) => {
    const ask = (query: string) =>
      (by === 'workspace' ? workspace : shop.call)('GET', path.replace('…', reference) + query);
    const ids = async (query: string): Promise<string[]> =>
      expectData(await ask(query)).map((item: Record<string, string>) => item[id]);

    it('reads forward from any id and misses nothing', async () => {
      const newestFirst = await ids('?limit=1000');
      expect(newestFirst.length).toBeGreaterThanOrEqual(3);
      expect(new Set(newestFirst).size).toBe(newestFirst.length);
      expect(await ids('?limit=2')).toEqual(newestFirst.slice(0, 2));
      const forward = newestFirst.toReversed();
      const [oldest, second, third] = forward;
      expect(await ids(`?after=${oldest}&limit=1000`)).toEqual(forward.slice(1));
      expect(await ids(`?after=${oldest}&limit=2`)).toEqual([second, third]);
      expect(await ids(`?after=${second}&limit=1`)).toEqual([third]);
      expect(await ids(`?after=${newestFirst[0]}`)).toEqual([]);
    });

    it('an empty parameter counts as absent', async () => {
      expect(await ids('?after=&limit=')).toEqual(await ids(''));
    });

    it.each([
      ['?limit=0', 'limit', 'The limit field must be at least 1.'],
      ['?limit=-1', 'limit', 'The limit field must be at least 1.'],
      ['?limit=1001', 'limit', 'The limit field must not be greater than 1000.'],
      ['?limit=x', 'limit', 'The limit field must be an integer.'],
      ['?limit=1.5', 'limit', 'The limit field must be an integer.'],
      ['?limit=1&limit=2', 'limit', 'The limit field must be an integer.'],
      ['?after=nothing', 'after', 'The selected after is invalid.'],
      ['?after=a&after=b', 'after', 'The after field must be a string.'],
    ])('%s is refused', async (query, field, message) => {
      const { status, body } = await ask(query);
      expect(status).toBe(422);
      expect(body).toEqual({ message, errors: { [field]: [message] } });
    });
  });

  it('without ?limit at most 100 come', async () => {
    const other = await openShop(sim);
    for (let n = 0; n < 101; n += 1) await sim.inject({ method: 'GET', url: '/v1/ping', headers: other.shop.headers });
    const all = expectData(await other.call('GET', '/_sim/requests?limit=101'));
    expect(all).toHaveLength(101);
    expect(expectData(await other.call('GET', '/_sim/requests'))).toEqual(all.slice(0, 100));
    expect(expectData(await other.call('GET', `/_sim/requests?after=${all.at(-1).id}&limit=`))).toHaveLength(100);
  });

  it('what happened last comes first', async () => {
    const types = async (path: string, name: string) =>
      expectData(await shop.call('GET', path)).map((item: Record<string, unknown>) => item[name]);
    expect(await types(`/_sim/contracts/${reference}/attempts`, 'sequence')).toEqual([5, 4, 3, 2, 1]);
    expect((await types('/_sim/keys', 'name')).slice(0, 3)).toEqual(['key 3', 'key 2', 'key 1']);
    expect((await types('/_sim/events', 'type'))[0]).toBe('contract.completed');
  });

  it('an id that belongs to somebody else is unknown', async () => {
    const other = await openShop(sim);
    const elsewhere = await other.complete();
    for (const [path, id] of [
      ['/_sim/sessions', (await other.open()).id],
      ['/_sim/events', expectData(await other.call('GET', '/_sim/events'))[0].id],
      ['/_sim/keys', expectData(await other.call('GET', '/_sim/keys'))[0].id],
      [
        `/_sim/contracts/${reference}/attempts`,
        expectData(await other.call('GET', `/_sim/contracts/${elsewhere.reference}/attempts`))[0].reference,
      ],
    ]) {
      expect((await shop.call('GET', `${path}?after=${id}`)).status, path).toBe(422);
    }
  });

  it.each([
    ['/_sim/emails', 'to'],
    ['/_sim/emails', 'reference'],
    ['/_sim/requests', 'path'],
    ['/_sim/deliveries', 'event_id'],
    ['/_sim/deliveries', 'endpoint_id'],
    ['/_sim/forecast', 'until'],
  ])('%s: %s narrows once, and is no list', async (path, name) => {
    const message = `The ${name.replace('_', ' ')} field must be a string.`;
    for (const query of [`${name}=a&${name}=b`, `${name}[]=a`]) {
      const { status, body } = await shop.call('GET', `${path}?${query}`);
      expect([status, body], query).toEqual([422, { message, errors: { [name]: [message] } }]);
    }
    expect((await shop.call('GET', `${path}?${name}=`)).text).toBe((await shop.call('GET', path)).text);
  });

  it('a request that was not yet made is unknown', async () => {
    expect((await shop.call('GET', '/_sim/requests?after=req_999999999999')).status).toBe(422);
    expect((await shop.call('GET', '/_sim/requests?after=req_000000000000')).status).toBe(422);
  });
});
