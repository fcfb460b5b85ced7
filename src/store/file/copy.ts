import { close, closeSync, open, openSync, read, statSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { type Database, setCheckpoints } from './database.ts';
import { createPrivately } from './private-file.ts';

const CHUNK_BYTES = 4 * 2 ** 20;

const opened = promisify(open);
const closed = promisify(close);
const readAt = promisify(read);
const writeAt = promisify(write);

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
    return opened(target, 'r+')
      .then((file) => writeWhole(file, content, content.length, 0).finally(() => closed(file)))
      .then(() => seen);
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
  return opened(path, 'r+').then((target) => {
    const copyFrom = (at: number): Promise<unknown> =>
      readAt(source, chunk, 0, CHUNK_BYTES, at).then(({ bytesRead }) =>
        bytesRead === 0 ? null : writeWhole(target, chunk, bytesRead, at).then(() => copyFrom(at + bytesRead)),
      );
    return copyFrom(0).finally(() => closed(target));
  });
}

/** Repeats the write, because one call may write only a part. */
const writeWhole = (target: number, chunk: Buffer, length: number, at: number, from = 0): Promise<unknown> =>
  writeAt(target, chunk, from, length - from, at + from).then(({ bytesWritten }) =>
    from + bytesWritten < length ? writeWhole(target, chunk, length, at, from + bytesWritten) : null,
  );
