/** Few sessions are previews. Counting those that are none takes no look at each of them. */
export const previews = /* sql */ `
CREATE INDEX sessions_previews ON sessions (account_id, status) WHERE preview = 1;
`;
