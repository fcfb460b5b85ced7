import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionInput } from '../../src/engine/session.ts';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { realTime, yieldToEventLoop } from '../../src/time/real.ts';
import { caller, expectData, order } from '../support/shop.ts';
import { createWorld } from '../walk/world.ts';

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const END = START + 90 * DAY;

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off' });
});
afterAll(() => sim.close());

const at = (instant: string) => Date.parse(instant);

test('requests during a long advance each see one instant, and time only goes forward', async () => {
  const { headers } = await sim.merchant();
  const call = caller(sim, { ...headers });
  expectData(await call('PATCH', '/_sim/settings', { installment_count: 24, installment_cadence: 'weekly' }));
  for (let plan = 0; plan < 150; plan += 1) {
    const { id } = expectData(await call('POST', '/v1/sessions', order()), 201);
    expectData(await call('POST', `/_sim/sessions/${id}/complete`, {}));
  }
  const [{ id: before }] = expectData(await call('GET', '/_sim/events?limit=1'));

  let isUnderWay = true;
  const advancing = call('POST', '/_sim/clock/advance', { by: '200d' }).finally(() => {
    isUnderWay = false;
  });
  const opened: { id: string; created_at: string; expires_at: string }[] = [];
  const seen: number[] = [];
  while (isUnderWay) {
    const clock = expectData(await call('GET', '/_sim/clock'));
    const session = expectData(await call('POST', '/v1/sessions', order()), 201);
    const { data } = (await call('GET', '/v1/contracts')).body;
    const later = expectData(await call('GET', '/_sim/clock'));
    seen.push(at(clock.now), at(session.created_at), at(later.now));
    expect(at(session.expires_at) - at(session.created_at)).toBe(HOUR);
    if (isUnderWay && at(session.created_at) < at('2026-07-01T00:00:00Z')) opened.push(session);
    for (const { installments, paid_amount } of data) {
      const paid = installments.filter(({ status }: { status: string }) => status === 'paid');
      expect(paid.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(paid_amount);
      for (const { paid_at } of paid) expect(at(paid_at)).toBeLessThanOrEqual(at(later.now));
    }
  }
  const { now } = expectData(await advancing);
  expect(now).toBe('2026-07-20T00:00:00.000000Z');
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(new Set(seen).size, 'the requests came in between').toBeGreaterThan(3);

  const events: { id: string; type: string; created_at: string; data: { id?: string } }[] = [];
  for (let cursor = before; ; cursor = events.at(-1)?.id) {
    const page = expectData(await call('GET', `/_sim/events?limit=1000&after=${cursor}`));
    if (page.length === 0) break;
    events.push(...page);
  }
  const instants = events.map(({ created_at }) => at(created_at));
  expect(instants).toEqual([...instants].sort((a, b) => a - b));
  const count = (type: string) => events.filter((event) => event.type === type).length;
  expect([count('installment.paid'), count('contract.completed')]).toEqual([150 * 24, 150]);
  expect(opened.length).toBeGreaterThan(0);
  for (const { id, expires_at } of opened) {
    const lapses = events.filter((event) => event.type === 'session.expired' && event.data.id === id);
    expect(lapses.map(({ created_at }) => created_at)).toEqual([expires_at]);
  }
});

/** A merchant on a clock that stands, in a world whose loop is bounded at `stepsMax`. */
function createBounded(stepsMax?: number, time = realTime) {
  const world = createWorld('1', stepsMax, time);
  const { account } = world.engine.createMerchant({ clock: { mode: 'frozen', at: START } }).sandbox;
  return { ...world, account, open: () => world.engine.openSession(account, () => order() as SessionInput).session };
}

const createTwelve = (stepsMax?: number, time?: typeof realTime) => createPlans(12, stepsMax, time);

function createPlans(count: number, stepsMax?: number, time = realTime) {
  const world = createBounded(stepsMax, time);
  for (let plan = 0; plan < count; plan += 1) {
    const session = world.open();
    world.engine.acceptPlan(world.account, session, { name: 'Ada', email: 'ada@example.com' });
    world.engine.payCartCapture(world.account, world.engine.ownSession(world.account, session.token), 'pay');
  }
  return world;
}

test.each([20, 24])(
  'the loop is bounded at %i; it says where it stopped, and going on comes to the same end',
  async (stepsMax) => {
    const { travel, account, clocks, store } = createTwelve(stepsMax);
    await expect(travel.advance(account, { to: END })).rejects.toThrow(
      /The advance stopped at 2026-01-29T00:00:00\.000000Z after 24 scheduled steps\. Advance again to go on\./,
    );
    expect(clocks.now(account.id)).toBe(Date.UTC(2026, 0, 29));
    await travel.advance(account, { to: END });
    expect(clocks.now(account.id)).toBe(END);
    const types = store.events.list(account.id, 1_000, null).map(({ type }) => type);
    expect(types.filter((type) => type === 'installment.paid')).toHaveLength(48);
    expect(types.filter((type) => type === 'contract.completed')).toHaveLength(12);
  },
);

test('a forecast and a dry run beyond the bound say so, instead of half the truth', async () => {
  const { travel, account, store } = createTwelve(20);
  const [contract] = store.contracts.page(account.id, null, 1, 0);
  for (const asked of [travel.forecast(account, END), travel.rehearse(account, { to: END })]) {
    await expect(asked).rejects.toThrow('More than 20 things fall due by then.');
  }
  expect((await travel.forecast(account, START + 20 * DAY)).happened).toHaveLength(12);
  const until = { of: 'contract', reference: contract?.reference as string, status: 'completed' } as const;
  await expect(travel.advance(account, { until })).rejects.toThrow(
    /The advance stopped at .* after 24 scheduled steps/,
  );
});

test('more than a thousand events are counted, and the first thousand listed', async () => {
  const { travel, account, open } = createBounded();
  const opened = Array.from({ length: 1_100 }, () => open().token);
  const to = START + HOUR;
  for (const journey of [await travel.rehearse(account, { to }), await travel.advance(account, { to })]) {
    expect(journey.happened.map(({ subject }) => subject)).toEqual(opened.slice(0, 1_000));
    expect([journey.count, journey.byType]).toEqual([1_100, new Map([['session.expired', 1_100]])]);
  }
});

test('a forecast whose list is full looks no further', async () => {
  const { travel, account, open } = createBounded(1_050);
  for (let session = 0; session < 1_100; session += 1) open();
  expect((await travel.forecast(account, START + HOUR)).happened).toHaveLength(1_000);
});

test.each([
  ['nothing is owed to an endpoint: 128 steps or a little more together', false, [START + 42 * DAY, START + 56 * DAY]],
  ['deliveries are owed: each instant by itself', true, [14, 28, 42, 56].map((days) => START + days * DAY)],
])('an advance commits where %s', async (_, isOwed, instants) => {
  const world = createPlans(50, undefined, { ...realTime, now: () => START });
  const { travel, account, clocks, store, engine } = world;
  await travel.advance(account, { to: START + HOUR });
  if (isOwed)
    engine.createEndpoint(account, { url: 'http://127.0.0.1:9/', events: ['installment.paid'], transport: 'listener' });
  const seen: number[] = [];
  store.onCommit((id) => id === account.id && seen.push(clocks.now(id)));
  await travel.advance(account, { to: END });
  expect([...new Set(seen)]).toEqual(instants);
});

test('an advance tells what came of the webhooks, unless it is told not to wait for them', async () => {
  const { travel, account } = createTwelve();
  const { webhooks } = await travel.advance(account, { to: START + HOUR });
  expect(webhooks).toEqual({ delivered: 0, failed: 0, givenUp: 0 });
  expect((await travel.advance(account, { to: START + HOUR }, { wait: false })).webhooks).toBeNull();
});

/** Each look at real time finds that others should have a turn. */
function hurried(): typeof realTime {
  let real = START;
  return {
    ...realTime,
    now() {
      real += 1_000;
      return real;
    },
  };
}

describe('interface §3: what is under way tells how far it got, and can be stopped', () => {
  test.each([true, false])(
    'an advance (wait: %o) stops where it stands, and the rest leads to the same end',
    async (wait) => {
      const [world, undisturbed] = [createTwelve(undefined, hurried()), createTwelve()];
      const { travel, account, clocks } = world;
      expect([travel.progress(account), await travel.stop(account)]).toEqual([null, null]);
      const advancing = travel.advance(account, { to: END }, { wait });
      const refusal = advancing.catch((error: unknown) => error);
      while ((travel.progress(account)?.count ?? 0) < 24) await yieldToEventLoop();
      const seen = {
        isRehearsal: false,
        from: START,
        to: END,
        now: Date.UTC(2026, 0, 29),
        count: 24,
        byType: new Map([['installment.paid', 24]]),
      };
      expect(travel.progress(account)).toEqual(seen);
      expect(await travel.stop(account)).toEqual(seen);
      expect(await refusal).toMatchObject({
        code: 'conflict',
        message: `The advance stopped at 2026-01-29T00:00:00.000000Z: a request to stop cancelled it. Advance again if you still need to.`,
      });
      expect([travel.progress(account), await travel.stop(account)]).toEqual([null, null]);
      expect(clocks.now(account.id)).toBe(seen.now);

      const rest = await travel.advance(account, { to: END });
      const whole = await undisturbed.travel.advance(undisturbed.account, { to: END });
      expect(24 + rest.count).toBe(whole.count);
      const eventsOf = ({ store, account: { id } }: typeof world) =>
        store.events.list(id, 1_000, null).map(({ type, createdAt }) => `${createdAt} ${type}`);
      expect(eventsOf(world)).toEqual(eventsOf(undisturbed));
    },
  );

  test('a dry run stops too, and changes nothing', async () => {
    const { travel, account, clocks } = createTwelve(undefined, hurried());
    const rehearsing = travel.rehearse(account, { to: END });
    const refusal = rehearsing.catch((error: unknown) => error);
    while ((travel.progress(account)?.count ?? 0) < 5) await yieldToEventLoop();
    const seen = travel.progress(account);
    expect(seen).toMatchObject({ isRehearsal: true, from: START, to: END, now: START });
    expect(await travel.stop(account)).toMatchObject({ isRehearsal: true, now: START });
    expect(await refusal).toMatchObject({
      code: 'conflict',
      message: 'The dry run was cancelled by a request to stop. Run it again if you still need it.',
    });
    expect([travel.progress(account), clocks.now(account.id)]).toEqual([null, START]);
    const { count } = await travel.rehearse(account, { to: END });
    expect((await travel.advance(account, { to: END })).count).toBe(count);
  });
});

test('what waits its turn while the workspace is replaced finds its account gone', async () => {
  const { travel, clockQueue, account, store } = createTwelve();
  const replaced = clockQueue.addForAll(() =>
    store.renew(0, () => store.workspace.create('2', { disabled: false, unavailable_states: [] })),
  );
  const asked = [
    travel.advance(account, { to: END }),
    travel.rehearse(account, { to: END }),
    travel.forecast(account, null),
    travel.shortForecast(account, 10),
    travel.freeze(account),
    travel.resume(account),
  ];
  const caughtUp = travel.catchUp(account);
  await replaced;
  for (const answer of await Promise.allSettled(asked)) {
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'unauthenticated' } });
  }
  expect(await caughtUp).toBeNull();
});
