import { nextAttemptAt } from '../backoff.ts';
import { type Cause, readCause } from '../cause.ts';
import { type FaultKind, theFault } from '../faults.ts';
import { isDelivered, retryAfterSeconds } from '../webhook.ts';
import { stepOf } from './events.ts';
import { type Said, type Story, settingThen, type ToldAttempt, type ToldDelivery, type ToldEvent } from './story.ts';
import type { Telling } from './telling.ts';

/** Less than the difference between any two steps. */
const STEP_MIN = 1e-6;

const STILL_TO_COME = 'Its first attempt is still to come.';

/** Until when a fault holds a delivery back, besides its instant. */
const HOLDS: { readonly [Kind in FaultKind]?: string } = { reordered: ' until the endpoint answers a later event' };

export function tellDeliveries(telling: Telling) {
  const { story } = telling;
  const calls = telling.links().filter(({ kind }) => kind === 'request' || kind === 'lever');
  /** The step of an attempt that no event made: before what was asked for later at that instant. */
  const stepBefore = (at: number, sentAt: number) => {
    const later = calls.filter((each) => each.at === at && (each.sentAt ?? 0) > sentAt);
    return Math.min(Number.MAX_SAFE_INTEGER, ...later.map(({ step }) => step - STEP_MIN));
  };
  // While the clock is frozen, all attempts have the same instant. Those out of turn are told as they were made.
  for (const told of story.deliveries.toSorted((a, b) => a.delivery.id - b.delivery.id)) {
    const event = story.events.find(({ id }) => id === told.delivery.eventId);
    if (!event) continue;
    tellAttempts(telling, told, event, stepBefore);
    if (told.givenUp) tellGivenUp(telling, told, told.givenUp, event);
    else if (told.attempts.length === 0) tellNoAttempt(telling, told, event);
  }
}

function tellAttempts(
  { story, add }: Telling,
  { delivery, cause, givenUp, attempts }: ToldDelivery,
  event: ToldEvent,
  stepBefore: (at: number, sentAt: number) => number,
) {
  const asked = askedFor(cause);
  // What was given up has a link of its own.
  const lastNumber = delivery.status === 'failed' && !givenUp ? attempts.at(-1)?.number : undefined;
  let hasArrived = false;
  let before: ToldAttempt | null = null;
  for (const attempt of attempts) {
    const { id, number, at, sentAt, statusCode, error, fault } = attempt;
    const isInTurn = at === event.at && number === 1 && asked === null && fault?.kind !== 'reordered';
    // If an attempt arrived, only a fault can be the reason for another one.
    const retry = before && !hasArrived ? retryReason(before, story) : null;
    const reason = fault
      ? `${theFault(fault)} struck this attempt.`
      : (retry?.because ?? asked ?? 'The endpoint subscribed to this event.');
    const forged = delivery.isForged ? ' Its signature was wrong on purpose.' : '';
    const last = number === lastNumber ? ' No retry follows, so the delivery failed.' : '';
    const said = {
      what: `${webhook(event)}, attempt ${number}, was sent to ${delivery.url}: ${error ?? statusCode}.`,
      because: `${reason}${forged}${last}`,
      section: 'decisions §6',
      setting: retry?.setting ?? null,
      id: delivery.token,
      sentAt,
    };
    if (isInTurn) add('delivery', at, stepOf(event, story), said);
    else add('delivery', at, stepBefore(at, sentAt), said, [sentAt, id]);
    hasArrived ||= isDelivered(attempt);
    before = attempt;
  }
}

function tellGivenUp(
  { add }: Telling,
  { delivery, heldBy }: ToldDelivery,
  { at, reason }: NonNullable<ToldDelivery['givenUp']>,
  event: ToldEvent,
) {
  const said = {
    what: `${webhook(event)} to ${delivery.url} was given up.`,
    because: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.${heldBy ? ` ${theFault(heldBy)} held it back.` : ''}`,
    section: 'decisions §6',
    id: delivery.token,
  };
  add('delivery', at, Number.MAX_SAFE_INTEGER, said, [Number.MAX_SAFE_INTEGER, 0]);
}

function tellNoAttempt({ story, add }: Telling, { delivery, isHeard, heldBy }: ToldDelivery, event: ToldEvent) {
  const waits = [
    ...(heldBy ? [`${theFault(heldBy)} holds it back${HOLDS[heldBy.kind] ?? ''}.`] : []),
    ...(isHeard ? [] : ['No layaway listen is connected for it.']),
  ];
  add('delivery', event.at, stepOf(event, story), {
    what: `${webhook(event)} to ${delivery.url}: ${delivery.status}, no attempt was made.`,
    because: delivery.status === 'failed' ? 'The endpoint was disabled before.' : waits.join(' ') || STILL_TO_COME,
    section: 'decisions §6',
    id: delivery.token,
  });
}

const webhook = ({ type, token }: ToldEvent) => `Webhook ${type} ${token}`;

/** Why another attempt followed `before` when it did: the ladder of that time, or the receiver's Retry-After. */
function retryReason(before: ToldAttempt, story: Story): Pick<Said, 'because' | 'setting'> {
  const { number, at, sentAt, statusCode, responseHeaders, fault } = before;
  const ladder = settingThen(story, 'webhook_retry_seconds', (lever) => lever.sentAt > sentAt);
  const seconds = retryAfterSeconds(responseHeaders['retry-after'], sentAt);
  const own = nextAttemptAt(ladder, number, at, { statusCode, retryAfterSeconds: null });
  if (nextAttemptAt(ladder, number, at, { statusCode, retryAfterSeconds: seconds }) !== own) {
    return { because: `The previous attempt got ${statusCode} with a Retry-After of ${seconds} s.` };
  }
  const isLost = fault?.kind === 'lost_ack';
  return {
    because: isLost ? 'The response to the previous attempt was lost.' : 'The previous attempt got no 2xx response.',
    setting: { name: 'webhook_retry_seconds', value: ladder },
  };
}

/** The lever that caused a delivery; null if the event itself did. */
function askedFor(cause: Cause | null): string | null {
  const read = readCause(cause);
  if (read.kind !== 'lever') return null;
  if (read.operation === 'resendEvent') return `The lever resendEvent (${read.id}) sent the event again.`;
  return read.operation === 'testWebhookEndpoint' ? `The lever testWebhookEndpoint (${read.id}) sent the event.` : null;
}
