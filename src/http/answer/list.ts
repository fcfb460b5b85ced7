import { LIST_DEFAULT } from '../../domain/limits.ts';
import { invalid, Refusal } from '../../domain/refusal.ts';

/** The cursor of a list, as its operation declares it. */
interface Cursor {
  readonly limit?: number;
  readonly after?: string;
}

/**
 * `limit` and `after` of a list (interface §3). `resolve` finds the row id of a public id; for an unknown one it
 * returns null or throws a Refusal.
 * @throws Refusal `invalid`
 */
export function pageOf({ limit = LIST_DEFAULT, after }: Cursor, resolve: (id: string) => number | null) {
  return { limit, afterId: after === undefined ? null : cursor(after, resolve) };
}

/**
 * The requested part of a list. `items` are all its items, newest first.
 * @throws Refusal `invalid`
 */
export function partOf<T>(query: Cursor, items: readonly T[], idOf: (item: T) => string): T[] {
  const { limit, afterId: newer } = pageOf(query, (id) => {
    const place = items.findIndex((item) => idOf(item) === id);
    return place < 0 ? null : place;
  });
  return (newer === null ? items : items.slice(0, newer).reverse()).slice(0, limit);
}

function cursor(after: string, resolve: (id: string) => number | null): number {
  const row = rowOf(after, resolve);
  if (row === null) throw invalid('after', 'The selected after is invalid.');
  return row;
}

function rowOf(id: string, resolve: (id: string) => number | null): number | null {
  try {
    return resolve(id);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
