import type { FaultKind, FaultMark } from '../domain/faults.ts';
import type { Database } from './file/database.ts';
import { remembered } from './remembered.ts';

/** A delivery that a fault struck and that has another attempt to come. */
export interface StruckDelivery {
  readonly deliveryId: number;
  readonly fault: FaultMark;
  /** Copies left to send after a success; 0 for a delivery that is held back. */
  readonly copies: number;
}

interface Row {
  id: string;
  kind: FaultKind;
  copies: number;
}

/** The deliveries that faults struck. Every attempt reads them, and usually there are none. */
export function struckDeliveries(db: Database) {
  const last = db.prepare<[], number | null>('SELECT max(delivery_id) FROM struck_deliveries').pluck();
  const byDelivery = db.prepare<[number], Row>(
    'SELECT fault AS id, kind, copies FROM struck_deliveries WHERE delivery_id = ?',
  );
  const put = db.prepare(
    'INSERT OR REPLACE INTO struck_deliveries (delivery_id, fault, kind, copies) VALUES (?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM struck_deliveries WHERE delivery_id = ?');
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

  /** Caches one fact under one name; usually that there is nothing. */
  const known = remembered<'any', boolean>();
  const isAny = () => known.get('any') ?? known.set('any', last.get() !== null);

  return {
    find(deliveryId: number): StruckDelivery | null {
      const row = isAny() ? byDelivery.get(deliveryId) : undefined;
      return row ? { deliveryId, fault: { id: row.id, kind: row.kind }, copies: row.copies } : null;
    },
    put({ deliveryId, fault, copies }: StruckDelivery) {
      known.clear();
      put.run(deliveryId, fault.id, fault.kind, copies);
    },
    remove(deliveryId: number) {
      known.clear();
      remove.run(deliveryId);
    },
    /** The pending ones of an endpoint. */
    owed: (endpointId: number): number[] => (isAny() ? owed.all(endpointId) : []),
    /** Those to an endpoint that are held back until one of a later event is answered. */
    heldBefore: (endpointId: number, eventId: number): number[] => (isAny() ? heldBefore.all(endpointId, eventId) : []),
    forget: known.clear,
  };
}
