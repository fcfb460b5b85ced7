import type { Statement } from 'better-sqlite3';
import type { Database } from '../file/database.ts';
import { pattern } from './look-back.ts';

/** How many rows one slice reads: a millisecond or two of work. Between slices, other requests get their turn. */
const SLICE = 2_000;

export type Searched = 'contract' | 'session' | 'event' | 'delivery' | 'email';

/** The row just above a slice. */
export interface Place {
  readonly at: number;
  readonly id: number;
}
const NEWEST: Place = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

/** What matches in a slice, newest first. */
export interface Slice {
  /** Ids on the wire: tokens and references. */
  readonly ids: readonly string[];
  /** Where the next slice begins; null after the last row. */
  readonly next: Place | null;
}

const ROWS = 'account_id = @accountId AND id < @id ORDER BY id DESC';
const CONTRACTS = `account_id = @accountId AND preview = 0 AND (created_at, id) < (@at, @id)
  ORDER BY created_at DESC, id DESC`;

/** Searches an account slice by slice, because a search among a hundred thousand rows would block other requests. */
export function search(db: Database) {
  type Statements = readonly [matches: Statement<object, string>, last: Statement<object, Place>];
  const prepared: Readonly<Record<Searched, Statements>> = {
    contract: [
      db.prepare(
        `SELECT reference FROM (SELECT reference, order_reference, customer_name, customer_email FROM contracts
           WHERE ${CONTRACTS} LIMIT @most)
         WHERE reference LIKE @like ESCAPE '\\' OR order_reference LIKE @like ESCAPE '\\'
           OR customer_name LIKE @like ESCAPE '\\' OR customer_email LIKE @like ESCAPE '\\' LIMIT @limit`,
      ),
      db.prepare(`SELECT created_at AS at, id FROM contracts WHERE ${CONTRACTS} LIMIT 1 OFFSET @most - 1`),
    ],
    session: [
      db.prepare(
        `SELECT token FROM (SELECT token, order_reference, customer_email, preview FROM sessions
           WHERE ${ROWS} LIMIT @most)
         WHERE preview = 0 AND (token LIKE @like ESCAPE '\\' OR order_reference LIKE @like ESCAPE '\\'
           OR customer_email LIKE @like ESCAPE '\\') LIMIT @limit`,
      ),
      db.prepare(`SELECT 0 AS at, id FROM sessions WHERE ${ROWS} LIMIT 1 OFFSET @most - 1`),
    ],
    event: [
      db.prepare(
        `SELECT token FROM (SELECT token, type, subject FROM events WHERE ${ROWS} LIMIT @most)
         WHERE token LIKE @like ESCAPE '\\' OR type LIKE @like ESCAPE '\\' OR subject LIKE @like ESCAPE '\\'
         LIMIT @limit`,
      ),
      db.prepare(`SELECT 0 AS at, id FROM events WHERE ${ROWS} LIMIT 1 OFFSET @most - 1`),
    ],
    delivery: [
      db.prepare(
        `SELECT token FROM (SELECT token, url FROM deliveries WHERE ${ROWS} LIMIT @most)
         WHERE token LIKE @like ESCAPE '\\' OR url LIKE @like ESCAPE '\\' LIMIT @limit`,
      ),
      db.prepare(`SELECT 0 AS at, id FROM deliveries WHERE ${ROWS} LIMIT 1 OFFSET @most - 1`),
    ],
    email: [
      db.prepare(
        `SELECT token FROM (SELECT token, recipient, reference FROM emails WHERE ${ROWS} LIMIT @most)
         WHERE token LIKE @like ESCAPE '\\' OR recipient LIKE @like ESCAPE '\\' OR reference LIKE @like ESCAPE '\\'
         LIMIT @limit`,
      ),
      db.prepare(`SELECT 0 AS at, id FROM emails WHERE ${ROWS} LIMIT 1 OFFSET @most - 1`),
    ],
  };

  return (accountId: number, kind: Searched, text: string, place: Place | null, limit: number): Slice => {
    const [matches, last] = prepared[kind];
    const { at, id } = place ?? NEWEST;
    const bound = { accountId, at, id, most: SLICE };
    return { ids: matches.pluck().all({ ...bound, like: pattern(text), limit }), next: last.get(bound) ?? null };
  };
}

export type Search = ReturnType<typeof search>;
