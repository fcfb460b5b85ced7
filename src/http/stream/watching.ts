import type { Carried, Delivery } from '../../domain/webhook.ts';
import type { Store } from '../../store/store.ts';
import type { Clocks } from '../../time/clocks.ts';
import type { ClockLine, DeliveryLine } from './watch-lines.ts';

/** Reports each delivery attempt, unless a reset or restore gave its row to another delivery. */
export const watchDeliveries =
  ({ deliveries, events }: Pick<Store, 'deliveries' | 'events'>, tell?: (line: DeliveryLine) => void) =>
  ({ id, token, eventId, url, attempts }: Delivery, outcome: Carried) => {
    if (!tell || deliveries.get(id)?.token !== token) return;
    const event = events.get(eventId);
    const { sentAt: at, statusCode, durationMs, error, struck } = outcome;
    const what = { eventId: event.token, type: event.type, subject: event.subject, url, attempt: attempts + 1 };
    tell({ at, id: token, ...what, statusCode, durationMs, error, fault: struck?.fault ?? null });
  };

/** Reports each account clock that was moved, at the real time `realNow`. */
export const watchClocks =
  (
    { accounts }: Pick<Store, 'accounts'>,
    clocks: Pick<Clocks, 'get' | 'now'>,
    realNow: () => number,
    tell?: (line: ClockLine) => void,
  ) =>
  (accountId: number) => {
    if (!tell) return;
    const { clientId } = accounts.get(accountId);
    tell({ at: realNow(), clientId, mode: clocks.get(accountId).mode, now: clocks.now(accountId) });
  };
