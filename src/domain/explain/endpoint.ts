import type { AccountSettings } from '../assumptions.ts';
import { DAY, formatMoment } from '../calendar.ts';
import { type Cause, readCause } from '../cause.ts';
import { theFault } from '../faults.ts';
import { settingNote } from '../setting-note.ts';
import {
  BY_HAND,
  type Delivery,
  daysFailing,
  disabledFor,
  type Endpoint,
  GONE,
  givenUpFor,
  isDelivered,
  OPENED,
  UNHEARD,
} from '../webhook.ts';
import { attemptsAhead, type Upcoming } from './ahead.ts';
import {
  type ChainKind,
  DELIVERIES_MAX,
  disabledBecause,
  FROM_START,
  LEVER,
  type Link,
  NOT_RECORDED,
  type Said,
  type ToldAttempt,
  type ToldDelivery,
  type ToldEmail,
  type ToldLever,
} from './story.ts';

/** A webhook endpoint, with what happened to it. */
export interface EndpointStory {
  readonly endpoint: Endpoint;
  readonly cause: Cause | null;
  /** Its latest deliveries, in any order. */
  readonly deliveries: readonly ToldDelivery[];
  /** The account's emails about disabled endpoints, newest first. */
  readonly emails: readonly ToldEmail[];
  readonly levers: readonly ToldLever[];
  readonly settings: AccountSettings;
}

/** Something that may have changed whether the endpoint is enabled or counts as failing. */
type Moment = { readonly at: number; readonly sentAt: number } & (
  | { readonly attempt: ToldAttempt; readonly delivery: Delivery }
  | { readonly lever: ToldLever }
  | { readonly unheard: true }
);

/**
 * Returns the chain of an endpoint, oldest first: how it was added and changed, the attempts after which it counted as
 * failing or no longer did, the last attempt, and when and why it was disabled (decisions §6).
 */
export function endpointChain(story: EndpointStory): Link[] {
  const { endpoint, emails, deliveries } = story;
  const { token } = endpoint;
  const chain: Link[] = [];
  const add = (kind: ChainKind, at: number, said: Said) =>
    void chain.push({ sentAt: null, section: 'decisions §6', setting: null, id: token, kind, at, ...said });

  const moments = momentsOf(story);
  const last = moments.findLast((moment) => 'attempt' in moment);
  let url = firstUrlOf(story);
  let isEnabled = true;
  let failingSince: number | null = null;
  const told = new Set<string>();

  add('lever', endpoint.createdAt, { id: null, section: null, ...addedBy(story) });
  add('transition', endpoint.createdAt, {
    what: `Webhook endpoint ${url} was enabled.`,
    because: 'A new endpoint is enabled.',
  });
  for (const moment of moments) {
    if ('lever' in moment) tellLever(moment.lever);
    else if ('attempt' in moment) tellAttempt(moment.delivery, moment.attempt, moment === last);
    else tellDisabled(moment.at, UNHEARD);
  }
  if (isEnabled && !endpoint.enabled) {
    const at = Math.max(endpoint.createdAt, chain.at(-1)?.at ?? 0);
    tellDisabled(at, String(endpoint.disabledReason));
  }
  return chain;

  function tellLever({ id, at, sentAt, operation, body }: ToldLever) {
    const isHeardAgain = operation === 'createWebhookEndpoint';
    const changes = (isHeardAgain ? { enabled: true } : (body ?? {})) as Partial<Endpoint>;
    const { enabled } = changes;
    url = changes.url ?? url;
    add('lever', at, {
      what: `${isHeardAgain ? 'layaway listen ran for the endpoint again' : changeOf(operation, changes)} (${operation}).`,
      because: LEVER,
      id,
      sentAt,
    });
    if (enabled === undefined || enabled === isEnabled) return;
    if (!enabled) return tellDisabled(at, BY_HAND);
    isEnabled = true;
    failingSince = null;
    add('transition', at, {
      what: `Webhook endpoint ${url} was enabled.`,
      because:
        'Failures are counted from here. Events recorded while it was disabled are sent only if you resend them.',
    });
  }

  function tellAttempt(delivery: Delivery, attempt: ToldAttempt, isLast: boolean) {
    const { at, sentAt, number, statusCode, error, fault } = attempt;
    const succeeded = isDelivered(attempt);
    const email = succeeded ? undefined : emails.findLast((each) => isWrittenAfter(each, delivery, attempt));
    const isTurn = succeeded ? failingSince !== null : failingSince === null;
    if (!succeeded) failingSince ??= at;
    if (isTurn || email || isLast) {
      const struck = fault ? `${theFault(fault)} struck this attempt. ` : '';
      add('delivery', at, {
        what: `Delivery ${delivery.token}, attempt ${number}, was sent to ${delivery.url}: ${error ?? statusCode}.`,
        because: `${struck}${judged(succeeded, isTurn)}`,
        id: delivery.token,
        sentAt,
      });
    }
    if (succeeded) failingSince = null;
    if (!email || !isEnabled) return;
    told.add(email.token);
    tellDisabled(at, String(email.reason));
    add('email', at, {
      what: `Email ${email.template} was written to ${email.recipient}.`,
      because: disabledBecause(email),
      section: 'decisions §7',
      id: email.token,
    });
  }

  /** A frozen clock gives several emails one instant, so each is told once, oldest first. */
  function isWrittenAfter({ token, at, url, reason }: ToldEmail, delivery: Delivery, attempt: ToldAttempt): boolean {
    if (told.has(token) || at !== attempt.at || url !== delivery.url) return false;
    // Another endpoint may have the same URL. Without the oldest attempts, it is not known since when this one was failing.
    const days = deliveries.length < DELIVERIES_MAX ? daysFailing(String(reason)) : null;
    if (days !== null) return at - (failingSince ?? at) >= days * DAY;
    return reason !== GONE || attempt.statusCode === 410;
  }

  function judged(succeeded: boolean, isTurn: boolean): string {
    if (succeeded) return isTurn ? 'It succeeded, so the endpoint no longer counts as failing.' : 'It succeeded.';
    return isTurn
      ? 'It failed, and the endpoint counts as failing from here until an attempt succeeds.'
      : `It failed. The endpoint has been failing since ${formatMoment(failingSince as number)}.`;
  }

  function tellDisabled(at: number, reason: string) {
    // The setting may have changed since, at the same instant of a frozen clock.
    const days = daysFailing(reason);
    const setting = days === null ? null : { name: 'webhook_disable_days', value: days };
    const why =
      WHY[reason] ?? (setting ? 'No attempt had succeeded for that long.' : 'When that happened was not recorded.');
    const sentences = [why, setting && settingNote(setting), ENDED].filter((each) => each !== null);
    isEnabled = false;
    failingSince = null;
    add('transition', at, {
      what: `Webhook endpoint ${url} was ${disabledFor(reason)}.`,
      because: sentences.join(' '),
      setting,
    });
  }
}

const WHY: Readonly<Record<string, string>> = {
  [BY_HAND]: 'A lever of the simulator did this.',
  [GONE]: 'A receiver that returns 410 wants no more deliveries.',
  [OPENED]: 'An opened trace sends nothing.',
  [UNHEARD]: 'An hour of real time passed without a layaway listen for it.',
};
const ENDED = 'Its pending deliveries failed, and events that happen while it is disabled are not sent to it.';

/** Who added it. */
function addedBy({ cause, levers }: EndpointStory): Said {
  const read = readCause(cause);
  if (read.kind === 'start') return FROM_START;
  const what = 'A webhook endpoint was added';
  if (read.kind !== 'lever') return { what: `${what}. Its cause was not recorded.`, because: NOT_RECORDED };
  return {
    what: `${what} (${read.operation}).`,
    because: LEVER,
    id: read.id,
    sentAt: levers.find(({ id }) => id === read.id)?.sentAt ?? null,
  };
}

/** The URL with which it was added. It may have another one now. */
function firstUrlOf({ endpoint, cause, levers }: EndpointStory): string {
  const read = readCause(cause);
  const added = read.kind === 'lever' ? levers.find(({ id }) => id === read.id) : undefined;
  return ((added?.body ?? {}) as Partial<Endpoint>).url ?? endpoint.url;
}

/** In the order in which they happened: a frozen clock gives many the same instant. */
function momentsOf({ endpoint, cause, deliveries, levers }: EndpointStory): Moment[] {
  const { token, url, transport } = endpoint;
  const added = readCause(cause);
  // A removed endpoint may have had the same URL.
  const isLater = ({ id }: ToldLever) => added.kind !== 'lever' || id > added.id;
  const heardAgain = levers.filter((lever) => {
    const body = (lever.body ?? {}) as Partial<Endpoint>;
    const isSame = transport === 'listener' && body.transport === transport && body.url === url;
    return lever.operation === 'createWebhookEndpoint' && isSame && isLater(lever);
  });
  const changes = levers.filter(({ operation, params }) => CHANGES.has(operation) && params.id === token);
  const attempts = deliveries
    .filter(({ delivery }) => !delivery.isForged)
    .flatMap(({ delivery, attempts }) => attempts.map((attempt) => ({ ...timesOf(attempt), delivery, attempt })));
  const unheard = new Set(
    deliveries.flatMap(({ givenUp }) => (givenUp?.reason === givenUpFor(UNHEARD) ? givenUp.at : [])),
  );
  const absences = [...unheard].map((at) => ({
    at,
    // Its real time is not recorded. It came before layaway listen was back.
    sentAt: (heardAgain.find((lever) => lever.at >= at)?.sentAt ?? Number.POSITIVE_INFINITY) - 1,
    unheard: true as const,
  }));
  const pulled = [...heardAgain, ...changes].map((lever) => ({ ...timesOf(lever), lever }));
  // Within a millisecond, a lever came before the attempt: what follows an attempt waits for its answer.
  return [...pulled, ...attempts, ...absences].toSorted(
    (a, b) => a.at - b.at || a.sentAt - b.sentAt || placeOf(a) - placeOf(b),
  );
}

const changeOf = (operation: string, changes: Partial<Endpoint>) => {
  if (operation === 'rotateWebhookSecret') return 'The signing secret of the endpoint was rotated';
  const changed = Object.keys(changes).map((name) => (name === 'enabled' && !changes.enabled ? 'disabled' : name));
  return `The endpoint was changed${changed.length > 0 ? `: ${changed.join(', ')}` : ''}`;
};

const CHANGES: ReadonlySet<string> = new Set(['updateWebhookEndpoint', 'rotateWebhookSecret']);

const placeOf = (moment: Moment) => ('attempt' in moment ? moment.attempt.id : 0);

const timesOf = ({ at, sentAt }: { readonly at: number; readonly sentAt: number }) => ({ at, sentAt });

/** The attempts to come, and when failures disable it. */
export function endpointAhead({ endpoint, deliveries, settings }: EndpointStory, now: number): Upcoming[] {
  const attempts = attemptsAhead(deliveries, now);
  if (!endpoint.enabled || endpoint.failingSince === null) return attempts;
  const at = Math.max(now, endpoint.failingSince + settings.webhook_disable_days * DAY);
  const disabling = {
    at,
    what: `any failed attempt disables the webhook endpoint ${endpoint.url}`,
    unless: 'an attempt succeeds first',
  };
  return [...attempts, disabling].toSorted((a, b) => a.at - b.at);
}
