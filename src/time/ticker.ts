import { type Instant, MINUTE } from '../domain/calendar.ts';
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

/** Timers stand still while the computer sleeps and clocks do not: no longer than this is slept through. */
const LOOK_AGAIN_MS = MINUTE;

/** Wakes each running account at the instant of its next due thing. */
export function createTicker(clocks: Clocks, real: RealTime, works: TickerWorks) {
  const alarms = new Map<number, () => void>();
  const changed = new Set<number>();
  let stopped = false;

  /** Something about the account changed: its alarm is set anew, once for all changes of this turn. */
  function touch(accountId: number) {
    if (changed.size === 0) breathe().then(rearm).catch(works.fault);
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
      real.after(Math.min(at - clocks.now(accountId), LOOK_AGAIN_MS), () => ring(accountId)),
    );
  }

  function ring(accountId: number) {
    alarms.delete(accountId);
    works.catchUp(accountId).then(() => touch(accountId), works.fault);
  }

  function silence() {
    for (const off of alarms.values()) off();
    alarms.clear();
    changed.clear();
  }

  return {
    touch,
    /** These are the accounts now, whatever there was before. */
    adopt(accountIds: readonly number[]) {
      silence();
      accountIds.forEach(touch);
    },
    stop() {
      stopped = true;
      silence();
    },
  };
}
