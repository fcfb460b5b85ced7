import type { EventType } from './event.ts';
import type { FaultMark } from './faults.ts';

/** `http`: the server sends. `listener`: a `layaway listen` process fetches, forwards and reports. */
export const TRANSPORTS = ['http', 'listener'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Who wants which events where (decisions §6). */
export interface Endpoint {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  readonly url: string;
  /** Event types, or `*` for everything. */
  readonly events: readonly (EventType | '*')[];
  readonly transport: Transport;
  readonly secret: string;
  /** Signs too, until its instant on the account clock. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  /** The first failure since the last success, the creation or the enabling. */
  readonly failingSince: number | null;
  readonly createdAt: number;
  /** Since when, in real time, no process listens; null while one does, and where the server itself sends. */
  readonly disconnectedAt: number | null;
  /** The certificate of an https receiver is not checked. */
  readonly insecure: boolean;
}

/** What happens while nobody listens is owed for this long of real time, and then given up (interface §2). */
export const ABSENCE_MS = 3_600_000;

/** Whether two URLs name one receiver: this machine has several names. */
export const isSameReceiver = (a: string, b: string): boolean => receiver(a) === receiver(b);

const receiver = (url: string) =>
  url.replace(/^(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/?#]|$)/i, '$1localhost').replace(/\/$/, '');

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event owed to one endpoint, or to a URL somebody named once. */
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
}

/** What a receiver is sent: the stored body, byte for byte, under headers that sign it. */
export interface Letter {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of one attempt. */
export interface AttemptOutcome {
  /** Real time of sending. */
  readonly sentAt: number;
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Why it failed when it is not the status alone. */
  readonly error: string | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The first KiB. */
  readonly responseBody: string | null;
}

/** What struck an attempt, to be written down with it. */
export interface Struck {
  readonly fault: FaultMark;
  /** The event had arrived before, and this is one more. */
  readonly isCopy: boolean;
  /** How often it is still to be sent after a success. */
  readonly copies: number;
  settle(): void;
}

/** An attempt as it was carried: what came of it, and what struck it. */
export interface Carried extends AttemptOutcome {
  readonly struck: Struck | null;
}

/** An attempt that was made, and when on the account's clock. */
export interface Attempted {
  readonly delivery: Delivery;
  readonly outcome: Carried;
  readonly at: number;
}

/** `whsec_` and the base64 of 24 to 64 bytes (Standard Webhooks). */
export const isWebhookSecret = (text: string) =>
  /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);

/** 2xx and nothing else; an answer that broke off is none (decisions §6). */
export const isDelivered = ({ statusCode, error }: Pick<AttemptOutcome, 'statusCode' | 'error'>) =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode <= 299;

/** The receiver's Retry-After in seconds; a date is counted from `now`. Null when there is none that can be read. */
export function retryAfterSeconds(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
