/**
 * Idempotency keys in the order of their sessions. In the order of the keys, which clients draw at random, nearly every
 * new key changed another page of the file.
 */
export const keysInOrder = /* sql */ `
ALTER TABLE idempotency RENAME TO idempotency_by_key;
CREATE TABLE idempotency (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, session_id)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency (account_id, session_id, key, fingerprint, created_at)
  SELECT account_id, session_id, key, fingerprint, created_at FROM idempotency_by_key ORDER BY account_id, session_id;
DROP TABLE idempotency_by_key;
`;
