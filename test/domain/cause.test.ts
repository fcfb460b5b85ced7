import { describe, expect, test } from 'vitest';
import {
  CLOCK,
  leverCause,
  leverId,
  numberIn,
  pageCause,
  type ReadCause,
  readCause,
  requestCause,
  START,
} from '../../src/domain/cause.ts';

describe('interface §11: every row carries what caused it', () => {
  const lever = { kind: 'lever', operation: 'settleInstallment', number: 12, id: 'lvr_000000000012' } as const;

  test('a request, a lever, and a step on the checkout page', () => {
    expect(requestCause(7)).toBe('req_000000000007');
    expect(leverCause('settleInstallment', 12)).toBe('settleInstallment lvr_000000000012');
    expect(pageCause('acceptSession', 12)).toBe('acceptSession lvr_000000000012 page');
  });

  test.each<[cause: string | null, ReadCause]>([
    ['req_000000000007', { kind: 'request', number: 7, id: 'req_000000000007' }],
    ['settleInstallment lvr_000000000012', { ...lever, isOnPage: false }],
    ['settleInstallment lvr_000000000012 page', { ...lever, isOnPage: true }],
    [CLOCK, { kind: 'clock' }],
    [START, { kind: 'start' }],
    // Rows of earlier versions, and what no version wrote.
    [null, { kind: 'unknown' }],
    ['moon', { kind: 'unknown' }],
    ['settleInstallment', { kind: 'unknown' }],
  ])('%s is read as %j', (cause, read) => {
    expect(readCause(cause)).toEqual(read);
  });

  test('ids sort as their numbers do', () => {
    expect([2, 10, 100].map(requestCause).sort()).toEqual([2, 10, 100].map(requestCause));
    expect([2, 10, 100].map(leverId).sort()).toEqual([2, 10, 100].map(leverId));
  });

  test.each([
    ['req', 'req_000000000012', 12],
    ['lvr', 'lvr_000000000012', 12],
    ['req', 'lvr_000000000012', null],
    ['req', 'req_12', null],
    ['req', 'req_0000000000123', null],
    ['req', 'req_00000000001x', null],
    ['req', '000000000012', null],
  ] as const)('the number of %s in %s is %s', (prefix, id, number) => {
    expect(numberIn(prefix, id)).toBe(number);
  });
});
