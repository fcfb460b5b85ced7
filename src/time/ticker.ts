import type { Instant } from '../domain/calendar.ts';
import type { Account } from '../domain/merchant.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Courier } from '../webhook/courier.ts';
import type { Relay } from '../webhook/relay.ts';
import type { Clocks } from './clocks.ts';
import { LOOK_AGAIN_MS, type RealTime, yieldToEventLoop } from './real.ts';
import type { Travel } from './travel.ts';

/** What the ticker works with, joined by `simulator.ts`. */
export interface TickerRooms {
  readonly clocks: Clocks;
  readonly time: RealTime;
  readonly accounts: { get(accountId: number): Account };
  readonly outbox: Pick<Outbox, 'next'>;
  readonly travel: Pick<Travel, 'catchUp'>;
  readonly courier: Pick<Courier, 'wake'>;
  readonly relay: Pick<Relay, 'wake'> | null;
  fault(error: unknown): void;
}

export type Ticker = ReturnType<typeof createTicker>;

/** Wakes each running account at the instant of its next due thing, and starts its due deliveries. */
export function createTicker({ clocks, time, accounts, outbox, travel, courier, relay, fault }: TickerRooms) {
  const alarms = new Map<number, { readonly at: Instant; readonly off: () => void }>();
  const changed = new Set<number>();
  /** Counts how often all alarms were replaced, because earlier accounts may be gone then. */
  let era = 0;
  let stopped = false;

  /** Resets the alarm of an account that changed, once for all changes of this turn. */
  function touch(accountId: number) {
    if (changed.size === 0) yieldToEventLoop().then(rearm);
    changed.add(accountId);
  }

  function rearm() {
    if (stopped) return;
    const accountIds = [...changed];
    changed.clear();
    for (const accountId of accountIds) {
      courier.wake(accountId);
      try {
        setAlarm(accountId);
      } catch (error) {
        tryAgain(accountId, error);
      }
    }
    relay?.wake();
  }

  /** Sets the alarm to the next due thing. An alarm that rings too early is set again. */
  function setAlarm(accountId: number) {
    const { mode } = clocks.get(accountId);
    const next = mode === 'running' ? outbox.next(accountId, { withDeliveries: true }) : null;
    if (!next) return unsetAlarm(accountId);
    const waitMs = next.at - clocks.now(accountId);
    const ringsAt = time.now() + waitMs;
    const set = alarms.get(accountId);
    if (set && Math.abs(set.at - ringsAt) <= 1) return;
    ringAfter(accountId, Math.min(waitMs, LOOK_AGAIN_MS), ringsAt);
  }

  /** Replaces the alarm of an account. `at` is the instant that it is for. */
  function ringAfter(accountId: number, ms: number, at: Instant) {
    unsetAlarm(accountId);
    const off = time.after(ms, () => void ring(accountId));
    alarms.set(accountId, { at, off });
  }

  function unsetAlarm(accountId: number) {
    alarms.get(accountId)?.off();
    alarms.delete(accountId);
  }

  /** Reports an error, such as a full disk, and tries again: its cause may end without a change of the account. */
  function tryAgain(accountId: number, error: unknown) {
    fault(error);
    ringAfter(accountId, LOOK_AGAIN_MS, Number.NaN);
  }

  async function ring(accountId: number) {
    const begun = era;
    alarms.delete(accountId);
    try {
      await travel.catchUp(accounts.get(accountId));
      if (begun === era) touch(accountId);
    } catch (error) {
      if (begun === era) tryAgain(accountId, error);
      else fault(error);
    }
  }

  function silence() {
    era += 1;
    for (const { off } of alarms.values()) off();
    alarms.clear();
    changed.clear();
  }

  return {
    touch,
    /** Replaces all alarms by those of the given accounts. */
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
