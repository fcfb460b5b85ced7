import { codeOf } from '../domain/error-code.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Database } from './file/database.ts';

/** Called with an account after a transaction that changed it was committed. */
export type CommitListener = (accountId: number) => void;

/** Turns the error of a disk that is full, over its quota or broken into a refusal. Other errors stay as they are. */
export function explained(error: unknown): unknown {
  return DISK.test(codeOf(error)) ? new Refusal('disk_full') : error;
}

const DISK = /^(?:SQLITE_(?:FULL|IOERR).*|ENOSPC|EDQUOT|EFBIG|EIO)$/;

/** Transactions that wait for one COMMIT, and the callers that wait for it. */
interface Group {
  readonly committed: Promise<void>;
  end(error?: unknown): void;
}

/**
 * The transactions of one database. `forget` drops the caches; `endOfTurn` calls back at the end of this turn of the
 * event loop.
 */
export function transactions(db: Database, forget: () => void, endOfTurn: (work: () => void) => void) {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const savepoint = db.prepare('SAVEPOINT one');
  const release = db.prepare('RELEASE one');
  const rollbackOne = db.prepare('ROLLBACK TO one');
  const listeners: CommitListener[] = [];
  const changed = new Set<number>();
  let group: Group | null = null;
  /** True inside a transaction, so that a nested one joins it. */
  let isRunning = false;

  function undo() {
    changed.clear();
    if (db.inTransaction) rollback.run();
    forget();
  }

  /** Notifies once per account, however many transactions joined the commit. */
  function announce() {
    if (changed.size === 0) return;
    const accountIds = [...changed];
    changed.clear();
    for (const accountId of accountIds) for (const listener of listeners) listener(accountId);
  }

  function running<T>(work: () => T): T {
    isRunning = true;
    try {
      return work();
    } finally {
      isRunning = false;
    }
  }

  /** Commits what the group wrote, and resolves or rejects the callers that wait. */
  function flush() {
    if (!group || isRunning) return;
    const { end } = group;
    group = null;
    try {
      commit.run();
    } catch (error) {
      undo();
      end(explained(error));
      return;
    }
    end();
    announce();
  }

  function openGroup() {
    begin.run();
    group = createGroup();
    endOfTurn(flush);
  }

  /**
   * Undoes the writes of one transaction of the group. The whole group is undone if this is the only one in it, or if the
   * failure ended SQLite's own transaction.
   */
  function undoOne(error: unknown, isOnly: boolean) {
    if (db.inTransaction && !isOnly) {
      rollbackOne.run();
      release.run();
      forget();
      return;
    }
    const lost = group;
    group = null;
    undo();
    lost?.end(explained(error));
  }

  return {
    /**
     * Runs `work` in one transaction: all of it is stored, or nothing. A nested one joins the outer one. `onCommit`
     * gets `accountId` after the outermost commit.
     */
    transaction<T>(work: () => T, accountId: number | null = null): T {
      if (isRunning) {
        if (accountId !== null) changed.add(accountId);
        return work();
      }
      flush();
      if (accountId !== null) changed.add(accountId);
      let result: T;
      try {
        begin.run();
        result = running(work);
        commit.run();
      } catch (error) {
        undo();
        throw explained(error);
      }
      announce();
      return result;
    },
    /**
     * The same, but all such transactions of one turn of the event loop share a COMMIT. The result must stay unknown
     * until `committed` resolves. One that fails undoes only its own writes.
     */
    shared<T>(work: () => T, accountId: number): T {
      if (isRunning) {
        changed.add(accountId);
        return work();
      }
      const isFirst = group === null;
      // To undo the first one, all is undone, so it needs no savepoint.
      if (isFirst) openGroup();
      else savepoint.run();
      let result: T;
      try {
        result = running(work);
        if (!isFirst) release.run();
      } catch (error) {
        undoOne(error, isFirst);
        throw explained(error);
      }
      changed.add(accountId);
      return result;
    },
    /** Null when nothing waits for a COMMIT. Rejects when the COMMIT fails: then nothing was stored. */
    committed: (): Promise<void> | null => group?.committed ?? null,
    /** Commits at once instead of at the end of the turn. */
    flush,
    onCommit: (listener: CommitListener) => void listeners.push(listener),
    inTransaction: () => db.inTransaction,
  };
}

function createGroup(): Group {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const committed = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Callers that wait get the error. Without any, it must not end the process.
  committed.catch(() => undefined);
  return { committed, end: (error) => (error === undefined ? resolve() : reject(error)) };
}
