import type { Cause } from '../domain/cause.ts';
import type { PaymentAttempt } from '../domain/contract.ts';
import type { Database } from './file/database.ts';
import { lastId } from './remembered.ts';

export function attempts(db: Database) {
  const last = lastId(db.prepare<[], number | null>('SELECT max(id) FROM payment_attempts').pluck());
  const insert = db.prepare(
    `INSERT INTO payment_attempts (id, reference, contract_id, sequence, number, outcome, amount_cents, late_charge_cents,
       at, cause) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const ofContract = db.prepare<[number], PaymentAttempt>(
    `SELECT reference, sequence, number, outcome, amount_cents AS amountCents, late_charge_cents AS lateChargeCents, at
     FROM payment_attempts WHERE contract_id = ? ORDER BY id`,
  );

  return {
    nextId: last.next,
    insert(id: number, contractId: number, a: PaymentAttempt, cause: Cause | null) {
      const { reference, sequence, number, outcome, amountCents, lateChargeCents, at } = a;
      last.follow(id);
      insert.run(id, reference, contractId, sequence, number, outcome, amountCents, lateChargeCents, at, cause);
    },
    forget: last.forget,
    /** Oldest first. */
    list: (contractId: number) => ofContract.all(contractId),
  };
}
