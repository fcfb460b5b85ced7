import type { Database } from './file/database.ts';
import { rememberedAny } from './remembered.ts';

/** A completed checkout that the store has not confirmed, with the event that announced it. */
export interface UnconfirmedSession {
  readonly completedAt: number;
  readonly event: string;
}

/** The completed checkouts that their stores have not confirmed. Every read of a session and every attempt asks. */
export function unconfirmedSessions(db: Database) {
  const insert = db.prepare('INSERT INTO unconfirmed_sessions (session_id, account_id, completed_at) VALUES (?, ?, ?)');
  const confirm = db.prepare('DELETE FROM unconfirmed_sessions WHERE session_id = ? AND completed_at <= ?');
  const confirmRead = db.prepare(
    'DELETE FROM unconfirmed_sessions WHERE session_id = (SELECT id FROM sessions WHERE token = ?) AND account_id = ?',
  );
  const removeAll = db.prepare('DELETE FROM unconfirmed_sessions WHERE account_id = ?');
  // While a fault holds up the webhook of a checkout, and after faults lost each attempt of it, the store cannot know that
  // it was completed.
  const completedBy = db.prepare<[number, number], UnconfirmedSession>(
    `SELECT completed_at AS completedAt, events.token AS event
     FROM unconfirmed_sessions AS open
     JOIN events ON events.session_id = open.session_id AND events.type = 'session.completed'
     WHERE open.account_id = ? AND completed_at <= ? AND NOT EXISTS (
       SELECT 1 FROM events AS told JOIN deliveries ON event_id = told.id
       WHERE told.session_id = open.session_id AND (
         next_attempt_at IS NOT NULL AND EXISTS (SELECT 1 FROM struck_deliveries WHERE delivery_id = deliveries.id)
         OR EXISTS (SELECT 1 FROM delivery_attempts WHERE delivery_id = deliveries.id AND fault IS NOT NULL) AND (
           next_attempt_at IS NOT NULL
           OR told.created_at >= completed_at AND NOT EXISTS (
             SELECT 1 FROM delivery_attempts WHERE delivery_id = deliveries.id AND fault_kind IS NOT 'lost'))))
     ORDER BY completed_at`,
  );

  const any = rememberedAny(db.prepare<[number], 1>('SELECT 1 FROM unconfirmed_sessions WHERE account_id = ? LIMIT 1'));

  return {
    isAny: any.has,
    insert(accountId: number, sessionId: number, completedAt: number) {
      any.delete(accountId);
      insert.run(sessionId, accountId, completedAt);
    },
    /** The store answered a webhook of the session about something that happened at `at`. */
    confirm(accountId: number, sessionId: number, at: number) {
      any.delete(accountId);
      confirm.run(sessionId, at);
    },
    /** The store has read the session. */
    confirmRead(accountId: number, token: string) {
      any.delete(accountId);
      confirmRead.run(token, accountId);
    },
    /** Those completed by `until`, earliest first. */
    list: (accountId: number, until: number) => completedBy.all(accountId, until),
    clear(accountId: number) {
      any.delete(accountId);
      removeAll.run(accountId);
    },
    forget: any.clear,
  };
}
