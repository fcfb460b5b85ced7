import { INSTANT_FORM, parseInstant } from '../domain/calendar.ts';
import { CannotStart } from '../domain/cannot-start.ts';
import type { Clock } from '../domain/merchant.ts';
import type { RealTime } from './real.ts';

/** Where account clocks are stored. */
interface Shelf {
  clock(accountId: number): Clock;
  setClock(accountId: number, clock: Clock): unknown;
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

  const read = (clock: Clock) => (clock.mode === 'frozen' ? clock.at : real.now() + clock.offsetMs);

  return {
    read,
    get: (accountId: number) => shelf.clock(accountId),
    now: (accountId: number) => standing.get(accountId) ?? read(shelf.clock(accountId)),
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
    release: (accountId: number) => standing.delete(accountId),
  };
}
