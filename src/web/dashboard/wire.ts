import type {
  ApiKey,
  CheckoutSession,
  ClockState,
  Contract,
  Delivery,
  EventType,
  Happened,
  Outcome,
  PaymentAttempt,
  RequestRecord,
} from '../../library/wire.ts';

export type {
  Advanced,
  ApiKey,
  CheckoutSession,
  ClockState,
  Contract,
  Delivery,
  Email,
  Happened,
  LayawayEvent,
  Outcome,
  PaymentAttempt,
  PlanInstallment,
  RequestRecord,
  Settings,
  Snapshot,
  WebhookEndpoint,
} from '../../library/wire.ts';

/** What only the dashboard reads (`/_sim/browse`). */
export interface AccountLine {
  readonly client_id: string;
  readonly mode: 'sandbox' | 'live';
  readonly merchant: { readonly id: string; readonly name: string };
  readonly clock: ClockState;
  readonly contracts: Readonly<Record<string, number>>;
}

export interface Accounts {
  readonly data: readonly AccountLine[];
  readonly meta: { readonly merchants: number; readonly version: string };
}

export interface Counts {
  readonly sessions: Readonly<Record<string, number>>;
  readonly contracts: Readonly<Record<string, number>>;
  readonly deliveries: Readonly<Record<string, number>>;
}

export interface PageMeta {
  readonly page: number;
  readonly per_page: number;
  readonly total: number;
  readonly more_than_total: boolean;
}

/** A list read backwards; `older` is what the next look asks for. */
export interface Back<T> {
  readonly data: readonly T[];
  readonly meta: { readonly older: string | null };
}

/** What lies ahead; `more` when the look ended before it did. */
export interface Ahead {
  readonly now: string;
  readonly happened: readonly Happened[];
  readonly more: boolean;
}

export interface EventLine {
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  readonly created_at: string;
}

export interface EmailLine {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly template: string;
  readonly created_at: string;
}

/** A request without its bodies. */
export type RequestLine = Omit<RequestRecord, 'request_headers' | 'request_body' | 'response_body'>;

export interface Related {
  readonly kind: string;
  readonly session: CheckoutSession | null;
  readonly contract: Contract | null;
  readonly preview: boolean;
  readonly outcomes: readonly Outcome[];
  readonly attempts: readonly PaymentAttempt[];
  readonly events: readonly EventLine[];
  readonly deliveries: readonly Delivery[];
  readonly emails: readonly EmailLine[];
  readonly requests: readonly RequestLine[];
}

export interface AssumptionLine {
  readonly name: string;
  readonly kind: string;
  readonly default: unknown;
  readonly value?: unknown;
  readonly completes: string;
  readonly scope: 'account' | 'merchant' | 'platform' | 'server';
  readonly note: string;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly nullable?: true;
}

export type NewKey = ApiKey & { readonly key: string };
