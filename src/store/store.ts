import { accounts } from './accounts.ts';
import { attempts } from './attempts.ts';
import { type Browse, browse } from './browse.ts';
import { contracts } from './contracts.ts';
import { type Database, openDatabase } from './database.ts';
import { deliveries } from './deliveries.ts';
import { due } from './due.ts';
import { emails } from './emails.ts';
import { endpoints } from './endpoints.ts';
import { events } from './events.ts';
import { idempotency } from './idempotency.ts';
import { installments } from './installments.ts';
import { keys } from './keys.ts';
import { merchants } from './merchants.ts';
import { sessions } from './sessions.ts';
import { clear, snapshots } from './snapshots.ts';
import { workspace } from './workspace.ts';

export type Store = ReturnType<typeof openStore>;

/**
 * The whole workspace in one database: a file, or memory for null. Snapshots go into `snapshotFolder`, made when needed.
 * @throws CannotStart when the file cannot be used.
 */
export function openStore(file: string | null, snapshotFolder: string) {
  const db = openDatabase(file);
  const merchantTable = merchants(db);
  const tables = {
    workspace: workspace(db),
    merchants: merchantTable,
    accounts: accounts(db, merchantTable),
    keys: keys(db),
    sessions: sessions(db),
    idempotency: idempotency(db),
    contracts: contracts(db),
    installments: installments(db),
    attempts: attempts(db),
    events: events(db),
    emails: emails(db),
    endpoints: endpoints(db),
    deliveries: deliveries(db),
    due: due(db),
  };
  let looking: Browse | undefined;
  const kept = snapshots(db, snapshotFolder, forget);
  return {
    ...tables,
    /** For people who look around. */
    browse() {
      looking ??= browse(db);
      return looking;
    },
    transaction: transactor(db, forget),
    snapshots: kept,
    /** Empties every table. */
    clear() {
      clear(db);
      forget();
    },
    rehearsal: rehearser(db, forget),
    inTransaction: () => db.inTransaction,
    /** What is remembered outside the file is read anew. */
    forget,
    close() {
      db.close();
      kept.close();
    },
  };

  function forget() {
    tables.workspace.forget();
    tables.accounts.forget();
    tables.keys.forget();
    tables.contracts.forget();
    tables.installments.forget();
    tables.endpoints.forget();
    tables.deliveries.forget();
  }
}

/** Runs `work` in one transaction; all of it is written, or nothing. Inside another one it joins it. */
function transactor(db: Database, forget: () => void) {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');

  return <T>(work: () => T): T => {
    if (db.inTransaction) return work();
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      if (db.inTransaction) rollback.run();
      forget();
      throw error;
    }
  };
}

/** Runs `work` and undoes everything it wrote. */
function rehearser(db: Database, forget: () => void) {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const rollback = db.prepare('ROLLBACK');

  return <T>(work: () => T): T => {
    begin.run();
    try {
      return work();
    } finally {
      rollback.run();
      forget();
    }
  };
}
