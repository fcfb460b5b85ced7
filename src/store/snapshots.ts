import {
  closeSync,
  copyFileSync,
  existsSync,
  fsync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CannotStart } from '../domain/cannot-start.ts';
import { codeOf } from '../domain/error-code.ts';
import { fileReason } from '../domain/file-error.ts';
import { Refusal } from '../domain/refusal.ts';
import { openSqlite } from '../sqlite.ts';
import type { accounts } from './accounts.ts';
import type { discarded } from './discarded.ts';
import { copier } from './file/copy.ts';
import { bringUpToDate, type Database, isSameSchema, SCHEMA_VERSION, schemaOf, versionOf } from './file/database.ts';
import { hasForeignJournal, journalOf, removeJournal } from './file/journal.ts';
import { isPlainFile, makeFolder, moveOver } from './file/private-file.ts';
import { copyFrom, withoutForeignKeys, withoutTriggers } from './file/rows.ts';
import { explained } from './transactions.ts';

export interface Snapshot {
  readonly name: string;
  readonly createdAt: number;
  readonly bytes: number;
  /** The last request number given out when it was saved; null in a snapshot of an older version. */
  readonly lastRequest: number | null;
}

const synced = promisify(fsync);

/** The table that only a snapshot has. */
const OWN_TABLE = 'snapshot';

/** Its row. Any program may have written the file. */
interface OwnRow {
  readonly created_at?: unknown;
  readonly last_request?: unknown;
}

/** What a restore changes in the rows that it has copied. */
interface Tables {
  readonly accounts: Pick<ReturnType<typeof accounts>, 'holdBack'>;
  readonly discarded: Pick<ReturnType<typeof discarded>, 'add'>;
}

/** What was saved at one instant is restored at another. Each has the last request number given out by then. */
interface Restoring {
  readonly savedAt: number;
  readonly savedAfter: number;
  readonly now: number;
  readonly lastRequest: number;
}

/** Copies of the whole workspace, one file each in `folder`, which no other process uses. */
export function snapshots(db: Database, folder: string, { accounts, discarded }: Tables, forget: () => void) {
  removeHalves(folder);
  const fileOf = (name: string) => join(folder, `${name}.db`);
  const exists = (name: string) => existsSync(fileOf(name));
  const { isMoved, copyTo, close } = copier(db);

  /**
   * Returns the schema version. The tables of an older one are checked when it is restored.
   * @throws Refusal `conflict` for a newer version, and for tables that are not layaway's
   */
  function inspect(file: string, name: string): number {
    const saved = openSqlite(file);
    try {
      const version = versionOf(saved);
      if (version < 1) throw damaged(name);
      if (version > SCHEMA_VERSION) {
        throw new Refusal(
          'conflict',
          `The snapshot ${name} was saved by a newer layaway (schema version ${version}, this one knows ${SCHEMA_VERSION}). Update layaway.`,
        );
      }
      const schema = schemaOf(saved).filter(({ name }) => name !== OWN_TABLE);
      if (version === SCHEMA_VERSION && !isSameSchema(schema, schemaOf(db))) throw damaged(name);
      return version;
    } catch (error) {
      throw isUnreadable(error) ? damaged(name) : error;
    } finally {
      saved.close();
    }
  }

  /** Calls `use` with the snapshot's file or, for one of an older version, with a copy that was brought up to date. */
  function withCurrent(name: string, version: number, use: (file: string) => void) {
    const file = fileOf(name);
    if (version === SCHEMA_VERSION) return use(file);
    const copy = join(folder, `${name}.restoring`);
    try {
      rmSync(copy, { force: true });
      copyFileSync(file, copy);
      const db = openSqlite(copy);
      db.exec(`DROP TABLE ${OWN_TABLE}`);
      db.close();
      bringUpToDate(copy);
      use(copy);
    } catch (error) {
      throw error instanceof CannotStart || isUnreadable(error) ? damaged(name) : explained(error);
    } finally {
      for (const part of [copy, journalOf(copy)]) rmSync(part, { force: true });
    }
  }

  /** @throws Refusal `not_found`; `conflict` for a damaged one, and for what `inspect` finds */
  function examine(name: string) {
    if (!exists(name)) throw new Refusal('not_found', 'Snapshot');
    try {
      const snapshot = describe(folder, `${name}.db`);
      if (!snapshot) throw damaged(name);
      return { snapshot, version: inspect(fileOf(name), name) };
    } catch (error) {
      throw isOutOfReach(error) ? outOfReach(name) : error;
    }
  }

  function replaceWith(file: string, name: string, { savedAt, savedAfter, now, lastRequest }: Restoring) {
    db.prepare('ATTACH ? AS snapshot').run(file);
    try {
      withoutForeignKeys(db, () =>
        db
          .transaction(() => {
            withoutTriggers(db, () => copyFrom(db, 'snapshot'));
            discarded.add(savedAfter, lastRequest);
            accounts.holdBack(now - savedAt);
          })
          .immediate(),
      );
    } catch (error) {
      if (!isUnreadable(error)) throw explained(error);
      throw isSound(db) ? damaged(name) : new Refusal('conflict', STATE_DAMAGED);
    } finally {
      db.exec('DETACH snapshot');
      forget();
    }
  }

  return {
    list: (): Snapshot[] =>
      (existsSync(folder) ? readdirSync(folder) : [])
        .filter((file) => file.endsWith('.db'))
        .map((file) => unlessOutOfReach(() => describe(folder, file)))
        .filter((snapshot) => snapshot !== null)
        .sort((a, b) => b.createdAt - a.createdAt || a.name.localeCompare(b.name)),

    /**
     * Saves a snapshot. It is written to a temporary file and then moved into place, so an older snapshot of that name
     * stays whole until then. `lastRequest` reads the last request number given out.
     * @throws Refusal `conflict` when the name is taken and `overwrite` is not set or the state is damaged, or the state
     * directory was removed, replaced or cannot be written; `disk_full`
     */
    save(name: string, createdAt: number, overwrite: boolean, lastRequest: () => number): Promise<Snapshot> {
      if (exists(name) && !overwrite) {
        throw new Refusal(
          'conflict',
          `There is already a snapshot named ${name}. To replace it, send "overwrite": true (--overwrite on the command line).`,
        );
      }
      // A copy of damaged pages is made without a complaint, and could replace the only good one.
      if (exists(name) && !db.memory && !isSound(db)) throw new Refusal('conflict', damagedOver(name));
      const draft = join(folder, `${name}.draft`);
      return new Promise<number>((resolve) => {
        if (isMoved()) throw new Refusal('conflict', DIRECTORY_GONE);
        makeFolder(folder);
        rmSync(draft, { force: true });
        resolve(copyTo(draft, lastRequest));
      })
        .then((last) => {
          finish(draft, createdAt, last);
          return onDisk(draft);
        })
        .then(() => {
          removeJournal(fileOf(name));
          moveOver(draft, fileOf(name));
          return describe(folder, `${name}.db`) as Snapshot;
        })
        .catch((error) => {
          if (existsSync(draft)) rmSync(draft);
          throw unsaved(error, folder);
        });
    },

    /** @throws Refusal as `restore` does */
    find: (name: string): Snapshot => examine(name).snapshot,

    /**
     * Restores everything in one transaction, sets running clocks back to the time of the snapshot, and marks the requests
     * since then, up to `lastRequest`, as discarded.
     * @throws Refusal `not_found`, `conflict` for a damaged one or one of a newer version; `disk_full`
     */
    restore(name: string, now: number, lastRequest: number): Snapshot {
      const { snapshot, version } = examine(name);
      const { createdAt: savedAt, lastRequest: savedAfter } = snapshot;
      const restoring = { savedAt, savedAfter: savedAfter ?? lastRequest, now, lastRequest };
      withCurrent(name, version, (file) => replaceWith(file, name, restoring));
      return snapshot;
    },

    /** @throws Refusal `not_found`; `conflict` when the folder is read-only */
    remove(name: string) {
      if (!exists(name)) throw new Refusal('not_found', 'Snapshot');
      try {
        removeJournal(fileOf(name));
        rmSync(fileOf(name));
      } catch (error) {
        const why = fileReason(error);
        throw new Refusal('conflict', `The snapshot ${name} cannot be deleted from ${folder} (${why}).`);
      }
    },

    /** Call it after the database is closed. */
    close,
  };
}

/** What a killed server was saving or restoring. */
const HALF = /\.(?:draft|restoring)(?:-journal|-wal|-shm)?$/;

function removeHalves(folder: string) {
  for (const name of halvesIn(folder)) {
    try {
      rmSync(join(folder, name), { force: true });
    } catch {
      // It only takes space, so the start goes on.
    }
  }
}

function halvesIn(folder: string): string[] {
  try {
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
    return readdirSync(folder).filter((file) => HALF.test(file));
  } catch {
    // Only another user may enter the folder, such as the one whose TMPDIR this process inherited.
    return [];
  }
}

const damaged = (name: string) =>
  new Refusal('conflict', `The snapshot ${name} is damaged, or layaway did not write it. Delete it and save it again.`);

const outOfReach = (name: string) =>
  new Refusal('conflict', `The snapshot ${name} cannot be read. Give the server access to its file, or delete it.`);

const STATE_DAMAGED =
  'The state of the server is damaged, so no snapshot can be restored into it. Stop the server, move layaway.db away, start it again, then restore the snapshot.';

const damagedOver = (name: string) =>
  `The state of the server is damaged, so the older snapshot ${name} is kept. Stop the server, move layaway.db away and start it again. Then you can restore the snapshot.`;

const DIRECTORY_GONE =
  'The state directory was removed or replaced while the server was running, so the snapshot was not saved. Start the server again.';

/** What keeps the user of the server from writing there. */
const FORBIDDEN = /^(?:EACCES|EPERM|EROFS)$/;

/** Why a snapshot was not saved. For a state in memory, `folder` is below the folder for temporary files. */
function unsaved(error: unknown, folder: string): unknown {
  if (codeOf(error) === 'ENOENT') return new Refusal('conflict', DIRECTORY_GONE);
  if (!FORBIDDEN.test(codeOf(error))) return explained(error);
  return new Refusal(
    'conflict',
    `The snapshot was not saved: ${folder} cannot be written (${fileReason(error)}). Give the server write access or, if its state is in memory, start it with another folder in TMPDIR.`,
  );
}

/** Whether the pages of the database itself are sound. */
function isSound(db: Database): boolean {
  try {
    return db.pragma('main.quick_check(1)', { simple: true }) === 'ok';
  } catch {
    return false;
  }
}

/** No database, a damaged one, or one that lacks a table. */
const isUnreadable = (error: unknown) => /^SQLITE_(NOTADB|CORRUPT|ERROR)/.test(codeOf(error));

/** Such as the file of another user: the server may have run as root before. */
const isOutOfReach = (error: unknown) => codeOf(error).startsWith('SQLITE_CANTOPEN');

/** Null for a snapshot that is out of reach. */
function unlessOutOfReach<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (isOutOfReach(error)) return null;
    throw error;
  }
}

/** Makes a snapshot one plain file, with the time it was saved and the last request before it. */
function finish(file: string, createdAt: number, lastRequest: number) {
  const db = openSqlite(file);
  try {
    db.pragma('journal_mode = DELETE');
    // The file is flushed once, afterwards. Until then it is a draft that nobody reads.
    db.pragma('synchronous = OFF');
    db.exec('CREATE TABLE snapshot (created_at INTEGER NOT NULL, last_request INTEGER NOT NULL) STRICT');
    db.prepare('INSERT INTO snapshot (created_at, last_request) VALUES (?, ?)').run(createdAt, lastRequest);
  } finally {
    db.close();
  }
}

/** Flushes the file without blocking other work. Windows flushes only files that are open for writing. */
function onDisk(file: string): Promise<void> {
  const descriptor = openSync(file, 'r+');
  return synced(descriptor).finally(() => closeSync(descriptor));
}

/** Null for a file that is not a snapshot. */
function describe(folder: string, file: string): Snapshot | null {
  const path = join(folder, file);
  if (!isPlainFile(path) || hasForeignJournal(path)) return null;
  const db = openSqlite(path);
  try {
    if (!isTable(db, OWN_TABLE)) return null;
    const { created_at: createdAt, last_request: last } = db.prepare<[], OwnRow>('SELECT * FROM snapshot').get() ?? {};
    if (!isWhole(createdAt)) return null;
    const lastRequest = isWhole(last) ? last : null;
    return { name: file.slice(0, -'.db'.length), createdAt, bytes: statSync(path).size, lastRequest };
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  } finally {
    db.close();
  }
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/** A view does not count, because it runs when it is read. */
const isTable = (db: Database, name: string) =>
  db.prepare<[string], string>('SELECT type FROM sqlite_master WHERE name = ?').pluck().get(name) === 'table';
