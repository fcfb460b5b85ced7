import type { Cause } from '../domain/cause.ts';
import type { Contract, ContractStatus, Outcome } from '../domain/contract.ts';
import type { Metadata } from '../domain/metadata.ts';
import type { Database } from './file/database.ts';
import { lastId, remembered, revisions, watchers } from './remembered.ts';

/** Columns by position: a contract is read for each of its collections, and an object of twenty names costs twice as much. */
const COLUMNS = `id, reference, account_id, session_id, status, order_reference, customer_name, customer_email,
  customer_state, total_cents, reservation_fee_cents, down_payment_cents, metadata, preview, outcomes, started_at,
  completed_at, defaulted_at, cancelled_at, created_at`;
type Row = [
  id: number,
  reference: string,
  accountId: number,
  sessionId: number,
  status: ContractStatus,
  orderReference: string | null,
  customerName: string,
  customerEmail: string,
  customerState: string | null,
  totalCents: number,
  reservationFeeCents: number,
  downPaymentCents: number,
  metadata: string,
  preview: number,
  outcomes: string,
  startedAt: number | null,
  completedAt: number | null,
  defaultedAt: number | null,
  cancelledAt: number | null,
  createdAt: number,
];

/** The instant that belongs to each status. */
export type ContractInstants = Pick<Contract, 'startedAt' | 'completedAt' | 'defaultedAt' | 'cancelledAt'>;

/** Filters of a list of contracts; null matches everything. */
export interface ContractFilter {
  readonly status: ContractStatus | null;
  readonly orderReference: string | null;
  /** Active, with an installment that is past due or delinquent. */
  readonly overdue: boolean;
}

export function contracts(db: Database) {
  const byId = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM contracts WHERE id = ?`).raw();
  const byReference = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM contracts WHERE reference = ?`).raw();
  const bySession = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM contracts WHERE session_id = ?`).raw();
  const taken = db.prepare<[string], 1>('SELECT 1 FROM contracts WHERE reference = ?').pluck();
  const last = lastId(db.prepare<[], number | null>('SELECT max(id) FROM contracts').pluck());
  const newest = 'ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?';
  const page = db
    .prepare<[number, number, number], Row>(
      `SELECT ${COLUMNS} FROM contracts WHERE account_id = ? AND preview = 0 ${newest}`,
    )
    .raw();
  const pageOfStatus = db
    .prepare<[number, ContractStatus, number, number], Row>(
      `SELECT ${COLUMNS} FROM contracts WHERE account_id = ? AND status = ? AND preview = 0 ${newest}`,
    )
    .raw();
  const total = db
    .prepare<[number], number>('SELECT coalesce(sum(contracts), 0) FROM contract_counts WHERE account_id = ?')
    .pluck();
  const totalOfStatus = db
    .prepare<[number, ContractStatus], number>(
      'SELECT contracts FROM contract_counts WHERE account_id = ? AND status = ?',
    )
    .pluck();
  const insert = db.prepare(
    `INSERT INTO contracts (id, reference, account_id, session_id, status, order_reference, customer_name, customer_email,
       customer_state, total_cents, reservation_fee_cents, down_payment_cents, metadata, preview, outcomes, created_at, cause)
     VALUES (?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, ?)`,
  );
  const setStatus = db.prepare(
    'UPDATE contracts SET status = ?, started_at = ?, completed_at = ?, defaulted_at = ?, cancelled_at = ? WHERE id = ?',
  );
  const setBookkeeping = db.prepare('UPDATE contracts SET order_reference = ?, metadata = ? WHERE id = ?');
  const setCustomerEmail = db.prepare('UPDATE contracts SET customer_email = ? WHERE id = ?');
  const narrow = `account_id = @accountId AND preview = 0 AND (@status IS NULL OR status = @status)
    AND (@orderReference IS NULL OR order_reference = @orderReference)
    AND (@overdue = 0 OR (status = 'active' AND EXISTS (
      SELECT 1 FROM installments WHERE contract_id = contracts.id AND installments.status IN ('past_due', 'delinquent'))))`;
  const newestOf = db
    .prepare<object, Row>(
      `SELECT ${COLUMNS} FROM contracts WHERE ${narrow} ORDER BY created_at DESC, id DESC LIMIT @limit`,
    )
    .raw();
  // Without an index, the rows come in the order of their ids.
  const after = db
    .prepare<object, Row>(
      `SELECT ${COLUMNS} FROM contracts NOT INDEXED WHERE ${narrow} AND id > @afterId ORDER BY id LIMIT @limit`,
    )
    .raw();
  const setOutcomes = db.prepare('UPDATE contracts SET outcomes = ? WHERE id = ?');

  const known = remembered<number, Contract>();
  const ids = remembered<string, number>();
  const written = revisions();
  const writing = watchers();

  function changed(id: number) {
    writing.tell(id);
    known.delete(id);
    written.changed(id);
  }

  function remember(row: Row | undefined): Contract | null {
    if (!row) return null;
    const contract = toContract(row);
    ids.set(contract.reference, contract.id);
    return known.set(contract.id, contract);
  }

  return {
    nextId: last.next,
    isTaken: (reference: string) => taken.get(reference) === 1,
    insert(c: Contract, cause: Cause | null) {
      last.follow(c.id);
      insert.run(
        c.id,
        c.reference,
        c.accountId,
        c.sessionId,
        c.orderReference,
        c.customerName,
        c.customerEmail,
        c.customerState,
        c.totalCents,
        c.reservationFeeCents,
        c.downPaymentCents,
        JSON.stringify(c.metadata),
        c.preview ? 1 : 0,
        c.createdAt,
        cause,
      );
    },
    setStatus(id: number, status: ContractStatus, at: ContractInstants) {
      changed(id);
      setStatus.run(status, at.startedAt, at.completedAt, at.defaultedAt, at.cancelledAt, id);
    },
    setBookkeeping(id: number, orderReference: string | null, metadata: Metadata) {
      changed(id);
      setBookkeeping.run(orderReference, JSON.stringify(metadata), id);
    },
    setCustomerEmail(id: number, email: string) {
      changed(id);
      setCustomerEmail.run(email, id);
    },
    setOutcomes(id: number, outcomes: readonly Outcome[]) {
      changed(id);
      setOutcomes.run(JSON.stringify(outcomes), id);
    },
    revision: written.of,
    /** Calls the listener just before an existing contract changes. */
    beforeChange: writing.watch,
    get: (id: number) => known.get(id) ?? (remember(byId.get(id)) as Contract),
    find(reference: string): Contract | null {
      const id = ids.get(reference);
      return (id === undefined ? undefined : known.get(id)) ?? remember(byReference.get(reference));
    },
    ofSession: (sessionId: number) => toContractOrNull(bySession.get(sessionId)),
    /** Newest first, previews left out (§4.5). */
    page: (accountId: number, status: ContractStatus | null, limit: number, offset: number) =>
      (status === null ? page.all(accountId, limit, offset) : pageOfStatus.all(accountId, status, limit, offset)).map(
        toContract,
      ),
    /**
     * Newest first, or, by their ids, oldest first from just after `afterId`: a contract that is made now may have been
     * created in the past. Previews are left out.
     */
    list(accountId: number, limit: number, afterId: number | null, { overdue, ...wanted }: ContractFilter) {
      const bound = { accountId, limit, ...wanted, overdue: overdue ? 1 : 0 };
      return (afterId === null ? newestOf.all(bound) : after.all({ ...bound, afterId })).map(toContract);
    },
    count: (accountId: number, status: ContractStatus | null) =>
      (status === null ? total.get(accountId) : totalOfStatus.get(accountId, status)) ?? 0,
    forget() {
      last.forget();
      known.clear();
      ids.clear();
      written.forget();
    },
  };
}

const toContractOrNull = (row: Row | undefined) => (row ? toContract(row) : null);

function toContract(row: Row): Contract {
  const [
    id,
    reference,
    accountId,
    sessionId,
    status,
    orderReference,
    customerName,
    customerEmail,
    customerState,
    totalCents,
    reservationFeeCents,
    downPaymentCents,
    metadata,
    preview,
    outcomes,
    startedAt,
    completedAt,
    defaultedAt,
    cancelledAt,
    createdAt,
  ] = row;
  return {
    id,
    reference,
    accountId,
    sessionId,
    status,
    orderReference,
    customerName,
    customerEmail,
    customerState,
    totalCents,
    reservationFeeCents,
    downPaymentCents,
    metadata: metadata === '{}' ? {} : JSON.parse(metadata),
    preview: preview === 1,
    outcomes: outcomes === '[]' ? [] : JSON.parse(outcomes),
    startedAt,
    completedAt,
    defaultedAt,
    cancelledAt,
    createdAt,
  };
}
