import type { Clock } from '../domain/merchant.ts';
import type { RealTime } from './real.ts';

/** Where account clocks are kept. */
interface Shelf {
  clock(accountId: number): Clock;
  setClock(accountId: number, clock: Clock): unknown;
}

export type Clocks = ReturnType<typeof createClocks>;

/** The accounts' clocks. */
export function createClocks(real: RealTime, shelf: Shelf) {
  const read = (clock: Clock) => (clock.mode === 'frozen' ? clock.at : real.now() + clock.offsetMs);

  return {
    read,
    get: (accountId: number) => shelf.clock(accountId),
    now: (accountId: number) => read(shelf.clock(accountId)),
    /** A clock that runs on from `at`. */
    runningFrom: (at: number): Clock => ({ mode: 'running', offsetMs: at - real.now() }),
    set: (accountId: number, clock: Clock) => shelf.setClock(accountId, clock),
    /** Moves the clock to `at`; a running one runs on from there. */
    standAt(accountId: number, at: number) {
      const { mode } = shelf.clock(accountId);
      shelf.setClock(accountId, mode === 'frozen' ? { mode, at } : { mode, offsetMs: at - real.now() });
    },
  };
}
