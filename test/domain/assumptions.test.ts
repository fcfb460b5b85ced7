import { describe, expect, test } from 'vitest';
import {
  ACCOUNT_DEFAULTS,
  ACCOUNT_SETTING_NAMES,
  type AccountSettings,
  ASSUMPTIONS,
  type Assumption,
  inconsistencies,
  isValueOf,
  loweredCount,
  MERCHANT_DEFAULTS,
  PLATFORM_DEFAULTS,
  refuseContradictions,
  SERVER_DEFAULTS,
} from '../../src/domain/assumptions.ts';
import { Refusal } from '../../src/domain/refusal.ts';

test('decisions §2: every default of an account', () => {
  expect(ACCOUNT_DEFAULTS).toEqual({
    down_payment_percentage: 20,
    reservation_fee_percentage: 5,
    min_order_amount: 5_000,
    max_order_amount: 500_000,
    session_ttl_minutes: 60,
    installment_count: 4,
    installment_cadence: 'biweekly',
    collection_retry_hours: 48,
    grace_days: 10,
    late_charge_percentage: 5,
    late_charge_max_amount: 1_000,
    default_days: 30,
    excluded_states: [],
    layaway_enabled: true,
    layaway_activated: true,
    layaway_overridden: false,
    clearance: 'cleared',
    account_status: 'active',
    webhook_retry_seconds: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
    webhook_disable_days: 5,
    idempotency_hours: 24,
    allow_http_localhost: false,
  });
});

test('decisions §2: every default of merchant, platform and server', () => {
  expect(MERCHANT_DEFAULTS).toEqual({
    legal_name: 'Example Store LLC',
    dba: 'Example Store',
    state: 'TX',
    email: 'merchant@example.com',
  });
  expect(PLATFORM_DEFAULTS).toEqual({ disabled: false, unavailable_states: ['DC', 'MD'] });
  expect(SERVER_DEFAULTS).toEqual({
    rate_limit_source: 12_000,
    rate_limit_key: 6_000,
    webhook_timeout_seconds: 15,
    request_timeout_seconds: 30,
    body_limit_bytes: 1_048_576,
    page_size: 15,
  });
});

test.each([
  ['down_payment_percentage', 1, 90],
  ['reservation_fee_percentage', 0, 20],
  ['session_ttl_minutes', 1, 10_080],
  ['installment_count', 1, 24],
] as const)('decisions §2: %s is %i..%i', (name, min, max) => {
  expect(ASSUMPTIONS[name]).toMatchObject({ min, max });
});

test('decisions, head: every value says which section of the description it completes', () => {
  for (const [name, { completes, note }] of Object.entries<Assumption>(ASSUMPTIONS)) {
    expect(completes, name).toMatch(/^§\d(\.\d)?$/);
    expect(note.length, name).toBeGreaterThan(3);
  }
  expect(ACCOUNT_SETTING_NAMES).toEqual(Object.keys(ACCOUNT_DEFAULTS));
});

test('an entry that is not the server’s own cannot leave out the group in which the settings show it', () => {
  const entry = { kind: 'boolean', default: true, completes: '§2.3', note: 'one more switch' } as const;
  const complete: Assumption = { ...entry, scope: 'account', group: 'Switches' };
  // @ts-expect-error: the compiler says what is missing
  const incomplete: Assumption = { ...entry, scope: 'account' };
  expect([complete.group, incomplete.group]).toEqual(['Switches', undefined]);
});

describe('decisions §2: settings that would contradict each other', () => {
  const broken = (changes: Partial<AccountSettings>) =>
    inconsistencies({ ...ACCOUNT_DEFAULTS, ...changes }).map(([name]) => name);

  test.each<[Partial<AccountSettings>, string[]]>([
    [{}, []],
    [{ min_order_amount: 400 }, []],
    [{ min_order_amount: 399 }, ['min_order_amount']],
    [{ installment_count: 24, min_order_amount: 2_399 }, ['min_order_amount']],
    [{ installment_count: 24, min_order_amount: 2_400 }, []],
    [{ max_order_amount: 5_000 }, []],
    [{ max_order_amount: 4_999 }, ['max_order_amount']],
    [{ min_order_amount: 300, max_order_amount: 200 }, ['min_order_amount', 'max_order_amount']],
  ])('%j breaks %j', (changes, expected) => {
    expect(broken(changes)).toEqual(expected);
  });

  test.each([
    [5_000, 4, null],
    [400, 4, null],
    [399, 4, 3],
    [300, 4, 3],
    [100, 4, 1],
    [99, 4, null],
    [100, 1, null],
  ])('a minimum of %i with %i installments lowers them to %j', (min, count, lowered) => {
    expect(loweredCount(min, count)).toBe(lowered);
    if (lowered !== null) expect(broken({ min_order_amount: min, installment_count: lowered })).toEqual([]);
  });

  const refusalOf = (changes: Partial<AccountSettings>) => {
    try {
      refuseContradictions({ ...ACCOUNT_DEFAULTS, ...changes });
    } catch (error) {
      if (error instanceof Refusal && error.is('invalid')) return error.details[0];
      throw error;
    }
    return null;
  };

  test('settings that agree pass', () => {
    expect(refusalOf({})).toBeNull();
    expect(refusalOf({ installment_count: 24, min_order_amount: 2_400, max_order_amount: 2_400 })).toBeNull();
  });

  test('each broken rule is told under its field', () => {
    expect(refusalOf({ installment_count: 24, min_order_amount: 2_399, max_order_amount: 2_398 })).toEqual({
      min_order_amount: ['The min order amount field must be at least 2400, 100 per installment.'],
      max_order_amount: ['The max order amount field must not be less than the min order amount.'],
    });
  });
});

describe('decisions §2: the values of each assumption', () => {
  test.each<[name: keyof typeof ASSUMPTIONS, values: unknown[], others: unknown[]]>([
    ['grace_days', [ASSUMPTIONS.grace_days.min, ASSUMPTIONS.grace_days.max], [1.5, '10', null]],
    ['session_ttl_minutes', [1, 10_080], [0, 10_081]],
    ['layaway_enabled', [true, false], ['true', 1, null]],
    ['installment_cadence', ['weekly', 'biweekly', 'monthly'], ['daily', null]],
    ['excluded_states', [[], ['TX', 'CA']], ['TX', [7], null]],
    ['webhook_retry_seconds', [[0], [0, 5]], [[-1], [0.5], ['5'], 5]],
    ['legal_name', ['Example', 'x'.repeat(255), '😀'.repeat(255)], ['x'.repeat(256), '', ' ', 7, null]],
    ['dba', ['Example', null, ''], ['x'.repeat(256), 7]],
    ['state', ['TX'], [7, null]],
    ['email', ['ada@example.com'], [7, null]],
  ])('%s', (name, values, others) => {
    const isValue = (value: unknown) => isValueOf(ASSUMPTIONS[name], value);
    expect(values.filter((value) => !isValue(value))).toEqual([]);
    expect(others.filter(isValue)).toEqual([]);
  });
});
