import type { Database } from './file/database.ts';

/** The first success under one key (§4.3). */
export interface FirstUse {
  readonly fingerprint: Uint8Array;
  readonly sessionId: number;
  readonly createdAt: number;
}

/** The sessions of one account by the hash of their key: those opened after `since`. */
interface Index {
  readonly since: number;
  readonly sessions: Map<number, number | number[]>;
  /** The number of hashes at which it is read again, because most of its keys may have lapsed by then. */
  readonly renewAt: number;
}

/** An index is not read again before it has this many hashes. */
const RENEW_MIN = 200_000;

/**
 * The rows are in the order of the sessions, because clients draw keys at random, and an index on disk would have a page
 * written for nearly every key. So the index is in memory, and is read when a request first sends a key for an account. A
 * session in it may have been undone, so its row decides.
 */
export function idempotency(db: Database) {
  const select = db.prepare<[number, number], FirstUse & { readonly key: string }>(
    `SELECT key, fingerprint, session_id AS sessionId, created_at AS createdAt
     FROM idempotency WHERE account_id = ? AND session_id = ?`,
  );
  const newest = db.prepare<[number], { sessionId: number; key: string; createdAt: number }>(
    `SELECT session_id AS sessionId, key, created_at AS createdAt
     FROM idempotency WHERE account_id = ? ORDER BY session_id DESC`,
  );
  const insert = db.prepare(
    'INSERT INTO idempotency (account_id, session_id, key, fingerprint, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const indexes = new Map<number, Index>();

  /** The clock of an account only goes forward, so its later sessions are the newer ones. */
  function read(accountId: number, since: number): Index {
    const sessions: Index['sessions'] = new Map();
    for (const { sessionId, key, createdAt } of newest.iterate(accountId)) {
      if (createdAt <= since) break;
      add(sessions, key, sessionId);
    }
    const index = { since, sessions, renewAt: Math.max(RENEW_MIN, 2 * sessions.size) };
    indexes.set(accountId, index);
    return index;
  }

  function indexOf(accountId: number, since: number): Index {
    const index = indexes.get(accountId);
    return index && index.since <= since && index.sessions.size < index.renewAt ? index : read(accountId, since);
  }

  return {
    /** The latest use of the key after `since`, and not after `until`. */
    find(accountId: number, key: string, since: number, until = Number.POSITIVE_INFINITY): FirstUse | null {
      const found = indexOf(accountId, since).sessions.get(hashOf(key));
      if (found === undefined) return null;
      for (const sessionId of [found].flat().sort((a, b) => b - a)) {
        const row = select.get(accountId, sessionId);
        if (row?.key === key && row.createdAt > since && row.createdAt <= until) return row;
      }
      return null;
    },
    remember(accountId: number, key: string, { fingerprint, sessionId, createdAt }: FirstUse) {
      insert.run(accountId, sessionId, key, fingerprint, createdAt);
      const index = indexes.get(accountId);
      if (index) add(index.sessions, key, sessionId);
    },
    /** The file may have other rows now. */
    forget: () => indexes.clear(),
  };
}

function add(sessions: Index['sessions'], key: string, sessionId: number) {
  const hash = hashOf(key);
  const others = sessions.get(hash);
  sessions.set(hash, others === undefined ? sessionId : [others, sessionId].flat());
}

/** FNV-1a, of 32 bits. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash;
}
