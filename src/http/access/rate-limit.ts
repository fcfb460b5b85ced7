/** The decision of a limiter about one request. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the next request is allowed; 0 when this one is. */
  readonly retryAfterSeconds: number;
  readonly resetsAt: number;
}

interface Window {
  start: number;
  count: number;
}

const WINDOW_MS = 60_000;
/** How many windows are kept before the stale ones are removed. */
const SWEEP_AT = 10_000;

/** Counts requests per caller in fixed windows of one minute of real time (decisions §2). A limit of 0 is off. */
export function createRateLimiter(limit: number, now: () => number) {
  const windows = new Map<string, Window>();

  function windowOf(caller: string, at = now()): Window {
    let window = windows.get(caller);
    // The clock of the machine can be set back.
    if (!window || at < window.start || at >= window.start + WINDOW_MS) {
      if (windows.size >= SWEEP_AT) sweep(at);
      window = { start: at, count: 0 };
      windows.set(caller, window);
    }
    return window;
  }

  function sweep(at: number) {
    for (const [caller, window] of windows) if (at >= window.start + WINDOW_MS) windows.delete(caller);
  }

  return {
    /** Reads the state without counting, because a refused request does not count. Null when the limit is off. */
    look(caller: string): Allowance | null {
      if (limit === 0) return null;
      const at = now();
      const { start, count } = windowOf(caller, at);
      const resetsAt = start + WINDOW_MS;
      const retryAfterSeconds = count < limit ? 0 : Math.ceil((resetsAt - at) / 1000);
      return { limit, remaining: Math.max(0, limit - count - 1), retryAfterSeconds, resetsAt };
    },
    count(caller: string) {
      if (limit !== 0) windowOf(caller).count += 1;
    },
  };
}
