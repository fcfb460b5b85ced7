import type { Database } from './file/database.ts';

/**
 * The numbers of the requests whose effects a reset or a restore discarded. They belong to the state, so a restore brings
 * back those of the snapshot.
 */
export function discarded(db: Database) {
  const insert = db.prepare('INSERT INTO discarded (after_request, up_to) VALUES (?, ?)');
  // The ranges do not overlap.
  const upTo = db
    .prepare<[number], number>(
      'SELECT up_to FROM discarded WHERE after_request < ? ORDER BY after_request DESC LIMIT 1',
    )
    .pluck();

  return {
    /** Adds the requests after one number, up to and including another. */
    add(afterRequest: number, lastRequest: number) {
      if (lastRequest > afterRequest) insert.run(afterRequest, lastRequest);
    },
    has: (request: number) => request <= (upTo.get(request) ?? 0),
  };
}
