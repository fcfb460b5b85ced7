import type { Cause } from '../domain/cause.ts';
import type { EventType } from '../domain/event.ts';
import type { FaultKind } from '../domain/faults.ts';
import type { Delivery, DeliveryStatus } from '../domain/webhook.ts';
import type { Database } from './file/database.ts';
import { paged } from './paged.ts';
import { lastId, remembered } from './remembered.ts';

type Row = Omit<Delivery, 'isForged'> & { readonly isForged: 0 | 1 };

/** The public ids of a delivery, its event, why it was given up, and the fault that holds it back. */
export interface Names {
  readonly event: string;
  readonly type: EventType;
  readonly eventAt: number;
  readonly endpoint: string | null;
  readonly givenUpAt: number | null;
  readonly givenUpReason: string | null;
  readonly holder: string | null;
  readonly holderKind: FaultKind | null;
}

/** Filters of a list of deliveries; null matches everything. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus | null;
  readonly eventId: number | null;
  readonly endpointId: number | null;
}

const COLUMNS = `id, token, account_id AS accountId, event_id AS eventId, endpoint_id AS endpointId, url, status, attempts,
  next_attempt_at AS nextAttemptAt, is_forged AS isForged`;

const OF_ACCOUNT = `SELECT ${COLUMNS} FROM deliveries WHERE account_id = @accountId
  AND (@status IS NULL OR status = @status) AND (@endpointId IS NULL OR endpoint_id = @endpointId)`;
const OF_EVENT = `${OF_ACCOUNT} AND event_id = @eventId`;

const OWED_MAX = 1000;

export function deliveries(db: Database) {
  const byId = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM deliveries WHERE id = ?`);
  const byToken = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM deliveries WHERE token = ?`);
  const last = lastId(db.prepare<[], number | null>('SELECT max(id) FROM deliveries').pluck());
  const insert = db.prepare(
    `INSERT INTO deliveries (id, token, account_id, event_id, endpoint_id, url, status, next_attempt_at, is_forged,
       cause)
     VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
  );
  const attempted = db.prepare(
    `UPDATE deliveries SET status = ?, attempts = ?, next_attempt_at = ?, url = iif(?, url, ?)
     WHERE id = ? AND token = ? AND status = 'pending' AND attempts = ?`,
  );
  const attemptedLate = db.prepare(
    `UPDATE deliveries SET attempts = @attempts + 1, url = @url
     WHERE id = @id AND token = @token AND status <> 'pending' AND attempts = @attempts`,
  );
  // A delivery with copies left to send has already arrived.
  const stopCopies = db.prepare(
    `UPDATE deliveries SET status = 'delivered', next_attempt_at = NULL WHERE endpoint_id = ? AND next_attempt_at IS NOT NULL
     AND EXISTS (SELECT 1 FROM struck_deliveries WHERE delivery_id = id AND copies > 0)`,
  );
  const abandon = db.prepare(
    `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, given_up_at = ?, given_up_reason = ?
     WHERE endpoint_id = ? AND next_attempt_at IS NOT NULL`,
  );
  const skip = db.prepare(
    `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, given_up_at = ?, given_up_reason = ?
     WHERE endpoint_id = ? AND next_attempt_at IS NOT NULL AND attempts = 0`,
  );
  const postpone = db.prepare('UPDATE deliveries SET next_attempt_at = ? WHERE id = ? AND next_attempt_at IS NOT NULL');
  const owed = db
    .prepare<[number, number], 1>(
      'SELECT 1 FROM deliveries WHERE endpoint_id = ? AND next_attempt_at IS NOT NULL LIMIT ?',
    )
    .pluck();
  const redirect = db.prepare('UPDATE deliveries SET url = ? WHERE endpoint_id = ? AND next_attempt_at IS NOT NULL');
  const due = db.prepare<[number, number, number], Row>(
    `SELECT ${COLUMNS} FROM deliveries WHERE endpoint_id = ? AND next_attempt_at <= ? ORDER BY next_attempt_at, id LIMIT ?`,
  );
  // Two indexes fit. This one does not hold every pending delivery to endpoints.
  const dueLoose = db.prepare<[number, number], Row>(
    `SELECT ${COLUMNS} FROM deliveries INDEXED BY deliveries_due_by_endpoint
     WHERE endpoint_id IS NULL AND next_attempt_at <= ? AND account_id = ?`,
  );
  const earliest = db
    .prepare<[number], number | null>(
      'SELECT min(next_attempt_at) FROM deliveries WHERE account_id = ? AND next_attempt_at IS NOT NULL',
    )
    .pluck();
  const nextAfter = db
    .prepare<[number, number, string], number | null>(
      `SELECT min(next_attempt_at) FROM deliveries WHERE account_id = ? AND next_attempt_at > ?
       AND (endpoint_id IS NULL OR endpoint_id NOT IN (SELECT value FROM json_each(?)))`,
    )
    .pluck();
  const firstAt = db
    .prepare<[number, number, string], string>(
      `SELECT token FROM deliveries WHERE account_id = ? AND next_attempt_at = ?
       AND (endpoint_id IS NULL OR endpoint_id NOT IN (SELECT value FROM json_each(?))) ORDER BY id LIMIT 1`,
    )
    .pluck();
  const inAccount = paged<Row>(db, OF_ACCOUNT);
  // The deliveries of an event have their own index, so they need their own statements.
  const ofEvent = paged<Row>(db, OF_EVENT);
  const names = db.prepare<[number], Names>(
    `SELECT events.token AS event, events.type AS type, events.created_at AS eventAt, endpoints.token AS endpoint,
       given_up_at AS givenUpAt, given_up_reason AS givenUpReason, fault AS holder, kind AS holderKind FROM deliveries
     JOIN events ON events.id = event_id LEFT JOIN endpoints ON endpoints.id = endpoint_id
     LEFT JOIN struck_deliveries ON delivery_id = deliveries.id AND copies = 0 WHERE deliveries.id = ?`,
  );

  /** Cached per account: every commit asks, and few accounts have pending deliveries. */
  const known = remembered<number, number | null>();
  function earliestOf(accountId: number): number | null {
    const at = known.get(accountId);
    return at === undefined ? known.set(accountId, earliest.get(accountId) ?? null) : at;
  }

  return {
    nextId: last.next,
    /** The public ids of a delivery's event and endpoint, and why it was given up. */
    namesOf: (id: number) => names.get(id) as Names,
    insert(d: Omit<Delivery, 'status' | 'attempts'>, cause: Cause | null) {
      known.delete(d.accountId);
      last.follow(d.id);
      insert.run(
        d.id,
        d.token,
        d.accountId,
        d.eventId,
        d.endpointId,
        d.url,
        d.nextAttemptAt,
        d.isForged ? 1 : 0,
        cause,
      );
    },
    /**
     * Updates it after an attempt. One that ends keeps the URL that the attempt was sent to, even if its endpoint has a
     * new one. False, and no change, if it is no longer pending.
     */
    setAttempted(d: Delivery, status: DeliveryStatus, nextAttemptAt: number | null): boolean {
      known.delete(d.accountId);
      const { id, token, attempts, url } = d;
      const isPending = nextAttemptAt === null ? 0 : 1;
      return attempted.run(status, attempts + 1, nextAttemptAt, isPending, url, id, token, attempts).changes === 1;
    },
    /** Counts an attempt of one that ended while the attempt was under way. False if it is not there. */
    setAttemptedLate: (d: Delivery): boolean => attemptedLate.run(d).changes === 1,
    /** Moves the next attempt to another instant. */
    postpone({ id, accountId }: Pick<Delivery, 'id' | 'accountId'>, at: number) {
      known.delete(accountId);
      postpone.run(at, id);
    },
    /** Fails the pending deliveries of an endpoint and returns their number. */
    abandon(endpointId: number, at: number, reason: string): number {
      known.clear();
      stopCopies.run(endpointId);
      return abandon.run(at, reason, endpointId).changes;
    },
    /** Fails the pending deliveries of an endpoint that were never attempted. */
    skip(endpointId: number, at: number, reason: string) {
      known.clear();
      skip.run(at, reason, endpointId);
    },
    /** Counts the pending deliveries of an endpoint, at most `OWED_MAX`. */
    owed: (endpointId: number) => owed.all(endpointId, OWED_MAX).length,
    /** Sends the pending deliveries of an endpoint to its new URL. */
    redirect: (endpointId: number, url: string) => redirect.run(url, endpointId),
    get: (id: number) => toDeliveryOrNull(byId.get(id)),
    find: (token: string) => toDeliveryOrNull(byToken.get(token)),
    /** The next deliveries of an endpoint that are due by `now`: first attempts in the order of events. */
    due: (endpointId: number, now: number, limit: number) => due.all(endpointId, now, limit).map(toDelivery),
    /** Those to a URL without an endpoint. */
    dueLoose: (accountId: number, now: number) => dueLoose.all(now, accountId).map(toDelivery),
    /** The instant of the account's first attempt after `now`, without the endpoints in `except`. */
    nextAfter(accountId: number, now: number, except: readonly number[]): number | null {
      const first = earliestOf(accountId);
      if (first === null || (first > now && except.length === 0)) return first;
      return nextAfter.get(accountId, now, JSON.stringify(except)) ?? null;
    },
    /** The token of the first delivery that is due at that instant. */
    firstAt: (accountId: number, at: number, except: readonly number[]) =>
      firstAt.get(accountId, at, JSON.stringify(except)) as string,
    isAnyOwed: (accountId: number) => earliestOf(accountId) !== null,
    isAnyDue(accountId: number, now: number): boolean {
      const first = earliestOf(accountId);
      return first !== null && first <= now;
    },
    /** Newest first, or oldest first from just after `afterId`. */
    list(accountId: number, limit: number, afterId: number | null, narrow: DeliveryFilter) {
      const page = narrow.eventId === null ? inAccount : ofEvent;
      return page({ accountId, limit, ...narrow }, afterId).map(toDelivery);
    },
    forget() {
      last.forget();
      known.clear();
    },
  };
}

const toDelivery = (row: Row): Delivery => ({ ...row, isForged: row.isForged === 1 });
const toDeliveryOrNull = (row: Row | undefined) => (row ? toDelivery(row) : null);
