import { describe, expect, test } from 'vitest';
import { requestCause, UNLOGGED } from '../../../src/domain/cause.ts';
import {
  answered,
  decidedBy,
  toldAnswer,
  toldBody,
  toldContentType,
  toldFirstUse,
  toldKey,
  toldMissing,
} from '../../../src/domain/explain/request.ts';
import { causeOf, contract, lever, request, story } from '../../support/story.ts';

describe('interface §11: the answer to a request', () => {
  test('is told by its status, and what a fault kept from the store', () => {
    expect(answered(request())).toBe('returned 201');
    expect(answered(request({ status: null }))).toBe('got no response');
    expect(answered(request({ fault: { id: 'flt_1', kind: 'lost_answer' } }))).toBe('would have returned 201');
    expect(answered(request({ fault: { id: 'flt_1', kind: 'late_error' }, status: 503 }))).toBe('returned 503');
    expect(answered(request({ method: 'HEAD', fault: { id: 'flt_1', kind: 'cut_answer' }, status: 200 }))).toBe(
      'returned 200',
    );
  });

  const say = (answer: unknown, over: Parameters<typeof request>[0] = {}, of = story()) =>
    toldAnswer(request(over), answer, of);

  test('of a refusal is what the service said: its errors, or else its message, and its reason', () => {
    expect(say({ message: 'Not found.' })).toBe('The service said: Not found.');
    expect(say({ message: 'Invalid.', errors: {} })).toBe('The service said: Invalid.');
    expect(say({ message: 'Invalid.', errors: { a: ['A.', 'B.'], c: ['C.'] } })).toBe('The service said: A. B. C.');
    expect(say({ message: 'Not here.', reason: 'merchant_disabled' })).toBe(
      'The service said: Not here. The reason is merchant_disabled.',
    );
  });

  test('of a repeated create names the request that had opened the session', () => {
    const same = (sessionCause: string | null) => say({}, {}, story({ sessionCause }));
    const said = (opener: string) =>
      `Its Idempotency-Key was that of ${opener}, so it got the same session, and nothing new was opened.`;
    expect(same(requestCause(7))).toBe(said('req_000000000007'));
    expect(same(requestCause(UNLOGGED))).toBe(said('an earlier request'));
    expect(same(causeOf(lever(7, 'openSession')))).toBe(said('an earlier request'));
    expect(say({}, { path: '/v1/sessions?a=b' })).toBe(said('an earlier request'));
    const shown = (status: string) => say({ data: { status } });
    for (const status of ['pending', 'decision_made', 'completed'])
      expect(shown(status)).toBe(said('an earlier request'));
    for (const status of ['expired', 'cancelled']) {
      const over = `That session is ${status}: for a new attempt, the store has to send a new key.`;
      expect(shown(status)).toBe(`${said('an earlier request')} ${over}`);
    }
  });

  test('of a repeated cancellation says that nothing changed', () => {
    const cancelled = { path: '/v1/contracts/LAY-1/cancel', status: 200 };
    const of = story({ contract: contract({ status: 'cancelled' }) });
    const said = 'The contract was already cancelled, so nothing changed.';
    expect(say({}, cancelled, of)).toBe(said);
    expect(say({}, { ...cancelled, path: '/v1/contracts/LAY-1/cancel?' }, of)).toBe(said);
    for (const other of [
      { status: 202 },
      { method: 'GET' },
      { path: '/v1/contracts/LAY-1' },
      { path: '/v1/x/cancel' },
    ]) {
      expect(say({}, { ...cancelled, ...other }, of)).toBeNull();
    }
    expect(say({}, cancelled)).toBeNull();
  });

  test('says nothing of any other success', () => {
    expect(say({}, { method: 'GET' })).toBeNull();
    expect(say({}, { status: 200 })).toBeNull();
    expect(say({}, { path: '/v1/config', status: 201 })).toBeNull();
    expect(say({}, {}, story({ session: null }))).toBeNull();
    expect(say(null, { method: 'GET' })).toBeNull();
  });

  test('of a reused key names its first use', () => {
    const opened = 'It was that of req_000000000007, which opened cs_1.';
    expect(toldFirstUse('cs_1', requestCause(7), [])).toBe(opened);
    expect(toldFirstUse('cs_1', requestCause(7), ['total_amount'])).toBe(
      `${opened} The two bodies differ in total_amount.`,
    );
    expect(toldFirstUse('cs_1', requestCause(7), ['total_amount', 'metadata.cart'])).toBe(
      `${opened} The two bodies differ in these fields: total_amount, metadata.cart.`,
    );
    expect(toldFirstUse('cs_1', null, [...'abcdefg'])).toBe(
      'It was that of an earlier request, which opened cs_1. The two bodies differ in these fields: a, b, c, d, e and 2 more.',
    );
  });
});

describe('interface §11: what decided the answer', () => {
  const decided = (over: Parameters<typeof request>[0], answer: unknown = {}, state = 'CA', of = story()) =>
    decidedBy(request(over), answer, of, state);
  const none = (section: string | null) => ({ section, setting: null });

  test.each([
    [400, 'service §4.3'],
    [401, 'service §5'],
    [403, 'service §5'],
    [404, 'service §7'],
    [405, 'decisions §5'],
    [413, 'decisions §5'],
    [415, 'decisions §5'],
    [422, 'decisions §5'],
    [429, 'service §8'],
    [200, null],
    [null, null],
  ])('of status %s is the rule in %s', (status, section) => {
    expect(decided({ status })).toEqual(none(section));
  });

  test('is a fault before anything else', () => {
    const fault = { id: 'flt_1', kind: 'throttled' } as const;
    const limit = { name: 'rate_limit_other', value: 60 };
    expect(decided({ status: 429, fault, limit })).toEqual(none('interface §7'));
    expect(decided({ status: 429, limit })).toEqual({ section: 'service §8', setting: limit });
  });

  test('of a used key is how long keys count, as it was then', () => {
    const change = lever(1, 'updateSettings', { body: { before: { idempotency_hours: 2 } }, afterRequest: 5 });
    const hours = (id: number) => decided({ status: 409, id: requestCause(id) }, {}, 'CA', story({ levers: [change] }));
    expect(hours(5)).toEqual({ section: 'service §4.3', setting: { name: 'idempotency_hours', value: 2 } });
    expect(hours(6)).toEqual({ section: 'service §4.3', setting: { name: 'idempotency_hours', value: 24 } });
    const odd = decided({ status: 409, id: 'a request' }, {}, 'CA', story({ levers: [change] }));
    expect(odd.setting?.value).toBe(2);
  });

  test.each([
    ['platform_disabled', { name: 'disabled', value: true }],
    ['merchant_overridden', { name: 'layaway_overridden', value: true }],
    ['merchant_disabled', { name: 'layaway_enabled', value: false }],
    ['merchant_inactive', { name: 'layaway_activated', value: false }],
    ['state_excluded', { name: 'excluded_states', value: [] }],
    ['state_unavailable', { name: 'unavailable_states', value: story().settings.unavailable_states }],
    ['another', null],
  ])('of the reason %s is its setting', (reason, setting) => {
    expect(decided({ status: 422 }, { reason })).toEqual({ section: 'service §2.3', setting });
  });

  test('is no setting for a state that does not exist', () => {
    expect(decided({ status: 422 }, { reason: 'state_unavailable' }, 'Kalifornien')).toEqual(none('service §2.3'));
  });

  test('of a refused client is its clearance or its status, and of a missing scope neither', () => {
    const refused = (clearance: string, account_status: string, message = 'Refused.') => {
      const before = { clearance, account_status };
      const levers = [lever(1, 'updateSettings', { body: { before }, afterRequest: 9 })];
      return decided({ status: 403 }, { message }, 'CA', story({ levers })).setting;
    };
    expect(refused('pending', 'active')).toEqual({ name: 'clearance', value: 'pending' });
    expect(refused('cleared', 'suspended')).toEqual({ name: 'account_status', value: 'suspended' });
    expect(refused('pending', 'suspended')).toEqual({ name: 'clearance', value: 'pending' });
    expect(refused('cleared', 'active')).toBeNull();
    expect(refused('pending', 'active', 'The key lacks the scope sessions:write.')).toBeNull();
  });

  test('of an unknown route is not that of an unknown id', () => {
    expect(decided({ status: 404 }, { message: 'The route GET /v1/x does not exist.' })).toEqual(none('decisions §5'));
    expect(decided({ status: 404 }, { message: 'Not found. The route is right.' })).toEqual(none('service §7'));
    expect(decided({ status: 400 }, { message: 'The route GET /v1/x does not exist.' })).toEqual(none('service §4.3'));
  });

  test('of a cancellation that is refused is its own rule', () => {
    expect(decided({ status: 422, path: '/v1/contracts/LAY-1/cancel' })).toEqual(none('service §4.8'));
    expect(decided({ status: 422, path: '/v1/contracts/LAY-1/cancel?a=b' })).toEqual(none('service §4.8'));
    expect(decided({ status: 422, path: '/v1/contracts/LAY-1/cancelled' })).toEqual(none('decisions §5'));
    expect(decided({ status: 404, path: '/v1/contracts/LAY-1/cancel' })).toEqual(none('service §7'));
  });

  test('of an amount out of bounds is the bound that the service named', () => {
    const bounded = (text: string) => decided({ status: 422 }, { errors: { total_amount: [text] } });
    expect(bounded('The total amount must be at least 5000.')).toEqual({
      section: 'decisions §5',
      setting: { name: 'min_order_amount', value: 5000 },
    });
    expect(bounded('The total amount must not be greater than 120000.')).toEqual({
      section: 'decisions §5',
      setting: { name: 'max_order_amount', value: 120_000 },
    });
    for (const other of ['The total amount must be an integer.', 'It must be at least 5000 cents.']) {
      expect(bounded(other)).toEqual(none('decisions §5'));
    }
  });
});

describe('interface §11: what was wrong with a request', () => {
  test('its Content-Type', () => {
    expect(toldContentType(undefined)).toBe('It came without a Content-Type.');
    expect(toldContentType('text/plain')).toBe('Its Content-Type was text/plain.');
  });

  test('its body', () => {
    expect(toldBody(undefined, 'gzip')).toBe('The body was encoded: its Content-Encoding was gzip.');
    expect(toldBody(undefined, 'identity')).toBe('The body was not in UTF-8.');
    expect(toldBody(undefined, undefined)).toBe('The body was not in UTF-8.');
    expect(toldBody({ read: true }, undefined)).toBeNull();
    expect(toldBody('\ufeff{}', undefined)).toBe('The body began with a byte order mark.');
    expect(toldBody('{"a":1}', undefined)).toBe('The body was nested too deeply or contained an unpaired surrogate.');
    expect(toldBody('[1]', undefined)).toBeNull();
    expect(toldBody('{"a"', undefined)).toMatch(/^The parser said: .+\.$/);
  });

  test('the id that nothing has', () => {
    expect(toldMissing('session', 'cs_9', 'sandbox', { preview: true })).toBe(
      'It belongs to a preview, which /v1 never shows.',
    );
    expect(toldMissing('session', 'cs_9', 'sandbox', { preview: false })).toBeNull();
    expect(toldMissing('session', 'LAY-9', 'sandbox', null)).toBe(
      '"LAY-9" is not the id of a checkout session, which begins with cs_.',
    );
    expect(toldMissing('contract', 'cs_9', 'sandbox', null)).toBe(
      '"cs_9" is not the reference of a contract, which begins with LAY-.',
    );
    expect(toldMissing('contract', 'LAY-9', 'live', null)).toBe(
      'The account, in live mode, has no contract LAY-9. It may belong to another account, such as that of the other mode, or be from before a reset.',
    );
    expect(toldMissing('session', 'cs_9', 'sandbox', null)).toMatch('in sandbox mode, has no session cs_9.');
  });

  test('its API key, of which only the first characters are known', () => {
    const key = (text: string | undefined, ...keys: Parameters<typeof toldKey>[2][number][]) =>
      toldKey(text, 'sandbox', keys);
    const prefix = 'sk_test_abcd';
    expect(key(undefined)).toBe('It sent no X-Api-Key header.');
    expect(key(prefix.slice(0, -1))).toBe('Its X-Api-Key is too short for an API key.');
    expect(key('pk_test_abcdefgh')).toBe('Its X-Api-Key is not an API key: they begin with sk_test_ or sk_live_.');
    expect(key('sk_live_abcdefgh')).toBe(
      'Its API key sk_live_abcd… is for live mode, but the client id is for sandbox mode.',
    );
    expect(key(`${prefix}efgh`)).toBe('The account has no API key sk_test_abcd….');
    expect(key(prefix, { prefix: 'sk_test_zzzz', revokedAt: 1 })).toBe('The account has no API key sk_test_abcd….');
    const revoked = { prefix, revokedAt: 1 };
    expect(key(`${prefix}efgh`, revoked)).toBe('Its API key sk_test_abcd… is revoked.');
    expect(key(`${prefix}efgh`, revoked, { prefix, revokedAt: null })).toBe(
      'Its API key begins with sk_test_abcd, like one of the account, but is a different key.',
    );
  });
});
