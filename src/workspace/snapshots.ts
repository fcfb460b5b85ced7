import { automaticName, superfluous, TRAVEL_MAX_BYTES, type Undoable } from '../domain/automatic-snapshot.ts';
import type { RequestLog } from '../http/log/request-log.ts';
import type { Snapshot } from '../store/snapshots.ts';
import type { Store } from '../store/store.ts';
import type { ClockQueue } from '../time/clock-queue.ts';
import type { RealTime } from '../time/real.ts';

/** What snapshots are made of and with. */
interface SavedRooms {
  readonly store: Pick<Store, 'accounts' | 'bytes' | 'events' | 'snapshots'>;
  readonly time: Pick<RealTime, 'now'>;
  readonly clockQueue: Pick<ClockQueue, 'addForAll'>;
  readonly requestLog: Pick<RequestLog, 'flush' | 'latest' | 'goOnAfter'>;
}

/** The snapshots of a workspace, and what the latest restore brought back. `replace` runs work that replaces the state. */
export function createSnapshots(
  { store, time, clockQueue, requestLog }: SavedRooms,
  replace: (work: () => void) => void,
) {
  /** The row of the last event that the latest restore brought back; 0 after a reset. */
  let restoredEventId = 0;

  const save = (name: string, { overwrite }: { readonly overwrite: boolean }): Promise<Snapshot> =>
    clockQueue.addForAll(() => {
      requestLog.flush();
      return store.snapshots.save(name, time.now(), overwrite, requestLog.latest);
    });

  const makeRoom = () => {
    for (const name of superfluous(store.snapshots.list())) {
      try {
        store.snapshots.remove(name);
      } catch {
        // It only takes space. What was saved or restored is done.
      }
    }
  };

  return {
    snapshots: {
      list: store.snapshots.list,
      remove: store.snapshots.remove,
      save,
      /** Null when the state is too large. Older automatic snapshots make room. */
      async saveAutomatically(before: Undoable): Promise<Snapshot | null> {
        if (before === 'travel' && store.bytes() > TRAVEL_MAX_BYTES) return null;
        const snapshot = await save(automaticName(before, time.now()), { overwrite: true });
        // What is restored next may be the oldest one: it goes afterwards.
        if (before === 'travel' || before === 'reset') makeRoom();
        return snapshot;
      },
      async restore(name: string): Promise<Snapshot> {
        // One that cannot be restored cancels nothing.
        store.snapshots.find(name);
        return clockQueue.addForAll(() => {
          replace(() => {
            requestLog.flush();
            const { lastRequest } = store.snapshots.restore(name, time.now(), requestLog.latest());
            // The snapshot may be a copy from another state directory, whose numbers are further.
            requestLog.goOnAfter(lastRequest ?? 0);
          });
          restoredEventId = store.events.lastId();
          const restored = store.snapshots.find(name);
          makeRoom();
          return restored;
        }, `the restore of the snapshot ${name}`);
      },
    },

    /** The last event of an account that the latest restore brought back; undefined after a reset. */
    lastRestored(clientId: string): string | undefined {
      const account = store.accounts.find(clientId);
      return account ? store.events.tokenUpTo(account.id, restoredEventId) : undefined;
    },

    /** Call it after a reset. */
    forgetRestored() {
      restoredEventId = 0;
    },
  };
}
