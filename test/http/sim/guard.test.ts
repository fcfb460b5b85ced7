import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../../src/index.ts';
import { openShop, order, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let port: string;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
  port = new URL(sim.url).port;
});
afterAll(() => sim.close());

const OWN = [
  'localhost:PORT',
  'localhost',
  'localhost:1',
  'localhost:',
  'localhost.:PORT',
  'LocalHost:PORT',
  'shop.localhost:PORT',
  'a.b.localhost.',
  '127.0.0.1:PORT',
  '127.0.0.1',
  '127.0.0.2:PORT',
  '192.168.1.20:8080',
  '10.0.0.1.',
  '[::1]:PORT',
  '[::1]',
  '[FE80::1:2]:80',
  '[::ffff:127.0.0.1]',
];
const FOREIGN = [
  'evil.example',
  'evil.example:PORT',
  'evil.example.',
  'localhost.evil.example',
  'localhost:PORT.evil.example',
  'evillocalhost',
  '127.0.0.1.evil.example:PORT',
  '127.0.0',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '127.0.0.256',
  '127.0.0.1.5',
  '::1',
  '[::1',
  '[evil.example]',
  '[127.0.0.1]',
  'evil.example@localhost.example',
  'localhost, evil.example',
];
const FOREIGN_ORIGINS = [
  'https://evil.example',
  'http://evil.example:PORT',
  'http://localhost:1',
  'http://localhost',
  'http://127.0.0.1:PORT',
  'http://localhost:PORT.evil.example',
  'http://localhost:PORT@evil.example',
  'http://evil.example@localhost:PORT',
  'ftp://localhost:PORT',
  'localhost:PORT',
  'null',
  '',
];
const at = (text: string) => text.replace('PORT', port);

/** Every kind of route and of mistake behind `/_sim`: none of them may be reached. */
const CONTROL = [
  ['GET', '/_sim/health', 'none'],
  ['GET', '/_sim/settings', 'pair'],
  ['GET', '/%5Fsim/settings', 'pair'],
  ['GET', '/_sim/settings', 'none'],
  ['PATCH', '/_sim/settings', 'pair'],
  ['GET', '/_sim/platform', 'token'],
  ['GET', '/_sim/nothing', 'pair'],
  ['DELETE', '/_sim/settings', 'pair'],
  ['OPTIONS', '/_sim/settings', 'none'],
  ['GET', '/dashboard', 'none'],
  ['POST', '/dashboard', 'none'],
] as const;

/** The rest of the server: the service, the customer's pages, documents and files, and what is not there. */
const REST = [
  ['GET', '/v1/ping', 'pair'],
  ['HEAD', '/v1/ping', 'pair'],
  ['GET', '/v1/ping', 'none'],
  ['POST', '/v1/sessions', 'pair'],
  ['PATCH', '/v1/contracts/LAY-1', 'pair'],
  ['GET', '/v1/contracts/', 'pair'],
  ['DELETE', '/v1/ping', 'pair'],
  ['GET', '/v1/nothing', 'none'],
  ['GET', '/checkout/cs_1', 'none'],
  ['POST', '/checkout/cs_1/accept', 'none'],
  ['GET', '/checkout/cs_1/nothing', 'none'],
  ['GET', '/assets/checkout.css', 'none'],
  ['GET', '/docs', 'none'],
  ['GET', '/openapi.json', 'none'],
  ['GET', '/', 'none'],
  ['GET', '/nothing', 'none'],
  ['GET', '/%', 'none'],
  ['OPTIONS', '/v1/sessions', 'none'],
] as const;

type Method = (typeof CONTROL)[number][0] | (typeof REST)[number][0];
const ask = (method: Method, url: string, as: string, headers: Record<string, string>, to = sim) => {
  const credentials = {
    pair: { ...shop.shop.headers },
    token: { authorization: `Bearer ${sim.controlToken}` },
    none: {},
  }[as] as Record<string, string>;
  const payload = method === 'PATCH' ? { payload: '{' } : method === 'POST' ? { payload: order() } : {};
  return to.inject({ method, url, headers: { ...credentials, ...headers }, ...payload });
};

describe('interface §6: a Host that is not the server’s own is refused on every route, before anything else', () => {
  it.each(FOREIGN)('Host %j', async (host) => {
    for (const [method, url, as] of [...CONTROL, ...REST]) {
      const answer = await ask(method, url, as, { host: at(host) });
      expect(answer.statusCode, `${method} ${url}`).toBe(403);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      if (method === 'HEAD') continue;
      expect(answer.json<object>()).toEqual({
        message: expect.stringMatching(/^This host is not allowed\. Start the server with --allow-host \S+\.$/),
      });
    }
    expect((await shop.call('GET', '/_sim/sessions')).body.data).toEqual([]);
  });

  it.each([
    ['evil.example:PORT', 'evil.example'],
    ['Evil.Example.', 'evil.example'],
    ['layaway', 'layaway'],
    ['my_shop-1', 'my_shop-1'],
    ['<b>evil</b>', '<name>'],
    ['-evil', '<name>'],
    ['a b', '<name>'],
    ['münchen.example', '<name>'],
    [`${'a'.repeat(254)}`, '<name>'],
  ])('Host %j: the sentence says --allow-host %s', async (host, name) => {
    for (const url of ['/v1/ping', '/%']) {
      const answer = await ask('GET', url, 'none', { host: at(host) });
      expect(answer.json()).toEqual({
        message: `This host is not allowed. Start the server with --allow-host ${name}.`,
      });
    }
  });

  it.each(OWN)('Host %s is the simulator’s own, and so is the Origin of its pages', async (host) => {
    const headers = { host: at(host), origin: `http://${at(host)}` };
    expect((await ask('GET', '/_sim/settings', 'pair', headers)).statusCode).toBe(200);
    expect((await ask('GET', '/v1/ping', 'pair', headers)).statusCode).toBe(200);
    expect((await ask('GET', '/_sim/nothing', 'none', headers)).statusCode).toBe(404);
    expect((await ask('DELETE', '/_sim/settings', 'none', headers)).statusCode).toBe(405);
  });

  /** The status line of a request that is sent as it stands. */
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => (answer += chunk));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it.each(['1.0\r\n', '1.0\r\nHost:\r\n', '1.1\r\nHost:\r\nConnection: close\r\n'])(
    'a request that names no host is refused: HTTP/%j',
    async (rest) => {
      const answer = await raw(`GET /v1/ping HTTP/${rest}\r\n`);
      expect(answer).toContain(' 403 Forbidden\r\n');
      expect(answer).toContain('--allow-host <name>.');
    },
  );

  it('HTTP/1.0 with a Host is served', async () => {
    expect(await raw('GET /_sim/health HTTP/1.0\r\nHost: localhost\r\n\r\n')).toContain(' 200 OK\r\n');
  });

  it('an unknown method does not get around it', async () => {
    for (const method of ['PROPFIND', 'TRACE', 'PURGE']) {
      const answer = await raw(`${method} /v1/ping HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
      expect([method, answer]).toEqual([method, expect.stringContaining(' 403 Forbidden\r\n')]);
    }
  });

  const pingOf = async (host: string, options: SimulatorOptions) => {
    await using own = await createSimulator({ seed: 1, ...options });
    return (await ask('GET', '/_sim/health', 'none', { host }, own)).statusCode;
  };

  it.each<[string, number, SimulatorOptions]>([
    ['shop.test:8080', 200, { allowHosts: ['shop.test'] }],
    ['SHOP.test.', 200, { allowHosts: ['Shop.Test'] }],
    ['shop.test', 200, { allowHosts: ['shop.test.'] }],
    ['other.test', 200, { allowHosts: ['shop.test', 'other.test'] }],
    ['sub.shop.test', 403, { allowHosts: ['shop.test'] }],
    ['shop.example', 200, { publicUrl: 'https://Shop.Example:8443' }],
    ['sub.shop.example', 403, { publicUrl: 'https://shop.example:8443' }],
    ['evil.example', 200, { allowHosts: ['*'] }],
    ['0.0.0.0', 200, { host: '0.0.0.0' }],
    ['evil.example', 403, { host: '0.0.0.0' }],
    ['localhost', 200, { host: '127.0.0.1' }],
  ])('Host %j answers %i with %j', async (host, status, options) => {
    expect(await pingOf(host, options)).toBe(status);
  });

  it.each<[SimulatorOptions, string]>([
    [{ allowHosts: ['shop.test:80'] }, 'cannot be an allowed host'],
    [{ allowHosts: ['*.test'] }, 'cannot be an allowed host'],
    [{ host: '' }, 'The host is empty'],
    [{ publicUrl: 'shop.example' }, 'cannot be the public URL'],
    [{ publicUrl: 'https://shop.example/path' }, 'cannot be the public URL'],
    [{ publicUrl: 'https://shop.example:99999' }, 'cannot be the public URL'],
  ])('the library refuses %j', async (options, why) => {
    await expect(createSimulator(options)).rejects.toThrow(why);
  });
});

describe('interface §6: an Origin sent to the control plane or the dashboard has the host and port of Host', () => {
  it.each(FOREIGN_ORIGINS)('Origin %j', async (origin) => {
    for (const [method, url, as] of CONTROL) {
      const answer = await ask(method, url, as, { host: at('localhost:PORT'), origin: at(origin) });
      expect(answer.statusCode, `${method} ${url}`).toBe(403);
      expect(Object.keys(answer.json<object>())).toEqual(['message']);
    }
  });

  it.each([
    ['localhost', 'http://localhost:80'],
    ['localhost:80', 'http://localhost'],
    ['LOCALHOST:8080', 'http://localhost:8080'],
    ['shop.localhost', 'https://shop.localhost'],
  ])('Host %s and Origin %s are the same', async (host, origin) => {
    expect((await ask('GET', '/_sim/settings', 'pair', { host, origin })).statusCode).toBe(200);
  });

  it.each([
    ['https://evil.example', 'https://evil.example'],
    ['', 'a page that does not say its origin'],
  ])('Origin %j: the sentence names %s, and the Host that a proxy may have changed', async (origin, named) => {
    const answer = await ask('GET', '/_sim/settings', 'pair', { host: at('localhost:PORT'), origin });
    expect(answer.json()).toEqual({
      message: `Requests from ${named} are refused: the control plane does not answer web pages. If this is its own dashboard behind a proxy, configure the proxy to pass on the Host header, which arrived as ${at('localhost:PORT')}.`,
    });
  });

  it('`/v1` is not behind this door', async () => {
    const headers = { origin: 'https://shop.example' };
    expect((await ask('GET', '/v1/ping', 'pair', headers)).statusCode).toBe(200);
  });

  it('a refused request changes nothing', async () => {
    const headers = { ...shop.shop.headers, origin: 'https://evil.example' };
    const payload = { grace_days: 1 };
    expect((await sim.inject({ method: 'PATCH', url: '/_sim/settings', headers, payload })).statusCode).toBe(403);
    expect((await shop.call('GET', '/_sim/settings')).body.data.grace_days).toBe(10);
  });

  it('no response carries CORS headers, no matter who asks', async () => {
    for (const origin of ['https://evil.example', at('http://localhost:PORT')]) {
      for (const [method, url, as] of [...CONTROL, ...REST]) {
        const answer = await ask(method, url, as, { origin, 'access-control-request-method': 'PATCH' });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
  });
});
