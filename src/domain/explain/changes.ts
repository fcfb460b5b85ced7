import { DAY, HOUR, MINUTE } from '../calendar.ts';
import { readCause } from '../cause.ts';
import type { Installment } from '../installment.ts';
import { formatMoney, share } from '../money.ts';
import type { Setting } from '../setting-note.ts';
import { type Said, type Story, settingAt, type ToldEvent } from './story.ts';

const installmentOf = ({ subject }: ToldEvent, { installments }: Story) =>
  installments.find(({ number }) => String(number) === subject.split('#')[1]);

/** The rule and the setting because of which something fell due. */
export function dueOf(event: ToldEvent, story: Story): Said {
  const { session } = story;
  const installment = installmentOf(event, story);
  switch (event.type) {
    case 'session.expired':
      return {
        what: 'The session’s deadline passed.',
        because: 'The customer did not accept the plan in time.',
        section: 'service §3.1',
        setting: session && { name: 'session_ttl_minutes', value: (session.expiresAt - session.createdAt) / MINUTE },
      };
    case 'installment.delinquent':
      return {
        what: `The grace period of installment ${installment?.number} ran out.`,
        because: 'It was still unpaid.',
        section: 'service §3.3',
        setting: { name: 'grace_days', value: (event.at - (installment?.pastDueAt ?? event.at)) / DAY },
      };
    case 'contract.defaulted': {
      const unpaid = story.installments.find(({ defaultAt, status }) => defaultAt === event.at && status !== 'paid');
      return {
        what: `The default clock of installment ${unpaid?.number} ended.`,
        because: 'It was still unpaid.',
        section: 'decisions §4',
        setting: { name: 'default_days', value: (event.at - (unpaid?.pastDueAt ?? event.at)) / DAY },
      };
    }
    default: {
      const isRetry = installment !== undefined && event.at > installment.dueAt;
      return isRetry
        ? {
            what: `The second collection attempt on installment ${installment.number} fell due.`,
            because: 'The first one failed.',
            section: 'service §3.3',
            setting: { name: 'collection_retry_hours', value: retryHours(event, installment, story) },
          }
        : {
            what: `Installment ${installment?.number} fell due.`,
            because: 'Its due date came. The first collection attempt is made at the same moment.',
            section: 'service §3.3',
            setting: session && { name: 'installment_cadence', value: session.terms.installmentCadence },
          };
    }
  }
}

const retryHours = ({ at }: ToldEvent, { sequence }: Installment, { attempts }: Story) => {
  const first = attempts.find((attempt) => attempt.sequence === sequence);
  return (at - (first?.at ?? at)) / HOUR;
};

/** The change of state behind an event, with the rule and the setting that decided it. */
export function transitionOf(event: ToldEvent, story: Story): Said | null {
  const { contract, session } = story;
  const { subject } = event;
  const installment = installmentOf(event, story);
  const [reference, number] = subject.split('#');
  const of = `Installment ${number} of ${reference}`;
  const charge = (installment?.lateChargeCents ?? 0) > 0 ? ', late charge included' : '';
  switch (event.type) {
    case 'session.decision_made':
      return {
        what: `Session ${subject} moved from pending to decision_made; the pending contract ${contract?.reference} was created.`,
        because: 'The customer entered a name and an email address and accepted the plan.',
        section: 'decisions §4',
      };
    case 'session.completed':
      return {
        what: `Session ${subject} moved from decision_made to completed.`,
        because: 'The Cart Capture landed.',
        section: 'decisions §4',
      };
    case 'session.cancelled':
      return {
        what: `Session ${subject} moved to cancelled${contract ? `, and so did contract ${contract.reference}` : ''}.`,
        because: 'The customer backed out. A pending contract is cancelled silently.',
        section: 'decisions §4',
      };
    case 'session.expired':
      return {
        what: `Session ${subject} moved from pending to expired.`,
        because: 'Only a pending session expires, at its deadline.',
        section: 'service §3.1',
      };
    case 'contract.activated':
      return {
        what: `Contract ${subject} moved from pending to active.`,
        because: `The down payment of ${formatMoney(contract?.downPaymentCents ?? 0)} and the Reservation Fee were collected.`,
        section: 'decisions §4',
        setting: session && { name: 'down_payment_percentage', value: session.terms.downPaymentPercentage },
      };
    case 'contract.completed':
      return {
        what: `Contract ${subject} moved from active to completed.`,
        because: 'Its last unpaid installment was paid.',
        section: 'decisions §4',
      };
    case 'contract.cancelled':
      return {
        what: `Contract ${subject} moved from active to cancelled.`,
        because: 'An active contract ends when it is cancelled; paid installments stay paid.',
        section: 'service §3.2',
      };
    case 'contract.defaulted':
      return {
        what: `Contract ${subject} moved from active to defaulted.`,
        because: 'An installment was still unpaid when its default clock ended; collection stops.',
        section: 'decisions §4',
      };
    case 'installment.paid':
      return {
        what: `${of} is paid.`,
        because: isSettled(event) ? `The customer settled it${charge}.` : 'It was collected.',
        section: 'service §3.3',
      };
    case 'installment.past_due':
      return {
        what: `${of} moved from due to past_due.`,
        because:
          'The second collection attempt failed and the customer was notified; at that moment the grace and default clocks start.',
        section: 'service §3.3',
        setting: { name: 'grace_days', value: settingAt(event, 'grace_days', story) },
      };
    case 'installment.delinquent':
      return {
        what: `${of} moved from past_due to delinquent, with a late charge of ${formatMoney(installment?.lateChargeCents ?? 0)}.`,
        because: 'The grace period ran out and the late charge was assessed, once.',
        section: 'service §3.3',
        setting: lateChargeSetting(event, installment, story),
      };
    default:
      return null;
  }
}

/** Of the percentage and the cap, the one that gave the late charge. */
function lateChargeSetting(event: ToldEvent, installment: Installment | undefined, story: Story): Setting {
  const then = (name: 'late_charge_percentage' | 'late_charge_max_amount') => ({
    name,
    value: settingAt(event, name, story),
  });
  const [percentage, cap] = [then('late_charge_percentage'), then('late_charge_max_amount')];
  return cap.value < share(installment?.amountCents ?? 0, percentage.value) ? cap : percentage;
}

export function isSettled({ cause }: Pick<ToldEvent, 'cause'>) {
  const read = readCause(cause);
  return read.kind === 'lever' && read.operation === 'settleInstallment';
}
