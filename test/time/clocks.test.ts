import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/domain/merchant.ts';
import { createClocks, startingClock } from '../../src/time/clocks.ts';

let realNow: number;
let shelf: Map<number, Clock>;
let recordedUntil: number;
let clocks: ReturnType<typeof createClocks>;
beforeEach(() => {
  realNow = 1_000_000;
  shelf = new Map([
    [1, { mode: 'frozen', at: 500 }],
    [2, { mode: 'running', offsetMs: 7 }],
  ]);
  recordedUntil = 0;
  clocks = begin();
});

const begin = () =>
  createClocks(
    { now: () => realNow, after: () => () => undefined },
    {
      clock: (id) => shelf.get(id) as Clock,
      setClock: (id, clock) => shelf.set(id, clock),
      recordedUntil: () => recordedUntil,
    },
  );

describe('decisions §1: two clocks', () => {
  test('a frozen clock stands, a running one keeps its offset to real time', () => {
    expect([clocks.now(1), clocks.now(2)]).toEqual([500, 1_000_007]);
    realNow += 60_000;
    expect([clocks.now(1), clocks.now(2)]).toEqual([500, 1_060_007]);
  });

  test('time passes while the server is down: what is stored is the offset, not the instant', () => {
    clocks.set(2, clocks.runningFrom(5_000));
    const stored = shelf.get(2) as Clock;
    expect(stored).toEqual({ mode: 'running', offsetMs: 5_000 - realNow });
    realNow += 86_400_000;
    expect(clocks.read(stored)).toBe(5_000 + 86_400_000);
  });

  test('each account has its own', () => {
    clocks.set(1, { mode: 'frozen', at: 9 });
    expect([clocks.now(1), clocks.now(2)]).toEqual([9, 1_000_007]);
  });
});

describe('decisions §1: during an advance the clock stands at the instant of each due thing', () => {
  test.each([1, 2])('account %i reads that instant, however much real time passes, until it is released', (id) => {
    clocks.standAt(id, 2_000_000);
    realNow += 50;
    expect(clocks.now(id)).toBe(2_000_000);
    clocks.standAt(id, 2_000_100);
    expect(clocks.now(id)).toBe(2_000_100);
    clocks.release(id);
    expect(clocks.now(id)).toBe(2_000_100);
  });

  test('after a crash no clock reads earlier than what was done under it', () => {
    clocks.standAt(1, 900);
    expect(shelf.get(1)).toEqual({ mode: 'frozen', at: 900 });
    clocks.standAt(2, 3_000_000);
    expect(clocks.read(shelf.get(2) as Clock)).toBe(3_000_000);
  });

  test('catching up on what is past does not take a clock back', () => {
    clocks.standAt(2, 10);
    expect(clocks.now(2)).toBe(10);
    clocks.release(2);
    expect(clocks.now(2)).toBe(1_000_007);
    clocks.standAt(1, 10);
    clocks.release(1);
    expect(clocks.now(1)).toBe(500);
  });
});

describe('when the clock of the machine is set back', () => {
  test('a running clock goes on from what it showed last, a frozen one stands', () => {
    expect(clocks.now(2)).toBe(1_000_007);
    realNow -= 400_000;
    expect([clocks.now(1), clocks.now(2)]).toEqual([500, 1_000_007]);
    realNow += 10;
    expect(clocks.now(2)).toBe(1_000_017);
    realNow -= 1;
    expect(clocks.now(2)).toBe(1_000_017);
  });

  test('while no server runs, it goes on from what was recorded last', () => {
    recordedUntil = 900_000;
    realNow -= 400_000;
    expect(begin().now(2)).toBe(900_000);
    realNow += 10;
    expect(begin().now(2)).toBe(900_010);
  });

  test('what undoes the write of the new offset does not undo what the clock showed', () => {
    const before = shelf.get(2) as Clock;
    expect(clocks.now(2)).toBe(1_000_007);
    realNow -= 400_000;
    expect(clocks.now(2)).toBe(1_000_007);
    shelf.set(2, before);
    expect(clocks.now(2)).toBe(1_000_007);
  });

  test('a move ends at its target', () => {
    const start = clocks.get(2);
    realNow -= 400_000;
    const moved = clocks.movedOn(start, 1_000_007, 2_000_000);
    expect(clocks.read(moved)).toBe(2_000_000);
    expect(clocks.movedOn({ mode: 'frozen', at: 1 }, 1, 5)).toEqual({ mode: 'frozen', at: 5 });
  });

  test('a clock that somebody sets back goes back, as a restore does', () => {
    expect(clocks.now(2)).toBe(1_000_007);
    clocks.set(2, clocks.runningFrom(5_000));
    expect(clocks.now(2)).toBe(5_000);
  });
});

describe('the clock of a new workspace', () => {
  const real = { now: () => realNow };

  test('runs at real time, unless the user says otherwise', () => {
    expect(startingClock(undefined, real)()).toEqual({ mode: 'running', offsetMs: 0 });
    expect(startingClock({ frozenAt: '1970-01-01T00:00:05Z' }, real)()).toEqual({ mode: 'frozen', at: 5_000 });
  });

  test('runs from the same instant whenever one begins', () => {
    const begin = startingClock({ runningFrom: '1970-01-01T00:00:05Z' }, real);
    expect(begin()).toEqual({ mode: 'running', offsetMs: 5_000 - realNow });
    realNow += 60_000;
    expect(clocks.read(begin())).toBe(5_000);
  });

  test.each([{ frozenAt: 'soon' }, { runningFrom: 'soon' }])('%j is refused', (choice) => {
    expect(() => startingClock(choice, real)).toThrow(
      'soon is not an ISO 8601 instant from 1970 to 9979, such as 2026-01-31T09:00:00Z.',
    );
  });
});

test('a clock that stands at its own instant is not written again', () => {
  let writes = 0;
  const counted = createClocks(
    { now: () => realNow, after: () => () => undefined },
    { clock: () => ({ mode: 'frozen', at: 500 }), setClock: () => (writes += 1), recordedUntil: () => 0 },
  );
  counted.standAt(1, 500);
  expect([counted.now(1), writes]).toEqual([500, 0]);
  counted.standAt(1, 501);
  expect([counted.now(1), writes]).toEqual([501, 1]);
});
