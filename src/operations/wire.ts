/** Generated from the schemas of this folder by `npm run openapi`: what callers of the server send and read. */

/** Whether the merchant may sell on layaway right now. */
export interface LayawayAvailability {
  /** Whether the merchant may sell right now. */
  readonly available: boolean;
  /** Why not; null when available. */
  readonly reason: 'platform_disabled' | 'merchant_overridden' | 'state_unavailable' | 'state_excluded' | 'merchant_disabled' | 'merchant_inactive' | null;
  /** A customer-safe explanation; null when available. */
  readonly message: string | null;
}

/** An order on its way through the hosted checkout. */
export interface CheckoutSession {
  /** The session’s public token. */
  readonly id: string;
  /** The effective status: a session past its deadline reads `expired`. */
  readonly status: 'pending' | 'decision_made' | 'completed' | 'cancelled' | 'expired';
  /** The merchant’s own order identifier, as sent. */
  readonly order_reference: string;
  /** The order total, cents. */
  readonly total_amount: number;
  /** Cents, collected at checkout; snapshotted when the session opens. */
  readonly down_payment_amount: number;
  /** The percentage applied. */
  readonly down_payment_percentage: number;
  /** Where to send the customer. */
  readonly checkout_url: string;
  /** As sent. */
  readonly return_url: string;
  /** As sent. */
  readonly cancel_url: string;
  /** Deadline after which the session lapses. */
  readonly expires_at: string;
  readonly created_at: string;
  /** Your own keys and values, echoed back untouched; `{}` when none were sent. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** One capture on the schedule. */
export interface PlanInstallment {
  /** Position in the schedule; 1 is the Cart Capture. */
  readonly sequence: number;
  /** The opening payment taken at checkout, or one of the captures after it. */
  readonly type: 'cart_capture' | 'installment_capture';
  /** Number of the Installment Capture in the plan; null on the Cart Capture. */
  readonly installment_number: number | null;
  /** Cents. */
  readonly amount: number;
  readonly due_date: string;
  readonly status: 'upcoming' | 'due' | 'paid' | 'past_due' | 'delinquent';
  readonly paid_at: string | null;
}

/** A layaway agreement with its payment schedule. */
export interface Contract {
  /** The public reference, the same value that webhooks carry. */
  readonly reference: string;
  /** The merchant’s own order identifier. */
  readonly order_reference: string | null;
  /** Pending until the Cart Capture lands; `completed`, `cancelled` and `defaulted` are terminal. */
  readonly status: 'pending' | 'active' | 'completed' | 'cancelled' | 'defaulted';
  readonly customer_name: string;
  readonly customer_email: string;
  /** The state for which the agreement was opened. */
  readonly customer_state: string | null;
  /** Order total before the fee, cents. */
  readonly total_amount: number;
  /** The Reservation Fee, cents; retained on default. */
  readonly reservation_fee_amount: number;
  /** Order total plus the fee, cents. */
  readonly customer_total: number;
  /** Collected at checkout, cents. The only capture that carries the Reservation Fee. */
  readonly down_payment_amount: number;
  /** Paid so far, cents. */
  readonly paid_amount: number;
  /** Still to be paid, cents. */
  readonly remaining_amount: number;
  /** The schedule. */
  readonly installments: readonly PlanInstallment[];
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly defaulted_at: string | null;
  readonly cancelled_at: string | null;
  readonly created_at: string;
  /** Your own keys and values, echoed back untouched; `{}` when none were sent. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** The merchant of a key, and the key’s scopes. */
export interface Ping {
  /** The merchant’s public identifier in one mode. */
  readonly client_id: string;
  readonly legal_name: string;
  readonly dba: string | null;
  /** What this key may do. */
  readonly scopes: readonly ('checkout:read' | 'checkout:write' | 'contracts:read' | 'contracts:write')[];
  /** The first 12 characters of the key. */
  readonly key_prefix: string;
  readonly layaway: LayawayAvailability;
}

/** Display data and selling terms. */
export interface MerchantConfiguration {
  readonly merchant: {
    /** The merchant’s public identifier in one mode. */
    readonly client_id: string;
    readonly legal_name: string;
    readonly dba: string | null;
  };
  /** Decided by the prefix of the key. */
  readonly mode: 'sandbox' | 'live';
  readonly layaway: LayawayAvailability;
  /** The range in which the merchant may sell; session create refuses a cart outside it. */
  readonly terms: {
    /** Cents. */
    readonly min_order_amount: number;
    /** Cents. */
    readonly max_order_amount: number;
    /** Share of the order total collected at checkout. */
    readonly down_payment_percentage: number;
  };
  /** How long a new session stays open before it lapses. */
  readonly session_ttl_minutes: number;
}

/** A session as its customer may see it. */
export interface HostedSession {
  /** The session’s public token. */
  readonly id: string;
  /** The effective status: a session past its deadline reads `expired`. */
  readonly status: 'pending' | 'decision_made' | 'completed' | 'cancelled' | 'expired';
  readonly mode: 'sandbox' | 'live';
  readonly merchant: {
    /** The name the customer knows. */
    readonly name: string;
  };
  /** The order total, cents. */
  readonly total_amount: number;
  /** Cents. */
  readonly down_payment_amount: number;
  /** The percentage applied. */
  readonly down_payment_percentage: number;
  /** Cents. */
  readonly reservation_fee_amount: number;
  /** Order total plus the fee, cents. */
  readonly customer_total: number;
  /** Down payment and fee, cents. */
  readonly due_today_amount: number;
  /** Until the plan is accepted a preview, dated from today. */
  readonly installments: readonly PlanInstallment[];
  /** As sent. */
  readonly cancel_url: string;
  readonly expires_at: string;
}

/** An order to be sold on layaway. */
export interface SessionCreate {
  /** Your own order identifier. */
  readonly order_reference: string;
  /** Cents, inside the merchant’s terms range. */
  readonly total_amount: number;
  /** Where the customer lands after completing checkout. HTTPS only. */
  readonly return_url: string;
  /** Where the customer lands if they back out. HTTPS only. */
  readonly cancel_url: string;
  readonly customer_email?: string | null;
  /** The US state the order ships to; when omitted, the merchant’s own. */
  readonly customer_state?: string | null;
  /** Your own keys and values: at most 50 keys of at most 40 characters, values of at most 500. Values are trimmed and must not be empty. Stored on the session and copied to its contract. An update replaces the whole map. */
  readonly metadata?: Readonly<Record<string, string>> | null;
}

/** Bookkeeping fields; keys not named here are ignored. */
export interface ContractUpdate {
  /** Your own order identifier. */
  readonly order_reference?: string;
  /** Your own keys and values: at most 50 keys of at most 40 characters, values of at most 500. Values are trimmed and must not be empty. Stored on the session and copied to its contract. An update replaces the whole map. */
  readonly metadata?: Readonly<Record<string, string>> | null;
}

/** Addresses of the first, last, previous and next page. */
export interface PageLinks {
  readonly first: string | null;
  readonly last: string | null;
  readonly prev: string | null;
  readonly next: string | null;
}

/** Page numbers and totals. */
export interface PageMeta {
  readonly current_page: number;
  /** Number of the first row on this page; null when empty. */
  readonly from: number | null;
  readonly last_page: number;
  /** The links of a pager, in order. */
  readonly links: readonly ({
    readonly url: string | null;
    readonly label: string;
    readonly page: number | null;
    readonly active: boolean;
  })[];
  readonly path: string;
  readonly per_page: number;
  /** Number of the last row on this page; null when empty. */
  readonly to: number | null;
  /** Contracts on all pages. */
  readonly total: number;
}

/** A refusal. */
export interface Error {
  readonly message: string;
}

/** Layaway is unavailable for this merchant or this customer’s state. */
export interface LayawayRefusal {
  /** Written for the customer to read. */
  readonly message: string;
  readonly reason: 'platform_disabled' | 'merchant_overridden' | 'state_unavailable' | 'state_excluded' | 'merchant_disabled' | 'merchant_inactive';
}

/** The request is invalid. */
export interface ValidationError {
  /** The first message, and the number of the others. */
  readonly message: string;
  /** The messages, by field name. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** What falls due next. */
export interface DueThing {
  /** Account time. */
  readonly at: string;
  /** The event that it makes; `webhook.attempt` for a delivery’s next attempt. */
  readonly type: string;
  /** `LAY-…`, `LAY-…#2`, `cs_…`, or the id of a delivery. */
  readonly subject: string;
}

/** The clock of one account. */
export interface ClockState {
  /** Account time. */
  readonly now: string;
  readonly mode: 'running' | 'frozen';
  /** Null when nothing falls due. */
  readonly next_due: DueThing | null;
}

/** An event that the passing of time made, or would make. */
export interface Happened {
  /** Account time. */
  readonly at: string;
  readonly type: 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired' | 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted' | 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent' | 'webhook.test';
  /** `LAY-…`, `LAY-…#2` or `cs_…`. */
  readonly subject: string;
  /** Null in a dry run and in a forecast. */
  readonly event_id: string | null;
}

/** Outcomes of the webhook attempts. */
export interface WebhookTally {
  /** Deliveries that succeeded. */
  readonly delivered: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Deliveries that failed for good: no retry is left, or the endpoint was disabled. */
  readonly given_up: number;
}

/** The result of an advance. */
export interface Advanced {
  /** Account time, after the advance. */
  readonly now: string;
  /** In order; at most the first 1,000. */
  readonly happened: readonly Happened[];
  /** All of them; `/_sim/events` has those not listed here. */
  readonly happened_count: number;
  /** How many of each event type; types without an event are left out. */
  readonly happened_by_type: Readonly<Record<string, number>>;
  /** The attempts that fell due on the way; null in a dry run and with `wait: false`. */
  readonly webhooks: WebhookTally | null;
}

/** How far an advance got. */
export interface AdvanceProgress {
  readonly dry_run: boolean;
  /** Account time, before the advance. */
  readonly from: string;
  /** Its destination. */
  readonly to: string;
  /** How far it got. */
  readonly now: string;
  /** Events so far. */
  readonly happened_count: number;
  /** How many of each event type; types without an event are left out. */
  readonly happened_by_type: Readonly<Record<string, number>>;
  /** Items still due by `to`, counted up to 100,000; null in a dry run. */
  readonly left_count: number | null;
}

/** What will happen if nobody acts. */
export interface Forecast {
  /** Account time. */
  readonly now: string;
  /** In order; at most the first 1,000. */
  readonly happened: readonly Happened[];
}

/** Exactly one of `by`, `to`, `next` and `until`. */
export interface AdvanceInput {
  /** A duration: `36h`, `30d`, `1d12h`, `2w`, `3mo`, `P1M`. */
  readonly by?: string;
  /** An instant, ISO 8601. */
  readonly to?: string;
  /** `true`: to the next item that falls due. */
  readonly next?: boolean;
  /** A condition: `LAY-…=defaulted`, `LAY-…#2=past_due`, `cs_…=expired`. */
  readonly until?: string;
  /** `true`: report what would happen, and change nothing. */
  readonly dry_run?: boolean;
  /** `false`: respond without waiting for the webhook attempts that fell due. */
  readonly wait?: boolean;
}

/** An order as session create takes it, marked as a preview. */
export interface PreviewInput {
  /** Your own order identifier. */
  readonly order_reference: string;
  /** Cents, inside the merchant’s terms range. */
  readonly total_amount: number;
  /** Where the customer lands after completing checkout. HTTPS only. */
  readonly return_url: string;
  /** Where the customer lands if they back out. HTTPS only. */
  readonly cancel_url: string;
  readonly customer_email?: string | null;
  /** The US state the order ships to; when omitted, the merchant’s own. */
  readonly customer_state?: string | null;
  /** Your own keys and values: at most 50 keys of at most 40 characters, values of at most 500. Values are trimmed and must not be empty. Stored on the session and copied to its contract. An update replaces the whole map. */
  readonly metadata?: Readonly<Record<string, string>> | null;
  /** Always `true`. */
  readonly preview: boolean;
}

/** The customer who accepts the plan. Without an email address, the session’s is used. */
export interface AcceptInput {
  readonly customer_name: string;
  readonly customer_email?: string;
}

/** How the payment ends. */
export interface PayInput {
  /** How the Cart Capture ends; `pay` when absent. */
  readonly outcome?: 'pay' | 'fail';
}

/** Without a name `Test Customer`; without an address the session’s own, or `customer@example.com`. */
export interface CompleteInput {
  readonly customer_name?: string;
  readonly customer_email?: string;
  /** How the Cart Capture ends; `pay` when absent. */
  readonly outcome?: 'pay' | 'fail';
}

/** One attempt to collect a payment. */
export interface PaymentAttempt {
  /** `sim_…` in sandbox, `pay_…` in live. */
  readonly reference: string;
  /** Of the installment; 1 is the Cart Capture. */
  readonly sequence: number;
  /** Counts the attempts on that installment. */
  readonly number: number;
  readonly outcome: 'pay' | 'fail';
  /** Cents. */
  readonly amount: number;
  /** Cents. */
  readonly late_charge_amount: number;
  /** Account time. */
  readonly at: string;
}

/** How the next scheduled collection attempts end. */
export interface Outcomes {
  /** Outcomes of the next scheduled attempts, one each; later attempts succeed. */
  readonly outcomes: readonly ('pay' | 'fail')[];
}

/** A contract in a given state, with the history that leads to it. */
export interface ContractCreate {
  /** The contract’s status now; `active` when absent. */
  readonly status?: 'pending' | 'active' | 'completed' | 'cancelled' | 'defaulted';
  /** One installment and its status now. Those before it are paid. On a defaulted contract it is the one that defaults, by default the first. */
  readonly installment?: {
    /** The `installment_number`. */
    readonly number: number;
    /** `paid` when absent, except where it defaults. */
    readonly status?: 'paid' | 'due' | 'past_due' | 'delinquent';
  };
  /** The minimum number of days between the end of the history and the account’s clock; 1 when absent. */
  readonly days_ago?: number;
  /** `false`: events are recorded, and nothing is sent to endpoints. */
  readonly webhooks?: boolean;
  /** Your own order identifier. */
  readonly order_reference?: string;
  /** Cents, inside the merchant’s terms range. */
  readonly total_amount?: number;
  readonly customer_name?: string;
  readonly customer_email?: string;
  /** The US state the order ships to; when omitted, the merchant’s own. */
  readonly customer_state?: string | null;
  /** Your own keys and values: at most 50 keys of at most 40 characters, values of at most 500. Values are trimmed and must not be empty. Stored on the session and copied to its contract. An update replaces the whole map. */
  readonly metadata?: Readonly<Record<string, string>> | null;
}

/** Something happened to a checkout session. */
export interface SessionEvent {
  /** `evt_…`, the same on every delivery and retry. */
  readonly id: string;
  readonly type: 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired';
  /** Account time. */
  readonly created_at: string;
  /** Whether it happened in live mode. */
  readonly livemode: boolean;
  readonly data: CheckoutSession;
}

/** Something happened to a contract. */
export interface ContractEvent {
  /** `evt_…`, the same on every delivery and retry. */
  readonly id: string;
  readonly type: 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted';
  /** Account time. */
  readonly created_at: string;
  /** Whether it happened in live mode. */
  readonly livemode: boolean;
  readonly data: Contract;
}

/** Something happened to an installment. */
export interface InstallmentEvent {
  /** `evt_…`, the same on every delivery and retry. */
  readonly id: string;
  readonly type: 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent';
  /** Account time. */
  readonly created_at: string;
  /** Whether it happened in live mode. */
  readonly livemode: boolean;
  readonly data: {
    /** The contract’s, `LAY-…`. */
    readonly reference: string;
    readonly order_reference: string | null;
    readonly installment: PlanInstallment;
    /** Number of the payment attempt concerned; null where there was none. */
    readonly attempt: number | null;
    /** Cents; 0 until it is assessed. */
    readonly late_charge_amount: number;
  };
}

/** A test that was sent to one endpoint. */
export interface TestEvent {
  /** `evt_…`, the same on every delivery and retry. */
  readonly id: string;
  readonly type: 'webhook.test';
  /** Account time. */
  readonly created_at: string;
  /** Whether it happened in live mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly endpoint_id: string;
  };
}

/** The body of a webhook. */
export type LayawayEvent = SessionEvent | ContractEvent | InstallmentEvent | TestEvent;

/** The body of a webhook, and where it went. */
export type EventWithDeliveries = {
  /** `evt_…`, the same on every delivery and retry. */
  readonly id: string;
  readonly type: 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired';
  /** Account time. */
  readonly created_at: string;
  /** Whether it happened in live mode. */
  readonly livemode: boolean;
  readonly data: CheckoutSession;
  readonly deliveries: readonly Delivery[];
} | {
  /** `evt_…`, the same on every delivery and retry. */
  readonly id: string;
  readonly type: 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted';
  /** Account time. */
  readonly created_at: string;
  /** Whether it happened in live mode. */
  readonly livemode: boolean;
  readonly data: Contract;
  readonly deliveries: readonly Delivery[];
} | {
  /** `evt_…`, the same on every delivery and retry. */
  readonly id: string;
  readonly type: 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent';
  /** Account time. */
  readonly created_at: string;
  /** Whether it happened in live mode. */
  readonly livemode: boolean;
  readonly data: {
    /** The contract’s, `LAY-…`. */
    readonly reference: string;
    readonly order_reference: string | null;
    readonly installment: PlanInstallment;
    /** Number of the payment attempt concerned; null where there was none. */
    readonly attempt: number | null;
    /** Cents; 0 until it is assessed. */
    readonly late_charge_amount: number;
  };
  readonly deliveries: readonly Delivery[];
} | {
  /** `evt_…`, the same on every delivery and retry. */
  readonly id: string;
  readonly type: 'webhook.test';
  /** Account time. */
  readonly created_at: string;
  /** Whether it happened in live mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly endpoint_id: string;
  };
  readonly deliveries: readonly Delivery[];
};

/** At most one of the two. Without either, the event goes to every enabled endpoint that subscribes to its type. */
export interface ResendInput {
  /** To this endpoint only. */
  readonly endpoint_id?: string;
  /** Where the deliveries go. */
  readonly url?: string;
}

/** A fault of the account’s requests or deliveries. Fields of other kinds are null. */
export interface Fault {
  /** `flt_…` */
  readonly id: string;
  /** `lost_request`: The connection is closed. Nothing was done. `lost_answer`: Everything is done and committed. The connection is closed without a response. `cut_answer`: Everything is done. Status, headers and half of the body are sent, then the connection is closed. `error`: Nothing is done. The response is a server error. `late_error`: Everything is done and committed. The response is a server error. `throttled`: Nothing is done. The response is 429 with Retry-After. `slow`: The response comes later, in real time. `lost`: The attempt does not reach the receiver, and is made again later. `lost_ack`: The attempt reaches the receiver. Its response is ignored, so the event comes again. `duplicate`: After success the same event is sent again. `reordered`: The event is sent after the next one to the same endpoint, or an hour of account time later. `delayed`: The first attempt comes later, in account time. */
  readonly kind: 'lost_request' | 'lost_answer' | 'cut_answer' | 'error' | 'late_error' | 'throttled' | 'slow' | 'lost' | 'lost_ack' | 'duplicate' | 'reordered' | 'delayed';
  /** Only requests to this operation of `/v1`. Faults strike only requests with valid credentials. */
  readonly operation: 'ping' | 'getConfig' | 'createSession' | 'getCheckoutSession' | 'getHostedSession' | 'listContracts' | 'getContract' | 'updateContract' | 'cancelContract' | null;
  /** Only requests with this method. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | null;
  /** Only requests to this whole path, decoded and without the query; `*` matches one segment. */
  readonly path: string | null;
  /** Only deliveries of this event type; a pattern such as contract.* is allowed. */
  readonly event: 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired' | 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted' | 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent' | 'webhook.test' | 'session.*' | 'contract.*' | 'installment.*' | 'webhook.*' | null;
  /** Only deliveries to this endpoint. */
  readonly endpoint_id: string | null;
  /** How often it strikes; null: always. */
  readonly times: number | null;
  /** How many matches it lets pass first. */
  readonly skip: number;
  /** After the first strike it strikes every n-th match. */
  readonly every: number;
  /** `error` and `late_error`: 500, 502, 503 or 504. */
  readonly status: number | null;
  /** `error`, `late_error`, `throttled`: the Retry-After header, in seconds. */
  readonly retry_after: number | null;
  /** `slow`: how much later the response comes, in real time. */
  readonly delay_ms: number | null;
  /** `delayed`: a duration of account time, at most 30 days. */
  readonly by: string | null;
  /** `duplicate`: how many more times it is sent. */
  readonly copies: number | null;
  /** How often it struck. */
  readonly met: number;
  /** Account time. */
  readonly created_at: string;
}

/** Defaults: `times` 1, `skip` 0, `every` 1, `status` 503, `retry_after` 1 for `throttled`, `delay_ms` 1000, `by` `1h`, `copies` 1. */
export interface FaultCreate {
  /** `lost_request`: The connection is closed. Nothing was done. `lost_answer`: Everything is done and committed. The connection is closed without a response. `cut_answer`: Everything is done. Status, headers and half of the body are sent, then the connection is closed. `error`: Nothing is done. The response is a server error. `late_error`: Everything is done and committed. The response is a server error. `throttled`: Nothing is done. The response is 429 with Retry-After. `slow`: The response comes later, in real time. `lost`: The attempt does not reach the receiver, and is made again later. `lost_ack`: The attempt reaches the receiver. Its response is ignored, so the event comes again. `duplicate`: After success the same event is sent again. `reordered`: The event is sent after the next one to the same endpoint, or an hour of account time later. `delayed`: The first attempt comes later, in account time. */
  readonly kind: 'lost_request' | 'lost_answer' | 'cut_answer' | 'error' | 'late_error' | 'throttled' | 'slow' | 'lost' | 'lost_ack' | 'duplicate' | 'reordered' | 'delayed';
  /** Only requests to this operation of `/v1`. Faults strike only requests with valid credentials. */
  readonly operation?: 'ping' | 'getConfig' | 'createSession' | 'getCheckoutSession' | 'getHostedSession' | 'listContracts' | 'getContract' | 'updateContract' | 'cancelContract' | null;
  /** Only requests with this method. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | null;
  /** Only requests to this whole path, decoded and without the query; `*` matches one segment. */
  readonly path?: string | null;
  /** Only deliveries of this event type; a pattern such as contract.* is allowed. */
  readonly event?: 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired' | 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted' | 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent' | 'webhook.test' | 'session.*' | 'contract.*' | 'installment.*' | 'webhook.*' | null;
  /** Only deliveries to this endpoint. */
  readonly endpoint_id?: string | null;
  /** How often it strikes; null: always. */
  readonly times?: number | null;
  /** How many matches it lets pass first. */
  readonly skip?: number;
  /** After the first strike it strikes every n-th match. */
  readonly every?: number;
  /** `error` and `late_error`: 500, 502, 503 or 504. */
  readonly status?: number | null;
  /** `error`, `late_error`, `throttled`: the Retry-After header, in seconds. */
  readonly retry_after?: number | null;
  /** `slow`: how much later the response comes, in real time. */
  readonly delay_ms?: number | null;
  /** `delayed`: a duration of account time, at most 30 days. */
  readonly by?: string | null;
  /** `duplicate`: how many more times it is sent. */
  readonly copies?: number | null;
}

/** The fault that struck. */
export interface FaultMark {
  /** `flt_…`, or `chaos`. */
  readonly id: string;
  readonly kind: 'lost_request' | 'lost_answer' | 'cut_answer' | 'error' | 'late_error' | 'throttled' | 'slow' | 'lost' | 'lost_ack' | 'duplicate' | 'reordered' | 'delayed';
}

/** A URL and the event types that it receives. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** Event types; `*` for all. */
  readonly events: readonly ('*' | 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired' | 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted' | 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent' | 'webhook.test')[];
  /** `http`: the server sends. `listener`: a `layaway listen` process fetches, forwards and reports. */
  readonly transport: 'http' | 'listener';
  /** The certificate of an https receiver is not checked. */
  readonly insecure: boolean;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  /** Account time. */
  readonly created_at: string;
  /** The real time since which no `layaway listen` has been forwarding; null while one does, and where the server sends. */
  readonly disconnected_at: string | null;
  /** Deliveries still to be attempted; at most 1,000 are counted. */
  readonly owed: number;
  /** `whsec_…`; only on creation, on rotation, and where it is asked for. */
  readonly secret?: string;
}

/** A new endpoint; every event when `events` is absent. */
export interface EndpointCreate {
  /** Where the deliveries go. */
  readonly url: string;
  /** Event types; `*` for all. */
  readonly events?: readonly ('*' | 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired' | 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted' | 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent' | 'webhook.test')[];
  /** `whsec_` and base64. When absent, one is generated; a listener gets that of the account. */
  readonly secret?: string;
  /** `http`: the server sends. `listener`: a `layaway listen` process fetches, forwards and reports. */
  readonly transport?: 'http' | 'listener';
  /** Accepts any certificate of an https receiver, such as a self-signed one. */
  readonly insecure?: boolean;
  /** Gives up the deliveries that waited for this listener: those without an attempt. */
  readonly skip_missed?: boolean;
}

/** The fields to change. */
export interface EndpointUpdate {
  /** Where the deliveries go. */
  readonly url?: string;
  /** Event types; `*` for all. */
  readonly events?: readonly ('*' | 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired' | 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted' | 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent' | 'webhook.test')[];
  readonly enabled?: boolean;
}

export interface WebhookTest {
  /** Sign it with a secret that is not the endpoint’s. A receiver that answers it with 2xx does not check signatures. It is sent once. */
  readonly forged?: boolean;
}

/** One attempt to deliver. */
export interface DeliveryAttempt {
  readonly number: number;
  /** Account time. */
  readonly at: string;
  /** Real time. */
  readonly sent_at: string;
  /** Null when no response came. */
  readonly status_code: number | null;
  readonly duration_ms: number;
  /** Why it failed, if the status does not say so. */
  readonly error: string | null;
  /** As sent. */
  readonly request_headers: Readonly<Record<string, string>>;
  /** As received. */
  readonly response_headers: Readonly<Record<string, string>>;
  /** The first KiB. */
  readonly response_body: string | null;
  /** The fault that struck it, or null. */
  readonly fault: FaultMark | null;
}

/** When and why a delivery was given up before its last attempt. */
export interface GivenUp {
  /** Account time. */
  readonly at: string;
  /** Such as `the endpoint was disabled: …`. */
  readonly reason: string;
}

/** The delivery of one event to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired' | 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted' | 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent' | 'webhook.test';
  /** Account time. */
  readonly event_created_at: string;
  /** Null when it went to a bare URL. */
  readonly endpoint_id: string | null;
  readonly url: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  /** Account time; null when no attempt is to come. */
  readonly next_attempt_at: string | null;
  /** Null unless it was given up before its last attempt. */
  readonly given_up: GivenUp | null;
  readonly attempts: readonly DeliveryAttempt[];
}

/** The outcome of a forwarded attempt. */
export interface DeliveryReport {
  /** Null or absent when no response came. */
  readonly status_code?: number | null;
  /** Which attempt it is, as the stream numbered it. */
  readonly attempt?: number;
  readonly duration_ms: number;
  readonly error?: string | null;
  /** As received. */
  readonly response_headers?: Readonly<Record<string, string>>;
  readonly response_body?: string | null;
}

/** What showed it first. */
export interface CoverageFirst {
  /** Account time. */
  readonly at: string;
  readonly kind: 'request' | 'event' | 'delivery';
  /** `req_…`, `evt_…` or `dlv_…`; null for a request to a server without a request log. */
  readonly id: string | null;
  /** The account whose id it is, in a sum over several accounts; otherwise null. */
  readonly client_id: string | null;
}

export interface CoverageGroup {
  readonly id: 'operations' | 'refusals' | 'idempotency' | 'sessions' | 'contracts' | 'webhooks';
  readonly title: string;
  /** Situations of the group that were met. */
  readonly met: number;
  /** Situations of the group. */
  readonly total: number;
}

/** Something that the service can do to a store. */
export interface CoverageSituation {
  /** `<group>.<what>`, such as `webhooks.duplicate`. */
  readonly id: string;
  readonly group: 'operations' | 'refusals' | 'idempotency' | 'sessions' | 'contracts' | 'webhooks';
  readonly title: string;
  /** The section of the documents that describes it. */
  readonly section: string;
  /** How often it was met. */
  readonly met: number;
  readonly first: CoverageFirst | null;
  /** How to reach it: commands between backticks, and what the store does then. */
  readonly how: string;
}

/** A habit of the store that fails in production. */
export interface CoverageFinding {
  readonly rule: 'create-without-key' | 'new-key-on-retry' | 'retry-after-ignored' | 'retry-storm' | 'unknown-field' | 'redirect-trusted' | 'polling' | 'slow-ack' | 'endpoint-errors' | 'endpoint-redirects' | 'signature-unchecked';
  readonly severity: 'must' | 'should';
  readonly title: string;
  /** How often the store did it. */
  readonly count: number;
  readonly first: CoverageFirst;
  /** What goes wrong in production, and what to do instead. */
  readonly why: string;
}

/** What a store has met of the service. Requests with the header `x-layaway-tool: 1` are not counted, because they do not come from the store. */
export interface CoverageReport {
  /** Situations that were met. */
  readonly met: number;
  /** All situations. */
  readonly total: number;
  /** One decimal, rounded down. */
  readonly percent: number;
  readonly groups: readonly CoverageGroup[];
  /** Every situation, met or not. */
  readonly situations: readonly CoverageSituation[];
  /** The rules that the store breaks; an empty list if there are none. */
  readonly findings: readonly CoverageFinding[];
}

/** An email that the service would have sent. */
export interface Email {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly template: string;
  /** The contract that it is about. */
  readonly reference: string | null;
  readonly text: string;
  readonly html: string;
  /** Account time. */
  readonly created_at: string;
}

/** Settings of an account and its merchant. */
export interface Settings {
  /** share of the order total collected at checkout */
  readonly down_payment_percentage: number;
  /** the Reservation Fee, share of the order total */
  readonly reservation_fee_percentage: number;
  /** cents; at least 100 per installment */
  readonly min_order_amount: number;
  /** cents */
  readonly max_order_amount: number;
  /** minutes until a new session expires */
  readonly session_ttl_minutes: number;
  /** Installment Captures after the Cart Capture */
  readonly installment_count: number;
  /** time between captures */
  readonly installment_cadence: 'weekly' | 'biweekly' | 'monthly';
  /** hours between the first and the second collection attempt */
  readonly collection_retry_hours: number;
  /** from past_due; then delinquent and the late charge */
  readonly grace_days: number;
  /** share of the overdue capture, rounded half up */
  readonly late_charge_percentage: number;
  /** cap on the late charge, in cents */
  readonly late_charge_max_amount: number;
  /** from past_due, still unpaid */
  readonly default_days: number;
  /** states in which the merchant does not sell */
  readonly excluded_states: readonly string[];
  /** false: merchant_disabled */
  readonly layaway_enabled: boolean;
  /** false: merchant_inactive */
  readonly layaway_activated: boolean;
  /** true: merchant_overridden */
  readonly layaway_overridden: boolean;
  /** anything but cleared: 403 on every authenticated endpoint */
  readonly clearance: 'cleared' | 'in_review' | 'suspended';
  /** closed: 403 on every authenticated endpoint */
  readonly account_status: 'active' | 'closed';
  /** waits before each attempt, from the previous one; then the delivery has failed */
  readonly webhook_retry_seconds: readonly number[];
  /** days of continuous failure after which the endpoint is disabled */
  readonly webhook_disable_days: number;
  /** from the first success; then the key is new */
  readonly idempotency_hours: number;
  /** true: return_url and cancel_url may be http on localhost, for a store under development */
  readonly allow_http_localhost: boolean;
  /** merchant-wide */
  readonly legal_name: string;
  /** merchant-wide */
  readonly dba: string | null;
  /** merchant-wide; used when customer_state is omitted */
  readonly state: string;
  /** merchant-wide; where the merchant’s emails go */
  readonly email: string;
}

/** Any of the settings. */
export interface SettingsUpdate {
  /** share of the order total collected at checkout */
  readonly down_payment_percentage?: number;
  /** the Reservation Fee, share of the order total */
  readonly reservation_fee_percentage?: number;
  /** cents; at least 100 per installment */
  readonly min_order_amount?: number;
  /** cents */
  readonly max_order_amount?: number;
  /** minutes until a new session expires */
  readonly session_ttl_minutes?: number;
  /** Installment Captures after the Cart Capture */
  readonly installment_count?: number;
  /** time between captures */
  readonly installment_cadence?: 'weekly' | 'biweekly' | 'monthly';
  /** hours between the first and the second collection attempt */
  readonly collection_retry_hours?: number;
  /** from past_due; then delinquent and the late charge */
  readonly grace_days?: number;
  /** share of the overdue capture, rounded half up */
  readonly late_charge_percentage?: number;
  /** cap on the late charge, in cents */
  readonly late_charge_max_amount?: number;
  /** from past_due, still unpaid */
  readonly default_days?: number;
  /** states in which the merchant does not sell */
  readonly excluded_states?: readonly string[];
  /** false: merchant_disabled */
  readonly layaway_enabled?: boolean;
  /** false: merchant_inactive */
  readonly layaway_activated?: boolean;
  /** true: merchant_overridden */
  readonly layaway_overridden?: boolean;
  /** anything but cleared: 403 on every authenticated endpoint */
  readonly clearance?: 'cleared' | 'in_review' | 'suspended';
  /** closed: 403 on every authenticated endpoint */
  readonly account_status?: 'active' | 'closed';
  /** waits before each attempt, from the previous one; then the delivery has failed */
  readonly webhook_retry_seconds?: readonly number[];
  /** days of continuous failure after which the endpoint is disabled */
  readonly webhook_disable_days?: number;
  /** from the first success; then the key is new */
  readonly idempotency_hours?: number;
  /** true: return_url and cancel_url may be http on localhost, for a store under development */
  readonly allow_http_localhost?: boolean;
  /** merchant-wide */
  readonly legal_name?: string;
  /** merchant-wide */
  readonly dba?: string | null;
  /** merchant-wide; used when customer_state is omitted */
  readonly state?: string;
  /** merchant-wide; where the merchant’s emails go */
  readonly email?: string;
}

/** Any of the settings of an account. */
export interface AccountSettings {
  /** share of the order total collected at checkout */
  readonly down_payment_percentage?: number;
  /** the Reservation Fee, share of the order total */
  readonly reservation_fee_percentage?: number;
  /** cents; at least 100 per installment */
  readonly min_order_amount?: number;
  /** cents */
  readonly max_order_amount?: number;
  /** minutes until a new session expires */
  readonly session_ttl_minutes?: number;
  /** Installment Captures after the Cart Capture */
  readonly installment_count?: number;
  /** time between captures */
  readonly installment_cadence?: 'weekly' | 'biweekly' | 'monthly';
  /** hours between the first and the second collection attempt */
  readonly collection_retry_hours?: number;
  /** from past_due; then delinquent and the late charge */
  readonly grace_days?: number;
  /** share of the overdue capture, rounded half up */
  readonly late_charge_percentage?: number;
  /** cap on the late charge, in cents */
  readonly late_charge_max_amount?: number;
  /** from past_due, still unpaid */
  readonly default_days?: number;
  /** states in which the merchant does not sell */
  readonly excluded_states?: readonly string[];
  /** false: merchant_disabled */
  readonly layaway_enabled?: boolean;
  /** false: merchant_inactive */
  readonly layaway_activated?: boolean;
  /** true: merchant_overridden */
  readonly layaway_overridden?: boolean;
  /** anything but cleared: 403 on every authenticated endpoint */
  readonly clearance?: 'cleared' | 'in_review' | 'suspended';
  /** closed: 403 on every authenticated endpoint */
  readonly account_status?: 'active' | 'closed';
  /** waits before each attempt, from the previous one; then the delivery has failed */
  readonly webhook_retry_seconds?: readonly number[];
  /** days of continuous failure after which the endpoint is disabled */
  readonly webhook_disable_days?: number;
  /** from the first success; then the key is new */
  readonly idempotency_hours?: number;
  /** true: return_url and cancel_url may be http on localhost, for a store under development */
  readonly allow_http_localhost?: boolean;
}

/** A key, of which only a digest is kept. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The first 12 characters. */
  readonly key_prefix: string;
  readonly scopes: readonly ('checkout:read' | 'checkout:write' | 'contracts:read' | 'contracts:write')[];
  /** Account time. */
  readonly created_at: string;
  /** Account time. */
  readonly revoked_at: string | null;
  /** The key itself; on creation only. */
  readonly key?: string;
}

/** A new key. */
export interface KeyCreate {
  /** All four when absent. */
  readonly scopes?: readonly ('checkout:read' | 'checkout:write' | 'contracts:read' | 'contracts:write')[];
  readonly name?: string;
}

/** A request to `/v1` and its response. */
export interface RequestRecord {
  /** `req_…` */
  readonly id: string;
  /** Real time. */
  readonly at: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The status of the response, even if a fault withheld it; null when a fault lost the request. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** The fault that struck it, or null. */
  readonly fault: FaultMark | null;
  /** Secrets are shortened. */
  readonly request_headers: Readonly<Record<string, unknown>>;
  /** Parsed; the text as it was sent when it is not a JSON object; null when there was none, or when the request was refused before its body was read, such as with 401. */
  readonly request_body: unknown;
  /** Parsed; null when there was none. */
  readonly response_body: unknown;
  /** The account whose client id it named; null when it named none. */
  readonly client_id: string | null;
}

/** The explanation of an item. */
export interface Explanation {
  /** The subject: `LAY-…`, `LAY-…#2`, `cs_…`, or another id. */
  readonly subject: string;
  /** Its status now, or what it is if it has no status. */
  readonly state: string;
  /** Its state, the reason, and what comes next. */
  readonly summary: string;
  /** The chain of causes, oldest first; the same for every id of one story. */
  readonly chain: readonly ({
    /** On the account’s clock. */
    readonly at: string;
    /** Real time, where it was asked for or sent. */
    readonly sent_at: string | null;
    /** What happened. */
    readonly what: string;
    /** Why, with the setting that decided it. */
    readonly because: string;
    /** The section with the rule, in the description of the service or of what is assumed. */
    readonly section: string | null;
    readonly setting: {
      readonly name: string;
      /** The value that decided it then. */
      readonly value: unknown;
    } | null;
    /** The id of the item, if it has one. */
    readonly id: string | null;
    readonly kind: 'request' | 'lever' | 'clock' | 'transition' | 'event' | 'attempt' | 'email' | 'delivery';
  })[];
  /** Everything in the forecast about the subject. */
  readonly ahead: readonly {
    /** On the account’s clock. */
    readonly at: string;
    /** What comes if nobody acts. */
    readonly what: string;
    /** How to avert it. */
    readonly unless: string;
  }[];
}

/** One half of a merchant: its sandbox or its live account. */
export interface MerchantAccount {
  readonly client_id: string;
  /** The signing secret of its endpoints that have no secret of their own. */
  readonly webhook_secret: string;
  /** On creation only. */
  readonly api_key?: string;
}

/** A merchant and its two accounts. */
export interface MerchantRecord {
  readonly id: string;
  /** merchant-wide */
  readonly legal_name: string;
  /** merchant-wide */
  readonly dba: string | null;
  /** merchant-wide; used when customer_state is omitted */
  readonly state: string;
  /** merchant-wide; where the merchant’s emails go */
  readonly email: string;
  readonly sandbox: MerchantAccount;
  readonly live: MerchantAccount;
}

/** The clock of a new merchant. */
export interface MerchantClock {
  /** An instant, ISO 8601. */
  readonly frozen_at: string;
}

/** A new merchant. */
export interface MerchantCreate {
  /** merchant-wide */
  readonly legal_name?: string;
  /** merchant-wide */
  readonly dba?: string | null;
  /** merchant-wide; used when customer_state is omitted */
  readonly state?: string;
  /** merchant-wide; where the merchant’s emails go */
  readonly email?: string;
  /** For both accounts; the server’s own start when absent. */
  readonly clock?: MerchantClock;
  /** Of both accounts. */
  readonly settings?: AccountSettings;
  /** `true`: a merchant in a workspace of its own, in the memory of the server. It is in no list, snapshot, trace or sum, has no rate limit, and can be deleted. It is also deleted after 10 minutes without a request from it, and when the server ends. */
  readonly throw_away?: boolean;
}

/** A request to a webhook receiver, signed by the caller. */
export interface ReceiverRequest {
  /** Where the deliveries go. */
  readonly url: string;
  /** POST when absent. A GET has no body. */
  readonly method?: 'POST' | 'GET';
  /** Sent as they are, with the names as they are written. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: string;
  /** Accepts any certificate of an https receiver, such as a self-signed one. */
  readonly insecure?: boolean;
}

/** What the receiver returned. */
export interface ReceiverAnswer {
  /** Null when no response came. */
  readonly status_code: number | null;
  readonly duration_ms: number;
  /** Why there is no complete response. */
  readonly error: string | null;
  /** As received. */
  readonly response_headers: Readonly<Record<string, string>>;
  /** The first KiB. */
  readonly response_body: string | null;
}

/** Values that apply to every merchant. */
export interface Platform {
  /** true: platform_disabled for every merchant */
  readonly disabled: boolean;
  /** state_unavailable for every merchant */
  readonly unavailable_states: readonly string[];
}

/** Any of the platform’s values. */
export interface PlatformUpdate {
  /** true: platform_disabled for every merchant */
  readonly disabled?: boolean;
  /** state_unavailable for every merchant */
  readonly unavailable_states?: readonly string[];
}

/** The whole workspace, saved under a name. */
export interface Snapshot {
  readonly name: string;
  /** Real time. */
  readonly created_at: string;
  readonly bytes: number;
}

/** The name of the snapshot. */
export interface SnapshotCreate {
  /** Lowercase letters, digits, `.`, `_` and `-`; at most 64 characters. */
  readonly name: string;
  /** `true`: replace one of that name. */
  readonly overwrite?: boolean;
}

/** What the user is about to do. */
export interface AutomaticSnapshotCreate {
  readonly before: 'travel' | 'restore' | 'reset' | 'undo';
}

/** The position of a page in its list. */
export interface BrowseMeta {
  readonly page: number;
  readonly per_page: number;
  readonly total: number;
  /** Whether the count stopped at `total`. */
  readonly more_than_total: boolean;
}

/** An event without its data. */
export interface EventLine {
  readonly id: string;
  readonly type: 'session.decision_made' | 'session.completed' | 'session.cancelled' | 'session.expired' | 'contract.activated' | 'contract.completed' | 'contract.cancelled' | 'contract.defaulted' | 'installment.paid' | 'installment.payment_failed' | 'installment.past_due' | 'installment.delinquent' | 'webhook.test';
  readonly subject: string;
  readonly created_at: string;
}

/** An email without its text. */
export interface EmailLine {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly template: string;
  readonly created_at: string;
}

/** A request without its bodies. */
export interface RequestLine {
  /** `req_…` */
  readonly id: string;
  /** Real time. */
  readonly at: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The status of the response, even if a fault withheld it; null when a fault lost the request. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** The fault that struck it, or null. */
  readonly fault: FaultMark | null;
  /** The account whose client id it named; null when it named none. */
  readonly client_id: string | null;
}

/** How many of each, by status. */
export interface Counts {
  readonly sessions: Readonly<Record<string, number>>;
  readonly contracts: Readonly<Record<string, number>>;
  readonly deliveries: Readonly<Record<string, number>>;
}

/** How an endpoint answered the latest attempts. */
export interface EndpointHealth {
  readonly id: string;
  readonly attempts: number;
  readonly succeeded: number;
  readonly median_ms: number | null;
  /** The latest attempt. */
  readonly last: {
    /** Account time. */
    readonly at: string;
    readonly status_code: number | null;
    readonly error: string | null;
  } | null;
}

/** What may need attention in an account. */
export interface Triage {
  /** Active contracts with an overdue installment. */
  readonly overdue: number;
  /** Cents, late charges included. */
  readonly overdue_amount: number;
  /** Those of them with a delinquent installment. */
  readonly delinquent: number;
  readonly disabled_endpoints: number;
  /** Given up, or waiting for another attempt. Leaves out a delivery if another one of its event reached the endpoint or still may, if its endpoint was removed, or if it was a forged test. */
  readonly failing_deliveries: number;
  /** Those of them that are given up. */
  readonly given_up_deliveries: number;
  /** Cents; null where there are too many contracts. */
  readonly collected: number | null;
  /** Cents that were due by now; null where there are too many contracts. */
  readonly expected: number | null;
}

/** A short forecast. */
export interface Ahead {
  /** Account time. */
  readonly now: string;
  readonly happened: readonly Happened[];
  /** The forecast stopped before its end. */
  readonly more: boolean;
}

/** Everything about the checkout and the contract that an id belongs to. */
export interface Related {
  readonly kind: 'session' | 'contract' | 'payment' | 'event' | 'delivery' | 'email' | 'request' | 'endpoint' | 'account';
  readonly session: CheckoutSession | null;
  readonly contract: Contract | null;
  readonly preview: boolean;
  readonly outcomes: readonly ('pay' | 'fail')[];
  readonly attempts: readonly PaymentAttempt[];
  readonly events: readonly EventLine[];
  readonly deliveries: readonly Delivery[];
  readonly emails: readonly EmailLine[];
  readonly requests: readonly RequestLine[];
  /** What will happen to it if nobody acts. */
  readonly ahead: readonly Happened[];
}

/** An account at a glance. */
export interface AccountLine {
  readonly client_id: string;
  readonly mode: 'sandbox' | 'live';
  readonly merchant: {
    readonly id: string;
    readonly name: string;
  };
  readonly clock: ClockState;
  readonly contracts: Readonly<Record<string, number>>;
}

/** One thing that a search found. */
export interface SearchHit {
  readonly kind: 'contract' | 'session' | 'event' | 'delivery' | 'email';
  readonly id: string;
  /** The customer, the order, the type, the URL or the subject. */
  readonly title: string;
  readonly note: string;
  readonly status: string | null;
}

/** The account and the item of an id. */
export interface Found {
  readonly kind: 'session' | 'contract' | 'payment' | 'event' | 'delivery' | 'email' | 'request' | 'endpoint' | 'account';
  readonly client_id: string;
  readonly session: string | null;
  readonly contract: string | null;
}

/** One value that the service description leaves open. */
export interface AssumptionLine {
  readonly name: string;
  readonly kind: string;
  readonly default: unknown;
  readonly value?: unknown;
  readonly completes: string;
  readonly scope: 'account' | 'merchant' | 'platform' | 'server';
  readonly note: string;
  /** The group in the settings view; absent for values of the server. */
  readonly group?: string;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly nullable?: boolean;
}

export interface Wire {
  readonly LayawayAvailability: LayawayAvailability;
  readonly CheckoutSession: CheckoutSession;
  readonly PlanInstallment: PlanInstallment;
  readonly Contract: Contract;
  readonly Ping: Ping;
  readonly MerchantConfiguration: MerchantConfiguration;
  readonly HostedSession: HostedSession;
  readonly SessionCreate: SessionCreate;
  readonly ContractUpdate: ContractUpdate;
  readonly PageLinks: PageLinks;
  readonly PageMeta: PageMeta;
  readonly Error: Error;
  readonly LayawayRefusal: LayawayRefusal;
  readonly ValidationError: ValidationError;
  readonly DueThing: DueThing;
  readonly ClockState: ClockState;
  readonly Happened: Happened;
  readonly WebhookTally: WebhookTally;
  readonly Advanced: Advanced;
  readonly AdvanceProgress: AdvanceProgress;
  readonly Forecast: Forecast;
  readonly AdvanceInput: AdvanceInput;
  readonly PreviewInput: PreviewInput;
  readonly AcceptInput: AcceptInput;
  readonly PayInput: PayInput;
  readonly CompleteInput: CompleteInput;
  readonly PaymentAttempt: PaymentAttempt;
  readonly Outcomes: Outcomes;
  readonly ContractCreate: ContractCreate;
  readonly SessionEvent: SessionEvent;
  readonly ContractEvent: ContractEvent;
  readonly InstallmentEvent: InstallmentEvent;
  readonly TestEvent: TestEvent;
  readonly LayawayEvent: LayawayEvent;
  readonly EventWithDeliveries: EventWithDeliveries;
  readonly ResendInput: ResendInput;
  readonly Fault: Fault;
  readonly FaultCreate: FaultCreate;
  readonly FaultMark: FaultMark;
  readonly WebhookEndpoint: WebhookEndpoint;
  readonly EndpointCreate: EndpointCreate;
  readonly EndpointUpdate: EndpointUpdate;
  readonly WebhookTest: WebhookTest;
  readonly DeliveryAttempt: DeliveryAttempt;
  readonly GivenUp: GivenUp;
  readonly Delivery: Delivery;
  readonly DeliveryReport: DeliveryReport;
  readonly CoverageFirst: CoverageFirst;
  readonly CoverageGroup: CoverageGroup;
  readonly CoverageSituation: CoverageSituation;
  readonly CoverageFinding: CoverageFinding;
  readonly CoverageReport: CoverageReport;
  readonly Email: Email;
  readonly Settings: Settings;
  readonly SettingsUpdate: SettingsUpdate;
  readonly AccountSettings: AccountSettings;
  readonly ApiKey: ApiKey;
  readonly KeyCreate: KeyCreate;
  readonly RequestRecord: RequestRecord;
  readonly Explanation: Explanation;
  readonly MerchantAccount: MerchantAccount;
  readonly MerchantRecord: MerchantRecord;
  readonly MerchantClock: MerchantClock;
  readonly MerchantCreate: MerchantCreate;
  readonly ReceiverRequest: ReceiverRequest;
  readonly ReceiverAnswer: ReceiverAnswer;
  readonly Platform: Platform;
  readonly PlatformUpdate: PlatformUpdate;
  readonly Snapshot: Snapshot;
  readonly SnapshotCreate: SnapshotCreate;
  readonly AutomaticSnapshotCreate: AutomaticSnapshotCreate;
  readonly BrowseMeta: BrowseMeta;
  readonly EventLine: EventLine;
  readonly EmailLine: EmailLine;
  readonly RequestLine: RequestLine;
  readonly Counts: Counts;
  readonly EndpointHealth: EndpointHealth;
  readonly Triage: Triage;
  readonly Ahead: Ahead;
  readonly Related: Related;
  readonly AccountLine: AccountLine;
  readonly SearchHit: SearchHit;
  readonly Found: Found;
  readonly AssumptionLine: AssumptionLine;
}
