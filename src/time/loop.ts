import { formatInstant, type Instant } from '../domain/calendar.ts';
import type { EventType } from '../domain/event.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Happening } from '../engine/due.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Clocks } from './clocks.ts';
import { type RealTime, yieldToEventLoop } from './real.ts';
import { TIME_SLICE_MS } from './time-slices.ts';

/** What the loop works with. */
interface LoopRooms {
  readonly clocks: Clocks;
  readonly time: Pick<RealTime, 'now'>;
  readonly outbox: Pick<Outbox, 'next' | 'run'>;
}

/** Options of the loop. */
interface LoopOptions {
  /** Waits for the due deliveries. */
  readonly drain?: (() => Promise<void>) | null;
  readonly note?: (type: EventType) => void;
  readonly cancelled?: AbortSignal;
}

/** How many events an advance lists. The event list has the rest. */
export const LISTED_MAX = 1000;

/**
 * Returns the loop: take the next due thing, set the clock, perform it, send what must be sent at that instant, repeat.
 * Without `drain`, deliveries do not count as due.
 */
export function createLoop({ clocks, time, outbox }: LoopRooms, stepsMax: number) {
  async function goTo(
    accountId: number,
    target: Instant,
    { drain = null, note, cancelled }: LoopOptions = {},
  ): Promise<{ readonly happened: readonly Happening[]; readonly count: number }> {
    const happened: Happening[] = [];
    let count = 0;
    let sliceStart = time.now();
    const isLong = () => time.now() - sliceStart >= TIME_SLICE_MS;
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
        await yieldToEventLoop();
        sliceStart = time.now();
      }
    }
  }

  /** Whether something is due already, which a running clock did not come to yet. */
  function isBehind(accountId: number): boolean {
    const next = outbox.next(accountId, { withDeliveries: false });
    return next !== null && next.at <= clocks.now(accountId);
  }

  return goTo;
}

export const cancelledAt = (at: Instant, { reason }: AbortSignal) =>
  new Refusal(
    'conflict',
    `The advance stopped at ${formatInstant(at)}: ${reason} cancelled it. Advance again if you still need to.`,
  );

/** A full disk undoes only the last transaction of an advance. */
export const fullAt = (at: Instant, error: unknown) =>
  error instanceof Refusal && error.is('disk_full') ? new Refusal('disk_full', formatInstant(at)) : error;

const tooMuch = (at: Instant, steps: number) =>
  new Refusal(
    'unprocessable',
    `The advance stopped at ${formatInstant(at)} after ${steps} scheduled steps. Advance again to go on.`,
  );
