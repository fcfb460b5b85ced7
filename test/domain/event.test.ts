import { describe, expect, test } from 'vitest';
import {
  askedOfList,
  concerning,
  EVENT_TYPES,
  isFailure,
  mayComeLater,
  narrowing,
  subjectOfData,
  unmetFilter,
} from '../../src/domain/event.ts';

test('a failure is a missed payment or what follows from it; a cancellation is somebody’s choice', () => {
  expect(EVENT_TYPES.filter(isFailure)).toEqual([
    'contract.defaulted',
    'installment.payment_failed',
    'installment.past_due',
    'installment.delinquent',
  ]);
  expect(isFailure('webhook.attempt')).toBe(false);
});

test.each([
  [{ reference: 'LAY-1' }, 'LAY-1'],
  [{ reference: 'LAY-1', installment: { installment_number: 2 } }, 'LAY-1#2'],
  [{ reference: 'LAY-1', installment: { installment_number: null } }, 'LAY-1'],
  [{ id: 'cs_1' }, 'cs_1'],
  [{ endpoint_id: 'we_1' }, null],
])('the subject of an event with the data %j is %s', (data, subject) => {
  expect(subjectOfData(data)).toBe(subject);
});

describe('interface §2: a wait for an event of a contract or session', () => {
  const [type, ofSession] = ['contract.cancelled', 'session.completed'];
  const [contract, session] = ['LAY-1', 'cs_1'];

  test.each([
    [
      { type: ofSession, contract },
      { filter: 'contract', instead: 'session' },
    ],
    [
      { type: 'webhook.test', contract },
      { filter: 'contract', instead: null },
    ],
    [
      { type: 'webhook.test', session },
      { filter: 'session', instead: null },
    ],
    [{ type: 'webhook.test' }, null],
    [{ type: ofSession, session }, null],
    [{ type, contract, session }, null],
    [{ type }, null],
  ])('%j can never end because of %j', (concern, unmet) => {
    expect(unmetFilter(concern)).toEqual(unmet);
  });

  test.each([
    [{ type }, {}, {}, false],
    [{ type, contract }, {}, { contract }, true],
    [{ type, session }, { session }, { session }, false],
    [{ type, contract, session }, { session }, { session }, false],
    [{ type: ofSession, session }, {}, { session }, true],
  ])('%j asks the list for %j, narrows it to %j, and goes on if that is not there yet: %s', (concern, ...asks) => {
    expect([askedOfList(concern), narrowing(concern), mayComeLater(concern)]).toStrictEqual(asks);
  });

  test.each([
    [{ type }, { type, data: { reference: 'LAY-2' } }, true],
    [{ type }, { type: 'contract.defaulted', data: { reference: 'LAY-2' } }, false],
    [{ type, contract }, { type, data: { reference: 'LAY-1' } }, true],
    [{ type, contract }, { type, data: { reference: 'LAY-2' } }, false],
    [{ type: ofSession }, { type: ofSession, data: { id: 'cs_2' } }, true],
    [{ type: ofSession, session }, { type: ofSession, data: { id: 'cs_1' } }, true],
    [{ type: ofSession, session }, { type: ofSession, data: { id: 'cs_2' } }, false],
    // The list was asked for those of the session.
    [{ type, session }, { type, data: { reference: 'LAY-2' } }, true],
  ])('%j is about %j: %s', (wanted, event, isMet) => {
    expect(concerning(wanted)(event)).toBe(isMet);
  });
});
