import Type, { type Static, type TSchema } from 'typebox';
import { BLOCK_REASONS } from '../domain/availability.ts';
import { CONTRACT_STATUSES } from '../domain/contract.ts';
import { INSTALLMENT_STATUSES } from '../domain/installment.ts';
import {
  EMAIL_MAX,
  METADATA_ITEMS_MAX,
  METADATA_KEY_MAX,
  METADATA_VALUE_MAX,
  ORDER_REFERENCE_MAX,
  STATE_LENGTH,
  URL_MAX,
} from '../domain/limits.ts';
import { MODES } from '../domain/mode.ts';
import { SCOPES } from '../domain/scope.ts';
import { SESSION_STATUSES } from '../domain/session.ts';

/** One of `values`, as a string. */
export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

/** `type: [T, null]` rather than `anyOf`: a smaller document, and a faster serialiser. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
    ...rest,
  });
}

export const instant = (description?: string) =>
  Type.String({ format: 'date-time', ...(description ? { description } : {}) });
const cents = (description = 'Cents.') => Type.Integer({ description });

/** An object whose every key is always present and that has no others. */
export const resource = <P extends Record<string, TSchema>>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Echoed back untouched; `{}` when none were sent (§2.4).',
});

/** §2.4 as sent. Lengths count code points; values count after trimming. */
export const MetadataInput = Type.Unsafe<Record<string, string> | null>({
  type: ['object', 'null'],
  maxProperties: METADATA_ITEMS_MAX,
  propertyNames: { minLength: 1, maxLength: METADATA_KEY_MAX },
  additionalProperties: { type: 'string', minLength: 1, maxLength: METADATA_VALUE_MAX },
  description: 'Your own keys and values. On update it replaces the whole map.',
});

/** §2.3 */
export const Availability = resource(
  {
    available: Type.Boolean({ description: 'Whether the merchant may sell right now.' }),
    reason: nullable(oneOf(BLOCK_REASONS)),
    message: nullable(Type.String({ description: 'A customer-safe explanation.' })),
  },
  { $id: 'LayawayAvailability' },
);

/** §2.5 */
export const CheckoutSession = resource(
  {
    id: Type.String({ description: 'The session’s public token, `cs_…`.' }),
    status: oneOf(SESSION_STATUSES, { description: 'The effective status (§3.1).' }),
    order_reference: Type.String(),
    total_amount: cents(),
    down_payment_amount: cents('Cents, collected at checkout; snapshotted when the session opens.'),
    down_payment_percentage: Type.Integer(),
    checkout_url: Type.String({ format: 'uri', description: 'Where to send the customer.' }),
    return_url: Type.String({ format: 'uri' }),
    cancel_url: Type.String({ format: 'uri' }),
    expires_at: instant('Deadline after which the session lapses.'),
    created_at: instant(),
    metadata: Metadata,
  },
  { $id: 'CheckoutSession' },
);

/** §2.7 */
export const PlanInstallment = resource(
  {
    sequence: Type.Integer({ description: 'Position in the schedule; 1 is the Cart Capture.' }),
    type: oneOf(['cart_capture', 'installment_capture']),
    installment_number: nullable(Type.Integer({ description: 'From 1; null on the Cart Capture.' })),
    amount: cents(),
    due_date: Type.String({ format: 'date' }),
    status: oneOf(INSTALLMENT_STATUSES),
    paid_at: nullable(instant()),
  },
  { $id: 'PlanInstallment' },
);

/** §2.6 */
export const Contract = resource(
  {
    reference: Type.String({ description: '`LAY-…`, the same value that webhooks carry.' }),
    order_reference: nullable(Type.String()),
    status: oneOf(CONTRACT_STATUSES),
    customer_name: Type.String(),
    customer_email: Type.String(),
    customer_state: nullable(Type.String()),
    total_amount: cents('Order total before the fee, cents.'),
    reservation_fee_amount: cents('The Reservation Fee, cents; retained on default.'),
    customer_total: cents('Order total plus the fee, cents.'),
    down_payment_amount: cents('Collected at checkout, cents.'),
    paid_amount: cents(),
    remaining_amount: cents(),
    installments: Type.Array(Type.Unsafe<Static<typeof PlanInstallment>>(Type.Ref('PlanInstallment'))),
    started_at: nullable(instant()),
    completed_at: nullable(instant()),
    defaulted_at: nullable(instant()),
    cancelled_at: nullable(instant()),
    created_at: instant(),
    metadata: Metadata,
  },
  { $id: 'Contract' },
);

/** §4.1 */
export const Ping = resource(
  {
    client_id: Type.String({ description: 'The merchant the key resolved to.' }),
    legal_name: Type.String(),
    dba: nullable(Type.String()),
    scopes: Type.Array(oneOf(SCOPES), { description: 'What this key may do.' }),
    key_prefix: Type.String({ description: 'The first 12 characters of the key.' }),
    layaway: Type.Unsafe<Static<typeof Availability>>(Type.Ref('LayawayAvailability')),
  },
  { $id: 'Ping' },
);

/** §4.2 */
export const Config = resource(
  {
    merchant: resource({ client_id: Type.String(), legal_name: Type.String(), dba: nullable(Type.String()) }),
    mode: oneOf(MODES),
    layaway: Type.Unsafe<Static<typeof Availability>>(Type.Ref('LayawayAvailability')),
    terms: resource({
      min_order_amount: cents(),
      max_order_amount: cents(),
      down_payment_percentage: Type.Integer({ description: 'Share of the order total collected at checkout.' }),
    }),
    session_ttl_minutes: Type.Integer({ description: 'How long a new session stays open before it lapses.' }),
  },
  { $id: 'MerchantConfiguration' },
);

/** The hosted page's narrower read of a session (decisions §5). */
export const HostedSession = resource(
  {
    id: Type.String(),
    status: oneOf(SESSION_STATUSES),
    mode: oneOf(MODES),
    merchant: resource({ name: Type.String() }),
    total_amount: cents(),
    down_payment_amount: cents(),
    down_payment_percentage: Type.Integer(),
    reservation_fee_amount: cents(),
    customer_total: cents(),
    due_today_amount: cents('Down payment and fee, cents.'),
    installments: Type.Array(Type.Unsafe<Static<typeof PlanInstallment>>(Type.Ref('PlanInstallment')), {
      description: 'Until the plan is accepted a preview, dated from today.',
    }),
    cancel_url: Type.String({ format: 'uri' }),
    expires_at: instant(),
  },
  { $id: 'HostedSession' },
);

const HTTPS = '^[Hh][Tt][Tt][Pp][Ss]://';
const storeUrl = (description: string) =>
  Type.String({ format: 'uri', pattern: HTTPS, maxLength: URL_MAX, description: `${description} HTTPS only.` });

const orderReference = Type.String({ minLength: 1, maxLength: ORDER_REFERENCE_MAX });

/** Body of session create (§4.3); the merchant's own range stands in for the bounds of `total_amount`. */
export const SessionCreate = Type.Object(
  {
    order_reference: orderReference,
    total_amount: Type.Integer({ minimum: 1, description: 'Cents, inside the merchant’s terms range.' }),
    return_url: storeUrl('Where the customer lands after completing checkout.'),
    cancel_url: storeUrl('Where the customer lands if they back out.'),
    customer_email: Type.Optional(nullable(Type.String({ format: 'email', maxLength: EMAIL_MAX }))),
    customer_state: Type.Optional(
      nullable(
        Type.String({
          minLength: STATE_LENGTH,
          maxLength: STATE_LENGTH,
          description: 'The US state the order ships to; when omitted, the merchant’s own.',
        }),
      ),
    ),
    metadata: Type.Optional(MetadataInput),
  },
  { $id: 'SessionCreate' },
);

/** Body of contract update (§4.7). */
export const ContractUpdate = Type.Object(
  { order_reference: Type.Optional(orderReference), metadata: Type.Optional(MetadataInput) },
  { $id: 'ContractUpdate' },
);

/** Query of the contract list (§4.5). */
export const ContractListQuery = Type.Object({
  status: Type.Optional(oneOf(CONTRACT_STATUSES, { description: 'Only contracts in this status.' })),
  page: Type.Optional(Type.Integer({ minimum: 1 })),
});

const pageLink = nullable(Type.String({ format: 'uri' }));

/** `links` and `meta` as Laravel's paginator prints them (decisions §5). */
export const PageLinks = resource(
  { first: pageLink, last: pageLink, prev: pageLink, next: pageLink },
  { $id: 'PageLinks' },
);
export const PageMeta = resource(
  {
    current_page: Type.Integer(),
    from: nullable(Type.Integer()),
    last_page: Type.Integer(),
    links: Type.Array(
      resource({ url: pageLink, label: Type.String(), page: nullable(Type.Integer()), active: Type.Boolean() }),
    ),
    path: Type.String({ format: 'uri' }),
    per_page: Type.Integer(),
    to: nullable(Type.Integer()),
    total: Type.Integer(),
  },
  { $id: 'PageMeta' },
);

/** §2.9 */
export const ErrorBody = resource({ message: Type.String() }, { $id: 'Error' });
export const LayawayRefusal = resource(
  { message: Type.String({ description: 'Written for the customer to read.' }), reason: oneOf(BLOCK_REASONS) },
  { $id: 'LayawayRefusal' },
);
export const ValidationError = resource(
  {
    message: Type.String(),
    errors: Type.Unsafe<Record<string, string[]>>({
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    }),
  },
  { $id: 'ValidationError' },
);

/** Every schema that is referred to by name. */
export const NAMED = [
  Availability,
  CheckoutSession,
  PlanInstallment,
  Contract,
  Ping,
  Config,
  HostedSession,
  SessionCreate,
  ContractUpdate,
  PageLinks,
  PageMeta,
  ErrorBody,
  LayawayRefusal,
  ValidationError,
] as const;

/** `{ data: … }`, the envelope of every success. */
export const enveloped = (name: string) => resource({ data: Type.Ref(name) });

/** Bodies of the hosted steps (interface §3). */
const customerName = Type.String({ minLength: 1, maxLength: 255 });
const customerEmail = Type.String({ format: 'email', maxLength: EMAIL_MAX });
const outcome = oneOf(['pay', 'fail']);
export const AcceptInput = Type.Object({ customer_name: customerName, customer_email: customerEmail });
export const PayInput = Type.Object({ outcome: Type.Optional(outcome) });
export const CompleteInput = Type.Object({
  customer_name: Type.Optional(customerName),
  customer_email: Type.Optional(customerEmail),
  outcome: Type.Optional(outcome),
});
export const OutcomesInput = Type.Object({ outcomes: Type.Array(outcome, { maxItems: 1000 }) });
export const KeyInput = Type.Object({
  scopes: Type.Optional(Type.Array(oneOf(SCOPES), { minItems: 1 })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
