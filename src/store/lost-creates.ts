import type { LostCreate } from '../domain/findings.ts';
import type { Database } from './file/database.ts';
import { remembered } from './remembered.ts';

/** The creates that failed and were not retried yet, by order. Every create asks, and usually there are none. */
export function lostCreates(db: Database) {
  const any = db.prepare<[number], 1>('SELECT 1 FROM lost_creates WHERE account_id = ? LIMIT 1').pluck();
  const ofOrder = db.prepare<[number, string], { key: string | null; isLost: number; at: number }>(
    'SELECT key, is_lost AS isLost, at FROM lost_creates WHERE account_id = ? AND order_reference = ?',
  );
  const insert = db.prepare(
    'INSERT OR REPLACE INTO lost_creates (account_id, order_reference, key, is_lost, at) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM lost_creates WHERE account_id = ? AND order_reference = ?');
  const removeAll = db.prepare('DELETE FROM lost_creates WHERE account_id = ?');

  const known = remembered<number, boolean>();
  const isAny = (accountId: number) => known.get(accountId) ?? known.set(accountId, any.get(accountId) !== undefined);

  return {
    find(accountId: number, orderReference: string): LostCreate | null {
      if (!isAny(accountId)) return null;
      const row = ofOrder.get(accountId, orderReference);
      return row ? { ...row, isLost: row.isLost === 1 } : null;
    },
    /** It replaces an earlier one of the order. */
    insert(accountId: number, orderReference: string, { key, isLost, at }: LostCreate) {
      known.delete(accountId);
      insert.run(accountId, orderReference, key, isLost ? 1 : 0, at);
    },
    remove(accountId: number, orderReference: string) {
      known.delete(accountId);
      remove.run(accountId, orderReference);
    },
    clear(accountId: number) {
      known.delete(accountId);
      removeAll.run(accountId);
    },
    forget: known.clear,
  };
}
