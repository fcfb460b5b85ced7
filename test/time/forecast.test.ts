import { expect, test } from 'vitest';
import type { Foresight } from '../../src/engine/forecast.ts';
import type { SessionInput } from '../../src/engine/session.ts';
import { realTime, yieldToEventLoop } from '../../src/time/real.ts';
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
async function createPlans({ hurried = false } = {}) {
  let real = START;
  const time = {
    ...realTime,
    now() {
      if (hurried) real += STRETCH_MS;
      return real;
    },
  };
  const world = createWorld('1', 1_000_000, time);
  const { engine, travel } = world;
  const { account } = engine.createMerchant({ clock: { mode: 'frozen', at: START } }).sandbox;
  const input = () => order() as SessionInput;
  const open = (preview = false) => engine.openSession(account, input, { preview }).session;
  const pay = (session: ReturnType<typeof open>) => {
    engine.acceptPlan(account, session, CUSTOMER);
    return engine.payCartCapture(account, engine.ownSession(account, session.token), 'pay');
  };
  const contracts = [];
  for (let plan = 0; plan < PLANS; plan += 1) {
    contracts.push(pay(open(plan % 7 === 6)));
    if (plan % 3 === 0) engine.arrangeOutcomes(account, contracts[plan] as never, ['fail', 'fail', 'pay', 'fail']);
    if (plan % 10 === 0) await travel.advance(account, { to: START + (plan / 10) * 24 * HOUR });
  }
  for (let session = 0; session < 5; session += 1) open(session === 2);
  return { ...world, account, contracts, open, pay };
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
    await yieldToEventLoop();
    inTurn(turns);
  }
  return turns;
}

/** What a forecast that nobody interrupts finds, and how often it yields. */
function found(work: Generator<void, Foresight>) {
  for (let steps = 0; ; steps += 1) {
    const { done, value } = work.next();
    if (done) return { ...value, steps };
  }
}

const to = START + 400 * 24 * HOUR;

test('others have a turn after each stretch of a forecast, of a dry run, of a look and of an advance', async () => {
  const { travel, account } = await createPlans({ hurried: true });
  const { count } = await travel.rehearse(account, { to });
  expect(count).toBeGreaterThan(3 * PLANS);
  expect(await turnsDuring(travel.rehearse(account, { to }))).toBeGreaterThan(2 * PLANS);
  expect(await turnsDuring(travel.forecast(account, to))).toBeGreaterThan(2 * PLANS);
  expect(await turnsDuring(travel.shortForecast(account, 40))).toBeGreaterThan(30);
  expect(await turnsDuring(travel.advance(account, { to }))).toBeGreaterThan(30);
});

test('what takes less than a stretch is done in one turn', async () => {
  const { travel, account } = await createPlans();
  expect(await turnsDuring(travel.rehearse(account, { to }))).toBe(1);
  expect(await turnsDuring(travel.forecast(account, to))).toBe(1);
  expect(await turnsDuring(travel.shortForecast(account, 40))).toBe(1);
  expect(await turnsDuring(travel.advance(account, { to }))).toBe(1);
});

test('a look tells the first of what a forecast tells, and whether there is more', async () => {
  const { travel, account } = await createPlans();
  const { happened } = await travel.forecast(account, null);
  const first = await travel.shortForecast(account, 40);
  expect(first.more).toBe(true);
  expect(first.happened.length).toBeGreaterThan(20);
  expect(first.happened).toEqual(happened.slice(0, first.happened.length));
  expect(await travel.shortForecast(account, 1_000_000)).toEqual({ happened, more: false });
});

test.each([
  ['beyond the end of every plan', 400],
  ['before most plans begin to collect', 15],
])(
  'a forecast tells of the instant at which it was asked for, whatever changes while it is made: %s',
  async (_title, days) => {
    const { travel, engine, account, contracts, open, pay, store } = await createPlans({ hurried: true });
    const until = START + days * 24 * HOUR;
    const before = await travel.rehearse(account, { to: until });
    expect(before.count).toBeGreaterThan(0);
    const backOut = (token: string) => void engine.backOut(account, engine.ownSession(account, token));
    const fails = (id: number) => void engine.arrangeOutcomes(account, store.contracts.get(id), ['fail']);
    const { preview, token: previewToken } = store.sessions.get(store.sessions.nextId() - 3);
    expect(preview).toBe(true);
    const { token: pendingToken } = store.sessions.get(store.sessions.nextId() - 1);
    let later: number;
    const changes = [
      () => void open(),
      () => void engine.changeSettings(account, { collection_retry_hours: 100, grace_days: 1 }),
      () => backOut(pendingToken),
      () => backOut(previewToken),
      () => {
        later = pay(open()).id;
      },
      () => fails(later),
      () => backOut(open().token),
      () => {
        for (const { reference, preview } of contracts.slice(10, 20)) {
          if (!preview) engine.cancelContract(account, reference);
        }
      },
      ...[20, 30, 40, 50].map((first) => () => {
        for (const { id } of contracts.slice(first, first + 10)) fails(id);
      }),
    ];

    const meanwhile = travel.rehearse(account, { to: until });
    let done = 0;
    await turnsDuring(meanwhile, () => {
      changes[done]?.();
      done += 1;
    });
    expect(done).toBeGreaterThan(changes.length);
    expect(await meanwhile).toEqual(before);
    const { count } = await travel.rehearse(account, { to: until });
    expect(count).not.toBe(before.count);
  },
);

test('an installment that is settled while a forecast is made is in it as it was', async () => {
  const { travel, engine, account, contracts, store } = await createPlans({ hurried: true });
  await travel.advance(account, { to: START + 17 * 24 * HOUR });
  const before = await travel.rehearse(account, { to });
  const { id } = contracts[9] ?? {};
  const meanwhile = travel.rehearse(account, { to });
  await turnsDuring(meanwhile, (turn) => {
    if (turn === 0) engine.settle(account, store.contracts.get(id as number), 1);
  });
  expect(await meanwhile).toEqual(before);
  expect((await travel.rehearse(account, { to })).happened).not.toEqual(before.happened);
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
  const run = (limit: number, counting: boolean) => found(engine.foresee(account, { ...bounds, limit, counting }));
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

test('the list is full in the middle of the plans: what comes after the end is not counted', async () => {
  const { travel, account, engine } = await createPlans();
  const until = START + 40 * 24 * HOUR;
  const { count } = await travel.rehearse(account, { to: until });
  const all = await travel.rehearse(account, { to });
  expect(all.count).toBeGreaterThan(count);
  expect(found(engine.foresee(account, { until, limit: 5, counting: true, maxSteps: 1_000_000 })).count).toBe(count);
});

test('a forecast takes exactly the steps that it may take', async () => {
  const { account, engine, open, travel, clocks } = await createPlans();
  const now = clocks.now(account.id);
  const before = (await travel.rehearse(account, { to: now + HOUR })).count;
  for (let session = 0; session < 9; session += 1) open();
  // Each session that lapses is one step and one event.
  const whole = before + 9;
  const bounds = { until: now + HOUR, limit: 1_000, counting: true };
  const taken = (maxSteps: number) => found(engine.foresee(account, { ...bounds, maxSteps }));
  expect(taken(whole - 1)).toMatchObject({ count: whole - 1, ended: 'bounded' });
  expect(taken(whole)).toMatchObject({ count: whole, ended: 'whole' });
});

test('decisions §6: at one instant, installments come before sessions, on paper as in an advance', async () => {
  const { travel, account, open } = await createPlans();
  const { happened } = await travel.rehearse(account, { to });
  const due = happened.find(({ type }) => type === 'installment.paid')?.at as number;
  const { expiresAt, createdAt } = open();
  await travel.advance(account, { to: due - (expiresAt - createdAt) });
  const opened = [open().token, open().token];
  const rehearsed = await travel.rehearse(account, { to: due });
  const done = await travel.advance(account, { to: due });
  const entries = ({ happened: told }: typeof done) => told.map(({ at, type, subject }) => [at, type, subject]);
  expect(entries(rehearsed)).toEqual(entries(done));
  expect(entries(done).map(([at]) => at)).toEqual(entries(done).map(() => due));
  expect(entries(done).slice(-2)).toEqual(opened.map((token) => [due, 'session.expired', token]));
  expect(entries(done).length).toBeGreaterThan(2);
});
