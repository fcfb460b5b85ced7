/** Real time for whoever waits; handed in, because it belongs to one room. */
export interface Waiting {
  now(): number;
  pause(ms: number): Promise<void>;
}

export const PAUSE_MS = 20;

/** What `look` finds, as soon as it finds something; undefined when `timeoutMs` have passed before it did. */
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
