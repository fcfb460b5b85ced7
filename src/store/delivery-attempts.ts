import type { Cause } from '../domain/cause.ts';
import type { FaultKind, FaultMark } from '../domain/faults.ts';
import type { AttemptOutcome } from '../domain/webhook.ts';
import type { Database } from './file/database.ts';

/** One attempt as recorded. */
export interface StoredAttempt extends AttemptOutcome {
  /** Attempts are recorded in the order in which they were made. */
  readonly id: number;
  readonly number: number;
  /** On the account's clock. */
  readonly at: number;
  /** The fault that struck it. */
  readonly fault: FaultMark | null;
}

type Row = Omit<StoredAttempt, 'requestHeaders' | 'responseHeaders' | 'fault'> & {
  requestHeaders: string;
  responseHeaders: string;
  fault: string | null;
  faultKind: FaultKind | null;
};

export function deliveryAttempts(db: Database) {
  const insert = db.prepare(
    `INSERT INTO delivery_attempts (delivery_id, number, at, sent_at, status_code, duration_ms, error, request_headers,
       response_headers, response_body, fault, fault_kind, cause)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const ofDelivery = db.prepare<[number], Row>(
    `SELECT id, number, at, sent_at AS sentAt, status_code AS statusCode, duration_ms AS durationMs, error,
       request_headers AS requestHeaders, response_headers AS responseHeaders, response_body AS responseBody, fault,
       fault_kind AS faultKind
     FROM delivery_attempts WHERE delivery_id = ? ORDER BY number`,
  );

  return {
    insert: (deliveryId: number, a: Omit<StoredAttempt, 'id'>, cause: Cause | null) =>
      insert.run(
        deliveryId,
        a.number,
        a.at,
        a.sentAt,
        a.statusCode,
        a.durationMs,
        a.error,
        JSON.stringify(a.requestHeaders),
        JSON.stringify(a.responseHeaders),
        a.responseBody,
        a.fault?.id ?? null,
        a.fault?.kind ?? null,
        cause,
      ),
    /** Oldest first. */
    list: (deliveryId: number): StoredAttempt[] =>
      ofDelivery.all(deliveryId).map(({ fault, faultKind, ...row }) => ({
        ...row,
        requestHeaders: JSON.parse(row.requestHeaders),
        responseHeaders: JSON.parse(row.responseHeaders),
        fault: fault === null ? null : { id: fault, kind: faultKind as FaultKind },
      })),
  };
}
