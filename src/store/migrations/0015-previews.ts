/** Few sessions are previews. With this index, counting the others does not read every session. */
export const previews = /* sql */ `
CREATE INDEX sessions_previews ON sessions (account_id, status) WHERE preview = 1;
`;
