/**
 * When a delivery was given up before its last attempt, on the account's clock, and why: its endpoint was disabled or
 * removed, or what it waited for was skipped. And the installments that are overdue, which are few among many.
 */
export const givenUp = /* sql */ `
ALTER TABLE deliveries ADD COLUMN given_up_at INTEGER;
ALTER TABLE deliveries ADD COLUMN given_up_reason TEXT;
CREATE INDEX installments_overdue ON installments (account_id, status, contract_id)
  WHERE status IN ('past_due', 'delinquent');
`;
