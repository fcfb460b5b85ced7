import { describe, expect, test } from 'vitest';
import { goesOn, noiseOfTwins, noiseOfValues } from '../../bench/noise.ts';
import { medianInterval } from '../../bench/numbers.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the interval of a median', () => {
  /** The ranks of the usual tables of the sign test. */
  test.each([
    [2, 1, 2],
    [5, 1, 5],
    [8, 1, 8],
    [9, 2, 8],
    [12, 3, 10],
    [20, 6, 15],
    [50, 18, 33],
    [1000, 469, 532],
    [2000, 956, 1045],
  ])('of %i samples reaches from the %i-th to the %i-th', (count, low, high) => {
    expect(medianInterval(upTo(count).reverse())).toEqual([low, high]);
  });
});

describe('noise', () => {
  test('of equal references is zero', () => {
    expect(noiseOfTwins([upTo(7), upTo(7)])).toBe(0);
  });

  test('is the farther end of what the ratios of both references may be', () => {
    expect(
      noiseOfTwins([
        [100, 105, 90],
        [100, 100, 100],
      ]),
    ).toBeCloseTo(0.1);
    expect(
      noiseOfTwins([
        [100, 120, 95],
        [100, 100, 100],
      ]),
    ).toBeCloseTo(0.2);
  });

  test('compares round by round: a slow round of both adds no noise', () => {
    expect(
      noiseOfTwins([
        [100, 10, 100],
        [101, 10.1, 101],
      ]),
    ).toBeCloseTo(0.0099);
  });

  test('becomes less with more rounds: one outlier of nine is left off', () => {
    const first = [100, 101, 99, 100, 102, 98, 100, 101, 300];
    expect(noiseOfTwins([first, first.map(() => 100)])).toBeCloseTo(0.02);
    expect(noiseOfTwins([first.slice(-3), [100, 100, 100]])).toBeCloseTo(2);
  });

  test('is unknown after one round', () => {
    expect(noiseOfTwins([[1], [2]])).toBeNull();
    expect(noiseOfTwins([[1, 2], []])).toBeNull();
    expect(noiseOfValues([1])).toBeNull();
  });

  test('without a reference is that of the values themselves', () => {
    expect(noiseOfValues([9, 10, 12])).toBeCloseTo(0.2);
    expect(noiseOfValues([8, 10, 11])).toBeCloseTo(0.2);
  });
});

describe('the stopping rule', () => {
  const limits = { rounds: 6, lineLimitMs: 1000 };

  test('measures the least number of rounds, however steady or slow', () => {
    expect(goesOn({ rounds: 5, noise: 0, elapsedMs: 5000 }, limits)).toBe(true);
    expect(goesOn({ rounds: 6, noise: 0, elapsedMs: 5000 }, limits)).toBe(false);
  });

  test('goes on while the noise is 10 % or more', () => {
    expect(goesOn({ rounds: 6, noise: 0.1, elapsedMs: 999 }, limits)).toBe(true);
    expect(goesOn({ rounds: 6, noise: 0.099, elapsedMs: 10 }, limits)).toBe(false);
  });

  test('ends when the time is up', () => {
    expect(goesOn({ rounds: 7, noise: 0.5, elapsedMs: 1000 }, limits)).toBe(false);
  });
});
