import { INSTANT_FORM, parseInstant } from '../domain/calendar.ts';
import { CannotStart } from '../domain/cannot-start.ts';
import type { Clock } from '../domain/merchant.ts';
import type { RealTime } from './real.ts';

/** Where account clocks are stored. */
interface Shelf {
  clock(accountId: number): Clock;
  setClock(accountId: number, clock: Clock): unknown;
  /** The instant of what was recorded last; 0 if nothing was. */
  recordedUntil(accountId: number): number;
}

/** The options of a clock, with ISO 8601 instants. By default it runs at real time. */
export type ClockChoice = { readonly frozenAt: string } | { readonly runningFrom: string } | undefined;

/**
 * Makes the clock of a new workspace. Call the result whenever one begins: a clock that runs from an instant starts
 * there.
 * @throws CannotStart when the text is not an instant
 */
export function startingClock(choice: ClockChoice, real: Pick<RealTime, 'now'>): () => Clock {
  if (!choice) return () => ({ mode: 'running', offsetMs: 0 });
  const text = 'frozenAt' in choice ? choice.frozenAt : choice.runningFrom;
  const at = parseInstant(text);
  if (at === null) throw new CannotStart(`${text} is not ${INSTANT_FORM}.`);
  return 'frozenAt' in choice ? () => ({ mode: 'frozen', at }) : () => ({ mode: 'running', offsetMs: at - real.now() });
}

export type Clocks = ReturnType<typeof createClocks>;

/** The accounts' clocks. */
export function createClocks(real: RealTime, shelf: Shelf) {
  /** Holds clocks at an instant while due things are done, so that every timestamp shows its own instant. */
  const standing = new Map<number, number>();

  /** What each running clock showed last, with the offset that it had. */
  const shown = new Map<number, { readonly offsetMs: number; readonly at: number }>();

  const read = (clock: Clock) => (clock.mode === 'frozen' ? clock.at : real.now() + clock.offsetMs);

  /**
   * If the clock of the machine is set back, a running clock goes on from what it showed last; if that happened while no
   * server ran, from what was recorded last. With another offset than before, it was set itself: a restore sets it back.
   */
  function show(accountId: number, clock: Clock): number {
    const at = read(clock);
    if (clock.mode === 'frozen') return at;
    const { offsetMs } = clock;
    const before = shown.get(accountId) ?? { offsetMs, at: shelf.recordedUntil(accountId) };
    if (before.offsetMs === offsetMs && at < before.at) {
      // What was shown stays as it is: the write can be undone with the work that it belongs to.
      shelf.setClock(accountId, { ...clock, offsetMs: offsetMs + before.at - at });
      return before.at;
    }
    shown.set(accountId, { offsetMs, at });
    return at;
  }

  return {
    read,
    get: (accountId: number) => shelf.clock(accountId),
    now: (accountId: number) => standing.get(accountId) ?? show(accountId, shelf.clock(accountId)),
    /** A running clock that shows `at` now. */
    runningFrom: (at: number): Clock => ({ mode: 'running', offsetMs: at - real.now() }),
    set: (accountId: number, clock: Clock) => shelf.setClock(accountId, clock),
    /**
     * Holds the clock at `at` until `release`. The stored clock only moves forward: after a crash, no clock shows an
     * instant before what was done, and a running clock that was catching up loses no time.
     */
    standAt(accountId: number, at: number) {
      standing.set(accountId, at);
      const clock = shelf.clock(accountId);
      if (read(clock) >= at) return;
      const { mode } = clock;
      shelf.setClock(accountId, mode === 'frozen' ? { mode, at } : { mode, offsetMs: at - real.now() });
    },
    /** A running clock keeps the real time that passed meanwhile. */
    movedOn(start: Clock, from: number, target: number): Clock {
      if (start.mode === 'frozen') return { mode: 'frozen', at: target };
      const passedOn = start.offsetMs + target - from;
      // The clock of the machine may have been set back meanwhile.
      return { mode: 'running', offsetMs: Math.max(passedOn, target - real.now()) };
    },
    release: (accountId: number) => standing.delete(accountId),
  };
}
