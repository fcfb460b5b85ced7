import { HOUR, MINUTE, SECOND } from './calendar.ts';

/** `must`: sooner or later it loses money or orders. `should`: it is costly, or fails under load. */
export const SEVERITIES = ['must', 'should'] as const;
export type Severity = (typeof SEVERITIES)[number];

interface Rule {
  readonly severity: Severity;
  readonly title: string;
  /** What goes wrong in production, and what to do instead. */
  readonly why: string;
}

/** Mistakes that fail in production (interface §9), in the order of the report. */
export const FINDINGS = {
  'create-without-key': {
    severity: 'must',
    title: 'A session was opened without an Idempotency-Key',
    why: 'When the response is lost, a retry opens a second session for the same order. Send a UUID for each checkout attempt, and the same one on every retry of it.',
  },
  'new-key-on-retry': {
    severity: 'must',
    title: 'A retry of POST /v1/sessions came with a new Idempotency-Key',
    why: 'The first request may have opened a session even though no response came. With a new key, the same order then gets a second one. Store the key with the order, and send it again.',
  },
  'retry-after-ignored': {
    severity: 'should',
    title: 'A request was sent again before its Retry-After had passed',
    why: 'The service refuses it again, and the store stays locked out for longer. Wait for as many seconds as the header says.',
  },
  'retry-storm': {
    severity: 'should',
    title: 'The same request was sent more than 5 times within a second',
    why: 'Retries without a pause use up the rate limit, and make an outage worse. Wait longer after each failure: 1 s, 2 s, 4 s, and so on.',
  },
  'unknown-field': {
    severity: 'should',
    title: 'A request body had a field that the service ignores',
    why: 'A mistyped or invented field has no effect, and no error says so. Compare the body with the documentation, and put your own data into metadata.',
  },
  'redirect-trusted': {
    severity: 'must',
    title: 'A completed checkout was not confirmed within an hour',
    why: 'Customers close the browser before the redirect, and anybody can open the return URL. Read the session from the server (GET /v1/checkout-sessions/{id}), or return 2xx for its webhook, before the order counts as placed.',
  },
  polling: {
    severity: 'should',
    title: 'One session or contract was read more than 30 times without a change',
    why: 'Polling uses up the rate limit and is still late. Rely on webhooks, and read the resource once when one arrives.',
  },
  'slow-ack': {
    severity: 'should',
    title: 'A webhook was answered after more than 5 seconds',
    why: 'After 15 seconds the service gives up and sends it again, and slow responses hold up all later events. Store the event, return 2xx, and do the work afterwards.',
  },
  'endpoint-errors': {
    severity: 'must',
    title: 'The endpoint answered a genuine webhook with 4xx or 5xx',
    why: 'Retries come at growing intervals and then stop; an endpoint that keeps failing is disabled. Return 2xx for every event whose signature is valid, including unknown types.',
  },
  'endpoint-redirects': {
    severity: 'must',
    title: 'The endpoint answered a webhook with a redirect',
    why: 'Redirects are not followed: the event counts as not delivered. Give the endpoint the final URL, with https and the correct trailing slash.',
  },
  'signature-unchecked': {
    severity: 'must',
    title: 'The endpoint answered a forged webhook with 2xx',
    why: 'Anyone who knows the URL can then mark orders as paid. Verify the signature over the bytes as received, and return 400 if it is wrong.',
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type FindingRule = keyof typeof FINDINGS;
export const FINDING_RULES = Object.keys(FINDINGS) as [FindingRule, ...FindingRule[]];

/** A create that failed, as remembered for its retry. */
export interface LostCreate {
  readonly key: string | null;
  /** True: no answer came. False: the answer was a server error. */
  readonly isLost: boolean;
  /** On the account's clock. */
  readonly at: number;
}

/** While the key of the first request lives, another key may open a second session. */
export const isRememberedCreate = ({ at }: LostCreate, now: number, idempotencyHours: number): boolean =>
  now < at + idempotencyHours * HOUR;

export const isNewKeyOnRetry = (before: LostCreate, key: string | null): boolean =>
  before.key !== null && key !== null && key !== before.key;

export const isSameKeyRetry = (before: LostCreate, key: string | null): boolean =>
  before.isLost && key !== null && key === before.key;

/** Timers of clients may ring a little early. */
const SLACK_MS = 25;

/** The wait that the last answer to the same request asked for: from the answer to its end. Real time. */
export interface Wait {
  readonly from: number;
  readonly until: number;
}

/** A request that arrived before the answer could not know it. */
export const ignoresRetryAfter = (arrivedAt: number, { from, until }: Wait): boolean =>
  arrivedAt >= from && arrivedAt < until - SLACK_MS;

/** More equal requests than this within the span are a storm. */
const STORM = { ms: SECOND, requests: 5 } as const;

/** When a request arrived, in real time and by the clock of its account. */
export interface Arrival {
  readonly real: number;
  readonly account: number;
}

/**
 * The arrivals of equal requests within the last span, oldest first. One that is answered late is noted after others
 * that arrived later. Both clocks count: an advance sends the webhooks of months in a moment, and a store may read at
 * each of them.
 */
export function withinStorm(arrivals: readonly Arrival[], arrival: Arrival): Arrival[] {
  const sorted = [...arrivals, arrival].sort((a, b) => a.real - b.real);
  const { real, account } = sorted.at(-1) as Arrival;
  return sorted.filter((each) => each.real > real - STORM.ms && each.account > account - STORM.ms);
}
/**
 * `webhooks` is the number of webhooks about the resource that a fault, or the creation of a contract with its history,
 * sent within `NOTICED_MS`: the store may read at each.
 */
export const isStorm = (arrivals: readonly Arrival[], webhooks = 0): boolean =>
  arrivals.length > STORM.requests + webhooks;
/** A worker of the store may come to a webhook some time after it was answered. Real time. */
export const NOTICED_MS = MINUTE;

/** How often one resource may be read without a change. */
export const POLLS_MAX = 30;

/** How long after its completion a checkout may stay unconfirmed. Account time. */
export const CONFIRM_MS = HOUR;

const SLOW_ACK_MS = 5 * SECOND;

/** An endpoint's answer to one attempt. */
export interface EndpointAnswer {
  /** Null if no answer came, or a fault ignored it. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Signed with a wrong secret on purpose. */
  readonly isForged: boolean;
}

/** The findings that follow from one answer. An endpoint must refuse a forged event. */
export function findingsOfAnswer({ statusCode, durationMs, isForged }: EndpointAnswer): FindingRule[] {
  const isBetween = (from: number, to: number) => statusCode !== null && statusCode >= from && statusCode <= to;
  if (isForged) return isBetween(200, 299) ? ['signature-unchecked'] : [];
  return [
    ...(durationMs > SLOW_ACK_MS ? (['slow-ack'] as const) : []),
    ...(isBetween(400, 599) ? (['endpoint-errors'] as const) : []),
    ...(isBetween(300, 399) ? (['endpoint-redirects'] as const) : []),
  ];
}
