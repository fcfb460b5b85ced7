import { DAY, type Instant, SECOND } from './calendar.ts';

/** The outcome of a delivery attempt, as far as the next one depends on it. */
export interface AttemptResult {
  readonly delivered: boolean;
  readonly statusCode: number | null;
  readonly retryAfterSeconds: number | null;
}

/**
 * When attempt `number + 1` comes, counted from the previous attempt's instant; null when the ladder is at its end.
 * After 429 or 503 the receiver's Retry-After is honoured, at most a day (@assumed decisions §6).
 */
export function nextAttemptAt(ladderSeconds: readonly number[], number: number, at: Instant, result: AttemptResult) {
  const step = ladderSeconds[number];
  if (step === undefined) return null;
  const asked = result.statusCode === 429 || result.statusCode === 503 ? (result.retryAfterSeconds ?? 0) : 0;
  return at + Math.max(step * SECOND, Math.min(asked * SECOND, DAY));
}
