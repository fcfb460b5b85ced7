import type { Contract, Outcome } from '../domain/contract.ts';
import type { Installment } from '../domain/installment.ts';
import type { StepTx } from './steps.ts';

/** Records the next payment attempt on `installment` under a `sim_…` or `pay_…` reference (§1); returns its number. */
export function recordAttempt(tx: StepTx, contract: Contract, installment: Installment, outcome: Outcome): number {
  const { store, draw, account, now, cause } = tx;
  const id = store.attempts.nextId();
  const number = installment.attempts + 1;
  const attempt = {
    reference: draw.payment(account.mode, id),
    sequence: installment.sequence,
    number,
    outcome,
    amountCents: installment.amountCents,
    lateChargeCents: installment.lateChargeCents,
    at: now,
  };
  store.attempts.insert(id, contract.id, attempt, cause);
  return number;
}
