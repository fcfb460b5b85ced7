import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../src/index.ts';
import { openProxy } from '../../support/mapped-port.ts';
import { emptyPlace, lines, otherServer, runner, start, startReady, withSimulator } from '../layaway.ts';

describe('interface §2: layaway logs tail', () => {
  test('each request once, as it is answered, narrowed by status and path; ends with 0', async () => {
    await using world = await withSimulator();
    const { sim, place } = world;
    const get = (path: string) => fetch(`${sim.url}${path}`, { headers: sim.default.headers });
    await get('/v1/contracts/LAY-BEFORE');
    const everything = start(place, ['logs', 'tail', '--json']);
    const narrow = start(place, ['logs', 'tail', '--status', '4xx', '--path', '/v1/contracts']);
    const [all, some] = [lines(everything), lines(narrow)];
    await Promise.all(
      [everything, narrow].map((child) => new Promise((resolve) => child.stderr.once('data', resolve))),
    );
    await get('/v1/ping');
    await get('/v1/contracts/LAY-NOWHERE');
    await get('/v1/checkout-sessions/cs_nowhere');
    await get('/v1/contracts/LAY-ALSO');

    const seen = [JSON.parse(await all()), JSON.parse(await all()), JSON.parse(await all()), JSON.parse(await all())];
    expect(seen.map(({ path, status }) => [path, status])).toEqual([
      ['/v1/ping', 200],
      ['/v1/contracts/LAY-NOWHERE', 404],
      ['/v1/checkout-sessions/cs_nowhere', 404],
      ['/v1/contracts/LAY-ALSO', 404],
    ]);
    expect(JSON.stringify(seen)).not.toContain(sim.default.apiKey);
    expect(await some()).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}404 {2}GET {4}\/v1\/contracts\/LAY-NOWHERE {2}[\d.]+ ms {2}req_\d{12}$/,
    );
    expect(await some()).toContain('LAY-ALSO');
    everything.kill('SIGINT');
    narrow.kill('SIGTERM');
    expect([(await everything).exitCode, (await narrow).exitCode]).toEqual([0, 0]);
  });

  test('parallel requests are each printed, even if they are the first', async () => {
    await using world = await withSimulator();
    const { sim, place } = world;
    const get = (path: string) => fetch(`${sim.url}${path}`, { headers: sim.default.headers });
    const tail = start(place, ['logs', 'tail', '--json']);
    const next = lines(tail);
    await new Promise((resolve) => tail.stderr.once('data', resolve));
    await Promise.all(Array.from({ length: 20 }, (_, n) => get(`/v1/ping?${n}`)));
    const seen: number[] = [];
    for (let n = 0; n < 20; n += 1) seen.push(Number(JSON.parse(await next()).path.split('?')[1]));
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    tail.kill('SIGINT');
    expect((await tail).exitCode).toBe(0);
  });

  test('after a lost connection, all requests to another server are new, even if it already has more', async () => {
    await using proxy = await openProxy();
    const first = await createSimulator();
    proxy.leadTo(first.url);
    const { headers, env } = first.default;
    await fetch(`${first.url}/v1/ping`, { headers });
    const place = await emptyPlace({ ...env, LAYAWAY_BASE_URL: `http://127.0.0.1:${proxy.port}` });
    const tail = start(place, ['logs', 'tail', '--json']);
    const next = lines(tail);
    await new Promise((resolve) => tail.stderr.once('data', resolve));
    await fetch(`${first.url}/v1/config`, { headers });
    expect(JSON.parse(await next())).toMatchObject({ id: 'req_000000000002', path: '/v1/config' });
    const lost = proxy.refused();
    await first.close();
    await lost;

    await using second = await createSimulator();
    for (const path of ['/v1/ping?1', '/v1/ping?2', '/v1/ping?3']) await fetch(`${second.url}${path}`, { headers });
    proxy.leadTo(second.url);
    const seen = [JSON.parse(await next()), JSON.parse(await next()), JSON.parse(await next())];
    expect(seen.map(({ path }) => path)).toEqual(['/v1/ping?1', '/v1/ping?2', '/v1/ping?3']);
    tail.kill('SIGINT');
    expect((await tail).exitCode).toBe(0);
  });

  test('after a server was killed and has lost its last requests, those before are not printed again', async () => {
    const place = await emptyPlace();
    const serve = async () => {
      const server = await startReady(place, ['serve', '--port', '0', '--json']);
      const { base_url, sandbox } = JSON.parse(server.ready);
      const headers = { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key };
      return { ...server, get: (path: string) => fetch(base_url + path, { headers }) };
    };
    const first = await serve();
    await first.get('/v1/ping?before');
    const tail = start(place, ['logs', 'tail', '--json']);
    const next = lines(tail);
    await new Promise((resolve) => tail.stderr.once('data', resolve));
    await first.get('/v1/ping?kept');
    expect(JSON.parse(await next()).path).toBe('/v1/ping?kept');
    // A snapshot writes the log down. What comes after it is lost with the process.
    await runner(place)('snapshots', 'save', 'a');
    await first.get('/v1/ping?lost');
    expect(JSON.parse(await next()).path).toBe('/v1/ping?lost');
    await first.kill();

    await using second = await serve();
    await second.get('/v1/ping?after');
    expect(JSON.parse(await next()).path).toBe('/v1/ping?after');
    tail.kill('SIGINT');
    expect((await tail).exitCode).toBe(0);
  });

  test('a server that comes back at the last try, and has lost its last requests, is followed on', async () => {
    const LOST = { id: 'req_000000000002', at: '2026-01-01T00:00:02.000000Z', path: '/v1/ping?lost' };
    const AFTER = { id: 'req_000000000002', at: '2026-01-01T00:00:09.000000Z', path: '/v1/ping?after' };
    let tries = 0;
    await using server = await otherServer(({ url = '' }, response) => {
      const isFirst = tries === 0;
      tries += 1;
      if (!isFirst && tries <= 6) return response.destroy();
      const isUnknown = url.includes(LOST.id);
      response.writeHead(isUnknown ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isUnknown ? { message: 'Request not found.' } : { data: [isFirst ? LOST : AFTER] }));
    });
    const place = await emptyPlace({ LAYAWAY_BASE_URL: server.url });
    const tail = start(place, ['logs', 'tail', '--json']);
    const next = lines(tail);
    expect(JSON.parse(await next())).toEqual(AFTER);
    tail.kill('SIGINT');
    expect((await tail).exitCode).toBe(0);
  });
});
