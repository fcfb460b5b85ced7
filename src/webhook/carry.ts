import { SERVER_DEFAULTS } from '../domain/assumptions.ts';
import { SECOND } from '../domain/calendar.ts';
import type { AttemptOutcome, Delivery, Endpoint, Letter } from '../domain/webhook.ts';
import type { Deliver } from './deliver.ts';

/** Brings a letter to a receiver; null when it could not be attempted, and the delivery stays owed. */
export type Carry = (delivery: Delivery, endpoint: Endpoint | null, letter: Letter) => Promise<AttemptOutcome | null>;

/** The processes that forward for endpoints with the transport `listener`. */
interface Listeners {
  forward(endpointId: number, delivery: Delivery, letter: Letter): Promise<AttemptOutcome | null>;
}

/** How long a receiver may take to answer (decisions §6). */
const TIMEOUT_MS = SERVER_DEFAULTS.webhook_timeout_seconds * SECOND;

/** Every attempt passes here: the server posts it itself, or a listening process does. */
export const createCarry =
  ({ deliver }: Deliver, listeners: Listeners): Carry =>
  (delivery, endpoint, letter) =>
    endpoint?.transport === 'listener'
      ? listeners.forward(endpoint.id, delivery, letter)
      : deliver({ url: delivery.url, ...letter, timeoutMs: TIMEOUT_MS });
