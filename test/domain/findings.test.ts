import { describe, expect, test } from 'vitest';
import {
  CONFIRM_MS,
  FINDING_RULES,
  FINDINGS,
  findingsOfAnswer,
  ignoresRetryAfter,
  isNewKeyOnRetry,
  isRememberedCreate,
  isSameKeyRetry,
  isStorm,
  POLLS_MAX,
  withinStorm,
} from '../../src/domain/findings.ts';

const HOUR = 3_600_000;

test('interface §9: the habits that fail in production, in their order', () => {
  expect(FINDING_RULES).toEqual([
    'create-without-key',
    'new-key-on-retry',
    'retry-after-ignored',
    'retry-storm',
    'unknown-field',
    'redirect-trusted',
    'polling',
    'slow-ack',
    'endpoint-errors',
    'endpoint-redirects',
    'signature-unchecked',
  ]);
  expect(FINDING_RULES.filter((rule) => FINDINGS[rule].severity === 'must')).toEqual([
    'create-without-key',
    'new-key-on-retry',
    'redirect-trusted',
    'endpoint-errors',
    'endpoint-redirects',
    'signature-unchecked',
  ]);
  expect([POLLS_MAX, CONFIRM_MS]).toEqual([30, HOUR]);
});

describe('interface §9: a retry of a create', () => {
  const before = { key: 'a', isLost: true, at: 1_000 };

  test.each([
    ['another key', before, 'b', true],
    ['the same key', before, 'a', false],
    ['no key', before, null, false],
    ['a key after none', { ...before, key: null }, 'b', false],
    ['another key after a server error', { ...before, isLost: false }, 'b', true],
  ])('with %s', (_what, first, key, isNew) => {
    expect(isNewKeyOnRetry(first, key)).toBe(isNew);
  });

  test.each([
    ['the same key after a lost response', before, 'a', true],
    ['another key', before, 'b', false],
    ['no key after none', { ...before, key: null }, null, false],
    ['the same key after a server error', { ...before, isLost: false }, 'a', false],
  ])('meets the situation with %s', (_what, first, key, isMet) => {
    expect(isSameKeyRetry(first, key)).toBe(isMet);
  });

  test('is looked for while the first key lives', () => {
    expect(isRememberedCreate(before, 1_000 + 24 * HOUR - 1, 24)).toBe(true);
    expect(isRememberedCreate(before, 1_000 + 24 * HOUR, 24)).toBe(false);
    expect(isRememberedCreate(before, 1_000 + HOUR, 1)).toBe(false);
  });
});

test('interface §9: Retry-After is kept when the request comes at its end, give or take a client’s timer', () => {
  const wait = { from: 5_000, until: 10_000 };
  expect(ignoresRetryAfter(10_000, wait)).toBe(false);
  expect(ignoresRetryAfter(9_975, wait)).toBe(false);
  expect(ignoresRetryAfter(9_974, wait)).toBe(true);
  expect(ignoresRetryAfter(5_000, wait)).toBe(true);
});

test('interface §9: a request that arrived before the response did not ignore its Retry-After', () => {
  expect(ignoresRetryAfter(4_999, { from: 5_000, until: 10_000 })).toBe(false);
});

test('interface §9: a storm is the same request more than five times within a second', () => {
  const at = (...times: readonly number[]) => times.map((real) => ({ real, account: real }));
  const within = (times: readonly number[], arrivedAt: number) =>
    withinStorm(at(...times), { real: arrivedAt, account: arrivedAt }).map(({ real }) => real);
  expect(within([0, 1, 500], 1_000)).toEqual([1, 500, 1_000]);
  expect(within([1_500, 1_800], 1_700)).toEqual([1_500, 1_700, 1_800]);
  expect(within([1_500, 1_800], 0)).toEqual([1_500, 1_800]);
  expect(isStorm(at(1, 2, 3, 4, 5))).toBe(false);
  expect(isStorm(at(1, 2, 3, 4, 5, 6))).toBe(true);
});

test('interface §9: a storm is within a second of account time too, so an advance of the clock makes none', () => {
  const arrivals = [
    { real: 0, account: 0 },
    { real: 1, account: 1 },
  ];
  const later = { real: 2, account: 1_000 };
  expect(withinStorm(arrivals, later)).toEqual([{ real: 1, account: 1 }, later]);
});

describe('interface §9: what the response of an endpoint gives away', () => {
  test.each([
    [200, []],
    [299, []],
    [300, ['endpoint-redirects']],
    [308, ['endpoint-redirects']],
    [399, ['endpoint-redirects']],
    [400, ['endpoint-errors']],
    [500, ['endpoint-errors']],
    [599, ['endpoint-errors']],
    [199, []],
    [600, []],
    [null, []],
  ])('%s to a genuine event', (statusCode, findings) => {
    expect(findingsOfAnswer({ statusCode, durationMs: 5_000, isForged: false })).toEqual(findings);
    expect(findingsOfAnswer({ statusCode, durationMs: 5_001, isForged: false })).toEqual(['slow-ack', ...findings]);
  });

  test.each([
    [200, true],
    [204, true],
    [299, true],
    [199, false],
    [300, false],
    [400, false],
    [500, false],
    [null, false],
  ])('%s to a forged one', (statusCode, isUnchecked) => {
    expect(findingsOfAnswer({ statusCode, durationMs: 60_000, isForged: true })).toEqual(
      isUnchecked ? ['signature-unchecked'] : [],
    );
  });
});
