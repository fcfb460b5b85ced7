import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  askedSeconds,
  BY_HAND,
  daysFailing,
  errorWithoutAnswer,
  failingFor,
  GONE,
  givenUpFor,
  isAbsent,
  isDelivered,
  isSameReceiver,
  isWebhookSecret,
  NOBODY_LISTENS,
  retryAfterSeconds,
  SUCCESS_LOST,
  UNKNOWN_HOST,
  UNVERIFIED,
} from '../../src/domain/webhook.ts';

describe('decisions §6: which answers count as success', () => {
  test.each([
    [200, true],
    [201, true],
    [204, true],
    [299, true],
    [199, false],
    [100, false],
    [300, false],
    [301, false],
    [404, false],
    [410, false],
    [500, false],
    [null, false],
  ])('%s: %s', (statusCode, expected) => {
    expect(isDelivered({ statusCode, error: null })).toBe(expected);
    expect(isDelivered({ statusCode, error: 'The response broke off.' })).toBe(false);
  });
});

describe('decisions §6: Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  test.each([
    [undefined, null],
    ['0', 0],
    ['7', 7],
    ['120', 120],
    [' 120 ', 120],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['', null],
    ['soon', null],
    ['12 seconds', null],
  ])('%j asks for %j seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });

  test.each(['UTC', 'America/New_York', 'Asia/Kathmandu'])(
    'a date in any of the three forms of HTTP is in UTC, also on a machine in %s',
    (zone) => {
      const { TZ } = process.env;
      process.env.TZ = zone;
      try {
        const forms = ['Thu, 01 Jan 2026 00:02:00 GMT', 'Thursday, 01-Jan-26 00:02:00 GMT', 'Thu Jan  1 00:02:00 2026'];
        expect(forms.map((form) => retryAfterSeconds(form, now))).toEqual([120, 120, 120]);
      } finally {
        if (TZ === undefined) delete process.env.TZ;
        else process.env.TZ = TZ;
      }
    },
  );

  test.each(['in 12', '-5', '1.5', '0x10', '1e3'])(
    '%j, which Date.parse may take for a date, asks for no wait',
    (header) => {
      expect(retryAfterSeconds(header, now) ?? 0).toBe(0);
    },
  );

  test('a date is never met too early, and at most a second late', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e8 }), fc.integer({ min: 0, max: 999 }), (seconds, ms) => {
        const at = now + seconds * 1000;
        const asked = retryAfterSeconds(new Date(at).toUTCString(), now + ms) as number;
        const waitedUntil = now + ms + asked * 1000;
        expect(waitedUntil).toBeGreaterThanOrEqual(at);
        expect(waitedUntil - Math.max(at, now + ms)).toBeLessThan(1000);
      }),
    );
  });
});

describe('decisions §6: the form of a signing secret', () => {
  const secret = (length: number) => `whsec_${Buffer.alloc(length, 0xfb).toString('base64')}`;

  test('is `whsec_` and the base64 of 24 to 64 bytes', () => {
    for (let length = 0; length <= 80; length += 1) {
      expect([length, isWebhookSecret(secret(length))]).toEqual([length, length >= 24 && length <= 64]);
    }
  });

  test('takes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), (bytes) => {
        expect(isWebhookSecret(`whsec_${Buffer.from(bytes).toString('base64')}`)).toBe(true);
      }),
    );
  });

  test.each([
    ['no prefix', secret(32).slice('whsec_'.length)],
    ['another prefix', secret(32).replace('whsec_', 'sk_test_')],
    ['text before it', `my ${secret(32)}`],
    ['text after it', `${secret(32)} is it`],
    ['a line after it', `${secret(32)}\n${secret(32)}`],
    ['base64url', secret(24).replaceAll('+', '-')],
    ['padding cut off', secret(32).slice(0, -1)],
    ['padding cut off from two', secret(31).slice(0, -2)],
    ['too much padding', `${secret(32)}=`],
    ['other characters before the padding', `${secret(30)}!!==`],
    ['one character before two of padding', `${secret(30)}A==`],
    ['another character before one of padding', `${secret(30)}AA!=`],
    ['two characters before one of padding', `${secret(30)}AA=`],
  ])('is refused: %s', (_why, text) => {
    expect(isWebhookSecret(text)).toBe(false);
  });
});

describe('interface §2: two URLs of one receiver', () => {
  test.each([
    ['http://localhost:3000/hooks', 'http://127.0.0.1:3000/hooks'],
    ['http://localhost:3000/hooks', 'http://[::1]:3000/hooks'],
    ['http://LOCALHOST:3000/hooks', 'http://localhost:3000/hooks'],
    ['https://127.0.0.1/hooks', 'https://localhost/hooks'],
    ['http://127.0.0.1', 'http://localhost'],
    ['http://127.0.0.1', 'http://localhost/'],
    ['http://127.0.0.1?a=1', 'http://localhost?a=1'],
    ['http://localhost:3000/hooks/', 'http://localhost:3000/hooks'],
    ['https://shop.example/hooks', 'https://shop.example/hooks'],
  ])('%s and %s', (one, other) => {
    expect(isSameReceiver(one, other)).toBe(true);
    expect(isSameReceiver(other, one)).toBe(true);
  });

  test.each([
    ['http://localhost:3000/hooks', 'http://localhost:3001/hooks'],
    ['http://localhost:3000/hooks', 'https://localhost:3000/hooks'],
    ['http://localhost:3000/hooks', 'http://localhost:3000/other'],
    ['http://localhost:3000/hooks', 'http://localhost:3000/hoo/ks'],
    ['http://localhost/hooks', 'http://shop.example/hooks'],
    ['http://127.0.0.1.shop.example/hooks', 'http://localhost.shop.example/hooks'],
    ['http://shop.example/?to=http://127.0.0.1/', 'http://shop.example/?to=http://localhost/'],
  ])('%s and %s are two', (one, other) => {
    expect(isSameReceiver(one, other)).toBe(false);
    expect(isSameReceiver(other, one)).toBe(false);
  });
});

describe('decisions §6: why an endpoint is disabled', () => {
  test.each([1, 5, 12])('the days of failing, %d, can be read again', (days) => {
    expect(daysFailing(failingFor(days))).toBe(days);
  });

  test.each([GONE, BY_HAND, 'failing for days', 'it was failing for 5 days', 'failing for 5 days now'])(
    '%s names no days',
    (reason) => {
      expect(daysFailing(reason)).toBe(null);
    },
  );

  test('its pending deliveries end with that reason', () => {
    expect(givenUpFor(failingFor(1))).toBe('the endpoint was disabled: failing for 1 day');
    expect(givenUpFor(failingFor(5))).toBe('the endpoint was disabled: failing for 5 days');
    expect(givenUpFor(BY_HAND)).toBe('the endpoint was disabled by hand');
  });
});

test.each([
  [NOBODY_LISTENS, true],
  [UNKNOWN_HOST, true],
  [UNVERIFIED, false],
])('an attempt that ended with "%s" found no receiver: %s', (error, isOne) => {
  expect(isAbsent(error)).toBe(isOne);
});

test.each([
  [{ statusCode: 204, error: null }, SUCCESS_LOST],
  [{ statusCode: 500, error: null }, `${SUCCESS_LOST} 500`],
  [{ statusCode: 200, error: 'The response broke off.' }, `${SUCCESS_LOST} 200`],
  [{ statusCode: null, error: NOBODY_LISTENS }, NOBODY_LISTENS],
])('interface §7: a fault that ignores the answer %j leaves "%s"', (outcome, error) => {
  expect(errorWithoutAnswer(outcome)).toBe(error);
});

test.each([
  [{}, null],
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after': 7 }, 7],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT', date: 'Thu, 01 Jan 2026 00:00:30 GMT' }, 90],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' }, null],
])('a response with %j asks to wait %s seconds, by the clock of the server', (headers, seconds) => {
  expect(askedSeconds(headers)).toBe(seconds);
});
