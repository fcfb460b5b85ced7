import type { RefusalBody } from './wire.ts';

/**
 * A refusal by the service: the status, and the body as parsed JSON or, if it is not JSON, as text (§7).
 * `retryAfterSeconds` is how long the Retry-After of a 429, a 503 or another response asks to wait; null without one.
 */
export class LayawayError extends Error {
  override readonly name = 'LayawayError';
  readonly status: number;
  readonly body: RefusalBody | string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: unknown, retryAfterSeconds: number | null = null) {
    const { message } = (body ?? {}) as { message?: unknown };
    super(typeof message === 'string' ? message : `The service returned ${status}.`);
    this.status = status;
    this.body = body as RefusalBody | string | null;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
