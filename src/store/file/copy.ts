import { closeSync, openSync, read, statSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Database, setCheckpoints } from './database.ts';
import { createPrivately } from './private-file.ts';

const CHUNK_BYTES = 4 * 2 ** 20;

const readAt = promisify(read);

/** Copies the whole database as it is at one instant, while it is in use. */
export function copier(db: Database) {
  /** Stays open, because the system releases SQLite's lock on a file when any descriptor of it is closed. */
  let source: number | undefined;
  const identity = db.memory ? undefined : identityOf(db.name);

  /** Writes go only to the write-ahead log meanwhile, so the file does not change. */
  function copyFile<T>(target: string, look: () => T): Promise<T> {
    db.pragma('wal_checkpoint(TRUNCATE)');
    const seen = look();
    source ??= openSync(db.name, 'r');
    setCheckpoints(db, 'never');
    return copyAll(source, target)
      .then(() => seen)
      .finally(() => setCheckpoints(db, 'often'));
  }

  /** Not SQLite's backup: if it begins while a transaction is open, it copies nothing and reports no error. */
  function copyMemory<T>(target: string, look: () => T): Promise<T> {
    const content = db.serialize();
    const seen = look();
    return writeFile(target, content, { flag: 'r+' }).then(() => seen);
  }

  return {
    /** Whether the path of the database no longer leads to it: its folder was removed, or replaced by another one. */
    isMoved() {
      const found = identityOf(db.name);
      return identity !== undefined && found !== undefined && found !== identity;
    },
    /**
     * Gives what `look` finds at the instant of the copy. No transaction may be open.
     * @throws EEXIST when the file exists
     */
    copyTo<T>(target: string, look: () => T): Promise<T> {
      createPrivately(target);
      return db.memory ? copyMemory(target, look) : copyFile(target, look);
    },
    close() {
      if (source !== undefined) closeSync(source);
      source = undefined;
    },
  };
}

/** Null when there is no such file, undefined when this user may not look. */
function identityOf(file: string): string | null | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev} ${stats.ino}` : null;
  } catch {
    return undefined;
  }
}

function copyAll(source: number, path: string): Promise<unknown> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  return open(path, 'r+').then((target) => {
    const copyFrom = (at: number): Promise<unknown> =>
      readAt(source, chunk, 0, CHUNK_BYTES, at).then(({ bytesRead }) =>
        // Goes on where the last one ended.
        bytesRead === 0 ? null : target.writeFile(chunk.subarray(0, bytesRead)).then(() => copyFrom(at + bytesRead)),
      );
    return copyFrom(0).finally(() => target.close());
  });
}
