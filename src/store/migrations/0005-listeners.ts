/**
 * For each endpoint, the real time since which its listening process is away (null while it listens), and whether the
 * certificate of an https receiver is checked.
 */
export const listeners = /* sql */ `
ALTER TABLE endpoints ADD COLUMN disconnected_at INTEGER;
ALTER TABLE endpoints ADD COLUMN insecure INTEGER NOT NULL DEFAULT 0 CHECK (insecure IN (0, 1));
CREATE INDEX endpoints_by_transport ON endpoints (transport, disconnected_at) WHERE deleted_at IS NULL;
`;
