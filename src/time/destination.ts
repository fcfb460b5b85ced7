import {
  ADVANCE_YEARS_MAX,
  addDuration,
  type Duration,
  formatDate,
  formatInstant,
  type Instant,
  LATEST,
} from '../domain/calendar.ts';
import type { Condition } from '../domain/condition.ts';
import type { Account } from '../domain/merchant.ts';
import { invalid } from '../domain/refusal.ts';
import type { Engine } from '../engine/engine.ts';
import type { Outbox } from '../engine/outbox.ts';

/** The destination: exactly one of the four (interface §3). */
export type Destination =
  | { readonly by: Duration }
  | { readonly to: Instant }
  | { readonly next: true }
  | { readonly until: Condition };

/** Only failed payments lead there. */
const UNPAID: ReadonlySet<string> = new Set(['due', 'past_due', 'delinquent', 'defaulted']);

/** What finds the instant of a destination. */
export interface Lookout {
  readonly engine: Pick<Engine, 'whenReached' | 'holds'>;
  readonly outbox: Pick<Outbox, 'nextNoticed'>;
}

/**
 * Returns the instant of the destination.
 * @throws Refusal `invalid` for one that lies behind, too far ahead, or is never reached
 */
export function targetOf(
  { engine, outbox }: Lookout,
  account: Account,
  destination: Destination,
  now: Instant,
): Instant {
  if ('to' in destination) return refuseTarget('to', destination.to, now);
  if ('by' in destination) return refuseTarget('by', addDuration(now, destination.by), now);
  if ('next' in destination) return refuseTarget('next', Math.max(now, outbox.nextNoticed(account.id)?.at ?? now), now);
  if (engine.holds(account, destination.until, now)) return now;
  const reachedAt = engine.whenReached(account, destination.until, furthest(now));
  if (reachedAt === null) {
    const payments = isUnpaid(destination.until) ? ' Payments succeed unless `outcomes` makes them fail.' : '';
    throw invalid(
      'until',
      `The until condition is never reached if nobody acts.${payments} The forecast lists what will happen.`,
    );
  }
  return Math.max(now, reachedAt);

  /** Whether failed payments would lead there: those of a contract that has ended come no more. */
  function isUnpaid(until: Condition): boolean {
    if (until.of === 'session' || !UNPAID.has(until.status)) return false;
    return engine.holds(account, { of: 'contract', reference: until.reference, status: 'active' }, now);
  }
}

export const furthest = (now: Instant) => Math.min(addDuration(now, { months: ADVANCE_YEARS_MAX * 12, ms: 0 }), LATEST);

export function refuseTarget(field: string, target: Instant, now: Instant): Instant {
  if (target < now) {
    throw invalid(field, `The ${field} field must not be before the account's clock, ${formatInstant(now)}.`);
  }
  if (!(target <= furthest(now))) {
    throw invalid(
      field,
      `The ${field} field must not be more than ${ADVANCE_YEARS_MAX} years ahead, or after ${formatDate(LATEST)}.`,
    );
  }
  return target;
}
