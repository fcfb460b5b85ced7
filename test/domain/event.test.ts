import { expect, test } from 'vitest';
import { EVENT_TYPES, isFailure } from '../../src/domain/event.ts';

test('a failure is a missed payment or what follows from it; a cancellation is somebody’s choice', () => {
  expect(EVENT_TYPES.filter(isFailure)).toEqual([
    'contract.defaulted',
    'installment.payment_failed',
    'installment.past_due',
    'installment.delinquent',
  ]);
  expect(isFailure('webhook.attempt')).toBe(false);
});
