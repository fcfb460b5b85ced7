import { readCause } from '../cause.ts';
import type { EventType } from '../event.ts';
import { sequenceOf } from '../schedule.ts';
import { isOutcome, tellAttempt } from './attempts.ts';
import { dueOf, isSettled, transitionOf } from './changes.ts';
import { DELIVERIES_MAX, type Story, type ToldEvent } from './story.ts';
import type { Telling } from './telling.ts';

export const UNSUBSCRIBED = 'No enabled endpoint subscribed to it, so it was not sent.';
export const WITHOUT_WEBHOOKS = 'The contract was created without webhooks, so it was not sent.';
export const UNSENT =
  'It was not sent: no enabled endpoint subscribed to it, or its contract was created without webhooks.';

/** Events that time alone brings, whoever moved the clock. */
const FALLS_DUE: ReadonlySet<EventType> = new Set<EventType>([
  'session.expired',
  'installment.payment_failed',
  'installment.past_due',
  'installment.delinquent',
  'contract.defaulted',
]);

/** Events that share a transaction with another one, and the event just before each (decisions §6). */
const FOLLOWS: Partial<Record<EventType, EventType>> = {
  'session.completed': 'contract.activated',
  'installment.past_due': 'installment.payment_failed',
  'contract.completed': 'installment.paid',
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

export function tellEvents(telling: Telling) {
  const { story, add } = telling;
  const sent = new Set(story.deliveries.map(({ delivery }) => delivery.eventId));
  const isSent = ({ id }: ToldEvent) => sent.has(id) || sent.size >= DELIVERIES_MAX;
  for (const event of story.events) {
    const step = stepOf(event, story);
    if (step === event.id) tellCause(telling, event, step);
    for (const attempt of attemptsOf(event, story)) tellAttempt(telling, attempt, step);
    const moved = transitionOf(event, story);
    if (moved) add('transition', event.at, step, { ...moved, id: event.subject });
    add('event', event.at, step, {
      what: `Event ${event.type} was recorded for ${event.subject}.`,
      because: `A change and its event are written in one transaction.${isSent(event) ? '' : ` ${unsent(event, story)}`}`,
      section: 'decisions §6',
      id: event.token,
    });
  }
}

/** Why an event has no delivery. */
function unsent({ cause }: ToldEvent, story: Story): string {
  const read = readCause(cause);
  const lever = read.kind === 'lever' ? story.levers.find((each) => each.id === read.id) : undefined;
  // A fixture is not recorded, and old levers are forgotten.
  if (read.kind === 'start' || (read.kind === 'lever' && !lever)) return UNSENT;
  const { webhooks } = (lever?.body ?? {}) as { readonly webhooks?: boolean };
  return webhooks === false ? WITHOUT_WEBHOOKS : UNSUBSCRIBED;
}

function tellCause({ story, add, lead }: Telling, event: ToldEvent, step: number) {
  const isCollected = event.type === 'installment.paid' && !isSettled(event);
  if (!FALLS_DUE.has(event.type) && !isCollected) {
    return lead(event.at, step, event.cause, BEGAN[event.type] ?? event.type, 'decisions §4');
  }
  add('clock', event.at, step, { ...dueOf(event, story), id: null });
}

/** The payment attempts behind an event: the Cart Capture, or those of an installment at that instant. */
function attemptsOf({ type, subject, at }: ToldEvent, { attempts }: Story) {
  if (type === 'contract.activated') {
    return attempts.filter(({ sequence, outcome }) => sequence === 1 && outcome === 'pay');
  }
  if (type !== 'installment.paid' && type !== 'installment.payment_failed') return [];
  const sequence = sequenceOf(Number(subject.split('#')[1]));
  return attempts.filter((attempt) => attempt.sequence === sequence && attempt.at === at && isOutcome(attempt, type));
}

/** The step of an event is the id of the first event of its transaction. */
export function stepOf(event: ToldEvent, { events }: Story): number {
  const before = events[events.indexOf(event) - 1];
  return before && FOLLOWS[event.type] === before.type ? before.id : event.id;
}
