import type { DueStep, Installment, InstallmentStatus } from '../domain/installment.ts';
import { installmentNumber, type PlannedCapture } from '../domain/schedule.ts';
import type { Database } from './database.ts';
import { remembered } from './remembered.ts';

interface Row {
  contract_id: number;
  sequence: number;
  amount_cents: number;
  due_at: number;
  status: InstallmentStatus;
  paid_at: number | null;
  past_due_at: number | null;
  default_at: number | null;
  late_charge_cents: number;
  attempts: number;
  next_step: DueStep | null;
  next_at: number | null;
}

export function installments(db: Database) {
  const ofContract = db.prepare<[number], Row>('SELECT * FROM installments WHERE contract_id = ? ORDER BY sequence');
  const one = db.prepare<[number, number], Row>('SELECT * FROM installments WHERE contract_id = ? AND sequence = ?');
  const insert = db.prepare(
    `INSERT INTO installments (contract_id, sequence, account_id, amount_cents, due_at, status) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE installments SET due_at = ?, status = ?, paid_at = ?, past_due_at = ?, default_at = ?, late_charge_cents = ?,
       attempts = ?, next_step = ?, next_at = ? WHERE contract_id = ? AND sequence = ?`,
  );
  const settleDown = db.prepare(
    'UPDATE installments SET next_step = NULL, next_at = NULL WHERE contract_id = ? AND next_at IS NOT NULL',
  );

  const schedules = remembered<number, readonly Installment[]>();

  return {
    insert(contractId: number, accountId: number, capture: PlannedCapture, status: InstallmentStatus) {
      schedules.delete(contractId);
      insert.run(contractId, capture.sequence, accountId, capture.amountCents, capture.dueAt, status);
    },
    update(i: Installment) {
      schedules.delete(i.contractId);
      update.run(
        i.dueAt,
        i.status,
        i.paidAt,
        i.pastDueAt,
        i.defaultAt,
        i.lateChargeCents,
        i.attempts,
        i.next?.step ?? null,
        i.next?.at ?? null,
        i.contractId,
        i.sequence,
      );
    },
    /** Nothing falls due any more: the contract ended. */
    clearObligations(contractId: number) {
      schedules.delete(contractId);
      settleDown.run(contractId);
    },
    get: (contractId: number, sequence: number) => toInstallment(one.get(contractId, sequence) as Row),
    find(contractId: number, sequence: number) {
      const row = one.get(contractId, sequence);
      return row ? toInstallment(row) : null;
    },
    list: (contractId: number): readonly Installment[] =>
      schedules.get(contractId) ?? schedules.set(contractId, ofContract.all(contractId).map(toInstallment)),
    forget: schedules.clear,
  };
}

const toInstallment = (row: Row): Installment => ({
  contractId: row.contract_id,
  sequence: row.sequence,
  type: row.sequence === 1 ? 'cart_capture' : 'installment_capture',
  number: installmentNumber(row.sequence),
  amountCents: row.amount_cents,
  dueAt: row.due_at,
  status: row.status,
  paidAt: row.paid_at,
  pastDueAt: row.past_due_at,
  defaultAt: row.default_at,
  lateChargeCents: row.late_charge_cents,
  attempts: row.attempts,
  next: row.next_step === null ? null : { step: row.next_step, at: row.next_at as number },
});
