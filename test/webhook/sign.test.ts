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

  test('the signatures of a header that came several times all count', () => {
    const signed = headers['webhook-signature'];
    for (const list of [
      ['v1,AAAA', signed],
      [signed, 'v1,AAAA'],
    ]) {
      expect(verify(body, { ...headers, 'webhook-signature': list }, secret, { now })).toEqual(JSON.parse(body));
    }
  });

  const refusalOf = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      if (error instanceof WebhookVerificationError) return error;
      throw error;
    }
    return null;
  };
  const reasonOf = (work: () => unknown) => refusalOf(work)?.reason ?? 'verified';
  const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const { 'webhook-id': _id, ...withoutId } = headers;

  test.each([
    ['verified', body, headers, secret, now],
    ['missing_header', body, withoutId, secret, now],
    ['missing_header', body, {}, secret, now],
    ['missing_header', body, undefined as unknown as typeof headers, secret, now],
    ['missing_header', body, null as unknown as typeof headers, secret, now],
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

  test.each([
    ['no digits', ''],
    ['text before them', 'at 1767323045'],
    ['text after them', '1767323045s'],
    ['a fraction', '1767323045.5'],
    ['a sign', '-1767323045'],
    ['more than any clock shows', '1767323045000'],
  ])('a timestamp with %s is not taken', (_what, timestamp) => {
    const reason = timestamp === '' ? 'missing_header' : 'malformed_header';
    expect(reasonOf(() => verify(body, { ...headers, 'webhook-timestamp': timestamp }, secret, { now }))).toBe(reason);
  });

  test.each([
    ['no prefix', secret.slice('whsec_'.length)],
    ['nothing behind the prefix', 'whsec_'],
    ['text before it', `my ${secret}`],
    ['text after it', `${secret} `],
    ['other characters', secret.replace('A', '_')],
    ['a list around it', [secret] as unknown as string],
    ['its end cut off', secret.slice(0, -7)],
  ])('a secret with %s is not taken', (_what, key) => {
    expect(reasonOf(() => verify(body, headers, key, { now }))).toBe('malformed_secret');
  });

  test('a secret may end without padding', () => {
    const key = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
    const signed = signedHeaders('evt_01', seconds, body, [key]);
    expect(reasonOf(() => verify(body, signed, key, { now }))).toBe('verified');
  });

  test('one signature of several is enough, and those of other versions count for nothing', () => {
    const signed = headers['webhook-signature'];
    const withSignature = (text: string) =>
      reasonOf(() => verify(body, { ...headers, 'webhook-signature': text }, secret, { now }));
    expect(withSignature(`v1,c2hvcnQ= ${signed}`)).toBe('verified');
    expect(withSignature(`v1a,${signed.slice(3)} ${signed} v2,x`)).toBe('verified');
    expect(withSignature(`v1a,${signed.slice(3)}`)).toBe('wrong_signature');
    expect(withSignature(signed.slice(0, -1))).toBe('wrong_signature');
    expect(withSignature(`${signed}=`)).toBe('wrong_signature');
    expect(withSignature(`${signed},${signed}`)).toBe('wrong_signature');
  });

  test('a header without a value is missing', () => {
    for (const empty of ['', [], undefined]) {
      expect(reasonOf(() => verify(body, { ...headers, 'webhook-id': empty }, secret, { now }))).toBe('missing_header');
    }
    expect(reasonOf(() => verify(body, new Headers(), secret, { now }))).toBe('missing_header');
  });

  test('a header that is not text is malformed', () => {
    for (const wrong of [7, 0, true, {}, [{}]] as unknown as string[]) {
      expect(reasonOf(() => verify(body, { ...headers, 'webhook-timestamp': wrong }, secret, { now }))).toBe(
        'malformed_header',
      );
    }
  });

  test('bytes are verified and read like text', () => {
    const bytes = new TextEncoder().encode(body);
    expect(verify(bytes, headers, secret, { now })).toEqual(JSON.parse(body));
    const printed = Buffer.from(JSON.stringify(JSON.parse(body), null, 2));
    expect(reasonOf(() => verify(printed, headers, secret, { now }))).toBe('reserialized_body');
    const odd = Buffer.from([0xff, 0xfe]);
    expect(reasonOf(() => verify(odd, headers, secret, { now }))).toBe('wrong_signature');
  });

  test('every refusal says what is wrong', () => {
    const text = 'not JSON';
    const said = (work: () => unknown) => refusalOf(work)?.message;
    expect(said(() => verify(body, withoutId, secret, { now }))).toBe('The webhook-id header is missing.');
    expect(said(() => verify(body, { ...headers, 'webhook-timestamp': 'soon' }, secret, { now }))).toBe(
      'webhook-timestamp is not a number of seconds: soon',
    );
    expect(said(() => verify(body, headers, 'hunter2', { now }))).toBe(
      'The secret is not of the form whsec_ and base64.',
    );
    expect(said(() => verify(body, headers, other, { now }))).toBe(
      'No signature matches: the secret is wrong, or the id, the timestamp or the body was changed on the way.',
    );
    for (const changed of [{ 'webhook-id': 'evt_other' }, { 'webhook-timestamp': '1700000000' }]) {
      expect(said(() => verify(body, { ...headers, ...changed }, secret, { now }))).toContain(
        'the id, the timestamp or the body was changed on the way.',
      );
    }
    for (const end of ['\n', ' \r\n']) {
      expect(said(() => verify(`${body}${end}`, headers, secret, { now }))).toBe(
        'The body ends with white space that was not signed, such as the newline that `echo` or an editor adds. Verify the raw bytes of the request.',
      );
    }
    expect(reasonOf(() => verify(Buffer.from(`${body}\n`), headers, secret, { now }))).toBe('wrong_signature');
    for (const marked of [`\ufeff${body}`, Buffer.from(`\ufeff${body}\n`)]) {
      expect(refusalOf(() => verify(marked, headers, secret, { now }))).toMatchObject({
        reason: 'wrong_signature',
        message:
          'The body begins with a byte order mark that was not signed, such as some editors add. Verify the raw bytes of the request.',
      });
    }
    expect(refusalOf(() => verify('', headers, secret, { now }))).toMatchObject({
      reason: 'wrong_signature',
      message:
        'The body is empty: something read it before, or it was not saved. Verify the raw bytes of the request, before anything parses them.',
    });
    expect(refusalOf(() => verify('[object Object]', headers, secret, { now }))).toMatchObject({
      reason: 'wrong_signature',
      message:
        'The body is not JSON, so it is not what was sent. Verify the raw bytes of the request, before anything parses them.',
    });
    // JSON.stringify() of a body that is text already.
    expect(reasonOf(() => verify(JSON.stringify(body), headers, secret, { now }))).toBe('reserialized_body');
    expect(said(() => verify(` ${body}`, headers, secret, { now }))).toBe(
      'The body was parsed and serialized again on the way. Verify the raw bytes of the request.',
    );
    expect(said(() => verify(body, headers, secret, { now: now - 301_400 }))).toBe(
      'The timestamp is 301 s in the future; the tolerance is 300 s.',
    );
    expect(said(() => verify(body, headers, secret, { now: now + 300_400 }))).toBe(
      'The timestamp is 301 s in the past; the tolerance is 300 s.',
    );
    expect(said(() => verify(body, headers, secret, { now: now + 3 * 86_400_000 }))).toBe(
      'The timestamp is 3 days in the past; the tolerance is 300 s.',
    );
    const malformed = refusalOf(() => verify(text, signedHeaders('evt_01', seconds, text, [secret]), secret, { now }));
    expect(malformed).toMatchObject({
      name: 'WebhookVerificationError',
      reason: 'malformed_body',
      message: 'The signature matches, but the body is not JSON.',
    });
  });

  test.each([
    ['parsed', JSON.parse(body)],
    ['missing', undefined],
    ['in an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('a body that is %s is refused with a reason', (_how, sent) => {
    expect(refusalOf(() => verify(sent as string, headers, secret, { now }))).toMatchObject({
      name: 'WebhookVerificationError',
      reason: 'malformed_body',
      message:
        'The body is not a string or a Uint8Array. Verify the raw bytes of the request, before anything parses them.',
    });
  });

  test('a tolerance that is no number tolerates nothing', () => {
    const at = (ms: number) => reasonOf(() => verify(body, headers, secret, { now: now + ms, toleranceSeconds: NaN }));
    expect([at(0), at(301_000)]).toEqual(['stale_timestamp', 'stale_timestamp']);
  });

  test('the tolerance ends with its last millisecond', () => {
    const at = (ms: number) => reasonOf(() => verify(body, headers, secret, { now: now + ms, toleranceSeconds: 5 }));
    expect([at(5_000), at(-5_000), at(5_001), at(-5_001)]).toEqual([
      'verified',
      'verified',
      'stale_timestamp',
      'stale_timestamp',
    ]);
  });
});
