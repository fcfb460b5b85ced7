import type { Database } from '../file/database.ts';

/**
 * What may need attention. The sums are null with more contracts than `maxContracts`: adding them up takes long.
 */
export function triage(db: Database, contractsOf: (accountId: number) => number) {
  const owed = db.prepare<[number], { overdue: number; amount: number | null; delinquent: number }>(
    `SELECT count(DISTINCT contract_id) AS overdue, sum(amount_cents + late_charge_cents) AS amount,
       count(DISTINCT CASE WHEN installments.status = 'delinquent' THEN contract_id END) AS delinquent
     FROM installments JOIN contracts ON contracts.id = contract_id
     WHERE installments.account_id = ? AND installments.status IN ('past_due', 'delinquent')
       AND contracts.status = 'active' AND preview = 0`,
  );
  const sums = db.prepare<object, { collected: number | null; expected: number | null }>(
    `SELECT sum(CASE WHEN installments.status = 'paid' THEN amount_cents END) AS collected,
       sum(CASE WHEN installments.status = 'paid' OR due_at <= @now THEN amount_cents END) AS expected
     FROM contracts JOIN installments ON contract_id = contracts.id
     WHERE contracts.account_id = @accountId AND preview = 0 AND contracts.status IN ('active', 'completed')`,
  );
  const disabledEndpoints = db
    .prepare<[number], number>(
      'SELECT count(*) FROM endpoints WHERE account_id = ? AND deleted_at IS NULL AND enabled = 0',
    )
    .pluck();
  /** Another delivery of the same event to the same endpoint; those without an endpoint go to the same URL. */
  const another = `SELECT 1 FROM deliveries AS other WHERE other.event_id = failing.event_id
    AND other.endpoint_id IS failing.endpoint_id AND (other.endpoint_id IS NOT NULL OR other.url = failing.url)`;
  // What another delivery of the event made up for, or whose endpoint is removed, needs no attention; nor does a forged
  // event, which a receiver is right to refuse.
  const givenUp = db
    .prepare<[number], number>(
      `SELECT count(*) FROM deliveries AS failing WHERE account_id = ? AND status = 'failed' AND is_forged = 0
         AND NOT EXISTS (${another} AND (other.status <> 'failed' OR other.id > failing.id))
         AND NOT EXISTS (SELECT 1 FROM endpoints WHERE id = failing.endpoint_id AND deleted_at IS NOT NULL)`,
    )
    .pluck();
  const retried = db
    .prepare<[number], number>(
      `SELECT count(*) FROM deliveries AS failing WHERE account_id = ? AND status = 'pending' AND attempts > 0
         AND NOT EXISTS (${another}
           AND (other.status = 'delivered' OR (other.status = 'pending' AND other.id > failing.id)))`,
    )
    .pluck();

  return (accountId: number, now: number, maxContracts: number) => {
    const { overdue, amount, delinquent } = owed.get(accountId) ?? { overdue: 0, amount: 0, delinquent: 0 };
    const added = contractsOf(accountId) > maxContracts ? null : sums.get({ accountId, now });
    return {
      overdue,
      overdueCents: amount ?? 0,
      delinquent,
      disabledEndpoints: disabledEndpoints.get(accountId) ?? 0,
      givenUpDeliveries: givenUp.get(accountId) ?? 0,
      retriedDeliveries: retried.get(accountId) ?? 0,
      collectedCents: added ? (added.collected ?? 0) : null,
      expectedCents: added ? (added.expected ?? 0) : null,
    };
  };
}
