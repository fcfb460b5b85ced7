import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSimulator, runScenario, ScenarioError } from '../../src/index.ts';
import { place } from '../../src/scenario/interpolate.ts';
import { openReceiver } from '../support/receiver.ts';

async function written(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'layaway-scenario-')), 'a.yaml');
  await writeFile(file, text);
  return file;
}

const refusal = (played: Promise<unknown>) =>
  played.then(
    () => expect.unreachable('it was played'),
    (error: unknown) => error,
  );

const OPENED = { name: 'opened', steps: [{ 'create-session': { order_reference: 'A-1', total_amount: 20000 } }] };

test('interface §5: a wrong file rejects with every mistake and its place, and no exit code', async () => {
  const file = await written('name: x\nsteps:\n  - pai: {}\n  - advance: { by: 1d, too: x }\n');
  const error = (await refusal(runScenario(file))) as ScenarioError;
  expect(error).toBeInstanceOf(ScenarioError);
  expect(error).toMatchObject({ name: 'ScenarioError', file, line: 3, column: 5 });
  expect(error.mistakes).toEqual([
    { file, line: 3, column: 5, message: 'steps[0]: pai is not known. Did you mean pay?' },
    { file, line: 4, column: 24, message: 'steps[1].advance: too is not known. Did you mean to?' },
  ]);
  expect(error.message).toBe(
    `${file}:3:5 steps[0]: pai is not known. Did you mean pay?\n` +
      `${file}:4:24 steps[1].advance: too is not known. Did you mean to?`,
  );
  expect(error).not.toHaveProperty('code');
});

test.each([
  ['text that is not YAML', 'name: "x\nsteps: [\n', { line: 3 }],
  ['an unknown name', `name: x\nsteps: [{ pay: { session: "${place('a.id')}" } }]\n`, { line: 2, column: 27 }],
])('interface §5: %s rejects with its place', async (_name, text, where) => {
  const file = await written(text);
  expect(await refusal(runScenario(file))).toMatchObject({ name: 'ScenarioError', file, ...where });
});

test.each([
  ['a value that has only one form', '[{ advance: { next: false } }]', '2:28 steps[0].advance.next must be true'],
  [
    'an amount that no number holds exactly',
    '[{ create-session: { order_reference: A, total_amount: 9007199254740993 } }]',
    '2:63 steps[0].create-session.total_amount must be a whole number, not 9007199254740992',
  ],
  [
    'a long text in the place of a number, by its first characters',
    `[{ receiver: [${'x'.repeat(200)}] }]`,
    `2:22 steps[0].receiver[0] must be a whole number, not "${'x'.repeat(79)}…`,
  ],
  [
    'a key that every object has',
    '[{ advance: { by: 1d, toString: 1 } }]',
    '2:30 steps[0].advance: toString is not known. Available: by, to, next, until.',
  ],
  ['a step that is nothing', '[null]', '2:9 steps[0] must be a map, not nothing'],
  [
    'a step with a mistake, but none of those that refer to it,',
    `[{ accept: 1, as: order }, { pay: { session: "${place('order.id')}" } }]`,
    '2:19 steps[0].accept must be a map, not 1',
  ],
  [
    'a name that no step bears, in what is expected',
    `[{ advance: { by: 1d }, expect: { body: { a: ["${place('order.id')}"] } }, as: day }]`,
    '2:54 steps[0].expect.body.a[0] refers to order, which no earlier step defines. Available: merchant, server, day.',
  ],
  [
    'the name that a step gives its own response, in what it sends,',
    `[{ pay: { session: "${place('order.id')}" }, as: order }]`,
    '2:27 steps[0].pay.session refers to order, which no earlier step defines. Available: merchant, server.',
  ],
  [
    'a wait for the contract of an event that names its session',
    '[{ wait: { event: session.completed, contract: LAY-1 } }]',
    '2:55 steps[0].wait.contract does not apply to session.completed, which names its session. Use session.',
  ],
  [
    'a wait for the session of a test event',
    '[{ wait: { event: webhook.test, session: cs_1 } }]',
    '2:49 steps[0].wait.session does not apply to webhook.test. Leave it out.',
  ],
  [
    'a month of real time, which has no fixed length',
    '[{ wait: { event: session.completed, timeout: 1mo } }]',
    '2:54 steps[0].wait.timeout must be a duration in real time, such as 30s or 2m',
  ],
  [
    'a place without quotes, which YAML takes for a map',
    `[{ pay: { session: ${place('order.id')} } }, { advance: { until: ${place('plan.reference')}#1=paid } }]`,
    `2:27 ${place('order.id')} needs quotes inside { } or [ ], such as "${place('order.id')}"`,
  ],
  [
    'a place without quotes in a list',
    `[{ outcomes: { contract: x, outcomes: [${place('how')}, pay] } }]`,
    `2:47 ${place('how')} needs quotes inside { } or [ ], such as "${place('how')}"`,
  ],
  [
    'a tag that nothing resolves',
    '[{ create-session: { order_reference: !env ORDER, total_amount: 20000 } }]',
    '2:46 !env is not a known tag. Leave it out or, if it is part of the value, use quotes.',
  ],
  [
    'a tag of YAML whose value is of another type',
    '[{ create-session: { order_reference: A-1, total_amount: !!int 5.5 } }]',
    '2:65 !!int does not fit its value. Leave it out.',
  ],
  [
    'a bracket too many, without what the parser takes for mistakes after it',
    '[{ advance: { by: 1d } }]\n}\nclock: "2026-01-01"',
    '3:1 Unexpected flow-map-end token in YAML stream: "}"',
  ],
  [
    'the status of an installment as that of its contract',
    '[{ create-contract: { status: delinquent } }]',
    '2:38 steps[0].create-contract.status cannot be delinquent, but status under installment can. Available here: pending, active, completed, cancelled, defaulted.',
  ],
  ['an empty clock', '[{ advance: { by: 1d } }]\nclock: ""', '3:8 clock must not be empty'],
])('interface §5: %s is told with its place, alone', async (_name, steps, sentence) => {
  const file = await written(`name: x\nsteps: ${steps}\n`);
  expect(((await refusal(runScenario(file))) as Error).message).toBe(`${file}:${sentence}`);
});

test('interface §5: a missing key is told beside a misspelt one that stands deeper', async () => {
  const file = await written('steps: [{ advanse: { by: 1d } }]\n');
  expect(((await refusal(runScenario(file))) as Error).message).toBe(
    `${file}:1:1 The scenario needs name\n${file}:1:11 steps[0]: advanse is not known. Did you mean advance?`,
  );
});

test('interface §5: a folder is told with the files to name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'layaway-scenario-'));
  expect(await refusal(runScenario(`${folder}//`))).toMatchObject({
    message: `${folder}// is a directory. Name the files in it: ${folder}/*.yaml`,
  });
});

test('interface §5: a file that is not there rejects without a line', async () => {
  expect(await refusal(runScenario('none.yaml'))).toMatchObject({
    name: 'ScenarioError',
    message: 'There is no file none.yaml.',
    file: 'none.yaml',
    line: null,
    column: null,
  });
});

test('interface §5: an object that is wrong is told as a file named scenario would be', async () => {
  const error = await refusal(runScenario({ name: 'x', steps: [{ advnce: { by: '1d' } }] }));
  expect(error).toBeInstanceOf(ScenarioError);
  expect(error).toMatchObject({ file: 'scenario', line: 1, column: 23 });
});

test('interface §5: rate_limit on a given simulator rejects with its place', async () => {
  await using sim = await createSimulator();
  const file = await written('name: x\nrate_limit: 3\nsteps: [{ advance: { by: 1d } }]\n');
  const error = (await refusal(runScenario(file, { sim }))) as Error;
  expect(error).toBeInstanceOf(ScenarioError);
  expect(error).toMatchObject({ file, line: 2, column: 1 });
  expect(error.message).toContain('Play it without `sim`.');
});

test('random faults belong to the simulator: with a given one they are refused', async () => {
  await using sim = await createSimulator();
  const error = (await refusal(runScenario(OPENED, { sim, chaos: { seed: 1, percent: 10 } }))) as Error;
  expect(error.message).toBe('chaos is an option of createSimulator(): pass it there.');
});

test('interface §5: a server that is not a simulator with this token is an error of its own', async () => {
  const sim = await createSimulator();
  const { url, controlToken } = sim;
  const stranger = (await refusal(runScenario(OPENED, { sim: { url, controlToken: 'wrong' } }))) as Error;
  expect(stranger).not.toBeInstanceOf(ScenarioError);
  expect(stranger.message).toContain(`${url} created no merchant for the scenario. The control token does not match`);
  await sim.close();
  const nobody = (await refusal(runScenario(OPENED, { sim: { url, controlToken } }))) as Error;
  expect(nobody.message).toContain(`${url} gave no response`);
});

test('interface §5: a free request carries the credentials that its path asks for', async () => {
  const asked = (path: string, status: number) => ({ request: { method: 'GET', path }, expect: { status } });
  const report = await runScenario({
    name: 'credentials',
    steps: [
      asked('/v1/ping', 200),
      asked('/%76%31/ping', 200),
      asked('/_sim/clock', 200),
      asked('/%5Fsim/cl%6Fck', 200),
      asked('/_sim/merchants?limit=1', 200),
      asked('/_sim/browse/accounts', 200),
      asked('/_sim/browse/assumptions', 200),
      asked('/_sim/merchants-of-old', 404),
      asked('/v1/%', 404),
    ],
  });
  expect(report.steps.map(({ status, problem, differences }) => ({ status, problem, differences }))).toEqual(
    report.steps.map(() => ({ status: 'passed', problem: undefined, differences: [] })),
  );
});

test('interface §8: create-contract makes a contract in any state, and later steps use it', async () => {
  const played = await runScenario({
    name: 'a past due installment is settled',
    steps: [
      {
        'create-contract': { installment: { number: 2, status: 'past_due' }, webhooks: false },
        as: 'plan',
        expect: { status: 201, body: { data: { order_reference: '/^ORDER-/', installments: [{}, {}, {}] } } },
      },
      { settle: { contract: place('plan.reference'), installment: 2 }, expect: { happened: ['installment.paid'] } },
      {
        'create-contract': { installment: { number: 5, status: 'past_due' } },
        expect: { status: 422, body: { errors: { 'installment.number': ['/greater than 4/'] } } },
      },
    ],
  });
  expect(played.status).toBe('passed');
});

test('interface §5: emails and deliveries match in their order, the oldest first', async () => {
  const ended = async (key: 'emails' | 'deliveries', expected: object[]) => {
    const { status } = await runScenario({
      name: 'a contract that is paid and cancelled',
      steps: [
        { receiver: [], as: 'store' },
        { endpoint: { url: place('store.url'), events: ['contract.activated', 'contract.cancelled'] } },
        { 'create-session': { order_reference: 'A-1', total_amount: 20000 }, as: 'order' },
        { 'complete-checkout': { session: place('order.id'), customer_email: 'ada@example.com' }, as: 'plan' },
        {
          'create-contract': { installment: { number: 2, status: 'delinquent' }, customer_email: 'ada@example.com' },
          expect: key === 'emails' ? { emails: expected } : {},
        },
        {
          'cancel-contract': { contract: place('plan.reference') },
          expect: key === 'deliveries' ? { deliveries: expected } : {},
        },
      ],
    });
    return status;
  };
  const emails = [{ subject: '/past due/i' }, { template: 'delinquent_notice' }];
  expect(await ended('emails', emails)).toBe('passed');
  expect(await ended('emails', emails.toReversed())).toBe('failed');
  const deliveries = [{ event_type: 'contract.activated' }, { event_type: 'contract.cancelled' }];
  expect(await ended('deliveries', deliveries)).toBe('passed');
  expect(await ended('deliveries', deliveries.toReversed())).toBe('failed');
});

test('interface §13: an endpoint takes any certificate only when its step says so', async () => {
  await using receiver = await openReceiver([], { https: true });
  const sent = async (endpoint: object, delivery: object) => {
    const { status, steps } = await runScenario({
      name: 'a receiver with a self-signed certificate',
      steps: [
        { endpoint: { url: receiver.url, events: ['contract.activated'], ...endpoint } },
        { 'create-contract': {}, expect: { deliveries: [delivery] } },
      ],
    });
    const actual = steps.flatMap(({ differences }) => differences.map((each) => each.actual));
    return { status, problems: steps.map(({ problem }) => problem), actual };
  };
  const right = { status: 'passed', problems: [undefined, undefined], actual: [] };
  expect(await sent({}, { status: 'pending', attempts: [{ status_code: null }] })).toEqual(right);
  expect(await sent({ insecure: true }, { status: 'delivered' })).toEqual(right);
  const attempts = [{ status_code: null, error: expect.stringContaining('self-signed') }];
  expect((await sent({}, { status: 'delivered' })).actual).toEqual([[{ status: 'pending', attempts }]]);
});

test.each([5, true, [1], { a: 1 }])('interface §5: a request sends the body %j as JSON', async (body) => {
  const sent = { 'content-type': 'application/json', 'content-length': String(JSON.stringify(body).length) };
  const report = await runScenario({
    name: 'a body',
    steps: [
      { request: { method: 'POST', path: '/v1/sessions', body }, expect: { status: 422 } },
      {
        request: { method: 'GET', path: '/_sim/requests' },
        expect: { body: { data: [{ request_headers: sent }] } },
      },
    ],
  });
  expect(report.steps.map(({ problem, differences }) => [problem, differences])).toEqual(
    report.steps.map(() => [undefined, []]),
  );
});

test('interface §5: what happened is every event of an advance, beyond the thousand that it lists, too', async () => {
  const report = await runScenario({
    name: 'many',
    steps: [
      { settings: { installment_count: 24, installment_cadence: 'weekly' } },
      ...Array.from({ length: 45 }, () => ({ 'create-contract': { webhooks: false } })),
      { advance: { by: '170d' }, expect: { happened: Array.from({ length: 1_000 }, () => 'installment.paid') } },
    ],
  });
  const [difference] = report.steps.at(-1)?.differences ?? [];
  expect(difference).toMatchObject({ at: 'happened' });
  expect(difference?.actual).toHaveLength(45 * 25);
});

test('interface §5: what a step waits for in vain is shown beside the newest that came', async () => {
  const file = await written(`name: in vain
steps:
  - create-contract: { customer_email: ada@example.com, webhooks: false }
  - wait: { email: { to: bob@example.com }, timeout: 0s }
`);
  const { steps } = await runScenario(file);
  expect(steps[1]).toMatchObject({
    problem: 'No email like this came within 0s. The clock of a scenario moves only with `advance`.',
    differences: [
      {
        ...{ at: 'wait.email', line: 4, column: 13 },
        expected: [{ to: 'bob@example.com' }],
        actual: [{ to: 'ada@example.com' }],
      },
    ],
  });
  const delivery = { status: 'delivered' };
  const played = await runScenario({ name: 'in vain', steps: [{ wait: { delivery, timeout: '0s' } }] });
  expect(played.steps[0]?.differences).toMatchObject([{ at: 'wait.delivery', expected: [delivery], actual: [] }]);
  const undelivered = async (...before: object[]) => {
    const steps = [
      ...before,
      { receiver: [404], as: 'store' },
      { endpoint: { url: place('store.url'), events: ['contract.activated'] } },
      { 'create-contract': {} },
      { wait: { delivery, timeout: '0s' } },
    ];
    return (await runScenario({ name: 'undelivered', steps })).steps.at(-1)?.differences[0]?.actual;
  };
  expect(await undelivered()).toEqual([{ status: 'pending', attempts: [{ status_code: 404 }] }]);
  const delayed = { fault: { kind: 'delayed', event: 'contract.activated' } };
  expect(await undelivered(delayed)).toEqual([{ status: 'pending', attempts: [] }]);

  const event_type = 'contract.cancelled';
  const many = await runScenario({
    name: 'in vain',
    steps: [
      { receiver: [], as: 'store' },
      { endpoint: { url: place('store.url') } },
      { 'create-contract': { status: 'completed' } },
      { 'create-contract': {} },
      { wait: { delivery: { event_type }, timeout: '0s' } },
    ],
  });
  const checkout = ['session.decision_made', 'contract.activated', 'session.completed'];
  const newest = ['installment.paid', 'contract.completed', ...checkout];
  expect(many.steps[4]?.differences[0]?.actual).toEqual(newest.map((type) => ({ event_type: type })));
});

test('interface §5: where no item was expected, each is shown briefly', async () => {
  const { steps } = await runScenario({
    name: 'none',
    steps: [{ fault: { kind: 'slow' }, expect: { faults: [] } }],
  });
  expect(steps[0]?.differences).toMatchObject([{ at: 'faults', expected: [] }]);
  expect(steps[0]?.differences[0]?.actual).toEqual([{ kind: 'slow', met: 0 }]);
  const played = await runScenario({
    name: 'none',
    steps: [{ 'create-contract': { customer_email: 'ada@example.com' }, expect: { emails: [] } }],
  });
  expect(played.steps[0]?.differences[0]?.actual).toEqual([
    { to: 'ada@example.com', subject: '[Sandbox] Your layaway plan with Example Store' },
  ]);
});

test('interface §5: forms that hold a place are only known when it is', async () => {
  const metadata = { by: '1d', to: '2026-01-05', 色: 'red', kind: 'slow', status: '201', timeout: '0s' };
  const value = (name: keyof typeof metadata) => place(`order.metadata.${name}`);
  const { steps } = await runScenario({
    name: 'places',
    steps: [
      { 'create-session': { order_reference: 'A-1', total_amount: 20_000, metadata }, as: 'order' },
      { advance: { by: value('by') }, expect: { body: { data: { now: '/^2026-01-02/' } } } },
      { advance: { to: value('to') }, expect: { body: { data: { now: '/^2026-01-05/' } } } },
      { request: { method: 'GET', path: '/v1/ping', headers: { 'x-colour': value('色') } }, expect: { status: 200 } },
      {
        request: { method: 'GET', path: `/v1/checkout-sessions/${place('order.id')}` },
        expect: { body: { data: { id: `/^${place('order.id')}$/u` } } },
      },
      { fault: { kind: value('kind') }, expect: { body: { data: { kind: 'slow' } } } },
      { 'create-contract': {}, as: 'plan', expect: { status: value('status') } },
      {
        'update-contract': {
          contract: place('plan.reference'),
          metadata: { until: `${place('plan.reference')}#1=paid` },
        },
        as: 'changed',
      },
      { advance: { until: place('changed.metadata.until') }, expect: { happened: ['installment.paid'] } },
      { wait: { event: 'contract.cancelled', timeout: value('timeout') } },
    ],
  });
  expect(steps.map(({ status, problem }) => problem ?? status)).toEqual([
    ...Array(9).fill('passed'),
    'No contract.cancelled came within 0s. The clock of a scenario moves only with `advance`.',
  ]);
});

test('interface §5: a condition takes the contract and its installment from earlier answers', async () => {
  const until = `${place('plan.reference')}#${place('plan.installments[1].installment_number')}=paid`;
  const report = await runScenario({
    name: 'the first installment is collected',
    steps: [
      { 'create-contract': {}, as: 'plan' },
      { advance: { until }, expect: { happened: ['installment.paid'] } },
      { advance: { until: until.replace(place('plan.reference'), 'LAY-0000000000') }, expect: { status: 422 } },
    ],
  });
  expect(report).toMatchObject({ status: 'passed' });
});

test('interface §5: what a step sends and what it does not', async () => {
  const log = { request: { method: 'GET', path: '/_sim/requests' } };
  const logged = (expected: object) => ({ ...log, expect: { body: { data: [expected] } } });
  const order = OPENED.steps[0]?.['create-session'];
  const report = await runScenario({
    name: 'requests',
    steps: [
      { request: { method: 'POST', path: '/v1/sessions', body: null }, expect: { status: 422 } },
      logged({ request_body: null, request_headers: { 'user-agent': 'layaway-scenario' } }),
      { request: { method: 'POST', path: '/v1/sessions', body: 'text' }, expect: { status: 415 } },
      { request: { method: 'HEAD', path: '/v1/ping' }, expect: { status: 200, body: null } },
      {
        request: { method: 'GET', path: '/v1/ping', headers: { 'X-Api-Key': null, 'x-number': 5, 'x-flag': true } },
        expect: { status: 401 },
      },
      { ...logged({ request_headers: { 'x-number': '5', 'x-flag': 'true' } }), as: 'log' },
      {
        request: { method: 'GET', path: `/_sim/explain/${place('log.0.id')}` },
        expect: { body: { data: { summary: '/It sent no X-Api-Key header/' } } },
      },
      {
        'create-session': { ...order, return_url: 'https://a.example/r', preview: false },
        expect: { body: { data: { return_url: 'https://a.example/r', cancel_url: 'https://example.com/cancel' } } },
      },
      logged({ path: '/v1/sessions', status: 201 }),
      { advance: { to: '2020-01-01' }, expect: { status: 422, happened: [], events: [] } },
      { 'create-session': { ...order, order_reference: '€' }, as: 'order' },
      { 'create-session': { ...order, idempotency_key: place('order.order_reference') } },
    ],
  });
  expect(report.steps.map(({ status, problem, differences }) => problem ?? [status, differences])).toEqual([
    ...Array(11).fill(['passed', []]),
    'HTTP does not allow the value of the header idempotency-key.',
  ]);
});

test('interface §5: events and emails are those since the step began, also after steps without any', async () => {
  const nothing = { advance: { by: '1h' }, expect: { events: [], emails: [] } };
  const report = await runScenario({
    name: 'quiet',
    steps: [{ 'create-contract': {}, expect: { emails: [{}] } }, nothing, nothing],
  });
  expect(report).toMatchObject({ status: 'passed' });
});

test('interface §5: a wait is for the contract or the session that it names', async () => {
  const complete = (session: string) => ({ 'complete-checkout': { session: place(`${session}.id`) } });
  const report = await runScenario({
    name: 'two checkouts',
    steps: [
      { ...OPENED.steps[0], as: 'first' },
      { ...complete('first'), as: 'plan' },
      { ...OPENED.steps[0], as: 'second' },
      { ...complete('second'), as: 'other' },
      ...['plan', 'other'].map((name) => ({
        wait: { event: 'contract.activated', contract: place(`${name}.reference`) },
        expect: { body: { data: { data: { reference: place(`${name}.reference`) } } } },
      })),
      {
        wait: { event: 'contract.activated', session: place('first.id') },
        expect: { body: { data: { data: { reference: place('plan.reference') } } } },
      },
      ...['first', 'second'].map((name) => ({
        wait: { event: 'session.completed', session: place(`${name}.id`) },
        expect: { body: { data: { data: { id: place(`${name}.id`) } } } },
      })),
    ],
  });
  expect(report).toMatchObject({ status: 'passed' });
});

test('interface §5: with an endpoint, however it was added, each step ends after its deliveries, at the same instant', async () => {
  await using receiver = await openReceiver([(response) => void setTimeout(() => response.end(), 100)]);
  const body = { url: receiver.url, events: ['contract.activated'] };
  const report = await runScenario({
    name: 'deliveries',
    steps: [
      { request: { method: 'POST', path: '/_sim/webhook-endpoints', body } },
      { advance: { by: '1h' } },
      { 'create-contract': {}, expect: { deliveries: [{ status: 'delivered' }] } },
      {
        request: { method: 'GET', path: '/_sim/clock' },
        expect: { body: { data: { now: '2026-01-01T01:00:00.000000Z' } } },
      },
    ],
  });
  expect(report).toMatchObject({ status: 'passed' });
});

test.each([
  [404, 'Scenarios work on a Layaway simulator only.'],
  [200, 'Scenarios work on a Layaway simulator only.'],
  [401, 'The control token does not match this server.'],
  [503, 'It returned: 503 refused'],
])('interface §5: a server that answers %i to a new merchant plays no scenario', async (status, why) => {
  await using other = await openReceiver([status]);
  const url = new URL(other.url).origin;
  const error = (await refusal(runScenario(OPENED, { sim: { url, controlToken: 'x' } }))) as Error;
  expect(error.message).toBe(`${url} created no merchant for the scenario. ${why}`);
});

/** How many servers listen in this process. */
const servers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

test('interface §5: the seed is 1 unless another is given, and nothing of the simulator stays', async () => {
  const before = servers();
  const steps = [{ ...OPENED.steps[0], expect: { body: { data: { id: 'unknown' } } } }];
  const idOf = async (options?: { seed: number | string }) =>
    (await runScenario({ name: 'x', steps }, options)).steps[0]?.differences[0]?.actual;
  const id = await idOf();
  expect(id).toMatch(/^cs_/);
  expect(await idOf({ seed: 1 })).toBe(id);
  expect(await idOf({ seed: 2 })).not.toBe(id);
  expect(await idOf({ seed: 'a text' })).toBe(await idOf({ seed: 'a text' }));
  await refusal(runScenario({ ...OPENED, merchant: { state: 'Texas' } }));
  await expect.poll(servers).toBeLessThanOrEqual(before);
});

test('interface §5: null stands for no value in the fields in which the service takes it', async () => {
  const nothing = { customer_state: null, metadata: null };
  const session = { ...OPENED.steps[0]?.['create-session'], ...nothing, customer_email: null };
  const steps = [{ 'create-session': session }, { 'create-contract': nothing }];
  expect(await runScenario({ name: 'nothing given', steps })).toMatchObject({ status: 'passed' });
});

test('interface §3: accept without an email address takes that of the session', async () => {
  const session = { ...OPENED.steps[0]?.['create-session'], customer_email: 'ada@example.com' };
  const accept = { session: place('order.id'), customer_name: 'Ada Byron' };
  const expected = { body: { data: { status: 'pending', customer_email: 'ada@example.com' } } };
  const steps = [
    { 'create-session': session, as: 'order' },
    { accept, expect: expected },
  ];
  expect(await runScenario({ name: 'the address of the session', steps })).toMatchObject({ status: 'passed' });
});

test('what ended a scenario is reported, and its receivers are closed, where the platform cannot be put back', async () => {
  // Other suites run in this process, too.
  const before = servers();
  let isDisabled = (): void => undefined;
  const disabled = new Promise<void>((resolve) => {
    isDisabled = resolve;
  });
  const sim = await createSimulator({
    onRequest: ({ method, path }) => path === '/_sim/platform' && method === 'PATCH' && isDisabled(),
  });
  const steps = [
    { receiver: [200], as: 'store' },
    { platform: { disabled: true } },
    { wait: { event: 'contract.cancelled', timeout: '10s' } },
  ];
  const played = refusal(runScenario({ name: 'a server that ends', steps }, { sim }));
  await disabled;
  await sim.close();
  expect(await played).toMatchObject({ message: expect.stringContaining('gave no response') });
  await expect.poll(servers).toBeLessThanOrEqual(before);
});

test('interface §5: null expects that a response has no such header', async () => {
  const order = { order_reference: 'A-1', total_amount: 20_000, idempotency_key: 'one' };
  const replayed = (value: unknown) => ({
    'create-session': order,
    expect: { headers: { 'Idempotent-Replayed': value } },
  });
  const { steps } = await runScenario({ name: 'replayed', steps: [replayed(null), replayed(true), replayed(null)] });
  expect(steps.map(({ status }) => status)).toEqual(['passed', 'passed', 'failed']);
  expect(steps[2]?.differences).toMatchObject([{ at: 'headers.Idempotent-Replayed', expected: null, actual: 'true' }]);
});

describe('interface §5: a report holds nothing that differs from run to run', () => {
  const opened = { ...OPENED.steps[0], as: 'order' };
  const last = async (step: object) => (await runScenario({ name: 'x', steps: [opened, step] })).steps.at(-1);

  test('no address in why a step failed', async () => {
    const step = { request: { method: 'GET', path: 'http://a.example/x' } };
    expect((await last(step))?.problem).toBe(
      `http://a.example/x is not on ${place('server.url')}: a request goes to the simulator itself. To send a request to your store, write a test of your own.`,
    );
  });

  test('no address in what a fault struck', async () => {
    const path = `/v1/ping?from=${place('server.url')}`;
    const { steps } = await runScenario({
      name: 'x',
      steps: [{ fault: { kind: 'slow', delay_ms: 0 } }, { request: { method: 'GET', path } }],
    });
    expect(steps[1]?.faults).toMatchObject([{ kind: 'slow', on: `GET ${path}` }]);
  });

  test('no real time in headers, however their names are written', async () => {
    const step = { request: { method: 'GET', path: '/v1/ping' }, expect: { headers: { Date: 'never' } } };
    expect((await last(step))?.differences).toMatchObject([{ at: 'headers.Date', expected: 'never', actual: '…' }]);
  });

  test('of a page only what is seen', async () => {
    const page = { request: { method: 'GET', path: place('order.checkout_url') }, expect: { body: 'nothing' } };
    const [shown, again] = [await last(page), await last(page)].map((step) => step?.differences[0]?.actual);
    expect(shown).toBe(again);
    expect(shown).toMatch(/^Your layaway plan with Example Store .* Due today \$50\.00 then 4 payments/);
  });
});
