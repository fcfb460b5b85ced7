import type { Static } from 'typebox';
import { SERVER_DEFAULTS } from '../../domain/assumptions.ts';
import { availability } from '../../domain/availability.ts';
import type { EventType } from '../../domain/event.ts';
import { IDEMPOTENCY_KEY_MAX } from '../../domain/limits.ts';
import { Refusal } from '../../domain/refusal.ts';
import { captureType, installmentNumber } from '../../domain/schedule.ts';
import type { Operation } from '../../operations/operation.ts';
import type * as schemas from '../../operations/schemas.ts';
import type { LayawayEvent, Wire } from '../../operations/wire.ts';
import type { Schema } from '../../schema.ts';
import { refusalBody, STATUS } from '../answer/refusals.ts';

/** Examples for the OpenAPI documents: the order of decisions §3, sold on 1 January 2026. */

const at = (time: string) => `2026-01-01T${time}.000000Z`;
const token = 'cs_0123456789abcdefghijABCDEFGHIJkl';
const switches = { layawayEnabled: true, layawayActivated: true, layawayOverridden: false, excludedStates: ['CA'] };
const layawayIn = (state: string) => availability({ disabled: false, unavailable_states: [] }, switches, state);
const layaway = layawayIn('TX');
const clientId = `mch_test_${'0'.repeat(32)}`;

const order: Static<typeof schemas.SessionCreate> = {
  order_reference: 'ORDER-1001',
  total_amount: 12_345,
  return_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
  customer_email: 'ada@example.com',
  customer_state: 'TX',
  metadata: { cart: '8f14e45f' },
};

const planned = (sequence: number, amount: number, due_date: string): Static<typeof schemas.PlanInstallment> => ({
  sequence,
  type: captureType(sequence),
  installment_number: installmentNumber(sequence),
  amount,
  due_date,
  status: 'upcoming',
  paid_at: null,
});
const schedule = [
  planned(1, 3086, '2026-01-01'),
  planned(2, 2469, '2026-01-15'),
  planned(3, 2469, '2026-01-29'),
  planned(4, 2469, '2026-02-12'),
  planned(5, 2469, '2026-02-26'),
] as const;
const cartCapture = { ...schedule[0], status: 'paid', paid_at: at('00:05:00') } as const;
const midnight = (date: string) => `${date}T00:00:00.000000Z`;
const collected = (capture: Static<typeof schemas.PlanInstallment>) =>
  ({ ...capture, status: 'paid', paid_at: midnight(capture.due_date) }) as const;

const session: Static<typeof schemas.CheckoutSession> = {
  id: token,
  status: 'pending',
  order_reference: order.order_reference,
  total_amount: 12_345,
  down_payment_amount: 2469,
  down_payment_percentage: 20,
  checkout_url: `http://127.0.0.1:4747/checkout/${token}`,
  return_url: order.return_url,
  cancel_url: order.cancel_url,
  expires_at: at('01:00:00'),
  created_at: at('00:00:00'),
  metadata: { cart: '8f14e45f' },
};

const contract: Static<typeof schemas.Contract> = {
  reference: 'LAY-7K3M9QXAHD',
  order_reference: order.order_reference,
  status: 'active',
  customer_name: 'Ada Byron',
  customer_email: 'ada@example.com',
  customer_state: 'TX',
  total_amount: 12_345,
  reservation_fee_amount: 617,
  customer_total: 12_962,
  down_payment_amount: 2469,
  paid_amount: 3086,
  remaining_amount: 9876,
  installments: [cartCapture, ...schedule.slice(1)],
  started_at: at('00:05:00'),
  completed_at: null,
  defaulted_at: null,
  cancelled_at: null,
  created_at: at('00:05:00'),
  metadata: { cart: '8f14e45f' },
};

const cancelled = { ...contract, status: 'cancelled', cancelled_at: at('12:00:00') } as const;

const list = 'http://127.0.0.1:4747/v1/contracts';

const receiver = 'http://localhost:3000/webhooks';

/** What is sent to the control plane. */
const LEVERS: { readonly [Name in keyof Wire]?: Wire[Name] } = {
  AdvanceInput: { by: '14d' },
  PreviewInput: { ...order, preview: true },
  AcceptInput: { customer_name: contract.customer_name, customer_email: contract.customer_email },
  PayInput: { outcome: 'fail' },
  CompleteInput: { customer_name: contract.customer_name, customer_email: contract.customer_email },
  Outcomes: { outcomes: ['pay', 'fail', 'fail'] },
  ContractCreate: { installment: { number: 2, status: 'past_due' }, customer_email: contract.customer_email },
  ResendInput: { url: receiver },
  FaultCreate: { kind: 'lost_answer', operation: 'createSession' },
  EndpointCreate: { url: receiver, events: ['contract.cancelled', 'contract.completed'] },
  EndpointUpdate: { events: ['*'] },
  WebhookTest: { forged: true },
  DeliveryReport: { status_code: 200, duration_ms: 12 },
  SettingsUpdate: { grace_days: 3, excluded_states: ['CA'] },
  KeyCreate: { scopes: ['checkout:read', 'checkout:write'], name: 'storefront' },
  MerchantCreate: { state: 'TX', clock: { frozen_at: '2026-01-01T00:00:00Z' }, settings: { grace_days: 3 } },
  ReceiverRequest: { url: receiver, body: '{}' },
  PlatformUpdate: { unavailable_states: ['DC', 'MD'] },
  SnapshotCreate: { name: 'before-default', overwrite: true },
  AutomaticSnapshotCreate: { before: 'reset' },
};

/** One example of each named schema of the service except refusals, and of each body. */
const EXAMPLES: Readonly<Record<string, object>> = {
  ...LEVERS,
  LayawayAvailability: layaway,
  CheckoutSession: session,
  PlanInstallment: cartCapture,
  Contract: contract,
  Ping: {
    client_id: clientId,
    legal_name: 'Example Store LLC',
    dba: 'Example Store',
    scopes: ['checkout:read', 'checkout:write'],
    key_prefix: 'sk_test_****',
    layaway,
  } satisfies Static<typeof schemas.Ping>,
  MerchantConfiguration: {
    merchant: { client_id: clientId, legal_name: 'Example Store LLC', dba: 'Example Store' },
    mode: 'sandbox',
    layaway,
    terms: { min_order_amount: 5000, max_order_amount: 500_000, down_payment_percentage: 20 },
    session_ttl_minutes: 60,
  } satisfies Static<typeof schemas.Config>,
  HostedSession: {
    id: token,
    status: 'pending',
    mode: 'sandbox',
    merchant: { name: 'Example Store' },
    total_amount: 12_345,
    down_payment_amount: 2469,
    down_payment_percentage: 20,
    reservation_fee_amount: 617,
    customer_total: 12_962,
    due_today_amount: 3086,
    installments: [...schedule],
    cancel_url: order.cancel_url,
    expires_at: at('01:00:00'),
  } satisfies Static<typeof schemas.HostedSession>,
  SessionCreate: order,
  ContractUpdate: {
    order_reference: 'ORDER-1001-B',
    metadata: { cart: '8f14e45f', warehouse: 'north' },
  } satisfies Static<typeof schemas.ContractUpdate>,
  PageLinks: { first: `${list}?page=1`, last: `${list}?page=1`, prev: null, next: null },
  PageMeta: {
    current_page: 1,
    from: 1,
    last_page: 1,
    links: [
      { url: null, label: '&laquo; Previous', page: null, active: false },
      { url: `${list}?page=1`, label: '1', page: 1, active: true },
      { url: null, label: 'Next &raquo;', page: null, active: false },
    ],
    path: list,
    per_page: 15,
    to: 1,
    total: 1,
  } satisfies Static<typeof schemas.PageMeta>,
};

/** The example of a successful answer. */
export function successExample({ operationId, success }: Operation): unknown {
  if (operationId === 'cancelContract') return { data: cancelled };
  if (operationId === 'updateContract') return { data: { ...contract, ...EXAMPLES.ContractUpdate } };
  return exampleOf(success.schema);
}

const sessionAs = (status: Static<typeof schemas.CheckoutSession>['status'], created_at = at('00:05:00')) => ({
  created_at,
  data: { ...session, status },
});
const installmentAs = (
  date: string,
  installment: Static<typeof schemas.PlanInstallment>,
  attempt: number | null,
  late_charge_amount = 0,
) => ({
  created_at: midnight(date),
  data: {
    reference: contract.reference,
    order_reference: contract.order_reference,
    installment,
    attempt,
    late_charge_amount,
  },
});

/** What each event says about the order. Where payments fail, those are both attempts on its first installment. */
const TOLD: Readonly<Record<EventType, Pick<LayawayEvent, 'created_at' | 'data'>>> = {
  'session.decision_made': sessionAs('decision_made'),
  'session.completed': sessionAs('completed'),
  'session.cancelled': sessionAs('cancelled'),
  'session.expired': sessionAs('expired', session.expires_at),
  'contract.activated': { created_at: at('00:05:00'), data: contract },
  'contract.completed': {
    created_at: midnight('2026-02-26'),
    data: {
      ...contract,
      status: 'completed',
      paid_amount: 12_962,
      remaining_amount: 0,
      installments: [cartCapture, ...schedule.slice(1).map(collected)],
      completed_at: midnight('2026-02-26'),
    },
  },
  'contract.cancelled': { created_at: at('12:00:00'), data: cancelled },
  'contract.defaulted': {
    created_at: midnight('2026-02-16'),
    data: {
      ...contract,
      status: 'defaulted',
      paid_amount: 8024,
      remaining_amount: 4938,
      installments: [
        cartCapture,
        { ...schedule[1], status: 'delinquent' },
        collected(schedule[2]),
        collected(schedule[3]),
        schedule[4],
      ],
      defaulted_at: midnight('2026-02-16'),
    },
  },
  'installment.paid': installmentAs('2026-01-15', collected(schedule[1]), 1),
  'installment.payment_failed': installmentAs('2026-01-15', { ...schedule[1], status: 'due' }, 1),
  'installment.past_due': installmentAs('2026-01-17', { ...schedule[1], status: 'past_due' }, 2),
  'installment.delinquent': installmentAs('2026-01-27', { ...schedule[1], status: 'delinquent' }, null, 123),
  'webhook.test': { created_at: at('00:05:00'), data: { endpoint_id: 'we_01JGFJJZ00R8T4M2X7C9VQKD3N' } },
};

/** The example of an event. */
export function eventExample(type: EventType) {
  const { created_at, data } = TOLD[type];
  return { id: 'evt_01JGFJJZ00R8T4M2X7C9VQKD3N', type, created_at, livemode: false, data };
}

/** Builds an example from the examples of the schemas that it refers to. */
export function exampleOf({ $ref, items, properties = {} }: Schema): unknown {
  if ($ref !== undefined) return EXAMPLES[$ref];
  if (items) return [exampleOf(items)];
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, exampleOf(inner)]));
}

/** Examples of the refusals that an operation can give with a status. */
export function refusalExamples({ operationId, scope }: Operation, status: number) {
  const all = [...(scope ? ofAuthentication(scope) : []), ...(OWN[operationId] ?? []), ...OF_ANY];
  return Object.fromEntries(
    all.filter(({ code }) => STATUS[code] === status).map((refusal) => [refusal.code, { value: refusalBody(refusal) }]),
  );
}

const ofAuthentication = (scope: NonNullable<Operation['scope']>): Refusal[] => [
  new Refusal('unauthenticated'),
  new Refusal('scope_missing', scope),
  new Refusal('merchant_not_cleared'),
  new Refusal('account_not_active'),
];

const OF_ANY: readonly Refusal[] = [
  new Refusal('body_too_large', SERVER_DEFAULTS.body_limit_bytes),
  new Refusal('content_type'),
  new Refusal('too_many_attempts', 42),
];

const OWN: Readonly<Record<string, readonly Refusal[]>> = {
  createSession: [
    new Refusal('idempotency_key_too_long', IDEMPOTENCY_KEY_MAX),
    new Refusal('layaway_unavailable', String(layawayIn('CA').message), 'state_excluded'),
    new Refusal('idempotency_key_reused'),
    new Refusal('invalid', {
      total_amount: ['The total amount field must be at least 5000.'],
      return_url: ['The return url field must start with one of the following: https://.'],
    }),
  ],
  getCheckoutSession: [new Refusal('session_not_found')],
  getHostedSession: [new Refusal('session_not_found')],
  listContracts: [new Refusal('invalid', { page: ['The page field must be at least 1.'] })],
  getContract: [new Refusal('contract_not_found')],
  updateContract: [
    new Refusal('contract_not_found'),
    new Refusal('invalid', { metadata: ['The metadata field must be an object, not a list.'] }),
  ],
  cancelContract: [
    new Refusal('contract_not_found'),
    new Refusal('contract_ended', 'completed'),
    new Refusal('contract_not_active'),
    new Refusal('invalid', { body: ['The request body must be valid JSON.'] }),
  ],
};
