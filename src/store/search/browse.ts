import type { ContractStatus } from '../../domain/contract.ts';
import type { SessionStatus } from '../../domain/session.ts';
import type { DeliveryStatus, LatestAttempt } from '../../domain/webhook.ts';
import type { Database } from '../file/database.ts';
import { lookBack, pattern } from './look-back.ts';
import { triage } from './triage.ts';

/** Filters of a search; null matches everything. */
export interface Wanted<Status extends string> {
  readonly accountId: number;
  readonly status: Status | null;
  readonly text: string | null;
}

/** Filters by the installments: an overdue one, or a delinquent one. */
export type Overdue = 'overdue' | 'delinquent';
const isOverdue = (status: string | null): status is Overdue => status === 'overdue' || status === 'delinquent';

/**
 * Searches for the dashboard and the command line; the service never needs them. They return row ids and tokens; the
 * files of the tables read the rows. Statements are prepared on first use, to keep the start fast.
 */
export function browse(db: Database) {
  const contractText = `(@like IS NULL OR reference LIKE @like ESCAPE '\\' OR order_reference LIKE @like ESCAPE '\\'
    OR customer_name LIKE @like ESCAPE '\\' OR customer_email LIKE @like ESCAPE '\\')`;
  const sessionText = `(@like IS NULL OR token LIKE @like ESCAPE '\\' OR order_reference LIKE @like ESCAPE '\\'
    OR customer_email LIKE @like ESCAPE '\\')`;
  const ofAccount = 'account_id = @accountId AND preview = 0';
  const ofStatus = 'account_id = @accountId AND status = @status AND preview = 0';
  const newest = 'ORDER BY created_at DESC, id DESC LIMIT @limit OFFSET @offset';
  const latest = 'ORDER BY id DESC LIMIT @limit OFFSET @offset';
  const read = (sql: string) => db.prepare<object, number>(sql).pluck();

  // The search by status has its own index, so it needs its own statement.
  const contractIds = {
    all: read(`SELECT id FROM contracts WHERE ${ofAccount} AND ${contractText} ${newest}`),
    some: read(`SELECT id FROM contracts WHERE ${ofStatus} AND ${contractText} ${newest}`),
  };
  const contractCount = {
    all: read(`SELECT count(*) FROM (SELECT 1 FROM contracts WHERE ${ofAccount} AND ${contractText} LIMIT @limit)`),
    some: read(`SELECT count(*) FROM (SELECT 1 FROM contracts WHERE ${ofStatus} AND ${contractText} LIMIT @limit)`),
  };
  const sessionIds = {
    all: read(`SELECT id FROM sessions WHERE ${ofAccount} AND ${sessionText} ${latest}`),
    some: read(`SELECT id FROM sessions WHERE ${ofStatus} AND ${sessionText} ${latest}`),
  };
  const sessionCount = {
    all: read(`SELECT count(*) FROM (SELECT 1 FROM sessions WHERE ${ofAccount} AND ${sessionText} LIMIT @limit)`),
    some: read(`SELECT count(*) FROM (SELECT 1 FROM sessions WHERE ${ofStatus} AND ${sessionText} LIMIT @limit)`),
  };
  const dueCount = {
    installments: read(
      'SELECT count(*) FROM (SELECT 1 FROM installments WHERE account_id = @accountId AND next_at <= @until LIMIT @limit)',
    ),
    sessions: read(
      `SELECT count(*) FROM (SELECT 1 FROM sessions WHERE account_id = @accountId AND status = 'pending'
         AND expires_at <= @until LIMIT @limit)`,
    ),
  };
  // SQLite takes the index of overdue installments only where its condition is repeated as it stands.
  const ofActive = `status = 'active' AND preview = 0 AND ${contractText}`;
  const overdue = `id IN (SELECT contract_id FROM installments WHERE account_id = @accountId
    AND status IN ('past_due', 'delinquent')) AND ${ofActive}`;
  const delinquent = `id IN (SELECT contract_id FROM installments WHERE account_id = @accountId
    AND status IN ('past_due', 'delinquent') AND status = 'delinquent') AND ${ofActive}`;
  const overdueIds = {
    overdue: read(`SELECT id FROM contracts WHERE ${overdue} ${newest}`),
    delinquent: read(`SELECT id FROM contracts WHERE ${delinquent} ${newest}`),
  };
  const overdueCount = {
    overdue: read(`SELECT count(*) FROM (SELECT 1 FROM contracts WHERE ${overdue} LIMIT @limit)`),
    delinquent: read(`SELECT count(*) FROM (SELECT 1 FROM contracts WHERE ${delinquent} LIMIT @limit)`),
  };
  const latestAttempts = db.prepare<[number, number], LatestAttempt>(
    `SELECT id, endpoint_id AS endpointId, at, status_code AS statusCode, duration_ms AS durationMs, error
     FROM (SELECT id AS latest, endpoint_id FROM deliveries WHERE account_id = ? AND endpoint_id IS NOT NULL
       ORDER BY id DESC LIMIT ?)
     JOIN delivery_attempts ON delivery_id = latest`,
  );
  type Pair = typeof contractIds;
  const fitting = ({ all, some }: Pair, { status }: Wanted<string>) => (status === null ? all : some);

  const previews = 'SELECT count(*) FROM sessions WHERE account_id = @id AND preview = 1 AND status = every.status';
  const sessionCounts = db.prepare<{ readonly id: number }, { status: SessionStatus; n: number }>(
    `SELECT status, count(*) - (${previews}) AS n FROM sessions AS every WHERE account_id = @id
     GROUP BY status HAVING n > 0`,
  );
  const contractCounts = db.prepare<[number], { status: ContractStatus; n: number }>(
    'SELECT status, contracts AS n FROM contract_counts WHERE account_id = ? AND contracts > 0',
  );
  const deliveryCounts = db.prepare<[number], { status: DeliveryStatus; n: number }>(
    'SELECT status, count(*) AS n FROM deliveries WHERE account_id = ? GROUP BY status',
  );
  const eventsOfSession = db
    .prepare<[number, number], number>('SELECT id FROM events WHERE session_id = ? ORDER BY id DESC LIMIT ?')
    .pluck();
  const deliveriesOfEvent = db
    .prepare<[number], number>('SELECT id FROM deliveries WHERE event_id = ? ORDER BY id DESC')
    .pluck();
  const emailsOf = db
    .prepare<[string, number], string>('SELECT token FROM emails WHERE reference = ? ORDER BY id DESC LIMIT ?')
    .pluck();

  const contractOfPayment = db
    .prepare<[string], number>('SELECT contract_id FROM payment_attempts WHERE reference = ?')
    .pluck();

  const accountOfEndpoint = db
    .prepare<[string], number>('SELECT account_id FROM endpoints WHERE token = ? AND deleted_at IS NULL')
    .pluck();

  const tally = (rows: readonly { status: string; n: number }[]): Record<string, number> =>
    Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  const bound = <S extends string>({ accountId, status, text }: Wanted<S>) => ({
    accountId,
    ...(status === null ? {} : { status }),
    like: pattern(text),
  });

  const contractsOf = (accountId: number) => contractCounts.all(accountId).reduce((sum, { n }) => sum + n, 0);

  return {
    back: lookBack(db),
    contractIds: (wanted: Wanted<ContractStatus | Overdue>, limit: number, offset: number): number[] =>
      (isOverdue(wanted.status) ? overdueIds[wanted.status] : fitting(contractIds, wanted)).all({
        ...bound(wanted),
        limit,
        offset,
      }),
    /** Counts at most `max`. */
    contractCount: (wanted: Wanted<ContractStatus | Overdue>, max: number): number =>
      (isOverdue(wanted.status) ? overdueCount[wanted.status] : fitting(contractCount, wanted)).get({
        ...bound(wanted),
        limit: max,
      }) ?? 0,
    /** Counts the installments and sessions that something falls due for by `until`, at most `max`. */
    dueCount(accountId: number, until: number, max: number): number {
      const installments = dueCount.installments.get({ accountId, until, limit: max }) ?? 0;
      return installments + (dueCount.sessions.get({ accountId, until, limit: max - installments }) ?? 0);
    },
    triage: triage(db, contractsOf),
    /** The attempts of the latest `most` deliveries to endpoints, in no order. */
    latestAttempts: (accountId: number, most: number): LatestAttempt[] => latestAttempts.all(accountId, most),
    sessionIds: (wanted: Wanted<SessionStatus>, limit: number, offset: number): number[] =>
      fitting(sessionIds, wanted).all({ ...bound(wanted), limit, offset }),
    sessionCount: (wanted: Wanted<SessionStatus>, max: number): number =>
      fitting(sessionCount, wanted).get({ ...bound(wanted), limit: max }) ?? 0,
    counts: (accountId: number) => ({
      sessions: tally(sessionCounts.all({ id: accountId })),
      contracts: tally(contractCounts.all(accountId)),
      deliveries: tally(deliveryCounts.all(accountId)),
    }),
    contractCounts: (accountId: number) => tally(contractCounts.all(accountId)),
    /** Newest first, those of the session's contract included. */
    eventsOfSession: (sessionId: number, limit: number) => eventsOfSession.all(sessionId, limit),
    deliveriesOfEvent: (eventId: number) => deliveriesOfEvent.all(eventId),
    emailsOf: (reference: string, limit: number) => emailsOf.all(reference, limit),
    /** Finds the contract of a payment attempt. */
    contractOfPayment: (reference: string) => contractOfPayment.get(reference) ?? null,
    accountOfEndpoint: (token: string) => accountOfEndpoint.get(token) ?? null,
  };
}

export type Browse = ReturnType<typeof browse>;
