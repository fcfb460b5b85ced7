/** Indexes and counts for browsing: everything of one contract or session, and the number of each status. */
export const browse = /* sql */ `
CREATE INDEX events_by_session ON events (session_id, id) WHERE session_id IS NOT NULL;
CREATE INDEX emails_by_reference ON emails (reference, id) WHERE reference IS NOT NULL;
CREATE INDEX sessions_by_status ON sessions (account_id, status, id);
CREATE INDEX deliveries_by_status ON deliveries (account_id, status, id);
`;
