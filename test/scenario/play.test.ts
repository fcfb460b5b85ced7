import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Exchange, exchange } from '../../src/exchange.ts';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { scenarioOf } from '../../src/scenario/file.ts';
import { place } from '../../src/scenario/interpolate.ts';
import { play } from '../../src/scenario/play.ts';
import { unplayed } from '../../src/scenario/result.ts';
import { type Dependencies, stageOn } from '../../src/scenario/stage.ts';
import { stoppedBy } from '../../src/scenario/stopping.ts';
import { told } from '../../src/scenario/told.ts';
import { pause, realTime } from '../../src/time/real.ts';

const means = { waiting: { now: realTime.now, pause }, exchange, start: createSimulator } satisfies Dependencies;

let sim: Simulator;
/** Called before each request that a scenario sends. */
let asked: (line: string) => void = () => undefined;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1 });
});
afterEach(() => {
  asked = () => undefined;
});
afterAll(() => sim.close());

const noted: Exchange = (outgoing) => {
  asked(`${outgoing.method} ${new URL(outgoing.url).pathname}`);
  return exchange(outgoing);
};

const create = { 'create-session': { order_reference: 'A-1', total_amount: 20_000 } };

async function staged(...steps: readonly object[]) {
  const read = scenarioOf({ name: 'x', steps });
  return { read, stage: await stageOn(read, { ...means, exchange: noted, ...sim }) };
}

describe('interface §1: a scenario that is stopped', () => {
  /** Plays steps until a request that begins with this is sent, and notes what is asked from then on. */
  async function stoppedAt(line: string, steps: readonly object[], { isGone = false } = {}) {
    const { read, stage } = await staged(...steps);
    const stop = new AbortController();
    const lines: string[] = [];
    asked = (each) => {
      if (each.startsWith(line)) stop.abort();
      if (stop.signal.aborted) lines.push(each);
      if (stop.signal.aborted && isGone) throw new Error('gone');
    };
    const never = new Promise<never>(() => undefined);
    const { steps: results } = await play(
      read,
      stage,
      () => undefined,
      stoppedBy(stop.signal, () => never),
    );
    return { steps: results.map(({ status, problem }) => problem ?? status), lines };
  }
  const HERE = 'A signal interrupted the scenario here.';

  test('ends in the step that is under way, and what follows is not done', async () => {
    const { steps } = await stoppedAt('GET /_sim/events', [create, create]);
    expect(steps).toEqual([HERE, 'skipped']);
  });

  test('does a change of the platform to its end, takes no further step, and undoes the change', async () => {
    const { steps, lines } = await stoppedAt('PATCH /_sim/platform', [{ platform: { disabled: true } }, create]);
    expect(steps).toEqual(['passed', HERE]);
    const undone = ['PATCH /_sim/platform', 'GET /_sim/events', 'GET /_sim/emails', 'PATCH /_sim/platform'];
    expect(lines).toEqual(undone);
    expect(await sim.platform.get()).toMatchObject({ disabled: false });
  });

  test('is only stopped, even if its server is gone by then', async () => {
    const steps = [{ platform: { disabled: true } }, create];
    expect(await stoppedAt('PATCH /_sim/platform', steps, { isGone: true })).toMatchObject({
      steps: [HERE, 'skipped'],
    });
  });
});

test('interface §5: a server that is gone ends the scenario with what was asked first', async () => {
  const { read, stage } = await staged({ platform: { disabled: true } }, create);
  let isGone = false;
  asked = (line) => {
    isGone ||= line === 'POST /v1/sessions';
    if (isGone) throw new Error(`gone at ${line}`);
  };
  await expect(play(read, stage, () => undefined)).rejects.toThrow('gone at POST /v1/sessions');
  asked = () => undefined;
  await sim.platform.set({ disabled: false });
  const other = await staged(create);
  asked = (line) => {
    if (line === 'GET /_sim/events') throw new Error(`gone at ${line}`);
  };
  const unstopped = stoppedBy(new AbortController().signal, () => Promise.resolve());
  await expect(play(other.read, other.stage, () => undefined, unstopped)).rejects.toThrow('gone at GET /_sim/events');
});

test('interface §5: the platform is as it was after several changes', async () => {
  const { read, stage } = await staged({ platform: { disabled: true } }, { platform: { unavailable_states: [] } });
  const before = await sim.platform.get();
  expect(await play(read, stage, () => undefined)).toMatchObject({ status: 'passed' });
  expect(await sim.platform.get()).toEqual(before);
});

test('interface §5: a refusal is told with each field and its reason, a line each', () => {
  const errors = { a: ['The a field\nis wrong.', 'It is too long.'], b: 'The b field is wrong.' };
  expect(told({ status: 422, body: { message: 'Two  mistakes.', errors, reason: 'mistaken' } })).toBe(
    '422 Two mistakes.\na: The a field is wrong. It is too long.\nb: The b field is wrong.\nreason: mistaken',
  );
  const one = 'The to field is wrong.';
  expect(told({ status: 422, body: { message: one, errors: { to: [one] } } })).toBe('422 The to field is wrong.');
  expect(told({ status: 404, body: null })).toBe('404 refused');
});

test('interface §5: a step is told by its verb and by what sets it apart from others', () => {
  const steps = [
    { settings: { grace_days: 3, excluded_states: [] } },
    { request: { method: 'GET', path: '/v1/ping' } },
    { fault: { kind: 'slow' } },
    { wait: { event: 'contract.activated' } },
    { wait: { email: {} } },
    { wait: { delivery: {} } },
    { advance: { next: true } },
    { advance: { until: 'LAY-1=completed' } },
    { ...create, name: 'a checkout', as: 'order' },
  ];
  const scenario = { name: 'x', steps };
  const { steps: skipped } = unplayed(scenarioOf(scenario));
  expect(skipped.map(({ does }) => does)).toEqual([
    'settings grace_days, excluded_states',
    'request GET /v1/ping',
    'fault slow',
    'wait for contract.activated',
    'wait for an email',
    'wait for a delivery',
    'advance to what is next',
    'advance until LAY-1=completed',
    'create-session',
  ]);
  const columnOf = (step: unknown) => JSON.stringify(scenario).indexOf(JSON.stringify(step)) + 1;
  const rest = { status: 'skipped', events: [], differences: [], line: 1 };
  expect([skipped[0], skipped.at(-1)]).toEqual([
    { ...rest, does: skipped[0]?.does, column: columnOf(steps[0]) },
    { ...rest, does: 'create-session', name: 'a checkout', as: 'order', column: columnOf(steps.at(-1)) },
  ]);
});

test('a wait finds an event, an email and a delivery that a thousand later ones follow', async () => {
  const activation = { event_type: 'contract.activated', status: 'delivered' };
  const { read, stage } = await staged(
    { receiver: [], as: 'store' },
    { endpoint: { url: place('store.url') } },
    { settings: { installment_count: 24, installment_cadence: 'weekly' } },
    { 'create-contract': { customer_email: 'first@example.com' }, as: 'first' },
    ...Array.from({ length: 42 }, () => ({ 'create-contract': {} })),
    { advance: { by: '170d' }, expect: { deliveries: [activation, { event_type: 'contract.completed' }] } },
    { wait: { event: 'contract.activated', contract: place('first.reference'), timeout: '0s' } },
    { wait: { email: { to: 'first@example.com', subject: '/^.Sandbox. Your layaway plan/' }, timeout: '0s' } },
    { wait: { delivery: activation, timeout: '0s' } },
  );
  const { steps } = await play(read, stage, () => undefined);
  expect(steps.slice(-4).map(({ problem, status }) => problem ?? status)).toEqual(Array(4).fill('passed'));
});

test('an answer or a path in the place of an id ends the step before it is sent', async () => {
  const order = place('order');
  for (const [step, problem] of [
    [{ 'complete-checkout': { session: order } }, /^\$\{order\} is not an id: it has id, status, /],
    [{ 'cancel-contract': { contract: order } }, /^\$\{order\} is not an id: it has id, /],
    [{ wait: { event: 'session.completed', session: order } }, /^\$\{order\} is not an id: it has id, /],
    [{ settle: { contract: place('order.total_amount') } }, /^\$\{order\.total_amount\} is not an id: it is 20000\.$/],
    [{ settle: { contract: '..' } }, /^contract is "\.\.", which is not an id\.$/],
    [{ 'cancel-checkout': { session: '.' } }, /^session is "\.", which is not an id\.$/],
  ] as const) {
    const { read, stage } = await staged({ ...create, as: 'order' }, step);
    const { steps } = await play(read, stage, () => undefined);
    expect(steps.at(-1)?.problem).toMatch(problem);
  }
});
