import type { Instant } from './calendar.ts';
import { type Machine, move } from './machine.ts';
import type { Metadata } from './metadata.ts';
import type { Terms } from './quote.ts';
import { Refusal } from './refusal.ts';

export const SESSION_STATUSES = ['pending', 'decision_made', 'completed', 'cancelled', 'expired'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export const SESSION_TRIGGERS = ['accept', 'correct', 'capture', 'decline', 'back_out', 'lapse'] as const;
export type SessionTrigger = (typeof SESSION_TRIGGERS)[number];

/** §3.1, triggers @assumed decisions §4. */
export const SESSION_MACHINE: Machine<SessionStatus, SessionTrigger> = {
  pending: { accept: 'decision_made', back_out: 'cancelled', lapse: 'expired' },
  decision_made: { correct: 'decision_made', capture: 'completed', decline: 'decision_made', back_out: 'cancelled' },
  completed: {},
  cancelled: {},
  expired: {},
};

/** A checkout session (§2.5) as it is stored. Amounts in cents. */
export interface Session {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  readonly status: SessionStatus;
  readonly orderReference: string;
  readonly totalCents: number;
  readonly downPaymentCents: number;
  readonly reservationFeeCents: number;
  readonly terms: Terms;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  readonly customerEmail: string | null;
  /** The US state that availability was checked for: as sent, else the merchant's own (§4.3). */
  readonly customerState: string;
  readonly metadata: Metadata;
  /** Opened as a dashboard preview (§4.5). */
  readonly preview: boolean;
  /** The store opened it, not a lever: coverage looks at how it goes on. */
  readonly byStore: boolean;
  readonly expiresAt: Instant;
  readonly createdAt: Instant;
}

/** §3.1: a pending session past its deadline reads as expired, even before the stored status changes. */
export function effectiveStatus(session: Pick<Session, 'status' | 'expiresAt'>, now: Instant): SessionStatus {
  return session.status === 'pending' && now >= session.expiresAt ? 'expired' : session.status;
}

const WHY_NOT: Record<SessionStatus, string> = {
  pending: 'The plan of this checkout session has not been accepted yet.',
  decision_made: 'The plan of this checkout session has already been accepted.',
  completed: 'This checkout session is already completed.',
  cancelled: 'This checkout session was cancelled.',
  expired: 'This checkout session has expired. Open a new one.',
};

/**
 * The status after `trigger`.
 * @throws Refusal `conflict` with the reason, when the session's effective status does not allow it
 */
export function moveSession(session: Session, trigger: SessionTrigger, now: Instant): SessionStatus {
  const from = trigger === 'lapse' ? session.status : effectiveStatus(session, now);
  const to = move(SESSION_MACHINE, from, trigger);
  if (to === null) throw new Refusal('conflict', WHY_NOT[from]);
  return to;
}
