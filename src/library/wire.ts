import type { Settings } from '../domain/assumptions.ts';
import type { ContractStatus, Outcome } from '../domain/contract.ts';
import type { EventType } from '../domain/event.ts';
import type { Scope } from '../domain/scope.ts';
import type {
  Contract,
  ContractEvent,
  InstallmentEvent,
  PageLinks,
  PageMeta,
  SessionEvent,
  TestEvent,
} from '../operations/wire.ts';

export type {
  Advanced,
  ApiKey,
  CheckoutSession,
  ClockState,
  Contract,
  ContractEvent,
  ContractUpdate,
  Delivery,
  DeliveryAttempt,
  Email,
  Forecast,
  Happened,
  InstallmentEvent,
  LayawayEvent,
  MerchantConfiguration,
  MerchantRecord,
  PaymentAttempt,
  Ping,
  PlanInstallment,
  Platform,
  RequestRecord,
  SessionCreate,
  SessionEvent,
  Snapshot,
  TestEvent,
  WebhookEndpoint,
} from '../operations/wire.ts';
export type { ContractStatus, EventType, Outcome, Scope, Settings };

/** The event of one type. */
export type EventOf<Type extends EventType> = (Type extends `session.${string}`
  ? SessionEvent
  : Type extends `contract.${string}`
    ? ContractEvent
    : Type extends `installment.${string}`
      ? InstallmentEvent
      : TestEvent) & { readonly type: Type };

export interface ContractPage {
  readonly data: readonly Contract[];
  readonly links: PageLinks;
  readonly meta: PageMeta;
}

/** Lists are newest first; with `after`, oldest first from just after that id. */
export interface ListOptions {
  readonly limit?: number;
  readonly after?: string;
}
