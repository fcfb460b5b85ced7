import type { Instant } from '../../domain/calendar.ts';
import type { Account, Clock } from '../../domain/merchant.ts';
import type { Session, SessionStatus } from '../../domain/session.ts';

/** One look at a checkout: what its pages are drawn from. */
export interface Visit {
  readonly session: Session;
  readonly account: Account;
  readonly now: Instant;
  readonly clockMode: Clock['mode'];
  /** The effective status at `now`. */
  readonly status: SessionStatus;
  /** Whether the simulator bar is shown. */
  readonly bar: boolean;
  /** Whether the form starts with test data in it. */
  readonly fill: boolean;
  /** Proves that a form came from one of our pages. */
  readonly formToken: string;
}

/** What a form asks for; `expire` is the simulator bar's. */
export type Step = 'accept' | 'pay' | 'cancel' | 'expire';

/** The address of the checkout or of one of its steps; whoever hid the bar keeps it hidden. */
export function addressOf({ session, bar }: Pick<Visit, 'session' | 'bar'>, step?: Step): string {
  return `/checkout/${session.token}${step ? `/${step}` : ''}${bar ? '' : '?bar=off'}`;
}

export const merchantName = ({ merchant }: Account) => merchant.dba ?? merchant.legal_name;
