import { DAY } from '../calendar.ts';
import type { Outcome } from '../contract.ts';
import type { EventType } from '../event.ts';
import type { Story, ToldDelivery } from './story.ts';

/** Something that lies ahead, and how to avert it, with commands in backticks. */
export interface Upcoming {
  readonly at: number;
  readonly what: string;
  readonly unless: string;
}

/** An event of a forecast. */
interface Foreseen {
  readonly at: number;
  readonly type: EventType;
  readonly subject: string;
}

/**
 * The part of a contract's forecast that concerns the subjects. `LAY-…` includes its installments. An installment
 * includes the default of its contract, unless it is paid by then.
 */
export function aheadOf(
  foreseen: readonly Foreseen[],
  subjects: readonly string[],
  { session, installments, settings }: Pick<Story, 'session' | 'installments' | 'settings'>,
): Upcoming[] {
  const paid = new Set(installments.filter(({ status }) => status === 'paid').map(({ number }) => String(number)));
  const isOfThem = ({ type, subject }: Foreseen) =>
    subjects.some((each) => {
      if (subject === each || subject.startsWith(`${each}#`)) return true;
      const [reference, number = ''] = each.split('#');
      return type === 'contract.defaulted' && subject === reference && !paid.has(number);
    });
  /** Those of the attempts so far in the forecast. A script is used up one outcome for each attempt. */
  const outcomes: Outcome[] = [];
  const upcoming: Upcoming[] = [];
  // Without an address, the session’s own is used.
  const email = session?.customerEmail == null ? ' --customer-email customer@example.com' : '';
  for (const event of foreseen) {
    const { at, type, subject } = event;
    if (type === 'installment.paid') {
      outcomes.push('pay');
      paid.add(subject.split('#')[1] ?? '');
    }
    if (type === 'installment.payment_failed') outcomes.push('fail');
    if (isOfThem(event)) upcoming.push({ at, what: `${type} of ${subject}`, unless: unlessOf(event) });
  }
  return upcoming;

  function unlessOf({ at, type, subject }: Foreseen): string {
    const [reference = '', number = ''] = subject.split('#');
    const until = (last: Outcome) =>
      `\`layaway contracts outcomes ${[reference, ...outcomes.slice(0, -1), last].join(' ')}\``;
    switch (type) {
      case 'session.expired':
        return `the customer accepts the plan first: \`layaway sessions accept ${subject} --customer-name "Test Customer"${email}\``;
      case 'installment.paid':
        return `a failure is arranged: ${until('fail')}`;
      case 'installment.payment_failed':
      case 'installment.past_due':
        return `a success is arranged: ${until('pay')}`;
      case 'installment.delinquent':
        return `it is settled first: \`layaway contracts settle ${reference} ${number}\``;
      case 'contract.defaulted':
        return `the overdue installment is settled first: \`layaway contracts settle ${reference} ${unpaidAt(at)}\``;
      case 'contract.completed':
        return `an installment stays unpaid, or it ends first: \`layaway contracts cancel ${reference}\``;
      default:
        return 'somebody acts first';
    }
  }

  /** The number of the installment whose default clock ends at that instant. */
  function unpaidAt(at: number): string {
    const overdue = installments.find(({ defaultAt, status }) => defaultAt === at && status !== 'paid');
    const isItsStart = ({ type, at: start }: Foreseen) =>
      type === 'installment.past_due' && start + settings.default_days * DAY === at;
    return overdue ? String(overdue.number) : (foreseen.find(isItsStart)?.subject.split('#')[1] ?? '');
  }
}

const UNLESS_DISABLED = 'the endpoint is disabled or removed first';
const UNLESS_UNHEARD = `nobody listens for an hour of real time, or ${UNLESS_DISABLED}`;
const UNLESS_REORDERED =
  'the endpoint answers a later event first, after which it comes at once, or is disabled or removed';

/**
 * The next attempts of pending deliveries, in the order in which they come. What is due already comes now, however long ago
 * it fell due.
 */
export function attemptsAhead(deliveries: readonly ToldDelivery[], now: number): Upcoming[] {
  const inOrder = deliveries.toSorted(
    ({ delivery: a }, { delivery: b }) => (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0) || a.id - b.id,
  );
  return inOrder.flatMap(({ delivery: { token, url, attempts, nextAttemptAt }, isHeard, heldBy }) => {
    if (nextAttemptAt === null) return [];
    const at = Math.max(nextAttemptAt, now);
    const what = `attempt ${attempts + 1} of the delivery ${token} to ${url}`;
    if (!isHeard) return [{ at, what: `${what}, once layaway listen runs for it again`, unless: UNLESS_UNHEARD }];
    return [{ at, what, unless: heldBy?.kind === 'reordered' ? UNLESS_REORDERED : UNLESS_DISABLED }];
  });
}
