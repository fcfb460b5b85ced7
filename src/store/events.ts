import type { Cause } from '../domain/cause.ts';
import type { EventType } from '../domain/event.ts';
import type { Database } from './file/database.ts';
import { paged } from './paged.ts';
import { lastId } from './remembered.ts';

/** An event as recorded: `body` is the webhook body, byte for byte (decisions §6). */
export interface StoredEvent {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  readonly type: EventType;
  readonly subject: string;
  readonly sessionId: number | null;
  readonly contractId: number | null;
  readonly createdAt: number;
  readonly body: string;
}

/** An event without its body. */
export type EventHead = Pick<StoredEvent, 'type' | 'sessionId' | 'createdAt'>;

/** Filters of a list of events; null matches everything. */
export interface EventFilter {
  readonly type: EventType | null;
  readonly contractId: number | null;
  /** The events of the session's contract are included. */
  readonly sessionId: number | null;
}

const COLUMNS = `id, token, account_id AS accountId, type, subject, session_id AS sessionId, contract_id AS contractId,
  created_at AS createdAt, body`;

const OF_ACCOUNT = `SELECT ${COLUMNS} FROM events WHERE account_id = @accountId AND (@type IS NULL OR type = @type)`;
const OF_CONTRACT = `${OF_ACCOUNT} AND contract_id = @contractId AND (@sessionId IS NULL OR session_id = @sessionId)`;
const OF_SESSION = `${OF_ACCOUNT} AND session_id = @sessionId`;

export function events(db: Database) {
  const last = lastId(db.prepare<[], number | null>('SELECT max(id) FROM events').pluck());
  const insert = db.prepare(
    `INSERT INTO events (id, token, account_id, type, subject, session_id, contract_id, created_at, body, cause)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const byToken = db.prepare<[string], StoredEvent>(`SELECT ${COLUMNS} FROM events WHERE token = ?`);
  const byId = db.prepare<[number], StoredEvent>(`SELECT ${COLUMNS} FROM events WHERE id = ?`);
  const head = db.prepare<[number], EventHead>(
    'SELECT type, session_id AS sessionId, created_at AS createdAt FROM events WHERE id = ?',
  );
  const message = db.prepare<[number], [string, string]>('SELECT token, body FROM events WHERE id = ?').raw();
  const newest = db.prepare<[number, number], StoredEvent>(
    `SELECT ${COLUMNS} FROM events WHERE account_id = ? ORDER BY id DESC LIMIT ?`,
  );
  const lastAt = db
    .prepare<[number], number>('SELECT created_at FROM events WHERE account_id = ? ORDER BY id DESC LIMIT 1')
    .pluck();
  const tokenUpTo = db
    .prepare<[number, number], string>(
      'SELECT token FROM events WHERE account_id = ? AND id <= ? ORDER BY id DESC LIMIT 1',
    )
    .pluck();
  const after = db.prepare<[number, number, number], StoredEvent>(
    `SELECT ${COLUMNS} FROM events WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );

  const inAccount = paged<StoredEvent>(db, OF_ACCOUNT);
  // The events of a contract and of a session have their own indexes, so they need their own statements.
  const ofContract = paged<StoredEvent>(db, OF_CONTRACT);
  const ofSession = paged<StoredEvent>(db, OF_SESSION);

  const typesAfter = db
    .prepare<[number, number], EventType>('SELECT type FROM events WHERE account_id = ? AND id > ?')
    .pluck();

  const bytes = db
    .prepare<[number, number], number>(
      'SELECT coalesce(sum(octet_length(body)), 0) FROM events WHERE account_id = ? AND id > ?',
    )
    .pluck();

  return {
    lastId: last.get,
    nextId: last.next,
    insert(e: StoredEvent, cause: Cause | null) {
      last.follow(e.id);
      const { id, token, accountId, type, subject, sessionId, contractId, createdAt, body } = e;
      insert.run(id, token, accountId, type, subject, sessionId, contractId, createdAt, body, cause);
    },
    /** The instant of the account's newest event; 0 if it has none. */
    lastAt: (accountId: number) => lastAt.get(accountId) ?? 0,
    /** The token of the account's last event up to the row `id`. */
    tokenUpTo: (accountId: number, id: number) => tokenUpTo.get(accountId, id),
    get: (id: number) => byId.get(id) as StoredEvent,
    head: (id: number) => head.get(id) as EventHead,
    /** The content of a webhook: the id of the event and its body. */
    message: (id: number) => message.get(id) as [token: string, body: string],
    find: (token: string) => byToken.get(token) ?? null,
    /** Newest first, or oldest first from just after `afterId`. */
    list: (accountId: number, limit: number, afterId: number | null) =>
      afterId === null ? newest.all(accountId, limit) : after.all(accountId, afterId, limit),
    /** The same for one type, one contract and one session. */
    listOf(accountId: number, limit: number, afterId: number | null, wanted: EventFilter) {
      const page = wanted.contractId !== null ? ofContract : wanted.sessionId !== null ? ofSession : inAccount;
      return page({ accountId, limit, ...wanted }, afterId);
    },
    /** The types of an account's events after `afterId`. */
    typesAfter: (accountId: number, afterId: number) => typesAfter.all(accountId, afterId),
    forget: last.forget,
    /** The total length of the bodies of an account's events after `afterId`. */
    bytesAfter: (accountId: number, afterId: number) => bytes.get(accountId, afterId) as number,
  };
}
