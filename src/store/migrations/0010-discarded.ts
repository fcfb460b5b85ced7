/**
 * Ranges of requests whose effects a reset or a restore discarded: those after `after_request`, up to and including
 * `up_to`. The request log still contains them.
 */
export const discarded = /* sql */ `
CREATE TABLE discarded (
  after_request INTEGER PRIMARY KEY,
  up_to INTEGER NOT NULL CHECK (up_to > after_request)
) STRICT;
`;
