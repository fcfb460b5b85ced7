import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
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
import { input, named, ref, resource } from './operation.ts';

/** A string that is one of `values`. */
export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

export const text = (description: string) => Type.String({ description });
export const flag = (description: string) => Type.Boolean({ description });
/** A number of things, or an amount. */
export const count = (description: string) => Type.Integer({ minimum: 0, description });

/** `type: [T, null]` rather than `anyOf`: a smaller document, and a faster serializer. */
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
const cents = (description = 'Cents.') => count(description);
const percent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });
const stateCode = (description: string) =>
  Type.String({ minLength: STATE_LENGTH, maxLength: STATE_LENGTH, description });
/** §5: what follows the prefix is 32 characters long. */
const clientId = Type.String({
  pattern: '^mch_(test|live)_.{32}$',
  description: 'The merchant’s public identifier in one mode.',
});

export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Your own keys and values, echoed back untouched; `{}` when none were sent.',
});

/** §2.4 as sent. Lengths count code points; values count after trimming. */
const MetadataInput = Type.Unsafe<Record<string, string> | null>({
  type: ['object', 'null'],
  maxProperties: METADATA_ITEMS_MAX,
  propertyNames: { minLength: 1, maxLength: METADATA_KEY_MAX },
  additionalProperties: { type: 'string', minLength: 1, maxLength: METADATA_VALUE_MAX },
  description:
    'Your own keys and values: at most 50 keys of at most 40 characters, values of at most 500. Values are trimmed and must not be empty. Stored on the session and copied to its contract. An update replaces the whole map.',
});

const effectiveStatus = oneOf(SESSION_STATUSES, {
  description: 'The effective status: a session past its deadline reads `expired`.',
});
const sessionToken = Type.String({ pattern: '^cs_', description: 'The session’s public token.' });

/** §2.3 */
export const Availability = named('LayawayAvailability', 'Whether the merchant may sell on layaway right now.', {
  available: flag('Whether the merchant may sell right now.'),
  reason: nullable(oneOf(BLOCK_REASONS, { description: 'Why not; null when available.' })),
  message: nullable(text('A customer-safe explanation; null when available.')),
});

/** §2.5 */
export const CheckoutSession = named('CheckoutSession', 'An order on its way through the hosted checkout.', {
  id: sessionToken,
  status: effectiveStatus,
  order_reference: text('The merchant’s own order identifier, as sent.'),
  total_amount: cents('The order total, cents.'),
  down_payment_amount: cents('Cents, collected at checkout; snapshotted when the session opens.'),
  down_payment_percentage: percent('The percentage applied.'),
  checkout_url: Type.String({ format: 'uri', description: 'Where to send the customer.' }),
  // Brackets in a query are allowed, and no `format: uri` allows them.
  return_url: text('As sent.'),
  cancel_url: text('As sent.'),
  expires_at: instant('Deadline after which the session lapses.'),
  created_at: instant(),
  metadata: Metadata,
});

/** §2.7 */
export const PlanInstallment = named('PlanInstallment', 'One capture on the schedule.', {
  sequence: Type.Integer({ minimum: 1, description: 'Position in the schedule; 1 is the Cart Capture.' }),
  type: oneOf(['cart_capture', 'installment_capture'], {
    description: 'The opening payment taken at checkout, or one of the captures after it.',
  }),
  installment_number: nullable(
    Type.Integer({
      minimum: 1,
      description: 'Number of the Installment Capture in the plan; null on the Cart Capture.',
    }),
  ),
  amount: cents(),
  due_date: Type.String({ format: 'date' }),
  status: oneOf(INSTALLMENT_STATUSES),
  paid_at: nullable(instant()),
});

/** §2.6 */
export const Contract = named('Contract', 'A layaway agreement with its payment schedule.', {
  reference: Type.String({
    pattern: '^LAY-',
    description: 'The public reference, the same value that webhooks carry.',
  }),
  order_reference: nullable(text('The merchant’s own order identifier.')),
  status: oneOf(CONTRACT_STATUSES, {
    description: 'Pending until the Cart Capture lands; `completed`, `cancelled` and `defaulted` are terminal.',
  }),
  customer_name: Type.String(),
  customer_email: Type.String(),
  customer_state: nullable(stateCode('The state for which the agreement was opened.')),
  total_amount: cents('Order total before the fee, cents.'),
  reservation_fee_amount: cents('The Reservation Fee, cents; retained on default.'),
  customer_total: cents('Order total plus the fee, cents.'),
  down_payment_amount: cents('Collected at checkout, cents. The only capture that carries the Reservation Fee.'),
  paid_amount: cents('Paid so far, cents.'),
  remaining_amount: cents('Still to be paid, cents.'),
  installments: Type.Array(ref('PlanInstallment'), {
    description: 'The schedule.',
  }),
  started_at: nullable(instant()),
  completed_at: nullable(instant()),
  defaulted_at: nullable(instant()),
  cancelled_at: nullable(instant()),
  created_at: instant(),
  metadata: Metadata,
});

/** §4.1 */
export const Ping = named('Ping', 'The merchant of a key, and the key’s scopes.', {
  client_id: clientId,
  legal_name: Type.String(),
  dba: nullable(Type.String()),
  scopes: Type.Array(oneOf(SCOPES), { description: 'What this key may do.' }),
  key_prefix: Type.String({ minLength: 12, maxLength: 12, description: 'The first 12 characters of the key.' }),
  layaway: ref('LayawayAvailability'),
});

/** §4.2 */
export const Config = named('MerchantConfiguration', 'Display data and selling terms.', {
  merchant: resource({ client_id: clientId, legal_name: Type.String(), dba: nullable(Type.String()) }),
  mode: oneOf(MODES, { description: 'Decided by the prefix of the key.' }),
  layaway: ref('LayawayAvailability'),
  terms: resource(
    {
      min_order_amount: cents(),
      max_order_amount: cents(),
      down_payment_percentage: percent('Share of the order total collected at checkout.'),
    },
    { description: 'The range in which the merchant may sell; session create refuses a cart outside it.' },
  ),
  session_ttl_minutes: Type.Integer({
    minimum: 1,
    description: 'How long a new session stays open before it lapses.',
  }),
});

/** The part of a session that its hosted page shows (decisions §5). */
export const HostedSession = named('HostedSession', 'A session as its customer may see it.', {
  id: sessionToken,
  status: effectiveStatus,
  mode: oneOf(MODES),
  merchant: resource({ name: text('The name the customer knows.') }),
  total_amount: cents('The order total, cents.'),
  down_payment_amount: cents(),
  down_payment_percentage: percent('The percentage applied.'),
  reservation_fee_amount: cents(),
  customer_total: cents('Order total plus the fee, cents.'),
  due_today_amount: cents('Down payment and fee, cents.'),
  installments: Type.Array(ref('PlanInstallment'), {
    description: 'Until the plan is accepted a preview, dated from today.',
  }),
  cancel_url: text('As sent.'),
  expires_at: instant(),
});

export const HTTPS = '^[Hh][Tt][Tt][Pp][Ss]://';
export const HTTP_OR_HTTPS = '^[Hh][Tt][Tt][Pp][Ss]?://';
/** https, or http on this machine: `localhost`, its subdomains, 127.0.0.0/8 and ::1. */
export const HTTPS_OR_LOCAL =
  '^(?:[Hh][Tt][Tt][Pp][Ss]://|[Hh][Tt][Tt][Pp]://(?:(?:[\\w-]+\\.)*[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|127(?:\\.\\d{1,3}){3}|\\[::1\\])(?::\\d+)?(?:[/?#]|$))';
export const STATE_CODE = '^[A-Z]{2}$';
/** `.` and `..` are not allowed, because no path can end in them. */
export const SNAPSHOT_NAME = '^(?!\\.{1,2}$)[a-z0-9._-]{1,64}$';
const storeUrl = (description: string) =>
  Type.String({ format: 'uri', pattern: HTTPS, maxLength: URL_MAX, description: `${description} HTTPS only.` });

const orderReference = Type.String({
  minLength: 1,
  maxLength: ORDER_REFERENCE_MAX,
  description: 'Your own order identifier.',
});

/** What tools fill in for a session without a store (interface §1). */
export const EXAMPLE_URLS = { return_url: 'https://example.com/return', cancel_url: 'https://example.com/cancel' };
/** Who accepts a plan when the caller names no customer. */
export const EXAMPLE_CUSTOMER = { name: 'Test Customer', email: 'customer@example.com' };

/** Body of session create (§4.3). The merchant's own range replaces the bounds of `total_amount`. */
export const SessionCreate = input('SessionCreate', 'An order to be sold on layaway.', {
  order_reference: orderReference,
  total_amount: Type.Integer({ minimum: 1, description: 'Cents, inside the merchant’s terms range.' }),
  return_url: storeUrl('Where the customer lands after completing checkout.'),
  cancel_url: storeUrl('Where the customer lands if they back out.'),
  customer_email: Type.Optional(nullable(Type.String({ format: 'email', maxLength: EMAIL_MAX }))),
  customer_state: Type.Optional(
    nullable(stateCode('The US state the order ships to; when omitted, the merchant’s own.')),
  ),
  metadata: Type.Optional(MetadataInput),
});

/** Body of contract update (§4.7). */
export const ContractUpdate = input('ContractUpdate', 'Bookkeeping fields; keys not named here are ignored.', {
  order_reference: Type.Optional(orderReference),
  metadata: Type.Optional(MetadataInput),
});

/** Query of the contract list (§4.5). */
export const ContractListQuery = Type.Object({
  status: Type.Optional(oneOf(CONTRACT_STATUSES, { description: 'Only contracts in this status.' })),
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'The page to read; the first when absent.' })),
});

const pageLink = nullable(Type.String({ format: 'uri' }));

/** `links` and `meta` as Laravel's paginator prints them (decisions §5). */
export const PageLinks = named('PageLinks', 'Addresses of the first, last, previous and next page.', {
  first: pageLink,
  last: pageLink,
  prev: pageLink,
  next: pageLink,
});
export const PageMeta = named('PageMeta', 'Page numbers and totals.', {
  current_page: Type.Integer({ minimum: 1 }),
  from: nullable(Type.Integer({ minimum: 1, description: 'Number of the first row on this page; null when empty.' })),
  last_page: Type.Integer({ minimum: 1 }),
  links: Type.Array(
    resource({ url: pageLink, label: Type.String(), page: nullable(Type.Integer()), active: Type.Boolean() }),
    { description: 'The links of a pager, in order.' },
  ),
  path: Type.String({ format: 'uri' }),
  per_page: Type.Integer({ minimum: 1 }),
  to: nullable(Type.Integer({ minimum: 1, description: 'Number of the last row on this page; null when empty.' })),
  total: count('Contracts on all pages.'),
});

/** §2.9 */
const ErrorBody = named('Error', 'A refusal.', { message: Type.String() });
export const LayawayRefusal = named(
  'LayawayRefusal',
  'Layaway is unavailable for this merchant or this customer’s state.',
  { message: text('Written for the customer to read.'), reason: oneOf(BLOCK_REASONS) },
);
export const ValidationError = named('ValidationError', 'The request is invalid.', {
  message: text('The first message, and the number of the others.'),
  errors: Type.Unsafe<Record<string, string[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'The messages, by field name.',
  }),
});

/** The body of a 422 that may also be for another reason than an invalid request. */
export const RefusedOrInvalid = Type.Union([Type.Ref('Error'), Type.Ref('ValidationError')]);

/** Every schema that the service's own operations refer to by name. */
export const SERVICE_SCHEMAS = [
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
