import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { type Database, openPlainly, SCHEMA_VERSION } from './database.ts';

export interface Snapshot {
  readonly name: string;
  readonly createdAt: number;
  readonly bytes: number;
}

/** Pages copied before others get a turn. */
const PAGES_A_STEP = 25_000;

export type Snapshots = ReturnType<typeof snapshots>;

/** Copies of the whole workspace, one file each in `folder`. */
export function snapshots(db: Database, folder: string, forget: () => void) {
  const fileOf = (name: string) => join(folder, `${name}.db`);
  const exists = (name: string) => existsSync(fileOf(name));

  return {
    list: (): Snapshot[] =>
      (existsSync(folder) ? readdirSync(folder) : [])
        .filter((file) => file.endsWith('.db'))
        .map((file) => describe(folder, file))
        .sort((a, b) => b.createdAt - a.createdAt || a.name.localeCompare(b.name)),

    /**
     * Written beside, then moved into place: an older snapshot of that name is whole until the new one is.
     * @throws Refusal `conflict` when the name is taken and `overwrite` is not set
     */
    save(name: string, createdAt: number, overwrite: boolean): Promise<Snapshot> {
      if (exists(name) && !overwrite) {
        return Promise.reject(
          new Refusal('conflict', `There is a snapshot named ${name} already. Send overwrite to replace it.`),
        );
      }
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `${name}.${process.pid}.draft`);
      return db.backup(draft, { progress: () => PAGES_A_STEP }).then(
        () => {
          finish(draft, createdAt);
          renameSync(draft, fileOf(name));
          return describe(folder, `${name}.db`);
        },
        (error) => {
          rmSync(draft, { force: true });
          throw error;
        },
      );
    },

    /**
     * Brings back everything, in one transaction; gives the real time at which it was saved.
     * @throws Refusal `not_found`, `conflict` for another schema version
     */
    restore(name: string): number {
      if (!exists(name)) throw new Refusal('not_found', 'Snapshot');
      db.prepare('ATTACH ? AS snapshot').run(fileOf(name));
      try {
        const version = db.pragma('snapshot.user_version', { simple: true });
        if (version !== SCHEMA_VERSION) {
          throw new Refusal(
            'conflict',
            `The snapshot ${name} has schema version ${version}, this layaway has ${SCHEMA_VERSION}. Save it anew.`,
          );
        }
        db.transaction(() => copyFrom(db, 'snapshot')).immediate();
        return db.prepare<[], number>('SELECT created_at FROM snapshot.snapshot').pluck().get() as number;
      } finally {
        db.exec('DETACH snapshot');
        forget();
      }
    },

    /** @throws Refusal `not_found` */
    remove(name: string) {
      if (!exists(name)) throw new Refusal('not_found', 'Snapshot');
      rmSync(fileOf(name));
    },
  };
}

/** Empties every table. */
export function clear(db: Database) {
  db.pragma('defer_foreign_keys = ON');
  for (const table of tablesOf(db)) db.exec(`DELETE FROM main.${table}`);
}

function copyFrom(db: Database, source: string) {
  clear(db);
  // In the order of creation, so that what triggers counted meanwhile is replaced by the snapshot's own counts.
  for (const table of tablesOf(db)) {
    db.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM ${source}.${table}`);
  }
}

const tablesOf = (db: Database) =>
  db
    .prepare<[], string>(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .pluck()
    .all();

/** One plain file, with the time it was saved, on the disk. */
function finish(file: string, createdAt: number) {
  const db = openPlainly(file);
  db.pragma('journal_mode = DELETE');
  db.exec('CREATE TABLE snapshot (created_at INTEGER NOT NULL) STRICT');
  db.prepare('INSERT INTO snapshot VALUES (?)').run(createdAt);
  db.close();
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function describe(folder: string, file: string): Snapshot {
  const path = join(folder, file);
  const db = openPlainly(path);
  try {
    const createdAt = db.prepare<[], number>('SELECT created_at FROM snapshot').pluck().get() as number;
    return { name: file.slice(0, -'.db'.length), createdAt, bytes: statSync(path).size };
  } finally {
    db.close();
  }
}
