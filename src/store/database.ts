import { lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { CannotStart } from '../domain/cannot-start.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { closeToOthers, createPrivately } from './private-file.ts';

export type Database = BetterSqlite3.Database;

/**
 * Opens and migrates the database at `file`, or one in memory for null.
 * @throws CannotStart when it is in use, damaged, newer than this program, somebody else's, or cannot be written.
 */
export function openDatabase(file: string | null): Database {
  if (file !== null) claim(file);
  try {
    const db = new (load())(file ?? ':memory:', { timeout: 0 });
    try {
      configure(db, file);
      migrate(db, file);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw explain(error, file);
  }
}

/** SQLite gives what it writes beside a database the database's own permissions. */
function claim(file: string) {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile() && !there.isDirectory()) {
    throw new CannotStart(
      `${file} is a symbolic link or a special file. Move it away, or choose another directory with --data.`,
    );
  }
  if (there) {
    for (const part of [file, `${file}-wal`, `${file}-journal`]) closeToOthers(part);
    return;
  }
  try {
    createPrivately(file);
  } catch {
    // Why it cannot be made SQLite says when it opens it.
  }
}

/** A database as it lies there: neither configured nor migrated. */
export const openPlainly = (file: string): Database => new (load())(file);

/** Loaded on first use, through require: the package is native and CommonJS. */
function load(): typeof BetterSqlite3 {
  return createRequire(import.meta.url)('better-sqlite3');
}

/** Exclusive locking is the directory's lock: the system lets go of it however the process ends. */
function configure(db: Database, file: string | null) {
  if (file !== null) {
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    setCheckpoints(db, 'often');
  }
  db.pragma('synchronous = NORMAL');
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cache_size = -32768');
  db.pragma('temp_store = MEMORY');
}

/** A checkpoint waits for the disk: few, large ones. Never: the file itself stands still, until it is `often` again. */
export const setCheckpoints = (db: Database, when: 'often' | 'never') =>
  db.pragma(`wal_autocheckpoint = ${when === 'often' ? 8192 : 0}`);

export const SCHEMA_VERSION = MIGRATIONS.length;

export const versionOf = (db: Database) => db.pragma('user_version', { simple: true }) as number;

function migrate(db: Database, file: string | null) {
  const version = versionOf(db);
  if (version > SCHEMA_VERSION) {
    throw new CannotStart(
      `${file} was written by a newer layaway (schema ${version}, this one knows ${SCHEMA_VERSION}). ` +
        'Update layaway, or choose another directory with --data.',
    );
  }
  if (version === 0 && db.prepare('SELECT 1 FROM sqlite_master').get()) throw notOurs(file);
  db.transaction(() => {
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    if (version > 0 && !isSameSchema(schemaOf(db), ownSchema())) throw prepared(file);
  }).immediate();
}

/** A table, an index, a trigger or a view, with the statement that made it. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

export const schemaOf = (db: Database) =>
  db
    .prepare<[], SchemaObject>(
      "SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_*' ORDER BY type, name",
    )
    .all();

/** Anybody may have written the file, and a trigger or a name in it is code: nothing may be there that is not known. */
export const isSameSchema = (found: readonly SchemaObject[], wanted: readonly SchemaObject[]) =>
  found.length === wanted.length &&
  found.every(({ type, name, sql }, index) => {
    const other = wanted[index] as SchemaObject;
    return type === other.type && name === other.name && sql === other.sql;
  });

function ownSchema(): SchemaObject[] {
  const db = new (load())(':memory:');
  for (const step of MIGRATIONS) db.exec(step);
  const schema = schemaOf(db);
  db.close();
  return schema;
}

const notOurs = (file: string | null) =>
  new CannotStart(`${file} is damaged or no layaway database. Move it away, or choose another directory with --data.`);

const prepared = (file: string | null) =>
  new CannotStart(
    `${file} has tables or triggers that layaway did not make. Move it away, or choose another directory with --data.`,
  );

function explain(error: unknown, file: string | null): unknown {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error;
  if (code.startsWith('SQLITE_BUSY')) return new DirectoryInUse(file);
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) return notOurs(file);
  if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_IOERR')) {
    return new CannotStart(
      `${file} cannot be opened for writing. Check its permissions, or choose another directory with --data.`,
    );
  }
  // Nothing but a step of the schema fails so: it met what no version of ours has.
  if (code === 'SQLITE_ERROR') return prepared(file);
  if (code === 'SQLITE_FULL')
    return new CannotStart(`There is no space left for ${file}. Free some, or choose another --data.`);
  return error;
}

/** Another process holds the database; `store/directory.ts` adds whose it is. */
export class DirectoryInUse extends CannotStart {
  constructor(file: string | null) {
    super(`${file} is in use by another server. Stop it, or choose another directory with --data.`);
  }
}
