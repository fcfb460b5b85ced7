import type { Form } from '../options.ts';

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

/** How long a wait may take in real time. @default 30000 */
export interface Patience {
  readonly timeoutMs?: number;
}

export const PATIENCE: Readonly<Record<keyof Patience, Form>> = {
  timeoutMs: {
    what: 'a number of milliseconds of at least 0',
    is: (value) => typeof value === 'number' && value >= 0,
  },
};

/** Repeats `look` until it finds something; throws after `timeoutMs`, with what there is instead. */
export async function first<T>(
  waiting: Waiting,
  what: string,
  look: () => Promise<T | undefined>,
  timeoutMs = 30_000,
  instead: () => Promise<string> = async () => '',
): Promise<T> {
  const found = await untilFound(waiting, look, timeoutMs);
  if (found === undefined) throw new Error(`No ${what} within ${timeoutMs} ms.${await instead()}`);
  return found;
}
