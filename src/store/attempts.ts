import type { PaymentAttempt } from '../domain/contract.ts';
import type { Database } from './database.ts';

export function attempts(db: Database) {
  const last = db.prepare<[], number | null>('SELECT max(id) FROM payment_attempts').pluck();
  const insert = db.prepare(
    `INSERT INTO payment_attempts (id, reference, contract_id, sequence, number, outcome, amount_cents, late_charge_cents,
       at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const ofContract = db.prepare<[number], PaymentAttempt>(
    `SELECT reference, sequence, number, outcome, amount_cents AS amountCents, late_charge_cents AS lateChargeCents, at
     FROM payment_attempts WHERE contract_id = ? ORDER BY id`,
  );

  return {
    nextId: () => (last.get() ?? 0) + 1,
    insert: (id: number, contractId: number, a: PaymentAttempt) =>
      insert.run(id, a.reference, contractId, a.sequence, a.number, a.outcome, a.amountCents, a.lateChargeCents, a.at),
    /** Oldest first. */
    list: (contractId: number) => ofContract.all(contractId),
  };
}
