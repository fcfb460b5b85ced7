/**
 * The cause of each row, null in rows of older versions. Also the latest uses of levers, which explanations and
 * repeated stories include.
 */
export const causes = /* sql */ `
ALTER TABLE sessions ADD COLUMN cause TEXT;
ALTER TABLE contracts ADD COLUMN cause TEXT;
ALTER TABLE installments ADD COLUMN cause TEXT;
ALTER TABLE payment_attempts ADD COLUMN cause TEXT;
ALTER TABLE events ADD COLUMN cause TEXT;
ALTER TABLE emails ADD COLUMN cause TEXT;
ALTER TABLE endpoints ADD COLUMN cause TEXT;
ALTER TABLE deliveries ADD COLUMN cause TEXT;
ALTER TABLE delivery_attempts ADD COLUMN cause TEXT;
ALTER TABLE faults ADD COLUMN cause TEXT;

CREATE TABLE levers (
  id INTEGER PRIMARY KEY,
  account_id INTEGER,
  operation TEXT NOT NULL,
  params TEXT NOT NULL CHECK (json_type(params) = 'object'),
  body TEXT NOT NULL CHECK (json_valid(body)),
  at INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  after_request INTEGER NOT NULL,
  after_event INTEGER NOT NULL
) STRICT;
CREATE INDEX levers_by_account ON levers (account_id, id);
`;
