import type { Instant } from '../domain/calendar.ts';
import type { Clocks } from './clocks.ts';
import { breathe, type RealTime } from './real.ts';

export interface TickerWorks {
  nextDueAt(accountId: number): Instant | null;
  /** Does what fell due. */
  catchUp(accountId: number): Promise<unknown>;
  /** The account’s changes of this turn are all made. */
  settled(accountId: number): void;
  fault(error: unknown): void;
}

export type Ticker = ReturnType<typeof createTicker>;

/** Wakes each running account at the instant of its next due thing. */
export function createTicker(clocks: Clocks, real: RealTime, works: TickerWorks) {
  const alarms = new Map<number, () => void>();
  const changed = new Set<number>();
  let stopped = false;

  /** Something about the account changed: its alarm is set anew, once for all changes of this turn. */
  function touch(accountId: number) {
    if (changed.size === 0) breathe().then(rearm, works.fault);
    changed.add(accountId);
  }

  function rearm() {
    if (stopped) return;
    const accountIds = [...changed];
    changed.clear();
    for (const accountId of accountIds) {
      alarms.get(accountId)?.();
      alarms.delete(accountId);
      works.settled(accountId);
      if (clocks.get(accountId).mode === 'running') setAlarm(accountId);
    }
  }

  function setAlarm(accountId: number) {
    const at = works.nextDueAt(accountId);
    if (at === null) return;
    alarms.set(
      accountId,
      real.after(at - clocks.now(accountId), () => ring(accountId)),
    );
  }

  function ring(accountId: number) {
    alarms.delete(accountId);
    works.catchUp(accountId).then(() => touch(accountId), works.fault);
  }

  return {
    touch,
    stop() {
      stopped = true;
      for (const off of alarms.values()) off();
      alarms.clear();
    },
  };
}
