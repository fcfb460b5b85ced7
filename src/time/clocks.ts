import { INSTANT_FORM, parseInstant } from '../domain/calendar.ts';
import { CannotStart } from '../domain/cannot-start.ts';
import type { Clock } from '../domain/merchant.ts';
import type { RealTime } from './real.ts';

/** Where account clocks are kept. */
interface Shelf {
  clock(accountId: number): Clock;
  setClock(accountId: number, clock: Clock): unknown;
}

/** How a clock is asked for, in ISO 8601 instants; one that runs at real time when nothing is. */
export type ClockChoice = { readonly frozenAt: string } | { readonly runningFrom: string } | undefined;

/**
 * The clock of a new workspace, to be asked for whenever one begins: one that runs from an instant runs from there then.
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
  /** Where clocks stand while what fell due is being done, so that every timestamp shows its own instant. */
  const standing = new Map<number, number>();

  const read = (clock: Clock) => (clock.mode === 'frozen' ? clock.at : real.now() + clock.offsetMs);

  return {
    read,
    get: (accountId: number) => shelf.clock(accountId),
    now: (accountId: number) => standing.get(accountId) ?? read(shelf.clock(accountId)),
    /** A clock that runs on from `at`. */
    runningFrom: (at: number): Clock => ({ mode: 'running', offsetMs: at - real.now() }),
    set: (accountId: number, clock: Clock) => shelf.setClock(accountId, clock),
    /**
     * Stands at `at` until `release`. The shelf follows only forwards: after a crash no clock reads earlier than what
     * was done under it, and a running one that was catching up has lost no time.
     */
    standAt(accountId: number, at: number) {
      standing.set(accountId, at);
      const clock = shelf.clock(accountId);
      if (read(clock) >= at) return;
      const { mode } = clock;
      shelf.setClock(accountId, mode === 'frozen' ? { mode, at } : { mode, offsetMs: at - real.now() });
    },
    /** A running clock reads what it read `ms` of real time ago. */
    holdBack(accountId: number, ms: number) {
      const clock = shelf.clock(accountId);
      if (clock.mode === 'running') shelf.setClock(accountId, { mode: 'running', offsetMs: clock.offsetMs - ms });
    },
    release: (accountId: number) => standing.delete(accountId),
  };
}
