import type { Instant } from './calendar.ts';
import { type Installment, isOverdue } from './installment.ts';
import { type Machine, move } from './machine.ts';
import type { Metadata } from './metadata.ts';
import { Refusal } from './refusal.ts';

export const CONTRACT_STATUSES = ['pending', 'active', 'completed', 'cancelled', 'defaulted'] as const;
export type ContractStatus = (typeof CONTRACT_STATUSES)[number];

export const CONTRACT_TRIGGERS = ['activate', 'abandon', 'cancel', 'complete', 'default'] as const;
export type ContractTrigger = (typeof CONTRACT_TRIGGERS)[number];

/** §3.2, triggers @assumed decisions §4. `abandon` means that the customer backs out of a pending contract. */
export const CONTRACT_MACHINE: Machine<ContractStatus, ContractTrigger> = {
  pending: { activate: 'active', abandon: 'cancelled' },
  active: { cancel: 'cancelled', complete: 'completed', default: 'defaulted' },
  completed: {},
  cancelled: {},
  defaulted: {},
};

/** The form of a contract's reference, for regular expressions. */
export const REFERENCE = 'LAY-[0-9A-Z]{10}';

export const OUTCOMES = ['pay', 'fail'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The customer who accepts a plan. */
export interface Customer {
  readonly name: string;
  readonly email: string;
}

/** A layaway agreement (§2.6) as it is stored. Amounts in cents. */
export interface Contract {
  readonly id: number;
  readonly reference: string;
  readonly accountId: number;
  readonly sessionId: number;
  readonly status: ContractStatus;
  readonly orderReference: string | null;
  readonly customerName: string;
  readonly customerEmail: string;
  readonly customerState: string | null;
  readonly totalCents: number;
  readonly reservationFeeCents: number;
  readonly downPaymentCents: number;
  readonly metadata: Metadata;
  readonly preview: boolean;
  /** Outcomes of the next scheduled attempts, used up from the front; later attempts pay. */
  readonly outcomes: readonly Outcome[];
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  readonly defaultedAt: Instant | null;
  readonly cancelledAt: Instant | null;
  readonly createdAt: Instant;
}

/** One attempt to collect a capture. `reference` is `sim_…` or `pay_…` (§1). */
export interface PaymentAttempt {
  readonly reference: string;
  readonly sequence: number;
  readonly number: number;
  readonly outcome: Outcome;
  readonly amountCents: number;
  readonly lateChargeCents: number;
  readonly at: Instant;
}

/** The status after `trigger`; null when the current status does not allow it. */
export const moveContract = (status: ContractStatus, trigger: ContractTrigger): ContractStatus | null =>
  move(CONTRACT_MACHINE, status, trigger);

/** Why a contract in this status cannot be cancelled (§4.8, texts @assumed decisions §4). */
export const cannotCancel = (status: ContractStatus) =>
  status === 'pending' ? new Refusal('contract_not_active') : new Refusal('contract_ended', status);

/** The installments that the customer can settle (decisions §4). */
export const overdueOf = ({ status }: Pick<Contract, 'status'>, installments: readonly Installment[]) =>
  status === 'active' ? installments.filter((installment) => isOverdue(installment.status)) : [];

/** What the customer pays in total: the order and the reservation fee. */
export const customerTotalCents = ({
  totalCents,
  reservationFeeCents,
}: Pick<Contract, 'totalCents' | 'reservationFeeCents'>) => totalCents + reservationFeeCents;

/** The collected and the remaining amount of a contract. */
export function balanceOf(
  contract: Pick<Contract, 'totalCents' | 'reservationFeeCents'>,
  installments: Parameters<typeof paidCents>[0],
) {
  const paid = paidCents(installments);
  return { paidCents: paid, remainingCents: customerTotalCents(contract) - paid };
}

/** §2.6: the collected amount, always the sum of the paid captures. */
export function paidCents(installments: readonly Pick<Installment, 'status' | 'amountCents'>[]): number {
  return installments.reduce((sum, { status, amountCents }) => sum + (status === 'paid' ? amountCents : 0), 0);
}
