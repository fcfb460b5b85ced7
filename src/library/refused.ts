import type { RefusalBody } from './wire.ts';

/** A refusal by the service: the status, and the body as parsed JSON or, if it is not JSON, as text (§7). */
export class LayawayError extends Error {
  override readonly name = 'LayawayError';
  readonly status: number;
  readonly body: RefusalBody | string | null;

  constructor(status: number, body: unknown) {
    const { message } = (body ?? {}) as { message?: unknown };
    super(typeof message === 'string' ? message : `The service returned ${status}.`);
    this.status = status;
    this.body = body as RefusalBody | string | null;
  }
}
