import type { EmailFacts, EmailTemplate } from '../domain/email.ts';
import type { Database } from './database.ts';

/** An e-mail as recorded: its template and the facts it states; the words are written when it is read. */
export interface StoredEmail {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  readonly recipient: string;
  readonly template: EmailTemplate;
  readonly reference: string | null;
  readonly facts: EmailFacts;
  readonly createdAt: number;
}

type Row = Omit<StoredEmail, 'facts'> & { facts: string };

const COLUMNS = 'id, token, account_id AS accountId, recipient, template, reference, facts, created_at AS createdAt';

export function emails(db: Database) {
  const last = db.prepare<[], number | null>('SELECT max(id) FROM emails').pluck();
  const insert = db.prepare('INSERT INTO emails VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const byToken = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM emails WHERE token = ?`);
  const filter = '(?2 IS NULL OR recipient = ?2) AND (?3 IS NULL OR reference = ?3)';
  const newest = db.prepare<[number, string | null, string | null, number], Row>(
    `SELECT ${COLUMNS} FROM emails WHERE account_id = ?1 AND ${filter} ORDER BY id DESC LIMIT ?4`,
  );
  const after = db.prepare<[number, string | null, string | null, number, number], Row>(
    `SELECT ${COLUMNS} FROM emails WHERE account_id = ?1 AND ${filter} AND id > ?5 ORDER BY id LIMIT ?4`,
  );

  return {
    nextId: () => (last.get() ?? 0) + 1,
    insert: (e: StoredEmail) =>
      insert.run(
        e.id,
        e.token,
        e.accountId,
        e.recipient,
        e.template,
        e.reference,
        JSON.stringify(e.facts),
        e.createdAt,
      ),
    find(token: string) {
      const row = byToken.get(token);
      return row ? toEmail(row) : null;
    },
    /** Newest first, or oldest first from just after `afterId`; `to` and `reference` narrow. */
    list: (
      accountId: number,
      limit: number,
      afterId: number | null,
      { to = null, reference = null }: { to?: string | null; reference?: string | null } = {},
    ) =>
      (afterId === null
        ? newest.all(accountId, to, reference, limit)
        : after.all(accountId, to, reference, limit, afterId)
      ).map(toEmail),
  };
}

const toEmail = (row: Row): StoredEmail => ({ ...row, facts: JSON.parse(row.facts) });
