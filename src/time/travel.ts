import {
  ADVANCE_YEARS_MAX,
  addDuration,
  type Duration,
  formatDate,
  formatInstant,
  type Instant,
  LATEST,
} from '../domain/calendar.ts';
import type { Condition } from '../domain/condition.ts';
import type { EventType } from '../domain/event.ts';
import type { Account } from '../domain/merchant.ts';
import { invalid, Refusal } from '../domain/refusal.ts';
import type { Happening } from '../engine/due.ts';
import type { Engine } from '../engine/engine.ts';
import type { Foresight } from '../engine/forecast.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Tally } from '../engine/webhook.ts';
import type { Courier } from '../webhook/courier.ts';
import type { Clocks } from './clocks.ts';
import { breathe, type RealTime } from './real.ts';
import type { Turns } from './turns.ts';

/** What the loop works with, joined by `simulator.ts`. */
export interface TravelRooms {
  readonly clocks: Clocks;
  readonly time: Pick<RealTime, 'now'>;
  readonly turns: Turns;
  readonly accounts: { isThere(account: Account): boolean };
  readonly engine: Pick<Engine, 'foresee' | 'reach' | 'holds'>;
  readonly outbox: Pick<Outbox, 'next' | 'nextNoticed' | 'run' | 'tally'>;
  readonly courier: Pick<Courier, 'drain'>;
}

/** The destination: exactly one of the four (interface §3). */
export type Destination =
  | { readonly by: Duration }
  | { readonly to: Instant }
  | { readonly next: true }
  | { readonly until: Condition };

export interface Journey {
  readonly now: Instant;
  readonly happened: readonly Happening[];
  readonly count: number;
  readonly byType: Counts;
  /** The outcomes of the webhook attempts; null if the advance did not wait for them. */
  readonly webhooks: Tally | null;
}

/** The progress of an advance. */
export interface Progress extends Pick<Journey, 'now' | 'count' | 'byType'> {
  readonly isRehearsal: boolean;
  readonly from: Instant;
  readonly to: Instant;
}

/** The number of events of each type. */
type Counts = ReadonlyMap<EventType, number>;

/** An advance under way. */
interface Passage {
  readonly isRehearsal: boolean;
  readonly from: Instant;
  readonly to: Instant;
  readonly stopper: AbortController;
  readonly byType: Map<EventType, number>;
  readonly ended: Promise<unknown>;
}

/** Options of the loop. */
interface LoopOptions {
  /** Waits for the due deliveries. */
  readonly drain?: (() => Promise<void>) | null;
  readonly note?: (type: EventType) => void;
  readonly cancelled?: AbortSignal;
}

/** How many events an advance lists. The event list has the rest. */
const LISTED_MAX = 1000;
/** Only failed payments lead there. */
const UNPAID: ReadonlySet<string> = new Set(['due', 'past_due', 'delinquent', 'defaulted']);
const STEPS_MAX = 1_000_000;
/** How long the loop works before other requests get a turn. */
const STRETCH_MS = 5;

export type Travel = ReturnType<typeof createTravel>;

/** Moves accounts through time. No other code does. */
export function createTravel(
  { clocks, time, turns, accounts, engine, outbox, courier }: TravelRooms,
  stepsMax = STEPS_MAX,
) {
  const listeners: ((accountId: number) => void)[] = [];
  /** By account. */
  const passages = new Map<number, Passage>();

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
      const to = targetOf(account, destination, from);
      const before = outbox.tally(account.id);
      return stoppable(account.id, { isRehearsal: false, from, to }, cancelled, async (signal, note) => {
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
    });
  }

  /** Runs `work` so that its progress can be read and it can be stopped. `work` notes the events that it makes. */
  function stoppable<R>(
    accountId: number,
    way: Pick<Passage, 'isRehearsal' | 'from' | 'to'>,
    cancelled: AbortSignal,
    work: (cancelled: AbortSignal, note: (type: EventType) => void) => Promise<R>,
  ): Promise<R & Pick<Journey, 'byType'>> {
    const stopper = new AbortController();
    const byType = new Map<EventType, number>();
    const note = (type: EventType) => void byType.set(type, (byType.get(type) ?? 0) + 1);
    const underWay = work(AbortSignal.any([cancelled, stopper.signal]), note);
    const ended = underWay.catch(() => undefined).then(() => void passages.delete(accountId));
    passages.set(accountId, { ...way, stopper, byType, ended });
    return underWay.then((result) => ({ ...result, byType }));
  }

  /** The progress of the advance under way; null if there is none. */
  function progress({ id }: Account): Progress | null {
    const passage = passages.get(id);
    return passage ? progressOf(id, passage) : null;
  }

  function progressOf(accountId: number, { isRehearsal, from, to, byType }: Passage): Progress {
    const count = [...byType.values()].reduce((sum, n) => sum + n, 0);
    return { isRehearsal, from, to, now: clocks.now(accountId), count, byType };
  }

  /** Stops the advance under way. Resolves with its progress once it has stopped; with null if there is none. */
  async function stop(account: Account): Promise<Progress | null> {
    const { id } = account;
    const passage = passages.get(id);
    if (!passage) return null;
    passage.stopper.abort('a request to stop');
    await passage.ended;
    return accounts.isThere(account) ? progressOf(id, passage) : null;
  }

  /** Forecasts the same journey, as if every delivery succeeded. */
  function rehearse(account: Account, destination: Destination): Promise<Journey> {
    return inTurn(account, (cancelled) => {
      const from = clocks.now(account.id);
      const to = targetOf(account, destination, from);
      return stoppable(account.id, { isRehearsal: true, from, to }, cancelled, async (signal, note) => {
        const bounds = { until: to, limit: LISTED_MAX, maxSteps: stepsMax, counting: true, note };
        const { happened, count } = whole(await inStretches(engine.foresee(account, bounds), signal));
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
  function glance(account: Account, maxSteps: number) {
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
    turns.take(account.id, () => (accounts.isThere(account) ? doWhatFellDue(account.id) : null));

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
    return turns.take(account.id, (cancelled) => {
      if (!accounts.isThere(account)) throw new Refusal('unauthenticated');
      return work(cancelled);
    });
  }

  /** Returns the instant of the destination. */
  async function doWhatFellDue(accountId: number): Promise<Instant> {
    const now = clocks.now(accountId);
    try {
      await goTo(accountId, now);
      return now;
    } finally {
      clocks.release(accountId);
    }
  }

  /**
   * The loop: take the next due thing, set the clock, perform it, send what must be sent at that instant, repeat.
   * Without `drain`, deliveries do not count as due.
   */
  async function goTo(
    accountId: number,
    target: Instant,
    { drain = null, note, cancelled }: LoopOptions = {},
  ): Promise<Pick<Journey, 'happened' | 'count'>> {
    const happened: Happening[] = [];
    let count = 0;
    let stretch = time.now();
    const isLong = () => time.now() - stretch >= STRETCH_MS;
    const withDeliveries = drain !== null;
    if (drain && !isBehind(accountId)) {
      // A running clock would pass what then falls due at an earlier instant.
      clocks.standAt(accountId, clocks.now(accountId));
      await drain();
    }
    for (let steps = 0; ; ) {
      const thing = outbox.next(accountId, { withDeliveries });
      if (!thing || thing.at > target) return { happened, count };
      if (cancelled?.aborted) throw cancelledAt(clocks.now(accountId), cancelled);
      if (steps >= stepsMax) throw tooMuch(clocks.now(accountId), steps);
      const listedMax = LISTED_MAX - happened.length;
      const done = outbox.run(accountId, thing, { until: target, stepsMax: stepsMax - steps, listedMax, isLong });
      steps += done.steps;
      count += done.types.length;
      for (const type of done.types) note?.(type);
      happened.push(...done.happened);
      if (drain) await drain();
      if (isLong()) {
        await breathe();
        stretch = time.now();
      }
    }
  }

  /** Whether something is due already, which a running clock did not come to yet. */
  function isBehind(accountId: number): boolean {
    const next = outbox.next(accountId, { withDeliveries: false });
    return next !== null && next.at <= clocks.now(accountId);
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

  function targetOf(account: Account, destination: Destination, now: Instant): Instant {
    if ('to' in destination) return refuseTarget('to', destination.to, now);
    if ('by' in destination) return refuseTarget('by', addDuration(now, destination.by), now);
    if ('next' in destination)
      return refuseTarget('next', Math.max(now, outbox.nextNoticed(account.id)?.at ?? now), now);
    if (engine.holds(account, destination.until, now)) return now;
    const reachedAt = engine.reach(account, destination.until, furthest(now));
    if (reachedAt === null) {
      const payments = UNPAID.has(destination.until.status)
        ? ' Payments succeed unless `outcomes` makes them fail.'
        : '';
      throw invalid(
        'until',
        `The until condition is never reached if nobody acts.${payments} The forecast lists what will happen.`,
      );
    }
    return Math.max(now, reachedAt);
  }

  /** Forecasts until the list is full. */
  const look = (account: Account, until: Instant, maxSteps: number, limit = LISTED_MAX) =>
    inStretches(engine.foresee(account, { until, limit, maxSteps, counting: false }));

  /** @throws Refusal `unprocessable` when the forecast did not reach its end */
  function whole(foresight: Foresight): Foresight {
    if (foresight.ended === 'bounded') throw tooMuchToForesee(stepsMax);
    return foresight;
  }

  /** Runs `work` step by step and lets other requests run after each stretch. */
  async function inStretches<R>(work: Generator<void, R>, cancelled?: AbortSignal): Promise<R> {
    try {
      for (let stretch = time.now(); ; ) {
        const { done, value } = work.next();
        if (done) return value;
        if (time.now() - stretch >= STRETCH_MS) {
          await breathe();
          if (cancelled?.aborted) throw cancelledLook(cancelled);
          stretch = time.now();
        }
      }
    } finally {
      work.return(undefined as R);
    }
  }

  return {
    advance,
    rehearse,
    forecast,
    glance,
    progress,
    stop,
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

const furthest = (now: Instant) => Math.min(addDuration(now, { months: ADVANCE_YEARS_MAX * 12, ms: 0 }), LATEST);

function refuseTarget(field: string, target: Instant, now: Instant): Instant {
  if (target < now) {
    throw invalid(field, `The ${field} field must not lie before the account's clock, ${formatInstant(now)}.`);
  }
  if (!(target <= furthest(now))) {
    throw invalid(
      field,
      `The ${field} field must not lie more than ${ADVANCE_YEARS_MAX} years ahead, nor after ${formatDate(LATEST)}.`,
    );
  }
  return target;
}

const cancelledAt = (at: Instant, { reason }: AbortSignal) =>
  new Refusal(
    'conflict',
    `The advance stopped at ${formatInstant(at)}: ${reason} cancelled it. Advance again if you still need to.`,
  );

const cancelledLook = ({ reason }: AbortSignal) =>
  new Refusal('conflict', `The dry run was cancelled by ${reason}. Run it again if you still need it.`);

const tooMuch = (at: Instant, steps: number) =>
  new Refusal(
    'unprocessable',
    `The advance stopped at ${formatInstant(at)} after ${steps} scheduled steps. Advance again to go on.`,
  );

const tooMuchToForesee = (steps: number) =>
  new Refusal('unprocessable', `More than ${steps} things fall due by then. Choose an earlier date.`);
