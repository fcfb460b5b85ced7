import { WEBHOOK_TIMEOUT_MS } from '../domain/assumptions.ts';
import { SECOND } from '../domain/calendar.ts';
import {
  type AttemptOutcome,
  type Carried,
  type Delivery,
  type Endpoint,
  errorWithoutAnswer,
  isDelivered,
  type Letter,
} from '../domain/webhook.ts';
import type { AttemptStrike } from '../engine/fault.ts';
import { type Deliver, unanswered } from './deliver.ts';

/** Sends a letter to its receiver. Null if no attempt could be made: the delivery stays pending. */
export type Carry = (delivery: Delivery, endpoint: Endpoint | null, letter: Letter) => Promise<Carried | null>;

/** What sending works with, joined by `simulator.ts`. */
export interface CarryRooms {
  readonly post: Deliver;
  /** The processes that forward for endpoints with the transport `listener`. */
  readonly listeners: {
    forward(endpointId: number, delivery: Delivery, letter: Letter): Promise<AttemptOutcome | null>;
    report(endpointId: number, deliveryToken: string, attempt: number, outcome: AttemptOutcome): unknown;
  };
  readonly faults: { strikeAttempt(delivery: Delivery): AttemptStrike | null };
  /** Real time. */
  now(): number;
}

/** How much longer a listening process may take: it gives its receiver the same time, and then reports. */
const REPORT_MS = SECOND;

/**
 * Makes every attempt, either itself or through a listening process. Faults strike deliveries only here (interface §7).
 */
export function createCarry({ post, listeners, faults, now }: CarryRooms, timeoutMs = WEBHOOK_TIMEOUT_MS): Carry {
  const send = (delivery: Delivery, endpoint: Endpoint | null, letter: Letter): Promise<AttemptOutcome | null> =>
    endpoint?.transport === 'listener'
      ? forward(delivery, endpoint, letter)
      : post.deliver({ url: delivery.url, ...letter, timeoutMs, insecure: endpoint?.insecure ?? false });

  /** A process that is stopped keeps its connection, but reports nothing. */
  function forward(delivery: Delivery, { id }: Endpoint, letter: Letter): Promise<AttemptOutcome | null> {
    const sentAt = now();
    const patience = setTimeout(() => {
      const error = `layaway listen did not report within ${(timeoutMs + REPORT_MS) / SECOND} s`;
      // How long the receiver took is not known.
      listeners.report(id, delivery.token, delivery.attempts + 1, unanswered(sentAt, 0, error, letter.headers));
    }, timeoutMs + REPORT_MS);
    return listeners.forward(id, delivery, letter).finally(() => clearTimeout(patience));
  }

  return async (delivery, endpoint, letter) => {
    const strike = faults.strikeAttempt(delivery);
    if (strike?.effect === 'hold') return null;
    if (strike?.effect === 'lose') {
      return { ...unanswered(now(), 0, 'a fault lost it on the way', letter.headers), struck: strike.struck };
    }
    const outcome = await send(delivery, endpoint, letter);
    if (outcome === null || (strike?.effect === 'copy' && !isDelivered(outcome))) {
      strike?.drop();
      return outcome && { ...outcome, struck: null };
    }
    return { ...(strike?.effect === 'ignore' ? ignored(outcome) : outcome), struck: strike?.struck ?? null };
  };
}

const ignored = (outcome: AttemptOutcome): AttemptOutcome =>
  unanswered(outcome.sentAt, outcome.durationMs, errorWithoutAnswer(outcome), outcome.requestHeaders);
