/**
 * What all migrations make together, for a new database. Written by
 * `npx vitest run test/store/file/database.test.ts --update`; do not edit it.
 */
export const WHOLE = `
CREATE TABLE workspace (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seed TEXT NOT NULL,
  platform_disabled INTEGER NOT NULL DEFAULT 0 CHECK (platform_disabled IN (0, 1)),
  unavailable_states TEXT NOT NULL CHECK (json_type(unavailable_states) = 'array')
, relayed_email_id INTEGER NOT NULL DEFAULT 0, last_fault_id INTEGER NOT NULL DEFAULT 0, is_furnished INTEGER NOT NULL DEFAULT 1 CHECK (is_furnished IN (0, 1))) STRICT;
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
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'decision_made' OR status = 'completed' OR status = 'cancelled' OR status = 'expired'),
  order_reference TEXT NOT NULL,
  total_cents INTEGER NOT NULL CHECK (total_cents > 0),
  down_payment_cents INTEGER NOT NULL CHECK (down_payment_cents BETWEEN 0 AND total_cents),
  reservation_fee_cents INTEGER NOT NULL CHECK (reservation_fee_cents >= 0),
  down_payment_percentage INTEGER NOT NULL,
  reservation_fee_percentage INTEGER NOT NULL,
  installment_count INTEGER NOT NULL CHECK (installment_count > 0),
  installment_cadence TEXT NOT NULL CHECK (installment_cadence = 'weekly' OR installment_cadence = 'biweekly' OR installment_cadence = 'monthly'),
  return_url TEXT NOT NULL,
  cancel_url TEXT NOT NULL,
  customer_email TEXT,
  customer_state TEXT NOT NULL CHECK (length(customer_state) = 2),
  metadata TEXT NOT NULL CHECK (json_type(metadata) = 'object'),
  preview INTEGER NOT NULL CHECK (preview IN (0, 1)),
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  created_at INTEGER NOT NULL
, by_store INTEGER NOT NULL DEFAULT 0 CHECK (by_store IN (0, 1)), cause TEXT) STRICT;
CREATE INDEX sessions_by_account ON sessions (account_id, id);
CREATE INDEX sessions_due ON sessions (account_id, expires_at, id) WHERE status = 'pending';
CREATE TRIGGER session_status_moves BEFORE UPDATE OF status ON sessions
WHEN NOT (new.status = old.status
  OR (old.status = 'pending' AND (new.status = 'decision_made' OR new.status = 'cancelled' OR new.status = 'expired'))
  OR (old.status = 'decision_made' AND new.status IN ('completed', 'cancelled')))
BEGIN SELECT raise(ABORT, 'a session does not move so'); END;
CREATE TRIGGER session_terms_are_a_snapshot BEFORE UPDATE OF total_cents, down_payment_cents, reservation_fee_cents,
  down_payment_percentage, reservation_fee_percentage, installment_count, installment_cadence ON sessions
BEGIN SELECT raise(ABORT, 'an open quote never changes'); END;
CREATE TABLE contracts (
  id INTEGER PRIMARY KEY,
  reference TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  session_id INTEGER NOT NULL UNIQUE REFERENCES sessions (id),
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'active' OR status = 'completed' OR status = 'cancelled' OR status = 'defaulted'),
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
  created_at INTEGER NOT NULL, cause TEXT,
  CHECK (status <> 'pending' OR started_at IS NULL),
  CHECK (status IN ('pending', 'cancelled') OR started_at IS NOT NULL),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((status = 'defaulted') = (defaulted_at IS NOT NULL)),
  CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL))
) STRICT;
CREATE INDEX contracts_listed ON contracts (account_id, created_at, id) WHERE preview = 0;
CREATE INDEX contracts_listed_by_status ON contracts (account_id, status, created_at, id) WHERE preview = 0;
CREATE TRIGGER contract_status_moves BEFORE UPDATE OF status ON contracts
WHEN NOT (new.status = old.status
  OR (old.status = 'pending' AND new.status IN ('active', 'cancelled'))
  OR (old.status = 'active' AND (new.status = 'completed' OR new.status = 'cancelled' OR new.status = 'defaulted')))
BEGIN SELECT raise(ABORT, 'a contract does not move so'); END;
CREATE TRIGGER contract_money_is_fixed BEFORE UPDATE OF total_cents, reservation_fee_cents, down_payment_cents ON contracts
BEGIN SELECT raise(ABORT, 'the money of a contract never changes'); END;
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
  status TEXT NOT NULL CHECK (status = 'upcoming' OR status = 'due' OR status = 'paid' OR status = 'past_due' OR status = 'delinquent'),
  paid_at INTEGER,
  past_due_at INTEGER,
  default_at INTEGER,
  late_charge_cents INTEGER NOT NULL DEFAULT 0 CHECK (late_charge_cents >= 0),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_step TEXT CHECK (next_step = 'collect' OR next_step = 'retry' OR next_step = 'grace' OR next_step = 'default'),
  next_at INTEGER, cause TEXT,
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
  at INTEGER NOT NULL, cause TEXT,
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
, cause TEXT) STRICT;
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
, cause TEXT) STRICT;
CREATE INDEX emails_by_account ON emails (account_id, id);
CREATE TABLE endpoints (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  url TEXT NOT NULL,
  events TEXT NOT NULL CHECK (json_array_length(events) > 0),
  transport TEXT NOT NULL CHECK (transport IN ('http', 'listener')),
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_until INTEGER,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  disabled_reason TEXT,
  failing_since INTEGER,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER, disconnected_at INTEGER, insecure INTEGER NOT NULL DEFAULT 0 CHECK (insecure IN (0, 1)), cause TEXT,
  CHECK ((enabled = 1) = (disabled_reason IS NULL)),
  CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
  CHECK (deleted_at IS NULL OR enabled = 0)
) STRICT;
CREATE INDEX endpoints_by_account ON endpoints (account_id) WHERE deleted_at IS NULL;
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  event_id INTEGER NOT NULL REFERENCES events (id),
  endpoint_id INTEGER REFERENCES endpoints (id),
  url TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'delivered' OR status = 'failed'),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_attempt_at INTEGER, is_forged INTEGER NOT NULL DEFAULT 0 CHECK (is_forged IN (0, 1)), cause TEXT, given_up_at INTEGER, given_up_reason TEXT,
  CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
) STRICT;
CREATE INDEX deliveries_due ON deliveries (account_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_due_by_endpoint ON deliveries (endpoint_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_by_account ON deliveries (account_id, id);
CREATE INDEX deliveries_by_event ON deliveries (event_id, id);
CREATE TRIGGER delivery_status_is_final BEFORE UPDATE OF status ON deliveries
WHEN old.status <> 'pending' AND new.status <> old.status
BEGIN SELECT raise(ABORT, 'a delivered or failed delivery keeps its status'); END;
CREATE TABLE delivery_attempts (
  id INTEGER PRIMARY KEY,
  delivery_id INTEGER NOT NULL REFERENCES deliveries (id),
  number INTEGER NOT NULL CHECK (number > 0),
  at INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  status_code INTEGER,
  duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0),
  error TEXT,
  request_headers TEXT NOT NULL CHECK (json_type(request_headers) = 'object'),
  response_headers TEXT NOT NULL CHECK (json_type(response_headers) = 'object'),
  response_body TEXT, fault TEXT, fault_kind TEXT CHECK ((fault_kind IS NULL) = (fault IS NULL)), cause TEXT,
  UNIQUE (delivery_id, number)
) STRICT;
CREATE INDEX events_by_session ON events (session_id, id) WHERE session_id IS NOT NULL;
CREATE INDEX emails_by_reference ON emails (reference, id) WHERE reference IS NOT NULL;
CREATE INDEX sessions_by_status ON sessions (account_id, status, id);
CREATE INDEX deliveries_by_status ON deliveries (account_id, status, id);
CREATE TABLE faults (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('lost_request', 'lost_answer', 'cut_answer', 'error', 'late_error', 'throttled',
    'slow', 'lost', 'lost_ack', 'duplicate', 'reordered', 'delayed')),
  operation TEXT,
  method TEXT,
  path TEXT,
  event TEXT,
  endpoint_id INTEGER REFERENCES endpoints (id),
  times INTEGER CHECK (times BETWEEN 1 AND 1000000),
  skip INTEGER NOT NULL CHECK (skip BETWEEN 0 AND 1000000),
  every INTEGER NOT NULL CHECK (every BETWEEN 1 AND 1000000),
  status INTEGER CHECK (status IN (500, 502, 503, 504)),
  retry_after INTEGER CHECK (retry_after BETWEEN 0 AND 86400),
  delay_ms INTEGER CHECK (delay_ms BETWEEN 0 AND 60000),
  by TEXT,
  copies INTEGER CHECK (copies BETWEEN 1 AND 100),
  seen INTEGER NOT NULL DEFAULT 0 CHECK (seen >= 0),
  met INTEGER NOT NULL DEFAULT 0 CHECK (met BETWEEN 0 AND seen),
  created_at INTEGER NOT NULL, cause TEXT,
  CHECK (times IS NULL OR met <= times),
  CHECK ((kind IN ('error', 'late_error')) = (status IS NOT NULL)),
  CHECK ((kind = 'slow') = (delay_ms IS NOT NULL)),
  CHECK ((kind = 'delayed') = (by IS NOT NULL)),
  CHECK ((kind = 'duplicate') = (copies IS NOT NULL)),
  CHECK (retry_after IS NULL OR kind IN ('error', 'late_error', 'throttled')),
  CHECK (coalesce(operation, method, path) IS NULL
    OR kind NOT IN ('lost', 'lost_ack', 'duplicate', 'reordered', 'delayed')),
  CHECK (coalesce(event, endpoint_id) IS NULL
    OR kind IN ('lost', 'lost_ack', 'duplicate', 'reordered', 'delayed'))
) STRICT;
CREATE INDEX faults_by_account ON faults (account_id, id);
CREATE TABLE struck_deliveries (
  delivery_id INTEGER PRIMARY KEY REFERENCES deliveries (id),
  fault TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('duplicate', 'reordered', 'delayed')),
  copies INTEGER NOT NULL CHECK (copies >= 0),
  CHECK ((kind = 'duplicate') = (copies > 0))
) STRICT;
CREATE INDEX struck_deliveries_by_kind ON struck_deliveries (kind, delivery_id);
CREATE TABLE chaos_draws (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  draws INTEGER NOT NULL CHECK (draws > 0),
  PRIMARY KEY (account_id, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX endpoints_by_transport ON endpoints (transport, disconnected_at) WHERE deleted_at IS NULL;
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
CREATE TABLE requests (
  last INTEGER PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  bytes INTEGER NOT NULL,
  given INTEGER NOT NULL,
  entries TEXT NOT NULL
) STRICT;
CREATE INDEX installments_overdue ON installments (account_id, status, contract_id)
  WHERE status IN ('past_due', 'delinquent');
CREATE TABLE discarded (
  after_request INTEGER PRIMARY KEY,
  up_to INTEGER NOT NULL CHECK (up_to > after_request)
) STRICT;
CREATE TABLE idempotency (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_previews ON sessions (account_id, status) WHERE preview = 1;
`;
