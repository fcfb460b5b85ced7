import type { Cause } from '../domain/cause.ts';
import type { Fault } from '../domain/faults.ts';
import type { Endpoint } from '../domain/webhook.ts';
import type { Database } from './file/database.ts';
import { remembered } from './remembered.ts';

const COLUMNS = `faults.id, faults.token, faults.account_id AS accountId, kind, operation, method, path, event,
  endpoint_id AS endpointId, endpoints.token AS endpoint, times, skip, every, status, retry_after AS retryAfter,
  delay_ms AS delayMs, by, copies, seen, met, faults.created_at AS createdAt`;

/** The faults of each account. Every request and every attempt reads them. */
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

  const lists = remembered<number, readonly Fault[]>();
  function countMatch({ id, token, accountId }: Fault, strikes: 0 | 1) {
    lists.delete(accountId);
    count.run(strikes, id, token);
  }
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
    forget: lists.clear,
  };
}
