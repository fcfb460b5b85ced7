import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { signature, signedHeaders } from '../../src/webhook/sign.ts';
import { verify, WebhookVerificationError } from '../../src/webhook/verify.ts';

/** The vector of decisions §6. */
const secret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)).toString('base64')}`;
const seconds = 1767323045;
const body =
  '{"id":"evt_01","type":"contract.cancelled","created_at":"2026-01-02T03:04:05.000000Z","livemode":false,"data":{"reference":"LAY-7K3M9QXAHD"}}';
const headers = signedHeaders('evt_01', seconds, body, [secret]);
const now = seconds * 1000;

describe('decisions §6: Standard Webhooks 1.0', () => {
  test('the vector signs as documented', () => {
    expect(signature('evt_01', seconds, body, secret)).toBe('v1,p6rS7YbyQR3rqLyjlhjW9+6heQsUGqv57K846AmFM08=');
  });

  test('the standardwebhooks package verifies what we sign, with one signature and with two', () => {
    const at = Math.floor(Date.now() / 1000);
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const two = signedHeaders('evt_01', at, body, [other, secret]);
    expect(two['webhook-signature'].split(' ')).toHaveLength(2);
    for (const key of [secret, other]) expect(new Webhook(key).verify(body, two)).toEqual(JSON.parse(body));
  });

  test('we verify what the standardwebhooks package signs', () => {
    const signed = new Webhook(secret).sign('evt_01', new Date(now), body);
    expect(verify(body, { ...headers, 'webhook-signature': signed }, secret, { now })).toEqual(JSON.parse(body));
  });
});

describe('verify', () => {
  test('takes bytes, Headers, node headers in any case, and lists', () => {
    const event = JSON.parse(body);
    expect(verify(Buffer.from(body), new Headers(headers), secret, { now })).toEqual(event);
    const odd = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(verify(body, odd, secret, { now })).toEqual(event);
  });

  const reasonOf = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      if (error instanceof WebhookVerificationError) return error.reason;
      throw error;
    }
    return 'verified';
  };
  const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const { 'webhook-id': _id, ...withoutId } = headers;

  test.each([
    ['verified', body, headers, secret, now],
    ['missing_header', body, withoutId, secret, now],
    ['missing_header', body, {}, secret, now],
    ['malformed_header', body, { ...headers, 'webhook-timestamp': 'yesterday' }, secret, now],
    ['malformed_secret', body, headers, 'hunter2', now],
    ['wrong_signature', body, headers, other, now],
    ['wrong_signature', body.replace('cancelled', 'completed'), headers, secret, now],
    ['wrong_signature', body, { ...headers, 'webhook-id': 'evt_02' }, secret, now],
    ['reserialized_body', JSON.stringify(JSON.parse(body), null, 2), headers, secret, now],
    ['stale_timestamp', body, headers, secret, now + 301_000],
    ['stale_timestamp', body, headers, secret, now - 301_000],
    ['verified', body, headers, secret, now + 300_000],
  ] as const)('%s', (reason, sentBody, sentHeaders, key, at) => {
    expect(reasonOf(() => verify(sentBody, sentHeaders, key, { now: at }))).toBe(reason);
  });

  test('the tolerance is the caller’s', () => {
    expect(reasonOf(() => verify(body, headers, secret, { now: now + 10_000, toleranceSeconds: 5 }))).toBe(
      'stale_timestamp',
    );
  });
});
