/** Faults (interface §7), their marks on attempts and deliveries, and how often chaos was drawn. */
export const faults = /* sql */ `
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
  created_at INTEGER NOT NULL,
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

-- What struck a delivery whose next attempt is still to come: one held back, or the copies that are left to send.
CREATE TABLE struck_deliveries (
  delivery_id INTEGER PRIMARY KEY REFERENCES deliveries (id),
  fault TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('duplicate', 'reordered', 'delayed')),
  copies INTEGER NOT NULL CHECK (copies >= 0),
  CHECK ((kind = 'duplicate') = (copies > 0))
) STRICT;
CREATE INDEX struck_deliveries_by_kind ON struck_deliveries (kind, delivery_id);

ALTER TABLE delivery_attempts ADD COLUMN fault TEXT;
ALTER TABLE delivery_attempts ADD COLUMN fault_kind TEXT CHECK ((fault_kind IS NULL) = (fault IS NULL));

CREATE TABLE chaos_draws (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  draws INTEGER NOT NULL CHECK (draws > 0),
  PRIMARY KEY (account_id, operation)
) STRICT, WITHOUT ROWID;
`;
