import type BetterSqlite3 from 'better-sqlite3';
import { DamagedTrace } from '../domain/cannot-start.ts';

type Database = BetterSqlite3.Database;

/** A value of a table; bytes as hexadecimal digits. */
export type Cell = string | number | null | { readonly hex: string };

/** Every row of every table, as plain data. */
export interface Dump {
  /** The version of the schema. */
  readonly schema: number;
  readonly tables: Readonly<
    Record<string, { readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }>
  >;
}

const TABLES = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY rowid";

export function dump(db: Database): Dump {
  const names = db.prepare<[], string>(TABLES).pluck().all();
  const tables = names.map((name) => {
    const columns = columnsOf(db, name);
    const rows = db
      .prepare<[], unknown[]>(`SELECT ${columns.join(', ')} FROM ${name}`)
      .raw()
      .all();
    return [name, { columns, rows: rows.map((row) => row.map(toCell)) }] as const;
  });
  return { schema: db.pragma('user_version', { simple: true }) as number, tables: Object.fromEntries(tables) };
}

/** As in every workspace that a server began. */
const HAS_DEFAULT_MERCHANT = `SELECT (SELECT count(*) FROM workspace) = 1
  AND (SELECT count(*) FROM accounts WHERE merchant_id = 1) = 2`;

/**
 * Fills a database that has the schema of the dump. Nothing of the dump but values reaches a statement.
 * @throws DamagedTrace for what no server wrote; SQLite refuses the values that the schema forbids
 */
export function load(db: Database, { tables }: Dump) {
  db.transaction(() => {
    db.pragma('defer_foreign_keys = ON');
    const names = db.prepare<[], string>(TABLES).pluck().all();
    if (Object.keys(tables).some((name) => !names.includes(name))) throw new DamagedTrace();
    for (const name of names) {
      const { columns = [], rows = [] } = tables[name] ?? {};
      const known = columnsOf(db, name);
      if (columns.some((column) => !known.includes(column))) throw new DamagedTrace();
      // What triggers counted meanwhile is replaced by the dump's own counts.
      db.exec(`DELETE FROM ${name}`);
      if (rows.length === 0) continue;
      const insert = db.prepare(
        `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      for (const row of rows) insert.run(...row.map(toValue));
    }
    if (db.prepare(HAS_DEFAULT_MERCHANT).pluck().get() !== 1) throw new DamagedTrace();
  })();
}

/**
 * Nothing of what is shown later is sent: every endpoint is disabled, and no delivery is owed. Secrets, which no
 * dump holds, are new ones.
 */
export function seal(db: Database, reason: string, secret: () => string) {
  db.transaction(() => {
    db.exec('DELETE FROM struck_deliveries');
    db.exec("UPDATE deliveries SET status = 'failed', next_attempt_at = NULL WHERE next_attempt_at IS NOT NULL");
    db.prepare('UPDATE endpoints SET enabled = 0, disabled_reason = ? WHERE enabled = 1').run(reason);
    db.exec('UPDATE endpoints SET previous_secret = NULL, previous_secret_until = NULL');
    for (const table of ['accounts', 'endpoints'] as const) {
      const column = table === 'accounts' ? 'webhook_secret' : 'secret';
      const set = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`);
      for (const id of db.prepare<[], number>(`SELECT id FROM ${table}`).pluck().all()) set.run(secret(), id);
    }
  })();
}

const columnsOf = (db: Database, table: string) =>
  db.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`).pluck().all();

const toCell = (value: unknown): Cell => (Buffer.isBuffer(value) ? { hex: value.toString('hex') } : (value as Cell));

function toValue(cell: Cell): unknown {
  return typeof cell === 'object' && cell !== null ? Buffer.from(cell.hex, 'hex') : cell;
}
