import type BetterSqlite3 from 'better-sqlite3';
import { DamagedTrace } from '../../domain/cannot-start.ts';
import { codeOf } from '../../domain/error-code.ts';
import { TRACE_ROWS_MAX_BYTES } from '../../domain/limits.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Cell, Dump } from '../../domain/trace.ts';

type Database = BetterSqlite3.Database;

/** @throws Refusal `conflict` when the rows are too many for a trace */
export function dump(db: Database): Dump {
  let bytes = 0;
  const tables = tablesOf(db).map((name) => [
    name,
    tableOf(db, name, {
      look(row) {
        bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
        if (bytes > TRACE_ROWS_MAX_BYTES) throw new Refusal('conflict', TOO_LARGE);
      },
    }),
  ]);
  return { schema: schemaIn(db), tables: Object.fromEntries(tables) };
}

const TOO_LARGE = `The state is too large for a trace, which holds at most ${TRACE_ROWS_MAX_BYTES / 2 ** 20} MiB of rows. To keep the state, save a snapshot: \`layaway snapshots save <name>\`.`;

/** Which rows tell the story of a session, and which show what is secret in them. */
const STORY: Readonly<Record<string, string>> = {
  workspace: '',
  merchants: '',
  accounts: '',
  endpoints: '',
  levers: '',
  requests: '',
  discarded: '',
  sessions: 'WHERE id = @session',
  contracts: 'WHERE session_id = @session',
  events: 'WHERE session_id = @session',
  // A URL may contain a password, and an answer a cookie. Only the newest cookies are removed from other fields.
  deliveries: "WHERE instr(url, '@') > 0",
  delivery_attempts: `WHERE id IN (
    SELECT id FROM delivery_attempts WHERE instr(response_headers, '"set-cookie"') > 0 ORDER BY id DESC LIMIT 1000)`,
};

export function dumpOfStory(db: Database, sessionId: number): Dump {
  const tables = Object.entries(STORY).map(([name, which]) => [
    name,
    tableOf(db, name, { which, bound: { session: sessionId } }),
  ]);
  return { schema: schemaIn(db), tables: Object.fromEntries(tables) };
}

interface Reading {
  readonly which?: string;
  readonly bound?: { readonly session?: number };
  look?(row: readonly Cell[]): void;
}

function tableOf(db: Database, name: string, { which = '', bound = {}, look }: Reading) {
  const columns = columnsOf(db, name);
  const rows: (readonly Cell[])[] = [];
  const read = db.prepare<[object], unknown[]>(`SELECT ${columns.join(', ')} FROM ${name} ${which}`).raw();
  for (const values of read.iterate(bound)) {
    const row = values.map(toCell);
    look?.(row);
    rows.push(row);
  }
  return { columns, rows };
}

const schemaIn = (db: Database) => db.pragma('user_version', { simple: true }) as number;

/** True for every workspace that a server has created. */
const HAS_DEFAULT_MERCHANT = `SELECT (SELECT count(*) FROM workspace) = 1
  AND (SELECT count(*) FROM accounts WHERE merchant_id = 1) = 2`;

/**
 * Fills a database that has the schema of the dump. Only values of the dump reach a statement.
 * @throws DamagedTrace for a dump that no server wrote; SQLite refuses values that the schema forbids
 */
export function load(db: Database, { tables }: Dump) {
  db.transaction(() => {
    db.pragma('defer_foreign_keys = ON');
    const names = tablesOf(db);
    if (Object.keys(tables).some((name) => !names.includes(name))) {
      throw damaged('it has a table that layaway does not have');
    }
    for (const name of names) {
      const { columns = [], rows = [] } = tables[name] ?? {};
      const known = columnsOf(db, name);
      if (columns.some((column) => !known.includes(column)) || new Set(columns).size < columns.length) {
        throw damaged(`the columns of its table ${name} are not those of layaway`);
      }
      // The counts that triggers made meanwhile are replaced by those of the dump.
      db.exec(`DELETE FROM ${name}`);
      if (rows.length === 0) continue;
      const insert = db.prepare(
        `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      for (const [index, row] of rows.entries()) {
        try {
          insert.run(...row.map(toValue));
        } catch (error) {
          throw isRefused(error) ? damaged(`row ${index + 1} of the table ${name} is not valid`, error) : error;
        }
      }
    }
    if (db.prepare(HAS_DEFAULT_MERCHANT).pluck().get() !== 1) {
      throw damaged('its workspace or its default merchant is missing');
    }
    checkReferences(db);
  })();
}

/** Every row that another refers to is there, and of two rows that belong to accounts, both belong to the same one. */
function checkReferences(db: Database) {
  const [missing] = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (missing) {
    throw damaged(`a row of the table ${missing.table} refers to a row of the table ${missing.parent} that is missing`);
  }
  for (const { table, column, parent } of db.prepare<[], Reference>(SHARED_OWNERS).all()) {
    const id = db
      .prepare<[], number>(
        `SELECT parent.id FROM ${table} AS child JOIN ${parent} AS parent ON parent.id = child.${column}
         WHERE child.account_id <> parent.account_id`,
      )
      .pluck()
      .get();
    if (id === undefined) continue;
    const what = `a row of the table ${table} refers to the row with the id ${id} of the table ${parent}`;
    throw damaged(`${what}, which belongs to another account`);
  }
}

interface Reference {
  readonly table: string;
  readonly column: string;
  readonly parent: string;
}

/** The references between tables whose rows belong to accounts. */
const SHARED_OWNERS = `SELECT child.name AS "table", link."from" AS "column", link."table" AS parent
  FROM main.sqlite_master AS child, pragma_foreign_key_list(child.name) AS link
  WHERE child.type = 'table' AND link."to" = 'id'
    AND EXISTS (SELECT 1 FROM pragma_table_info(child.name) WHERE name = 'account_id')
    AND EXISTS (SELECT 1 FROM pragma_table_info(link."table") WHERE name = 'account_id')`;

/** Whether SQLite refuses what a statement says, which for a statement of a dump means a value of the dump. */
export const isRefused = (error: unknown) => /^SQLITE_(ERROR|CONSTRAINT|MISMATCH)/.test(codeOf(error));

const damaged = (why: string, cause?: unknown) =>
  cause instanceof Error
    ? new DamagedTrace(undefined, `${why} (${cause.message})`, { cause })
    : new DamagedTrace(undefined, why);

/** How to open a state that is only shown and sends nothing. */
export interface Sealed {
  readonly dump: Dump;
  /** Why its endpoints are disabled. */
  readonly disabledReason: string;
  /** Why its pending deliveries are given up. */
  readonly givenUpReason: string;
  /** Draws a signing secret to replace each that was removed. */
  readonly secret: () => string;
}

/**
 * Makes sure that an opened trace sends nothing: disables every endpoint and ends every delivery, at the instant where the
 * clock of its account stands. Draws new secrets, because a dump contains none.
 */
export function seal(db: Database, { disabledReason, givenUpReason, secret }: Omit<Sealed, 'dump'>) {
  db.transaction(() => {
    // The store of a checkout whose webhook a fault held up could not know of it, and never will.
    db.exec(`DELETE FROM unconfirmed_sessions WHERE session_id IN (
      SELECT session_id FROM events JOIN deliveries ON event_id = events.id
      WHERE next_attempt_at IS NOT NULL AND (
        deliveries.id IN (SELECT delivery_id FROM struck_deliveries)
        OR EXISTS (SELECT 1 FROM delivery_attempts WHERE delivery_id = deliveries.id AND fault IS NOT NULL)))`);
    // A delivery with copies left to send has already arrived.
    db.exec(`UPDATE deliveries SET status = 'delivered', next_attempt_at = NULL
      WHERE next_attempt_at IS NOT NULL AND id IN (SELECT delivery_id FROM struck_deliveries WHERE copies > 0)`);
    db.exec('DELETE FROM struck_deliveries WHERE copies > 0');
    db.prepare(
      `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, given_up_reason = ?,
         given_up_at = (SELECT clock_ms FROM accounts WHERE accounts.id = account_id)
       WHERE next_attempt_at IS NOT NULL`,
    ).run(givenUpReason);
    db.prepare('UPDATE endpoints SET enabled = 0, disabled_reason = ? WHERE enabled = 1').run(disabledReason);
    db.exec('UPDATE endpoints SET previous_secret = NULL, previous_secret_until = NULL');
    for (const table of ['accounts', 'endpoints'] as const) {
      const column = table === 'accounts' ? 'webhook_secret' : 'secret';
      const set = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`);
      for (const id of db.prepare<[], number>(`SELECT id FROM ${table}`).pluck().all()) set.run(secret(), id);
    }
  })();
}

/** The names of the tables, in the order in which they were made. */
export const tablesOf = (db: Database) =>
  db
    .prepare<[], string>(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY rowid",
    )
    .pluck()
    .all();

const columnsOf = (db: Database, table: string) =>
  db.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`).pluck().all();

const toCell = (value: unknown): Cell => (Buffer.isBuffer(value) ? { hex: value.toString('hex') } : (value as Cell));

function toValue(cell: Cell): unknown {
  return typeof cell === 'object' && cell !== null ? Buffer.from(cell.hex, 'hex') : cell;
}
