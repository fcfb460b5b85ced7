import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MANIFEST } from '../../src/cli/manifest.ts';
import {
  ASSUMPTIONS,
  certify,
  createSimulator,
  mergeCoverage,
  packTrace,
  readTrace,
  runScenario,
  type Simulator,
  scenarioOfTrace,
  summarizeTrace,
  verifyWebhook,
} from '../../src/index.ts';
import { place } from '../../src/scenario/interpolate.ts';
import { openReceiver } from '../support/receiver.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

/** A merchant with an open session and an active contract. */
async function furnished() {
  const shop = await sim.merchant();
  const session = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  const done = await shop.sessions.create({ order_reference: 'A-2', total_amount: 20_000 });
  const { reference } = await shop.sessions.complete(done.id, { customer_email: 'ada@example.com' });
  return { shop, session: session.id, reference };
}
type World = Awaited<ReturnType<typeof furnished>>;

const SCENARIO = {
  name: 'a plan is paid off',
  steps: [
    { 'create-session': { order_reference: 'A-1', total_amount: 20_000 }, as: 'order' },
    { 'complete-checkout': { session: place('order.id') } },
    { advance: { by: '8w' }, expect: { happened: [...Array(4).fill('installment.paid'), 'contract.completed'] } },
  ],
};

/** Each command as a call, and what it answers. What is a matter of terminals has none. */
const CALLS: Readonly<Record<string, ((world: World) => Promise<unknown>) | 'of terminals'>> = {
  serve: async () => {
    const own = await createSimulator({ port: 0, host: '127.0.0.1' });
    await own.close();
    expect(own.url).toMatch(/^http:/);
  },
  exec: async ({ shop }) => expect(Object.keys(shop.env)).toContain('LAYAWAY_BASE_URL'),
  env: async ({ shop }) =>
    expect(shop.env).toMatchObject({ LAYAWAY_CLIENT_ID: shop.clientId, LAYAWAY_WEBHOOK_SECRET: shop.webhookSecret }),
  run: async () => expect((await runScenario(SCENARIO)).status).toBe('passed'),
  'sessions create': async ({ shop }) =>
    expect((await shop.sessions.create({ order_reference: 'B', total_amount: 9_000 })).status).toBe('pending'),
  'sessions get': async ({ shop, session }) => expect((await shop.sessions.get(session)).id).toBe(session),
  'sessions list': async ({ shop }) => {
    expect(await shop.sessions.list()).toHaveLength(2);
    expect(await shop.sessions.list({ status: 'pending', order_reference: 'A-1' })).toHaveLength(1);
    expect(await shop.sessions.list({ status: 'expired' })).toEqual([]);
  },
  'sessions accept': async ({ shop, session }) =>
    expect(
      await shop.sessions.accept(session, { customer_name: 'Ada', customer_email: 'ada@example.com' }),
    ).toMatchObject({ status: 'pending' }),
  'sessions pay': async ({ shop, session }) => {
    await shop.sessions.accept(session, { customer_name: 'Ada', customer_email: 'ada@example.com' });
    expect((await shop.sessions.pay(session)).status).toBe('active');
  },
  'sessions complete': async ({ shop, session }) =>
    expect((await shop.sessions.complete(session)).status).toBe('active'),
  'sessions cancel': async ({ shop, session }) =>
    expect((await shop.sessions.cancel(session)).status).toBe('cancelled'),
  'sessions open': async ({ shop, session }) =>
    expect((await shop.sessions.get(session)).checkout_url).toMatch(/\/checkout\//),
  'contracts create': async ({ shop }) =>
    expect((await shop.contracts.create({ status: 'defaulted', days_ago: 3 })).status).toBe('defaulted'),
  'contracts list': async ({ shop, reference }) => {
    expect((await shop.contracts.list({ status: 'active' })).data).toMatchObject([{ reference }]);
    expect(await shop.contracts.listAll({ status: 'active' })).toMatchObject([{ reference }]);
    expect(await shop.contracts.find({ order_reference: 'A-2' })).toMatchObject([{ reference }]);
    expect(await shop.contracts.find({ overdue: true })).toEqual([]);
  },
  'contracts get': async ({ shop, reference }) =>
    expect((await shop.contracts.get(reference)).reference).toBe(reference),
  'contracts update': async ({ shop, reference }) =>
    expect(await shop.contracts.update(reference, { order_reference: 'C' })).toMatchObject({ order_reference: 'C' }),
  'contracts cancel': async ({ shop, reference }) =>
    expect((await shop.contracts.cancel(reference)).status).toBe('cancelled'),
  'contracts outcomes': async ({ shop, reference }) => {
    expect(await shop.contracts.arranged(reference)).toEqual({ outcomes: [] });
    expect(await shop.contracts.outcomes(reference, ['fail'])).toEqual(await shop.contracts.arranged(reference));
  },
  'contracts settle': async ({ shop, reference }) => {
    await shop.contracts.outcomes(reference, ['fail', 'fail']);
    await shop.clock.advance({ until: `${reference}#1=past_due` });
    expect((await shop.contracts.settle(reference)).installments[1]?.status).toBe('paid');
  },
  'clock show': async ({ shop }) => expect((await shop.clock.show()).mode).toBe('frozen'),
  'clock advance': async ({ shop }) => {
    expect((await shop.clock.advance('14d', { dryRun: true })).happened_count).toBe(2);
    expect((await shop.clock.advance('14d')).happened_count).toBe(2);
  },
  'clock progress': async ({ shop }) => expect(await shop.clock.progress()).toBeNull(),
  'clock stop': async ({ shop }) => expect(await shop.clock.stop()).toBeNull(),
  'clock freeze': async ({ shop }) => expect((await shop.clock.freeze()).mode).toBe('frozen'),
  'clock resume': async ({ shop }) => expect((await shop.clock.resume()).mode).toBe('running'),
  'clock forecast': async ({ shop }) => expect((await shop.clock.forecast()).happened.length).toBeGreaterThan(3),
  'events list': async ({ shop, reference }) => {
    expect(await shop.events.list()).toHaveLength(3);
    expect(await shop.events.list({ type: 'contract.activated', contract: reference })).toHaveLength(1);
  },
  'events get': async ({ shop }) => {
    const [event] = await shop.events.list();
    expect(await shop.events.get(event?.id as string)).toMatchObject({ ...event, deliveries: [] });
  },
  'events resend': async ({ shop }) => {
    await using receiver = await openReceiver();
    const [event] = await shop.events.list();
    expect(await shop.events.resend(event?.id as string, { url: receiver.url })).toMatchObject([
      { status: 'delivered' },
    ]);
  },
  'events tail': async ({ shop, reference }) => {
    const tail = await shop.events.tail();
    await shop.contracts.cancel(reference);
    for await (const event of tail) return expect(event.type).toBe('contract.cancelled');
  },
  'events wait': async ({ shop }) => expect((await shop.events.wait('contract.activated')).livemode).toBe(false),
  listen: async ({ shop, reference }) => {
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url, { events: ['contract.cancelled'] });
    await shop.contracts.cancel(reference);
    await shop.clock.advance('0s');
    expect(receiver.types()).toEqual(['contract.cancelled']);
  },
  'webhooks list': async ({ shop }) => expect(await shop.webhooks.list()).toEqual([]),
  'webhooks add': async ({ shop }) => {
    expect(await added(shop)).toMatchObject({ secret: expect.any(String) });
    await using selfSigned = await openReceiver([], { https: true });
    const { id } = await shop.webhooks.add(selfSigned.url, { events: ['webhook.test'], insecure: true });
    expect(await shop.webhooks.test(id)).toMatchObject({ status: 'delivered' });
  },
  'webhooks remove': async ({ shop }) => expect(await shop.webhooks.remove((await added(shop)).id)).toBeNull(),
  'webhooks enable': async ({ shop }) =>
    expect(await shop.webhooks.enable((await added(shop)).id)).toMatchObject({ enabled: true }),
  'webhooks disable': async ({ shop }) =>
    expect(await shop.webhooks.disable((await added(shop)).id)).toMatchObject({ enabled: false }),
  'webhooks secret': async ({ shop }) => {
    const { id, secret } = await added(shop);
    expect((await shop.webhooks.secret(id)).secret).toBe(secret);
  },
  'webhooks rotate': async ({ shop }) => {
    const { id, secret } = await added(shop);
    expect((await shop.webhooks.rotate(id)).secret).not.toBe(secret);
  },
  'webhooks test': async ({ shop }) =>
    expect((await shop.webhooks.test((await added(shop)).id)).attempts).toHaveLength(1),
  'webhooks deliveries': async ({ shop }) => expect(await shop.webhooks.deliveries({ status: 'failed' })).toEqual([]),
  certify: async ({ shop }) => {
    await using receiver = await openReceiver();
    const { id } = await shop.webhooks.add(receiver.url);
    const { url, secret } = await shop.webhooks.secret(id);
    const certificate = await certify({ url, secret, only: ['genuine', 'tampered'] });
    expect(certificate).toMatchObject({ passed: 1, failed: 1 });
  },
  'deliveries list': async ({ shop }) => expect(await shop.webhooks.deliveries({ status: 'failed' })).toEqual([]),
  'deliveries get': async ({ shop }) => {
    const { id } = await shop.webhooks.test((await added(shop)).id);
    expect(await shop.webhooks.delivery(id)).toMatchObject({ id, event_type: 'webhook.test' });
  },
  'webhooks verify': async ({ shop }) => {
    await using receiver = await openReceiver();
    const { id, secret } = await shop.webhooks.add(receiver.url);
    await shop.webhooks.test(id);
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
    expect(verifyWebhook(body, headers, secret)).toMatchObject({ type: 'webhook.test' });
  },
  'faults add': async ({ shop }) => {
    await shop.faults.add({ kind: 'error', operation: 'ping' });
    await expect(shop.v1.ping()).rejects.toMatchObject({ status: 503 });
  },
  'faults list': async ({ shop }) => {
    await shop.faults.add({ kind: 'slow' });
    expect(await shop.faults.list()).toMatchObject([{ kind: 'slow', met: 0 }]);
  },
  'faults remove': async ({ shop }) => {
    const { id } = await shop.faults.add({ kind: 'slow' });
    expect([await shop.faults.remove(id), await shop.faults.list()]).toEqual([null, []]);
  },
  'faults clear': async ({ shop }) => {
    await shop.faults.add({ kind: 'slow' });
    expect([await shop.faults.clear(), await shop.faults.list()]).toEqual([null, []]);
  },
  coverage: async ({ shop }) => {
    await sim.inject({ method: 'GET', url: '/v1/ping', headers: shop.headers });
    const report = await shop.coverage();
    expect(report).toMatchObject({ met: 1, findings: [] });
    expect(mergeCoverage([report, report]).situations[0]).toMatchObject({ id: 'operations.ping', met: 2 });
    expect(() => mergeCoverage([{ ...report, situations: [] }])).toThrow('another version of layaway');
    expect((await sim.coverage()).met).toBeGreaterThan(0);
    expect([await shop.coverage.clear(), (await shop.coverage()).met]).toEqual([null, 0]);
  },
  'emails list': async ({ shop }) => expect(await shop.emails.list({ to: 'ada@example.com' })).toHaveLength(1),
  'emails get': async ({ shop }) => {
    const [email] = await shop.emails.list();
    expect(await shop.emails.get(email?.id as string)).toEqual(email);
  },
  'emails wait': async ({ shop }) => expect((await shop.emails.wait({ to: 'ada@example.com' })).to).toContain('ada'),
  'merchants create': async () => expect((await sim.merchant({ state: 'NY' })).clientId).toMatch(/^mch_test_/),
  'merchants list': async ({ shop }) =>
    expect((await sim.listMerchants()).map(({ sandbox }) => sandbox.client_id)).toContain(shop.clientId),
  'merchants get': async ({ shop }) =>
    expect((await sim.listMerchants()).find(({ sandbox }) => sandbox.client_id === shop.clientId)?.state).toBe('TX'),
  'merchants set': async ({ shop }) => expect((await shop.assumptions.set({ state: 'CA' })).state).toBe('CA'),
  'keys create': async ({ shop }) => expect((await shop.keys.create({ name: 'front' })).key).toMatch(/^sk_test_/),
  'keys list': async ({ shop }) => expect(await shop.keys.list()).toHaveLength(1),
  'keys revoke': async ({ shop }) => expect(await shop.keys.revoke((await shop.keys.create()).id)).toBeNull(),
  'assumptions list': async ({ shop }) => {
    expect(ASSUMPTIONS.grace_days).toMatchObject({ default: 10, completes: '§3.3', scope: 'account' });
    expect({ ...(await shop.assumptions.get()), ...(await sim.platform.get()) }).toMatchObject({ grace_days: 10 });
  },
  'assumptions set': async ({ shop }) => expect((await shop.assumptions.set({ grace_days: 3 })).grace_days).toBe(3),
  'assumptions reset': async ({ shop }) => {
    await shop.assumptions.set({ grace_days: 3, default_days: 9, state: 'NY' });
    expect(await shop.assumptions.reset('grace_days')).toMatchObject({ grace_days: 10, default_days: 9 });
    expect(await shop.assumptions.reset()).toMatchObject({ default_days: 30, state: 'NY' });
  },
  'snapshots save': async () => expect((await sim.snapshots.save('kept')).name).toBe('kept'),
  'snapshots restore': async () => {
    await sim.snapshots.save('restored');
    expect((await sim.snapshots.restore('restored')).name).toBe('restored');
  },
  'snapshots list': async () => {
    await sim.snapshots.save('listed');
    expect((await sim.snapshots.list()).map(({ name }) => name)).toContain('listed');
  },
  'snapshots delete': async () => {
    await sim.snapshots.save('deleted');
    await sim.snapshots.delete('deleted');
    expect((await sim.snapshots.list()).map(({ name }) => name)).not.toContain('deleted');
  },
  reset: async () => {
    await using own = await createSimulator();
    await own.merchant();
    await own.reset();
    expect(await own.listMerchants()).toHaveLength(1);
  },
  explain: async ({ shop }) => {
    const { reference } = await shop.contracts.create();
    expect(await shop.explain(`${reference}#1`)).toMatchObject({ subject: `${reference}#1`, state: 'upcoming' });
  },
  'trace save': async () => expect((await packTrace(await sim.trace())).length).toBeGreaterThan(100),
  'trace open': async () => {
    await using shown = await createSimulator({ trace: await readTrace(await packTrace(await sim.trace())) });
    expect(shown.default.clientId).toBe(sim.default.clientId);
  },
  'trace show': async () => expect((await summarizeTrace(await sim.trace())).accounts.length).toBeGreaterThan(1),
  'trace scenario': async ({ shop }) => {
    const { reference } = await shop.contracts.create();
    expect(await scenarioOfTrace(await sim.trace(), reference)).toMatchObject({ steps: [{ 'create-contract': {} }] });
  },
  'logs list': async ({ shop }) => {
    const [request] = await shop.logs.list({ path: '/v1/sessions', limit: 1 });
    expect(request).toMatchObject({ request_body: { order_reference: 'A-2' }, status: 201 });
    expect(await shop.logs.get(request?.id as string)).toEqual(request);
  },
  'logs tail': async ({ shop }) => {
    const tail = await shop.logs.tail({ path: '/v1/contracts' });
    await shop.contracts.list();
    for await (const request of tail) return expect(request).toMatchObject({ path: '/v1/contracts', status: 200 });
  },
  openapi: async () =>
    expect((await sim.inject({ method: 'GET', url: '/openapi.json' })).json<{ openapi: string }>().openapi).toBe(
      '3.1.0',
    ),
  dashboard: async () => expect(sim.dashboardUrl).toMatch(/^http:.*\/dashboard\//),
  new: 'of terminals',
  import: 'of terminals',
  compare: 'of terminals',
  schema: 'of terminals',
  mcp: 'of terminals',
  config: 'of terminals',
  doctor: 'of terminals',
  completion: 'of terminals',
};

const added = ({ webhooks }: World['shop']) => webhooks.add('http://127.0.0.1:1/');

const commands = await Promise.all(
  MANIFEST.filter(({ hidden }) => !hidden).map(async ({ name, load }) => {
    const noun = new Command(name);
    (await load()).default(noun);
    const verbs = CALLS[name] === undefined ? noun.commands : [];
    return verbs.length > 0 ? verbs.map((verb) => `${name} ${verb.name()}`) : [name];
  }),
);

describe('interface §4: everything the CLI can do, the library can', () => {
  test.each(commands.flat())('layaway %s', async (command) => {
    const call = CALLS[command];
    expect(call, 'no call does what this command does').toBeDefined();
    if (call !== 'of terminals') await call?.(await furnished());
    expect.hasAssertions();
  });
});

describe('interface §5: scenarios as a call', () => {
  test('a scenario that fails says where, and is the same each time', async () => {
    const failing = {
      ...SCENARIO,
      steps: [...SCENARIO.steps, { advance: { next: true }, expect: { happened: ['contract.defaulted'] } }],
    };
    const [once, again] = [await runScenario(failing), await runScenario(failing)];
    expect(once).toEqual(again);
    expect(once).toMatchObject({
      status: 'failed',
      steps: [
        {},
        {},
        {},
        {
          differences: [
            { at: 'happened', line: 1, column: expect.any(Number), expected: ['contract.defaulted'], actual: [] },
          ],
        },
      ],
    });
  });

  test('on a simulator that runs, as a merchant of its own', async () => {
    const before = (await sim.listMerchants()).length;
    expect(await runScenario('fixtures/scenarios/happy-path.yaml', { sim })).toMatchObject({
      file: 'fixtures/scenarios/happy-path.yaml',
      status: 'passed',
    });
    expect(await sim.listMerchants()).toHaveLength(before + 1);
  });

  test('an invalid one is not played: the mistakes are reported', async () => {
    await expect(runScenario({ name: 'x', steps: [{ advnce: { by: '1d' } }] })).rejects.toThrow(
      'Did you mean advance?',
    );
    await expect(runScenario('nowhere.yaml')).rejects.toThrow('There is no file nowhere.yaml.');
  });
});
