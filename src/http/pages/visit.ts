import type { Instant } from '../../domain/calendar.ts';
import type { Account, Clock } from '../../domain/merchant.ts';
import type { Session, SessionStatus } from '../../domain/session.ts';

/** The data for one page of a checkout. */
export interface Visit {
  readonly session: Session;
  readonly account: Account;
  readonly now: Instant;
  readonly clockMode: Clock['mode'];
  /** The effective status at `now`. */
  readonly status: SessionStatus;
  /** Whether the simulator bar is shown. */
  readonly bar: boolean;
  /** Whether the form is filled in with test data. */
  readonly fill: boolean;
  /** Whether “Decline this payment” is checked, because a card was refused before it could be declined. */
  readonly decline: boolean;
  /** Proves that a form came from one of our pages. */
  readonly formToken: string;
}

/** The step that a form submits; `expire` belongs to the simulator bar. */
export type Step = 'accept' | 'email' | 'pay' | 'settle' | 'cancel' | 'expire';

/** The URL of the checkout or of one of its steps. A hidden bar stays hidden. */
export function addressOf({ session, bar }: Pick<Visit, 'session' | 'bar'>, step?: Step): string {
  return `/checkout/${session.token}${step ? `/${step}` : ''}${bar ? '' : '?bar=off'}`;
}
