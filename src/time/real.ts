import { MINUTE } from '../domain/calendar.ts';
import { elapsedMs, now } from './timers.ts';

/** Real time as one argument. It is the simulator's only source of it, and tests replace it. */
export interface RealTime {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `work` once, `ms` from now. The returned function cancels it. */
  after(ms: number, work: () => void): () => void;
}

/** Timers stop while the computer sleeps, but clocks go on. So no timer for an instant waits longer than this. */
export const LOOK_AGAIN_MS = MINUTE;

/** Lets all other pending work run. */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Resolves after the event loop has polled every connection once more. */
export async function polled(): Promise<void> {
  await yieldToEventLoop();
  await yieldToEventLoop();
}

/** Calls `work` once everything that arrived together has been handled. */
export const endOfTurn = (work: () => void) => void setImmediate(work);

/** The longest wait of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1;

export const realTime: RealTime = {
  now,
  after(ms, work) {
    const timer = setTimeout(work, Math.min(Math.max(ms, 0), LONGEST_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A pause that keeps the process alive, unlike `after`. */
export const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/**
 * Timers for waits of the caller; their `now` is not a date. On real time, they keep the process alive, so that a wait
 * also ends if the simulator was closed meanwhile, and a test that fakes the date does not stop them.
 */
export const waitingOn = (time: RealTime) =>
  time === realTime
    ? { now: elapsedMs, pause }
    : { now: time.now, pause: (ms: number) => new Promise<void>((resolve) => void time.after(ms, resolve)) };
