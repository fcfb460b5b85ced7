/** Endpoints, pending deliveries (the outbox of decisions §6), and the progress of the mail relay. */
export const webhooks = /* sql */ `
ALTER TABLE workspace ADD COLUMN relayed_email_id INTEGER NOT NULL DEFAULT 0;

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
  deleted_at INTEGER,
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
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_attempt_at INTEGER,
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
  response_body TEXT,
  UNIQUE (delivery_id, number)
) STRICT;
`;
