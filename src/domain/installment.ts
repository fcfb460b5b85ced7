import type { AccountSettings } from './assumptions.ts';
import { DAY, HOUR, type Instant } from './calendar.ts';
import { type Machine, move } from './machine.ts';
import type { PlannedCapture } from './schedule.ts';

export const INSTALLMENT_STATUSES = ['upcoming', 'due', 'paid', 'past_due', 'delinquent'] as const;
export type InstallmentStatus = (typeof INSTALLMENT_STATUSES)[number];

export const INSTALLMENT_TRIGGERS = ['deadline', 'collect', 'give_up', 'grace_over', 'settle'] as const;
export type InstallmentTrigger = (typeof INSTALLMENT_TRIGGERS)[number];

/** §3.3. `give_up` is the second failed attempt with the customer notified. */
export const INSTALLMENT_MACHINE: Machine<InstallmentStatus, InstallmentTrigger> = {
  upcoming: { deadline: 'due' },
  due: { collect: 'paid', give_up: 'past_due' },
  past_due: { grace_over: 'delinquent', settle: 'paid' },
  delinquent: { settle: 'paid' },
  paid: {},
};

/** The next step of an installment if nobody acts. */
export const DUE_STEPS = ['collect', 'retry', 'grace', 'default'] as const;
export type DueStep = (typeof DUE_STEPS)[number];

/** The next step with its instant. */
export interface Obligation {
  readonly step: DueStep;
  readonly at: Instant;
}

/** One capture on the schedule (§2.7) as it is stored. */
export interface Installment extends PlannedCapture {
  readonly contractId: number;
  readonly status: InstallmentStatus;
  readonly paidAt: Instant | null;
  readonly pastDueAt: Instant | null;
  /** When the default clock of a past_due or delinquent installment ends. */
  readonly defaultAt: Instant | null;
  readonly lateChargeCents: number;
  /** Attempts made so far, settlements included. */
  readonly attempts: number;
  readonly next: Obligation | null;
}

export const moveInstallment = (status: InstallmentStatus, trigger: InstallmentTrigger): InstallmentStatus | null =>
  move(INSTALLMENT_MACHINE, status, trigger);

/** Overdue and unpaid, so it can be settled. */
export const isOverdue = (status: InstallmentStatus) => moveInstallment(status, 'settle') !== null;

/** The earliest overdue installment, which is settled when none is named. The list is in the order of the plan. */
export const earliestOverdue = <T extends { readonly status: InstallmentStatus }>(installments: readonly T[]) =>
  installments.find(({ status }) => isOverdue(status));

/** The next attempt to collect a payment that is not overdue. */
export const nextCollection = (installments: readonly Installment[]) =>
  nextOf(installments.filter(({ next }) => next?.step === 'collect' || next?.step === 'retry'));

/** What falls due next of a whole schedule; at one instant the lower sequence comes first (decisions §6). */
export function nextOf(schedule: readonly Installment[]): (Obligation & Pick<Installment, 'sequence'>) | null {
  let first: (Obligation & Pick<Installment, 'sequence'>) | null = null;
  for (const { next, sequence } of schedule) {
    if (next && (!first || next.at < first.at)) first = { ...next, sequence };
  }
  return first;
}

/** The installment after `trigger`. A trigger that its status does not allow is an internal fault, not a refusal. */
export function moved(installment: Installment, trigger: InstallmentTrigger): Installment {
  const status = moveInstallment(installment.status, trigger);
  if (status === null) throw new Error(`A ${installment.status} installment does not allow ${trigger}.`);
  return { ...installment, status };
}

/** Settings that time an overdue installment. */
export type CollectionTerms = Pick<AccountSettings, 'collection_retry_hours' | 'grace_days' | 'default_days'>;

export const firstCollection = (dueAt: Instant): Obligation => ({ step: 'collect', at: dueAt });

export const retry = (failedAt: Instant, terms: CollectionTerms): Obligation => ({
  step: 'retry',
  at: failedAt + terms.collection_retry_hours * HOUR,
});

/** §3.3 "at that moment both clocks start": grace and default. The one that ends first comes next; grace on a tie. */
export function overdueClocks(pastDueAt: Instant, terms: CollectionTerms): { defaultAt: Instant; next: Obligation } {
  const graceAt = pastDueAt + terms.grace_days * DAY;
  const defaultAt = pastDueAt + terms.default_days * DAY;
  return {
    defaultAt,
    next: graceAt <= defaultAt ? { step: 'grace', at: graceAt } : { step: 'default', at: defaultAt },
  };
}
