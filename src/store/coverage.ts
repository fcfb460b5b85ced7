import { START } from '../domain/cause.ts';
import type { FirstKind } from '../domain/situations.ts';
import { SUCCESS_LOST } from '../domain/webhook.ts';
import type { Database } from './file/database.ts';
import { remembered } from './remembered.ts';

/** The first occurrence, at an instant of the account's clock. */
export interface FirstRow {
  readonly at: number;
  readonly kind: FirstKind;
  readonly id: string;
}

/** A situation or a finding: how often it occurred, and when first. */
export interface CoverageRow extends FirstRow {
  readonly what: string;
  readonly count: number;
}

/** How many counts may wait in memory before they are written. */
const WAITING_MAX = 500;

/**
 * The situations and findings of accounts. The first occurrence is written in the transaction that causes it. Later
 * ones are only counted in memory until `write`, so that a read does not need a transaction. A crash may lose counts,
 * but never a first occurrence.
 */
export function coverage(db: Database) {
  const rowsOf = db.prepare<[number], CoverageRow>(
    `SELECT what, count, first_at AS at, first_kind AS kind, first_id AS id FROM coverage
     WHERE account_id = ?`,
  );
  const metBy = db.prepare<[number], string>('SELECT what FROM coverage WHERE account_id = ?').pluck();
  const insert = db.prepare(
    `INSERT INTO coverage (account_id, what, count, first_at, first_kind, first_id) VALUES (?, ?, 1, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + 1`,
  );
  const add = db.prepare('UPDATE coverage SET count = count + ? WHERE account_id = ? AND what = ?');
  const removeAll = db.prepare('DELETE FROM coverage WHERE account_id = ?');

  const atOnce = db
    .prepare<[string, string, number, number, string], number>(
      `SELECT count(*)
       FROM events CROSS JOIN deliveries ON event_id = events.id
       CROSS JOIN delivery_attempts ON delivery_id = deliveries.id
       WHERE events.session_id = coalesce(
         (SELECT id FROM sessions WHERE token = ?), (SELECT session_id FROM contracts WHERE reference = ?)
       ) AND events.account_id = ? AND sent_at > ?
         AND (fault_kind = 'duplicate' OR events.cause = ? OR events.cause LIKE 'createContract %')`,
    )
    .pluck();

  // By event, because an event that is sent again has a later delivery.
  const newestAnswered = db
    .prepare<[number, number], number>(
      `SELECT event_id FROM events CROSS JOIN deliveries ON event_id = events.id
       WHERE events.account_id = ? AND endpoint_id = ? AND status = 'delivered' AND is_forged = 0
       ORDER BY events.id DESC LIMIT 1`,
    )
    .pluck();
  const answeredBefore = db
    .prepare<[number, string, number], 1>(
      `SELECT 1 FROM deliveries WHERE event_id = ? AND url = ? AND id <> ? AND status = 'delivered' LIMIT 1`,
    )
    .pluck();
  const answerLost = db
    .prepare<[number, string], 1>(
      `SELECT 1 FROM delivery_attempts WHERE delivery_id = ? AND fault_kind = 'lost_ack' AND error = ?`,
    )
    .pluck();

  const known = remembered<number, Set<string>>();
  const newest = remembered<number, number>();
  const waiting = new Map<number, Map<string, number>>();
  let waits = 0;

  const metOf = (accountId: number) => known.get(accountId) ?? known.set(accountId, new Set(metBy.all(accountId)));

  /** Call it inside a transaction. */
  function write() {
    for (const [accountId, counts] of waiting) {
      for (const [what, count] of counts) add.run(count, accountId, what);
    }
    discard();
  }

  function discard() {
    waiting.clear();
    waits = 0;
  }

  return {
    isMet: (accountId: number, what: string) => metOf(accountId).has(what),
    /** Records the first occurrence. Call it inside a transaction. */
    meet(accountId: number, what: string, { at, kind, id }: FirstRow) {
      insert.run(accountId, what, at, kind, id);
      metOf(accountId).add(what);
    },
    /** Counts one more. Returns whether so many counts wait that they should be written. */
    count(accountId: number, what: string): boolean {
      const counts = waiting.get(accountId) ?? new Map<string, number>();
      if (counts.size === 0) waiting.set(accountId, counts);
      counts.set(what, (counts.get(what) ?? 0) + 1);
      waits += 1;
      return waits >= WAITING_MAX;
    },
    isWaiting: () => waits > 0,
    write,
    discard,
    listOf: (accountId: number) => rowsOf.all(accountId),
    clear(accountId: number) {
      waiting.delete(accountId);
      known.delete(accountId);
      removeAll.run(accountId);
    },

    /** The latest event that an endpoint has answered; 0 if there is none. */
    newestAnswered: (accountId: number, endpointId: number): number =>
      newest.get(endpointId) ?? newest.set(endpointId, newestAnswered.get(accountId, endpointId) ?? 0),
    setNewestAnswered: (endpointId: number, eventId: number) => void newest.set(endpointId, eventId),
    /** Whether another delivery of the event to that URL succeeded. */
    isAnsweredElsewhere: (eventId: number, url: string, deliveryId: number) =>
      answeredBefore.get(eventId, url, deliveryId) !== undefined,
    /** Whether an earlier attempt had succeeded, and a fault lost the answer. */
    isAnswerLost: (deliveryId: number) => answerLost.get(deliveryId, SUCCESS_LOST) !== undefined,
    /**
     * How many webhooks about the session or contract of that name were sent after that time that the service would not
     * send at once: copies by a fault, and those of a contract that was created with its history.
     */
    sentAtOnceAbout: (accountId: number, name: string, sentAfter: number) =>
      atOnce.get(name, name, accountId, sentAfter, START) as number,

    forget() {
      known.clear();
      newest.clear();
    },
  };
}
