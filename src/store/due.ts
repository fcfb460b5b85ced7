import type { DueStep } from '../domain/installment.ts';
import type { Database } from './file/database.ts';

/** The next thing that falls due for an account, whatever it is (law 5: one indexed query). */
export type DueThing =
  | { readonly at: number; readonly kind: DueStep; readonly contractId: number; readonly sequence: number }
  | { readonly at: number; readonly kind: 'lapse'; readonly sessionId: number };

/** The first of each kind; null where there is none. */
interface Row {
  nextAt: number | null;
  step: DueStep;
  contractId: number;
  sequence: number;
  expiresAt: number | null;
  sessionId: number;
}

/** A place in the order in which things fall due. */
export interface DueCursor {
  readonly at: number;
  /** Of the contract, or of the session. */
  readonly id: number;
  /** Of the installment; 0 for a session. */
  readonly sequence: number;
}

/** A place before every due thing. */
const BEFORE_ALL: DueCursor = { at: -1, id: 0, sequence: 0 };

/** At one instant, installments come before sessions: the order of events in decisions §6. */
export function due(db: Database) {
  // As a UNION of the two it would fill two temporary tables.
  const next = db.prepare<{ accountId: number; withPreviews: 0 | 1 }, Row>(`
    SELECT next_at AS nextAt, next_step AS step, contract_id AS contractId, sequence,
      expires_at AS expiresAt, sessions.id AS sessionId
    FROM (SELECT 1)
    LEFT JOIN installments ON (contract_id, sequence) = (
      SELECT contract_id, sequence FROM installments
      WHERE account_id = @accountId AND next_at IS NOT NULL
        AND (@withPreviews OR (SELECT preview FROM contracts WHERE id = contract_id) = 0)
      ORDER BY next_at, contract_id, sequence LIMIT 1)
    LEFT JOIN sessions ON sessions.id = (
      SELECT id FROM sessions WHERE account_id = @accountId AND status = 'pending' AND (@withPreviews OR preview = 0)
      ORDER BY expires_at, id LIMIT 1)`);

  const installmentsFrom = db.prepare<[number, number, number, number, number, number], DueCursor>(
    `SELECT next_at AS at, contract_id AS id, sequence FROM installments
     WHERE account_id = ? AND next_at <= ? AND (next_at, contract_id, sequence) > (?, ?, ?)
     ORDER BY next_at, contract_id, sequence LIMIT ?`,
  );
  // Two statements: as one, it would skip all earlier rows of the instant to find the next page.
  const sessionsAt = db.prepare<[number, number, number, number], DueCursor>(
    `SELECT expires_at AS at, id, 0 AS sequence FROM sessions
     WHERE account_id = ? AND status = 'pending' AND expires_at = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const sessionsAfter = db.prepare<[number, number, number, number], DueCursor>(
    `SELECT expires_at AS at, id, 0 AS sequence FROM sessions
     WHERE account_id = ? AND status = 'pending' AND expires_at > ? AND expires_at <= ? ORDER BY expires_at, id LIMIT ?`,
  );

  return {
    /** Installments that something falls due for by `until`, in order; those after `after`, unless it is null. */
    installments(accountId: number, until: number, after: DueCursor | null, limit: number) {
      const { at, id, sequence } = after ?? BEFORE_ALL;
      return installmentsFrom.all(accountId, until, at, id, sequence, limit);
    },
    /** The same of sessions, which lapse. */
    sessions(accountId: number, until: number, after: DueCursor | null, limit: number) {
      const { at, id } = after ?? BEFORE_ALL;
      const rest = sessionsAt.all(accountId, at, id, limit);
      return rest.length < limit ? [...rest, ...sessionsAfter.all(accountId, at, until, limit - rest.length)] : rest;
    },
    /** The next change of state. */
    nextChange: (accountId: number) => thingOf(next.get({ accountId, withPreviews: 1 }) as Row),
    /** The next change that makes an event: that of a preview makes none. */
    nextEvent: (accountId: number) => thingOf(next.get({ accountId, withPreviews: 0 }) as Row),
  };
}

function thingOf({ nextAt, step, contractId, sequence, expiresAt, sessionId }: Row): DueThing | null {
  if (nextAt !== null && (expiresAt === null || nextAt <= expiresAt)) {
    return { at: nextAt, kind: step, contractId, sequence };
  }
  return expiresAt === null ? null : { at: expiresAt, kind: 'lapse', sessionId };
}
