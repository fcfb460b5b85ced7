import { formatDate, type Instant } from '../domain/calendar.ts';
import { balanceOf, type Contract, overdueOf } from '../domain/contract.ts';
import { type Installment, moved, overdueClocks, retry } from '../domain/installment.ts';
import type { Account } from '../domain/merchant.ts';
import { lateCharge } from '../domain/money.ts';
import { Refusal } from '../domain/refusal.ts';
import { recordAttempt } from './attempt.ts';
import { complete } from './contract.ts';
import { recordContractEmail, recordInstallmentEvent } from './record.ts';
import type { StepTx } from './steps.ts';
import { transact, type World } from './world.ts';

/** The deadline passed: the installment is due, and attempt 1 is made at the same instant (decisions §4). */
export function collectFirst(tx: StepTx, contract: Contract, installment: Installment) {
  collect(tx, contract, moved(installment, 'deadline'));
}

/** Makes the first or second attempt on an installment that is due. */
export function collect(tx: StepTx, contract: Contract, installment: Installment) {
  const [outcome = 'pay', ...rest] = contract.outcomes;
  if (contract.outcomes.length > 0) tx.store.contracts.setOutcomes(contract.id, rest);
  const number = recordAttempt(tx, contract, installment, outcome);
  const attempted = { ...installment, attempts: number };
  if (outcome === 'pay') return land(tx, contract, attempted, 'collect');
  if (number === 1) {
    const failed = { ...attempted, next: retry(tx.now, tx.account.settings) };
    tx.store.installments.update(failed);
    recordInstallmentEvent(tx, 'installment.payment_failed', contract, failed, number);
  } else {
    giveUp(tx, contract, attempted);
  }
}

/** The second attempt failed: the customer is notified, and at that moment both clocks start (§3.3). */
function giveUp(tx: StepTx, contract: Contract, installment: Installment) {
  const { defaultAt, next } = overdueClocks(tx.now, tx.account.settings);
  const overdue = { ...moved(installment, 'give_up'), pastDueAt: tx.now, defaultAt, next };
  tx.store.installments.update(overdue);
  recordInstallmentEvent(tx, 'installment.payment_failed', contract, overdue, installment.attempts);
  recordInstallmentEvent(tx, 'installment.past_due', contract, overdue, installment.attempts);
  recordContractEmail(tx, 'past_due_notice', contract.customerEmail, contract, {
    ...facts(tx, contract, overdue),
    // The announced late charge; 0 when the contract defaults before it would be assessed.
    lateChargeCents: next.step === 'grace' ? lateChargeOf(tx, installment) : 0,
    nextDueDate: aheadOf(tx, next.at),
  });
}

/** The day before which the customer can still pay; null if it is here already. */
const aheadOf = ({ now }: StepTx, at: Instant) => (at > now ? formatDate(at) : null);

function lateChargeOf({ account: { settings } }: StepTx, { amountCents }: Installment): number {
  return lateCharge(amountCents, settings.late_charge_percentage, settings.late_charge_max_amount);
}

/** The grace period ended: assesses the late charge, once (§3.3). */
export function endGrace(tx: StepTx, contract: Contract, installment: Installment) {
  const delinquent: Installment = {
    ...moved(installment, 'grace_over'),
    lateChargeCents: lateChargeOf(tx, installment),
    next: { step: 'default', at: installment.defaultAt as number },
  };
  tx.store.installments.update(delinquent);
  recordInstallmentEvent(tx, 'installment.delinquent', contract, delinquent, null);
  recordContractEmail(tx, 'delinquent_notice', contract.customerEmail, contract, {
    ...facts(tx, contract, delinquent),
    lateChargeCents: delinquent.lateChargeCents,
    nextDueDate: aheadOf(tx, installment.defaultAt as number),
    reservationFeeCents: contract.reservationFeeCents,
  });
}

/**
 * The customer settles an overdue installment and its late charge.
 * @throws Refusal `installment_not_overdue`
 */
export const settle = (world: World, account: Account, contract: Contract, number: number): Contract =>
  transact(world, account, (tx) => {
    const overdue = overdueOf(contract, tx.store.installments.list(contract.id));
    const installment = overdue.find((each) => each.number === number);
    if (!installment) throw new Refusal('installment_not_overdue');
    const attempts = recordAttempt(tx, contract, installment, 'pay');
    land(tx, contract, { ...installment, attempts }, 'settle');
    return tx.store.contracts.get(contract.id);
  });

/** Records the payment. The last one completes the contract. */
function land(tx: StepTx, contract: Contract, installment: Installment, trigger: 'collect' | 'settle') {
  const paid = { ...moved(installment, trigger), paidAt: tx.now, next: null };
  tx.store.installments.update(paid);
  recordInstallmentEvent(tx, 'installment.paid', contract, paid, paid.attempts);
  const installments = tx.store.installments.list(contract.id);
  recordContractEmail(tx, 'installment_receipt', contract.customerEmail, contract, {
    ...facts(tx, contract, paid, installments),
    lateChargeCents: paid.lateChargeCents,
    ...balanceOf(contract, installments),
  });
  if (installments.every(({ status }) => status === 'paid')) complete(tx, contract);
}

const facts = (
  tx: StepTx,
  contract: Contract,
  installment: Installment,
  installments = tx.store.installments.list(contract.id),
) => ({
  amountCents: installment.amountCents,
  installment: installment.number as number,
  installments: installments.length - 1,
  dueDate: formatDate(installment.dueAt),
});
