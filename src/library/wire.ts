import type { ContractStatus, Outcome } from '../domain/contract.ts';
import type { EventType } from '../domain/event.ts';
import type { Scope } from '../domain/scope.ts';
import type {
  AccountSettings,
  Contract,
  ContractCreate,
  ContractEvent,
  EndpointCreate,
  InstallmentEvent,
  LayawayRefusal,
  MerchantCreate,
  PageLinks,
  PageMeta,
  PlatformUpdate,
  SessionEvent,
  SettingsUpdate,
  TestEvent,
  ValidationError,
} from '../operations/wire.ts';

export type {
  Advanced,
  AdvanceProgress,
  ApiKey,
  CheckoutSession,
  ClockState,
  Contract,
  ContractCreate,
  ContractUpdate,
  CoverageFinding,
  CoverageFirst,
  CoverageGroup,
  CoverageReport,
  CoverageSituation,
  Delivery,
  DeliveryAttempt,
  DueThing,
  Email,
  Explanation,
  Fault,
  FaultCreate,
  FaultMark,
  Forecast,
  GivenUp,
  Happened,
  LayawayAvailability,
  MerchantAccount,
  MerchantConfiguration,
  MerchantRecord,
  Outcomes,
  PaymentAttempt,
  Ping,
  PlanInstallment,
  Platform,
  RequestRecord,
  SessionCreate,
  Settings,
  Snapshot,
  WebhookEndpoint,
  WebhookTally,
} from '../operations/wire.ts';
export type {
  ContractEvent,
  ContractStatus,
  EventType,
  InstallmentEvent,
  Outcome,
  PageLinks,
  PageMeta,
  Scope,
  SessionEvent,
  TestEvent,
};

/**
 * An event, which is also the body of a webhook. Its `type` determines the shape of `data`:
 * `LayawayEvent<'contract.cancelled'>` is an event of that type.
 */
export type LayawayEvent<Type extends EventType = EventType> = {
  [Each in Type]: {
    readonly id: string;
    readonly type: Each;
    readonly created_at: string;
    readonly livemode: boolean;
    readonly data: EventData<Each>;
  };
}[Type];
/** The resource right after the event. */
export type EventData<Type extends EventType> = Type extends `session.${string}`
  ? SessionEvent['data']
  : Type extends `contract.${string}`
    ? ContractEvent['data']
    : Type extends `installment.${string}`
      ? InstallmentEvent['data']
      : TestEvent['data'];

/** The body of a refusal (§2.9): with `errors` if fields are invalid, with `reason` if layaway is unavailable. */
export interface RefusalBody {
  readonly message: string;
  readonly errors?: ValidationError['errors'];
  readonly reason?: LayawayRefusal['reason'];
}

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

/** The content of a fixture: what a workspace has in addition to its default merchant. */
export interface FixtureContent {
  readonly platform?: PlatformUpdate;
  /** Of the default merchant's sandbox account, and what belongs to the merchant. */
  readonly settings?: SettingsUpdate;
  readonly live_settings?: AccountSettings;
  readonly merchants?: readonly Omit<MerchantCreate, 'throw_away'>[];
  /** Endpoints of the default merchant's sandbox account, and its contracts. */
  readonly webhooks?: readonly Omit<EndpointCreate, 'skip_missed'>[];
  readonly contracts?: readonly ContractCreate[];
}
