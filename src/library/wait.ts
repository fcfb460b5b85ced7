/** Real time, which is passed in because only `time/` reads it. */
export interface Waiting {
  now(): number;
  pause(ms: number): Promise<void>;
}

export const PAUSE_MS = 20;

/** Repeats `look` until it finds something; undefined after `timeoutMs`. */
export async function untilFound<T>(
  waiting: Waiting,
  look: () => Promise<T | undefined>,
  timeoutMs: number,
): Promise<T | undefined> {
  const deadline = waiting.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const leftMs = deadline - waiting.now();
    if (leftMs <= 0) return undefined;
    await waiting.pause(Math.min(PAUSE_MS, leftMs));
  }
}
