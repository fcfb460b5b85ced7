/** Real time, as one argument: the simulator's only source of it, replaced whole in tests. */
export interface RealTime {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `work` once, `ms` from now; the returned function calls it off. */
  after(ms: number, work: () => void): () => void;
}

/** Lets everything else that waits have its turn. */
export const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Calls `work` once everything that arrived together was handled. */
export const endOfTurn = (work: () => void) => void setImmediate(work);

/** Timers of Node cannot wait longer than this. */
const LONGEST_MS = 2 ** 31 - 1;

export const realTime: RealTime = {
  now: Date.now,
  after(ms, work) {
    const timer = setTimeout(work, Math.min(Math.max(ms, 0), LONGEST_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A pause that keeps the process alive, unlike `after`. */
export const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
