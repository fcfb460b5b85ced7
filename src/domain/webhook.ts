import type { EventType } from './event.ts';
import type { FaultMark } from './faults.ts';
import { counted } from './text.ts';

/** `http`: the server sends. `listener`: a `layaway listen` process fetches, forwards and reports. */
export const TRANSPORTS = ['http', 'listener'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Why an endpoint that asked for no more deliveries is disabled (decisions §6). */
export const GONE = 'it answered 410 Gone';
/** Why the endpoint of a listening process that stayed away is disabled (interface §2). */
export const UNHEARD = 'nobody listened for an hour';
export const BY_HAND = 'disabled by hand';
/** Why the endpoints of an opened trace are disabled (interface §11). */
export const OPENED = 'opened from a trace';
/** Why an endpoint is disabled whose attempts have failed for that many days. */
export const failingFor = (days: number) => `failing for ${counted(days, 'day')}`;
/** The days in such a reason; null for any other reason. */
export const daysFailing = (reason: string): number | null => {
  const days = /^failing for (\d+) days?$/.exec(reason)?.[1];
  return days === undefined ? null : Number(days);
};

/** What happened to an endpoint that was disabled for this reason. */
export const disabledFor = (reason: string | null) =>
  reason === BY_HAND ? reason : `disabled: ${reason ?? 'no reason given'}`;

/** Why its pending deliveries were given up then. */
export const givenUpFor = (reason: string) => `the endpoint was ${disabledFor(reason)}`;

/** The error of an attempt that found no receiver at the address. */
export const NOBODY_LISTENS = 'connection refused: nothing listens there';
/** The error of an attempt that found no address. */
export const UNKNOWN_HOST = 'the host name is not known';

/** Begins the error of an attempt that `layaway listen` did not pass on. */
export const UNVERIFIED = 'the signature does not verify';

/** Whether the error of an attempt means that there is no receiver at all. */
export const isAbsent = (error: string) => error === NOBODY_LISTENS || error === UNKNOWN_HOST;

/** A webhook endpoint: a URL and the event types that it receives (decisions §6). */
export interface Endpoint {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  readonly url: string;
  /** Event types, or `*` for everything. */
  readonly events: readonly (EventType | '*')[];
  readonly transport: Transport;
  readonly secret: string;
  /** The replaced secret, which also signs until its instant on the account clock. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  /** The first failure since the last success, since creation or since it was enabled. */
  readonly failingSince: number | null;
  readonly createdAt: number;
  /** The real time since which no process listens; null while one does, and for endpoints that the server sends to. */
  readonly disconnectedAt: number | null;
  /** The certificate of an https receiver is not checked. */
  readonly insecure: boolean;
}

/** How long, in real time, deliveries wait for a listening process before they are given up (interface §2). */
export const ABSENCE_MS = 3_600_000;

/** Whether two URLs name the same receiver, since this machine has several names. */
export const isSameReceiver = (a: string, b: string): boolean => receiver(a) === receiver(b);

const receiver = (url: string) =>
  url.replace(/^(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/?#]|$)/i, '$1localhost').replace(/\/$/, '');

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The delivery of one event to one endpoint, or to a URL that a resend named. */
export interface Delivery {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  readonly eventId: number;
  readonly endpointId: number | null;
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  /** Signed with a secret that is not the endpoint's, to see whether the receiver refuses it; sent once. */
  readonly isForged: boolean;
}

/** One of the latest attempts to deliver to an endpoint. */
export interface LatestAttempt extends Pick<AttemptOutcome, 'statusCode' | 'durationMs' | 'error'> {
  readonly id: number;
  readonly endpointId: number;
  readonly at: number;
}

/** The request to a receiver: the stored body, byte for byte, and headers with its signature. */
export interface Letter {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The outcome of one attempt. */
export interface AttemptOutcome {
  /** The real time of sending. */
  readonly sentAt: number;
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Why it failed, unless the status says so. */
  readonly error: string | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The first KiB of the answer. */
  readonly responseBody: string | null;
}

/** The fault that struck an attempt, recorded with it. */
export interface Struck {
  readonly fault: FaultMark;
  /** The event had already arrived; this is a copy. */
  readonly isCopy: boolean;
  /** How many copies are sent after a success. */
  readonly copies: number;
  settle(): void;
}

/** An attempt with its outcome and the fault that struck it. */
export interface Carried extends AttemptOutcome {
  readonly struck: Struck | null;
}

/** An attempt and its instant on the account's clock. */
export interface Attempted {
  readonly delivery: Delivery;
  readonly outcome: Carried;
  readonly at: number;
}

/** `whsec_` and the base64 of 24 to 64 bytes (Standard Webhooks). */
export const isWebhookSecret = (text: string) => /^whsec_(?=[A-Za-z0-9+/]{32,86}={0,2}$)(?:.{4})+$/.test(text);

/** Only 2xx counts as success; an answer that breaks off does not (decisions §6). */
export const isDelivered = ({ statusCode, error }: Pick<AttemptOutcome, 'statusCode' | 'error'>) =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode <= 299;

/** The error of an attempt that succeeded, but a fault lost the answer: the receiver has the event. */
export const SUCCESS_LOST = 'a fault lost the answer';

/** The error of an attempt if a fault loses its answer. Without an answer, the error stays. */
export const errorWithoutAnswer = (outcome: Pick<AttemptOutcome, 'statusCode' | 'error'>): string | null => {
  if (outcome.statusCode === null) return outcome.error;
  return isDelivered(outcome) ? SUCCESS_LOST : `${SUCCESS_LOST} ${outcome.statusCode}`;
};

/** `Sun Nov  6 08:49:37 1994` */
const ASCTIME = /:\d\d \d{4}\s*$/;

/** The receiver's Retry-After in seconds; a date is counted from `now`. Null if it is missing or not readable. */
export function retryAfterSeconds(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Number(header);
  // The oldest of the three forms of HTTP names no zone: it is in UTC, too (RFC 9110).
  const at = Date.parse(ASCTIME.test(header) ? `${header.trim()} GMT` : header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}

/**
 * How many seconds a response asks to wait. A date counts by the clock of the server, as its Date header gives it. Null if
 * there is no usable number.
 */
export function askedSeconds({ 'retry-after': asked, date }: Readonly<Record<string, unknown>>): number | null {
  if (asked === undefined) return null;
  const seconds = retryAfterSeconds(String(asked), Date.parse(String(date)));
  return Number.isNaN(seconds) ? null : seconds;
}
