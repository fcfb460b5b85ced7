import { expect, test } from 'vitest';
import { endOfTurn, pause, polled, realTime, waitingOn, yieldToEventLoop } from '../../src/time/real.ts';
import { manualTime } from '../support/shop.ts';

test('real time is that of the machine', () => {
  const before = Date.now();
  const now = realTime.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test('what is to come rings once, in its order, and no sooner than it is due', async () => {
  const rung: string[] = [];
  const start = performance.now();
  await new Promise<void>((resolve) => {
    realTime.after(40, () => {
      rung.push('later');
      resolve();
    });
    realTime.after(5, () => rung.push('soon'));
    realTime.after(-5, () => rung.push('overdue'));
  });
  // Timers of Node may ring a millisecond early.
  expect(performance.now() - start).toBeGreaterThan(38);
  expect(rung).toEqual(['overdue', 'soon', 'later']);
});

test('what is cancelled does not ring, and neither does what is due after longer than a timer can wait', async () => {
  const rung: string[] = [];
  const cancel = realTime.after(1, () => rung.push('cancelled'));
  const cancelFar = realTime.after(2 ** 31 + 5, () => rung.push('in 25 days'));
  cancel();
  await pause(20);
  cancelFar();
  expect(rung).toEqual([]);
});

test('a pause takes its time, and a breath lets what is pending run', async () => {
  const start = performance.now();
  await pause(20);
  expect(performance.now() - start).toBeGreaterThan(18);
  const order: string[] = [];
  setImmediate(() => order.push('pending'));
  endOfTurn(() => order.push('end of turn'));
  order.push('this turn');
  await yieldToEventLoop();
  expect(order).toEqual(['this turn', 'pending', 'end of turn']);
});

test('whoever waits until connections were polled has let a whole turn of the event loop pass', async () => {
  const order: string[] = [];
  setImmediate(() => {
    order.push('this turn');
    setImmediate(() => order.push('next turn'));
  });
  await polled();
  expect(order).toEqual(['this turn', 'next turn']);
});

test('what waits on a time that tests replace reads that time and pauses in it', async () => {
  const time = manualTime('2026-01-01T00:00:00Z');
  const { now, pause: pauseIn } = waitingOn(time);
  let isOver = false;
  const paused = pauseIn(1_000).then(() => {
    isOver = true;
  });
  time.pass(999);
  await yieldToEventLoop();
  expect([now(), isOver]).toEqual([Date.UTC(2026, 0, 1) + 999, false]);
  time.pass(1);
  await paused;
  expect(now()).toBe(Date.UTC(2026, 0, 1) + 1_000);
});
