import type { Database } from './database.ts';

/** Told of an account after a transaction that changed something of it was committed. */
export type CommitListener = (accountId: number) => void;

/** The transactions of one database. `forget` drops what is remembered outside the file. */
export function transactions(db: Database, forget: () => void) {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const listeners: CommitListener[] = [];
  const changed = new Set<number>();

  function undo() {
    changed.clear();
    if (db.inTransaction) rollback.run();
    forget();
  }

  /** Once for each account, however many transactions joined the one that was committed. */
  function announce() {
    if (changed.size === 0) return;
    const accountIds = [...changed];
    changed.clear();
    for (const accountId of accountIds) for (const listener of listeners) listener(accountId);
  }

  return {
    /**
     * Runs `work` in one transaction; all of it is written, or nothing. Inside another one it joins it. After the
     * outermost commit, `onCommit` is told of `accountId`.
     */
    transaction<T>(work: () => T, accountId: number | null = null): T {
      if (accountId !== null) changed.add(accountId);
      if (db.inTransaction) return work();
      let result: T;
      try {
        begin.run();
        result = work();
        commit.run();
      } catch (error) {
        undo();
        throw error;
      }
      announce();
      return result;
    },
    /** Runs `work` and undoes everything it wrote; nobody is told. */
    rehearsal<T>(work: () => T): T {
      begin.run();
      try {
        return work();
      } finally {
        undo();
      }
    },
    onCommit: (listener: CommitListener) => void listeners.push(listener),
    inTransaction: () => db.inTransaction,
  };
}
