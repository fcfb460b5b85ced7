import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
  expect(nobody.message).toContain(`${url} gave no answer`);
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

test('interface §5: e-mails and deliveries match in their order, the oldest first', async () => {
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
    return { status, problems: steps.map(({ problem }) => problem) };
  };
  const right = { status: 'passed', problems: [undefined, undefined] };
  expect(await sent({}, { status: 'pending', attempts: [{ status_code: null }] })).toEqual(right);
  expect(await sent({ insecure: true }, { status: 'delivered' })).toEqual(right);
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

test('interface §5: a condition takes the contract and its installment from earlier answers', async () => {
  const until = `${place('plan.reference')}#${place('plan.installments[1].installment_number')}=paid`;
  const report = await runScenario({
    name: 'the first installment is collected',
    steps: [
      { 'create-contract': {}, as: 'plan' },
      { advance: { until }, expect: { happened: ['installment.paid'] } },
    ],
  });
  expect(report).toMatchObject({ status: 'passed' });
});

test('interface §5: null stands for no value in the fields in which the service takes it', async () => {
  const nothing = { customer_state: null, metadata: null };
  const session = { ...OPENED.steps[0]?.['create-session'], ...nothing, customer_email: null };
  const steps = [{ 'create-session': session }, { 'create-contract': nothing }];
  expect(await runScenario({ name: 'nothing given', steps })).toMatchObject({ status: 'passed' });
});

test('what ended a scenario is reported, and its receivers are closed, where the platform cannot be put back', async () => {
  const servers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
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
  expect(await played).toMatchObject({ message: expect.stringContaining('gave no answer') });
  await expect.poll(servers).toBeLessThanOrEqual(before);
});

test('interface §5: null expects that an answer has no such header', async () => {
  const order = { order_reference: 'A-1', total_amount: 20_000, idempotency_key: 'one' };
  const replayed = (value: unknown) => ({
    'create-session': order,
    expect: { headers: { 'Idempotent-Replayed': value } },
  });
  const { steps } = await runScenario({ name: 'replayed', steps: [replayed(null), replayed(true), replayed(null)] });
  expect(steps.map(({ status }) => status)).toEqual(['passed', 'passed', 'failed']);
  expect(steps[2]?.differences).toMatchObject([{ at: 'headers.Idempotent-Replayed', expected: null, actual: 'true' }]);
});
