import type { Switches } from './availability.ts';
import { SECOND } from './calendar.ts';
import { CADENCES, type Terms } from './quote.ts';
import { Refusal } from './refusal.ts';
import { trimmed } from './text.ts';

/** How a value is checked and typed; `states` are two-letter codes, `seconds` a list of waits. */
type Kind =
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'text'; readonly max: number; readonly nullable?: true }
  | { readonly kind: 'email'; readonly max: number }
  | { readonly kind: 'state' }
  | { readonly kind: 'states' }
  | { readonly kind: 'seconds'; readonly max: number };

/** One decided value: its meaning, the section of the service description that it completes, and who may set it. */
export type Assumption = Kind &
  Place & {
    readonly default: unknown;
    readonly completes: string;
    readonly note: string;
  };

/**
 * Who sets the value, and the group of the dashboard's settings that shows it. `merchant` values are read and set
 * through either account of a merchant. `server` values are fixed while the server runs.
 */
type Place =
  | { readonly scope: 'account' | 'merchant' | 'platform'; readonly group: string }
  | { readonly scope: 'server'; readonly group?: never };

const integer = (value: number, min: number, max: number) => ({ kind: 'integer', default: value, min, max }) as const;
const shown =
  <const S extends 'account' | 'merchant' | 'platform'>(scope: S, group: string) =>
  (completes: string, note: string) =>
    ({ scope, group, completes, note }) as const;
const terms = shown('account', 'Terms');
const switches = shown('account', 'Switches');
const collection = shown('account', 'Collection');
const webhooks = shown('account', 'Webhooks and keys');
const merchant = shown('merchant', 'Merchant, both accounts');
const platform = shown('platform', 'Platform, every account');
const server = (completes: string, note: string) => ({ scope: 'server', completes, note }) as const;
const flag = (value: boolean) => ({ kind: 'boolean', default: value }) as const;

/** Every value that the service description leaves open (decisions §2). */
export const ASSUMPTIONS = {
  down_payment_percentage: {
    ...integer(20, 1, 90),
    ...terms('§2.5', 'share of the order total collected at checkout'),
  },
  reservation_fee_percentage: {
    ...integer(5, 0, 20),
    ...terms('§2.6', 'the Reservation Fee, share of the order total'),
  },
  min_order_amount: { ...integer(5_000, 1, 1e12), ...terms('§4.2', 'cents; at least 100 per installment') },
  max_order_amount: { ...integer(500_000, 1, 1e12), ...terms('§4.2', 'cents') },
  session_ttl_minutes: {
    ...integer(60, 1, 10_080),
    ...terms('§4.2', 'minutes until a new session expires'),
  },
  installment_count: { ...integer(4, 1, 24), ...terms('§2.7', 'Installment Captures after the Cart Capture') },
  installment_cadence: {
    kind: 'choice',
    default: 'biweekly',
    values: CADENCES,
    ...terms('§2.7', 'time between captures'),
  },
  collection_retry_hours: {
    ...integer(48, 1, 8_760),
    ...collection('§3.3', 'hours between the first and the second collection attempt'),
  },
  grace_days: { ...integer(10, 0, 3_650), ...collection('§3.3', 'from past_due; then delinquent and the late charge') },
  late_charge_percentage: {
    ...integer(5, 0, 100),
    ...collection('§3.3', 'share of the overdue capture, rounded half up'),
  },
  late_charge_max_amount: { ...integer(1_000, 0, 1e12), ...collection('§3.3', 'cap on the late charge, in cents') },
  default_days: { ...integer(30, 0, 3_650), ...collection('§3.3', 'from past_due, still unpaid') },
  excluded_states: { kind: 'states', default: [], ...switches('§2.3', 'states in which the merchant does not sell') },
  layaway_enabled: { ...flag(true), ...switches('§2.3', 'false: merchant_disabled') },
  layaway_activated: { ...flag(true), ...switches('§2.3', 'false: merchant_inactive') },
  layaway_overridden: { ...flag(false), ...switches('§2.3', 'true: merchant_overridden') },
  clearance: {
    kind: 'choice',
    default: 'cleared',
    values: ['cleared', 'in_review', 'suspended'],
    ...switches('§5', 'anything but cleared: 403 on every authenticated endpoint'),
  },
  account_status: {
    kind: 'choice',
    default: 'active',
    values: ['active', 'closed'],
    ...switches('§4.8', 'closed: 403 on every authenticated endpoint'),
  },
  webhook_retry_seconds: {
    kind: 'seconds',
    default: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
    max: 2_592_000,
    ...webhooks('§6', 'waits before each attempt, from the previous one; then the delivery has failed'),
  },
  webhook_disable_days: {
    ...integer(5, 1, 3_650),
    ...webhooks('§6', 'days of continuous failure after which the endpoint is disabled'),
  },
  idempotency_hours: { ...integer(24, 1, 8_760), ...webhooks('§4.3', 'from the first success; then the key is new') },
  allow_http_localhost: {
    ...flag(false),
    ...terms('§4.3', 'true: return_url and cancel_url may be http on localhost, for a store under development'),
  },
  legal_name: { kind: 'text', default: 'Example Store LLC', max: 255, ...merchant('§4.1', 'merchant-wide') },
  dba: { kind: 'text', default: 'Example Store', max: 255, nullable: true, ...merchant('§4.1', 'merchant-wide') },
  state: { kind: 'state', default: 'TX', ...merchant('§4.3', 'merchant-wide; used when customer_state is omitted') },
  email: {
    kind: 'email',
    default: 'merchant@example.com',
    max: 255,
    ...merchant('§6', 'merchant-wide; where the merchant’s emails go'),
  },
  disabled: {
    ...flag(false),
    ...platform('§2.3', 'true: platform_disabled for every merchant'),
  },
  unavailable_states: {
    kind: 'states',
    default: ['DC', 'MD'],
    ...platform('§2.3', 'state_unavailable for every merchant'),
  },
  rate_limit_source: { ...integer(12_000, 0, 1e9), ...server('§8', 'requests a minute per source address; 0 is off') },
  rate_limit_key: { ...integer(6_000, 0, 1e9), ...server('§8', 'requests a minute per key; 0 is off') },
  webhook_timeout_seconds: { ...integer(15, 1, 600), ...server('§6', 'webhook timeout, in seconds of real time') },
  request_timeout_seconds: {
    ...integer(30, 1, 600),
    ...server('§7', 'timeout for a request’s headers and body, in seconds of real time: 408'),
  },
  body_limit_bytes: { ...integer(1_048_576, 1, 1e9), ...server('§7', 'larger request bodies: 413') },
  page_size: { ...integer(15, 1, 1_000), ...server('§4.5', 'contracts on one page') },
} as const satisfies Record<string, Assumption>;

type Table = typeof ASSUMPTIONS;
type Names<Scope extends Assumption['scope']> = {
  [Name in keyof Table]: Table[Name]['scope'] extends Scope ? Name : never;
}[keyof Table];
type Value<A extends Assumption> = A extends { kind: 'integer' }
  ? number
  : A extends { kind: 'boolean' }
    ? boolean
    : A extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V
      : A extends { kind: 'states' }
        ? readonly string[]
        : A extends { kind: 'seconds' }
          ? readonly number[]
          : A extends { nullable: true }
            ? string | null
            : string;
type Values<Scope extends Assumption['scope']> = { readonly [Name in Names<Scope>]: Value<Table[Name]> };

/** The values of one account. */
export type AccountSettings = Values<'account'>;
/** The values that both accounts of a merchant share. */
export type MerchantProfile = Values<'merchant'>;
/** The flat object of `/_sim/settings`. */
export type Settings = AccountSettings & MerchantProfile;
/** The values that apply to every merchant. */
export type Platform = Values<'platform'>;
export type ServerSettings = Values<'server'>;

function namesOf<Scope extends Assumption['scope']>(...scopes: Scope[]): Names<Scope>[] {
  const names = Object.keys(ASSUMPTIONS) as (keyof Table)[];
  return names.filter((name) => (scopes as string[]).includes(ASSUMPTIONS[name].scope)) as Names<Scope>[];
}

export const ACCOUNT_SETTING_NAMES = namesOf('account');
export const MERCHANT_PROFILE_NAMES = namesOf('merchant');
export const SETTING_NAMES = namesOf('account', 'merchant');
export const PLATFORM_NAMES = namesOf('platform');

function defaultsOf<Scope extends Assumption['scope']>(scope: Scope): Values<Scope> {
  return Object.fromEntries(namesOf(scope).map((name) => [name, ASSUMPTIONS[name].default])) as Values<Scope>;
}

export const ACCOUNT_DEFAULTS = defaultsOf('account');
export const MERCHANT_DEFAULTS = defaultsOf('merchant');
export const PLATFORM_DEFAULTS = defaultsOf('platform');
export const SERVER_DEFAULTS = defaultsOf('server');

/** How long a receiver may take to answer (decisions §6). */
export const WEBHOOK_TIMEOUT_MS = SERVER_DEFAULTS.webhook_timeout_seconds * SECOND;

/** Whether the assumption can have that value. For values that no schema has checked. */
export function isValueOf(assumption: Assumption, value: unknown): boolean {
  switch (assumption.kind) {
    case 'integer':
      return Number.isInteger(value) && Number(value) >= assumption.min && Number(value) <= assumption.max;
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return assumption.values.some((known) => known === value);
    case 'states':
      return Array.isArray(value) && value.every((state) => typeof state === 'string');
    case 'seconds':
      return Array.isArray(value) && value.every((wait) => Number.isInteger(wait) && wait >= 0);
    case 'text':
      if (value === null) return 'nullable' in assumption;
      if (typeof value !== 'string' || [...value].length > assumption.max) return false;
      return 'nullable' in assumption || trimmed(value) !== '';
    case 'email':
    case 'state':
      return typeof value === 'string';
  }
}

/** @throws Refusal `invalid` when settings contradict each other */
export function refuseContradictions(settings: AccountSettings) {
  const broken = inconsistencies(settings);
  if (broken.length === 0) return;
  throw new Refusal('invalid', Object.fromEntries(broken.map(([name, message]) => [name, [message]])));
}

/** The order total that each installment needs at least. */
export const CENTS_PER_INSTALLMENT = 100;

/** The number of installments to go down to for that minimum; null when the present one may stay, or none would do. */
export function loweredCount(minOrderAmount: number, installmentCount: number): number | null {
  const most = Math.floor(minOrderAmount / CENTS_PER_INSTALLMENT);
  return most >= 1 && most < installmentCount ? most : null;
}

/** Checks the rules between settings; returns the field name and the message of each broken one. */
export function inconsistencies(settings: AccountSettings): [keyof AccountSettings, string][] {
  const broken: [keyof AccountSettings, string][] = [];
  const floor = CENTS_PER_INSTALLMENT * settings.installment_count;
  if (settings.min_order_amount < floor) {
    broken.push([
      'min_order_amount',
      `The min order amount field must be at least ${floor}, ${CENTS_PER_INSTALLMENT} per installment.`,
    ]);
  }
  if (settings.max_order_amount < settings.min_order_amount) {
    broken.push(['max_order_amount', 'The max order amount field must not be less than the min order amount.']);
  }
  return broken;
}

/** The terms that a session keeps when it opens (§2.5). */
export const termsOf = (settings: AccountSettings): Terms => ({
  downPaymentPercentage: settings.down_payment_percentage,
  reservationFeePercentage: settings.reservation_fee_percentage,
  installmentCount: settings.installment_count,
  installmentCadence: settings.installment_cadence,
});

export const switchesOf = (settings: AccountSettings): Switches => ({
  layawayEnabled: settings.layaway_enabled,
  layawayActivated: settings.layaway_activated,
  layawayOverridden: settings.layaway_overridden,
  excludedStates: settings.excluded_states,
});
