import type { Cause } from '../../domain/cause.ts';
import type { ToldEmail, ToldEvent } from '../../domain/explain/story.ts';
import type { Database } from '../file/database.ts';

export interface StoryEmail extends ToldEmail {
  readonly cause: Cause | null;
}

const EVENT = 'id, token, type, subject, created_at AS at, cause';
const EMAIL = `token, template, recipient, facts ->> '$.installment' AS installment, facts ->> '$.url' AS url,
  facts ->> '$.reason' AS reason, created_at AS at, cause`;

/** How many of the latest emails are looked through, so that it takes no longer with a million. */
const NOTICES_AMONG = 50_000;

/** The causes of rows, for explanations. Prepared on first use, to keep the start fast. */
export function story(db: Database) {
  const ofSession = db.prepare<[number], Cause | null>('SELECT cause FROM sessions WHERE id = ?').pluck();
  const opened = db
    .prepare<[number, Cause], number>('SELECT id FROM sessions WHERE account_id = ? AND cause = ?')
    .pluck();
  const ofContract = db.prepare<[number], Cause | null>('SELECT cause FROM contracts WHERE id = ?').pluck();
  const ofAttempts = db.prepare<[number], { reference: string; cause: Cause | null }>(
    'SELECT reference, cause FROM payment_attempts WHERE contract_id = ?',
  );
  const ofDelivery = db.prepare<[number], Cause | null>('SELECT cause FROM deliveries WHERE id = ?').pluck();
  const events = db.prepare<[number], ToldEvent>(`SELECT ${EVENT} FROM events WHERE session_id = ? ORDER BY id`);
  const event = db.prepare<[number], ToldEvent>(`SELECT ${EVENT} FROM events WHERE id = ?`);
  const emails = db.prepare<[string, number], StoryEmail>(
    `SELECT ${EMAIL} FROM emails WHERE reference = ? AND account_id = ? ORDER BY id`,
  );
  const email = db.prepare<[string], StoryEmail>(`SELECT ${EMAIL} FROM emails WHERE token = ?`);
  const ofEndpoint = db.prepare<[number], Cause | null>('SELECT cause FROM endpoints WHERE id = ?').pluck();
  const noticesOf = db.prepare<[number, number], StoryEmail>(
    `SELECT ${EMAIL} FROM (SELECT * FROM emails WHERE account_id = ? ORDER BY id DESC LIMIT ?)
     WHERE template = 'endpoint_disabled'`,
  );

  return {
    sessionCause: (id: number) => ofSession.get(id) ?? null,
    /** The id of the session that a request opened. No index: only a request whose answer does not name it asks. */
    openedBy: (accountId: number, cause: Cause) => opened.get(accountId, cause) ?? null,
    contractCause: (id: number) => ofContract.get(id) ?? null,
    deliveryCause: (id: number) => ofDelivery.get(id) ?? null,
    /** By reference. */
    attemptCauses: (contractId: number) =>
      new Map(ofAttempts.all(contractId).map(({ reference, cause }) => [reference, cause])),
    /** Of a checkout and its contract, oldest first. */
    events: (sessionId: number) => events.all(sessionId),
    event: (id: number) => event.get(id) as ToldEvent,
    emails: (reference: string, accountId: number) => emails.all(reference, accountId),
    email: (token: string) => email.get(token) as StoryEmail,
    endpointCause: (id: number) => ofEndpoint.get(id) ?? null,
    /** About disabled endpoints, among the latest emails of the account. */
    notices: (accountId: number) => noticesOf.all(accountId, NOTICES_AMONG),
  };
}

export type StoryReader = ReturnType<typeof story>;
