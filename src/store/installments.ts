import type { Cause } from '../domain/cause.ts';
import type { DueStep, Installment, InstallmentStatus } from '../domain/installment.ts';
import { captureType, installmentNumber, type PlannedCapture } from '../domain/schedule.ts';
import type { Database } from './file/database.ts';
import { remembered, revisions, watchers } from './remembered.ts';

/** Columns by position: every collection reads a schedule, and building objects with twelve keys costs most of that. */
const COLUMNS = `contract_id, sequence, amount_cents, due_at, status, paid_at, past_due_at, default_at, late_charge_cents,
  attempts, next_step, next_at`;
type Row = [
  contractId: number,
  sequence: number,
  amountCents: number,
  dueAt: number,
  status: InstallmentStatus,
  paidAt: number | null,
  pastDueAt: number | null,
  defaultAt: number | null,
  lateChargeCents: number,
  attempts: number,
  nextStep: DueStep | null,
  nextAt: number | null,
];

export function installments(db: Database) {
  const ofContract = db
    .prepare<[number], Row>(`SELECT ${COLUMNS} FROM installments WHERE contract_id = ? ORDER BY sequence`)
    .raw();
  const insert = db.prepare(
    `INSERT INTO installments (contract_id, sequence, account_id, amount_cents, due_at, status, cause)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE installments SET due_at = ?, status = ?, paid_at = ?, past_due_at = ?, default_at = ?, late_charge_cents = ?,
       attempts = ?, next_step = ?, next_at = ? WHERE contract_id = ? AND sequence = ?`,
  );
  const clear = db.prepare(
    'UPDATE installments SET next_step = NULL, next_at = NULL WHERE contract_id = ? AND next_at IS NOT NULL',
  );

  /** Caches whole schedules by sequence, because most work on one installment also reads the others. */
  const schedules = remembered<number, readonly Installment[]>();
  const written = revisions();
  const writing = watchers();

  const list = (contractId: number): readonly Installment[] =>
    schedules.get(contractId) ?? schedules.set(contractId, ofContract.all(contractId).map(toInstallment));

  return {
    insert(
      contractId: number,
      accountId: number,
      capture: PlannedCapture,
      status: InstallmentStatus,
      cause: Cause | null,
    ) {
      schedules.delete(contractId);
      written.changed(contractId);
      insert.run(contractId, capture.sequence, accountId, capture.amountCents, capture.dueAt, status, cause);
    },
    update(i: Installment) {
      writing.tell(i.contractId);
      written.changed(i.contractId);
      const known = schedules.get(i.contractId);
      if (known) schedules.set(i.contractId, known.with(i.sequence - 1, i));
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
    /** Clears what is due next, because the contract has ended. */
    clearObligations(contractId: number) {
      writing.tell(contractId);
      schedules.delete(contractId);
      written.changed(contractId);
      clear.run(contractId);
    },
    get: (contractId: number, sequence: number) => list(contractId)[sequence - 1] as Installment,
    list,
    /** For the whole schedule of a contract. */
    revision: written.of,
    /** Calls the listener with the contract's id just before its schedule changes. */
    beforeChange: writing.watch,
    forget() {
      schedules.clear();
      written.forget();
    },
  };
}

function toInstallment(row: Row): Installment {
  const [
    contractId,
    sequence,
    amountCents,
    dueAt,
    status,
    paidAt,
    pastDueAt,
    defaultAt,
    lateChargeCents,
    attempts,
    step,
    at,
  ] = row;
  return {
    contractId,
    sequence,
    type: captureType(sequence),
    number: installmentNumber(sequence),
    amountCents,
    dueAt,
    status,
    paidAt,
    pastDueAt,
    defaultAt,
    lateChargeCents,
    attempts,
    next: step === null ? null : { step, at: at as number },
  };
}
