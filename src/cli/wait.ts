import { setTimeout as pause } from 'node:timers/promises';

/** How long a command waits on real time; the only timers among the commands. */

const POLL_MS = 100;

/** Asks again and again until `look` finds something; null when `timeoutMs` have passed before it did. */
export async function until<T>(look: () => Promise<T | null>, timeoutMs: number): Promise<T | null> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return null;
    await pause(Math.min(POLL_MS, leftMs));
  }
}

export const rest = (ms: number) => pause(ms);

/** Calls `tell` with the seconds gone by, from the first one on, until the returned function is called. */
export function everySecond(tell: (seconds: number) => void): () => void {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    tell(seconds);
  }, 1000);
  timer.unref();
  return () => clearInterval(timer);
}
