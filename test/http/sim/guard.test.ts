import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownHosts } from '../../../src/http/guard.ts';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let port: string;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
  port = new URL(sim.url).port;
});
afterAll(() => sim.close());

const OWN = ['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'LocalHost:PORT'];
const FOREIGN = [
  'evil.example',
  'evil.example:PORT',
  'localhost',
  'localhost:1',
  'localhost:PORT.evil.example',
  '127.0.0.1',
  '127.0.0.1.evil.example:PORT',
  '127.0.0.2:PORT',
  'sub.localhost:PORT',
  '',
];
const FOREIGN_ORIGINS = [
  'https://evil.example',
  'http://evil.example:PORT',
  'http://localhost:1',
  'http://localhost',
  'https://localhost:PORT',
  'http://localhost:PORT.evil.example',
  'null',
  '',
];
const at = (text: string) => text.replace('PORT', port);

/** Every kind of route and of mistake behind `/_sim`: none of them may be reached. */
const REQUESTS = [
  ['GET', '/_sim/health', 'none'],
  ['GET', '/_sim/settings', 'pair'],
  ['GET', '/_sim/settings', 'none'],
  ['PATCH', '/_sim/settings', 'pair'],
  ['GET', '/_sim/platform', 'token'],
  ['GET', '/_sim/nothing', 'pair'],
  ['DELETE', '/_sim/settings', 'pair'],
  ['OPTIONS', '/_sim/settings', 'none'],
] as const;

const ask = (method: (typeof REQUESTS)[number][0], url: string, as: string, headers: Record<string, string>) => {
  const credentials = {
    pair: { ...shop.shop.headers },
    token: { authorization: `Bearer ${sim.controlToken}` },
    none: {},
  }[as] as Record<string, string>;
  const payload = method === 'PATCH' ? { payload: '{' } : {};
  return sim.inject({ method, url, headers: { ...credentials, ...headers }, ...payload });
};

describe('interface §3: a foreign Host or Origin is refused with 403 before anything else', () => {
  it.each(FOREIGN)('Host %j', async (host) => {
    for (const [method, url, as] of REQUESTS) {
      const answer = await ask(method, url, as, { host: at(host) });
      expect(answer.statusCode, `${method} ${url}`).toBe(403);
      expect(Object.keys(answer.json<object>())).toEqual(['message']);
    }
  });

  it.each(FOREIGN_ORIGINS)('Origin %j', async (origin) => {
    for (const [method, url, as] of REQUESTS) {
      const answer = await ask(method, url, as, { origin: at(origin) });
      expect(answer.statusCode, `${method} ${url}`).toBe(403);
    }
  });

  it.each(OWN)('Host %s is the simulator’s own, and so is the Origin of its pages', async (host) => {
    const origin = `http://${at(host)}`;
    expect((await ask('GET', '/_sim/settings', 'pair', { host: at(host), origin })).statusCode).toBe(200);
    expect((await ask('GET', '/_sim/nothing', 'none', { host: at(host), origin })).statusCode).toBe(404);
    expect((await ask('DELETE', '/_sim/settings', 'none', { host: at(host), origin })).statusCode).toBe(405);
  });

  it('the --host value is one of them', async () => {
    await using wide = await createSimulator({ seed: 1, host: '0.0.0.0' });
    const host = `0.0.0.0:${new URL(wide.url).port}`;
    expect((await wide.inject({ method: 'GET', url: '/_sim/health', headers: { host } })).statusCode).toBe(200);
  });

  it('in whatever case it was given', () => {
    expect(ownHosts('Ada.local', 4747)).toContain('ada.local:4747');
  });

  it('a refused request changes nothing', async () => {
    const headers = { ...shop.shop.headers, origin: 'https://evil.example' };
    const payload = { grace_days: 1 };
    expect((await sim.inject({ method: 'PATCH', url: '/_sim/settings', headers, payload })).statusCode).toBe(403);
    expect((await shop.call('GET', '/_sim/settings')).body.data.grace_days).toBe(10);
  });

  it('no answer carries CORS headers, whoever asks', async () => {
    for (const origin of ['https://evil.example', at('http://localhost:PORT')]) {
      for (const [method, url, as] of REQUESTS) {
        const answer = await ask(method, url, as, { origin, 'access-control-request-method': 'PATCH' });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
  });

  it('`/v1` is not behind this door', async () => {
    const headers = { ...shop.shop.headers, host: 'shop.example', origin: 'https://shop.example' };
    expect((await sim.inject({ method: 'GET', url: '/v1/ping', headers })).statusCode).toBe(200);
  });
});
