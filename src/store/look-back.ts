import type { DeliveryStatus } from '../domain/webhook.ts';
import type { Database } from './database.ts';
import type { StoredEvent } from './events.ts';

/** Rows that one look goes through: a search among a million must not keep everybody waiting. */
export const LOOK_MAX = 20_000;

/** What one look back found, newest first. */
export interface Found<Row> {
  readonly rows: readonly Row[];
  /** The token that the next look begins before; null when there is nothing older. */
  readonly older: string | null;
}

/** Where a look begins, null being now, and how much it brings back. */
export interface Look {
  readonly before: number | null;
  readonly limit: number;
}

export type EventRow = Pick<StoredEvent, 'id' | 'token' | 'type' | 'subject' | 'createdAt'>;

interface Token {
  readonly id: number;
  readonly token: string;
}

/**
 * Backwards through what piles up in an account. A look begins at a row, so that what happens meanwhile shifts nothing.
 * `scope` is what an index answers; `matches` is tried on each row of it.
 */
function looker<Row extends Token, Wanted extends object>(
  db: Database,
  { from, columns, scope, matches }: { from: string; columns: string; scope: string; matches: string },
) {
  const inScope = `FROM ${from} WHERE ${scope} AND id < @before ORDER BY id DESC`;
  const found = db.prepare<object, Row>(
    `SELECT * FROM (SELECT ${columns} ${inScope} LIMIT ${LOOK_MAX}) WHERE ${matches} ORDER BY id DESC LIMIT @limit + 1`,
  );
  const end = db.prepare<object, string>(`SELECT token ${inScope} LIMIT 1 OFFSET ${LOOK_MAX - 1}`).pluck();

  return (wanted: Wanted, { before, limit }: Look): Found<Row> => {
    const bound = { ...wanted, before: before ?? Number.MAX_SAFE_INTEGER };
    const rows = found.all({ ...bound, limit });
    if (rows.length > limit) return { rows: rows.slice(0, limit), older: (rows[limit - 1] as Row).token };
    return { rows, older: end.get(bound) ?? null };
  };
}

export function lookBack(db: Database) {
  const like = (...columns: readonly string[]) =>
    `(@like IS NULL OR ${columns.map((column) => `${column} LIKE @like ESCAPE '\\'`).join(' OR ')})`;

  const events = {
    from: 'events',
    columns: 'id, token, type, subject, created_at AS createdAt',
    matches: like('type', 'subject', 'token'),
  };
  const deliveries = {
    from: 'deliveries',
    columns: 'id, token, endpoint_id',
    matches: '(@endpointId IS NULL OR endpoint_id = @endpointId)',
  };
  type InAccount<More> = { readonly accountId: number } & More;
  type Text = { readonly like: string | null };
  type To = { readonly endpointId: number | null };

  const ofAccount = 'account_id = @accountId';
  const eventsOfAccount = looker<EventRow, InAccount<Text>>(db, { ...events, scope: ofAccount });
  const eventsOfCheckout = looker<EventRow, { sessionId: number } & Text>(db, {
    ...events,
    scope: 'session_id = @sessionId',
  });
  const everyDelivery = looker<Token, InAccount<To>>(db, { ...deliveries, scope: ofAccount });
  const deliveriesOf = looker<Token, InAccount<To & { status: DeliveryStatus }>>(db, {
    ...deliveries,
    scope: `${ofAccount} AND status = @status`,
  });
  const emails = looker<Token, InAccount<Text>>(db, {
    from: 'emails',
    columns: 'id, token, recipient, reference, template',
    scope: ofAccount,
    matches: like('recipient', 'reference', 'template'),
  });

  return {
    /** Events by any part of type, subject or id; of one checkout when its session is named. */
    events: (accountId: number, sessionId: number | null, text: string | null, look: Look) =>
      sessionId === null
        ? eventsOfAccount({ accountId, like: pattern(text) }, look)
        : eventsOfCheckout({ sessionId, like: pattern(text) }, look),
    deliveries: (accountId: number, status: DeliveryStatus | null, endpointId: number | null, look: Look) =>
      status === null
        ? everyDelivery({ accountId, endpointId }, look)
        : deliveriesOf({ accountId, status, endpointId }, look),
    /** E-mails by any part of recipient, contract or template. */
    emails: (accountId: number, text: string | null, look: Look) => emails({ accountId, like: pattern(text) }, look),
  };
}

/** A text anywhere, for `LIKE … ESCAPE '\\'`. */
export const pattern = (text: string | null) => (text === null ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`);
