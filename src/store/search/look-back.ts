import type { Statement } from 'better-sqlite3';
import type { EventType } from '../../domain/event.ts';
import type { DeliveryStatus } from '../../domain/webhook.ts';
import type { StoredEvent } from '../events.ts';
import type { Database } from '../file/database.ts';

/** How many rows one call reads, so that a search among a million rows does not block other requests. */
export const LOOK_MAX = 20_000;

/** One page of results, newest first. */
export interface Found<Row> {
  readonly rows: readonly Row[];
  /** The token before which the next page begins; null when there is nothing older. */
  readonly older: string | null;
}

/** Where a page begins (null: at the newest row) and how much it holds. */
export interface Look {
  readonly before: number | null;
  readonly limit: number;
}

/** Filters of deliveries; null matches everything. */
export interface WantedDeliveries {
  readonly status: DeliveryStatus | null;
  readonly endpointId: number | null;
  readonly type: EventType | null;
}

export type EventRow = Pick<StoredEvent, 'id' | 'token' | 'type' | 'subject' | 'createdAt'>;

export interface Token {
  readonly id: number;
  readonly token: string;
}

const OLDER = 'id < @before ORDER BY id DESC';
const EVENT = 'id, token, type, subject, created_at AS createdAt';
const EVENTS_OF_ACCOUNT = `SELECT ${EVENT} FROM events WHERE account_id = @accountId AND ${OLDER}`;
const EVENTS_OF_CHECKOUT = `SELECT ${EVENT} FROM events WHERE session_id = @sessionId AND ${OLDER}`;
const DELIVERIES = `SELECT id, token, endpoint_id, event_id FROM deliveries WHERE account_id = @accountId AND ${OLDER}`;
const DELIVERIES_OF_STATUS = `SELECT id, token, endpoint_id, event_id FROM deliveries
  WHERE account_id = @accountId AND status = @status AND ${OLDER}`;
const EMAILS = `SELECT id, token, recipient, reference, template FROM emails WHERE account_id = @accountId AND ${OLDER}`;

const EVENT_MATCHES = `@like IS NULL OR type LIKE @like ESCAPE '\\' OR subject LIKE @like ESCAPE '\\'
  OR token LIKE @like ESCAPE '\\'`;
const EMAIL_MATCHES = `@like IS NULL OR recipient LIKE @like ESCAPE '\\' OR reference LIKE @like ESCAPE '\\'
  OR template LIKE @like ESCAPE '\\'`;
const DELIVERY_MATCHES = `(@endpointId IS NULL OR endpoint_id = @endpointId)
  AND (@type IS NULL OR (SELECT type FROM events WHERE events.id = event_id) = @type)`;

/**
 * Pages backwards through rows that only accumulate. A page begins at a row, so new rows do not shift it. `found` tests
 * the first `@most` rows that an index gives; `last` is the last of them.
 */
function looker<Row extends Token, Wanted extends object>(
  found: Statement<object, Row>,
  last: Statement<object, Token>,
) {
  return (wanted: Wanted, { before, limit }: Look): Found<Row> => {
    const bound = { ...wanted, before: before ?? Number.MAX_SAFE_INTEGER, most: LOOK_MAX };
    const rows = found.all({ ...bound, limit });
    if (rows.length > limit) return { rows: rows.slice(0, limit), older: (rows[limit - 1] as Row).token };
    return { rows, older: last.get(bound)?.token ?? null };
  };
}

export function lookBack(db: Database) {
  type InAccount<More> = { readonly accountId: number } & More;
  type Text = { readonly like: string | null };
  type To = Omit<WantedDeliveries, 'status'>;

  const eventsOfAccount = looker<EventRow, InAccount<Text>>(
    db.prepare(
      `SELECT * FROM (${EVENTS_OF_ACCOUNT} LIMIT @most) WHERE ${EVENT_MATCHES} ORDER BY id DESC LIMIT @limit + 1`,
    ),
    db.prepare(`${EVENTS_OF_ACCOUNT} LIMIT 1 OFFSET @most - 1`),
  );
  const eventsOfCheckout = looker<EventRow, { sessionId: number } & Text>(
    db.prepare(
      `SELECT * FROM (${EVENTS_OF_CHECKOUT} LIMIT @most) WHERE ${EVENT_MATCHES} ORDER BY id DESC LIMIT @limit + 1`,
    ),
    db.prepare(`${EVENTS_OF_CHECKOUT} LIMIT 1 OFFSET @most - 1`),
  );
  const everyDelivery = looker<Token, InAccount<To>>(
    db.prepare(`SELECT * FROM (${DELIVERIES} LIMIT @most) WHERE ${DELIVERY_MATCHES} ORDER BY id DESC LIMIT @limit + 1`),
    db.prepare(`${DELIVERIES} LIMIT 1 OFFSET @most - 1`),
  );
  const deliveriesOf = looker<Token, InAccount<To & { status: DeliveryStatus }>>(
    db.prepare(
      `SELECT * FROM (${DELIVERIES_OF_STATUS} LIMIT @most) WHERE ${DELIVERY_MATCHES} ORDER BY id DESC LIMIT @limit + 1`,
    ),
    db.prepare(`${DELIVERIES_OF_STATUS} LIMIT 1 OFFSET @most - 1`),
  );
  const emails = looker<Token, InAccount<Text>>(
    db.prepare(`SELECT * FROM (${EMAILS} LIMIT @most) WHERE ${EMAIL_MATCHES} ORDER BY id DESC LIMIT @limit + 1`),
    db.prepare(`${EMAILS} LIMIT 1 OFFSET @most - 1`),
  );

  return {
    /** Events by any part of type, subject or id; only those of one checkout if its session is given. */
    events: (accountId: number, sessionId: number | null, text: string | null, look: Look) =>
      sessionId === null
        ? eventsOfAccount({ accountId, like: pattern(text) }, look)
        : eventsOfCheckout({ sessionId, like: pattern(text) }, look),
    deliveries: (accountId: number, { status, ...to }: WantedDeliveries, look: Look) =>
      status === null ? everyDelivery({ accountId, ...to }, look) : deliveriesOf({ accountId, status, ...to }, look),
    /** Emails by any part of recipient, contract or template. */
    emails: (accountId: number, text: string | null, look: Look) => emails({ accountId, like: pattern(text) }, look),
  };
}

/** A pattern for `LIKE … ESCAPE '\\'` that matches the text anywhere. */
export const pattern = (text: string | null) => (text === null ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`);
