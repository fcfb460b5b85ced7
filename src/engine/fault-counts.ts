import { type Fault, firstToStrike } from '../domain/faults.ts';
import type { Store } from '../store/store.ts';

/** Decides which fault strikes next, and counts its matches and strikes. */
export function createFaultCounts(store: Store) {
  /**
   * Per fault, the strikes that are decided but not recorded, so that concurrent requests do not exceed `times`. A reset or
   * a restore replaces the map, because the new state has other faults with the same ids.
   */
  let decided = new Map<number, number>();

  function expect(id: number, more: 1 | -1) {
    const strikes = (decided.get(id) ?? 0) + more;
    if (strikes === 0) decided.delete(id);
    else decided.set(id, strikes);
  }

  function withDecided(fault: Fault): Fault {
    const strikes = decided.get(fault.id);
    return strikes === undefined ? fault : { ...fault, seen: fault.seen + strikes, met: fault.met + strikes };
  }

  return {
    /** Finds the account's fault that strikes. Faults that matched but did not strike have counted the match. */
    next(accountId: number, isMatch: (fault: Fault) => boolean): Fault | null {
      const armed = store.faults.list(accountId);
      if (armed.length === 0) return null;
      const { struck, passed } = firstToStrike(armed.map(withDecided), isMatch);
      if (passed.length > 0) {
        store.transaction(() => {
          for (const fault of passed) store.faults.countPassed(fault);
        }, accountId);
      }
      return struck;
    },

    /** Begins a strike. It is recorded once, by `settle` or in the transaction of `within`, unless it is dropped first. */
    begin(fault: Fault) {
      const write = () => store.faults.countStrike(fault);
      const state = decided;
      let isOpen = true;
      const isOwed = () => isOpen && state === decided;
      const close = () => {
        isOpen = false;
        expect(fault.id, -1);
      };
      expect(fault.id, 1);
      return {
        settle() {
          if (!isOwed()) return;
          store.transaction(write, fault.accountId);
          close();
        },
        within<T>(work: () => T): T {
          if (!isOwed()) return work();
          const result = store.transaction(() => {
            write();
            return work();
          }, fault.accountId);
          close();
          return result;
        },
        drop() {
          if (isOwed()) close();
        },
      };
    },

    /** Call it after a reset or restore. Strikes that were decided before it are not recorded. */
    restart() {
      decided = new Map();
    },
  };
}
