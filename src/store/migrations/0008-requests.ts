/**
 * Logged requests to `/v1`, several in a row of the table. `last` is the place of its last request, `given` the last
 * number given out before it was written.
 */
export const requests = /* sql */ `
CREATE TABLE requests (
  last INTEGER PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  bytes INTEGER NOT NULL,
  given INTEGER NOT NULL,
  entries TEXT NOT NULL
) STRICT;
`;
