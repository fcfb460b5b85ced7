/**
 * Situations and findings of each account (interface §9): how often they occurred, and what showed them first. Also
 * what findings depend on: creates whose answer was lost, and completed checkouts that the store has not confirmed.
 */
export const coverage = /* sql */ `
CREATE TABLE coverage (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  what TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  first_at INTEGER NOT NULL,
  first_kind TEXT NOT NULL CHECK (first_kind IN ('request', 'event', 'delivery')),
  first_id TEXT NOT NULL,
  PRIMARY KEY (account_id, what)
) STRICT, WITHOUT ROWID;

CREATE TABLE lost_creates (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  order_reference TEXT NOT NULL,
  key TEXT,
  is_lost INTEGER NOT NULL CHECK (is_lost IN (0, 1)),
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, order_reference)
) STRICT, WITHOUT ROWID;

CREATE TABLE unconfirmed_sessions (
  session_id INTEGER PRIMARY KEY REFERENCES sessions (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  completed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX unconfirmed_sessions_by_account ON unconfirmed_sessions (account_id, completed_at);

-- Whether the store opened it, and not a lever.
ALTER TABLE sessions ADD COLUMN by_store INTEGER NOT NULL DEFAULT 0 CHECK (by_store IN (0, 1));
-- A delivery whose signature is wrong on purpose.
ALTER TABLE deliveries ADD COLUMN is_forged INTEGER NOT NULL DEFAULT 0 CHECK (is_forged IN (0, 1));
`;
