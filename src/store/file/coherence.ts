import type BetterSqlite3 from 'better-sqlite3';
import { DamagedTrace } from '../../domain/cannot-start.ts';

type Database = BetterSqlite3.Database;

/** What rows of several tables say together. Each statement finds the ids of the rows that break a rule. */
const RULES: readonly (readonly [table: string, breach: string, broken: string])[] = [
  [
    'merchants',
    'has no sandbox or no live account',
    'SELECT id FROM merchants WHERE (SELECT count(*) FROM accounts WHERE merchant_id = merchants.id) < 2',
  ],
  [
    'sessions',
    'has a status that does not fit its contract',
    `SELECT sessions.id FROM sessions LEFT JOIN contracts ON session_id = sessions.id WHERE CASE
       WHEN contracts.id IS NULL THEN sessions.status IN ('decision_made', 'completed')
       WHEN contracts.status = 'pending' THEN sessions.status <> 'decision_made'
       WHEN started_at IS NULL THEN sessions.status <> 'cancelled'
       ELSE sessions.status <> 'completed' END`,
  ],
  [
    'contracts',
    'has installments that do not add up to what the customer pays',
    `SELECT id FROM contracts LEFT JOIN (SELECT contract_id, count(*) AS n, max(sequence) AS latest,
       sum(amount_cents) AS cents FROM installments GROUP BY contract_id) ON contract_id = id
     WHERE n IS NULL OR n < 2 OR n <> latest OR cents <> total_cents + reservation_fee_cents`,
  ],
  [
    'contracts',
    'has started without its first payment, or has the payment without having started',
    `SELECT contracts.id FROM contracts JOIN installments ON contract_id = contracts.id AND sequence = 1
     WHERE (installments.status = 'paid') <> (started_at IS NOT NULL) OR (started_at IS NOT NULL) <> EXISTS (
       SELECT 1 FROM payment_attempts AS paid
       WHERE paid.contract_id = contracts.id AND paid.sequence = 1 AND paid.outcome = 'pay')`,
  ],
  [
    'contracts',
    'is not active, but something of it falls due',
    `SELECT contracts.id FROM installments JOIN contracts ON contracts.id = contract_id
     WHERE next_at IS NOT NULL AND contracts.status <> 'active'`,
  ],
];

/**
 * Checks what no constraint of a table can check, because somebody may have edited the rows of a dump.
 * @throws DamagedTrace that names a row that does not fit the others
 */
export function checkCoherence(db: Database) {
  for (const [table, breach, broken] of RULES) {
    const id = db.prepare<[], number>(broken).pluck().get();
    if (id !== undefined)
      throw new DamagedTrace(undefined, `the row with the id ${id} of the table ${table} ${breach}`);
  }
}
