import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { type Call, caller, expectData, openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let workspace: Call;
/** Ids that exist, so that nothing but the query can be wrong. */
let ids: Record<string, string>;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
  workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
  const { reference } = await shop.complete();
  const [{ id: event }] = expectData(await shop.call('GET', '/_sim/events'));
  const [{ id: email }] = expectData(await shop.call('GET', '/_sim/emails'));
  ids = { reference, event, email };
});
afterAll(() => sim.close());

const LIST = ['limit', 'after'];
/** What each route takes. */
const ROUTES: readonly [path: string, takes: readonly string[], by?: 'workspace'][] = [
  ['/_sim/clock', []],
  ['/_sim/forecast', ['until']],
  ['/_sim/sessions', [...LIST, 'status', 'order_reference']],
  ['/_sim/contracts', [...LIST, 'status', 'order_reference', 'overdue']],
  ['/_sim/contracts/{reference}/outcomes', []],
  ['/_sim/contracts/{reference}/attempts', LIST],
  ['/_sim/events', [...LIST, 'type', 'contract', 'session']],
  ['/_sim/events/{event}', []],
  ['/_sim/events/stream', []],
  ['/_sim/webhook-endpoints', LIST],
  ['/_sim/deliveries', [...LIST, 'status', 'event_id', 'endpoint_id']],
  ['/_sim/emails', [...LIST, 'to', 'reference']],
  ['/_sim/emails/{email}', []],
  ['/_sim/emails/{email}/page', ['account', 'ticket']],
  ['/_sim/settings', []],
  ['/_sim/keys', LIST],
  ['/_sim/requests', [...LIST, 'path', 'status']],
  ['/_sim/browse/contracts', ['status', 'search', 'page']],
  ['/_sim/browse/sessions', ['status', 'search', 'page']],
  ['/_sim/browse/counts', []],
  ['/_sim/browse/ahead', ['steps']],
  ['/_sim/browse/related/{reference}', []],
  ['/_sim/browse/events', ['search', 'before']],
  ['/_sim/browse/deliveries', ['status', 'endpoint_id', 'event_type', 'before']],
  ['/_sim/browse/emails', ['search', 'before']],
  ['/_sim/browse/requests', ['path', 'status', 'before']],
  ['/_sim/browse/changes', []],
  ['/_sim/merchants', LIST, 'workspace'],
  ['/_sim/platform', [], 'workspace'],
  ['/_sim/snapshots', [...LIST, 'automatic'], 'workspace'],
  ['/_sim/browse/accounts', ['search'], 'workspace'],
  ['/_sim/browse/find/{reference}', [], 'workspace'],
  ['/_sim/browse/assumptions', [], 'workspace'],
];
const real = (path: string) => path.replace(/\{(\w+)\}/, (_, name: string) => ids[name] as string);

describe('interface §13: a query parameter that a route does not know is refused like an unknown field', () => {
  it.each(ROUTES)('GET %s takes %j', async (path, takes, by) => {
    const ask = (query: string) => (by === 'workspace' ? workspace : shop.call)('GET', `${real(path)}?${query}`);
    for (const query of ['colour=red', 'colour=', 'colour', 'colour[]=a', 'colour=a&colour=b']) {
      const { status, body } = await ask(query);
      expect(status, query).toBe(422);
      const message = `The colour field is not known.${takes.length === 0 ? '' : ` Available: ${takes.join(', ')}.`}`;
      expect(body, query).toEqual({ message, errors: { colour: [message] } });
    }
    if (takes.length === 0) return;
    const known = takes.map((name) => `${name}=`).join('&');
    expect((await ask(known)).status).toBe(200);
    expect(Object.keys((await ask(`${known}&Limit=1&__proto__=1`)).body.errors)).toEqual(['Limit', '__proto__']);
  });

  it('a lever does nothing then', async () => {
    const before = expectData(await shop.call('GET', '/_sim/clock'));
    const answer = await shop.call('POST', '/_sim/clock/advance?dry_run=true', { by: '1d' });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['dry_run']]);
    expect(expectData(await shop.call('GET', '/_sim/clock'))).toEqual(before);

    expect((await workspace('POST', '/_sim/snapshots?overwrite=true', { name: 'a' })).status).toBe(422);
    expect(expectData(await workspace('GET', '/_sim/snapshots'))).toEqual([]);
  });

  it('a list where one value belongs is not overlooked either', async () => {
    for (const path of ['/_sim/requests', '/_sim/deliveries', '/_sim/browse/requests', '/_sim/browse/deliveries']) {
      const { status, body } = await shop.call('GET', `${path}?status[]=failed`);
      expect([status, Object.keys(body.errors ?? {})], path).toEqual([422, ['status']]);
    }
    expect((await shop.call('GET', '/_sim/browse/events?search[]=a')).status).toBe(422);
  });

  it('who asks is checked first, and the body', async () => {
    expect((await caller(sim)('GET', '/_sim/events?type=a')).status).toBe(401);
    expect((await caller(sim)('GET', '/_sim/merchants?type=a')).status).toBe(401);
    expect((await shop.call('POST', '/_sim/keys?type=a', 'name=a', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await shop.call('GET', '/_sim/nothing?type=a')).status).toBe(404);
  });

  it('of the two that need no authentication, health alone ignores its query', async () => {
    expect((await caller(sim)('GET', '/_sim/health?type=a&type=b')).body).toMatchObject({ status: 'ok' });
    const document = await caller(sim)('GET', '/_sim/openapi.json?colour=red');
    expect([document.status, Object.keys(document.body.errors ?? {})]).toEqual([422, ['colour']]);
  });
});

it('of very many unknown fields a refusal tells the first hundred', async () => {
  const body = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n]));
  const answer = await shop.call('POST', '/_sim/keys', body);
  expect(answer.status).toBe(422);
  expect(answer.body.message).toBe('The k0 field is not known. Available: scopes, name. (and 99 more errors)');
  expect(Object.keys(answer.body.errors)).toEqual(Array.from({ length: 100 }, (_, n) => `k${n}`));
});

it.each([
  ['POST', '/_sim/clock/freeze', { at: '2030-01-01' }, 'at'],
  ['POST', '/_sim/contracts/{reference}/installments/1/settle', { amount: 100 }, 'amount'],
  ['POST', '/_sim/reset', { seed: 5 }, 'seed'],
] as const)('interface §13: %s %s takes no body, so it refuses a field', async (method, path, body, field) => {
  const call = path === '/_sim/reset' ? workspace : shop.call;
  const answer = await call(method, real(path), body);
  expect([answer.status, answer.body.errors]).toEqual([422, { [field]: [`The ${field} field is not known.`] }]);
});
