/** The requests to `/v1`, many a row: `last` is the place of the last one in it, `given` the last number given out by then. */
export const requests = /* sql */ `
CREATE TABLE requests (
  last INTEGER PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  bytes INTEGER NOT NULL,
  given INTEGER NOT NULL,
  entries TEXT NOT NULL
) STRICT;
`;
