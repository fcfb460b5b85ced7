import { once } from '../domain/once.ts';
import type { Dump } from '../domain/trace.ts';
import { accounts } from './accounts.ts';
import { attempts } from './attempts.ts';
import { contracts } from './contracts.ts';
import { coverage } from './coverage.ts';
import { deliveries } from './deliveries.ts';
import { deliveryAttempts } from './delivery-attempts.ts';
import { discarded } from './discarded.ts';
import { due } from './due.ts';
import { emails } from './emails.ts';
import { endpoints } from './endpoints.ts';
import { events } from './events.ts';
import { faults } from './faults.ts';
import { openDatabase } from './file/database.ts';
import { dump, dumpOfStory, type Sealed, seal } from './file/dump.ts';
import { clear, withoutForeignKeys } from './file/rows.ts';
import { idempotency } from './idempotency.ts';
import { installments } from './installments.ts';
import { keys } from './keys.ts';
import { levers } from './levers.ts';
import { lostCreates } from './lost-creates.ts';
import { merchants } from './merchants.ts';
import { ownReaders } from './own.ts';
import { owners } from './owners.ts';
import { readings } from './readings.ts';
import { requests } from './requests.ts';
import { browse } from './search/browse.ts';
import { search } from './search/search.ts';
import { story } from './search/story.ts';
import { sessions } from './sessions.ts';
import { snapshots } from './snapshots.ts';
import { struckDeliveries } from './struck-deliveries.ts';
import { transactions } from './transactions.ts';
import { unconfirmedSessions } from './unconfirmed-sessions.ts';
import { workspace } from './workspace.ts';

export type Store = ReturnType<typeof openStore>;

/**
 * The whole workspace in one database: a file, or memory for null. Snapshots go into `snapshotFolder`, which is made
 * when needed. `endOfTurn` calls back at the end of this turn of the event loop.
 * @throws CannotStart when the file cannot be used
 */
export function openStore(
  file: string | null,
  snapshotFolder: string,
  endOfTurn: (work: () => void) => void = queueMicrotask,
  sealed: Sealed | null = null,
) {
  const db = openDatabase(file, sealed?.dump);
  if (sealed) seal(db, sealed);
  const { setProfile, ...merchantTable } = merchants(db);
  const tables = {
    workspace: workspace(db),
    merchants: merchantTable,
    accounts: accounts(db, { ...merchantTable, setProfile }),
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
    deliveryAttempts: deliveryAttempts(db),
    faults: faults(db),
    struckDeliveries: struckDeliveries(db),
    coverage: coverage(db),
    lostCreates: lostCreates(db),
    unconfirmedSessions: unconfirmedSessions(db),
    levers: levers(db),
    requests: requests(db),
    discarded: discarded(db),
    due: due(db),
  };
  const browsing = once(() => browse(db));
  const kept = readings(tables, () => !db.inTransaction);
  // Idempotency checks each entry against its row, and lever numbers only increase: a rollback makes neither wrong.
  const { idempotency: uses, levers: numbers, ...others } = tables;
  const rolledBack = Object.values(others).filter((table) => 'forget' in table);
  /** Drops what a rollback may have made wrong. */
  const forget = () => {
    for (const table of rolledBack) table.forget();
  };
  const writing = transactions(db, forget, endOfTurn);
  const saved = snapshots(db, snapshotFolder, tables, forgetAll);
  return {
    ...tables,
    accounts: {
      ...tables.accounts,
      /**
       * An instant that the account's clock has shown. The newest rows may be those of a contract that was created in
       * the past; the lever that created it has the present instant.
       */
      recordedUntil: (id: number) =>
        Math.max(tables.events.lastAt(id), tables.sessions.lastAt(id), tables.levers.lastAt(id)),
      setClock: (...args: Parameters<typeof tables.accounts.setClock>) =>
        writing.transaction(() => tables.accounts.setClock(...args)),
    },
    /** Reads the rows of one account. The tables themselves read those of all accounts. */
    of: ownReaders(
      { ...tables, readings: kept },
      browsing,
      once(() => search(db)),
      once(() => story(db)),
    ),
    ownerOf: owners(tables, browsing),
    ...writing,
    snapshots: {
      ...saved,
      save(...args: Parameters<typeof saved.save>) {
        writeCounts();
        writing.flush();
        return saved.save(...args);
      },
      restore(...args: Parameters<typeof saved.restore>) {
        writing.flush();
        const snapshot = saved.restore(...args);
        tables.coverage.discard();
        return snapshot;
      },
    },
    /**
     * Every row of every table or, with a session, those of its story.
     * @throws Refusal `conflict` when every row is too much for a trace
     */
    dump(sessionId: number | null = null): Dump {
      writeCounts();
      writing.flush();
      return sessionId === null ? dump(db) : dumpOfStory(db, sessionId);
    },
    /** Empties every table and runs `work`, in one transaction. `lastRequest` is the last number given out. */
    renew(lastRequest: number, work: () => void) {
      writing.flush();
      withoutForeignKeys(db, () =>
        writing.transaction(() => {
          clear(db);
          tables.coverage.discard();
          forgetAll();
          tables.discarded.add(0, lastRequest);
          work();
        }),
      );
    },
    writeCounts,
    /** How large the database is, without its write-ahead log. */
    bytes: () => Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
    /** Drops everything that is cached. */
    forget: forgetAll,
    close() {
      try {
        writeCounts();
      } catch {
        // A full disk must not prevent closing. Only counts are lost.
      }
      writing.flush();
      db.close();
      saved.close();
      kept.close();
    },
  };

  /** Writes the counts that coverage keeps in memory. */
  function writeCounts() {
    if (tables.coverage.isWaiting()) writing.transaction(tables.coverage.write);
  }

  function forgetAll() {
    forget();
    uses.forget();
    numbers.forget();
    kept.clear();
  }
}
