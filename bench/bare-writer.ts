/** The reference for collections: only inserts the same number of rows, in transactions of the same size. */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface Rows {
  readonly file: string;
  readonly count: number;
  readonly perTransaction: number;
}

const BODY = 'x'.repeat(300);

process.on('message', ({ file, count, perTransaction }: Rows) => {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec('CREATE TABLE entries (id INTEGER PRIMARY KEY, account_id INTEGER, at INTEGER, body TEXT) STRICT');
  const insert = db.prepare('INSERT INTO entries VALUES (?, ?, ?, ?)');
  const write = db.transaction((from: number, to: number) => {
    for (let id = from; id < to; id += 1) insert.run(id, 1, id, BODY);
  });
  const startedAt = performance.now();
  for (let id = 0; id < count; id += perTransaction) write(id, Math.min(id + perTransaction, count));
  const seconds = (performance.now() - startedAt) / 1000;
  db.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  process.send?.(seconds);
});
