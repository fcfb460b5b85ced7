import type { Database } from './file/database.ts';

/** Reads pages of a list: the newest rows first, or with `afterId` the oldest first from just after that row. */
export function paged<Row>(db: Database, select: string) {
  const newest = db.prepare<object, Row>(`${select} ORDER BY id DESC LIMIT @limit`);
  const after = db.prepare<object, Row>(`${select} AND id > @afterId ORDER BY id LIMIT @limit`);
  return (bound: Readonly<Record<string, unknown>>, afterId: number | null): Row[] =>
    afterId === null ? newest.all(bound) : after.all({ ...bound, afterId });
}
