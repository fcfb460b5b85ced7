import { Refusal } from '../domain/refusal.ts';
import type { Database } from './database.ts';

/** Told of an account after a transaction that changed something of it was committed. */
export type CommitListener = (accountId: number) => void;

/** A disk that is full, over its quota or broken is told as a refusal; anything else stays what it is. */
function explained(error: unknown): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return /^SQLITE_(FULL|IOERR)/.test(String(code)) ? new Refusal('disk_full') : error;
}

/** Transactions that wait for one COMMIT, and who waits with them. */
interface Group {
  readonly committed: Promise<void>;
  end(error?: unknown): void;
}

/**
 * The transactions of one database. `forget` drops what is remembered outside the file; `endOfTurn` calls back when
 * everything that this turn of the event loop has to do is done.
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
  /** Inside the work of a transaction: another one joins it. */
  let isRunning = false;

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

  function running<T>(work: () => T): T {
    isRunning = true;
    try {
      return work();
    } finally {
      isRunning = false;
    }
  }

  /** Commits what the group wrote; whoever waits for it is told how that went. */
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

  /** A failure that ended SQLite's own transaction took with it what the whole group had written. */
  function undoOne(error: unknown) {
    if (db.inTransaction) {
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
     * Runs `work` in one transaction; all of it is written, or nothing. Inside another one it joins it. After the
     * outermost commit, `onCommit` is told of `accountId`.
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
     * The same, but all such transactions of one turn of the event loop share a COMMIT, for which `committed` waits:
     * what was written may be told to nobody before. One that fails undoes only what it wrote itself.
     */
    shared<T>(work: () => T, accountId: number): T {
      if (isRunning) {
        changed.add(accountId);
        return work();
      }
      if (!group) openGroup();
      savepoint.run();
      let result: T;
      try {
        result = running(work);
        release.run();
      } catch (error) {
        undoOne(error);
        throw explained(error);
      }
      changed.add(accountId);
      return result;
    },
    /** Null when nothing waits for its COMMIT. Rejects when that fails: then nothing of it was written. */
    committed: (): Promise<void> | null => group?.committed ?? null,
    /** Commits at once what waits for the end of the turn. */
    flush,
    /** Runs `work` and undoes everything it wrote; nobody is told. */
    rehearsal<T>(work: () => T): T {
      flush();
      begin.run();
      try {
        return running(work);
      } finally {
        undo();
      }
    },
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
  // Who waits hears of it; a group that nobody waits for must not end the process.
  committed.catch(() => undefined);
  return { committed, end: (error) => (error === undefined ? resolve() : reject(error)) };
}
