import { SECOND } from '../domain/calendar.ts';
import { wants } from '../domain/event.ts';
import type { Delivery, Endpoint } from '../domain/webhook.ts';
import type { StoredEvent } from '../store/events.ts';
import type { StepTx } from './steps.ts';

/** Records an event's deliveries, in the transaction that recorded the event. */
export function oweToSubscribers(tx: StepTx, event: StoredEvent) {
  const [first = 0] = tx.account.settings.webhook_retry_seconds;
  const { firstAttemptAt = tx.now + first * SECOND } = tx;
  if (firstAttemptAt === null) return;
  for (const endpoint of subscribers(tx, event)) owe(tx, event, endpoint, firstAttemptAt);
}

/** Endpoints in the order of their creation. A test event is only for the endpoint that it names. */
export const subscribers = ({ store, account }: StepTx, { type, subject }: StoredEvent): Endpoint[] =>
  store.endpoints
    .list(account.id)
    .filter(
      ({ enabled, events, token }) => enabled && (type === 'webhook.test' ? token === subject : wants(events, type)),
    )
    .reverse();

/** Where a delivery is sent; `id` is null for a bare URL. */
type Receiver = Pick<Endpoint, 'url'> & { readonly id: number | null };

export function owe(
  { store, draw, account, cause }: StepTx,
  event: StoredEvent,
  { id: endpointId, url }: Receiver,
  at: number,
  isForged = false,
): Delivery {
  const id = store.deliveries.nextId();
  const delivery = {
    id,
    token: draw.id('dlv', id),
    accountId: account.id,
    eventId: event.id,
    endpointId,
    url,
    nextAttemptAt: at,
    isForged,
  };
  store.deliveries.insert(delivery, cause);
  return { ...delivery, status: 'pending', attempts: 0 };
}
