import type { Instant } from '../domain/calendar.ts';
import type { Account } from '../domain/merchant.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Tally } from '../engine/delivery-attempt.ts';
import type { Happening } from '../engine/due.ts';
import type { Engine } from '../engine/engine.ts';
import type { Foresight } from '../engine/forecast.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Courier } from '../webhook/courier.ts';
import { type Counts, createAdvances } from './advances.ts';
import type { ClockQueue } from './clock-queue.ts';
import type { Clocks } from './clocks.ts';
import { type Destination, furthest, refuseTarget, targetOf } from './destination.ts';
import { cancelledAt, createLoop, fullAt, LISTED_MAX } from './loop.ts';
import type { RealTime } from './real.ts';
import { inTimeSlices } from './time-slices.ts';

/** What moves are made with, joined by `simulator.ts`. */
export interface TravelRooms {
  readonly clocks: Clocks;
  readonly time: Pick<RealTime, 'now'>;
  readonly clockQueue: ClockQueue;
  readonly accounts: { isThere(account: Account): boolean };
  readonly engine: Pick<Engine, 'foresee' | 'whenReached' | 'holds'>;
  readonly outbox: Pick<Outbox, 'next' | 'nextNoticed' | 'run' | 'tally'>;
  readonly courier: Pick<Courier, 'drain'>;
}

export interface Journey {
  readonly now: Instant;
  readonly happened: readonly Happening[];
  readonly count: number;
  readonly byType: Counts;
  /** The outcomes of the webhook attempts; null if the advance did not wait for them. */
  readonly webhooks: Tally | null;
}

const STEPS_MAX = 1_000_000;

export type Travel = ReturnType<typeof createTravel>;

/** Moves accounts through time. No other code does. */
export function createTravel(rooms: TravelRooms, stepsMax = STEPS_MAX) {
  const { clocks, time, clockQueue, accounts, engine, outbox, courier } = rooms;
  const goTo = createLoop(rooms, stepsMax);
  const listeners: ((accountId: number) => void)[] = [];
  const advances = createAdvances(clocks, accounts);
  const { stoppable } = advances;

  function moved(accountId: number) {
    for (const listener of listeners) listener(accountId);
  }

  /**
   * Moves an account's clock forward and does everything that falls due on the way, in order. With `wait`, that
   * includes the webhooks that become due.
   * @throws Refusal `invalid` for a destination that lies behind, too far ahead, or is never reached; `conflict` when a
   * reset, restore or stop cancels it: then the clock stands at the last thing that was done
   */
  function advance(account: Account, destination: Destination, { wait = true } = {}): Promise<Journey> {
    return inTurn(account, (cancelled) => {
      const from = clocks.now(account.id);
      const start = clocks.get(account.id);
      const to = targetOf(rooms, account, destination, from);
      const before = outbox.tally(account.id);
      const advanced = stoppable(account.id, { isRehearsal: false, from, to }, cancelled, async (signal, note) => {
        try {
          const drain = wait ? () => unlessCancelled(account.id, courier.drain(account.id), signal) : null;
          const journey = await goTo(account.id, to, { drain, note, cancelled: signal });
          clocks.set(account.id, clocks.movedOn(start, from, to));
          return { ...journey, now: to, webhooks: wait ? since(before, outbox.tally(account.id)) : null };
        } finally {
          clocks.release(account.id);
          moved(account.id);
        }
      });
      return advanced.catch((error) => {
        // Until it was released, the clock may have stood at an instant that was undone.
        throw fullAt(clocks.now(account.id), error);
      });
    });
  }

  /** Forecasts the same journey, as if every delivery succeeded. */
  function rehearse(account: Account, destination: Destination): Promise<Journey> {
    return inTurn(account, (cancelled) => {
      const from = clocks.now(account.id);
      const to = targetOf(rooms, account, destination, from);
      return stoppable(account.id, { isRehearsal: true, from, to }, cancelled, async (signal, note) => {
        const bounds = { until: to, limit: LISTED_MAX, maxSteps: stepsMax, counting: true, note };
        const { happened, count } = whole(await inTimeSlices(time, engine.foresee(account, bounds), signal));
        return { now: to, happened, count, webhooks: null };
      });
    });
  }

  /** Forecasts what happens if nobody acts, up to `until`; if that is null, as far as an advance can go. */
  function forecast(account: Account, until: Instant | null) {
    return inTurn(account, async () => {
      const now = clocks.now(account.id);
      if (until !== null) refuseTarget('until', until, now);
      const foreseen = await look(account, until ?? furthest(now), stepsMax);
      return { now, happened: whole(foreseen).happened };
    });
  }

  /** The beginning of a forecast, after at most `maxSteps`, and whether there is more. */
  function shortForecast(account: Account, maxSteps: number) {
    return inTurn(account, async () => {
      const now = clocks.now(account.id);
      const { happened, ended } = await look(account, furthest(now), maxSteps, Number.POSITIVE_INFINITY);
      return { happened, more: ended !== 'whole' };
    });
  }

  /**
   * Performs what fell due while nothing moved the account. Does not move the clock. The courier sends the deliveries
   * afterwards.
   */
  const catchUp = (account: Account): Promise<unknown> =>
    clockQueue.add(account.id, () => (accounts.isThere(account) ? doWhatFellDue(account.id) : null));

  function freeze(account: Account): Promise<unknown> {
    return inTurn(account, async () => {
      const at = await doWhatFellDue(account.id);
      clocks.set(account.id, { mode: 'frozen', at });
      moved(account.id);
    });
  }

  function resume(account: Account): Promise<unknown> {
    return inTurn(account, () => {
      const clock = clocks.get(account.id);
      if (clock.mode === 'frozen') clocks.set(account.id, clocks.runningFrom(clock.at));
      moved(account.id);
    });
  }

  /** After a reset or restore, the account may be gone. Then its keys authenticate nothing. */
  function inTurn<R>(account: Account, work: (cancelled: AbortSignal) => R | Promise<R>): Promise<R> {
    return clockQueue.add(account.id, (cancelled) => {
      if (!accounts.isThere(account)) throw new Refusal('unauthenticated');
      return work(cancelled);
    });
  }

  /** Returns the instant up to which it was done. */
  async function doWhatFellDue(accountId: number): Promise<Instant> {
    const now = clocks.now(accountId);
    try {
      await goTo(accountId, now);
      return now;
    } finally {
      clocks.release(accountId);
    }
  }

  /** A silent receiver does not hold up a cancelled advance. Its deliveries stay owed. */
  function unlessCancelled(accountId: number, drained: Promise<void>, cancelled: AbortSignal) {
    return new Promise<void>((resolve, reject) => {
      const cancel = () => reject(cancelledAt(clocks.now(accountId), cancelled));
      cancelled.addEventListener('abort', cancel);
      drained.then(resolve, reject).finally(() => cancelled.removeEventListener('abort', cancel));
      if (cancelled.aborted) cancel();
    });
  }

  /** Forecasts until the list is full. */
  const look = (account: Account, until: Instant, maxSteps: number, limit = LISTED_MAX) =>
    inTimeSlices(time, engine.foresee(account, { until, limit, maxSteps, counting: false }));

  /** @throws Refusal `unprocessable` when the forecast did not reach its end */
  function whole(foresight: Foresight): Foresight {
    if (foresight.ended === 'bounded') throw tooMuchToForesee(stepsMax);
    return foresight;
  }

  return {
    advance,
    rehearse,
    forecast,
    shortForecast,
    progress: advances.progress,
    stop: advances.stop,
    catchUp,
    freeze,
    resume,
    /** Called when the clock of an account was set, because its alarm may be wrong now. */
    onMoved: (listener: (accountId: number) => void) => void listeners.push(listener),
  };
}

const since = (before: Tally, after: Tally): Tally => ({
  delivered: after.delivered - before.delivered,
  failed: after.failed - before.failed,
  givenUp: after.givenUp - before.givenUp,
});

const tooMuchToForesee = (steps: number) =>
  new Refusal('unprocessable', `More than ${steps} things fall due by then. Choose an earlier date.`);
