import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 100;

/** Repeats `look` until it finds something; null after `timeoutMs` of real time. */
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

/** Calls `tell` every second with the seconds elapsed, until the returned function is called. */
export function everySecond(tell: (seconds: number) => void): () => void {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    tell(seconds);
  }, 1000);
  timer.unref();
  return () => clearInterval(timer);
}
