import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { exchange } from '../../src/exchange.ts';
import {
  createSimulator,
  runScenario,
  type SandboxShop,
  type Simulator,
  type SimulatorOptions,
} from '../../src/index.ts';
import { endContract } from '../../src/operations/contracts.ts';
import { CONTROL_OPERATIONS } from '../../src/operations/index.ts';
import { openSession } from '../../src/operations/sessions.ts';
import { interpolate, place } from '../../src/scenario/interpolate.ts';
import { PLAYED } from '../../src/trace/lever-steps.ts';
import { scenarioOf, unmadeIn } from '../../src/trace/scenario.ts';
import { caller, manualTime, order } from '../support/shop.ts';
import { liveThrough } from '../support/stories.ts';

const seed = Number(process.env.WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const clock = { frozenAt: '2026-01-01T00:00:00Z' };
const problems = (report: Awaited<ReturnType<typeof runScenario>>) =>
  report.steps
    .filter(({ status }) => status === 'failed')
    .map(({ does, problem, differences }) => ({ does, problem, differences }));

/** The scenario of the whole trace and that of the contract alone name nothing that they do not make, and pass. */
async function expectToPlay(document: Awaited<ReturnType<Simulator['trace']>>, reference: string) {
  for (const contract of [null, reference]) {
    const scenario = scenarioOf(document, contract);
    expect(unmadeIn(document, scenario)).toEqual([]);
    expect(problems(await runScenario(scenario, {})), `${contract}`).toEqual([]);
  }
}

/** The levers that a scenario of a trace does not repeat. */
const NOT_REPEATED = [
  // The clock moves to where the next step was made.
  ...['advanceClock', 'stopAdvance', 'freezeClock', 'resumeClock'],
  // A scenario of a trace has no webhook endpoint.
  ...['createWebhookEndpoint', 'updateWebhookEndpoint', 'deleteWebhookEndpoint', 'rotateWebhookSecret'],
  ...['testWebhookEndpoint', 'resendEvent', 'reportDelivery', 'sendToReceiver'],
  // Each request that a fault struck has a step that adds that fault.
  ...['addFault', 'removeFault', 'clearFaults'],
  // They are about no plan, or about the whole workspace.
  ...['createKey', 'revokeKey', 'createMerchant', 'deleteMerchant', 'clearCoverage', 'createDashboardLink'],
  ...['saveSnapshot', 'saveAutomaticSnapshot', 'restoreSnapshot', 'deleteSnapshot', 'reset'],
];

test('interface §11: every lever has its step in the scenario of a trace, or needs none', () => {
  const levers = CONTROL_OPERATIONS.filter(({ method }) => method !== 'GET').map(({ operationId }) => operationId);
  const unplayed = levers.filter((id) => !Object.hasOwn(PLAYED, id));
  expect(unplayed.sort(), 'Give its step in trace/lever-steps.ts, or name it in NOT_REPEATED').toEqual(
    NOT_REPEATED.sort(),
  );
});

test(`interface §11: the scenario of a trace passes, whatever the story, WALK_SEED=${seed}`, {
  timeout: 180_000,
}, async () => {
  for (let story = 0; story < 6; story += 1) {
    await using sim = await createSimulator({ clock, rateLimit: 'off' });
    // Not one of these is what it is by default, and the story changes them.
    const shop = await sim.merchant({
      ...{ state: 'NY', dba: 'First', grace_days: 3, default_days: 8, collection_retry_hours: 20 },
      ...{ installment_count: 3, session_ttl_minutes: 45, min_order_amount: 9_000, down_payment_percentage: 30 },
    });
    await liveThrough(shop, seed + story, 40);
    const scenario = scenarioOf(await sim.trace(), null);
    expect(scenario.steps.length).toBeGreaterThan(5);
    const report = await runScenario(scenario, {});
    expect(problems(report), `WALK_SEED=${seed + story}`).toEqual([]);
    expect(report.status).toBe('passed');
    expect(report.steps.flatMap(({ events }) => events)).toEqual(
      (await shop.events.list({ limit: 1000 })).toReversed().map(({ type }) => type),
    );
  }
});

test('takes no longer for each request the more events there are', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 'off' });
  const shop = sim.default;
  await shop.contracts.create({ days_ago: 0 });
  await shop.clock.advance('14d');
  for (let n = 0; n < 1_900; n += 1) await shop.v1.ping();
  const document = await sim.trace();
  const { columns, rows } = document.tables.events ?? { columns: [], rows: [] };
  const last = rows.at(-1) ?? [];
  // Later than the clock, so that no step passes them.
  const later = last.map((cell, index) => (columns[index] === 'created_at' ? Number(cell) + 1e9 : cell));
  const events = { columns, rows: [...rows, ...Array.from({ length: 300_000 }, () => later)] };
  const begun = process.cpuUsage();
  const scenario = scenarioOf({ ...document, tables: { ...document.tables, events } }, null);
  const { user } = process.cpuUsage(begun);
  expect(user / 1000).toBeLessThan(3_000);
  expect(scenario).toEqual(scenarioOf(document, null));
});

test('a read whose response came when the clock had moved on is played at the instant at which it was carried out', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 'off' });
  const shop = sim.default;
  const { id } = await shop.v1.createSession(order());
  const { reference } = await shop.sessions.complete(id);
  await shop.faults.add({ kind: 'slow', operation: 'getContract' });
  const read = shop.v1.getContract(reference);
  await vi.waitFor(async () => expect(await shop.faults.list()).toMatchObject([{ met: 1 }]));
  await shop.clock.advance({ until: `${reference}=completed` });
  expect((await read).status).toBe('active');

  const scenario = scenarioOf(await sim.trace(), null);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

/** The order references that a scenario sends. */
const sentIn = ({ steps }: ReturnType<typeof scenarioOf>) =>
  steps.flatMap(({ request }) => {
    const { order_reference: sent } = (request as { body?: { order_reference?: string } } | undefined)?.body ?? {};
    return sent ?? [];
  });

test.each([
  ['restore', undefined, ['FIRST', 'SECOND']],
  ['restore', 7, ['FIRST', 'SECOND']],
  ['reset', undefined, ['SECOND']],
  ['reset', 7, ['SECOND']],
] as const)('after a %s, with the seed %s: only what led to the present state', async (undone, seed, sent) => {
  await using sim = await createSimulator({ clock, rateLimit: 'off', ...(seed === undefined ? {} : { seed }) });
  const shop = sim.default;
  await shop.v1.createSession(order({ order_reference: 'FIRST' }));
  await sim.snapshots.save('start');
  await shop.clock.advance('30d');
  await shop.v1.config();
  if (undone === 'restore') await sim.snapshots.restore('start');
  else await sim.reset();
  await shop.v1.createSession(order({ order_reference: 'SECOND' }));
  await shop.clock.advance('2h');

  const scenario = scenarioOf(await sim.trace(), null);
  expect(sentIn(scenario)).toEqual(sent);
  expect(scenario.steps.filter(({ request }) => request)).toHaveLength(sent.length);
  expect(scenario.steps.flatMap(({ advance }) => advance ?? [])).toEqual([{ to: '2026-01-01T02:00:00.000000Z' }]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('restores of earlier and later snapshots: each brings back what led to it', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 'off', seed: 7 });
  const ask = (name: string) => sim.default.v1.createSession(order({ order_reference: name }));
  const told = async () => sentIn(scenarioOf(await sim.trace(), null));
  await ask('1');
  await sim.snapshots.save('a');
  await ask('2');
  await sim.snapshots.restore('a');
  await ask('3');
  await sim.snapshots.save('b');
  await ask('4');
  expect(await told()).toEqual(['1', '3', '4']);
  await sim.snapshots.restore('a');
  expect(await told()).toEqual(['1']);
  await ask('5');
  await sim.snapshots.restore('b');
  await ask('6');
  expect(await told()).toEqual(['1', '3', '6']);
  await sim.reset();
  await ask('7');
  expect(await told()).toEqual(['7']);
  await sim.snapshots.restore('b');
  await ask('8');
  const document = await sim.trace();
  expect(sentIn(scenarioOf(document, null))).toEqual(['1', '3', '8']);

  await using opened = await createSimulator({ trace: document });
  expect(sentIn(scenarioOf(await opened.trace(), null))).toEqual(['1', '3', '8']);
});

test.each(['a file', 'memory'])(
  'in %s, a snapshot saved among requests knows which of them it holds',
  async (where) => {
    const data = mkdtempSync(join(tmpdir(), 'layaway-scenario-'));
    const sim = await createSimulator({ clock, rateLimit: 'off', seed: 7, ...(where === 'memory' ? {} : { data }) });
    try {
      const shop = sim.default;
      const names = Array.from({ length: 40 }, (_, n) => `A-${n}`);
      const ask = (name: string) => shop.v1.createSession(order({ order_reference: name }));
      await ask('before');
      await Promise.all([
        sim.snapshots.save('amid'),
        ...names.slice(0, 10).map(ask),
        pause().then(() => Promise.all(names.slice(10, 20).map(ask))),
      ]);
      await Promise.all(names.slice(20).map(ask));
      await sim.snapshots.restore('amid');
      // These draw the ids of those that the restore discarded.
      for (const name of names) await ask(`${name} after`);
      const held = (await shop.sessions.list({ limit: 1000 })).map(({ order_reference }) => order_reference);
      expect(sentIn(scenarioOf(await sim.trace(), null)).toSorted()).toEqual(held.toSorted());
    } finally {
      await sim.close();
      rmSync(data, { recursive: true, force: true });
    }
  },
);

test('a request with a wrong key is sent again, and refused again', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 'off' });
  const { default: shop } = sim;
  await sim.inject({ method: 'GET', url: '/v1/config', headers: { ...shop.headers, 'x-api-key': 'sk_test_wrong' } });
  await shop.v1.createSession(order());
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps.map(({ expect }) => (expect as { status?: number }).status)).toEqual([401, 201]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('a session that was opened with a query is opened so again, by its contract, too', async () => {
  await using sim = await createSimulator({ clock });
  const { headers, sessions } = sim.default;
  const created = await caller(sim, { ...headers })('POST', '/v1/sessions?src=cart', order());
  const { reference } = await sessions.complete(created.body.data.id);
  for (const contract of [null, reference]) {
    const scenario = scenarioOf(await sim.trace(), contract);
    expect(scenario.steps[0]).toMatchObject({ request: { method: 'POST', path: '/v1/sessions?src=cart' } });
    expect(problems(await runScenario(scenario, {}))).toEqual([]);
  }
});

test('a HEAD request is sent again, and expects no body', async () => {
  await using sim = await createSimulator({ clock });
  const { headers, sessions } = sim.default;
  const { id } = await sessions.create(order());
  const { reference } = await sessions.complete(id);
  const call = caller(sim, { ...headers });
  for (const path of [`/v1/checkout-sessions/${id}`, `/v1/contracts/${reference}`]) {
    expect((await call('HEAD', path)).status).toBe(200);
  }
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps.filter(({ request }) => (request as { method?: string })?.method === 'HEAD')).toHaveLength(2);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('requests that were refused for their number or their size are left out', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 2 });
  const call = caller(sim, sim.default.headers);
  const large = JSON.stringify(order({ metadata: { note: 'x'.repeat(2 ** 21) } }));
  const answers = [
    await call('POST', '/v1/sessions', large),
    await call('GET', '/v1/ping'),
    await call('GET', '/v1/ping'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([413, 200, 429]);
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps).toMatchObject([{ request: { path: '/v1/ping' }, expect: { status: 200 } }]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('a request with two idempotency keys, which no step sends, is left out', async () => {
  await using sim = await createSimulator({ clock });
  const headers = { ...sim.default.headers, 'content-type': 'application/json', 'idempotency-key': ['one', 'two'] };
  const url = `${sim.url}/v1/sessions`;
  const twice = await exchange({ method: 'POST', url, headers, body: JSON.stringify(order()), timeoutMs: 10_000 });
  expect(twice.status).toBe(400);
  await sim.default.v1.createSession(order());
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps).toMatchObject([{ request: { path: '/v1/sessions' }, expect: { status: 201 } }]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test.each([
  [null, null],
  ['', ''],
])('levers that were given %j for the customer are pulled again', async (customer_email, customer_state) => {
  await using sim = await createSimulator({ clock });
  const shop = sim.default;
  const call = caller(sim, { ...shop.headers });
  const body = order({ customer_email, customer_state, metadata: null });
  const answers = [
    await call('POST', '/_sim/sessions', { ...body, preview: true }),
    await call('POST', openSession.path, body),
    await call('POST', '/_sim/contracts', { customer_state }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps).toHaveLength(3);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('the session of a contract that a lever made is looked up', async () => {
  await using sim = await createSimulator({ clock });
  const shop = sim.default;
  await shop.v1.createSession(order());
  const { reference } = await shop.contracts.create({ status: 'completed', days_ago: 30 });
  const [session] = await shop.sessions.list();
  await shop.v1.createSession(order());
  expect((await shop.v1.getSession(session?.id ?? '')).status).toBe('completed');
  await expectToPlay(await sim.trace(), reference);
});

test('also if the next lever names it, with no request in between', async () => {
  await using sim = await createSimulator({ clock });
  const shop = sim.default;
  await shop.contracts.create({ status: 'pending' });
  const [session] = await shop.sessions.list();
  await shop.sessions.pay(session?.id ?? '');
  const document = await sim.trace();
  const scenario = scenarioOf(document, null);
  expect(unmadeIn(document, scenario)).toEqual([]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('a body that is not JSON is sent again to the letter, and refused again', async () => {
  await using sim = await createSimulator({ clock });
  await caller(sim, { ...sim.default.headers })('POST', '/v1/sessions', '{"order_reference": "A-1",}');
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps).toMatchObject([{ request: { body: '{"order_reference": "A-1",}' }, expect: { status: 422 } }]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('URLs with user info, which a trace does not hold, are sent without it', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 'off' });
  const urls = { return_url: 'https://ada:lace@shop.example/return', cancel_url: 'https://ada@shop.example/cancel' };
  await sim.default.v1.createSession(order(urls));
  await sim.default.sessions.create({ ...order(urls), order_reference: 'A-2' });
  const scenario = scenarioOf(await sim.trace(), null);
  expect(JSON.stringify(scenario)).toContain('"https://shop.example/return"');
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('idempotency keys and paths that held a secret are sent with a mark in its place', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 'off' });
  const { headers, apiKey } = sim.default;
  const call = caller(sim, headers);
  for (const key of [sim.controlToken, apiKey]) {
    await call('POST', '/v1/sessions', order({ order_reference: key }), { 'idempotency-key': key });
    await call('GET', `/v1/contracts/${key}`);
  }
  expect(problems(await runScenario(scenarioOf(await sim.trace(), null), {}))).toEqual([]);
});

test('with a contract: only its own story, which passes; an unknown one is refused', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 'off' });
  const shop = await sim.merchant();
  const first = await shop.sessions.create(order());
  const second = await shop.sessions.create(order({ order_reference: 'A-2' }));
  await shop.sessions.complete(first.id);
  const { reference } = await shop.sessions.complete(second.id);
  await shop.contracts.outcomes(reference, ['fail', 'fail']);
  await shop.clock.advance({ until: `${reference}#1=past_due` });
  await shop.contracts.settle(reference);
  const document = await sim.trace();
  const scenario = scenarioOf(document, reference);
  const text = JSON.stringify(scenario);
  expect(text).toContain('A-2');
  expect(text).not.toContain('A-1"');
  expect(text).toContain('installment.past_due');
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
  expect(() => scenarioOf(document, 'LAY-0000000000')).toThrow('contains no contract LAY-0000000000');
});

test('settings that changed on the way are first what they were, and change at their moments', async () => {
  await using sim = await createSimulator({
    clock,
    rateLimit: 'off',
    fixture: { platform: { unavailable_states: ['WA'] } },
  });
  const shop = await sim.merchant({ state: 'NY', dba: 'First', grace_days: 2, installment_count: 2 });
  const story = async () => {
    const { id } = await shop.v1.createSession(order());
    return (await shop.sessions.complete(id)).reference;
  };
  const first = await story();
  await shop.assumptions.set({ grace_days: 20, installment_count: 5, dba: 'Second' });
  await shop.assumptions.set({ grace_days: 30, default_days: 40 });
  const second = await story();
  await shop.contracts.outcomes(first, ['fail', 'fail']);
  await shop.contracts.outcomes(second, ['fail', 'fail']);
  await shop.clock.advance('20d');
  await shop.live.assumptions.set({ state: 'WA', installment_count: 9 });
  // Another merchant's settings are not of this story.
  await sim.default.assumptions.set({ state: 'CA', grace_days: 1 });
  await expect(story()).rejects.toThrow('not available in your state');
  await sim.platform.set({ unavailable_states: [] });
  const third = await story();
  await shop.assumptions.set({ clearance: 'in_review' });
  await expect(shop.v1.getContract(third)).rejects.toThrow('not cleared');
  await shop.assumptions.set({ clearance: 'cleared', account_status: 'closed' });
  await expect(shop.v1.getContract(third)).rejects.toThrow('not active');

  const document = await sim.trace();
  const { merchant, steps } = scenarioOf(document, null);
  expect(merchant).toEqual({ dba: 'First', state: 'NY', settings: { grace_days: 2, installment_count: 2 } });
  expect(steps.flatMap(({ settings, platform }) => settings ?? platform ?? [])).toEqual([
    { unavailable_states: ['WA'] },
    { grace_days: 20, installment_count: 5, dba: 'Second' },
    { grace_days: 30, default_days: 40 },
    { state: 'WA' },
    { unavailable_states: [] },
    { clearance: 'in_review' },
    { clearance: 'cleared', account_status: 'closed' },
  ]);
  expect(steps.filter(({ expect: it }) => (it as { status?: number } | undefined)?.status === 403)).toHaveLength(3);
  for (const contract of [null, first, second, third]) {
    expect(problems(await runScenario(scenarioOf(document, contract), {})), `${contract}`).toEqual([]);
  }
});

test('the merchant is told as far as it is not the default one', async () => {
  await using sim = await createSimulator({ clock });
  const nameless = await sim.merchant({ dba: null });
  for (const [shop, merchant] of [
    [sim.default, undefined],
    [nameless, { dba: null }],
  ] as const) {
    await shop.v1.ping();
    const scenario = scenarioOf(await sim.trace(), null);
    expect(scenario.merchant).toEqual(merchant);
    expect(problems(await runScenario(scenario, {}))).toEqual([]);
  }
});

test('a text that looks like a place is sent again to the letter', async () => {
  await using sim = await createSimulator({ clock });
  const shop = await sim.merchant();
  const metadata = { template: `Dear ${place('name')}, $${place('5')}` };
  const sent = order({ order_reference: place('order.id'), metadata });
  await shop.v1.createSession(sent);
  const scenario = scenarioOf(await sim.trace(), null);
  const [{ body }] = scenario.steps.flatMap(({ request }) => (request ? [request] : [])) as [{ body: object }];
  expect(interpolate(body, new Map())).toEqual(sent);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('so is a path, and an idempotency key', async () => {
  await using sim = await createSimulator({ clock });
  const shop = await sim.merchant();
  const url = `${sim.url}/v1/sessions`;
  const headers = { ...shop.headers, 'content-type': 'application/json', 'idempotency-key': place('key') };
  const body = JSON.stringify(order());
  await exchange({ method: 'POST', url, headers, body, timeoutMs: 10_000 });
  await exchange({ method: 'GET', url: `${sim.url}/v1/contracts?order=${place('x')}`, headers, timeoutMs: 10_000 });
  const scenario = scenarioOf(await sim.trace(), null);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('so is a key of the metadata, in which a scenario knows no places', async () => {
  await using sim = await createSimulator({ clock });
  const metadata = { [place('x'.repeat(37))]: 'A key of 40 characters' };
  await sim.default.v1.createSession(order({ metadata }));
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps).toMatchObject([{ request: { body: { metadata } } }]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('a contract of the fixture is missed by a step that its state refused', async () => {
  await using sim = await createSimulator({ clock, fixture: { contracts: [{ status: 'completed' }] } });
  const shop = sim.default;
  const [contract] = (await shop.contracts.list()).data;
  const reference = contract?.reference ?? '';
  await expect(shop.v1.cancelContract(reference)).rejects.toMatchObject({ status: 422 });
  const document = await sim.trace();
  expect(unmadeIn(document, scenarioOf(document, null))).toEqual([reference]);
});

test('the ids that a store keeps in its own fields are not looked for among the steps', async () => {
  await using sim = await createSimulator({ clock });
  const shop = sim.default;
  const { id } = await shop.v1.createSession(order());
  const { reference } = await shop.sessions.complete(id);
  await shop.v1.updateContract(reference, { order_reference: reference, metadata: { session: id } });
  await expectToPlay(await sim.trace(), reference);
});

test('nor are those of another account, which were not found, even if a fault took the response', async () => {
  await using sim = await createSimulator({ clock });
  const [own, other] = [sim.default, await sim.merchant()];
  const { reference } = await other.contracts.create();
  const call = caller(sim, { ...own.headers });
  const path = `/v1/contracts/${reference}`;
  await own.faults.add({ kind: 'lost_answer' });
  await call('GET', path).catch(() => undefined);
  expect((await call('GET', path)).status).toBe(404);
  const document = await sim.trace();
  const scenario = scenarioOf(document, null);
  expect(scenario.steps).toHaveLength(3);
  expect(unmadeIn(document, scenario)).toEqual([]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('while the service refuses the store, levers that it does not refuse are pulled as levers', async () => {
  await using sim = await createSimulator({ clock });
  const shop = await sim.merchant({ account_status: 'closed' });
  const call = caller(sim, { ...shop.headers });
  const open = async () => (await call('POST', openSession.path, order())).body.data.id;
  const first = (await shop.sessions.complete(await open())).reference;
  await shop.assumptions.set({ account_status: 'active' });
  const second = (await shop.sessions.complete(await open())).reference;
  await shop.assumptions.set({ clearance: 'in_review' });
  for (const reference of [first, second]) await call('POST', endContract.path.replace('{reference}', reference));
  const document = await sim.trace();
  const { steps } = scenarioOf(document, null);
  expect(steps.flatMap((step) => Object.keys(step)[0])).toEqual([
    ...['request', 'complete-checkout', 'settings', 'create-session', 'complete-checkout', 'settings'],
    ...['request', 'request'],
  ]);
  for (const contract of [null, first, second]) {
    expect(problems(await runScenario(scenarioOf(document, contract), {})), `${contract}`).toEqual([]);
  }
});

test('requests with a method that no step has, and those that broke off, are left out', async () => {
  await using sim = await createSimulator({ clock });
  const { headers, logs, v1 } = sim.default;
  const url = `${sim.url}/v1/sessions`;
  expect((await exchange({ method: 'PROPFIND', url, headers, timeoutMs: 10_000 })).status).toBe(405);
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = [
    'POST /v1/sessions HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Content-Length: 99',
  ];
  for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`);
  socket.write(`${head.join('\r\n')}\r\n\r\n{"order_reference`, () => socket.end());
  await vi.waitFor(async () => expect(await logs.list()).toMatchObject([{ method: 'POST' }, { method: 'PROPFIND' }]));
  await v1.createSession(order());
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps).toMatchObject([{ request: { path: '/v1/sessions' }, expect: { status: 201 } }]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('a clock that was advanced by more than one advance allows is advanced so again', async () => {
  await using sim = await createSimulator({ clock });
  const { clock: own, v1 } = sim.default;
  await v1.ping();
  await own.advance('P9Y');
  await own.advance('P9Y');
  await v1.ping();
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps.flatMap(({ advance }) => advance ?? [])).toEqual([
    { to: '2036-01-01T00:00:00.000000Z' },
    { to: '2044-01-01T00:00:00.000000Z' },
  ]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('moments that a running clock passes between requests are no steps, except at the end of a day', async () => {
  const time = manualTime('2026-01-01T23:59:58.200Z');
  await using sim = await createSimulator({ time });
  const { v1, clock: own } = sim.default;
  const { id } = await v1.createSession(order());
  time.pass(700);
  await v1.getSession(id);
  time.pass(200);
  await v1.ping();
  time.pass(900);
  await v1.ping();
  time.pass(900);
  await v1.ping();
  await own.advance('59m57s');
  time.pass(800);
  await v1.getSession(id);
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.steps.map((step) => step.advance ?? (step.request as { path: string }).path)).toEqual([
    ...['/v1/sessions', expect.stringContaining('/v1/checkout-sessions/'), '/v1/ping'],
    ...[{ to: '2026-01-02T00:00:00.000000Z' }, '/v1/ping', '/v1/ping'],
    ...[{ to: '2026-01-02T00:59:58.700000Z' }, expect.stringContaining('/v1/checkout-sessions/')],
  ]);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('a session is opened at its own instant if the clock later stops at its deadline', async () => {
  const manual = manualTime('2026-01-01T09:30:00.200Z');
  // Time passes between the opening of a session and its answer, too.
  const time = { ...manual, now: () => manual.now() + reads++ };
  let reads = 0;
  await using sim = await createSimulator({ time });
  const { v1, clock: own } = sim.default;
  const first = await v1.createSession(order());
  time.pass(300);
  const second = await v1.createSession(order());
  time.pass(400);
  const third = await v1.createSession(order());
  for (const { id } of [first, second]) {
    await own.freeze();
    await own.advance({ until: `${id}=expired` });
    await own.resume();
  }
  expect(await v1.getSession(third.id)).toMatchObject({ status: 'pending' });
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario.clock).toBe(first.created_at);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test.each([
  ['settings', { layaway_enabled: false }],
  ['platform', { disabled: true }],
])(
  'a change of /_sim/%s comes before the requests that it refuses, however late it is answered',
  async (what, change) => {
    const time = manualTime();
    await using sim = await createSimulator({ time });
    const { headers, faults, v1 } = sim.default;
    await faults.add({ kind: 'slow', operation: 'ping' });
    const { host, hostname, port } = new URL(sim.url);
    const lines = Object.entries({ ...headers, authorization: `Bearer ${sim.controlToken}`, host });
    const sent = (line: string, body: string, connection: string) =>
      [
        `${line} HTTP/1.1`,
        ...[...lines, ['connection', connection], ['content-length', body.length]].map((field) => field.join(': ')),
        ...['content-type: application/json', '', body],
      ].join('\r\n');
    const socket = connect(Number(port), hostname);
    // On one connection, an answer waits for the one before it.
    socket.write(sent('GET /v1/ping', '', 'keep-alive'));
    socket.write(sent(`PATCH /_sim/${what}`, JSON.stringify(change), 'close'));
    await vi.waitFor(async () => expect(await v1.config()).toMatchObject({ layaway: { available: false } }));
    await expect(v1.createSession(order())).rejects.toMatchObject({ status: 403 });
    const answered = text(socket);
    time.pass(1000);
    expect((await answered).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(problems(await runScenario(scenarioOf(await sim.trace(), null), {}))).toEqual([]);
  },
);

test('a lever of the workspace after the last request is pulled at the time of the account', async () => {
  await using sim = await createSimulator({ clock });
  await caller(sim, { ...sim.default.headers })('POST', '/v1/sessions', '{}', { 'content-type': 'text/plain' });
  await sim.platform.set({ disabled: true });
  const scenario = scenarioOf(await sim.trace(), null);
  expect(scenario).toMatchObject({ clock: '2026-01-01T00:00:00.000000Z', steps: [{ platform: { disabled: true } }] });
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('a scenario that would not happen again fails: what it expects is real', async () => {
  await using sim = await createSimulator({ clock });
  const shop = await sim.merchant();
  const { id } = await shop.sessions.create(order());
  await shop.sessions.complete(id);
  await shop.clock.advance('14d');
  const scenario = scenarioOf(await sim.trace(), null);
  const broken = JSON.parse(JSON.stringify(scenario).replace('"installment.paid"', '"installment.past_due"'));
  expect((await runScenario(broken, {})).status).toBe('failed');
});

describe('interface §7: a scenario meets the faults that the store met', () => {
  /** The statuses of orders that a store opens one after the other; null for a connection that was closed. */
  async function statuses(shop: SandboxShop, url: string, count: number) {
    const headers = { ...shop.headers, 'content-type': 'application/json' };
    const body = JSON.stringify(order());
    const all: (number | null)[] = [];
    for (let n = 0; n < count; n += 1) {
      const sent = exchange({ method: 'POST', url: `${url}/v1/sessions`, headers, body, timeoutMs: 10_000 });
      all.push(await sent.then(({ status }) => status).catch(() => null));
    }
    return all;
  }
  const start = (options: SimulatorOptions = {}) => createSimulator({ clock, rateLimit: 'off', seed: 1, ...options });
  const faultsIn = ({ steps }: ReturnType<typeof scenarioOf>) => steps.flatMap(({ fault }) => (fault ? [fault] : []));

  const on = { operation: 'createSession' } as const;
  type Open = (count: number) => Promise<(number | null)[]>;
  const lives: Record<string, (shop: SandboxShop, open: Open) => Promise<void>> = {
    async 'one that was cleared'({ faults }, open) {
      await faults.add({ kind: 'error', ...on, times: null });
      expect(await open(2)).toEqual([503, 503]);
      await faults.clear();
      expect(await open(1)).toEqual([201]);
    },
    async 'one that was removed, and another one like it'({ faults }, open) {
      const { id } = await faults.add({ kind: 'lost_answer', skip: 1, times: null });
      expect(await open(2)).toEqual([201, null]);
      await faults.remove(id);
      expect(await open(1)).toEqual([201]);
      const other = await faults.add({ kind: 'lost_answer', times: null });
      expect(await open(1)).toEqual([null]);
      await faults.remove(other.id);
      expect(await open(1)).toEqual([201]);
    },
    async 'one that was removed before it struck'({ faults }, open) {
      await faults.add({ kind: 'error', ...on, times: null });
      await faults.clear();
      expect(await open(1)).toEqual([201]);
    },
    async 'two of a kind, one after the other and together'({ faults }, open) {
      await faults.add({ kind: 'error', ...on, times: 2, status: 500 });
      const { id } = await faults.add({ kind: 'error', ...on, times: null, status: 502 });
      expect(await open(3)).toEqual([500, 500, 502]);
      await faults.remove(id);
      expect(await open(1)).toEqual([201]);
      await faults.add({ kind: 'error', ...on, status: 504, retry_after: 7 });
      expect(await open(2)).toEqual([504, 201]);
    },
    async 'some matches only, and used up'({ faults }, open) {
      await faults.add({ kind: 'throttled', ...on, skip: 1, every: 2, times: 2 });
      expect(await open(5)).toEqual([201, 429, 201, 429, 201]);
    },
    async 'some matches only, until it was removed'({ faults }, open) {
      await faults.add({ kind: 'late_error', ...on, skip: 1, every: 2, times: null });
      expect(await open(3)).toEqual([201, 503, 201]);
      await faults.clear();
      expect(await open(2)).toEqual([201, 201]);
    },
    async 'of deliveries: none'({ faults }, open) {
      await faults.add({ kind: 'lost', times: null });
      expect(await open(1)).toEqual([201]);
    },
  };
  test.each(Object.entries(lives))('%s', async (_, live) => {
    await using sim = await start();
    const shop = await sim.merchant();
    await live(shop, (count) => statuses(shop, sim.url, count));
    const log = await shop.logs.list({ limit: 100 });
    const scenario = scenarioOf(await sim.trace(), null);
    expect(faultsIn(scenario)).toHaveLength(log.filter(({ fault }) => fault !== null).length);
    expect(problems(await runScenario(scenario, {}))).toEqual([]);
  });

  test('with the options of the fault', async () => {
    await using sim = await start();
    const shop = await sim.merchant();
    await shop.faults.add({ kind: 'slow', ...on, delay_ms: 5 });
    await shop.faults.add({ kind: 'error', ...on, status: 502, retry_after: 7 });
    expect(await statuses(shop, sim.url, 2)).toEqual([201, 502]);
    expect(faultsIn(scenarioOf(await sim.trace(), null))).toEqual([
      { kind: 'slow', delay_ms: 5 },
      { kind: 'error', status: 502, retry_after: 7 },
    ]);
  });

  test.each(['lost_answer', 'cut_answer', 'late_error'] as const)(
    '%s: the session that no response showed is looked up',
    async (kind) => {
      await using sim = await start();
      const shop = await sim.merchant();
      await shop.faults.add({ kind, ...on });
      await statuses(shop, sim.url, 1);
      const [session] = await shop.sessions.list();
      const { id } = session ?? { id: '' };
      expect((await shop.v1.getSession(id)).status).toBe('pending');
      const { reference } = await shop.sessions.complete(id);
      await statuses(shop, sim.url, 1);
      const document = await sim.trace();
      for (const contract of [null, reference]) {
        const scenario = scenarioOf(document, contract);
        expect(unmadeIn(document, scenario)).toEqual([]);
        expect(problems(await runScenario(scenario, {})), `${contract}`).toEqual([]);
      }
    },
  );

  test.each(['slow', 'lost_answer'] as const)(
    '%s leaves a refusal that no step repeats as it is: left out',
    async (kind) => {
      await using sim = await start();
      const shop = await sim.merchant();
      await shop.faults.add({ kind, ...(kind === 'slow' ? { delay_ms: 1 } : {}) });
      const headers = { ...shop.headers, 'content-type': 'text/plain' };
      await exchange({ method: 'POST', url: `${sim.url}/v1/sessions`, headers, body: '{}', timeoutMs: 10_000 }).catch(
        () => undefined,
      );
      expect((await shop.logs.list())[0]).toMatchObject({ status: 415, fault: { kind } });
      await shop.v1.createSession(order());
      const scenario = scenarioOf(await sim.trace(), null);
      expect(scenario.steps).toHaveLength(1);
      expect(problems(await runScenario(scenario, {}))).toEqual([]);
    },
  );

  test('late_error hides why a create opened nothing: left out', async () => {
    await using sim = await start();
    const shop = await sim.merchant();
    await shop.faults.add({ kind: 'late_error', times: 2 });
    const headers = { ...shop.headers, 'content-type': 'application/json' };
    const body = JSON.stringify(order());
    for (const header of [{ 'idempotency-key': ['one', 'two'] }, { 'content-type': 'text/plain' }]) {
      const request = { method: 'POST', url: `${sim.url}/v1/sessions`, headers: { ...headers, ...header }, body };
      expect((await exchange({ ...request, timeoutMs: 10_000 })).status).toBe(503);
    }
    const { id } = await shop.v1.createSession(order());
    await shop.clock.advance({ until: `${id}=expired` });
    const scenario = scenarioOf(await sim.trace(), null);
    expect(scenario.steps).toMatchObject([{ request: {} }, { advance: {}, expect: { happened: ['session.expired'] } }]);
    expect(problems(await runScenario(scenario, {}))).toEqual([]);
  });

  test('late_error hides why a cancel cancelled nothing: left out', async () => {
    await using sim = await start();
    const shop = await sim.merchant();
    const { id } = await shop.v1.createSession(order());
    const { reference } = await shop.sessions.complete(id);
    const { key } = await shop.keys.create({ scopes: ['contracts:read'] });
    await shop.faults.add({ kind: 'late_error', operation: 'cancelContract', times: 2 });
    const url = `${sim.url}/v1/contracts/${reference}/cancel`;
    const cancel = (more: Record<string, string>) =>
      exchange({ method: 'POST', url, headers: { ...shop.headers, ...more }, timeoutMs: 10_000 });
    expect((await cancel({ 'x-api-key': key })).status).toBe(503);
    expect((await shop.v1.getContract(reference)).status).toBe('active');
    expect((await cancel({})).status).toBe(503);
    const scenario = scenarioOf(await sim.trace(), null);
    expect(faultsIn(scenario)).toHaveLength(1);
    expect(problems(await runScenario(scenario, {}))).toEqual([]);
  });

  test('cut_answer, of a HEAD, whose response is whole without a body', async () => {
    await using sim = await start();
    const shop = await sim.merchant();
    await shop.faults.add({ kind: 'cut_answer' });
    const answer = await exchange({
      ...{ method: 'HEAD', url: `${sim.url}/v1/ping`, headers: shop.headers, timeoutMs: 10_000 },
    });
    expect(answer.status).toBe(200);
    const scenario = scenarioOf(await sim.trace(), null);
    expect(scenario.steps).toMatchObject([{ fault: { kind: 'cut_answer' } }, { expect: { status: 200 } }]);
    expect(problems(await runScenario(scenario, {}))).toEqual([]);
  });

  test('none strikes a lever, or a request of another story', async () => {
    await using sim = await start();
    const shop = await sim.merchant();
    await shop.faults.add({ kind: 'error', ...on, times: null });
    expect(await statuses(shop, sim.url, 1)).toEqual([503]);
    const opened = await caller(sim, shop.headers)('POST', openSession.path, order());
    expect(opened.status).toBe(201);
    await shop.sessions.complete(opened.body.data.id);
    await shop.faults.clear();
    const { id } = await shop.v1.createSession(order());
    const { reference } = await shop.sessions.complete(id);
    await shop.faults.add({ kind: 'cut_answer' });
    await expect(shop.v1.getContract(reference)).rejects.toThrow();
    const document = await sim.trace();
    expect(problems(await runScenario(scenarioOf(document, null), {}))).toEqual([]);
    const story = scenarioOf(document, reference);
    expect(faultsIn(story)).toEqual([{ kind: 'cut_answer' }]);
    expect(problems(await runScenario(story, {}))).toEqual([]);
  });

  test('chaos, too', async () => {
    await using sim = await start({ chaos: { seed: 3, percent: 60 } });
    const shop = await sim.merchant();
    const met = await statuses(shop, sim.url, 5);
    const scenario = scenarioOf(await sim.trace(), null);
    expect(new Set(met).size).toBeGreaterThan(1);
    expect(faultsIn(scenario).length).toBeGreaterThan(1);
    expect(problems(await runScenario(scenario, {}))).toEqual([]);
  });
});
