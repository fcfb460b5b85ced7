import { describe, expect, test } from 'vitest';
import { inTime, TookTooLong } from '../src/time-limit.ts';

/** Keeps the processor busy. */
const forever = () => {
  for (;;);
};
/** Waits without using the processor, as work does whose turn never comes. */
const idle = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('work within a limit of processor time', () => {
  test('is answered, and what it throws is thrown', () => {
    expect(inTime(50, () => 'done')).toBe('done');
    const own = new Error('its own');
    expect(() =>
      inTime(50, () => {
        throw own;
      }),
    ).toThrow(own);
  });

  test('is stopped when it uses more', () => {
    expect(() => inTime(20, forever)).toThrow(TookTooLong);
  });

  test('begins again when the time that passed was not its own', () => {
    let tries = 0;
    const answer = inTime(200, () => {
      tries += 1;
      // The first try is interrupted as soon as it runs again.
      if (tries === 1) {
        idle(300);
        forever();
      }
      return 'done';
    });
    expect(answer).toBe('done');
    expect(tries).toBe(2);
  });
});
