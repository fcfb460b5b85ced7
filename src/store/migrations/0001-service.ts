/**
 * The service's tables. They also check the lists of statuses, and which instants belong to a status, so that a state
 * which the domain does not know cannot be written.
 */
export const service = /* sql */ `
CREATE TABLE workspace (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seed TEXT NOT NULL,
  platform_disabled INTEGER NOT NULL DEFAULT 0 CHECK (platform_disabled IN (0, 1)),
  unavailable_states TEXT NOT NULL CHECK (json_type(unavailable_states) = 'array')
) STRICT;

CREATE TABLE merchants (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  legal_name TEXT NOT NULL,
  dba TEXT,
  state TEXT NOT NULL CHECK (length(state) = 2),
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  merchant_id INTEGER NOT NULL REFERENCES merchants (id),
  mode TEXT NOT NULL CHECK (mode IN ('sandbox', 'live')),
  client_id TEXT NOT NULL UNIQUE,
  webhook_secret TEXT NOT NULL,
  clock_mode TEXT NOT NULL CHECK (clock_mode IN ('running', 'frozen')),
  clock_ms INTEGER NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_type(settings) = 'object'),
  UNIQUE (merchant_id, mode)
) STRICT;

CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  prefix TEXT NOT NULL CHECK (length(prefix) = 12),
  scopes TEXT NOT NULL CHECK (json_array_length(scopes) > 0),
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE INDEX keys_by_account ON keys (account_id);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'decision_made', 'completed', 'cancelled', 'expired')),
  order_reference TEXT NOT NULL,
  total_cents INTEGER NOT NULL CHECK (total_cents > 0),
  down_payment_cents INTEGER NOT NULL CHECK (down_payment_cents BETWEEN 0 AND total_cents),
  reservation_fee_cents INTEGER NOT NULL CHECK (reservation_fee_cents >= 0),
  down_payment_percentage INTEGER NOT NULL,
  reservation_fee_percentage INTEGER NOT NULL,
  installment_count INTEGER NOT NULL CHECK (installment_count > 0),
  installment_cadence TEXT NOT NULL CHECK (installment_cadence IN ('weekly', 'biweekly', 'monthly')),
  return_url TEXT NOT NULL,
  cancel_url TEXT NOT NULL,
  customer_email TEXT,
  customer_state TEXT NOT NULL CHECK (length(customer_state) = 2),
  metadata TEXT NOT NULL CHECK (json_type(metadata) = 'object'),
  preview INTEGER NOT NULL CHECK (preview IN (0, 1)),
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_account ON sessions (account_id, id);
CREATE INDEX sessions_due ON sessions (account_id, expires_at, id) WHERE status = 'pending';

CREATE TRIGGER session_status_moves BEFORE UPDATE OF status ON sessions
WHEN NOT (new.status = old.status
  OR (old.status = 'pending' AND new.status IN ('decision_made', 'cancelled', 'expired'))
  OR (old.status = 'decision_made' AND new.status IN ('completed', 'cancelled')))
BEGIN SELECT raise(ABORT, 'a session does not move so'); END;
CREATE TRIGGER session_terms_are_a_snapshot BEFORE UPDATE OF total_cents, down_payment_cents, reservation_fee_cents,
  down_payment_percentage, reservation_fee_percentage, installment_count, installment_cadence ON sessions
BEGIN SELECT raise(ABORT, 'an open quote never changes'); END;

CREATE TABLE idempotency (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE contracts (
  id INTEGER PRIMARY KEY,
  reference TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  session_id INTEGER NOT NULL UNIQUE REFERENCES sessions (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'completed', 'cancelled', 'defaulted')),
  order_reference TEXT,
  customer_name TEXT NOT NULL,
  customer_email TEXT NOT NULL,
  customer_state TEXT CHECK (length(customer_state) = 2),
  total_cents INTEGER NOT NULL CHECK (total_cents > 0),
  reservation_fee_cents INTEGER NOT NULL CHECK (reservation_fee_cents >= 0),
  down_payment_cents INTEGER NOT NULL CHECK (down_payment_cents BETWEEN 0 AND total_cents),
  metadata TEXT NOT NULL CHECK (json_type(metadata) = 'object'),
  preview INTEGER NOT NULL CHECK (preview IN (0, 1)),
  outcomes TEXT NOT NULL DEFAULT '[]' CHECK (json_type(outcomes) = 'array'),
  started_at INTEGER,
  completed_at INTEGER,
  defaulted_at INTEGER,
  cancelled_at INTEGER,
  created_at INTEGER NOT NULL,
  CHECK (status <> 'pending' OR started_at IS NULL),
  CHECK (status NOT IN ('active', 'completed', 'defaulted') OR started_at IS NOT NULL),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((status = 'defaulted') = (defaulted_at IS NOT NULL)),
  CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL))
) STRICT;
CREATE INDEX contracts_listed ON contracts (account_id, created_at, id) WHERE preview = 0;
CREATE INDEX contracts_listed_by_status ON contracts (account_id, status, created_at, id) WHERE preview = 0;

CREATE TRIGGER contract_status_moves BEFORE UPDATE OF status ON contracts
WHEN NOT (new.status = old.status
  OR (old.status = 'pending' AND new.status IN ('active', 'cancelled'))
  OR (old.status = 'active' AND new.status IN ('completed', 'cancelled', 'defaulted')))
BEGIN SELECT raise(ABORT, 'a contract does not move so'); END;
CREATE TRIGGER contract_money_is_fixed BEFORE UPDATE OF total_cents, reservation_fee_cents, down_payment_cents ON contracts
BEGIN SELECT raise(ABORT, 'the money of a contract never changes'); END;

-- Totals of the contract list, kept by the file itself: counting 100,000 rows for each page would cost milliseconds.
CREATE TABLE contract_counts (
  account_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  contracts INTEGER NOT NULL CHECK (contracts >= 0),
  PRIMARY KEY (account_id, status)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER contract_counted AFTER INSERT ON contracts WHEN new.preview = 0
BEGIN
  INSERT INTO contract_counts VALUES (new.account_id, new.status, 1)
  ON CONFLICT DO UPDATE SET contracts = contracts + 1;
END;
CREATE TRIGGER contract_recounted AFTER UPDATE OF status ON contracts WHEN new.preview = 0 AND new.status <> old.status
BEGIN
  UPDATE contract_counts SET contracts = contracts - 1 WHERE account_id = old.account_id AND status = old.status;
  INSERT INTO contract_counts VALUES (new.account_id, new.status, 1)
  ON CONFLICT DO UPDATE SET contracts = contracts + 1;
END;

CREATE TABLE installments (
  contract_id INTEGER NOT NULL REFERENCES contracts (id),
  sequence INTEGER NOT NULL CHECK (sequence > 0),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  amount_cents INTEGER NOT NULL CHECK (amount_cents >= 0),
  due_at INTEGER NOT NULL CHECK (due_at % 86400000 = 0),
  status TEXT NOT NULL CHECK (status IN ('upcoming', 'due', 'paid', 'past_due', 'delinquent')),
  paid_at INTEGER,
  past_due_at INTEGER,
  default_at INTEGER,
  late_charge_cents INTEGER NOT NULL DEFAULT 0 CHECK (late_charge_cents >= 0),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_step TEXT CHECK (next_step IN ('collect', 'retry', 'grace', 'default')),
  next_at INTEGER,
  PRIMARY KEY (contract_id, sequence),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  CHECK (status NOT IN ('past_due', 'delinquent') OR past_due_at IS NOT NULL),
  CHECK ((past_due_at IS NULL) = (default_at IS NULL)),
  CHECK (late_charge_cents = 0 OR past_due_at IS NOT NULL),
  CHECK (sequence > 1 OR status IN ('due', 'paid')),
  CHECK ((next_step IS NULL) = (next_at IS NULL)),
  CHECK (next_step IS NULL
    OR (status = 'upcoming' AND next_step = 'collect') OR (status = 'due' AND next_step = 'retry')
    OR (status = 'past_due' AND next_step IN ('grace', 'default')) OR (status = 'delinquent' AND next_step = 'default'))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER installment_status_moves BEFORE UPDATE OF status ON installments
WHEN NOT (new.status = old.status
  -- Collected, or missed, at the very instant it became due: one write.
  OR (old.status = 'upcoming' AND new.status IN ('due', 'paid'))
  OR (old.status = 'due' AND new.status IN ('paid', 'past_due'))
  OR (old.status = 'past_due' AND new.status IN ('delinquent', 'paid'))
  OR (old.status = 'delinquent' AND new.status = 'paid'))
BEGIN SELECT raise(ABORT, 'an installment does not move so'); END;
CREATE TRIGGER installment_amount_is_fixed BEFORE UPDATE OF amount_cents ON installments
BEGIN SELECT raise(ABORT, 'the amount of an installment never changes'); END;
CREATE TRIGGER contract_starts_whole BEFORE UPDATE OF status ON contracts WHEN new.status = 'active'
  AND (SELECT sum(amount_cents) FROM installments WHERE contract_id = new.id)
    IS NOT new.total_cents + new.reservation_fee_cents
BEGIN SELECT raise(ABORT, 'the installments of a contract add up to its customer total'); END;
CREATE TRIGGER contract_completes_paid BEFORE UPDATE OF status ON contracts WHEN new.status = 'completed'
  AND EXISTS (SELECT 1 FROM installments WHERE contract_id = new.id AND status <> 'paid')
BEGIN SELECT raise(ABORT, 'a contract is completed when every installment is paid'); END;
CREATE INDEX installments_due ON installments (account_id, next_at, contract_id, sequence) WHERE next_at IS NOT NULL;

CREATE TABLE payment_attempts (
  id INTEGER PRIMARY KEY,
  reference TEXT NOT NULL UNIQUE,
  contract_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  outcome TEXT NOT NULL CHECK (outcome IN ('pay', 'fail')),
  amount_cents INTEGER NOT NULL,
  late_charge_cents INTEGER NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (contract_id, sequence, number),
  FOREIGN KEY (contract_id, sequence) REFERENCES installments (contract_id, sequence)
) STRICT;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  session_id INTEGER REFERENCES sessions (id),
  contract_id INTEGER REFERENCES contracts (id),
  created_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_account ON events (account_id, id);
CREATE INDEX events_by_contract ON events (contract_id, id) WHERE contract_id IS NOT NULL;

CREATE TABLE emails (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  recipient TEXT NOT NULL,
  template TEXT NOT NULL,
  reference TEXT,
  facts TEXT NOT NULL CHECK (json_type(facts) = 'object'),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX emails_by_account ON emails (account_id, id);
`;
