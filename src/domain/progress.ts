import type { Instant } from './calendar.ts';

/** Asserts that a loop makes progress: the result is called before each step, and throws after `stepsMax` of them. */
export function createProgress(what: string, stepsMax: number) {
  let steps = 0;
  return (at: Instant) => {
    if (steps === stepsMax) throw new Error(`${what} makes no progress at ${at}.`);
    steps += 1;
  };
}
