import type { Cause } from '../domain/cause.ts';
import type { Cadence } from '../domain/quote.ts';
import type { Session, SessionStatus } from '../domain/session.ts';
import type { Database } from './file/database.ts';
import { paged } from './paged.ts';
import { lastId, watchers } from './remembered.ts';

interface Row {
  id: number;
  token: string;
  account_id: number;
  status: SessionStatus;
  order_reference: string;
  total_cents: number;
  down_payment_cents: number;
  reservation_fee_cents: number;
  down_payment_percentage: number;
  reservation_fee_percentage: number;
  installment_count: number;
  installment_cadence: Cadence;
  return_url: string;
  cancel_url: string;
  customer_email: string | null;
  customer_state: string;
  metadata: string;
  preview: number;
  by_store: number;
  expires_at: number;
  created_at: number;
}

/** Filters of a list of sessions; null matches everything. */
export interface SessionFilter {
  readonly status: SessionStatus | null;
  readonly orderReference: string | null;
}

export function sessions(db: Database) {
  const byId = db.prepare<[number], Row>('SELECT * FROM sessions WHERE id = ?');
  const byToken = db.prepare<[string], Row>('SELECT * FROM sessions WHERE token = ?');
  const last = lastId(db.prepare<[], number | null>('SELECT max(id) FROM sessions').pluck());
  const lastAt = db
    .prepare<[number], number>('SELECT created_at FROM sessions WHERE account_id = ? ORDER BY id DESC LIMIT 1')
    .pluck();
  // A session reads as expired from its deadline on, before the change is stored.
  const narrow = `account_id = @accountId AND preview = 0
    AND (@orderReference IS NULL OR order_reference = @orderReference)
    AND (@status IS NULL
      OR CASE WHEN status = 'pending' AND expires_at <= @now THEN 'expired' ELSE status END = @status)`;
  const page = paged<Row>(db, `SELECT * FROM sessions WHERE ${narrow}`);
  const insert = db.prepare(
    `INSERT INTO sessions (id, token, account_id, status, order_reference, total_cents, down_payment_cents,
       reservation_fee_cents, down_payment_percentage, reservation_fee_percentage, installment_count,
       installment_cadence, return_url, cancel_url, customer_email, customer_state, metadata, preview, by_store,
       expires_at, created_at, cause)
     VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const writing = watchers();
  const setStatus = db.prepare('UPDATE sessions SET status = ? WHERE id = ?');

  return {
    nextId: last.next,
    /** The instant at which the account's newest session was opened; 0 if it has none. */
    lastAt: (accountId: number) => lastAt.get(accountId) ?? 0,
    insert(s: Session, cause: Cause | null) {
      const { terms } = s;
      last.follow(s.id);
      insert.run(
        s.id,
        s.token,
        s.accountId,
        s.orderReference,
        s.totalCents,
        s.downPaymentCents,
        s.reservationFeeCents,
        terms.downPaymentPercentage,
        terms.reservationFeePercentage,
        terms.installmentCount,
        terms.installmentCadence,
        s.returnUrl,
        s.cancelUrl,
        s.customerEmail,
        s.customerState,
        JSON.stringify(s.metadata),
        s.preview ? 1 : 0,
        s.byStore ? 1 : 0,
        s.expiresAt,
        s.createdAt,
        cause,
      );
    },
    setStatus(id: number, status: SessionStatus) {
      writing.tell(id);
      setStatus.run(status, id);
    },
    /** Calls the listener just before an existing session changes. */
    beforeChange: writing.watch,
    get: (id: number) => toSession(byId.get(id) as Row),
    find(token: string) {
      const row = byToken.get(token);
      return row ? toSession(row) : null;
    },
    forget: last.forget,
    /** Newest first, or oldest first from just after `afterId`; previews are left out (decisions §5). */
    list(accountId: number, limit: number, afterId: number | null, now: number, wanted: SessionFilter) {
      return page({ accountId, limit, now, ...wanted }, afterId).map(toSession);
    },
  };
}

const toSession = (row: Row): Session => ({
  id: row.id,
  token: row.token,
  accountId: row.account_id,
  status: row.status,
  orderReference: row.order_reference,
  totalCents: row.total_cents,
  downPaymentCents: row.down_payment_cents,
  reservationFeeCents: row.reservation_fee_cents,
  terms: {
    downPaymentPercentage: row.down_payment_percentage,
    reservationFeePercentage: row.reservation_fee_percentage,
    installmentCount: row.installment_count,
    installmentCadence: row.installment_cadence,
  },
  returnUrl: row.return_url,
  cancelUrl: row.cancel_url,
  customerEmail: row.customer_email,
  customerState: row.customer_state,
  metadata: JSON.parse(row.metadata),
  preview: row.preview === 1,
  byStore: row.by_store === 1,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
});
