import { expect, test } from 'vitest';
import { ACCOUNT_DEFAULTS, PLATFORM_DEFAULTS } from '../../../src/domain/assumptions.ts';
import { DAY, HOUR } from '../../../src/domain/calendar.ts';
import type { EventType } from '../../../src/domain/event.ts';
import { dueOf, isSettled, transitionOf } from '../../../src/domain/explain/changes.ts';
import { causeOf, contract, event, installment, lever, OPENED, payment, session, story } from '../../support/story.ts';

const settle = causeOf(lever(7, 'settleInstallment'));
const pastDueAt = OPENED + 30 * DAY;

const whole = story({
  session: session(),
  contract: contract(),
  installments: [
    installment(1, { status: 'paid', pastDueAt, defaultAt: pastDueAt + 20 * DAY }),
    installment(2, { status: 'past_due', pastDueAt, defaultAt: pastDueAt + 20 * DAY, lateChargeCents: 400 }),
  ],
  attempts: [payment(2), payment(3, { at: OPENED + 28 * DAY, outcome: 'fail' })],
});

/** Each event, with what fell due, its reason, and the setting that decided. */
const DUE: readonly [EventType, string, at: number, string, string, string, setting: object | null][] = [
  [
    'session.expired',
    'cs_1',
    OPENED + HOUR,
    'The session’s deadline passed.',
    'The customer did not accept the plan in time.',
    'service §3.1',
    { name: 'session_ttl_minutes', value: 60 },
  ],
  [
    'installment.paid',
    'LAY-1#2',
    OPENED + 28 * DAY,
    'Installment 2 fell due.',
    'Its due date came. The first collection attempt is made at the same moment.',
    'service §3.3',
    { name: 'installment_cadence', value: 'biweekly' },
  ],
  [
    'installment.payment_failed',
    'LAY-1#2',
    OPENED + 29 * DAY,
    'The second collection attempt on installment 2 fell due.',
    'The first one failed.',
    'service §3.3',
    { name: 'collection_retry_hours', value: 24 },
  ],
  [
    'installment.delinquent',
    'LAY-1#2',
    pastDueAt + 10 * DAY,
    'The grace period of installment 2 ran out.',
    'It was still unpaid.',
    'service §3.3',
    { name: 'grace_days', value: 10 },
  ],
  [
    'contract.defaulted',
    'LAY-1',
    pastDueAt + 20 * DAY,
    'The default clock of installment 2 ended.',
    'It was still unpaid.',
    'decisions §4',
    { name: 'default_days', value: 20 },
  ],
];

test.each(DUE)('interface §11: what fell due before %s, and the setting with its value then', (...row) => {
  const [type, subject, at, what, because, section, setting] = row;
  expect(dueOf(event(1, type, subject, { at }), whole)).toEqual({ what, because, section, setting });
});

test('interface §11: without the session, no setting is named for what its terms decided', () => {
  const alone = { ...whole, session: null };
  expect(dueOf(event(1, 'session.expired', 'cs_1'), alone).setting).toBeNull();
  expect(dueOf(event(1, 'installment.paid', 'LAY-1#1', { at: OPENED }), alone).setting).toBeNull();
});

/** Each event, with the change of state behind it, its reason, and its section. */
const CHANGES: readonly [EventType, string, string, string, string][] = [
  [
    'session.decision_made',
    'cs_1',
    'Session cs_1 moved from pending to decision_made; the pending contract LAY-1 was created.',
    'The customer entered a name and an email address and accepted the plan.',
    'decisions §4',
  ],
  [
    'session.completed',
    'cs_1',
    'Session cs_1 moved from decision_made to completed.',
    'The Cart Capture landed.',
    'decisions §4',
  ],
  [
    'session.cancelled',
    'cs_1',
    'Session cs_1 moved to cancelled, and so did contract LAY-1.',
    'The customer backed out. A pending contract is cancelled silently.',
    'decisions §4',
  ],
  [
    'session.expired',
    'cs_1',
    'Session cs_1 moved from pending to expired.',
    'Only a pending session expires, at its deadline.',
    'service §3.1',
  ],
  [
    'contract.activated',
    'LAY-1',
    'Contract LAY-1 moved from pending to active.',
    'The down payment of $40.00 and the Reservation Fee were collected.',
    'decisions §4',
  ],
  [
    'contract.completed',
    'LAY-1',
    'Contract LAY-1 moved from active to completed.',
    'Its last unpaid installment was paid.',
    'decisions §4',
  ],
  [
    'contract.cancelled',
    'LAY-1',
    'Contract LAY-1 moved from active to cancelled.',
    'An active contract ends when it is cancelled; paid installments stay paid.',
    'service §3.2',
  ],
  [
    'contract.defaulted',
    'LAY-1',
    'Contract LAY-1 moved from active to defaulted.',
    'An installment was still unpaid when its default clock ended; collection stops.',
    'decisions §4',
  ],
  ['installment.paid', 'LAY-1#1', 'Installment 1 of LAY-1 is paid.', 'It was collected.', 'service §3.3'],
  [
    'installment.past_due',
    'LAY-1#2',
    'Installment 2 of LAY-1 moved from due to past_due.',
    'The second collection attempt failed and the customer was notified; at that moment the grace and default clocks start.',
    'service §3.3',
  ],
  [
    'installment.delinquent',
    'LAY-1#2',
    'Installment 2 of LAY-1 moved from past_due to delinquent, with a late charge of $4.00.',
    'The grace period ran out and the late charge was assessed, once.',
    'service §3.3',
  ],
];

test.each(CHANGES)('interface §11: the change of state behind %s', (type, subject, what, because, section) => {
  expect(transitionOf(event(1, type, subject), whole)).toMatchObject({ what, because, section });
});

test('interface §11: a failed payment and a test event change no state', () => {
  expect(transitionOf(event(1, 'installment.payment_failed', 'LAY-1#1'), whole)).toBeNull();
  expect(transitionOf(event(1, 'webhook.test', 'we_1'), whole)).toBeNull();
});

test('interface §11: a session that is cancelled before a plan was accepted has no contract to cancel', () => {
  expect(transitionOf(event(1, 'session.cancelled', 'cs_1'), { ...whole, contract: null })).toMatchObject({
    what: 'Session cs_1 moved to cancelled.',
  });
});

test('interface §11: a settled installment is told apart from a collected one, with its late charge', () => {
  const settled = (number: number) => event(1, 'installment.paid', `LAY-1#${number}`, { cause: settle });
  expect(transitionOf(settled(1), whole)?.because).toBe('The customer settled it.');
  expect(transitionOf(settled(2), whole)?.because).toBe('The customer settled it, late charge included.');
  expect(isSettled(settled(1))).toBe(true);
  const others = [causeOf(lever(7, 'endContract')), 'clock', 'settleInstallment', null];
  expect(others.map((cause) => isSettled({ cause }))).toEqual([false, false, false, false]);
});

test('interface §11: an activation names the share that was paid down, as in the terms of its session', () => {
  const activated = event(1, 'contract.activated', 'LAY-1');
  expect(transitionOf(activated, whole)?.setting).toEqual({ name: 'down_payment_percentage', value: 20 });
  expect(transitionOf(activated, { ...whole, session: null })?.setting).toBeNull();
});

test('interface §11: a setting has the value from before its later changes', () => {
  const change = lever(9, 'updateSettings', { body: { before: { grace_days: 3 } }, afterEvent: 5 });
  const changed = { ...whole, levers: [change] };
  const graceOf = (id: number) => transitionOf(event(id, 'installment.past_due', 'LAY-1#2'), changed)?.setting;
  expect([4, 5, 6].map(graceOf)).toEqual([
    { name: 'grace_days', value: 3 },
    { name: 'grace_days', value: 3 },
    { name: 'grace_days', value: ACCOUNT_DEFAULTS.grace_days },
  ]);
});

test.each([
  [400, 'late_charge_percentage', 5],
  [401, 'late_charge_percentage', 5],
  [399, 'late_charge_max_amount', 399],
])('service §3.3: with a cap of %i cents on a charge of 5 %% of $80.00, %s decided it', (cap, name, value) => {
  const settings = {
    ...ACCOUNT_DEFAULTS,
    ...PLATFORM_DEFAULTS,
    late_charge_percentage: 5,
    late_charge_max_amount: cap,
  };
  const delinquent = event(1, 'installment.delinquent', 'LAY-1#2');
  expect(transitionOf(delinquent, { ...whole, settings })?.setting).toEqual({ name, value });
});
