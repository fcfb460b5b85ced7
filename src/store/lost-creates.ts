import type { LostCreate } from '../domain/findings.ts';
import type { Database } from './file/database.ts';
import { rememberedAny } from './remembered.ts';

/** The creates that failed and were not retried yet, by order. Every create asks, and usually there are none. */
export function lostCreates(db: Database) {
  const ofOrder = db.prepare<[number, string], { key: string | null; isLost: number; at: number }>(
    'SELECT key, is_lost AS isLost, at FROM lost_creates WHERE account_id = ? AND order_reference = ?',
  );
  const insert = db.prepare(
    'INSERT OR REPLACE INTO lost_creates (account_id, order_reference, key, is_lost, at) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM lost_creates WHERE account_id = ? AND order_reference = ?');
  const removeAll = db.prepare('DELETE FROM lost_creates WHERE account_id = ?');

  const any = rememberedAny(db.prepare<[number], 1>('SELECT 1 FROM lost_creates WHERE account_id = ? LIMIT 1'));

  return {
    find(accountId: number, orderReference: string): LostCreate | null {
      if (!any.has(accountId)) return null;
      const row = ofOrder.get(accountId, orderReference);
      return row ? { ...row, isLost: row.isLost === 1 } : null;
    },
    /** It replaces an earlier one of the order. */
    insert(accountId: number, orderReference: string, { key, isLost, at }: LostCreate) {
      any.delete(accountId);
      insert.run(accountId, orderReference, key, isLost ? 1 : 0, at);
    },
    remove(accountId: number, orderReference: string) {
      any.delete(accountId);
      remove.run(accountId, orderReference);
    },
    clear(accountId: number) {
      any.delete(accountId);
      removeAll.run(accountId);
    },
    forget: any.clear,
  };
}
