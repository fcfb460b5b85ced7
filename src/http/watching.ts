import type { AttemptOutcome, Delivery } from '../domain/webhook.ts';
import type { Store } from '../store/store.ts';
import type { Clocks } from '../time/clocks.ts';

/** One answered request, for whoever watches the server. */
export interface RequestLine {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

/** One attempt to deliver, for whoever watches the server. */
export interface DeliveryLine {
  /** Real time of sending. */
  readonly at: number;
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly url: string;
  readonly attempt: number;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** An account clock that was moved, for whoever watches the server. */
export interface ClockLine {
  /** Real time. */
  readonly at: number;
  readonly clientId: string;
  readonly mode: 'running' | 'frozen';
  /** Where it stands now. */
  readonly now: number;
}

/** Tells of each delivery attempt. A reset or a restore can give its row to another delivery: then nothing is told. */
export const watchDeliveries =
  ({ deliveries, events }: Pick<Store, 'deliveries' | 'events'>, tell?: (line: DeliveryLine) => void) =>
  ({ id, token, eventId, url, attempts }: Delivery, outcome: AttemptOutcome) => {
    if (!tell || deliveries.get(id)?.token !== token) return;
    const event = events.get(eventId);
    const { sentAt: at, statusCode, durationMs, error } = outcome;
    const what = { eventId: event.token, type: event.type, subject: event.subject, url, attempt: attempts + 1 };
    tell({ at, id: token, ...what, statusCode, durationMs, error });
  };

/** Tells of each account clock that was moved; `realNow` is when. */
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
