import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CertifyError,
  certify,
  createClient,
  isCertified,
  LayawayError,
  mergeCoverage,
  packTrace,
  readTrace,
  runScenario,
  type SandboxShop,
  type Simulator,
  scenarioOfTrace,
  createSimulator as start,
  summarizeTrace,
  verifyWebhook,
} from '../../src/index.ts';
import { SITUATIONS } from '../../src/operations/coverage.ts';

/** As a caller without types sees them. */
type Untyped = (...given: unknown[]) => unknown;
const untyped = (method: object) => method as Untyped;

let sim: Simulator;
let shop: SandboxShop;
beforeAll(async () => {
  sim = await start({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await sim.merchant();
});
afterAll(() => sim.close());

const ORDER = { order_reference: 'A-1', total_amount: 20_000 };
const SCENARIO = { name: 'a day', steps: [{ advance: { by: '1d' } }] };
/** Its sum with itself would be 11. */
const MISCOUNTED = {
  situations: SITUATIONS.map(({ id }) => ({ id, met: '1', first: { at: '2026', kind: 'request', id: null } })),
  findings: [],
};
const URL_OF_NOBODY = 'http://127.0.0.1:1/webhooks';
const NUMBER_OF_MS = 'must be a number of milliseconds of at least 0.';

/** Both calls that throw and calls that reject. */
const refusalOf = async (call: () => unknown) => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return null;
};

describe('interface §4: a mistyped or wrong option is refused, so that no test passes wrongly', () => {
  test.each<[string, () => unknown, string]>([
    [
      'clock.advance, which would move the clock',
      () => untyped(shop.clock.advance)('14d', { dry_run: true }),
      'clock.advance has no option "dry_run". Did you mean dryRun?',
    ],
    [
      'clock.advance without an object',
      () => untyped(shop.clock.advance)('14d', null),
      'The options of clock.advance must be an object.',
    ],
    [
      'clock.freeze',
      () => untyped(shop.clock.freeze)({ wait: 'yes' }),
      'The option wait of clock.freeze must be true or false.',
    ],
    [
      'sessions.create, which would open a second session',
      () => untyped(shop.sessions.create)(ORDER, { idempotency_key: 'k' }),
      'createSession has no option "idempotency_key". Did you mean idempotencyKey?',
    ],
    [
      'a name that every object has',
      () => untyped(shop.sessions.create)(ORDER, { constructor: 'k' }),
      'createSession has no option "constructor". Available: idempotencyKey.',
    ],
    [
      'sessions.pay, which would pay instead of declining',
      () => untyped(shop.sessions.pay)('cs_1', { outcom: 'fail' }),
      'sessions.pay has no option "outcom". Did you mean outcome?',
    ],
    [
      'sessions.accept',
      () => untyped(shop.sessions.accept)('cs_1'),
      'The options of sessions.accept must be an object.',
    ],
    [
      'sessions.complete',
      () => untyped(shop.sessions.complete)('cs_1', null),
      'The options of sessions.complete must be an object.',
    ],
    [
      'sessions.accept, which would wait',
      () => untyped(shop.sessions.accept)('cs_1', { customer_name: 'Ada Byron', wait: 'no' }),
      'The option wait of sessions.accept must be true or false.',
    ],
    [
      'sessions.complete, which would wait',
      () => untyped(shop.sessions.complete)('cs_1', { wait: 'no' }),
      'The option wait of sessions.complete must be true or false.',
    ],
    [
      'sessions.cancel',
      () => untyped(shop.sessions.cancel)('cs_1', { waits: true }),
      'sessions.cancel has no option "waits". Did you mean wait?',
    ],
    [
      'contracts.create',
      () => untyped(shop.contracts.create)({}, { waits: true }),
      'contracts.create has no option "waits". Did you mean wait?',
    ],
    [
      'contracts.cancel',
      () => untyped(shop.contracts.cancel)('LAY-1', { waits: true }),
      'contracts.cancel has no option "waits". Did you mean wait?',
    ],
    [
      'contracts.settle',
      () => untyped(shop.contracts.settle)('LAY-1', 1, { waits: true }),
      'contracts.settle has no option "waits". Did you mean wait?',
    ],
    [
      'contracts.settle, in the place of the number',
      () => untyped(shop.contracts.settle)('LAY-1', { waits: true }),
      'contracts.settle has no option "waits". Did you mean wait?',
    ],
    [
      'contracts.list, which would give all of them',
      () => untyped(shop.contracts.list)({ statuses: 'active' }),
      'listContracts has no option "statuses". Did you mean status?',
    ],
    [
      'contracts.listAll, which would give every page',
      () => untyped(shop.contracts.listAll)({ page: 2 }),
      'contracts.listAll has no option "page". Available: status.',
    ],
    [
      'contracts.find, which would narrow to overdue ones',
      () => untyped(shop.contracts.find)({ overdue: 'no' }),
      'The option overdue of contracts.find must be true or false.',
    ],
    [
      'contracts.find without an object',
      () => untyped(shop.contracts.find)(null),
      'The options of contracts.find must be an object.',
    ],
    [
      'emails.wait without an object',
      () => untyped(shop.emails.wait)(null),
      'The options of emails.wait must be an object.',
    ],
    [
      'emails.wait with its time limit in a second object',
      () => untyped(shop.emails.wait)({ to: 'ada@example.com' }, { timeoutMs: 100 }),
      'emails.wait takes one object, with timeoutMs beside what it looks for.',
    ],
    [
      'logs.list with a promise, which would list every request',
      () => untyped(shop.logs.list)(Promise.resolve({ status: 500 })),
      'The options of logs.list must be a plain object.',
    ],
    [
      'logs.tail with a Map, which would give every request',
      () => untyped(shop.logs.tail)(new Map([['path', '/v1/ping']])),
      'The options of logs.tail must be a plain object.',
    ],
    [
      'snapshots.save with true, which would not overwrite',
      () => untyped(sim.snapshots.save)('a', true),
      'The options of snapshots.save must be an object.',
    ],
    [
      'webhooks.test, which would send a genuine one',
      () => untyped(shop.webhooks.test)('we_1', { forge: true }),
      'webhooks.test has no option "forge". Did you mean forged?',
    ],
    [
      'events.wait',
      () => untyped(shop.events.wait)('session.completed', { timeout: 1 }),
      'events.wait has no option "timeout". Did you mean timeoutMs?',
    ],
    [
      'emails.wait',
      () => untyped(shop.emails.wait)({ timeout: '1s' }),
      'emails.wait has no option "timeout". Did you mean timeoutMs?',
    ],
    [
      'emails.wait for a subject that is no regular expression',
      () => untyped(shop.emails.wait)({ subject: 'past due' }),
      'The option subject of emails.wait must be a regular expression.',
    ],
    ...['after', 'contract', 'session'].map((name): [string, () => unknown, string] => [
      `events.wait for an empty ${name}, which would take any event`,
      () => untyped(shop.events.wait)('contract.activated', { [name]: '' }),
      `The option ${name} of events.wait must be a string that is not empty.`,
    ]),
    ...['after', 'to', 'reference'].map((name): [string, () => unknown, string] => [
      `emails.wait for an empty ${name}, which would take any email`,
      () => untyped(shop.emails.wait)({ [name]: ' ' }),
      `The option ${name} of emails.wait must be a string that is not empty.`,
    ]),
    ['inject without an object', () => untyped(sim.inject)(), 'The options of inject must be an object.'],
    ['inject without a URL', () => untyped(sim.inject)({}), 'inject needs a url, such as /v1/ping.'],
    ['inject with an empty URL', () => untyped(sim.inject)({ url: '' }), 'inject needs a url, such as /v1/ping.'],
    [
      'inject with Headers, of which nothing would be sent',
      () => untyped(sim.inject)({ url: '/v1/ping', headers: new Headers(shop.headers) }),
      'The option headers of inject must be an object of names and values, such as shop.headers.',
    ],
    [
      'inject, which would read instead of writing',
      () => untyped(sim.inject)({ methd: 'POST', url: '/v1/sessions' }),
      'inject has no option "methd". Did you mean method?',
    ],
    [
      'inject with another method',
      () => untyped(sim.inject)({ method: 'TRACE', url: '/v1/ping' }),
      'The option method of inject must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS.',
    ],
    ...[
      ['GET', '/_sim/events/stream'],
      ['get', '/_sim/webhook-endpoints/we_1/stream?x=1'],
    ].map(([method, url]): [string, () => unknown, string] => [
      `inject of a stream: ${url}`,
      () => untyped(sim.inject)({ method, url, headers: shop.headers }),
      `GET ${url} is a stream of events, which never ends, and inject waits for the whole response. Use fetch() with the URL of the simulator, or shop.events.tail().`,
    ]),
    [
      'events.wait without a type',
      () => untyped(shop.events.wait)(),
      'events.wait needs the type of an event, such as session.completed.',
    ],
    [
      'events.wait for an empty type, which no event has',
      () => untyped(shop.events.wait)(''),
      'events.wait needs the type of an event, such as session.completed.',
    ],
    [
      'events.wait for a contract of an event that names its session',
      () => shop.events.wait('session.completed', { contract: 'LAY-1' }),
      'events.wait: session.completed events have no contract. Leave out contract.',
    ],
    ...(['1s', Number.NaN, -1, null] as const).map((timeoutMs): [string, () => unknown, string] => [
      `events.wait, which would never end: ${timeoutMs}`,
      () => untyped(shop.events.wait)('session.completed', { timeoutMs }),
      `The option timeoutMs of events.wait ${NUMBER_OF_MS}`,
    ]),
    [
      'emails.wait, which would never end',
      () => untyped(shop.emails.wait)({ timeoutMs: '1s' }),
      `The option timeoutMs of emails.wait ${NUMBER_OF_MS}`,
    ],
    [
      'events.tail',
      () => untyped(shop.events.tail)({ from: 'evt_1' }),
      'tail has no option "from". Available: after, signal.',
    ],
    [
      'logs.tail',
      () => untyped(shop.logs.tail)({}, { signal: new AbortController() }),
      'The option signal of tail must be an AbortSignal.',
    ],
    [
      'events.tail after an empty id, which would repeat events',
      () => untyped(shop.events.tail)({ after: '' }),
      'The option after of tail must be a string that is not empty.',
    ],
    [
      'events.tail with a signal alone, which would not end it',
      () => untyped(shop.events.tail)(new AbortController().signal),
      'The options of tail must be a plain object. Available: after, signal.',
    ],
    [
      'emails.wait with a promise, which would take any email',
      () => untyped(shop.emails.wait)(Promise.resolve({ to: 'ada@example.com' })),
      'The options of emails.wait must be a plain object. Available: timeoutMs, to, reference, after, subject.',
    ],
    [
      'contracts.find with a Map, which would find every contract',
      () => untyped(shop.contracts.find)(new Map([['status', 'active']])),
      'The options of contracts.find must be a plain object.',
    ],
    ['sim.merchant', () => untyped(sim.merchant)(null), 'The options of merchant must be an object.'],
    [
      'the clock of sim.merchant',
      () => untyped(sim.merchant)({ clock: { frozen_at: '2026-01-01T00:00:00Z' } }),
      'clock has no option "frozen_at". Did you mean frozenAt?',
    ],
    [
      'runScenario',
      () => untyped(runScenario)(SCENARIO, { sede: 2 }),
      'runScenario has no option "sede". Did you mean seed?',
    ],
    [
      'runScenario with a promise of a simulator',
      () => untyped(runScenario)(SCENARIO, { sim: Promise.resolve(sim) }),
      'The option sim of runScenario must be a running simulator, such as the one that createSimulator resolves with.',
    ],
    [
      'runScenario without options',
      () => untyped(runScenario)(SCENARIO, null),
      'The options of runScenario must be an object.',
    ],
    [
      'runScenario without a scenario',
      () => untyped(runScenario)(),
      'The scenario of runScenario must be the path of a file, or its content as an object.',
    ],
    ...[new URL('file:///shop/scenario.yaml'), Promise.resolve(SCENARIO)].map(
      (source): [string, () => unknown, string] => [
        `runScenario with neither: ${Object.prototype.toString.call(source)}`,
        () => untyped(runScenario)(source),
        'The scenario of runScenario must be the path of a file, or its content as an object.',
      ],
    ),
    [
      'verifyWebhook, which would keep the default',
      () => untyped(verifyWebhook)('{}', {}, shop.webhookSecret, { tolerance: 5 }),
      'verifyWebhook has no option "tolerance". Did you mean toleranceSeconds?',
    ],
    [
      'verifyWebhook with a duration',
      () => untyped(verifyWebhook)('{}', {}, shop.webhookSecret, { toleranceSeconds: '5m' }),
      'The option toleranceSeconds of verifyWebhook must be a number of at least 0.',
    ],
    ...(['packTrace', 'summarizeTrace', 'scenarioOfTrace'] as const).map((name): [string, () => unknown, string] => [
      `${name} with a promise of a trace`,
      () => untyped({ packTrace, summarizeTrace, scenarioOfTrace }[name])(sim.trace()),
      `The trace of ${name} must be a trace, as readTrace returns it.`,
    ]),
    ...['failed.layaway', Promise.resolve(new Uint8Array()), undefined].map(
      (bytes): [string, () => unknown, string] => [
        `readTrace without bytes: ${String(bytes)}`,
        () => untyped(readTrace)(bytes),
        'readTrace needs the bytes of a trace file, as readFile returns them, not its path or a promise.',
      ],
    ),
    ...[{}, Promise.resolve()].map((certificate): [string, () => unknown, string] => [
      `isCertified without a certificate: ${certificate}`,
      () => untyped(isCertified)(certificate),
      'isCertified needs a certificate, such as the one that certify resolves with.',
    ]),
    ...[undefined, {}, [null], [Promise.resolve()], [{ situations: [] }], [{ findings: [] }], [MISCOUNTED]].map(
      (reports): [string, () => unknown, string] => [
        `mergeCoverage without reports: ${JSON.stringify(reports)?.slice(0, 80)}`,
        () => untyped(mergeCoverage)(reports),
        'mergeCoverage needs a list of coverage reports, such as the one that shop.coverage() resolves with.',
      ],
    ),
    [
      'createClient',
      () => untyped(createClient)({ baseUrl: sim.url, clientID: 'x', apiKey: 'y' }),
      'createClient has no option "clientID". Did you mean clientId?',
    ],
    [
      'createClient with a variable that is not set',
      () => untyped(createClient)({ baseUrl: sim.url, clientId: undefined, apiKey: 'y' }),
      'createClient needs the option clientId.',
    ],
    ['createClient without options', () => untyped(createClient)(), 'The options of createClient must be an object.'],
  ])('%s', async (_name, call, message) => {
    const refused = await refusalOf(call);
    expect(refused).toBeInstanceOf(TypeError);
    expect((refused as Error).message).toBe(message);
  });

  test('nothing happened: the clock stands, and no session was opened', async () => {
    expect((await shop.clock.show()).now).toBe('2026-01-01T00:00:00.000000Z');
    expect(await shop.sessions.list()).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['no options', undefined, 'The options of certify must be an object.'],
    ['a URL alone', URL_OF_NOBODY, 'The options of certify must be an object.'],
    ['a mistyped name', { secrets: 'x' }, 'certify has no option "secrets". Did you mean secret?'],
    ['one check', { only: 'genuine' }, 'The option only of certify must be a list of strings.'],
    ['another level', { level: 'may' }, 'The option level of certify must be must or should.'],
    ['another mode', { mode: 'test' }, 'The option mode of certify must be sandbox or live.'],
    ['another sender', { sendsFrom: 'there' }, 'The option sendsFrom of certify must be server or here.'],
    [
      'the address of a server',
      { server: 'http://127.0.0.1:4747' },
      'The option server of certify must be a running simulator, such as the one that createSimulator resolves with.',
    ],
    ['half a shop', { shop: {} }, 'The option shop of certify must be a shop, such as sim.default.'],
    [
      'a header that HTTP does not allow',
      { headers: { 'a b': 'c' } },
      'The option headers of certify must be an object of names and values that HTTP allows.',
    ],
    [
      'Headers, of which nothing would be sent',
      { headers: new Headers({ 'x-gateway': 'key' }) },
      'The option headers of certify must be an object of names and values that HTTP allows.',
    ],
    [
      'the controller of a signal',
      { signal: new AbortController() },
      'The option signal of certify must be an AbortSignal.',
    ],
    ['no observer', { observe: 5 }, 'The option observe of certify must be a command, a URL or a function.'],
  ])('certify: %s', async (_name, given, message) => {
    const options = given !== null && typeof given === 'object' ? { url: URL_OF_NOBODY, ...given } : given;
    const refused = await refusalOf(() => untyped(certify)(options));
    expect(refused).toBeInstanceOf(CertifyError);
    expect(refused).toMatchObject({ code: 'usage', message });
  });

  test('an option that is undefined counts as left out', async () => {
    const left = { wait: undefined, dryRun: undefined };
    expect(await untyped(shop.clock.advance)('0s', left)).toMatchObject({ happened: [] });
    expect(await untyped(runScenario)(SCENARIO, { seed: undefined, sim: undefined })).toMatchObject({
      status: 'passed',
    });
    const order = { ...ORDER, return_url: undefined, cancel_url: undefined };
    const urls = { return_url: 'https://example.com/return', cancel_url: 'https://example.com/cancel' };
    const other = await sim.merchant();
    expect(await untyped(other.sessions.create)(order)).toMatchObject(urls);
    expect(await untyped(other.sessions.preview)(order)).toMatchObject(urls);
  });

  test('emails.wait without options waits for any email', async () => {
    const other = await sim.merchant();
    const { id } = await other.sessions.create(ORDER);
    await other.sessions.complete(id, { customer_email: 'ada@example.com' });
    expect(await other.emails.wait()).toMatchObject({ to: 'ada@example.com' });
  });
});

describe('interface §4: what is no body, no filter and no failure is named, and nothing happens', () => {
  test.each<[string, () => unknown, string]>([
    [
      'assumptions.set as the command takes it',
      () => untyped(shop.assumptions.set)('grace_days', 3),
      'PATCH /_sim/settings needs its body as an object, not a string.',
    ],
    [
      'faults.add with a kind alone',
      () => untyped(shop.faults.add)('lost_answer'),
      'POST /_sim/faults needs its body as an object, not a string.',
    ],
    [
      'contracts.create with a status alone',
      () => untyped(shop.contracts.create)('delinquent'),
      'POST /_sim/contracts needs its body as an object, not a string.',
    ],
    [
      'keys.create with a list of scopes',
      () => untyped(shop.keys.create)(['checkout:read']),
      'POST /_sim/keys needs its body as an object, not a list.',
    ],
    [
      'v1.updateContract',
      () => untyped(shop.v1.updateContract)('LAY-1', 7),
      'PATCH /v1/contracts/{reference} needs its body as an object, not a number.',
    ],
    [
      'assumptions.set with a Map, which would set nothing',
      () => untyped(shop.assumptions.set)(new Map([['grace_days', 3]])),
      'PATCH /_sim/settings needs its body as a plain object.',
    ],
    [
      'events.list with URLSearchParams, which would list every event',
      () => untyped(shop.events.list)(new URLSearchParams({ type: 'contract.cancelled' })),
      'GET /_sim/events needs its query as a plain object.',
    ],
    [
      'events.list with a type alone',
      () => untyped(shop.events.list)('contract.cancelled'),
      'GET /_sim/events needs its query as an object, not a string.',
    ],
    [
      'sessions.create',
      () => untyped(shop.sessions.create)('A-1'),
      'The options of sessions.create must be an object.',
    ],
    [
      'sessions.preview',
      () => untyped(shop.sessions.preview)('A-1'),
      'The options of sessions.preview must be an object.',
    ],
    [
      'webhooks.add with an event alone',
      () => untyped(shop.webhooks.add)(URL_OF_NOBODY, 'contract.cancelled'),
      'The options of webhooks.add must be an object.',
    ],
    ['trace with a name alone', () => untyped(sim.trace)('a test'), 'The options of trace must be an object.'],
    [
      'trace without messages',
      () => untyped(sim.trace)({ what: 'a test', exit_code: 1 }),
      'trace needs the option messages.',
    ],
    [
      'trace with one message',
      () => untyped(sim.trace)({ what: 'a test', exit_code: 1, messages: 'it failed' }),
      'The option messages of trace must be a list of strings.',
    ],
  ])('%s', async (_name, call, message) => {
    const before = await shop.assumptions.get();
    const refused = await refusalOf(call);
    expect(refused).toBeInstanceOf(TypeError);
    expect((refused as Error).message).toBe(message);
    expect(await shop.assumptions.get()).toEqual(before);
    expect([await shop.contracts.find(), await shop.faults.list(), await shop.webhooks.list()]).toEqual([[], [], []]);
  });
});

describe('interface §4: what is not an id is named', () => {
  test.each<[string, () => unknown, string]>([
    [
      'nothing',
      () => untyped(shop.sessions.get)(),
      'GET /v1/checkout-sessions/{id} needs its id as a string, not undefined.',
    ],
    [
      'the whole session',
      () => untyped(shop.sessions.complete)({ id: 'cs_1' }),
      'POST /_sim/sessions/{id}/complete needs its id as a string, not an object.',
    ],
    [
      'null',
      () => untyped(sim.snapshots.restore)(null),
      'POST /_sim/snapshots/{name}/restore needs its name as a string, not null.',
    ],
    ['an empty text', () => shop.sessions.complete(''), 'POST /_sim/sessions/{id}/complete needs its id, not "".'],
    [
      'another path',
      () => shop.v1.cancelContract('..'),
      'POST /v1/contracts/{reference}/cancel needs its reference, not "..".',
    ],
    ['half a character', () => shop.explain('\ud83c'), 'GET /_sim/explain/{id} needs its id, not "\\ud83c".'],
  ])('%s', async (_name, call, message) => {
    const refused = await refusalOf(call);
    expect(refused).toBeInstanceOf(TypeError);
    expect((refused as Error).message).toBe(message);
  });

  test('assumptions.reset refuses an unknown name as assumptions.set does', async () => {
    const refused = await refusalOf(() => untyped(shop.assumptions.reset)('grace'));
    expect(refused).toBeInstanceOf(LayawayError);
    expect(refused).toMatchObject({ status: 422, message: 'The grace field is not known. Did you mean grace_days?' });
  });
});
