import type { Cause } from '../domain/cause.ts';
import type { Fault, FaultKind, FaultMark } from '../domain/faults.ts';
import type { Endpoint } from '../domain/webhook.ts';
import type { Database } from './file/database.ts';
import { remembered } from './remembered.ts';

/** A delivery that a fault struck and that has another attempt to come. */
export interface StruckDelivery {
  readonly deliveryId: number;
  readonly fault: FaultMark;
  /** Copies left to send after a success; 0 for a delivery that is held back. */
  readonly copies: number;
}

interface StruckRow {
  id: string;
  kind: FaultKind;
  copies: number;
}

const COLUMNS = `faults.id, faults.token, faults.account_id AS accountId, kind, operation, method, path, event,
  endpoint_id AS endpointId, endpoints.token AS endpoint, times, skip, every, status, retry_after AS retryAfter,
  delay_ms AS delayMs, by, copies, seen, met, faults.created_at AS createdAt`;

/** The faults of each account, and the deliveries that they struck. Every request and every attempt reads them. */
export function faults(db: Database) {
  const ofAccount = db.prepare<[number], Fault>(
    `SELECT ${COLUMNS} FROM faults LEFT JOIN endpoints ON endpoints.id = endpoint_id
     WHERE faults.account_id = ? ORDER BY faults.id`,
  );
  const last = db.prepare<[], number>('SELECT last_fault_id FROM workspace').pluck();
  const insert = db.prepare(
    `INSERT INTO faults (id, token, account_id, kind, operation, method, path, event, endpoint_id, times, skip, every,
       status, retry_after, delay_ms, by, copies, created_at, cause)
     VALUES (@id, @token, @accountId, @kind, @operation, @method, @path, @event, @endpointId, @times, @skip, @every,
       @status, @retryAfter, @delayMs, @by, @copies, @createdAt, @cause)`,
  );
  const setLast = db.prepare('UPDATE workspace SET last_fault_id = ?');
  const count = db.prepare('UPDATE faults SET seen = seen + 1, met = met + ? WHERE id = ? AND token = ?');
  const remove = db.prepare('DELETE FROM faults WHERE id = ?');
  const removeOf = db.prepare('DELETE FROM faults WHERE account_id = ? AND endpoint_id = ?');
  const removeAll = db.prepare('DELETE FROM faults WHERE account_id = ?');
  const draw = db
    .prepare<[number, string], number>(
      `INSERT INTO chaos_draws (account_id, operation, draws) VALUES (?, ?, 1)
       ON CONFLICT DO UPDATE SET draws = draws + 1 RETURNING draws`,
    )
    .pluck();

  const lastStruck = db.prepare<[], number | null>('SELECT max(delivery_id) FROM struck_deliveries').pluck();
  const struckBy = db.prepare<[number], StruckRow>(
    'SELECT fault AS id, kind, copies FROM struck_deliveries WHERE delivery_id = ?',
  );
  const strike = db.prepare(
    'INSERT OR REPLACE INTO struck_deliveries (delivery_id, fault, kind, copies) VALUES (?, ?, ?, ?)',
  );
  const settle = db.prepare('DELETE FROM struck_deliveries WHERE delivery_id = ?');
  const owed = db
    .prepare<[number], number>(
      `SELECT delivery_id FROM deliveries JOIN struck_deliveries ON delivery_id = id
       WHERE endpoint_id = ? AND next_attempt_at IS NOT NULL`,
    )
    .pluck();
  const heldBefore = db
    .prepare<[number, number], number>(
      `SELECT delivery_id FROM struck_deliveries JOIN deliveries ON deliveries.id = delivery_id
       WHERE kind = 'reordered' AND endpoint_id = ? AND event_id < ? AND status = 'pending' ORDER BY delivery_id`,
    )
    .pluck();

  const lists = remembered<number, readonly Fault[]>();
  function countMatch({ id, token, accountId }: Fault, strikes: 0 | 1) {
    lists.delete(accountId);
    count.run(strikes, id, token);
  }
  /** Caches one fact under one name; usually that there is nothing. */
  const known = remembered<'any', boolean>();
  const isAnyStruck = () => known.get('any') ?? known.set('any', lastStruck.get() !== null);

  return {
    /** Never that of a removed fault. */
    nextId: () => (last.get() ?? 0) + 1,
    insert(fault: Fault, cause: Cause | null) {
      lists.delete(fault.accountId);
      insert.run({ ...fault, cause });
      setLast.run(fault.id);
    },
    /** In the order in which they strike. */
    list: (accountId: number): readonly Fault[] =>
      lists.get(accountId) ?? lists.set(accountId, ofAccount.all(accountId)),
    /** Counts a match that does not strike. */
    countPassed: (fault: Fault) => countMatch(fault, 0),
    countStrike: (fault: Fault) => countMatch(fault, 1),
    remove({ id, accountId }: Fault) {
      lists.delete(accountId);
      remove.run(id);
    },
    /** Removes the faults that are limited to an endpoint. */
    removeOf({ id, accountId }: Endpoint) {
      lists.delete(accountId);
      removeOf.run(accountId, id);
    },
    clear(accountId: number) {
      lists.delete(accountId);
      removeAll.run(accountId);
    },
    /** Counts one more draw of chaos for an operation and returns how many there were. */
    nextDraw: (accountId: number, operation: string) => draw.get(accountId, operation) as number,

    struck(deliveryId: number): StruckDelivery | null {
      const row = isAnyStruck() ? struckBy.get(deliveryId) : undefined;
      return row ? { deliveryId, fault: { id: row.id, kind: row.kind }, copies: row.copies } : null;
    },
    strike({ deliveryId, fault, copies }: StruckDelivery) {
      known.clear();
      strike.run(deliveryId, fault.id, fault.kind, copies);
    },
    settle(deliveryId: number) {
      known.clear();
      settle.run(deliveryId);
    },
    /** Pending deliveries of the endpoint that a fault struck. */
    owed: (endpointId: number): number[] => (isAnyStruck() ? owed.all(endpointId) : []),
    /** Deliveries to an endpoint that are held back until one of a later event is answered. */
    heldBefore: (endpointId: number, eventId: number): number[] =>
      isAnyStruck() ? heldBefore.all(endpointId, eventId) : [],
    forget() {
      lists.clear();
      known.clear();
    },
  };
}
