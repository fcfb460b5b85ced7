import type { Database, SchemaObject } from './database.ts';
import { tablesOf } from './dump.ts';

/** The request log outlives a reset and a restore (interface §3). */
const STAYS = 'requests';

/** Empties every table, within a transaction. */
export function clear(db: Database) {
  withoutTriggers(db, () => {
    for (const table of replacedTables(db)) db.exec(`DELETE FROM main.${quoted(table)}`);
  });
}

/**
 * Runs `work` without foreign keys, so that SQLite can empty tables at once and copy whole rows and index entries. They
 * cannot be switched within a transaction.
 */
export function withoutForeignKeys(db: Database, work: () => void) {
  db.pragma('foreign_keys = OFF');
  try {
    work();
  } finally {
    db.pragma('foreign_keys = ON');
  }
}

/**
 * Runs `work` without triggers, because they have already acted on the copied rows. They are created again in their
 * original order, which is the order in which they run.
 */
export function withoutTriggers(db: Database, work: () => void) {
  const triggers = db
    .prepare<[], SchemaObject>("SELECT type, name, sql FROM main.sqlite_master WHERE type = 'trigger' ORDER BY rowid")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER main.${quoted(name)}`);
  work();
  for (const { sql } of triggers) db.exec(sql);
}

/** Replaces the rows of every table by those of an attached database. Call it without triggers. */
export function copyFrom(db: Database, source: string) {
  for (const table of replacedTables(db).map(quoted)) {
    db.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM ${source}.${table}`);
  }
}

/** A table name is quoted, because any program may have chosen it. */
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

const replacedTables = (db: Database) => tablesOf(db).filter((name) => name !== STAYS);
