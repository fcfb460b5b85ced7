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

/** Timers stand still while the computer sleeps and clocks do not: no longer than this is slept through. */
const LOOK_AGAIN_MS = MINUTE;

/** Wakes each running account at the instant of its next due thing. */
export function createTicker(clocks: Clocks, real: RealTime, works: TickerWorks) {
  const alarms = new Map<number, { readonly at: Instant; readonly off: () => void }>();
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
      works.settled(accountId);
      const { mode } = clocks.get(accountId);
      setAlarm(accountId, mode === 'running' ? works.nextDueAt(accountId) : null);
    }
  }

  /** For `at` on the account's clock; null for none. An alarm that rings too early only looks again. */
  function setAlarm(accountId: number, at: Instant | null) {
    const set = alarms.get(accountId);
    const waitMs = at === null ? 0 : at - clocks.now(accountId);
    const ringsAt = real.now() + waitMs;
    if (set && at !== null && Math.abs(set.at - ringsAt) <= 1) return;
    set?.off();
    alarms.delete(accountId);
    if (at === null) return;
    const off = real.after(Math.min(waitMs, LOOK_AGAIN_MS), () => ring(accountId));
    alarms.set(accountId, { at: ringsAt, off });
  }

  function ring(accountId: number) {
    alarms.delete(accountId);
    works.catchUp(accountId).then(() => touch(accountId), works.fault);
  }

  function silence() {
    for (const { off } of alarms.values()) off();
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
