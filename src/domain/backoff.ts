import { DAY, type Instant, SECOND } from './calendar.ts';

/** The parts of an attempt's outcome that decide when the next attempt is made. */
export interface AttemptResult {
  readonly statusCode: number | null;
  readonly retryAfterSeconds: number | null;
}

/**
 * The instant of attempt `number + 1`, counted from that of the previous one; null after the last step of the ladder.
 * After 429 or 503, the receiver's Retry-After counts, up to one day (@assumed decisions §6).
 */
export function nextAttemptAt(ladderSeconds: readonly number[], number: number, at: Instant, result: AttemptResult) {
  const step = ladderSeconds[number];
  if (step === undefined) return null;
  const asked = result.statusCode === 429 || result.statusCode === 503 ? (result.retryAfterSeconds ?? 0) : 0;
  return at + Math.max(step * SECOND, Math.min(asked * SECOND, DAY));
}
