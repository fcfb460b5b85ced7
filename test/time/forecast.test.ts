import { expect, test } from 'vitest';
import type { SessionInput } from '../../src/engine/session.ts';
import { breathe, realTime } from '../../src/time/real.ts';
import { order } from '../support/shop.ts';
import { createWorld } from '../walk/world.ts';

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const PLANS = 60;
const CUSTOMER = { name: 'Ada', email: 'ada@example.com' };

/** How long the loop works before others get a turn. */
const STRETCH_MS = 10;

/**
 * Plans of one merchant on a clock that stands. With `hurried`, each look at real time finds that its turn is over,
 * otherwise real time stands too.
 */
async function createPlans({ hurried = false, stepsMax = 1_000_000 } = {}) {
  let real = START;
  const time = {
    ...realTime,
    now() {
      if (hurried) real += STRETCH_MS;
      return real;
    },
  };
  const world = createWorld('1', stepsMax, time);
  const { engine, travel } = world;
  const { account } = engine.createMerchant({ clock: { mode: 'frozen', at: START } }).sandbox;
  const input = () => order() as SessionInput;
  const open = (preview = false) => engine.openSession(account, input, { preview }).session;
  const contracts = [];
  for (let plan = 0; plan < PLANS; plan += 1) {
    const session = open(plan % 7 === 6);
    engine.acceptPlan(account, session, CUSTOMER);
    contracts.push(engine.payCartCapture(account, engine.ownLink(account, session.token), 'pay'));
    if (plan % 3 === 0) engine.arrangeOutcomes(account, contracts[plan] as never, ['fail', 'fail', 'pay', 'fail']);
    if (plan % 10 === 0) await travel.advance(account, { to: START + (plan / 10) * 24 * HOUR });
  }
  for (let session = 0; session < 5; session += 1) open(session === 2);
  return { ...world, account, contracts, open };
}

/** How often others had a turn until it was settled. */
async function turnsDuring(work: Promise<unknown>, inTurn: (turn: number) => void = () => undefined) {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  let turns = 0;
  for (; !isOver; turns += 1) {
    await breathe();
    inTurn(turns);
  }
  return turns;
}

const to = START + 400 * 24 * HOUR;

test('others have a turn after each stretch of a forecast, of a dry run, of a look and of an advance', async () => {
  const { travel, account } = await createPlans({ hurried: true });
  const { count } = await travel.rehearse(account, { to });
  expect(count).toBeGreaterThan(3 * PLANS);
  expect(await turnsDuring(travel.rehearse(account, { to }))).toBeGreaterThan(2 * PLANS);
  expect(await turnsDuring(travel.forecast(account, to))).toBeGreaterThan(2 * PLANS);
  expect(await turnsDuring(travel.glance(account, 40))).toBeGreaterThan(30);
  expect(await turnsDuring(travel.advance(account, { to }))).toBeGreaterThan(30);
});

test('what takes less than a stretch is done in one turn', async () => {
  const { travel, account } = await createPlans();
  expect(await turnsDuring(travel.rehearse(account, { to }))).toBe(1);
  expect(await turnsDuring(travel.forecast(account, to))).toBe(1);
  expect(await turnsDuring(travel.glance(account, 40))).toBe(1);
  expect(await turnsDuring(travel.advance(account, { to }))).toBe(1);
});

test('a look tells the first of what a forecast tells, and whether there is more', async () => {
  const { travel, account } = await createPlans();
  const { happened } = await travel.forecast(account, null);
  const first = await travel.glance(account, 40);
  expect(first.more).toBe(true);
  expect(first.happened.length).toBeGreaterThan(20);
  expect(first.happened).toEqual(happened.slice(0, first.happened.length));
  expect(await travel.glance(account, 1_000_000)).toEqual({ happened, more: false });
});

test('a forecast tells of the instant at which it was asked for, whatever changes while it is made', async () => {
  const { travel, engine, account, contracts, open, store } = await createPlans({ hurried: true });
  const before = await travel.rehearse(account, { to });
  const changes = [
    () => void open(),
    () => void engine.changeSettings(account, { collection_retry_hours: 100, grace_days: 1 }),
    () => void engine.backOut(account, engine.ownLink(account, pendingToken())),
    ...contracts.slice(10, 20).map(({ reference }) => () => {
      if (!isPreview(reference)) engine.cancelContract(account, reference);
    }),
    ...contracts.slice(20, 30).map(
      ({ id }) =>
        () =>
          void engine.arrangeOutcomes(account, current(id), ['fail']),
    ),
  ];
  const current = (id: number) => store.contracts.get(id);
  const isPreview = (reference: string) => store.contracts.find(reference)?.preview === true;
  const pendingToken = () => store.sessions.get(store.sessions.nextId() - 2).token;

  const meanwhile = travel.rehearse(account, { to });
  let made = 0;
  await turnsDuring(meanwhile, () => {
    changes[made]?.();
    made += 1;
  });
  expect(made).toBeGreaterThan(changes.length);
  expect(await meanwhile).toEqual(before);
  const { count } = await travel.rehearse(account, { to });
  expect(count).not.toBe(before.count);
});

test('more sessions than a page holds lapse at one instant: each of them once, in order', async () => {
  const { travel, account, open, clocks } = await createPlans();
  const now = clocks.now(account.id);
  const before = (await travel.rehearse(account, { to: now + HOUR })).happened.length;
  const opened = Array.from({ length: 600 }, () => open().token);
  const { happened } = await travel.rehearse(account, { to: now + HOUR });
  expect(happened.slice(before).map(({ subject }) => subject)).toEqual(opened);
  const done = await travel.advance(account, { to: now + HOUR });
  expect(done.happened.map(({ subject }) => subject)).toEqual(happened.map(({ subject }) => subject));
});

test('the list of a forecast ends what is looked at; a dry run counts on', async () => {
  const { travel, account, engine } = await createPlans({ hurried: true });
  const bounds = { until: to, maxSteps: 1_000_000 };
  const run = (limit: number, counting: boolean) => {
    const work = engine.foresee(account, { ...bounds, limit, counting });
    for (let steps = 0; ; steps += 1) {
      const { done, value } = work.next();
      if (done) return { ...value, steps };
    }
  };
  const whole = run(1_000, true);
  const { happened, count } = await travel.rehearse(account, { to });
  expect([whole.happened, whole.count, whole.ended]).toEqual([happened, count, 'whole']);
  const listed = run(2, false);
  expect([listed.happened, listed.ended]).toEqual([happened.slice(0, 2), 'listed']);
  // More plans than that are due at the first instant.
  expect(listed.steps).toBeLessThan(9);
  const counted = run(5, true);
  expect([counted.happened, counted.count, counted.ended]).toEqual([happened.slice(0, 5), count, 'whole']);
});
