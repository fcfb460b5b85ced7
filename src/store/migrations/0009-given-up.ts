/**
 * When, on the account's clock, and why a delivery was given up before its last attempt: its endpoint was disabled
 * (also because nobody listened) or removed. Also an index of the overdue installments, which are few among many.
 */
export const givenUp = /* sql */ `
ALTER TABLE deliveries ADD COLUMN given_up_at INTEGER;
ALTER TABLE deliveries ADD COLUMN given_up_reason TEXT;
CREATE INDEX installments_overdue ON installments (account_id, status, contract_id)
  WHERE status IN ('past_due', 'delinquent');
`;
