import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACCOUNT_DEFAULTS } from '../../src/domain/assumptions.ts';
import { nextAttemptAt } from '../../src/domain/backoff.ts';

const LADDER = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
const failed = (statusCode: number | null = 500, retryAfterSeconds: number | null = null) => ({
  statusCode,
  retryAfterSeconds,
});

test('decisions §2: eight attempts, each wait counted from the previous attempt', () => {
  const waits: number[] = [];
  let at = 1_000_000;
  for (let number = 0; ; number += 1) {
    const next = nextAttemptAt(ACCOUNT_DEFAULTS.webhook_retry_seconds, number, at, failed());
    if (next === null) break;
    waits.push((next - at) / 1_000);
    at = next;
  }
  expect(waits).toEqual(LADDER);
});

test.each([
  ['429 asks for longer than the step', 429, 60, 60],
  ['503 asks for longer than the step', 503, 60, 60],
  ['429 asks for shorter than the step', 429, 1, 5],
  ['429 asks for nothing', 429, null, 5],
  ['429 asks for exactly a day', 429, 86_400, 86_400],
  ['429 asks for more than a day', 429, 86_401, 86_400],
  ['503 asks for ever', 503, Number.MAX_SAFE_INTEGER, 86_400],
  ['500 is not listened to', 500, 60, 5],
  ['302 is not listened to', 302, 60, 5],
  ['no answer at all', null, null, 5],
])('decisions §6: %s', (_title, status, retryAfter, expectedSeconds) => {
  expect(nextAttemptAt(LADDER, 1, 0, failed(status, retryAfter))).toBe(expectedSeconds * 1_000);
});

test('decisions §6: Retry-After is capped at a day, a longer step of the ladder is not', () => {
  expect(nextAttemptAt([0, 172_800], 1, 0, failed(429, 200_000))).toBe(172_800_000);
});

test('decisions §6: the next attempt comes at max(step, Retry-After up to a day), never before the step', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(2_592_000), { minLength: 1, maxLength: 10 }),
      fc.nat(12),
      fc.nat(10 ** 12),
      fc.constantFrom(429, 503, 500, 404, 301, null),
      fc.option(fc.nat(10 ** 9)),
      (ladder, number, at, status, retryAfter) => {
        const next = nextAttemptAt(ladder, number, at, failed(status, retryAfter));
        const step = ladder[number];
        const heard = (status === 429 || status === 503) && retryAfter !== null ? Math.min(retryAfter, 86_400) : 0;
        expect(next).toBe(step === undefined ? null : at + Math.max(step, heard) * 1_000);
      },
    ),
  );
});
