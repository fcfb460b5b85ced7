/**
 * The deliveries of one endpoint as decisions §2 and §6 tell them: written from the document alone, as plainly as can
 * be. It shares no code with `src`. Instants and spans are milliseconds.
 */

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

export interface Reply {
  readonly status: number;
  readonly retryAfterSeconds: number | null;
}

export interface ExpectedDelivery {
  readonly eventAt: number;
  status: 'pending' | 'delivered' | 'failed';
  nextAt: number | null;
  readonly attempts: { readonly at: number; readonly status: number }[];
}

export class Ladder {
  readonly deliveries: ExpectedDelivery[] = [];
  enabled = true;
  /** The first failure since the last success, the creation or the enabling. */
  #failingSince: number | null = null;

  readonly #retrySeconds: readonly number[];
  readonly #disableDays: number;
  readonly #replies: Iterator<Reply>;

  /** `replies` are what the receiver answers to each attempt, in their order. */
  constructor(retrySeconds: readonly number[], disableDays: number, replies: Iterator<Reply>) {
    this.#retrySeconds = retrySeconds;
    this.#disableDays = disableDays;
    this.#replies = replies;
  }

  /** An event happens. What falls due until then has been attempted; its first attempt may be due at once. */
  happen(at: number) {
    if (!this.enabled) return;
    const nextAt = at + (this.#retrySeconds[0] as number) * SECOND;
    this.deliveries.push({ eventAt: at, status: 'pending', nextAt, attempts: [] });
    this.advance(at);
  }

  enable() {
    this.enabled = true;
    this.#failingSince = null;
  }

  disable() {
    this.enabled = false;
    for (const delivery of this.deliveries) if (delivery.status === 'pending') end(delivery, 'failed');
  }

  /** Makes the attempts that are due, in the order of their instants, and at one instant in that of their events. */
  advance(to: number) {
    for (;;) {
      const due = this.deliveries.filter(({ nextAt }) => nextAt !== null && nextAt <= to);
      const at = Math.min(...due.map(({ nextAt }) => nextAt as number));
      const next = due.find(({ nextAt }) => nextAt === at);
      if (!next) return;
      this.#attempt(next, at);
    }
  }

  #attempt(delivery: ExpectedDelivery, at: number) {
    const { status, retryAfterSeconds } = this.#replies.next().value as Reply;
    delivery.attempts.push({ at, status });
    if (status >= 200 && status < 300) {
      this.#failingSince = null;
      return end(delivery, 'delivered');
    }
    this.#failingSince ??= at;
    if (status === 410 || at - this.#failingSince >= this.#disableDays * DAY) return this.disable();
    const step = this.#retrySeconds[delivery.attempts.length];
    if (step === undefined) return end(delivery, 'failed');
    const asked = status === 429 || status === 503 ? (retryAfterSeconds ?? 0) * SECOND : 0;
    delivery.nextAt = at + Math.max(step * SECOND, Math.min(asked, DAY));
  }
}

function end(delivery: ExpectedDelivery, status: 'delivered' | 'failed') {
  delivery.status = status;
  delivery.nextAt = null;
}
