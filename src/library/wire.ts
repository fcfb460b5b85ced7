import type { Settings } from '../domain/assumptions.ts';
import type { ContractStatus, Outcome } from '../domain/contract.ts';
import type { EventType } from '../domain/event.ts';
import type { Scope } from '../domain/scope.ts';
import type { DeliveryStatus, Transport } from '../domain/webhook.ts';
import type { Contract, PageLinks, PageMeta } from './bodies.ts';

export type {
  CheckoutSession,
  Contract,
  ContractUpdate,
  MerchantConfiguration,
  Ping,
  PlanInstallment,
  SessionCreate,
} from './bodies.ts';
export interface ContractPage {
  readonly data: readonly Contract[];
  readonly links: PageLinks;
  readonly meta: PageMeta;
}
export type { ContractStatus, EventType, Outcome, Scope, Settings };

export interface Happened {
  readonly at: string;
  readonly type: EventType;
  readonly subject: string;
  readonly event_id: string | null;
}
export interface ClockState {
  readonly now: string;
  readonly mode: 'running' | 'frozen';
  readonly next_due: { readonly at: string; readonly type: string; readonly subject: string } | null;
}
export interface Advanced {
  readonly now: string;
  readonly happened: readonly Happened[];
  readonly happened_count: number;
}
export interface Forecast {
  readonly now: string;
  readonly happened: readonly Happened[];
}
export interface LayawayEvent {
  readonly id: string;
  readonly type: EventType;
  readonly created_at: string;
  readonly livemode: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the resource depends on the type of the event
  readonly data: any;
}
export interface Email {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly template: string;
  readonly reference: string | null;
  readonly text: string;
  readonly html: string;
  readonly created_at: string;
}
export interface PaymentAttempt {
  readonly reference: string;
  readonly sequence: number;
  readonly number: number;
  readonly outcome: Outcome;
  readonly amount: number;
  readonly late_charge_amount: number;
  readonly at: string;
}
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly (EventType | '*')[];
  readonly transport: Transport;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly created_at: string;
  /** On creation and rotation only. */
  readonly secret?: string;
}
export interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string | null;
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly next_attempt_at: string | null;
  readonly attempts: readonly {
    readonly number: number;
    readonly at: string;
    readonly sent_at: string;
    readonly status_code: number | null;
    readonly duration_ms: number;
    readonly error: string | null;
    readonly request_headers: Readonly<Record<string, string>>;
    readonly response_headers: Readonly<Record<string, string>>;
    readonly response_body: string | null;
  }[];
}
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** On creation only. */
  readonly key?: string;
}
export interface RequestRecord {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly duration_ms: number;
  /** Secrets are shortened. */
  readonly request_headers: Readonly<Record<string, unknown>>;
  readonly request_body: unknown;
  readonly response_body: unknown;
  readonly client_id: string | null;
}
export interface MerchantRecord {
  readonly id: string;
  readonly legal_name: string;
  readonly dba: string | null;
  readonly state: string;
  readonly email: string;
  readonly sandbox: { readonly client_id: string; readonly webhook_secret: string };
  readonly live: { readonly client_id: string; readonly webhook_secret: string };
}
/** What holds for every merchant. */
export interface Platform {
  readonly disabled: boolean;
  readonly unavailable_states: readonly string[];
}
export interface Snapshot {
  readonly name: string;
  readonly created_at: string;
  readonly bytes: number;
}
/** Lists are newest first; with `after`, oldest first from just after that id. */
export interface ListOptions {
  readonly limit?: number;
  readonly after?: string;
}
