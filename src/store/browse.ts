import type { ContractStatus } from '../domain/contract.ts';
import type { SessionStatus } from '../domain/session.ts';
import type { DeliveryStatus } from '../domain/webhook.ts';
import type { Database } from './database.ts';
import { lookBack, pattern } from './look-back.ts';

/** Filters of a search; null matches everything. */
export interface Wanted<Status extends string> {
  readonly accountId: number;
  readonly status: Status | null;
  readonly text: string | null;
}

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
  type Pair = typeof contractIds;
  const fitting = ({ all, some }: Pair, { status }: Wanted<string>) => (status === null ? all : some);

  const sessionCounts = db.prepare<[number], { status: SessionStatus; n: number }>(
    'SELECT status, count(*) AS n FROM sessions WHERE account_id = ? GROUP BY status',
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

  return {
    back: lookBack(db),
    contractIds: (wanted: Wanted<ContractStatus>, limit: number, offset: number): number[] =>
      fitting(contractIds, wanted).all({ ...bound(wanted), limit, offset }),
    /** Counts at most `max`. */
    contractCount: (wanted: Wanted<ContractStatus>, max: number): number =>
      fitting(contractCount, wanted).get({ ...bound(wanted), limit: max }) ?? 0,
    sessionIds: (wanted: Wanted<SessionStatus>, limit: number, offset: number): number[] =>
      fitting(sessionIds, wanted).all({ ...bound(wanted), limit, offset }),
    sessionCount: (wanted: Wanted<SessionStatus>, max: number): number =>
      fitting(sessionCount, wanted).get({ ...bound(wanted), limit: max }) ?? 0,
    counts: (accountId: number) => ({
      sessions: tally(sessionCounts.all(accountId)),
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
