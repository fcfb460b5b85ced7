import { describe, expect, test } from 'vitest';
import { EVENT_TYPES, subjectOf, wants } from '../../src/domain/event.ts';
import * as limits from '../../src/domain/limits.ts';
import { apiKeyPrefix, clientIdPrefix, modeOfApiKey, paymentPrefix } from '../../src/domain/mode.ts';
import { invalid, Refusal } from '../../src/domain/refusal.ts';
import { SCOPES } from '../../src/domain/scope.ts';

test('§2.1: the four scopes', () => {
  expect(SCOPES).toEqual(['checkout:read', 'checkout:write', 'contracts:read', 'contracts:write']);
});

test('§5 rule 4: the prefix of the key decides the mode, and nothing else does', () => {
  expect(modeOfApiKey(`${apiKeyPrefix('sandbox')}x`)).toBe('sandbox');
  expect(modeOfApiKey(`${apiKeyPrefix('live')}x`)).toBe('live');
  for (const other of ['', 'sk_', 'sk_prod_x', 'SK_LIVE_x', ' sk_live_x', 'mch_live_x']) {
    expect(modeOfApiKey(other)).toBeNull();
  }
});

test('§5, §1: the prefixes of client ids, keys and payment references', () => {
  expect([clientIdPrefix('sandbox'), clientIdPrefix('live')]).toEqual(['mch_test_', 'mch_live_']);
  expect([apiKeyPrefix('sandbox'), apiKeyPrefix('live')]).toEqual(['sk_test_', 'sk_live_']);
  expect([paymentPrefix('sandbox'), paymentPrefix('live')]).toEqual(['sim_', 'pay_']);
});

test('§8, §2.4, §4.1, interface §3, interface §11: the documented limits', () => {
  expect({ ...limits }).toEqual({
    IDEMPOTENCY_KEY_MAX: 255,
    ORDER_REFERENCE_MAX: 100,
    URL_MAX: 2048,
    EMAIL_MAX: 255,
    STATE_LENGTH: 2,
    METADATA_ITEMS_MAX: 50,
    METADATA_KEY_MAX: 40,
    METADATA_VALUE_MAX: 500,
    KEY_PREFIX_LENGTH: 12,
    LIST_DEFAULT: 100,
    LIST_MAX: 1000,
    TRACE_MAX_BYTES: 128 * 2 ** 20,
    TRACE_ROWS_MAX_BYTES: 120 * 2 ** 20,
  });
});

describe('decisions §6: events', () => {
  test('every kind, and the only ones', () => {
    expect(EVENT_TYPES).toEqual(
      (
        'session.decision_made session.completed session.cancelled session.expired contract.activated ' +
        'contract.completed contract.cancelled contract.defaulted installment.paid installment.payment_failed ' +
        'installment.past_due installment.delinquent webhook.test'
      ).split(' '),
    );
  });

  test('interface §3: the subject is LAY-…, LAY-…#n or cs_…', () => {
    expect(subjectOf('LAY-7K3M9QXAHD')).toBe('LAY-7K3M9QXAHD');
    expect(subjectOf('LAY-7K3M9QXAHD', 2)).toBe('LAY-7K3M9QXAHD#2');
    expect(subjectOf('LAY-7K3M9QXAHD', null)).toBe('LAY-7K3M9QXAHD');
  });

  test('an endpoint gets what it subscribed to', () => {
    expect(wants(['*'], 'contract.cancelled')).toBe(true);
    expect(wants(['contract.cancelled', 'session.expired'], 'contract.cancelled')).toBe(true);
    expect(wants(['session.expired'], 'contract.cancelled')).toBe(false);
    expect(wants([], 'contract.cancelled')).toBe(false);
  });
});

describe('decisions §5: refusals', () => {
  test('the summary of a Validation Error is the first message and how many more there are', () => {
    const summary = (...messages: string[]) =>
      new Refusal('invalid', Object.fromEntries(messages.map((text, index) => [`field${index}`, [text]]))).message;
    expect(summary('The one.')).toBe('The one.');
    expect(summary('The one.', 'The two.')).toBe('The one. (and 1 more error)');
    expect(summary('The one.', 'The two.', 'The three.')).toBe('The one. (and 2 more errors)');
    expect(invalid('page', 'Wrong.').details).toEqual([{ page: ['Wrong.'] }]);
  });

  test.each([
    [
      new Refusal('idempotency_key_too_long', 255),
      'The Idempotency-Key header must not be greater than 255 characters.',
    ],
    [new Refusal('unauthenticated'), 'Unauthenticated.'],
    [new Refusal('scope_missing', 'checkout:write'), 'This key does not have the checkout:write scope.'],
    [new Refusal('merchant_not_cleared'), 'This merchant is not cleared to transact.'],
    [new Refusal('account_not_active'), 'This account is not active.'],
    [new Refusal('session_not_found'), 'Checkout session not found.'],
    [new Refusal('contract_not_found'), 'Contract not found.'],
    [new Refusal('route_not_found', 'v1/foo'), 'The route v1/foo could not be found.'],
    [
      new Refusal('method_not_allowed', 'DELETE', 'v1/ping', 'GET, HEAD'),
      'The DELETE method is not supported for route v1/ping. Supported methods: GET, HEAD.',
    ],
    [new Refusal('idempotency_key_reused'), 'The Idempotency-Key has already been used with a different request body.'],
    [new Refusal('content_type'), 'The request body must be sent as application/json.'],
    [new Refusal('installment_not_overdue'), 'Only an overdue installment can be settled.'],
    [new Refusal('too_many_attempts', 7), 'Too Many Attempts.'],
  ])('%s', (refusal, message) => {
    expect(refusal.message).toBe(message);
  });
});
