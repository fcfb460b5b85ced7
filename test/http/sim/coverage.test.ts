import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { BLOCK_REASONS, type BlockReason } from '../../../src/domain/availability.ts';
import type { SessionStatus } from '../../../src/domain/session.ts';
import { createSimulator, type SandboxShop, type Shop } from '../../../src/index.ts';
import { SITUATIONS } from '../../../src/operations/coverage.ts';
import { SERVICE_OPERATIONS } from '../../../src/operations/index.ts';
import { addressOf, type Operation } from '../../../src/operations/operation.ts';
import { openReceiver } from '../../support/receiver.ts';
import { type Call, caller, manualTime, order } from '../../support/shop.ts';

const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
afterAll(() => sim.close());

/** A store, which speaks for itself, and the levers of whoever tests it. */
interface Told {
  readonly shop: SandboxShop;
  readonly store: Call;
}

let told: Told;
beforeEach(async () => {
  const shop = await sim.merchant();
  told = { shop, store: caller(sim, { ...shop.headers }) };
});

const met = async (shop: Shop, id: string) =>
  (await shop.coverage()).situations.find((situation) => situation.id === id);
const metIds = async (shop: Shop) =>
  (await shop.coverage()).situations.filter((situation) => situation.met > 0).map(({ id }) => id);

test('interface §9: without a request log, the first occurrence of a request has no id', async () => {
  await using unlogged = await createSimulator({ requestLog: false });
  await caller(unlogged, { ...unlogged.default.headers })('POST', '/v1/sessions', order());
  const { situations, findings } = await unlogged.default.coverage();
  const first = { at: expect.any(String), kind: 'request', id: null };
  expect(situations.find(({ id }) => id === 'operations.createSession')).toMatchObject({ met: 1, first });
  expect(findings.find(({ rule }) => rule === 'create-without-key')).toMatchObject({ first });
  expect((await unlogged.coverage()).findings[0]).toMatchObject({ first });
});

let orders = 0;
const open = async ({ store }: Told, changes: object = {}, headers: Record<string, string> = {}) => {
  orders += 1;
  return store('POST', '/v1/sessions', order({ order_reference: `A-${orders}`, ...changes }), headers);
};
const opened = async (of: Told) => (await open(of)).body.data.id as string;

/** A request to an operation that nothing is wrong with, as far as what it names exists. */
async function send(of: Told, { operationId, method, path }: Operation, named?: string, body?: object) {
  const contract = async () => (await of.shop.contracts.create({})).reference;
  const id = named ?? (path.includes('{reference}') ? await contract() : path.includes('{id}') ? await opened(of) : '');
  const sent = body ?? (operationId === 'createSession' ? order() : operationId === 'updateContract' ? {} : undefined);
  return of.store(method, addressOf({ path }, { id, reference: id }), sent);
}

/** A refused connection is what a store gets, too. */
const attempt = async (work: Promise<unknown>) => void (await work.catch(() => null));

type Reach = (of: Told) => Promise<unknown>;

const BLOCKED: Readonly<Record<BlockReason, (shop: SandboxShop) => Promise<unknown>>> = {
  platform_disabled: () => sim.platform.set({ disabled: true }),
  merchant_overridden: (shop) => shop.assumptions.set({ layaway_overridden: true }),
  state_unavailable: () => sim.platform.set({ unavailable_states: ['TX'] }),
  state_excluded: (shop) => shop.assumptions.set({ excluded_states: ['TX'] }),
  merchant_disabled: (shop) => shop.assumptions.set({ layaway_enabled: false }),
  merchant_inactive: (shop) => shop.assumptions.set({ layaway_activated: false }),
};

const REFUSED: Readonly<Record<number, (operation: Operation) => Reach>> = {
  400: () => (of) => open(of, {}, { 'idempotency-key': 'k'.repeat(256) }),
  401: (operation) => (of) => {
    const headers = { ...of.shop.headers, 'x-api-key': `sk_test_${'0'.repeat(32)}` };
    return send({ ...of, store: caller(sim, headers) }, operation, 'any');
  },
  403: (operation) => async (of) => {
    await of.shop.assumptions.set({ clearance: 'in_review' });
    await send(of, operation, 'any');
  },
  404: (operation) => (of) => send(of, operation, 'nobody'),
  409: () => async (of) => {
    for (const total_amount of [20_000, 30_000]) await open(of, { total_amount }, { 'idempotency-key': 'one' });
  },
  422: (operation) => (of) =>
    operation.operationId === 'listContracts'
      ? of.store('GET', '/v1/contracts?page=0')
      : send(of, operation, undefined, { order_reference: '' }),
  429: (operation) => async (of) => {
    await of.shop.faults.add({ kind: 'throttled', operation: operation.operationId as 'ping' });
    await send(of, operation, 'any');
  },
};

const SESSIONS: Readonly<Record<SessionStatus, (shop: SandboxShop, id: string) => Promise<unknown>>> = {
  pending: async () => null,
  decision_made: (shop, id) => shop.sessions.accept(id, CUSTOMER),
  completed: (shop, id) => shop.sessions.complete(id),
  cancelled: (shop, id) => shop.sessions.cancel(id),
  expired: (shop, id) => shop.clock.advance({ until: `${id}=expired` }),
};
const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };

/** What leads to an event, beside a receiver. */
const EVENTS: Readonly<Record<string, Reach>> = {
  'session.decision_made': async (of) => of.shop.sessions.accept(await opened(of), CUSTOMER),
  'session.completed': async (of) => of.shop.sessions.complete(await opened(of)),
  'session.cancelled': async (of) => of.shop.sessions.cancel(await opened(of)),
  'session.expired': async (of) => of.shop.clock.advance({ until: `${await opened(of)}=expired` }),
  'contract.activated': ({ shop }) => shop.contracts.create({}),
  'contract.completed': ({ shop }) => shop.contracts.create({ status: 'completed' }),
  'contract.cancelled': async ({ shop }) => shop.contracts.cancel((await shop.contracts.create({})).reference),
  'contract.defaulted': ({ shop }) => shop.contracts.create({ status: 'defaulted' }),
  'installment.paid': ({ shop }) => shop.contracts.create({ status: 'completed' }),
  'installment.payment_failed': ({ shop }) => shop.contracts.create({ installment: { number: 1, status: 'past_due' } }),
  'installment.past_due': ({ shop }) => shop.contracts.create({ installment: { number: 1, status: 'past_due' } }),
  'installment.delinquent': ({ shop }) => shop.contracts.create({ installment: { number: 1, status: 'delinquent' } }),
};

/** Makes something happen while a receiver that answers 2xx listens. */
const heard =
  (reach: (of: Told, endpoint: string) => Promise<unknown>): Reach =>
  async (of) => {
    await using receiver = await openReceiver();
    const { id } = await of.shop.webhooks.add(receiver.url);
    await reach(of, id);
    await of.shop.clock.advance('0s');
  };

const read = async (of: Told, contract: object) => {
  const { reference } = await of.shop.contracts.create(contract);
  await of.store('GET', `/v1/contracts/${reference}`);
};

const OTHERS: Readonly<Record<string, Reach>> = {
  'refusals.no-answer': async (of) => {
    await of.shop.faults.add({ kind: 'lost_answer' });
    await attempt(of.store('GET', '/v1/ping'));
  },
  'refusals.5xx': async (of) => {
    await of.shop.faults.add({ kind: 'error' });
    // No description has such an answer.
    await attempt(of.store('GET', '/v1/ping'));
  },
  'idempotency.key': (of) => open(of, {}, { 'idempotency-key': 'one' }),
  'idempotency.replay': async (of) => {
    for (let n = 0; n < 2; n += 1) await open(of, { order_reference: 'A-1' }, { 'idempotency-key': 'one' });
  },
  'idempotency.retry-after-lost-answer': async (of) => {
    await of.shop.faults.add({ kind: 'lost_answer', operation: 'createSession' });
    await attempt(open(of, { order_reference: 'A-1' }, { 'idempotency-key': 'one' }));
    await open(of, { order_reference: 'A-1' }, { 'idempotency-key': 'one' });
  },
  'contracts.installment.upcoming': (of) => read(of, {}),
  'contracts.installment.due': (of) => read(of, { status: 'pending' }),
  'contracts.installment.paid': (of) => read(of, {}),
  'contracts.installment.past_due': (of) => read(of, { installment: { number: 1, status: 'past_due' } }),
  'contracts.installment.delinquent': (of) => read(of, { installment: { number: 1, status: 'delinquent' } }),
  'contracts.second-page': async (of) => {
    for (let n = 0; n < 16; n += 1) await of.shop.contracts.create({ order_reference: `P-${n}` });
    await of.store('GET', '/v1/contracts?page=2');
  },
  'webhooks.webhook.test': heard(({ shop }, id) => shop.webhooks.test(id)),
  'webhooks.retry': heard(async ({ shop }) => {
    await shop.faults.add({ kind: 'lost' });
    await shop.contracts.create({});
    await shop.clock.advance('1m');
  }),
  'webhooks.duplicate': heard(async (of) => {
    await of.shop.faults.add({ kind: 'duplicate' });
    await of.shop.contracts.create({});
  }),
  'webhooks.out-of-order': heard(async (of) => {
    await of.shop.faults.add({ kind: 'reordered' });
    await of.shop.contracts.create({});
    await of.shop.clock.advance('1m');
  }),
  'webhooks.two-signatures': heard(async ({ shop }, id) => {
    await shop.webhooks.rotate(id);
    await shop.webhooks.test(id);
  }),
  'webhooks.after-outage': heard(async ({ shop }) => {
    await shop.faults.add({ kind: 'delayed', by: '3d' });
    await shop.contracts.create({});
    await shop.clock.advance('3d');
  }),
};

/** What reaches a situation, as its `how` says. */
function reachOf(id: string): Reach {
  const other = OTHERS[id];
  if (other) return other;
  const [group, ...rest] = id.split('.');
  const what = rest.join('.');
  const operation = SERVICE_OPERATIONS.find(({ operationId }) => operationId === rest[0]) as Operation | undefined;
  if (group === 'operations' && operation) return (of) => send(of, operation);
  if (group === 'sessions') {
    return async (of) => {
      const session = await opened(of);
      await SESSIONS[what as SessionStatus](of.shop, session);
      await of.store('GET', `/v1/checkout-sessions/${session}`);
    };
  }
  if (group === 'contracts') return (of) => read(of, { status: what });
  if (group === 'webhooks') return heard(EVENTS[what] as Reach);
  const [, status, detail] = rest;
  if (detail !== undefined && status === '403') {
    return async (of) => {
      await BLOCKED[detail as BlockReason](of.shop);
      await open(of);
      await sim.platform.set({ disabled: false, unavailable_states: ['DC', 'MD'] });
    };
  }
  if (detail !== undefined) {
    return async (of) => {
      const { reference } = await of.shop.contracts.create({ status: detail as 'completed' });
      await of.store('POST', `/v1/contracts/${reference}/cancel`);
    };
  }
  return REFUSED[Number(status)]?.(operation as Operation) as Reach;
}

describe('interface §9: every situation is reached as the table says, and says what showed it first', () => {
  test.each(SITUATIONS)('$id', async ({ id, group }) => {
    expect(await met(told.shop, id)).toMatchObject({ met: 0, first: null });
    const reach = reachOf(id);
    expect(reach, 'what reaches it is not written here').toBeDefined();
    await reach(told);
    const shows = group === 'webhooks' ? 'delivery' : 'request';
    const reached = await met(told.shop, id);
    expect(reached?.met, `only ${await metIds(told.shop)}`).toBeGreaterThan(0);
    expect(reached?.first).toMatchObject({ kind: shows, at: expect.stringMatching(/^2026-01-0/) });
    const { id: first } = reached?.first ?? {};
    const log =
      shows === 'request' ? await told.shop.logs.get(first ?? '') : await told.shop.webhooks.delivery(first ?? '');
    expect(log.id).toBe(first);
  });
});

test('interface §9: the groups and what they hold, at least', () => {
  const ids = SITUATIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(
    expect.arrayContaining([
      ...['operations.createSession', 'refusals.createSession.409', 'refusals.createSession.403.state_excluded'],
      ...['idempotency.replay', 'sessions.expired', 'contracts.defaulted', 'contracts.installment.past_due'],
      ...['webhooks.contract.cancelled', 'webhooks.duplicate', 'webhooks.after-outage'],
      ...BLOCK_REASONS.map((reason) => `refusals.createSession.403.${reason}`),
      ...['pending', 'completed', 'defaulted'].map((status) => `refusals.cancelContract.422.${status}`),
    ]),
  );
  expect(ids.filter((id) => /getHostedSession|413|415/.test(id))).toEqual([]);
});

describe('interface §9: what a delivery shows besides its type', () => {
  /** What a receiver with that script has met, with how often, after `work` and `later`. */
  async function besides(
    script: readonly number[],
    work: (of: Told, endpoint: string) => Promise<unknown>,
    later: string,
  ) {
    await using receiver = await openReceiver(script);
    const { id } = await told.shop.webhooks.add(receiver.url);
    await work(told, id);
    await told.shop.clock.advance(later);
    const { situations } = await told.shop.coverage();
    const shown = situations.filter(({ id: each, met: times }) => times > 0 && /^webhooks\.[a-z-]+$/.test(each));
    return Object.fromEntries(shown.map(({ id: each, met: times }) => [each.slice('webhooks.'.length), times]));
  }
  const buys = ({ shop }: Told) => shop.contracts.create({});

  test('each event once, in order and at once: nothing', async () => {
    expect(await besides([], buys, '1d')).toEqual({});
  });

  test('an attempt after one that failed is a retry, and no duplicate', async () => {
    expect(await besides([500], ({ shop }, id) => shop.webhooks.test(id), '1m')).toEqual({ retry: 1 });
  });

  test('an attempt after one whose response was lost is a duplicate, too', async () => {
    const loses = async ({ shop }: Told, id: string) => {
      await shop.faults.add({ kind: 'lost_ack' });
      await shop.webhooks.test(id);
    };
    expect(await besides([], loses, '1m')).toEqual({ retry: 1, duplicate: 1 });
  });

  test('an attempt after one that was refused is no duplicate, even if the refusal was lost', async () => {
    const loses = async ({ shop }: Told, id: string) => {
      await shop.faults.add({ kind: 'lost_ack' });
      await shop.webhooks.test(id);
    };
    expect(await besides([500], loses, '1m')).toEqual({ retry: 1 });
  });

  test('an event that is sent again is a duplicate, and neither a retry nor out of order', async () => {
    const resends = async ({ shop }: Told) => {
      await shop.contracts.create({});
      const [, event] = await shop.events.list();
      await shop.events.resend(event?.id ?? '');
    };
    expect(await besides([], resends, '1m')).toEqual({ duplicate: 1 });
  });

  test('every event after a newer one is out of order', async () => {
    const delays = async ({ shop }: Told, id: string) => {
      await shop.webhooks.test(id);
      await shop.faults.add({ kind: 'delayed', by: '1h', times: 2 });
      await shop.contracts.create({});
    };
    expect(await besides([], delays, '1h')).toEqual({ 'out-of-order': 2 });
  });
});

test('interface §9: a retry after a server error does not count as one after a lost response', async () => {
  await told.shop.faults.add({ kind: 'error', operation: 'createSession' });
  const retry = () => open(told, { order_reference: 'A-1' }, { 'idempotency-key': 'one' });
  await attempt(retry());
  await retry();
  expect(await metIds(told.shop)).toEqual(['operations.createSession', 'refusals.5xx', 'idempotency.key']);
});

describe('interface §9: what counts', () => {
  test('each meeting counts, the first stays; sums by group and a percentage rounded down', async () => {
    const { shop, store } = told;
    const before = await shop.coverage();
    expect(before).toMatchObject({ met: 0, total: SITUATIONS.length, percent: 0, findings: [] });
    for (let n = 0; n < 3; n += 1) await store('GET', '/v1/ping');
    await shop.clock.advance('1d');
    await store('GET', '/v1/ping');
    expect(await met(shop, 'operations.ping')).toMatchObject({
      met: 4,
      first: { kind: 'request', at: '2026-01-01T00:00:00.000000Z', id: expect.stringMatching(/^req_/) },
    });
    const { met: count, total, percent, groups } = await shop.coverage();
    expect([count, percent]).toEqual([1, Math.floor(1000 / total) / 10]);
    expect(groups[0]).toEqual({ id: 'operations', title: 'Operations that succeeded', met: 1, total: 8 });
    expect(groups.reduce((sum, group) => sum + group.total, 0)).toBe(total);
  });

  test('a request that shows something new counts for what was known, too', async () => {
    await open(told);
    await open(told, {}, { 'idempotency-key': 'one' });
    expect(await met(told.shop, 'operations.createSession')).toMatchObject({ met: 2 });
    expect(await met(told.shop, 'idempotency.key')).toMatchObject({ met: 1 });
  });

  test('a request of a tool counts for nothing: neither commands nor a test’s own levers are the store', async () => {
    const { shop, store } = told;
    await store('GET', '/v1/ping', undefined, { 'x-layaway-tool': '1' });
    await shop.v1.ping();
    await shop.sessions.create(order());
    expect(await shop.coverage()).toMatchObject({ met: 0, findings: [] });
    await store('GET', '/v1/ping', undefined, { 'x-layaway-tool': '0' });
    expect(await metIds(shop)).toEqual(['operations.ping']);
  });

  test('a request that failed to authenticate counts for the account whose client id it named; accounts are apart', async () => {
    const other = await sim.merchant();
    const headers = { 'x-client-id': told.shop.clientId, 'x-api-key': other.apiKey };
    expect((await caller(sim, headers)('GET', '/v1/ping')).status).toBe(401);
    await caller(sim, { 'x-api-key': other.apiKey })('GET', '/v1/ping');
    expect(await metIds(told.shop)).toEqual(['refusals.ping.401']);
    for (const shop of [other, other.live, told.shop.live]) expect(await metIds(shop)).toEqual([]);
  });

  test('what a fault answers is what the store has met, not what was done', async () => {
    const { shop } = told;
    for (const kind of ['lost_answer', 'cut_answer', 'lost_request', 'late_error'] as const) {
      await shop.faults.add({ kind });
      await attempt(open(told, {}, { 'idempotency-key': kind }));
    }
    expect(await metIds(shop)).toEqual(['refusals.no-answer', 'refusals.5xx']);
    expect(await met(shop, 'refusals.no-answer')).toMatchObject({ met: 3 });
  });

  test('cut_answer does not cut the response to a HEAD, so the store has met it', async () => {
    const { shop, store } = told;
    await shop.faults.add({ kind: 'cut_answer' });
    expect((await store('HEAD', '/v1/ping')).status).toBe(200);
    expect(await metIds(shop)).toEqual(['operations.ping']);
  });

  test('a HEAD succeeds, but reads neither a status nor a page: its response has no body', async () => {
    const { shop, store } = told;
    const id = await opened(told);
    for (let n = 0; n < 16; n += 1) await shop.contracts.create({});
    await shop.sessions.complete(id);
    await store('HEAD', `/v1/checkout-sessions/${id}`);
    await store('HEAD', '/v1/contracts?page=2');
    await shop.clock.advance('1h');
    const { findings } = await shop.coverage();
    expect(findings.map(({ rule }) => rule)).toContain('redirect-trusted');
    expect(await metIds(shop)).toEqual([
      ...['operations.createSession', 'operations.getCheckoutSession', 'operations.listContracts'],
    ]);
  });

  test('a client that leaves before a slow response comes got none; one that waits got it', async () => {
    const { shop } = told;
    const asked = async (signal: AbortSignal | null) => {
      const headers = { ...shop.headers, 'content-type': 'application/json', 'idempotency-key': 'one' };
      const answer = await fetch(`${sim.url}/v1/sessions`, {
        ...{ method: 'POST', headers, signal, body: JSON.stringify(order({ order_reference: 'A-1' })) },
      });
      await answer.arrayBuffer();
    };
    await shop.faults.add({ kind: 'slow', delay_ms: 60_000 });
    const left = new AbortController();
    const lost = attempt(asked(left.signal));
    await expect.poll(async () => (await shop.sessions.list()).length).toBe(1);
    expect(await metIds(shop)).toEqual([]);
    left.abort();
    await lost;
    await expect.poll(() => metIds(shop)).toEqual(['refusals.no-answer']);
    const { first } = (await met(shop, 'refusals.no-answer')) ?? {};
    expect(await shop.logs.get(first?.id ?? '')).toMatchObject({ status: 201, fault: { kind: 'slow' } });

    await shop.faults.add({ kind: 'slow', delay_ms: 1 });
    await asked(null);
    expect(await met(shop, 'refusals.no-answer')).toMatchObject({ met: 1 });
    expect(await metIds(shop)).toEqual([
      ...['operations.createSession', 'refusals.no-answer'],
      ...['idempotency.key', 'idempotency.replay', 'idempotency.retry-after-lost-answer'],
    ]);
  });

  test('a key that was kept after a lost response and a server error was kept after a lost response', async () => {
    const { shop } = told;
    await shop.faults.add({ kind: 'lost_answer', operation: 'createSession' });
    await shop.faults.add({ kind: 'error', operation: 'createSession' });
    const headers = { ...shop.headers, 'content-type': 'application/json', 'idempotency-key': 'one' };
    const body = JSON.stringify(order({ order_reference: 'A-1' }));
    const asked = async () => (await fetch(`${sim.url}/v1/sessions`, { method: 'POST', headers, body })).arrayBuffer();
    await attempt(asked());
    await asked();
    expect(await metIds(shop)).not.toContain('idempotency.retry-after-lost-answer');
    await asked();
    expect(await metIds(shop)).toContain('idempotency.retry-after-lost-answer');
  });

  test('a key that was kept after a server error only, whatever was lost under another key, was not', async () => {
    const { shop } = told;
    await shop.faults.add({ kind: 'lost_answer', operation: 'createSession' });
    await shop.faults.add({ kind: 'error', operation: 'createSession' });
    await attempt(open(told, { order_reference: 'A-1' }, { 'idempotency-key': 'one' }));
    // No description has such an answer.
    await attempt(open(told, { order_reference: 'A-1' }, { 'idempotency-key': 'two' }));
    await open(told, { order_reference: 'A-1' }, { 'idempotency-key': 'two' });
    expect(await metIds(shop)).toContain('idempotency.key');
    expect(await metIds(shop)).not.toContain('idempotency.retry-after-lost-answer');
  });

  test('a reset while a slow response waits: the request belongs to another state, and counts for nothing', async () => {
    const time = manualTime();
    const own = await createSimulator({ seed: 2, time });
    const shops = [own.default, await own.merchant()];
    const slow = [];
    for (const shop of shops) {
      await shop.faults.add({ kind: 'slow', delay_ms: 60_000 });
      slow.push(caller(own, { ...shop.headers })('GET', '/v1/ping'));
      await expect.poll(async () => (await shop.faults.list())[0]?.met).toBe(1);
    }
    await own.reset();
    time.pass(60_000);
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await own.default.coverage()).toMatchObject({ met: 0 });
    await own.close();
  });

  test('DELETE forgets it, for this account alone', async () => {
    const other = await sim.merchant();
    await caller(sim, { ...other.headers })('GET', '/v1/ping');
    await open(told);
    expect((await told.shop.coverage()).findings.map(({ rule }) => rule)).toEqual(['create-without-key']);
    expect((await told.store('DELETE', '/_sim/coverage')).status).toBe(204);
    expect(await told.shop.coverage()).toMatchObject({ met: 0, findings: [] });
    expect(await metIds(other)).toEqual(['operations.ping']);
    await told.store('GET', '/v1/ping');
    expect(await metIds(told.shop)).toEqual(['operations.ping']);
  });

  test('the sum over all accounts is behind the control token', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const shop = await own.merchant();
    const [one, two] = [caller(own, { ...own.default.headers }), caller(own, { ...shop.headers })];
    await one('GET', '/v1/ping');
    await two('GET', '/v1/ping');
    await two('GET', '/v1/config');
    expect((await one('GET', '/_sim/coverage/all')).status).toBe(401);
    await two('GET', '/v1/ping');
    const sum = await own.coverage();
    expect(sum.situations.filter((each) => each.met > 0).map(({ id, met }) => [id, met])).toEqual([
      ['operations.ping', 3],
      ['operations.getConfig', 1],
    ]);
    const config = sum.situations.find(({ id }) => id === 'operations.getConfig');
    expect(config?.first).toMatchObject({ client_id: shop.clientId });
    const alone = await own.default.coverage();
    expect(alone).toMatchObject({ met: 1 });
    expect(alone.situations[0]?.first).toMatchObject({ client_id: null });
  });

  test('a snapshot keeps it, a restore brings it back, a reset clears it', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const store = caller(own, { ...own.default.headers });
    for (let n = 0; n < 2; n += 1) await store('GET', '/v1/ping');
    await own.snapshots.save('then');
    await store('GET', '/v1/ping');
    await store('GET', '/v1/config');
    await own.snapshots.restore('then');
    expect(await metIds(own.default)).toEqual(['operations.ping']);
    expect(await met(own.default, 'operations.ping')).toMatchObject({ met: 2 });
    await store('GET', '/v1/config');
    expect(await metIds(own.default)).toEqual(['operations.ping', 'operations.getConfig']);
    // Not written yet when the reset comes.
    await store('GET', '/v1/ping');
    await own.reset();
    await store('GET', '/v1/ping');
    expect(await met(own.default, 'operations.ping')).toMatchObject({ met: 1 });
    expect(await metIds(own.default)).toEqual(['operations.ping']);
  });

  test('it is kept over a restart, to the last count', async () => {
    const data = mkdtempSync(join(tmpdir(), 'coverage-'));
    const first = await createSimulator({ data });
    for (let n = 0; n < 3; n += 1) await caller(first, { ...first.default.headers })('GET', '/v1/ping');
    const before = await first.default.coverage();
    await caller(first, { ...first.default.headers })('GET', '/v1/ping');
    await first.close();
    await using second = await createSimulator({ data });
    expect(await met(second.default, 'operations.ping')).toMatchObject({
      met: 4,
      first: before.situations[0]?.first,
    });
  });

  test('a forged webhook that was answered with 2xx puts no earlier event out of order', async () => {
    const { shop } = told;
    await using receiver = await openReceiver([500]);
    const { id } = await shop.webhooks.add(receiver.url);
    await shop.webhooks.test(id);
    await shop.webhooks.test(id, { forged: true });
    await shop.clock.advance('1h');
    expect(receiver.received).toHaveLength(3);
    const ids = await metIds(shop);
    expect(ids).toContain('webhooks.retry');
    expect(ids).not.toContain('webhooks.out-of-order');
  });

  test('after a restart, a webhook is out of order as before it, although an older event was sent again', async () => {
    await using receiver = await openReceiver([200, 500]);
    const data = mkdtempSync(join(tmpdir(), 'coverage-'));
    const first = await createSimulator({ data, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const { webhooks, clock, events, coverage } = first.default;
    const { id } = await webhooks.add(receiver.url);
    for (let n = 0; n < 3; n += 1) await webhooks.test(id);
    const [oldest] = (await events.list()).toReversed();
    await events.resend(oldest?.id ?? '');
    await clock.advance('0s');
    expect(receiver.received).toHaveLength(4);
    expect((await coverage()).situations).toContainEqual(
      expect.objectContaining({ id: 'webhooks.out-of-order', met: 0 }),
    );
    await first.close();
    await using second = await createSimulator({ data });
    await second.default.clock.advance('1m');
    expect(await met(second.default, 'webhooks.out-of-order')).toMatchObject({ met: 1 });
  });
});
