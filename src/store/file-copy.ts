import { close, closeSync, open, openSync, read, write } from 'node:fs';
import { promisify } from 'node:util';
import { type Database, setCheckpoints } from './database.ts';
import { createPrivately } from './private-file.ts';

/** How many pages of an in-memory database are copied before other work gets a turn. */
const PAGES_A_STEP = 25_000;
const CHUNK_BYTES = 4 * 2 ** 20;

const opened = promisify(open);
const closed = promisify(close);
const readAt = promisify(read);
const writeAt = promisify(write);

/** Copies the whole database as it is at one instant, while it is in use. */
export function copier(db: Database) {
  /** Stays open, because the system releases SQLite's lock on a file when any descriptor of it is closed. */
  let source: number | undefined;

  /** Writes go only to the write-ahead log meanwhile, so the file does not change. */
  function copyFile(target: string): Promise<unknown> {
    db.pragma('wal_checkpoint(TRUNCATE)');
    setCheckpoints(db, 'never');
    source ??= openSync(db.name, 'r');
    return copyAll(source, target).finally(() => setCheckpoints(db, 'often'));
  }

  return {
    /** @throws EEXIST when the file exists */
    copyTo(target: string): Promise<unknown> {
      createPrivately(target);
      return db.memory ? db.backup(target, { progress: () => PAGES_A_STEP }) : copyFile(target);
    },
    close() {
      if (source !== undefined) closeSync(source);
      source = undefined;
    },
  };
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
