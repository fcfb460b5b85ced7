import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { headerLines } from '../../support/raw-request.ts';
import { expectData, openShop, order, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
});
afterAll(() => sim.close());

const MALFORMED = {
  message: 'The request body must be valid JSON.',
  errors: { body: ['The request body must be valid JSON.'] },
};
const NO_OBJECT = {
  message: 'The request body must be a JSON object.',
  errors: { body: ['The request body must be a JSON object.'] },
};
const NOT_JSON = { message: 'The request body must be sent as application/json.' };

const post = (payload: string | object, headers = {}) => shop.call('POST', '/v1/sessions', payload, headers);
const withReference = (json: string) => JSON.stringify(order()).replace('"A-1"', json);

describe('decisions §5: a body that is not a JSON object is 422 with errors.body', () => {
  it.each([
    ['half an object', '{'],
    ['text', 'hello'],
    ['a comma too many', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['two documents', '{} {}'],
    ['white space', '  \n'],
    ['NaN', '{"total_amount":NaN}'],
    ['a hexadecimal number', '{"total_amount":0x10}'],
    ['a raw control character in a string', '{"order_reference":"\u0001"}'],
    ['a byte order mark', '\ufeff{}'],
    ['a form', 'order_reference=A-1&total_amount=20000'],
    ['brackets without end', '['.repeat(200_000)],
    ['braces without end', '{"a":'.repeat(100_000)],
  ])('%s is malformed', async (_name, text) => {
    const { status, body } = await post(text);
    expect(status).toBe(422);
    expect(body).toEqual(MALFORMED);
  });

  it.each(['[]', '[{}]', '"text"', '5', 'true', 'null'])('%s is not an object', async (text) => {
    const { status, body } = await post(text);
    expect(status).toBe(422);
    expect(body).toEqual(NO_OBJECT);
  });

  it('well-formed JSON that is nested absurdly deep is refused, in a field or in a key nobody reads', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const text of [withReference(deep), `{"x":${deep}}`, `{"metadata":{"a":${deep}}}`]) {
      expect((await post(text)).status).toBe(422);
    }
  });

  it('brackets inside strings are no depth', async () => {
    const reference = '['.repeat(100);
    const metadata = { a: '{'.repeat(500), b: `\\"${'['.repeat(400)}` };
    expect((await shop.open({ order_reference: reference, metadata })).order_reference).toBe(reference);
    expect((await post(order({ note: `\\"${'['.repeat(600)}` }))).status).toBe(201);
  });

  it('neither are many lists side by side', async () => {
    expect((await post(order({ notes: Array(600).fill([]) }))).status).toBe(201);
  });

  it.each([
    ['invalid', [0xff, 0xfe]],
    ['overlong', [0xc0, 0xaf]],
    ['a raw surrogate', [0xed, 0xa0, 0x80]],
    ['cut short', [0xf0, 0x9f, 0x8d]],
  ])('UTF-8 that is %s is malformed', async (_name, bytes) => {
    const [before, after] = withReference('"\u0000"').split('\u0000') as [string, string];
    const text = new TextEncoder();
    const { status, body } = await post(
      Uint8Array.from([...text.encode(before), ...bytes, ...text.encode(after)]) as Uint8Array<ArrayBuffer>,
    );
    expect(status).toBe(422);
    expect(body).toEqual(MALFORMED);
  });

  it.each([
    ['the first half alone', withReference('"\\ud83c"')],
    ['the second half alone', withReference('"\\uDF40"')],
    ['halves the wrong way round', withReference('"\\udf40\\ud83c"')],
    ['in a metadata key', JSON.stringify(order({ metadata: { x: '1' } })).replace('"x"', '"\\ud83c"')],
    ['in a metadata value', JSON.stringify(order({ metadata: { x: '1' } })).replace('"1"', '"\\ud83c"')],
  ])('half a surrogate pair is malformed: %s', async (_name, text) => {
    const { status, body } = await post(text);
    expect(status).toBe(422);
    expect(body).toEqual(MALFORMED);
  });

  it('an escaped pair is the character it stands for, and an escaped backslash before "ud83c" is text', async () => {
    expect(expectData(await post(withReference('"\\ud83c\\udf40"')), 201).order_reference).toBe('🍀');
    expect(expectData(await post(withReference('"\\\\ud83c"')), 201).order_reference).toBe('\\ud83c');
  });

  it('a body that is not as long as it says', async () => {
    const headers = { ...shop.shop.headers, 'content-type': 'application/json', 'content-length': '5' };
    const answer = await sim.inject({ method: 'POST', url: '/v1/sessions', headers, payload: '{}' });
    const message = 'The length of the request body does not match its Content-Length.';
    expect([answer.statusCode, answer.json()]).toEqual([422, { message, errors: { body: [message] } }]);
  });

  it('PATCH and the control plane say the same', async () => {
    const { reference } = await shop.complete();
    for (const [method, path] of [
      ['PATCH', `/v1/contracts/${reference}`],
      ['POST', `/v1/contracts/${reference}/cancel`],
      ['PATCH', '/_sim/settings'],
    ] as const) {
      expect((await shop.call(method, path, '{')).body, path).toEqual(MALFORMED);
      expect((await shop.call(method, path, '[]')).body, path).toEqual(NO_OBJECT);
    }
    expect(expectData(await shop.call('GET', `/v1/contracts/${reference}`)).status).toBe('active');
  });
});

describe('decisions §5: an empty body counts as {}', () => {
  it('on create every required field is missing', async () => {
    const { status, body } = await post('');
    expect(status).toBe(422);
    expect(Object.keys(body.errors)).toEqual(['order_reference', 'total_amount', 'return_url', 'cancel_url']);
    expect((await shop.call('POST', '/v1/sessions')).body).toEqual(body);
  });

  it('PATCH with nothing changes nothing', async () => {
    const contract = await shop.complete({ metadata: { a: 'b' } });
    expect(expectData(await shop.call('PATCH', `/v1/contracts/${contract.reference}`))).toEqual(contract);
    expect(expectData(await shop.call('PATCH', `/v1/contracts/${contract.reference}`, ''))).toEqual(contract);
  });

  it.each([
    ['none', {}],
    ['application/json', { 'content-type': 'application/json' }],
    ['text/plain', { 'content-type': 'text/plain' }],
    ['no media type at all', { 'content-type': ';;;' }],
  ])('§4.8: cancel takes an empty body with content type %s', async (_name, headers) => {
    const { reference } = await shop.complete();
    expect(await raw('POST', `/v1/contracts/${reference}/cancel`, headers)).toMatchObject({ status: 200 });
    expect(await raw('POST', `/_sim/contracts/${reference}/cancel`, headers)).toMatchObject({ status: 200 });
  });

  it('§4.8: cancel accepts an empty chunked body, and still refuses a chunked one of another type', async () => {
    const { reference } = await shop.complete();
    const path = `/v1/contracts/${reference}/cancel`;
    const chunked = { 'transfer-encoding': 'chunked' };
    expect(await raw('POST', path, { ...chunked, 'content-type': 'text/plain' }, 'x')).toMatchObject({ status: 415 });
    expect(await raw('POST', path, chunked, '{}')).toMatchObject({ status: 415 });
    expect(await raw('POST', path, chunked)).toMatchObject({ status: 200 });
  });
});

describe('decisions §5: 415 when there is a body of another type', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'application/json-patch+json',
    'text/json',
    'json',
    ';',
  ])('%s', async (type) => {
    const { status, body } = await post(JSON.stringify(order()), { 'content-type': type });
    expect(status).toBe(415);
    expect(body).toEqual(NOT_JSON);
  });

  it('a body without any content type', async () => {
    const text = JSON.stringify(order());
    const answer = await raw('POST', '/v1/sessions', { 'content-length': String(text.length) }, text);
    expect(answer).toEqual({ status: 415, body: NOT_JSON });
  });

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; x=y',
  ])('%s is JSON', async (type) => {
    expect((await post(JSON.stringify(order()), { 'content-type': type })).status).toBe(201);
  });

  it.each(['application/json;', 'application/json; =', 'application/json; "'])(
    '%s is JSON, whatever its parameters are',
    async (type) => {
      expect((await post(JSON.stringify(order()), { 'content-type': type })).status).toBe(201);
    },
  );

  it.each([
    ['text/plain', 'hello'],
    ['no media type', 'hello'],
    ['application/json', '{'],
    ['application/json', '[]'],
  ])('§4: the body of a GET or HEAD is not looked at: %s %s', async (type, text) => {
    const headers = { 'content-type': type, 'content-length': String(text.length) };
    for (const path of ['/v1/ping', '/v1/contracts', '/_sim/clock']) {
      for (const method of ['GET', 'HEAD']) {
        expect((await raw(method, path, headers, text)).status, `${method} ${path}`).toBe(200);
      }
    }
    expect((await raw('GET', '/v1/contracts/LAY-0000000000', headers, text)).status).toBe(404);
  });

  it('PATCH refuses it before it looks for the contract', async () => {
    const answer = await shop.call('PATCH', '/v1/contracts/LAY-0000000000', 'a=b', { 'content-type': 'text/plain' });
    expect(answer.status).toBe(415);
  });
});

describe('decisions §2, §5: the body limit is 1 MiB', () => {
  const MIB = 1024 * 1024;
  const padded = (bytes: number) => {
    const text = JSON.stringify(order({ padding: '' }));
    return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
  };
  const tooLarge = { message: 'The request body must not be greater than 1048576 bytes.' };

  it('exactly 1 MiB is read, a byte more is 413', async () => {
    expect((await post(padded(MIB))).status).toBe(201);
    const { status, body } = await post(padded(MIB + 1));
    expect(status).toBe(413);
    expect(body).toEqual(tooLarge);
  });

  it('also when the length is not announced', async () => {
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    expect(await raw('POST', '/v1/sessions', headers, padded(MIB))).toMatchObject({ status: 201 });
    expect(await raw('POST', '/v1/sessions', headers, padded(MIB + 1))).toEqual({ status: 413, body: tooLarge });
  });

  it('a client that still sends is not cut off before it reads the response', async () => {
    const { hostname, port } = new URL(sim.url);
    await using client = connect(Number(port), hostname);
    const head = (line: string) =>
      `${line} HTTP/1.1\r\n${headerLines({ host: `${hostname}:${port}`, ...shop.shop.headers })}`;
    const text = padded(2 * MIB);
    const json = `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`;
    const answers = client.setEncoding('utf8').iterator();
    client.write(head('POST /v1/sessions') + json + text.slice(0, MIB));
    expect((await answers.next()).value).toMatch(/^HTTP\/1\.1 413 /);
    client.write(`${text.slice(MIB)}${head('GET /v1/ping')}\r\n`);
    expect((await answers.next()).value).toMatch(/^HTTP\/1\.1 200 /);
  });
});

/** A request with exactly these headers beside the pair. */
function raw(method: string, path: string, headers: Record<string, string>, text = '') {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const sent = request(`${sim.url}${path}`, { method, headers: { ...shop.shop.headers, ...headers } }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        received += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: received && JSON.parse(received) }));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
