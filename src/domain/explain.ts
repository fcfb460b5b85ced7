import type { AccountSettings } from './assumptions.ts';
import { nextAttemptAt } from './backoff.ts';
import { DAY, formatMoment, HOUR, MINUTE } from './calendar.ts';
import { type Cause, readCause } from './cause.ts';
import type { Contract, Outcome, PaymentAttempt } from './contract.ts';
import type { EmailTemplate } from './email.ts';
import type { EventType } from './event.ts';
import type { FaultMark } from './faults.ts';
import type { Installment } from './installment.ts';
import { formatMoney, share } from './money.ts';
import { installmentNumber, sequenceOf } from './schedule.ts';
import type { Session } from './session.ts';
import { type Setting, settingNote } from './setting-note.ts';
import { type AttemptOutcome, type Delivery, isDelivered, retryAfterSeconds } from './webhook.ts';

export const CHAIN_KINDS = [
  'request',
  'lever',
  'clock',
  'transition',
  'event',
  'attempt',
  'email',
  'delivery',
] as const;
export type ChainKind = (typeof CHAIN_KINDS)[number];

/** One link of a chain of causes: what happened, and why. */
export interface Link {
  /** On the account's clock. */
  readonly at: number;
  /** In real time, for a request, a lever or a delivery. */
  readonly sentAt: number | null;
  readonly what: string;
  readonly because: string;
  readonly section: string | null;
  readonly setting: Setting | null;
  readonly id: string | null;
  readonly kind: ChainKind;
}

/** The facts of a request to `/v1` that a story needs. */
export interface ToldRequest {
  readonly id: string;
  readonly sentAt: number;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly fault: FaultMark | null;
}

/** The facts of a lever that a story needs. */
export interface ToldLever {
  readonly id: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly at: number;
  readonly sentAt: number;
  readonly afterEvent: number;
}

export interface ToldEvent {
  readonly id: number;
  readonly token: string;
  readonly type: EventType;
  readonly subject: string;
  readonly at: number;
  readonly cause: Cause | null;
}

export interface ToldEmail {
  readonly token: string;
  readonly template: EmailTemplate;
  readonly recipient: string;
  readonly installment: number | null;
  readonly at: number;
}

export interface ToldDelivery {
  readonly delivery: Delivery;
  readonly cause: Cause | null;
  /** False while it waits for a listening process that is away. */
  readonly isHeard: boolean;
  /** When, on the account's clock, and why it was given up before its last retry. */
  readonly givenUp: { readonly at: number; readonly reason: string } | null;
  readonly attempts: readonly ToldAttempt[];
}

type ToldAttempt = Pick<AttemptOutcome, 'sentAt' | 'statusCode' | 'error' | 'responseHeaders'> & {
  readonly number: number;
  readonly at: number;
  readonly fault: FaultMark | null;
};

/** Everything that belongs to one checkout and its contract, or a single thing that belongs to no checkout. */
export interface Story {
  readonly session: Session | null;
  readonly sessionCause: Cause | null;
  readonly contract: Contract | null;
  readonly contractCause: Cause | null;
  readonly installments: readonly Installment[];
  readonly attempts: readonly (PaymentAttempt & { readonly cause: Cause | null })[];
  readonly events: readonly ToldEvent[];
  readonly emails: readonly ToldEmail[];
  readonly deliveries: readonly ToldDelivery[];
  readonly levers: readonly ToldLever[];
  readonly settings: AccountSettings;
  /** Null if the log does not contain it. */
  request(id: string): ToldRequest | null;
}

/** The place of a link among those of the same instant: its step, then its kind. */
type Placed = Link & { readonly step: number; readonly rank: number };
type Said = Pick<Link, 'what' | 'because'> & Partial<Pick<Link, 'section' | 'setting' | 'id' | 'sentAt'>>;

const RANK: Record<ChainKind, number> = {
  request: 0,
  lever: 0,
  clock: 0,
  attempt: 1,
  transition: 2,
  event: 3,
  email: 4,
  delivery: 5,
};

/** Events that share a transaction with another one, and the event just before each (decisions §6). */
const FOLLOWS: Partial<Record<EventType, EventType>> = {
  'session.completed': 'contract.activated',
  'installment.past_due': 'installment.payment_failed',
  'contract.completed': 'installment.paid',
};

const LETTERS: Partial<Record<EmailTemplate, EventType>> = {
  plan_confirmation: 'contract.activated',
  installment_receipt: 'installment.paid',
  past_due_notice: 'installment.past_due',
  delinquent_notice: 'installment.delinquent',
  plan_completed: 'contract.completed',
  plan_defaulted: 'contract.defaulted',
  plan_cancelled_customer: 'contract.cancelled',
  plan_cancelled_merchant: 'contract.cancelled',
};

/** Events that time alone brings, whoever moved the clock. */
const FALLS_DUE: ReadonlySet<EventType> = new Set<EventType>([
  'session.expired',
  'installment.payment_failed',
  'installment.past_due',
  'installment.delinquent',
  'contract.defaulted',
]);

/** Returns the whole chain of a story, oldest first. It is the same for every id in the story. */
export function chainOf(story: Story): Link[] {
  const links: Placed[] = [];
  const told = new Set<string>();
  const add = (kind: ChainKind, at: number, step: number, said: Said) =>
    void links.push({
      sentAt: null,
      section: null,
      setting: null,
      id: null,
      ...said,
      at,
      kind,
      step,
      rank: RANK[kind],
    });

  tellBeginning();
  tellEvents();
  tellDeclines();
  tellOutcomes();
  tellEmails();
  tellDeliveries();
  return links
    .toSorted((a, b) => a.at - b.at || a.step - b.step || a.rank - b.rank)
    .map(({ step: _step, rank: _rank, because, setting, ...link }) => ({
      ...link,
      because: setting ? `${because} ${settingNote(setting)}` : because,
      setting,
    }));

  /** The link that opened the session: the request, the lever, or neither if nothing was recorded. */
  function tellBeginning() {
    const { session, contract } = story;
    if (!session) return;
    lead(session.createdAt, 0, story.sessionCause, 'POST /v1/sessions opened the checkout session', 'service §4.3');
    const minutes = (session.expiresAt - session.createdAt) / MINUTE;
    add('transition', session.createdAt, 0, {
      what: `Checkout session ${session.token} is pending, for ${formatMoney(session.totalCents)}.`,
      because: `A new session starts pending and expires at ${formatMoment(session.expiresAt)} unless the customer accepts the plan.`,
      section: 'service §3.1',
      setting: { name: 'session_ttl_minutes', value: minutes },
      id: session.token,
    });
    // A preview makes no events, so only its rows show what happened to it.
    if (!contract || !session.preview) return;
    lead(contract.createdAt, 1, story.contractCause, 'The customer accepted the plan', 'decisions §4');
    add('transition', contract.createdAt, 1, {
      what: `Contract ${contract.reference} is pending.`,
      because: 'The customer accepted the plan of a preview, which makes no events.',
      section: 'decisions §5',
      id: contract.reference,
    });
    for (const attempt of story.attempts) {
      lead(attempt.at, 2, attempt.cause, 'A payment was attempted', 'decisions §4');
      tellAttempt(attempt, 2);
    }
  }

  function tellEvents() {
    let step = 0;
    let before: ToldEvent | null = null;
    for (const event of story.events) {
      const joins = before !== null && before.at === event.at && FOLLOWS[event.type] === before.type;
      if (!joins) step = event.id;
      if (!joins) leadOf(event, step);
      for (const attempt of attemptsOf(event)) tellAttempt(attempt, step);
      const moved = transitionOf(event, story);
      if (moved) add('transition', event.at, step, { ...moved, id: event.subject });
      add('event', event.at, step, {
        what: `Event ${event.type} was recorded for ${event.subject}.`,
        because: 'A change and its event are written in one transaction.',
        section: 'decisions §6',
        id: event.token,
      });
      before = event;
    }
  }

  function leadOf(event: ToldEvent, step: number) {
    const isCollected = event.type === 'installment.paid' && !isSettled(event);
    if (!FALLS_DUE.has(event.type) && !isCollected) {
      return lead(event.at, step, event.cause, BEGAN[event.type] ?? event.type, 'decisions §4');
    }
    add('clock', event.at, step, { ...dueOf(event, story), id: null });
  }

  /** The cause of a step, told once. */
  function lead(at: number, step: number, cause: Cause | null, otherwise: string, section: string) {
    const read = readCause(cause);
    if (read.kind === 'request') {
      if (told.has(read.id)) return;
      told.add(read.id);
      add('request', at, step, { section, ...toldRequest(story.request(read.id), read.id, otherwise) });
    } else if (read.kind === 'lever') {
      if (told.has(read.id)) return;
      told.add(read.id);
      const pulled = story.levers.find(({ id }) => id === read.id);
      add('lever', at, step, {
        what: `${LEVERS[read.operation] ?? 'Somebody pulled a lever'} (${read.operation}).`,
        because: 'A lever of the simulator, or the customer on the checkout page, did this.',
        section,
        id: read.id,
        sentAt: pulled?.sentAt ?? null,
      });
    } else if (read.kind === 'clock') {
      add('clock', at, step, { what: `${otherwise}.`, because: 'It fell due on the account’s clock.', section });
    } else if (read.kind === 'start') {
      if (told.has('start')) return;
      told.add('start');
      add('lever', at, step, {
        what: 'It belongs to the initial state of the server.',
        because: 'The fixture or the flags ask for it.',
        section,
      });
    } else {
      add('request', at, step, {
        what: `${otherwise}. What caused it was not recorded.`,
        because: 'Not recorded: an older version of layaway wrote this.',
        section,
      });
    }
  }

  /** The payment attempts behind an event: the Cart Capture, or those of an installment at that instant. */
  function attemptsOf({ type, subject, at }: ToldEvent) {
    if (type === 'contract.activated') {
      return story.attempts.filter(({ sequence, outcome }) => sequence === 1 && outcome === 'pay');
    }
    if (type !== 'installment.paid' && type !== 'installment.payment_failed') return [];
    const sequence = sequenceOf(Number(subject.split('#')[1]));
    return story.attempts.filter(
      (attempt) => attempt.sequence === sequence && attempt.at === at && isOutcome(attempt, type),
    );
  }

  function tellAttempt(attempt: Story['attempts'][number], step: number) {
    if (told.has(attempt.reference)) return;
    told.add(attempt.reference);
    const number = installmentNumber(attempt.sequence);
    const of = number === null ? 'the Cart Capture' : `installment ${number}`;
    const amount = formatMoney(attempt.amountCents + attempt.lateChargeCents);
    const failed = attempt.outcome === 'fail';
    add('attempt', attempt.at, step, {
      what: `Payment attempt ${attempt.number} on ${of}, ${amount}, ${failed ? 'failed' : 'succeeded'}.`,
      because: !failed
        ? 'Every attempt succeeds unless a failure was arranged.'
        : number === null
          ? 'The customer’s payment was arranged to fail: `outcome: fail`.'
          : `The contract’s outcome script said \`fail\`${scriptBefore(step)}.`,
      section: 'decisions §1',
      id: attempt.reference,
    });
  }

  /** The step of an attempt is the id of its event. */
  function scriptBefore(step: number): string {
    const lever = story.levers.findLast(
      (each) => each.operation === 'arrangeOutcomes' && isAbout(each) && each.afterEvent < step,
    );
    return lever ? `, arranged by ${lever.id}` : '';
  }

  function isAbout({ params }: ToldLever) {
    return story.contract !== null && params.reference === story.contract.reference;
  }

  /** A declined Cart Capture makes no event. */
  function tellDeclines() {
    const accepted = story.events.find(({ type }) => type === 'session.decision_made')?.id ?? 1;
    for (const [place, attempt] of story.attempts.entries()) {
      if (attempt.sequence !== 1 || attempt.outcome !== 'fail' || told.has(attempt.reference)) continue;
      const step = accepted + (place + 1) / (story.attempts.length + 2);
      lead(attempt.at, step, attempt.cause, 'The customer paid', 'decisions §4');
      tellAttempt(attempt, step);
    }
  }

  function tellOutcomes() {
    for (const lever of story.levers) {
      if (lever.operation !== 'arrangeOutcomes' || !isAbout(lever)) continue;
      const { outcomes = [] } = (lever.body ?? {}) as { outcomes?: readonly string[] };
      add('lever', lever.at, lever.afterEvent + 0.99, {
        what: `The next collection attempts were arranged: ${outcomes.join(', ') || 'all succeed'} (arrangeOutcomes).`,
        because: 'A failure in sandbox happens only when it was arranged beforehand.',
        section: 'decisions §1',
        id: lever.id,
        sentAt: lever.sentAt,
      });
    }
  }

  function tellEmails() {
    for (const email of story.emails) {
      const type = LETTERS[email.template];
      const event = story.events.find(
        (each) =>
          each.type === type &&
          each.at === email.at &&
          (email.installment === null || !each.subject.includes('#') || each.subject.endsWith(`#${email.installment}`)),
      );
      add('email', email.at, event ? stepOf(event) : Number.MAX_SAFE_INTEGER, {
        what: `E-mail ${email.template} was written to ${email.recipient}.`,
        because: type
          ? `The event ${type} triggers it.`
          : 'The webhook endpoint was disabled because its deliveries failed.',
        section: 'decisions §7',
        id: email.token,
      });
    }
  }

  /** The step of an event is the id of the first event of its transaction. */
  function stepOf(event: ToldEvent): number {
    const index = story.events.indexOf(event);
    const before = story.events[index - 1];
    return before && before.at === event.at && FOLLOWS[event.type] === before.type ? before.id : event.id;
  }

  function tellDeliveries() {
    // While the clock is frozen, all attempts have the same instant.
    const inOrder = story.deliveries.toSorted((a, b) => a.delivery.id - b.delivery.id);
    for (const { delivery, cause, isHeard, givenUp, attempts } of inOrder) {
      const event = story.events.find(({ id }) => id === delivery.eventId);
      if (!event) continue;
      const { token: id, url } = delivery;
      const asked = askedFor(cause);
      let hasArrived = false;
      let before: ToldAttempt | null = null;
      for (const attempt of attempts) {
        const { number, at, sentAt, statusCode, error, fault } = attempt;
        const isByEvent = number === 1 && asked === null;
        // If an attempt arrived, only a fault can be the reason for another one.
        const retry = before && !hasArrived ? retryReason(before, story) : null;
        add('delivery', at, at === event.at && isByEvent ? stepOf(event) : Number.MAX_SAFE_INTEGER, {
          what: `Webhook ${event.type} ${event.token}, attempt ${number}, was sent to ${url}: ${error ?? statusCode}.`,
          because: fault
            ? `The fault ${fault.kind} (${fault.id}) struck this attempt.`
            : (retry?.because ?? asked ?? 'The endpoint subscribed to this event.'),
          section: 'decisions §6',
          setting: retry?.setting ?? null,
          id,
          sentAt,
        });
        hasArrived ||= isDelivered(attempt);
        before = attempt;
      }
      if (givenUp) {
        add('delivery', givenUp.at, Number.MAX_SAFE_INTEGER, {
          what: `Webhook ${event.type} ${event.token} to ${url} was given up.`,
          because: `${givenUp.reason.charAt(0).toUpperCase()}${givenUp.reason.slice(1)}.`,
          section: 'decisions §6',
          id,
        });
      }
      if (attempts.length > 0 || givenUp) continue;
      add('delivery', event.at, stepOf(event), {
        what: `Webhook ${event.type} ${event.token} is owed to ${url}: ${delivery.status}, no attempt was made.`,
        because:
          delivery.status === 'failed'
            ? 'The endpoint was disabled before.'
            : isHeard
              ? 'Its first attempt is still to come.'
              : 'No layaway listen is connected for it.',
        section: 'decisions §6',
        id,
      });
    }
  }
}

/** Why another attempt followed `before` when it did: the ladder of that time, or the receiver's Retry-After. */
function retryReason(before: ToldAttempt, story: Story): Pick<Said, 'because' | 'setting'> {
  const { number, at, sentAt, statusCode, responseHeaders } = before;
  const ladder = settingThen(story, 'webhook_retry_seconds', (lever) => lever.sentAt > sentAt);
  const seconds = retryAfterSeconds(responseHeaders['retry-after'], sentAt);
  const failed = { delivered: false, statusCode };
  const own = nextAttemptAt(ladder, number, at, { ...failed, retryAfterSeconds: null });
  if (nextAttemptAt(ladder, number, at, { ...failed, retryAfterSeconds: seconds }) !== own) {
    return { because: `The attempt before it was answered ${statusCode} with a Retry-After of ${seconds} s.` };
  }
  return {
    because: 'The attempt before it was not answered with 2xx.',
    setting: { name: 'webhook_retry_seconds', value: ladder },
  };
}

/** The value of a setting before the first of its later changes. */
function settingThen<Name extends keyof AccountSettings>(
  { levers, settings }: Story,
  name: Name,
  isLater: (lever: ToldLever) => boolean,
): AccountSettings[Name] {
  for (const lever of levers) {
    if (lever.operation !== 'updateSettings' || !isLater(lever)) continue;
    const { before } = (lever.body ?? {}) as { readonly before?: Partial<AccountSettings> };
    const value = before?.[name];
    if (value !== undefined) return value;
  }
  return settings[name];
}

const settingAt = <Name extends keyof AccountSettings>({ id }: ToldEvent, name: Name, story: Story) =>
  settingThen(story, name, ({ afterEvent }) => afterEvent >= id);

function isSettled({ cause }: ToldEvent) {
  const read = readCause(cause);
  return read.kind === 'lever' && read.operation === 'settleInstallment';
}

/** The lever that caused a delivery; null if the event itself did. */
function askedFor(cause: Cause | null): string | null {
  const read = readCause(cause);
  if (read.kind !== 'lever') return null;
  if (read.operation === 'resendEvent') return `The lever resendEvent (${read.id}) sent the event again.`;
  return read.operation === 'testWebhookEndpoint' ? `The lever testWebhookEndpoint (${read.id}) asked for it.` : null;
}

const isOutcome = ({ outcome }: PaymentAttempt, type: EventType) =>
  (outcome === 'pay') === (type === 'installment.paid');

export const toldRequest = (request: ToldRequest | null, id: string, otherwise: string): Said => {
  if (!request) return { what: `${otherwise}.`, because: 'The store asked for it. The log no longer holds it.', id };
  const { method, path, status, fault, sentAt } = request;
  return {
    what: `${method} ${path} ${status === null ? 'got no answer' : `was answered ${status}`}.`,
    because: fault
      ? `The store asked for it; the fault ${fault.kind} (${fault.id}) struck.`
      : 'The store asked for it.',
    id,
    sentAt,
  };
};

const LEVERS: Readonly<Record<string, string>> = {
  openSession: 'A checkout session was opened',
  previewSession: 'A preview was opened',
  acceptPlan: 'The customer accepted the plan',
  payCartCapture: 'The customer paid the Cart Capture',
  completeCheckout: 'The customer went through the checkout',
  cancelCheckout: 'The customer backed out',
  createContract: 'A contract was made with its history',
  settleInstallment: 'The customer settled an overdue installment',
  endContract: 'The contract was cancelled',
  testWebhookEndpoint: 'A test event was sent',
  resendEvent: 'An event was sent again',
};

/** The name of a step without a known cause. */
const BEGAN: Partial<Record<EventType, string>> = {
  'session.decision_made': 'The customer accepted the plan',
  'session.cancelled': 'The customer backed out',
  'contract.activated': 'The customer paid the Cart Capture',
  'contract.cancelled': 'The contract was cancelled',
  'installment.paid': 'The installment was settled',
  'webhook.test': 'A test event was requested',
};

const installmentOf = ({ subject }: ToldEvent, { installments }: Story) =>
  installments.find(({ number }) => String(number) === subject.split('#')[1]);

/** The rule and the setting because of which something fell due. */
function dueOf(event: ToldEvent, story: Story): Said {
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
            because: 'Its deadline passed, and the first attempt comes at the same instant.',
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
function transitionOf(event: ToldEvent, story: Story): Said | null {
  const { contract, session } = story;
  const installment = installmentOf(event, story);
  const number = installment?.number;
  const of = `Installment ${number} of ${contract?.reference}`;
  switch (event.type) {
    case 'session.decision_made':
      return {
        what: `Session ${session?.token} moved from pending to decision_made; contract ${contract?.reference} exists, pending.`,
        because: 'The customer entered name and e-mail and accepted the plan.',
        section: 'decisions §4',
      };
    case 'session.completed':
      return {
        what: `Session ${session?.token} moved from decision_made to completed.`,
        because: 'The Cart Capture landed.',
        section: 'decisions §4',
      };
    case 'session.cancelled':
      return {
        what: `Session ${session?.token} moved to cancelled${contract ? `, contract ${contract.reference} with it` : ''}.`,
        because: 'The customer backed out. A pending contract is cancelled silently.',
        section: 'decisions §4',
      };
    case 'session.expired':
      return {
        what: `Session ${session?.token} moved from pending to expired.`,
        because: 'Only a pending session expires, at its deadline.',
        section: 'service §3.1',
      };
    case 'contract.activated':
      return {
        what: `Contract ${contract?.reference} moved from pending to active.`,
        because: `The down payment of ${formatMoney(contract?.downPaymentCents ?? 0)} and the Reservation Fee were collected.`,
        section: 'decisions §4',
        setting: session && { name: 'down_payment_percentage', value: session.terms.downPaymentPercentage },
      };
    case 'contract.completed':
      return {
        what: `Contract ${contract?.reference} moved from active to completed.`,
        because: 'Its last unpaid installment was paid.',
        section: 'decisions §4',
      };
    case 'contract.cancelled':
      return {
        what: `Contract ${contract?.reference} moved from active to cancelled.`,
        because: 'An active contract ends when it is cancelled; paid installments stay paid.',
        section: 'service §3.2',
      };
    case 'contract.defaulted':
      return {
        what: `Contract ${contract?.reference} moved from active to defaulted.`,
        because: 'An installment’s default clock ended with it unpaid; collection stops.',
        section: 'decisions §4',
      };
    case 'installment.paid':
      return {
        what: `${of} is paid.`,
        because: isSettled(event) ? 'The customer settled it, late charge included.' : 'It was collected.',
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

/** Something that lies ahead, and how to avert it. */
export interface Lying {
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

/** The part of a contract's forecast that concerns the subjects. `LAY-…` includes its installments. */
export function aheadOf(
  happened: readonly Foreseen[],
  subjects: readonly string[],
  { installments, settings }: Pick<Story, 'installments' | 'settings'>,
): Lying[] {
  const isOfThem = (subject: string) =>
    subjects.some((each) => subject === each || (!each.includes('#') && subject.startsWith(`${each}#`)));
  /** Those of the attempts so far in the forecast. A script is used up one outcome for each attempt. */
  const outcomes: Outcome[] = [];
  const lying: Lying[] = [];
  for (const event of happened) {
    const { at, type, subject } = event;
    if (type === 'installment.paid') outcomes.push('pay');
    if (type === 'installment.payment_failed') outcomes.push('fail');
    if (isOfThem(subject)) lying.push({ at, what: `${type} of ${subject}`, unless: unlessOf(event) });
  }
  return lying;

  function unlessOf({ at, type, subject }: Foreseen): string {
    const [reference = '', number = ''] = subject.split('#');
    const until = (last: Outcome) =>
      `layaway contracts outcomes ${[reference, ...outcomes.slice(0, -1), last].join(' ')}`;
    switch (type) {
      case 'session.expired':
        return `the customer accepts the plan first: layaway sessions accept ${subject}`;
      case 'installment.paid':
        return `a failure is arranged: ${until('fail')}`;
      case 'installment.payment_failed':
      case 'installment.past_due':
        return `a success is arranged: ${until('pay')}`;
      case 'installment.delinquent':
        return `it is settled first: layaway contracts settle ${reference} ${number}`;
      case 'contract.defaulted':
        return `the overdue installment is settled first: layaway contracts settle ${reference} ${unpaidAt(at)}`;
      case 'contract.completed':
        return `an installment stays unpaid, or it ends first: layaway contracts cancel ${reference}`;
      default:
        return 'somebody acts first';
    }
  }

  /** The number of the installment whose default clock ends at that instant. */
  function unpaidAt(at: number): string {
    const overdue = installments.find(({ defaultAt, status }) => defaultAt === at && status !== 'paid');
    const isItsStart = ({ type, at: start }: Foreseen) =>
      type === 'installment.past_due' && start + settings.default_days * DAY === at;
    return overdue ? String(overdue.number) : (happened.find(isItsStart)?.subject.split('#')[1] ?? '');
  }
}

/** The next attempts of pending deliveries. What is due already comes now, however long ago it fell due. */
export function attemptsAhead(deliveries: readonly ToldDelivery[], now: number): Lying[] {
  return deliveries.flatMap(({ delivery: { token, url, attempts, nextAttemptAt }, isHeard }) => {
    if (nextAttemptAt === null) return [];
    const at = Math.max(nextAttemptAt, now);
    const what = `attempt ${attempts + 1} of the delivery ${token} to ${url}`;
    return isHeard
      ? [{ at, what, unless: 'the endpoint is disabled or removed first' }]
      : [
          {
            at,
            what: `${what}, once layaway listen runs for it again`,
            unless: 'nobody listens for an hour of real time, or the endpoint is disabled or removed first',
          },
        ];
  });
}

/** A few sentences: the current state, its reason, and the next event. */
export function summaryOf(subject: string, state: string, chain: readonly Link[], ahead: readonly Lying[]): string {
  const reason = /^(cs_|LAY-)/.test(subject) ? lastChangeOf(subject, chain) : reasonOf(subject, chain);
  const why = reason === null ? '' : ` ${reason}`;
  const [next] = ahead;
  const comes = next ? ` Next: ${next.what} at ${formatMoment(next.at)}, unless ${next.unless}.` : '';
  return `${subject} is ${state}.${why}${comes}`;
}

function lastChangeOf(subject: string, chain: readonly Link[]): string | null {
  // The chain is that of the whole contract. Its later steps do not explain a session, nor one installment another.
  const isPart = subject.includes('#') || subject.startsWith('cs_');
  const own = isPart ? chain.filter(({ id, what }) => id === subject || what.split(/[ ,.]+/).includes(subject)) : chain;
  const last = own.findLast(({ kind }) => kind === 'transition');
  return last ? told(last) : (own.at(-1)?.what ?? null);
}

/** The last link of an id; for an event, which shares its transaction with others, the change behind it. */
function reasonOf(id: string, chain: readonly Link[]): string | null {
  const place = chain.findLastIndex((link) => link.id === id);
  const link = chain[place] ?? chain.at(-1);
  if (link?.kind !== 'event') return link ? told(link) : null;
  const behind = chain.slice(0, place).filter(({ at, kind }) => at === link.at && kind !== 'event');
  const change = behind.findLast((each) => each.kind === 'transition' && link.what.endsWith(` for ${each.id}.`));
  return told(change ?? behind.at(-1) ?? link);
}

const told = ({ what, because }: Link) => `${what} ${because}`;
