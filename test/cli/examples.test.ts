import { subscribe } from 'node:diagnostics_channel';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import type { FastifyInstance } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { MANIFEST } from '../../src/cli/manifest.ts';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { BROWSE_OPERATIONS } from '../../src/operations/browse.ts';
import { CONTROL_OPERATIONS } from '../../src/operations/index.ts';
import { needing } from '../support/programs.ts';
import { openReceiver } from '../support/receiver.ts';
import { bin, oneProcess, withSimulator } from './layaway.ts';

const { finish } = oneProcess();
/** A line of the program in which a shell finds nothing but words. */
const PLAIN = /^layaway(?: [\w.,:/=@-]+)*$/;

/** The example at the end of a command's help, as a person would copy it. */
function exampleOf(command: Command): string {
  const help: string[] = [];
  command.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp();
  return help.join('').match(/\nExample:\n {2}\$ (.+)\n$/)?.[1] as string;
}

const examples = await Promise.all(
  MANIFEST.filter(({ hidden }) => !hidden).map(async ({ name, load }) => {
    const noun = new Command(name);
    (await load()).default(noun);
    return [noun, ...noun.commands].map((command) => ({
      name: command === noun ? name : `${name} ${command.name()}`,
      example: exampleOf(command),
    }));
  }),
);

/** A store with one open session, one active contract, and one of everything else that an example may name. */
async function furnished() {
  const receiver = await openReceiver();
  const world = await withSimulator({ forwardTo: [receiver.url] });
  const { sim, place } = world;
  const shop = sim.default;
  const done = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  const { reference } = await shop.sessions.complete(done.id, { customer_email: 'ada@example.com' });
  const open = await shop.sessions.create({ order_reference: 'A-2', total_amount: 20_000 });
  await shop.clock.advance('0s');
  const [[email], events, [endpoint], [delivery], key, fault] = await Promise.all([
    shop.emails.list(),
    shop.events.list(),
    shop.webhooks.list(),
    shop.webhooks.deliveries(),
    shop.keys.create(),
    shop.faults.add({ kind: 'throttled', path: '/v1/config', times: null }),
  ]);

  await mkdir(join(place.cwd, 'bin'));
  await symlink(bin, join(place.cwd, 'bin/layaway'));
  const browser = join(place.cwd, 'bin/browser');
  await writeFile(browser, `#!/bin/sh\necho "$1" > '${place.cwd}/opened'\n`, { mode: 0o755 });

  const env = { ...place.env, PATH: `${place.cwd}/bin${delimiter}${process.env.PATH}`, BROWSER: browser };
  const start = (line: string) =>
    execa('bash', ['-c', line], { cwd: place.cwd, env, extendEnv: false, reject: false, stdin: 'ignore', all: true });

  return {
    ...world,
    shop,
    receiver,
    contract: reference,
    session: open.id,
    event: events.at(-1)?.id as string,
    email: email?.id as string,
    endpoint: endpoint?.id as string,
    delivery: delivery?.id as string,
    key: key.id,
    fault: fault.id,
    file: (name: string) => join(place.cwd, name),
    /** Starts what a person types at a prompt. */
    start,
    /** What the person would see at its end. */
    type: (line: string) =>
      PLAIN.test(line) ? finish({ cwd: place.cwd, env }, line.split(' ').slice(1)) : start(line),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await receiver.close();
    },
  };
}
type World = Awaited<ReturnType<typeof furnished>>;

/** The ids of this world in the place of those of the example, and any free port in the place of the default one. */
const typed = (example: string, world: World) =>
  example
    .replace(/^layaway serve\b/, '$& --port 0')
    .replace(/LAY-\w+/, world.contract)
    .replace(/cs_\w+/, world.session)
    .replace(/evt_\w+/, world.event)
    .replace(/eml_\w+/, world.email)
    .replace(/we_\w+/, world.endpoint)
    .replace(/dlv_\w+/, world.delivery)
    .replace(/key_\w{26}/, world.key)
    .replace(/flt_\w+/, world.fault);

/** What must be there before, and what must have come of it. */
interface Scene {
  before?(world: World): PromiseLike<unknown>;
  /** Of a command that runs until it is stopped: what it prints by then. */
  until?: string;
  /** And the operation that it has called by then. */
  calls?: string;
  after(ended: { readonly stdout: string; readonly stderr: string }, world: World): unknown;
}

const prints =
  (...texts: (string | RegExp)[]) =>
  ({ stdout }: { readonly stdout: string }) => {
    for (const text of texts) expect(stdout).toMatch(text);
  };
const contractOf = ({ shop, contract }: World) => shop.contracts.get(contract);
const sessionOf = ({ shop, session }: World) => shop.sessions.get(session);
const endpointsOf = async ({ shop }: World) => await shop.webhooks.list();
const opened = async ({ file }: World) => {
  await expect.poll(() => readFile(file('opened'), 'utf8').catch(() => '')).toMatch(/\n$/);
  return await readFile(file('opened'), 'utf8');
};
const missSecond = async ({ shop, contract }: World) => {
  await shop.contracts.outcomes(contract, ['pay', 'fail', 'fail']);
  await shop.clock.advance({ until: `${contract}#2=past_due` });
};
const failDelivery = async ({ shop }: World) => {
  const dead = await shop.webhooks.add('http://127.0.0.1:1/');
  await shop.webhooks.test(dead.id);
  await shop.webhooks.disable(dead.id);
};
const traced = (world: World) => world.type('layaway trace save checkout.layaway');
const isTrace = async (_e: unknown, { file }: World) =>
  expect((await readFile(file('checkout.layaway'))).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
const saved = ({ sim }: World) => sim.snapshots.save('before-default');
const configured = (world: World) => world.type('layaway config set base-url http://127.0.0.1:4801');

const others: Simulator[] = [];
afterAll(() => Promise.all(others.map((other) => other.close())));

/** Another simulator in its place, with other terms, and a profile that names it. */
async function realService({ place }: World) {
  const real = await createSimulator({ fixture: { settings: { min_order_amount: 7000 } } });
  others.push(real);
  const folder = join(place.cwd, 'config', 'layaway');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.json'), JSON.stringify({ profiles: { real: { 'base-url': real.url } } }));
  return real;
}

const SCENES: Readonly<Record<string, Scene>> = {
  serve: { until: 'Press Ctrl-C to stop.', after: prints('frozen at 2026-01-01 00:00 UTC', 'in memory') },
  coverage: {
    after: async (_ended, { file }) => expect(await readFile(file('coverage.html'), 'utf8')).toMatch(/situations met/),
  },
  'coverage merge': {
    before: async ({ shop, file }) => {
      await fetch(`${shop.env.LAYAWAY_BASE_URL}/v1/ping`, { headers: shop.headers });
      const report = await shop.coverage();
      const half = {
        ...report,
        situations: report.situations.map((each, index) =>
          index < 20
            ? { ...each, met: 1, first: { at: '2026-01-01T00:00:00.000000Z', kind: 'request', id: 'req_1' } }
            : each,
        ),
      };
      for (const name of ['shard-1.json', 'shard-2.json']) await writeFile(file(name), JSON.stringify(half));
    },
    after: prints(/^2\d of \d+ situations met/m),
  },
  'coverage clear': {
    before: ({ shop }) => fetch(`${shop.env.LAYAWAY_BASE_URL}/v1/ping`, { headers: shop.headers }),
    after: async (_ended, { shop }) => expect(await shop.coverage()).toMatchObject({ met: 0 }),
  },
  certify: { after: prints(/✓ genuine .*✓ large .*✓ burst .*3 passed, 0 failed, 20 skipped\.$/s) },
  new: {
    after: async (_ended, { file }) => {
      const receiver = await readFile('fixtures/receivers/express.mjs', 'utf8');
      expect(await readFile(file('store/express.mjs'), 'utf8')).toBe(receiver);
      expect(await readFile(file('store/certify.test.mjs'), 'utf8')).toContain("const START = 'node express.mjs';");
    },
  },
  exec: {
    before: ({ file }) => writeFile(file('package.json'), '{"scripts":{"test":"node -p process.env.LAYAWAY_WORKERS"}}'),
    after: prints(/^4$/m),
  },
  env: {
    after: async (_ended, { file, shop }) =>
      expect(await readFile(file('.env.layaway'), 'utf8')).toContain(`LAYAWAY_API_KEY=${shop.apiKey}\n`),
  },
  run: {
    before: ({ file }) => cp('fixtures/scenarios', file('scenarios'), { recursive: true }),
    after: async (_ended, { file }) => expect(await readFile(file('layaway.xml'), 'utf8')).toContain('failures="0"'),
  },
  sessions: { after: prints('A-1001', /\$200\.00/) },
  'sessions create': {
    after: async (_ended, { shop }) =>
      expect((await shop.sessions.list())[0]).toMatchObject({ order_reference: 'A-1001', metadata: { cart: '77' } }),
  },
  'sessions get': { after: prints('A-2', 'pending') },
  'sessions list': { after: prints('A-1', 'A-2') },
  'sessions accept': { after: async (_e, world) => expect((await sessionOf(world)).status).toBe('decision_made') },
  'sessions pay': {
    before: ({ shop, session }) =>
      shop.sessions.accept(session, { customer_name: 'Ada', customer_email: 'ada@example.com' }),
    after: ({ stderr }) => expect(stderr).toContain('declined'),
  },
  'sessions complete': { after: async (_e, world) => expect((await sessionOf(world)).status).toBe('completed') },
  'sessions cancel': { after: async (_e, world) => expect((await sessionOf(world)).status).toBe('cancelled') },
  'sessions open': { after: async (_e, world) => expect(await opened(world)).toContain(`/checkout/${world.session}`) },
  contracts: { before: missSecond, after: (ended, { contract }) => prints(contract, 'active')(ended) },
  'contracts create': {
    async after(ended, { shop }) {
      prints(/^contract +LAY-/m, 'A-1003', 'delinquent')(ended);
      const [{ installments } = { installments: [] }] = (await shop.contracts.list()).data.filter(
        (contract) => contract.order_reference === 'A-1003',
      );
      expect(installments.map(({ status }) => status).slice(0, 3)).toEqual(['paid', 'paid', 'delinquent']);
    },
  },
  'contracts list': {
    async before({ shop }) {
      for (let n = 0; n < 15; n += 1) {
        await shop.sessions.complete((await shop.sessions.create({ order_reference: 'B', total_amount: 9_000 })).id);
      }
    },
    after(ended, { contract }) {
      prints(contract)(ended);
      expect(ended.stderr).toContain('Page 2 of 2, 16 contracts');
    },
  },
  'contracts get': { after: prints('A-1', 'ada@example.com', 'at checkout') },
  'contracts update': { after: async (_e, world) => expect((await contractOf(world)).order_reference).toBe('A-1002') },
  'contracts cancel': { after: async (_e, world) => expect((await contractOf(world)).status).toBe('cancelled') },
  'contracts outcomes': { after: prints('fail, fail, pay') },
  'contracts settle': {
    before: missSecond,
    after: async (_e, world) => expect((await contractOf(world)).installments[2]?.status).toBe('paid'),
  },
  clock: { after: prints('installment.paid') },
  'clock show': { after: prints('2026-01-01 00:00:00 UTC', 'frozen') },
  'clock advance': {
    before: ({ shop, contract }) => shop.contracts.outcomes(contract, ['pay', 'fail', 'fail']),
    after: prints(/installment\.past_due +LAY-\w+#2/),
  },
  'clock progress': { after: ({ stderr }) => expect(stderr).toContain('No advance is under way.') },
  'clock stop': { after: ({ stderr }) => expect(stderr).toContain('No advance is under way.') },
  'clock freeze': { after: async (_e, { shop }) => expect((await shop.clock.show()).mode).toBe('frozen') },
  'clock resume': { after: async (_e, { shop }) => expect((await shop.clock.show()).mode).toBe('running') },
  'clock forecast': { after: prints('contract.completed') },
  events: { after: prints('contract.activated') },
  'events list': { after: prints('contract.activated') },
  'events get': { after: (ended, { event }) => prints(event, '"status"')(ended) },
  'events resend': { after: (ended, { event }) => prints(event, 'http://localhost:3000/webhooks')(ended) },
  'events tail': {
    until: 'Listening for events',
    calls: 'streamEvents',
    after: ({ stdout }) => expect(stdout).toBe(''),
  },
  'events wait': {
    before: ({ shop, contract }) => shop.contracts.cancel(contract),
    after: (ended, { contract }) => prints('contract.cancelled', contract)(ended),
  },
  listen: {
    until: 'Press Ctrl-C to stop.',
    calls: 'streamDeliveries',
    after: async (_e, world) =>
      expect((await endpointsOf(world))[0]).toMatchObject({
        url: 'http://localhost:3000/webhooks',
        events: ['contract.cancelled'],
      }),
  },
  webhooks: { after: ({ stderr }) => expect(stderr).toContain('No matching deliveries') },
  'webhooks list': { after: (ended, { receiver }) => prints(receiver.url)(ended) },
  'webhooks add': {
    after: async (ended, world) => {
      prints(/^secret +whsec_/m)(ended);
      expect((await endpointsOf(world))[0]?.events).toEqual(['contract.cancelled', 'contract.defaulted']);
    },
  },
  'webhooks remove': { after: async (_e, world) => expect(await endpointsOf(world)).toEqual([]) },
  'webhooks enable': {
    before: ({ shop, endpoint }) => shop.webhooks.disable(endpoint),
    after: async (_e, world) => expect((await endpointsOf(world))[0]?.enabled).toBe(true),
  },
  'webhooks disable': { after: async (_e, world) => expect((await endpointsOf(world))[0]?.enabled).toBe(false) },
  'webhooks secret': { after: prints(/^whsec_/) },
  'webhooks rotate': { after: prints(/^secret +whsec_/m) },
  'webhooks test': { after: (_e, { receiver }) => expect(receiver.types()).toContain('webhook.test') },
  'webhooks deliveries': {
    before: failDelivery,
    after: prints('http://127.0.0.1:1/', 'failed'),
  },
  deliveries: { before: failDelivery, after: prints('http://127.0.0.1:1/', 'webhook.test', 'failed') },
  'deliveries list': { before: failDelivery, after: prints('http://127.0.0.1:1/', 'failed') },
  'deliveries get': { after: (ended, { delivery }) => prints(delivery, /^attempt +1$/m, /^response +200 /m)(ended) },
  'webhooks verify': {
    async before({ receiver, file }) {
      const [{ headers, body }] = receiver.received as [{ headers: object; body: string }];
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      await writeFile(file('headers.txt'), lines.join('\n'));
      await writeFile(file('body.json'), body);
    },
    after: prints('The signature is valid.'),
  },
  faults: { after: prints(/^kind +lost_answer$/m, /^strikes +createSession$/m) },
  'faults list': { after: (ended, { fault }) => prints(fault, 'throttled', '/v1/config', 'always')(ended) },
  'faults add': {
    after: async (_e, { shop }) =>
      expect((await shop.faults.list())[1]).toMatchObject({
        ...{ kind: 'error', status: 502, operation: 'createSession', times: 3 },
      }),
  },
  'faults remove': { after: async (_e, { shop }) => expect(await shop.faults.list()).toEqual([]) },
  'faults clear': { after: async (_e, { shop }) => expect(await shop.faults.list()).toEqual([]) },
  emails: { after: prints('ada@example.com') },
  'emails list': { after: (ended, { contract }) => prints(contract)(ended) },
  'emails get': { after: prints('ada@example.com', /^subject /m) },
  'emails wait': { after: prints('ada@example.com') },
  merchants: { after: prints('Second Store LLC', /^sandbox api key +sk_/m) },
  'merchants create': { after: prints('Second Store LLC', /^state +NY$/m) },
  'merchants list': { after: prints('Example Store LLC') },
  'merchants get': { after: (ended, { shop }) => prints(shop.clientId)(ended) },
  'merchants set': {
    after: async (_e, { shop }) =>
      expect(await shop.settings.get()).toMatchObject({ state: 'CA', email: 'shop@example.com' }),
  },
  keys: { after: prints(/^scopes +checkout:read$/m) },
  'keys create': {
    after(ended) {
      prints(/^name +storefront$/m, 'checkout:read, checkout:write')(ended);
      expect(ended.stderr).toBe('Store the key now. It is not shown again.');
    },
  },
  'keys list': { after: (ended, { key }) => prints(key)(ended) },
  'keys revoke': {
    after: async (_e, { shop, key }) =>
      expect((await shop.keys.list()).find(({ id }) => id === key)?.revoked_at).toEqual(expect.any(String)),
  },
  assumptions: { after: async (_e, { shop }) => expect((await shop.settings.get()).grace_days).toBe(14) },
  'assumptions list': { after: prints('grace_days', 'page_size') },
  'assumptions set': {
    async after(_e, { shop, sim, type }) {
      expect((await shop.settings.get()).excluded_states).toEqual(['CA', 'NY']);
      // What holds for every merchant is another operation.
      await type('layaway assumptions set unavailable_states FL');
      expect((await sim.platform.get()).unavailable_states).toEqual(['FL']);
    },
  },
  'assumptions reset': {
    before: ({ shop }) => shop.assumptions.set({ grace_days: 3, default_days: 9 }),
    after: async (_e, { shop }) =>
      expect(await shop.assumptions.get()).toMatchObject({ grace_days: 10, default_days: 9 }),
  },
  snapshots: { after: async (_e, { sim }) => expect(await sim.snapshots.list()).toHaveLength(1) },
  'snapshots save': { before: saved, after: async (_e, { sim }) => expect(await sim.snapshots.list()).toHaveLength(1) },
  'snapshots restore': {
    async before(world) {
      await saved(world);
      await world.shop.contracts.cancel(world.contract);
    },
    after: async (_e, world) => expect((await contractOf(world)).status).toBe('active'),
  },
  'snapshots list': { before: saved, after: prints('before-default') },
  'snapshots delete': { before: saved, after: async (_e, { sim }) => expect(await sim.snapshots.list()).toEqual([]) },
  reset: { after: async (_e, { shop }) => expect((await shop.contracts.list()).data).toEqual([]) },
  explain: {
    after: (ended, { contract }) => prints(`${contract}#2: `, 'What happened', 'What lies ahead')(ended),
  },
  logs: { until: 'Listening for requests', after: ({ stdout }) => expect(stdout).toBe('') },
  'logs list': {
    before: ({ shop }) => shop.v1.createSession({ order_reference: 'A' } as never).catch(() => undefined),
    after: prints(/ 422 +POST +\/v1\/sessions /, /^ +answered +\{"message":/m),
  },
  'logs tail': { until: 'Listening for requests', after: ({ stdout }) => expect(stdout).toBe('') },
  trace: { after: isTrace },
  'trace save': { after: isTrace },
  'trace open': {
    before: traced,
    until: 'Press Ctrl-C to stop.',
    after: prints('Nothing is sent anywhere', '/dashboard'),
  },
  'trace show': { before: traced, after: prints('by layaway', '1 contract') },
  'trace scenario': { before: traced, after: prints(/^name: /, 'steps:') },
  config: { after: ({ stderr }) => expect(stderr).toContain('Stored base-url in the profile default') },
  'config get': { before: configured, after: prints(/^http:\/\/127\.0\.0\.1:4801$/) },
  'config set': { after: ({ stderr }) => expect(stderr).toContain('Stored base-url in the profile default') },
  'config list': { before: configured, after: prints(/^\* +default +http:\/\/127\.0\.0\.1:4801 /m) },
  'config unset': {
    before: (world) => world.type(`layaway config set api-key sk_test_${'a'.repeat(32)}`),
    after: ({ stderr }) => expect(stderr).toContain('Removed api-key from the profile default'),
  },
  'config delete': {
    before: (world) => world.type('layaway config use staging'),
    after: ({ stderr }) => expect(stderr).toContain('Deleted the profile staging. Selected: default.'),
  },
  'config path': { after: (ended, { place }) => prints(place.cwd)(ended) },
  'config use': { after: ({ stderr }) => expect(stderr).toContain('Selected the profile staging') },
  import: { before: realService, after: prints(/^min_order_amount +5000 +7000$/m) },
  compare: {
    before: async (world) => {
      const real = await realService(world);
      await real.default.assumptions.set({ min_order_amount: 5000 });
      await world.shop.faults.clear();
    },
    after: prints(/^\d+ requests, no difference\.$/m),
  },
  schema: { after: prints('"title": "layaway contracts get --json"') },
  mcp: { after: ({ stderr }) => expect(stderr).toContain('Started a simulator in memory at http://127.0.0.1:') },
  openapi: {
    after: async (_e, { file }) =>
      expect(JSON.parse(await readFile(file('openapi.json'), 'utf8')).openapi).toBe('3.1.0'),
  },
  dashboard: { after: (ended, { sim }) => prints(`${sim.url}/dashboard/`)(ended) },
  doctor: { after: prints(/^ok +clock/m) },
  completion: {
    before: ({ file }) => mkdir(file('.config/fish/completions'), { recursive: true }),
    after: async (_e, { file }) =>
      expect(await readFile(file('.config/fish/completions/layaway.fish'), 'utf8')).toContain('complete -c layaway'),
  },
};

/** The operations that commands have called on the simulators of this file. */
const called = new Set<string>();
let examplesRun = 0;

/** Fastify announces each server that it makes, before the server has a route. */
subscribe('fastify.initialization', (message) => {
  (message as { fastify: FastifyInstance }).fastify.addHook('onRequest', async ({ headers, routeOptions }) => {
    const { operation } = routeOptions.config;
    if (operation && /^layaway-(cli|certify)/.test(headers['user-agent'] ?? '')) called.add(operation.operationId);
  });
});

const FOR_PAGES = 'The dashboard reads it; other commands and operations tell scripts the same.';
/** The operations that no command calls, and why none needs to. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  ...Object.fromEntries(BROWSE_OPERATIONS.map(({ operationId }) => [operationId, FOR_PAGES])),
  endContract: 'The dashboard ends a contract so, without a key; `contracts cancel` does it as the store.',
  openSession: 'The dashboard opens a session so, without a key; `sessions create` does it as the store.',
  saveAutomaticSnapshot: 'The dashboard saves one before it travels; `snapshots save` does it under a name.',
  getWorkspaceCoverage: '`coverage --all` sums over all accounts; its example shows one.',
  getEmailPage: 'A browser shows it; `emails get` prints the text.',
  getEmailFrame: 'A browser shows it inside the page of the email.',
  getRequest: '`logs list` prints requests with their bodies; the dashboard opens one.',
  reportDelivery: '`listen` reports the deliveries that it forwards; its example receives none.',
  previewSession: 'The merchant opens a preview in the dashboard; a store does not meet it.',
  getHealth: 'Commands ask it under their own connection to tell a simulator from another server.',
  exportScenario: '`trace scenario --contract` prints the same from a trace; the dashboard saves this one.',
  getControlDocument: '`openapi` prints the description of the service; this one is read by its URL.',
};

/** How a line that runs until it is stopped ended, once it had printed this text and made the call of its scene. */
async function stopped(line: string, until: string, { calls }: Scene, { start }: World) {
  const running = start(`exec ${line}`);
  await new Promise<void>((resolve) => {
    let shown = '';
    running.all?.on('data', (chunk) => {
      shown += chunk;
      if (shown.includes(until)) resolve();
    });
    running.on('exit', resolve);
  });
  if (calls) await expect.poll(() => [...called]).toContain(calls);
  running.kill('SIGTERM');
  return await running;
}

describe('interface §1: the example of each command works', () => {
  // Side by side: each has a simulator of its own, and most of the time it waits for the program.
  const options = needing('bash');
  test.concurrent.each(examples.flat())('$name: $example', options, async ({ name, example }) => {
    const scene = SCENES[name] as Scene;
    expect(scene, `what the example of ${name} should do is not written here`).toBeDefined();
    await using world = await furnished();
    await scene.before?.(world);
    const line = typed(example, world);
    const ended = await (scene.until === undefined ? world.type(line) : stopped(line, scene.until, scene, world));
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    await scene.after(ended, world);
    examplesRun += 1;
  });

  test(
    'interface §3: every operation of the control plane has a command, or needs none',
    needing('bash'),
    ({ skip }) => {
      skip(examplesRun < examples.flat().length, 'Only all the examples together call every operation.');
      const uncalled = CONTROL_OPERATIONS.map(({ operationId }) => operationId).filter((id) => !called.has(id));
      expect(uncalled.sort(), 'Call it from the example of a command, or say in WITHOUT_COMMAND why not').toEqual(
        Object.keys(WITHOUT_COMMAND).sort(),
      );
    },
  );

  test('no scene is left over', () => {
    expect(Object.keys(SCENES).sort()).toEqual(
      examples
        .flat()
        .map(({ name }) => name)
        .sort(),
    );
  });
});
