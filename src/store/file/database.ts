import { lstatSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { BadInput, DamagedTrace, UnusableDirectory } from '../../domain/cannot-start.ts';
import { codeOf } from '../../domain/error-code.ts';
import { once } from '../../domain/once.ts';
import type { Dump } from '../../domain/trace.ts';
import { openSqlite } from '../../sqlite.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { WHOLE } from '../migrations/whole.ts';
import { checkCoherence } from './coherence.ts';
import { isRefused, load as loadDump } from './dump.ts';
import { hasForeignJournal, journalOf } from './journal.ts';
import { closeToOthers, createPrivately } from './private-file.ts';

export type Database = BetterSqlite3.Database;

/**
 * Opens and migrates the database at `file`, or one in memory for null, which a dump may fill.
 * @throws CannotStart when it is in use, damaged, newer than this program, of another program, or not writable
 * @throws DamagedTrace when the dump does not fit the schema
 * @throws BadInput when the schema of the dump is newer
 */
export function openDatabase(file: string | null, dump?: Dump): Database {
  if (file !== null) claim(file);
  try {
    const db = openSqlite(file ?? ':memory:', { timeout: 0 });
    try {
      configure(db, file);
      if (dump) fill(db, dump);
      migrate(db, file);
      if (dump) checkCoherence(db);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw explain(error, file, dump !== undefined);
  }
}

/** SQLite gives the files that it writes beside a database the permissions of the database. */
function claim(file: string) {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile() && !there.isDirectory()) {
    throw new UnusableDirectory(`${file} is a symbolic link or a special file.`, 'Move it away');
  }
  if (hasForeignJournal(file)) {
    throw new UnusableDirectory(`${journalOf(file)} was not written by layaway.`, 'Move it away');
  }
  if (there) {
    for (const part of [file, `${file}-wal`, journalOf(file)]) closeToOthers(part);
    return;
  }
  try {
    createPrivately(file);
  } catch {
    // SQLite reports the reason when it opens the file.
  }
}

/**
 * Migrates a file that nobody has open.
 * @throws CannotStart when layaway did not make it
 */
export function bringUpToDate(file: string) {
  const db = openSqlite(file);
  try {
    migrate(db, file);
  } finally {
    db.close();
  }
}

/** Fills the database with the rows of the dump, in the schema that the dump was made with. */
function fill(db: Database, dump: Dump) {
  if (dump.schema > SCHEMA_VERSION) {
    throw new BadInput('The trace was saved by a newer layaway. Update layaway to open it.');
  }
  build(db, dump.schema);
  db.pragma(`user_version = ${Number(dump.schema)}`);
  loadDump(db, dump);
}

/**
 * A restore or a large snapshot lets the write-ahead log grow to the size of the state. Afterwards it shrinks to this,
 * which is more than it has between two checkpoints.
 */
const WAL_KEPT_BYTES = 64 * 2 ** 20;

/** The exclusive lock also locks the directory: the system releases it however the process ends. */
function configure(db: Database, file: string | null) {
  if (file !== null) {
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
    setCheckpoints(db, 'often');
  }
  db.pragma('synchronous = NORMAL');
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = OFF');
  // 4 MB. A larger cache takes memory and saves no time, because the system caches the file too.
  db.pragma('cache_size = -4096');
  db.pragma('temp_store = MEMORY');
}

/**
 * A checkpoint waits for the disk, and every request waits for the checkpoint. So there are few of them, each of at most
 * 32 MB, which takes some 30 ms. `never` keeps the file unchanged while it is copied.
 */
export const setCheckpoints = (db: Database, when: 'often' | 'never') =>
  db.pragma(`wal_autocheckpoint = ${when === 'often' ? 8192 : 0}`);

export const SCHEMA_VERSION = MIGRATIONS.length;

export const versionOf = (db: Database) => db.pragma('user_version', { simple: true }) as number;

function migrate(db: Database, file: string | null) {
  const version = versionOf(db);
  if (version > SCHEMA_VERSION) {
    throw new UnusableDirectory(
      `${file} was written by a newer layaway (schema ${version}, this one knows ${SCHEMA_VERSION}).`,
      'Update layaway',
    );
  }
  if (version === 0 && db.prepare('SELECT 1 FROM sqlite_master').get()) throw notOurs(file);
  db.transaction(() => {
    if (version === 0) build(db, SCHEMA_VERSION);
    else apply(db, MIGRATIONS.slice(version));
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    if (version > 0 && !isSameSchema(schemaOf(db), ownSchema())) throw prepared(file);
  }).immediate();
}

/** Makes the tables of a version in an empty database. Those of the last one take a tenth of the time in one step. */
function build(db: Database, version: number) {
  apply(db, version === SCHEMA_VERSION ? [WHOLE] : MIGRATIONS.slice(0, version));
}

/** A migration may rewrite the text of a table, which SQLite forbids everybody else. */
function apply(db: Database, steps: readonly string[]) {
  db.unsafeMode(true);
  try {
    for (const step of steps) db.exec(step);
  } finally {
    db.unsafeMode(false);
  }
}

/** A table, an index, a trigger or a view, with the statement that made it. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/**
 * All that a statement made: SQLite makes indexes without one. The tables of ANALYZE do not count. Any program can give a
 * name like theirs to something else in the file.
 */
export const schemaOf = (db: Database) =>
  db
    .prepare<[], SchemaObject>(
      `SELECT type, name, sql FROM sqlite_master
       WHERE sql IS NOT NULL AND (type <> 'table' OR name NOT GLOB 'sqlite_stat[1-4]') ORDER BY type, name`,
    )
    .all();

/**
 * Somebody else may have written the file, and a trigger or a name in it is code. So only known objects are accepted.
 */
export const isSameSchema = (found: readonly SchemaObject[], wanted: readonly SchemaObject[]) =>
  found.length === wanted.length &&
  found.every(({ type, name, sql }, index) => {
    const other = wanted[index] as SchemaObject;
    return type === other.type && name === other.name && sql === other.sql;
  });

const ownSchema = once((): readonly SchemaObject[] => {
  const db = openSqlite(':memory:');
  build(db, SCHEMA_VERSION);
  const schema = schemaOf(db);
  db.close();
  return schema;
});

const notOurs = (file: string | null) =>
  new UnusableDirectory(`${file} is damaged or is not a layaway database.`, 'Move it away');

const prepared = (file: string | null) =>
  new UnusableDirectory(`${file} has tables or triggers that layaway did not create.`, 'Move it away');

function explain(error: unknown, file: string | null, isTrace: boolean): unknown {
  const code = codeOf(error);
  if (!code.startsWith('SQLITE_')) return error;
  if (isTrace && isRefused(error)) return new DamagedTrace(undefined, null, { cause: error });
  if (code.startsWith('SQLITE_BUSY')) return new DirectoryInUse(file);
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) return notOurs(file);
  if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_IOERR')) {
    return new UnusableDirectory(`${file} cannot be opened for writing.`, 'Check its permissions');
  }
  // Only a migration fails like this: it met a schema that no version of layaway has.
  if (code === 'SQLITE_ERROR') return prepared(file);
  if (code === 'SQLITE_FULL') return new UnusableDirectory(`There is no space left for ${file}.`, 'Free some space');
  return error;
}

/** Another process holds the database; `directory.ts` adds which one. */
export class DirectoryInUse extends UnusableDirectory {
  constructor(file: string | null) {
    super(`${file} is in use by another server.`, 'Stop it');
  }
}
