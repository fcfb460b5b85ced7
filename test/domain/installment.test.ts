import { expect, test } from 'vitest';
import {
  earliestOverdue,
  firstCollection,
  INSTALLMENT_MACHINE,
  INSTALLMENT_STATUSES,
  INSTALLMENT_TRIGGERS,
  type Installment,
  type InstallmentStatus,
  type InstallmentTrigger,
  isOverdue,
  moved,
  moveInstallment,
  overdueClocks,
  retry,
} from '../../src/domain/installment.ts';
import { gridOf } from '../support/grid.ts';

/** §3.3 with the triggers of decisions §4, written from the documents. `-` is a refusal. */
const { triggers, states, cells } = gridOf(`
             deadline  collect  give_up   grace_over  settle
  upcoming   due       -        -         -           -
  due        -         paid     past_due  -           -
  paid       -         -        -         -           -
  past_due   -         -        -         delinquent  paid
  delinquent -         -        -         -           paid
`);

test('§3.3: the grid below names every state and every trigger', () => {
  expect(states).toEqual([...INSTALLMENT_STATUSES]);
  expect(triggers).toEqual([...INSTALLMENT_TRIGGERS]);
});

test.each(cells)('§3.3, decisions §4: an installment %s on %s: %s', (from, trigger, to) => {
  expect(moveInstallment(from as InstallmentStatus, trigger as InstallmentTrigger) ?? '-').toBe(to);
});

test('§3.3: paid is the only end', () => {
  expect(INSTALLMENT_STATUSES.filter((status) => Object.keys(INSTALLMENT_MACHINE[status]).length === 0)).toEqual([
    'paid',
  ]);
});

test('interface §2: the earliest overdue installment is settled when none is named', () => {
  const plan = (...statuses: InstallmentStatus[]) => statuses.map((status, at) => ({ status, at }));
  expect(earliestOverdue(plan('paid', 'past_due', 'delinquent'))?.at).toBe(1);
  expect(earliestOverdue(plan('paid', 'delinquent', 'past_due'))?.at).toBe(1);
  expect(earliestOverdue(plan('paid', 'due', 'upcoming'))).toBeUndefined();
  expect(INSTALLMENT_STATUSES.filter(isOverdue)).toEqual(['past_due', 'delinquent']);
});

test('a trigger that a status does not allow is a fault of the program', () => {
  const installment = { contractId: 1, status: 'due', sequence: 2, amountCents: 2_469 } as Installment;
  expect(moved(installment, 'collect')).toEqual({ ...installment, status: 'paid' });
  expect(() => moved(installment, 'settle')).toThrow('A due installment does not allow settle.');
});

const HOUR_MS = 3_600_000;
const terms = { collection_retry_hours: 48, grace_days: 10, default_days: 30 };

test('decisions §4: attempt 1 comes at the deadline, attempt 2 collection_retry_hours after it', () => {
  expect(firstCollection(7)).toEqual({ step: 'collect', at: 7 });
  expect(retry(7, terms)).toEqual({ step: 'retry', at: 7 + 48 * HOUR_MS });
});

test('§3.3: both clocks start at past_due; grace ends first', () => {
  expect(overdueClocks(7, terms)).toEqual({
    defaultAt: 7 + 30 * 24 * HOUR_MS,
    next: { step: 'grace', at: 7 + 10 * 24 * HOUR_MS },
  });
});

test('decisions §2: the clock that ends first comes first, grace on a tie', () => {
  expect(overdueClocks(0, { ...terms, default_days: 9 }).next).toEqual({ step: 'default', at: 9 * 24 * HOUR_MS });
  expect(overdueClocks(0, { ...terms, default_days: 10 }).next).toEqual({ step: 'grace', at: 10 * 24 * HOUR_MS });
  expect(overdueClocks(0, { ...terms, grace_days: 0 }).next).toEqual({ step: 'grace', at: 0 });
});
