import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { transactions } from '../../src/store/transactions.ts';

let db: Database.Database;
let forgotten: number;
let told: number[];
/** What waits for the end of the turn. */
let waiting: (() => void)[];
let writing: ReturnType<typeof transactions>;

beforeEach(() => {
  db = new Database(':memory:');
  db.pragma('foreign_keys = ON');
  db.exec(
    `CREATE TABLE rows (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES rows (id) DEFERRABLE INITIALLY DEFERRED)`,
  );
  forgotten = 0;
  told = [];
  waiting = [];
  writing = transactions(
    db,
    () => {
      forgotten += 1;
    },
    (work) => waiting.push(work),
  );
  writing.onCommit((accountId) => told.push(accountId));
});

const insert = (id: number, parent: number | null = null) =>
  db.prepare('INSERT INTO rows VALUES (?, ?)').run(id, parent);
const ids = () => db.prepare('SELECT id FROM rows ORDER BY id').pluck().all();
const endTurn = () => {
  for (const work of waiting.splice(0)) work();
};
/** A parent that is not there: the COMMIT fails. */
const uncommittable = () => writing.shared(() => insert(99, 98), 9);

describe('transactions that share a COMMIT', () => {
  test('are committed at the end of the turn, together; accounts are notified then, once each', async () => {
    writing.shared(() => insert(1), 1);
    writing.shared(() => insert(2), 1);
    const committed = writing.committed();
    expect(db.inTransaction).toBe(true);
    expect(told).toEqual([]);
    expect(waiting).toHaveLength(1);
    endTurn();
    await committed;
    expect(writing.committed()).toBeNull();
    expect(db.inTransaction).toBe(false);
    expect(ids()).toEqual([1, 2]);
    expect(told).toEqual([1]);
    writing.shared(() => insert(3), 2);
    endTurn();
    expect(told).toEqual([1, 2]);
  });

  test('one that fails undoes only what it wrote', async () => {
    writing.shared(() => insert(1), 1);
    expect(() =>
      writing.shared(() => {
        insert(2);
        throw new Error('refused');
      }, 2),
    ).toThrow('refused');
    expect(forgotten).toBe(1);
    writing.shared(() => insert(3), 3);
    endTurn();
    expect(ids()).toEqual([1, 3]);
    expect(told).toEqual([1, 3]);
  });

  test('when the COMMIT fails, nothing of any is stored, and those who wait are told', async () => {
    writing.shared(() => insert(1), 1);
    uncommittable();
    const committed = writing.committed();
    endTurn();
    await expect(committed).rejects.toThrow('FOREIGN KEY');
    expect(ids()).toEqual([]);
    expect(told).toEqual([]);
    expect(forgotten).toBe(1);
    writing.shared(() => insert(2), 2);
    endTurn();
    expect(ids()).toEqual([2]);
  });

  test('when the COMMIT fails and nobody waits for it, the process goes on', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    uncommittable();
    endTurn();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(ids()).toEqual([]);
  });

  test('when SQLite ends the transaction itself, nothing of any is there, and whoever waits is told', async () => {
    writing.shared(() => insert(1), 1);
    const committed = writing.committed();
    expect(() =>
      writing.shared(() => {
        db.exec('ROLLBACK');
        throw new Error('disk full');
      }, 2),
    ).toThrow('disk full');
    await expect(committed).rejects.toThrow('disk full');
    endTurn();
    expect(ids()).toEqual([]);
    expect(told).toEqual([]);
  });

  test('another transaction commits them first: its own failure leaves them alone', async () => {
    writing.shared(() => insert(1), 1);
    const committed = writing.committed();
    expect(() =>
      writing.transaction(() => {
        insert(2);
        throw new Error('undone');
      }, 2),
    ).toThrow('undone');
    await committed;
    endTurn();
    expect(ids()).toEqual([1]);
    expect(told).toEqual([1]);
  });

  test('their failure leaves the transaction alone that committed them', async () => {
    uncommittable();
    const committed = writing.committed();
    writing.transaction(() => insert(1), 1);
    await expect(committed).rejects.toThrow('FOREIGN KEY');
    expect(ids()).toEqual([1]);
    expect(told).toEqual([1]);
  });

  test('inside another transaction one joins it', () => {
    writing.transaction(() => {
      writing.shared(() => insert(1), 1);
      expect(writing.committed()).toBeNull();
    });
    expect(ids()).toEqual([1]);
    expect(told).toEqual([1]);
    expect(waiting).toEqual([]);
  });
});

describe('a disk that takes no more', () => {
  const failing = (run: 'transaction' | 'shared', code: string) => () =>
    writing[run](() => {
      insert(1);
      throw Object.assign(new Error('no'), { code });
    }, 1);

  test.each(['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_IOERR_WRITE', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'])(
    '%s refuses what it undid',
    (code) => {
      for (const run of ['transaction', 'shared'] as const) {
        expect(failing(run, code)).toThrow(expect.objectContaining({ name: 'Refusal', code: 'disk_full' }));
        endTurn();
      }
      expect(ids()).toEqual([]);
      expect(told).toEqual([]);
    },
  );

  test.each(['SQLITE_CONSTRAINT', 'SQLITE_CORRUPT', 'EIO_OTHER'])('%s is another error', (code) => {
    for (const run of ['transaction', 'shared'] as const) expect(failing(run, code)).toThrow('no');
  });
});
