import { describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../../src/http/access/rate-limit.ts';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import type { InjectedResponse } from '../../../src/simulator-types.ts';
import { caller, expectData, manualTime, openShop } from '../../support/shop.ts';

/** Requests from any address, which one machine cannot make over its network. */
function from(sim: Simulator, remoteAddress: string, headers: Readonly<Record<string, string>> = {}) {
  const request = { method: 'GET', url: '/v1/ping', remoteAddress, headers } as const;
  return (url = '/v1/ping') => sim.inject({ ...request, url });
}

const statuses = async (ask: () => Promise<InjectedResponse>, times: number) => {
  const seen: number[] = [];
  for (let n = 0; n < times; n += 1) seen.push((await ask()).statusCode);
  return seen;
};

describe('§8, decisions §2: rate limiting, per fixed 60 s window of real time', () => {
  it('§7: over the limit 429 with Retry-After in seconds, and the text Too Many Attempts.', async () => {
    const time = manualTime();
    await using sim = await createSimulator({ seed: 1, time, rateLimit: 3 });
    const { call } = await openShop(sim);
    const remaining: (string | null)[] = [];
    for (let n = 0; n < 3; n += 1) {
      const answer = await call('GET', '/v1/ping');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-ratelimit-limit')).toBe('3');
      expect(answer.headers.get('retry-after')).toBeNull();
      remaining.push(answer.headers.get('x-ratelimit-remaining'));
      time.pass(100);
    }
    expect(remaining).toEqual(['2', '1', '0']);
    const refused = await call('GET', '/v1/ping');
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ message: 'Too Many Attempts.' });
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('3');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  });

  it('§7: after Retry-After seconds the next request is allowed, not before the window ends', async () => {
    const time = manualTime();
    await using sim = await createSimulator({ seed: 1, time, rateLimit: 1 });
    const { call } = await openShop(sim);
    expect((await call('GET', '/v1/ping')).status).toBe(200);
    time.pass(30_500);
    const refused = await call('GET', '/v1/ping');
    expect(refused.headers.get('retry-after')).toBe('30');
    time.pass(29_499);
    expect((await call('GET', '/v1/ping')).headers.get('retry-after')).toBe('1');
    time.pass(1);
    expect((await call('GET', '/v1/ping')).status).toBe(200);
  });

  it('a clock of the machine that is set back does not make the window longer', async () => {
    const time = manualTime();
    await using sim = await createSimulator({ seed: 1, time, rateLimit: 1 });
    const { call } = await openShop(sim);
    expect((await call('GET', '/v1/ping')).status).toBe(200);
    time.sleep(-3_600_000);
    expect((await call('GET', '/v1/ping')).status).toBe(200);
    expect((await call('GET', '/v1/ping')).headers.get('retry-after')).toBe('60');
  });

  it('a window lasts its minute, however many other callers there are', () => {
    let now = 0;
    const limiter = createRateLimiter(1, () => now);
    limiter.count('ours');
    now = 59_999;
    for (let n = 0; n < 10_001; n += 1) limiter.count(`another ${n}`);
    expect(limiter.look('ours')?.retryAfterSeconds).toBe(1);
    now += 1;
    expect(limiter.look('ours')?.retryAfterSeconds).toBe(0);
  });

  it('X-RateLimit-Reset is the second from which on the next request is allowed', async () => {
    const time = manualTime('2026-01-01T00:00:00.250Z');
    await using sim = await createSimulator({ seed: 1, time, rateLimit: 1 });
    const { call } = await openShop(sim);
    await call('GET', '/v1/ping');
    const refused = await call('GET', '/v1/ping');
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(Date.UTC(2026, 0, 1, 0, 1, 1) / 1000));
  });

  it('a source is bounded over all keys and operations, 401 included', async () => {
    await using sim = await createSimulator({ seed: 1, time: manualTime(), rateLimit: 4 });
    const [one, two] = [await openShop(sim), await openShop(sim)];
    const source = '192.0.2.1';
    expect((await from(sim, source, one.shop.headers)()).statusCode).toBe(200);
    expect((await from(sim, source, two.shop.headers)('/v1/config')).statusCode).toBe(200);
    expect((await from(sim, source)()).statusCode).toBe(401);
    expect((await from(sim, source)('/v1/sessions/cs_1')).statusCode).toBe(404);
    expect((await from(sim, source, two.shop.live.headers)()).statusCode).toBe(429);
    expect((await from(sim, source)()).statusCode).toBe(429);
    expect((await from(sim, '192.0.2.2', two.shop.live.headers)()).statusCode).toBe(200);
  });

  it('a key is bounded over all sources; another key of the account has its own bound', async () => {
    await using sim = await createSimulator({ seed: 1, time: manualTime(), rateLimit: 2 });
    const shop = await openShop(sim);
    const second = await shop.withScopes(['checkout:read']);
    expect(await statuses(from(sim, '192.0.2.1', shop.shop.headers), 2)).toEqual([200, 200]);
    const refused = await from(sim, '192.0.2.2', shop.shop.headers)();
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    expect((await from(sim, '192.0.2.3', second)()).statusCode).toBe(200);
  });

  it('who runs the server learns once how to lift the default limits; nobody is told of a limit that was set', async () => {
    const notes: string[] = [];
    const options = { seed: 1, time: manualTime(), onNote: (note: string) => void notes.push(note) };
    await using sim = await createSimulator(options);
    const ask = from(sim, '192.0.2.1', sim.default.headers);
    for (let n = 0; n < 6_000; n += 1) await ask();
    expect(notes).toEqual([]);
    expect(await statuses(ask, 2)).toEqual([429, 429]);
    expect(notes).toEqual([
      "A request was refused with 429: by default, 6000 requests a minute with one key and 12000 from one address are allowed. To switch these limits off, start the server with --rate-limit off (in the library: rateLimit: 'off').",
    ]);

    await using limited = await createSimulator({ ...options, rateLimit: 1 });
    expect(await statuses(from(limited, '192.0.2.1', limited.default.headers), 2)).toEqual([200, 429]);
    expect(notes).toHaveLength(1);
  });

  it('a 429 counts against nothing', async () => {
    const time = manualTime();
    await using sim = await createSimulator({ seed: 1, time, rateLimit: 2 });
    const [one, two] = [await openShop(sim), await openShop(sim)];
    await statuses(from(sim, '192.0.2.1', one.shop.headers), 2);
    expect(await statuses(from(sim, '192.0.2.2', one.shop.headers), 5)).toEqual([429, 429, 429, 429, 429]);
    expect(await statuses(from(sim, '192.0.2.2', two.shop.headers), 3)).toEqual([200, 200, 429]);
    time.pass(60_000);
    expect(await statuses(from(sim, '192.0.2.2', two.shop.headers), 3)).toEqual([200, 200, 429]);
  });

  it('refusals other than 429 count: 403, 404, 422', async () => {
    await using sim = await createSimulator({ seed: 1, time: manualTime(), rateLimit: 3 });
    const shop = await openShop(sim);
    expect((await shop.call('GET', '/v1/contracts/LAY-1')).status).toBe(404);
    expect((await shop.call('GET', '/v1/contracts?page=0')).status).toBe(422);
    await shop.set({ clearance: 'suspended' });
    expect((await shop.call('GET', '/v1/ping')).status).toBe(403);
    expect((await shop.call('GET', '/v1/ping')).status).toBe(429);
  });

  it('routes that are not there, `/_sim`, pages and documents are not limited and do not count', async () => {
    await using sim = await createSimulator({ seed: 1, time: manualTime(), rateLimit: 1 });
    const shop = await openShop(sim);
    const plain = async (path: string) => (await fetch(sim.url + path)).status;
    for (let n = 0; n < 3; n += 1) {
      expect(await plain('/v1/foo')).toBe(404);
      expect(await plain('/_sim/health')).toBe(200);
      expect(await plain('/openapi.json')).toBe(200);
      expect((await fetch(`${sim.url}/v1/ping`, { method: 'DELETE' })).status).toBe(405);
      expectData(await shop.call('GET', '/_sim/settings'));
    }
    expect((await shop.call('GET', '/v1/ping')).status).toBe(200);
    expect((await shop.call('GET', '/v1/ping')).status).toBe(429);
    expectData(await shop.call('GET', '/_sim/settings'));
    expect(await plain('/openapi.json')).toBe(200);
  });

  it('it does not depend on the account’s clock', async () => {
    await using sim = await createSimulator({
      seed: 1,
      time: manualTime(),
      clock: { frozenAt: '2026-01-01T00:00:00Z' },
      rateLimit: 1,
    });
    const shop = await openShop(sim);
    expect((await shop.call('GET', '/v1/ping')).status).toBe(200);
    expectData(await shop.call('POST', '/_sim/clock/advance', { by: '1d' }));
    expect((await shop.call('GET', '/v1/ping')).status).toBe(429);
  });

  it.each([0, 'off'] as const)('%s lets everything pass, without headers', async (rateLimit) => {
    await using sim = await createSimulator({ seed: 1, rateLimit });
    const shop = await openShop(sim);
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.call('GET', '/v1/ping')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect([...(answers[0]?.headers.keys() ?? [])].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  it('decisions §2: by default 12000 a source and 6000 a key', async () => {
    await using sim = await createSimulator({ seed: 1 });
    const shop = await openShop(sim);
    expect((await shop.call('GET', '/v1/ping')).headers.get('x-ratelimit-limit')).toBe('6000');
    expect((await caller(sim)('GET', '/v1/ping')).headers.get('x-ratelimit-limit')).toBe('12000');
  });
});
