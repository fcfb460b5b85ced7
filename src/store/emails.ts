import type { Cause } from '../domain/cause.ts';
import type { EmailFacts, EmailTemplate } from '../domain/email.ts';
import type { Database } from './file/database.ts';
import { paged } from './paged.ts';
import { lastId } from './remembered.ts';

/** An email as recorded: its template and its facts. The text is made when it is read. */
export interface StoredEmail {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  readonly recipient: string;
  readonly template: EmailTemplate;
  readonly reference: string | null;
  readonly facts: EmailFacts[EmailTemplate];
  readonly createdAt: number;
}

/** Filters of a list of emails; null matches everything. */
export interface EmailFilter {
  readonly to: string | null;
  readonly reference: string | null;
}

type Row = Omit<StoredEmail, 'facts'> & { facts: string };

const COLUMNS = 'id, token, account_id AS accountId, recipient, template, reference, facts, created_at AS createdAt';

const WANTED = 'account_id = @accountId AND (@to IS NULL OR recipient = @to COLLATE NOCASE)';
const OF_ACCOUNT = `SELECT ${COLUMNS} FROM emails WHERE ${WANTED}`;
// Two indexes fit. This one does not hold every email of the account.
const OF_REFERENCE = `SELECT ${COLUMNS} FROM emails INDEXED BY emails_by_reference
  WHERE ${WANTED} AND reference = @reference`;

export function emails(db: Database) {
  const last = lastId(db.prepare<[], number | null>('SELECT max(id) FROM emails').pluck());
  const insert = db.prepare(
    `INSERT INTO emails (id, token, account_id, recipient, template, reference, facts, created_at, cause)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const byToken = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM emails WHERE token = ?`);
  const inAccount = paged<Row>(db, OF_ACCOUNT);
  // The emails about a contract have their own index, so they need their own statements.
  const ofReference = paged<Row>(db, OF_REFERENCE);

  const unrelayed = db.prepare<[], Row>(
    `SELECT ${COLUMNS} FROM emails WHERE id > (SELECT relayed_email_id FROM workspace) ORDER BY id LIMIT 1`,
  );
  const relayed = db.prepare('UPDATE workspace SET relayed_email_id = ?');

  return {
    /** The oldest email that the mail relay has not sent. */
    nextToRelay() {
      const row = unrelayed.get();
      return row ? toEmail(row) : null;
    },
    relayed: (id: number) => relayed.run(id),
    nextId: last.next,
    insert(e: StoredEmail, cause: Cause | null) {
      const facts = JSON.stringify(e.facts);
      last.follow(e.id);
      insert.run(e.id, e.token, e.accountId, e.recipient, e.template, e.reference, facts, e.createdAt, cause);
    },
    forget: last.forget,
    find(token: string) {
      const row = byToken.get(token);
      return row ? toEmail(row) : null;
    },
    /** Newest first, or oldest first from just after `afterId`. */
    list(accountId: number, limit: number, afterId: number | null, narrow: EmailFilter) {
      const page = narrow.reference === null ? inAccount : ofReference;
      return page({ accountId, limit, ...narrow }, afterId).map(toEmail);
    },
  };
}

const toEmail = (row: Row): StoredEmail => ({ ...row, facts: JSON.parse(row.facts) });
