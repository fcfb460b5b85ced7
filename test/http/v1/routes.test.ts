import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
});
afterAll(() => sim.close());

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request that fetch would not make, sent exactly so. */
function raw(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(sim.url, { method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const ROUTES: [path: string, allowed: string][] = [
  ['/v1/ping', 'GET, HEAD'],
  ['/v1/config', 'GET, HEAD'],
  ['/v1/sessions', 'POST'],
  ['/v1/sessions/cs_1', 'GET, HEAD'],
  ['/v1/checkout-sessions/cs_1', 'GET, HEAD'],
  ['/v1/contracts', 'GET, HEAD'],
  ['/v1/contracts/LAY-1', 'GET, HEAD, PATCH'],
  ['/v1/contracts/LAY-1/cancel', 'POST'],
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE'];

describe('decisions §5: a method that a route does not have is 405, before authentication', () => {
  it.each(ROUTES)('%s allows %s', async (path, allowed) => {
    for (const method of METHODS.filter((name) => !allowed.split(', ').includes(name))) {
      const answer = await raw(method, `${path}?a=b`, { 'content-length': '0' });
      expect(answer.status, method).toBe(405);
      expect(answer.headers.allow, method).toBe(allowed);
      if (method === 'HEAD') continue;
      expect(JSON.parse(answer.text), method).toEqual({
        message: `The ${method} method is not supported for route ${path.slice(1)}. Supported methods: ${allowed}.`,
      });
      expect(answer.headers['content-type'], method).toBe('application/json; charset=utf-8');
    }
  });

  it('on the decoded path, as the router reads it', async () => {
    for (const path of [
      '/v1/%70ing',
      '/%76%31/ping',
      '/v1/ping?a=%zz',
      '/v1/%70ing#%zz',
      'http://shop.example/v1/ping',
    ]) {
      const answer = await raw('DELETE', path);
      expect(answer.status, path).toBe(405);
      expect(answer.headers.allow, path).toBe('GET, HEAD');
      expect(JSON.parse(answer.text), path).toEqual({
        message: 'The DELETE method is not supported for route v1/ping. Supported methods: GET, HEAD.',
      });
    }
    for (const path of ['/v1/contracts/LAY%2F1', '/v1/contracts/%C3%A9', '/v1/contracts/%25']) {
      expect((await raw('DELETE', path)).headers.allow, path).toBe('GET, HEAD, PATCH');
    }
    // An encoded percent sign is one, not the beginning of another code.
    const { status, text } = await raw('DELETE', '/v1/%2570ing');
    expect([status, JSON.parse(text)]).toEqual([404, { message: 'The route v1/%2570ing could not be found.' }]);
  });

  it('whatever its body and content type are', async () => {
    for (const [type, body] of [
      ['application/json', '{'],
      ['text/plain', 'hello'],
      [';;;', 'hello'],
    ] as const) {
      expect((await raw('PUT', '/v1/ping', { 'content-type': type }, body)).status, type).toBe(405);
      expect((await raw('DELETE', '/v1/contracts/LAY-1', { 'content-type': type }, body)).status, type).toBe(405);
      expect((await raw('POST', '/v1/foo', { 'content-type': type }, body)).status, type).toBe(404);
    }
  });

  it('no response carries CORS headers', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await raw(method, '/v1/ping', { ...headers, ...shop.shop.headers });
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('decisions §5: a route that is not there is 404, before authentication', () => {
  it.each([
    '/v1',
    '/v1/',
    '/v1/foo',
    '/v1/ping/',
    '/v1/Ping',
    '/V1/ping',
    '/v2/ping',
    '/v1/sessions/cs_1/accept',
    '/v1/contracts/LAY-1/refund',
    '/v1//ping',
    '/v1/contracts/',
    '/v1/contracts//cancel',
    '/v1/sessions/',
    '/v1/checkout-sessions/',
  ])('%s', async (path) => {
    const answer = await raw('GET', `${path}?page=2`);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toEqual({ message: `The route ${path.slice(1)} could not be found.` });
  });

  it('whatever the method', async () => {
    for (const path of ['/v1/contracts//cancel', '/v1/contracts/', '/_sim/sessions//pay', '/openapi-json']) {
      const answer = await raw('POST', path, { 'content-length': '0' });
      expect(answer.status, path).toBe(404);
      expect(JSON.parse(answer.text)).toEqual({ message: `The route ${path.slice(1)} could not be found.` });
    }
  });

  it('is named by its decoded path', async () => {
    const answer = await raw('GET', '/v1/caf%C3%A9%2Fa?b');
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      404,
      { message: 'The route v1/café%2Fa could not be found.' },
    ]);
  });

  it('the root has a name, too', async () => {
    const { status, text } = await raw('POST', '/?a=b');
    expect([status, JSON.parse(text)]).toEqual([
      405,
      { message: 'The POST method is not supported for route /. Supported methods: GET, HEAD.' },
    ]);
  });

  it.each(['/v1/contracts/%', '/v1/contracts/%zz', '/v1/sessions/%E0%A4%A', '/v1/%c0%ae'])(
    'bad percent-encoding: %s',
    async (path) => {
      const answer = await raw('GET', path, shop.shop.headers);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text)).toEqual({ message: `The route ${path.slice(1)} could not be found.` });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    },
  );
});

describe('§4: odd paths that are routes', () => {
  it('HEAD answers as GET does, without a body', async () => {
    const session = await shop.open();
    const { reference } = await shop.complete();
    for (const path of [
      '/v1/ping',
      '/v1/config',
      `/v1/sessions/${session.id}`,
      `/v1/checkout-sessions/${session.id}`,
      '/v1/contracts',
      `/v1/contracts/${reference}`,
    ]) {
      const [head, get] = await Promise.all(
        ['HEAD', 'GET'].map((method) => raw(method, path, shop.shop.headers)) as [Promise<Raw>, Promise<Raw>],
      );
      expect(head.status, path).toBe(200);
      expect(head.text, path).toBe('');
      expect(head.headers['content-length'], path).toBe(get.headers['content-length']);
    }
    expect((await raw('HEAD', '/v1/ping')).status).toBe(401);
  });

  it.each([
    ['unknown', 'x'],
    ['with an encoded slash', 'LAY%2F1'],
    ['with a null byte', 'LAY-%00'],
    ['in another alphabet', encodeURIComponent('ЛАЙ-🍀')],
    ['with a quote', `LAY-'%20OR%20'1'='1`],
    ['of 5,000 characters', 'x'.repeat(5000)],
    ['of 12,000 characters', 'x'.repeat(12_000)],
  ])('an id %s is a resource not found', async (_name, id) => {
    for (const [method, path, message] of [
      ['GET', `/v1/checkout-sessions/${id}`, 'Checkout session not found.'],
      ['GET', `/v1/sessions/${id}`, 'Checkout session not found.'],
      ['GET', `/v1/contracts/${id}`, 'Contract not found.'],
      ['PATCH', `/v1/contracts/${id}`, 'Contract not found.'],
      ['POST', `/v1/contracts/${id}/cancel`, 'Contract not found.'],
    ] as const) {
      const answer = await raw(method, path, { ...shop.shop.headers, 'content-length': '0' });
      expect(answer.status, path.slice(0, 60)).toBe(404);
      expect(JSON.parse(answer.text)).toEqual({ message });
    }
  });

  it('a request line too long for HTTP is refused in the shape of every other error', async () => {
    const answer = await raw('GET', `/v1/contracts/${'x'.repeat(20_000)}`);
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.text)).toEqual({ message: expect.any(String) });
  });

  it('a request that is not HTTP gets 400 and the server goes on', async () => {
    const { hostname, port } = new URL(sim.url);
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.write('hello\r\n\r\n'));
      socket.setEncoding('utf8').on('data', (chunk) => {
        received += chunk;
      });
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect((await raw('GET', '/v1/ping', shop.shop.headers)).status).toBe(200);
  });
});
