import { nextAttemptAt } from './backoff.ts';
import { formatMoment, MINUTE } from './calendar.ts';
import { type Cause, readCause, UNLOGGED } from './cause.ts';
import type { PaymentAttempt } from './contract.ts';
import type { EmailTemplate } from './email.ts';
import type { EventType } from './event.ts';
import { formatMoney } from './money.ts';
import { installmentNumber, sequenceOf } from './schedule.ts';
import { settingNote } from './setting-note.ts';
import {
  type ChainKind,
  DELIVERIES_MAX,
  disabledBecause,
  FROM_START,
  type Link,
  NOT_RECORDED,
  type Said,
  type Story,
  settingThen,
  type ToldAttempt,
  type ToldEvent,
  type ToldLever,
} from './story.ts';
import type { Lying } from './story-ahead.ts';
import { dueOf, isSettled, transitionOf } from './story-changes.ts';
import { toldRequest } from './story-request.ts';
import { isDelivered, retryAfterSeconds } from './webhook.ts';

/** The place of a link among those of the same instant: its step, its kind, and when an attempt out of turn was made. */
type Placed = Link & { readonly step: number; readonly rank: number; readonly turn: number };
/** Less than the difference between any two steps. */
const STEP_MIN = 1e-6;
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

const UNSUBSCRIBED = 'No enabled endpoint subscribed to it, so it was not sent.';
const WITHOUT_WEBHOOKS = 'The contract was created without webhooks, so it was not sent.';
const UNSENT = 'It was not sent: no enabled endpoint subscribed to it, or its contract was created without webhooks.';

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
  const sent = new Set(story.deliveries.map(({ delivery }) => delivery.eventId));
  const add = (kind: ChainKind, at: number, step: number, said: Said, turn = 0) =>
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
      turn,
    });

  tellBeginning();
  tellPreview();
  tellEvents();
  tellDeclines();
  tellOutcomes();
  tellEmails();
  tellDeliveries();
  return links
    .toSorted((a, b) => a.at - b.at || a.step - b.step || a.rank - b.rank || a.turn - b.turn)
    .map(({ step: _step, rank: _rank, turn: _turn, because, setting, ...link }) => ({
      ...link,
      because: setting ? `${because} ${settingNote(setting)}` : because,
      setting,
    }));

  /** The link that opened the session: the request, the lever, or neither if nothing was recorded. */
  function tellBeginning() {
    const { session } = story;
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
  }

  /** A preview makes no events, so its rows show what happened to it. */
  function tellPreview() {
    const { session, contract } = story;
    if (!session?.preview) return;
    if (contract) lead(contract.createdAt, 1, story.contractCause, 'The customer accepted the plan', 'decisions §4');
    for (const [place, attempt] of story.attempts.entries()) {
      // Each lever stands before its own attempt, also at one instant.
      const step = 1 + (place + 1) / (story.attempts.length + 1);
      lead(attempt.at, step, attempt.cause, 'A payment was attempted', 'decisions §4');
      tellAttempt(attempt, step);
    }
    const ending = endingOf(story);
    if (ending) lead(ending.at, 3, `${ending.operation} ${ending.id}`, 'The customer backed out', 'decisions §4');
    for (const { step, ...change } of previewChanges(story)) {
      const said = transitionOf({ ...change, id: 0, token: '', cause: null }, story);
      const because = `${said?.because} A preview makes no events.`;
      if (said) add('transition', change.at, step, { ...said, because, id: change.subject });
    }
  }

  function tellEvents() {
    for (const event of story.events) {
      const step = stepOf(event);
      if (step === event.id) leadOf(event, step);
      for (const attempt of attemptsOf(event)) tellAttempt(attempt, step);
      const moved = transitionOf(event, story);
      if (moved) add('transition', event.at, step, { ...moved, id: event.subject });
      add('event', event.at, step, {
        what: `Event ${event.type} was recorded for ${event.subject}.`,
        because: ['A change and its event are written in one transaction.', ...unsent(event)].join(' '),
        section: 'decisions §6',
        id: event.token,
      });
    }
  }

  /** Why an event has no delivery. */
  function unsent({ id, cause }: ToldEvent): string[] {
    if (sent.has(id) || sent.size >= DELIVERIES_MAX) return [];
    const read = readCause(cause);
    const lever = read.kind === 'lever' ? story.levers.find((each) => each.id === read.id) : undefined;
    // A fixture is not recorded, and old levers are forgotten.
    if (read.kind === 'start' || (read.kind === 'lever' && !lever)) return [UNSENT];
    const { webhooks } = (lever?.body ?? {}) as { readonly webhooks?: boolean };
    return [webhooks === false ? WITHOUT_WEBHOOKS : UNSUBSCRIBED];
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
    if (read.kind === 'request' && read.number === UNLOGGED) {
      add('request', at, step, {
        what: `${otherwise}.`,
        because: 'A request asked for it. The server did not log requests then.',
        section,
      });
    } else if (read.kind === 'request') {
      if (told.has(read.id)) return;
      told.add(read.id);
      add('request', at, step, { section, ...toldRequest(story.request(read.id), read.id, otherwise) });
    } else if (read.kind === 'lever') {
      if (told.has(read.id)) return;
      told.add(read.id);
      const pulled = story.levers.find(({ id }) => id === read.id);
      add('lever', at, step, {
        what: `${LEVERS[read.operation] ?? 'A lever was used'} (${read.operation}).`,
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
      add('lever', at, step, { ...FROM_START, section });
    } else {
      add('request', at, step, {
        what: `${otherwise}. What caused it was not recorded.`,
        because: NOT_RECORDED,
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
        ? isSettled(attempt)
          ? 'A settlement always succeeds: the outcome script is for scheduled attempts only.'
          : 'Every attempt succeeds unless a failure was arranged.'
        : number === null
          ? 'The customer’s payment was arranged to fail: `outcome: fail`.'
          : `The contract’s outcome script said \`fail\`${scriptBefore(attempt.at, step)}.`,
      section: 'decisions §1',
      id: attempt.reference,
    });
  }

  /** The step of an attempt is the id of its event; a preview has none. */
  function scriptBefore(at: number, step: number): string {
    const isEarlier = (each: ToldLever) => (story.session?.preview ? each.at < at : each.afterEvent < step);
    const lever = story.levers.findLast(
      (each) => each.operation === 'arrangeOutcomes' && isAbout(each) && isEarlier(each),
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
      // The events of others do not date a preview, whose steps end with the payment.
      const step = story.session?.preview ? 2.5 : lever.afterEvent + 0.99;
      add('lever', lever.at, step, {
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
        because: type ? `The event ${type} triggers it.` : disabledBecause(email),
        section: 'decisions §7',
        id: email.token,
      });
    }
  }

  /** The step of an event is the id of the first event of its transaction. */
  function stepOf(event: ToldEvent): number {
    const index = story.events.indexOf(event);
    const before = story.events[index - 1];
    return before && FOLLOWS[event.type] === before.type ? before.id : event.id;
  }

  function tellDeliveries() {
    const calls = links.filter(({ kind }) => kind === 'request' || kind === 'lever');
    /** The step of an attempt that no event made: before what was asked for later at that instant. */
    const stepBefore = (at: number, sentAt: number) => {
      const later = calls.filter((each) => each.at === at && (each.sentAt ?? 0) > sentAt);
      return Math.min(Number.MAX_SAFE_INTEGER, ...later.map(({ step }) => step - STEP_MIN));
    };
    // While the clock is frozen, all attempts have the same instant. Those out of turn are told as they were made.
    const inOrder = story.deliveries.toSorted((a, b) => a.delivery.id - b.delivery.id);
    for (const { delivery, cause, isHeard, givenUp, attempts } of inOrder) {
      const event = story.events.find(({ id }) => id === delivery.eventId);
      if (!event) continue;
      const { token: id, url } = delivery;
      const asked = askedFor(cause);
      // What was given up has a link of its own.
      const lastNumber = delivery.status === 'failed' && !givenUp ? attempts.at(-1)?.number : undefined;
      let hasArrived = false;
      let before: ToldAttempt | null = null;
      for (const attempt of attempts) {
        const { number, at, sentAt, statusCode, error, fault } = attempt;
        const isInTurn = at === event.at && number === 1 && asked === null && fault?.kind !== 'reordered';
        // If an attempt arrived, only a fault can be the reason for another one.
        const retry = before && !hasArrived ? retryReason(before, story) : null;
        const reason = fault
          ? `The fault ${fault.kind} (${fault.id}) struck this attempt.`
          : (retry?.because ?? asked ?? 'The endpoint subscribed to this event.');
        const forged = delivery.isForged === 1 ? ' Its signature was wrong on purpose.' : '';
        const last = number === lastNumber ? ' No retry follows, so the delivery failed.' : '';
        const said = {
          what: `Webhook ${event.type} ${event.token}, attempt ${number}, was sent to ${url}: ${error ?? statusCode}.`,
          because: `${reason}${forged}${last}`,
          section: 'decisions §6',
          setting: retry?.setting ?? null,
          id,
          sentAt,
        };
        if (isInTurn) add('delivery', at, stepOf(event), said);
        else add('delivery', at, stepBefore(at, sentAt), said, sentAt);
        hasArrived ||= isDelivered(attempt);
        before = attempt;
      }
      if (givenUp) {
        const said = {
          what: `Webhook ${event.type} ${event.token} to ${url} was given up.`,
          because: `${givenUp.reason.charAt(0).toUpperCase()}${givenUp.reason.slice(1)}.`,
          section: 'decisions §6',
          id,
        };
        add('delivery', givenUp.at, Number.MAX_SAFE_INTEGER, said, Number.MAX_SAFE_INTEGER);
      }
      if (attempts.length > 0 || givenUp) continue;
      add('delivery', event.at, stepOf(event), {
        what: `Webhook ${event.type} ${event.token} to ${url}: ${delivery.status}, no attempt was made.`,
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

/** The changes of a preview's session and contract, in their order. */
function previewChanges(story: Story): (Pick<ToldEvent, 'type' | 'at' | 'subject'> & { readonly step: number })[] {
  const { session, contract } = story;
  const isExpired = session?.status === 'expired';
  const endedAt = contract?.cancelledAt ?? endingOf(story)?.at;
  const dated: [step: number, EventType, number | null | undefined][] = [
    [1, 'session.decision_made', contract?.createdAt],
    [2, 'contract.activated', contract?.startedAt],
    [2, 'session.completed', contract?.startedAt],
    [3, 'contract.completed', contract?.completedAt],
    [3, 'contract.defaulted', contract?.defaultedAt],
    [3, 'session.expired', isExpired ? session.expiresAt : null],
    [3, session?.status === 'cancelled' ? 'session.cancelled' : 'contract.cancelled', endedAt],
  ];
  return dated.flatMap(([step, type, at]) => {
    const subject = type.startsWith('session.') ? session?.token : contract?.reference;
    return at == null || subject === undefined ? [] : [{ step, type, at, subject }];
  });
}

/** The lever that cancelled the session. Nothing else ends the contract of a preview. */
const endingOf = ({ session, levers }: Story): ToldLever | undefined =>
  levers.findLast(
    ({ operation, params }) => operation === 'cancelCheckout' && (params.id ?? params.token) === session?.token,
  );

/** Why another attempt followed `before` when it did: the ladder of that time, or the receiver's Retry-After. */
function retryReason(before: ToldAttempt, story: Story): Pick<Said, 'because' | 'setting'> {
  const { number, at, sentAt, statusCode, responseHeaders, fault } = before;
  const ladder = settingThen(story, 'webhook_retry_seconds', (lever) => lever.sentAt > sentAt);
  const seconds = retryAfterSeconds(responseHeaders['retry-after'], sentAt);
  const own = nextAttemptAt(ladder, number, at, { statusCode, retryAfterSeconds: null });
  if (nextAttemptAt(ladder, number, at, { statusCode, retryAfterSeconds: seconds }) !== own) {
    return { because: `The attempt before it was answered ${statusCode} with a Retry-After of ${seconds} s.` };
  }
  const isLost = fault?.kind === 'lost_ack';
  return {
    because: isLost
      ? 'The answer to the attempt before it was lost.'
      : 'The attempt before it was not answered with 2xx.',
    setting: { name: 'webhook_retry_seconds', value: ladder },
  };
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

/** What a pending contract waits for. It makes no event that a forecast could hold. */
export function waitingOf({ session, contract, attempts }: Story): string | null {
  if (session === null || contract?.status !== 'pending') return null;
  const declined = attempts.length > 0 ? 'The customer’s last payment was declined. ' : '';
  return `${declined}The Cart Capture is still to be paid, without a deadline: \`layaway sessions pay ${session.token}\`.`;
}

/** A few sentences: the current state, its reason, what it waits for, and the next event. */
export function summaryOf(
  subject: string,
  state: string,
  chain: readonly Link[],
  ahead: readonly Lying[],
  waiting: string | null,
): string {
  const reason = subject.startsWith('we_')
    ? standingOf(chain)
    : /^(cs_|LAY-)/.test(subject)
      ? lastChangeOf(subject, chain)
      : reasonOf(subject, chain);
  const [next] = ahead;
  const comes = next ? `Next: ${next.what} at ${formatMoment(next.at)}, unless ${next.unless}.` : null;
  const ended = endOf(subject, state, chain);
  const sentences = [`${subject} is ${state}.`, reason, unsentOf(subject, chain), ended, waiting, comes];
  return sentences.filter((each) => each !== null).join(' ');
}

/** For an event, that it was not sent, and how to send it. */
function unsentOf(subject: string, chain: readonly Link[]): string | null {
  const link = chain.find(({ kind, id }) => kind === 'event' && id === subject);
  const why = [UNSUBSCRIBED, WITHOUT_WEBHOOKS, UNSENT].find((each) => link?.because.endsWith(each));
  return why === undefined
    ? null
    : `${why} Once an endpoint is enabled, \`layaway events resend ${subject}\` sends it.`;
}

/** For an unpaid installment, the end of its contract: because of it, nothing else comes. */
function endOf(subject: string, state: string, chain: readonly Link[]): string | null {
  if (!subject.includes('#') || state === 'paid') return null;
  const end = chain.findLast(({ kind, what }) => kind === 'transition' && ENDED.test(what));
  return end ? told(end) : null;
}

const ENDED = / moved (?:from active )?to (?:cancelled|defaulted)\b/;

/** The last change or attempt of a webhook endpoint. */
function standingOf(chain: readonly Link[]): string | null {
  const last = chain.findLast(({ kind }) => kind === 'transition' || kind === 'delivery');
  return last ? told(last) : null;
}

function lastChangeOf(subject: string, chain: readonly Link[]): string | null {
  // The chain is that of the whole contract. Its later steps do not explain a session, nor one installment another.
  const own = chain.filter(({ id, what }) => id === subject || what.split(/[ ,.]+/).includes(subject));
  const last = own.findLast(({ kind }) => kind === 'transition');
  if (last) return told(last);
  // Of an installment that is due, only events are its own: what caused the last one explains it.
  const event = own.at(-1);
  return event?.id ? reasonOf(event.id, chain) : null;
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
