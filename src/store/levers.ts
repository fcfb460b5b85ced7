import type { Database } from './file/database.ts';

/** A use of a lever: its name, its target, and its place among the requests and events. */
export interface Lever {
  readonly number: number;
  /** Null for a lever of the whole workspace. */
  readonly accountId: number | null;
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  /** The body of the call. For a change of settings also, as `before`, the replaced values. */
  readonly body: unknown;
  /** On the account's clock. */
  readonly at: number;
  readonly sentAt: number;
  /** The last request and the last event before it. */
  readonly afterRequest: number;
  readonly afterEvent: number;
}

type Row = Omit<Lever, 'params' | 'body'> & { params: string; body: string };

const COLUMNS = `id AS number, account_id AS accountId, operation, params, body, at, sent_at AS sentAt,
  after_request AS afterRequest, after_event AS afterEvent`;

/** How many of the latest are kept. */
const KEPT = 2_000;

export function levers(db: Database) {
  const last = db.prepare<[], number | null>('SELECT max(id) FROM levers').pluck();
  const insert = db.prepare(
    `INSERT INTO levers (id, account_id, operation, params, body, at, sent_at, after_request, after_event)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const forgetOld = db.prepare('DELETE FROM levers WHERE id <= ?');
  const ofAccount = db.prepare<[number], Row>(
    `SELECT ${COLUMNS} FROM levers WHERE account_id = ? OR account_id IS NULL ORDER BY id`,
  );
  const lastAt = db
    .prepare<[number], number>('SELECT at FROM levers WHERE account_id = ? ORDER BY id DESC LIMIT 1')
    .pluck();
  /** The last number given out. A number is given out before its row is written, and stays given after a rollback. */
  let given: number | null = null;

  return {
    nextNumber(): number {
      given = (given ?? last.get() ?? 0) + 1;
      return given;
    },
    insert(l: Lever) {
      insert.run(
        ...[l.number, l.accountId, l.operation, JSON.stringify(l.params), JSON.stringify(l.body ?? null)],
        ...[l.at, l.sentAt, l.afterRequest, l.afterEvent],
      );
      forgetOld.run(l.number - KEPT);
    },
    /** The instant of the account's latest lever; 0 if there is none. */
    lastAt: (accountId: number) => lastAt.get(accountId) ?? 0,
    /** Those of an account and of the workspace, oldest first. */
    list: (accountId: number): Lever[] => ofAccount.all(accountId).map(toLever),
    forget() {
      given = null;
    },
  };
}

const toLever = (row: Row): Lever => ({ ...row, params: JSON.parse(row.params), body: JSON.parse(row.body) });
