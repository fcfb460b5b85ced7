import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { defaultDraw } from '../../../src/secrets/draw.ts';
import { emptyPlace, oneProcess, otherServer, startReady } from '../layaway.ts';

const { runner } = oneProcess();

const FROZEN = ['--clock', 'frozen', '--now', '2026-01-01T00:00:00Z', '--seed', '1'];

const isLastOfBanner = (line: string) => line.includes('Ctrl-C');

/** Starts `layaway serve --json` and reads its ready line. */
async function serve(...args: string[]) {
  const place = await emptyPlace();
  const child = await startReady(place, ['serve', '--port', '0', '--json', ...args]);
  return { place, child, next: child.next, ready: JSON.parse(child.ready) };
}

describe('interface §2: layaway serve --json', () => {
  test('prints one ready line with exactly these keys, once it listens', async () => {
    const { child, ready, place } = await serve(...FROZEN);
    const health = await fetch(`${ready.base_url}/_sim/health`);
    expect(health.status).toBe(200);
    expect(ready).toEqual({
      event: 'ready',
      version: packageJson.version,
      pid: child.pid,
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      listening: ready.base_url,
      dashboard_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/enter\?token=[\w-]+$/),
      control_token: expect.stringMatching(/^\S{16,}$/),
      sandbox: { client_id: defaultDraw.clientId('sandbox', 1), api_key: defaultDraw.firstKey('sandbox', 1) },
      live: { client_id: defaultDraw.clientId('live', 1), api_key: defaultDraw.firstKey('live', 1) },
      webhook_secret: defaultDraw.webhookSecret('account', 1),
      webhooks: [],
      data: join(place.cwd, '.layaway'),
    });
    expect((await child.stop()).exitCode).toBe(0);
  });

  test('--public-url is printed as base_url, next to the address that it listens on', async () => {
    const { child, ready, place } = await serve('--public-url', 'https://Shop.Test/');
    expect(ready).toMatchObject({
      base_url: 'https://shop.test',
      listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      dashboard_url: expect.stringMatching(/^https:\/\/shop\.test\/dashboard\/enter\?token=/),
    });
    const { json } = await runner(place)('dashboard', '--json');
    expect(json.data.url).toMatch(/^https:\/\/shop\.test\/dashboard\/enter\?token=/);
    expect(await child.stop()).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('--host beyond loopback: one line of warning, and names only as --allow-host says', async () => {
    const { child, ready } = await serve(
      '--memory',
      '--host',
      '0.0.0.0',
      '--allow-host',
      'a.test',
      '--allow-host',
      'b.test',
    );
    const { port } = new URL(ready.base_url);
    const statusOf = (host: string) =>
      new Promise((resolve) =>
        get({ port, path: '/v1/ping', headers: { host } }, (answer) => resolve(answer.statusCode)),
      );
    expect([await statusOf('a.test'), await statusOf(`b.test:${port}`), await statusOf('c.test')]).toEqual([
      401, 401, 403,
    ]);
    const { stderr } = await child.stop();
    expect(stderr.split('\n')).toEqual([expect.stringMatching(/^Warning: anyone who can reach port \d+ .* public\.$/)]);
  });

  test.each([
    ['--host', ''],
    ['--public-url', 'shop.test'],
    ['--public-url', 'http://shop.test/path'],
    ['--public-url', 'http://shop.test?'],
    ['--public-url', 'http://shop.test/#'],
    ['--public-url', 'http://ada@shop.test'],
    ['--public-url', 'http://@shop.test'],
    ['--public-url', 'http://shop.test:99999'],
    ['--public-url', 'ftp://shop.test'],
    ['--public-url', 'http:shop.test'],
    ['--public-url', ''],
    ['--allow-host', 'http://shop.test'],
    ['--allow-host', 'shop.test:80'],
    ['--allow-host', '*.test'],
    ['--allow-host', ''],
  ])('%s %j is a mistake in the call, of exec too', async (flag, value) => {
    const layaway = runner(await emptyPlace());
    for (const call of [
      ['serve', '--memory', '--port', '0', flag, value],
      ['exec', flag, value, '--', 'true'],
    ]) {
      const { code, stdout, stderr } = await layaway(...call);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(flag);
    }
  });

  test('later lines are the requests, also those that a screen leaves out', async () => {
    const { child, ready, next } = await serve('--memory');
    await fetch(`${ready.base_url}/v1/ping`);
    expect(JSON.parse(await next())).toEqual({
      event: 'request',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      method: 'GET',
      path: '/v1/ping',
      status: 401,
      duration_ms: expect.any(Number),
      fault: null,
    });
    await fetch(`${ready.base_url}/_sim/openapi.json`);
    expect(JSON.parse(await next())).toMatchObject({ method: 'GET', path: '/_sim/openapi.json', status: 200 });
    child.signal('SIGINT');
    expect(await child.ended).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s twice closes cleanly with 0', async (signal) => {
    const { child, place } = await serve();
    child.signal(signal);
    child.signal(signal);
    expect(await child.ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(existsSync(join(place.cwd, '.layaway', 'server.json'))).toBe(false);
    expect(existsSync(join(place.cwd, '.layaway', 'layaway.db-wal'))).toBe(false);
  });

  test('a start that fails when the port is already open ends with 1, and frees the port', async () => {
    const place = await emptyPlace();
    await mkdir(join(place.cwd, '.layaway', 'server.json'), { recursive: true });
    const { code, stdout, stderr } = await runner(place)('serve', '--port', '0');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('server.json');
  });

  test('a reader that closes the pipe ends it quietly and cleanly', async () => {
    const { child, ready, place } = await serve();
    child.stdout.destroy();
    await fetch(`${ready.base_url}/v1/ping`).catch(() => undefined);
    expect(await child.ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(existsSync(join(place.cwd, '.layaway', 'server.json'))).toBe(false);
  });
});

describe('interface §2: the flags of layaway serve', () => {
  const clockOf = async ({
    base_url,
    sandbox,
  }: {
    base_url: string;
    sandbox: { client_id: string; api_key: string };
  }) => {
    const headers = { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key };
    const { data } = (await (await fetch(`${base_url}/_sim/clock`, { headers })).json()) as {
      data: { now: string; mode: string };
    };
    return data;
  };

  test('--memory leaves nothing behind and writes no server.json', async () => {
    const { child, ready, place } = await serve('--memory');
    expect(ready.data).toBeNull();
    await child.stop();
    expect(existsSync(join(place.cwd, '.layaway'))).toBe(false);
  });

  test('server.json is readable by its owner only, and commands in its folder need no address', async () => {
    const { child, place } = await serve(...FROZEN);
    expect((await stat(join(place.cwd, '.layaway', 'server.json'))).mode & 0o777).toBe(0o600);
    const layaway = runner(place);
    expect((await layaway('contracts', 'list', '--json')).json.data).toEqual([]);
    expect((await layaway('merchants', 'list', '--json')).json.data).toHaveLength(1);
    await child.stop();
  });

  test('--clock frozen without --now freezes at real now', async () => {
    const before = Date.now();
    const { child, ready } = await serve('--memory', '--clock', 'frozen');
    const { now, mode } = await clockOf(ready);
    expect(mode).toBe('frozen');
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(now)).toBeLessThanOrEqual(Date.now());
    expect((await clockOf(ready)).now).toBe(now);
    await child.stop();
  });

  test('--now without --clock runs on from there', async () => {
    const { child, ready } = await serve('--memory', '--now', '2030-05-01');
    const { now, mode } = await clockOf(ready);
    expect(mode).toBe('running');
    expect(now.slice(0, 10)).toBe('2030-05-01');
    await child.stop();
  });

  test('--seed fixes what is drawn', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const { child, ready, place } = await serve('--memory', ...FROZEN);
        const { json } = await runner(place)(
          ...['sessions', 'create', '--order-reference', 'A', '--total-amount', '20000', '--json'],
          ...['--base-url', ready.base_url],
        );
        await child.stop();
        return json.data.id;
      }),
    );
    expect(ids[0]).toMatch(/^cs_/);
    expect(ids[0]).toBe(ids[1]);
  });

  test('--rate-limit bounds requests, with 429 and Retry-After', async () => {
    const { child, ready, place } = await serve('--memory', '--rate-limit', '1');
    const layaway = runner(place);
    expect((await layaway('contracts', 'list', '--json', '--base-url', ready.base_url)).code).toBe(0);
    const second = await layaway('contracts', 'list', '--base-url', ready.base_url);
    expect(second).toMatchObject({ code: 3, stdout: '' });
    expect(second.stderr).toMatch(/^Too Many Attempts\. Try again in \d+ seconds\.$/);
    await child.stop();
  });

  test('a gateway may answer 429 with a date instead of seconds', async () => {
    const headers = { 'content-type': 'application/json', 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' };
    await using gateway = await otherServer((_request, response) =>
      response.writeHead(429, headers).end('{"message":"Too Many Attempts."}'),
    );
    const { code, stderr } = await runner(await emptyPlace({ LAYAWAY_BASE_URL: gateway.url }))('contracts', 'list');
    expect({ code, stderr }).toEqual({ code: 3, stderr: 'Too Many Attempts.' });
  });

  test('on a restart the stored clocks win, with a note on stderr', async () => {
    const { child, place } = await serve(...FROZEN);
    await child.stop();
    const again = await startReady(place, [
      'serve',
      '--port',
      '0',
      '--json',
      '--clock',
      'frozen',
      '--now',
      '2031-01-01',
    ]);
    expect((await clockOf(JSON.parse(again.ready))).now).toBe('2026-01-01T00:00:00.000000Z');
    expect((await again.stop()).stderr).toContain('keeps its own clocks');
  });

  test.each([
    ['running', 'frozen', 'layaway clock resume'],
    ['frozen', 'running', 'layaway clock freeze'],
  ])('--clock %s on a stored clock that is %s: the note names `%s`', async (asked, stored, command) => {
    const { child, place } = await serve('--clock', stored);
    await child.stop();
    const notesOf = async (...flags: string[]) => {
      const again = await startReady(place, ['serve', '--port', '0', '--json', ...flags]);
      return (await again.stop()).stderr;
    };
    expect(await notesOf()).not.toContain('clock');
    expect(await notesOf('--clock', asked)).toContain(`\`${command}\``);
    expect(await notesOf('--clock', stored)).not.toContain('layaway clock');
  });
});

test('interface §2: without --json a person reads URLs, export lines and the next command', async () => {
  const place = await emptyPlace();
  const child = await startReady(place, ['serve', '--port', '0'], isLastOfBanner);
  const banner = child.printed();
  expect(banner[0]).toMatch(/^Layaway sandbox .* is ready\./);
  const text = banner.join('\n');
  const url = text.match(/service\s+(http:\/\/127\.0\.0\.1:\d+)/)?.[1];
  expect(text).toContain(`export LAYAWAY_BASE_URL=${url}\n`);
  expect(text).toContain(`export LAYAWAY_CLIENT_ID=${defaultDraw.clientId('sandbox', 1)}\n`);
  expect(text).toContain(`export LAYAWAY_API_KEY=${defaultDraw.firstKey('sandbox', 1)}\n`);
  expect(text).not.toContain('\u001b');
  const command = text.match(/^ {2}layaway (.+)$/m)?.[1] as string;
  expect((await runner(place)(...command.split(' '))).code).toBe(0);
  await child.stop();
});

test('interface §2: for a person, what tools read of the simulator does not push away what the store asks', async () => {
  const place = await emptyPlace();
  const child = await startReady(place, ['serve', '--memory', '--port', '0'], isLastOfBanner);
  const layaway = runner(place);
  expect((await layaway('contracts', 'get', 'LAY-0000000000')).code).toBe(3);
  // It asks ten times a second.
  expect((await layaway('events', 'wait', 'contract.defaulted', '--timeout', '1s')).code).toBe(5);
  expect((await layaway('events', 'get', 'evt_none')).code).toBe(3);
  expect((await layaway('clock', 'freeze')).code).toBe(0);
  const shown: string[] = [];
  do shown.push((await child.next()).slice('hh:mm:ss  '.length).replace(/ {2}[\d.]+ ms$/, ''));
  while (!shown.at(-1)?.includes('/_sim/clock/freeze'));
  expect(shown.filter((line) => !line.includes('CLOCK'))).toEqual([
    '404  GET    /v1/contracts/LAY-0000000000',
    '404  GET    /_sim/events/evt_none',
    '200  POST   /_sim/clock/freeze',
  ]);
  await child.stop();
});

test.each([
  ['on the PATH', {}, '  layaway sessions create'],
  ['started by npm, in a clone or a project', { npm_lifecycle_event: 'start' }, '  npx layaway sessions create'],
])('interface §2: the banner says the next command as one types it: %s', async (_where, env, shown) => {
  const flags = ['serve', '--memory', '--port', '0', '--now', '2020-01-01', '--public-url', 'http://shop.test'];
  const child = await startReady(await emptyPlace(env), flags, isLastOfBanner);
  expect(child.printed().filter((line) => line.startsWith(shown))).toHaveLength(1);
  const text = child.printed().join('\n');
  expect(text).toMatch(/clock +running, 2020-01-01 00:00 UTC, \d+ days behind real time$/m);
  expect(text).toMatch(/service +http:\/\/shop\.test\n +listening on +http:\/\/127\.0\.0\.1:\d+$/m);
  expect((await child.stop()).exitCode).toBe(0);
});

test('the banner of a state whose default key was revoked is whole', async () => {
  const place = await emptyPlace();
  const begin = () => startReady(place, ['serve', '--port', '0'], isLastOfBanner);
  const first = await begin();
  const layaway = runner(place);
  const [key] = (await layaway('keys', 'list', '--json')).json.data;
  expect((await layaway('keys', 'revoke', key.id)).code).toBe(0);
  await first.stop();
  const again = await begin();
  expect(again.printed().join('\n')).toMatch(/clock +running, /);
  expect((await again.stop()).exitCode).toBe(0);
});

test('the banner names each merchant of the fixture above its pair, and not more endpoints than one reads', async () => {
  const receivers = Array.from({ length: 22 }, (_, n) => ['--forward-to', `http://127.0.0.1:1/${n}`]).flat();
  const place = await emptyPlace();
  const merchants = ['Corner Bikes Inc', 'Second Store LLC'].map((legal_name) => ({ legal_name }));
  await writeFile(join(place.cwd, 'shops.json'), JSON.stringify({ merchants }));
  const child = await startReady(
    place,
    ['serve', '--memory', '--port', '0', '--fixture', 'shops.json', ...receivers],
    isLastOfBanner,
  );
  const goes = child.printed().filter((line) => line.startsWith('  webhooks go to '));
  expect(goes).toHaveLength(20);
  expect(child.printed()).toContain('  and 2 more endpoints');
  const [first, second] = child.printed().filter((line) => line.startsWith('Merchant '));
  expect([first, second]).toEqual([
    'Merchant Corner Bikes Inc from the fixture:',
    'Merchant Second Store LLC from the fixture:',
  ]);
  await child.stop();
});

describe('interface §1: a machine in the way ends with 1 and one sentence', () => {
  test('a busy port', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { code, stdout, stderr } = await runner(await emptyPlace())('serve', '--memory', '--port', String(port));
    server.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^Port ${port} .*--port 0.*$`));
  });

  test('a port that another layaway server uses: its folder and its process are named', async () => {
    const { child, place, ready } = await serve();
    const { port } = new URL(ready.base_url);
    const other = { cwd: (await emptyPlace()).cwd, env: place.env };
    for (const words of [
      ['serve', '--port', port],
      ['exec', '--port', port, '--', 'true'],
    ]) {
      const { code, stderr } = await runner(other)(...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(
          `^Port ${port} is in use by the layaway server that was started in ${place.cwd} \\(process ${ready.pid}\\)\\. .*--port 0.*$`,
        ),
      );
    }
    await child.stop();
  });

  test('a directory that another server uses: its pid and URL are printed', async () => {
    const { child, place, ready } = await serve();
    const { code, stderr } = await runner(place)('serve', '--port', '0', '--json');
    expect(code).toBe(1);
    expect(stderr).toContain(String(ready.pid));
    expect(stderr).toContain(ready.base_url);
    expect(stderr.split('\n')).toHaveLength(1);
    await child.stop();
  });

  test('a directory that is a file', async () => {
    const place = await emptyPlace();
    await writeFile(join(place.cwd, '.layaway'), '');
    const { code, stderr } = await runner(place)('serve', '--port', '0');
    expect(code).toBe(1);
    expect(stderr).toContain('--data');
    expect(stderr.split('\n')).toHaveLength(1);
  });

  test('a file that is not a database', async () => {
    const place = await emptyPlace();
    await mkdir(join(place.cwd, '.layaway'));
    await writeFile(join(place.cwd, '.layaway', 'layaway.db'), 'no database at all, only a text that is long enough');
    const { code, stderr } = await runner(place)('serve', '--port', '0');
    expect(code).toBe(1);
    expect(stderr.split('\n')).toHaveLength(1);
    expect(await readFile(join(place.cwd, '.layaway', 'layaway.db'), 'utf8')).toContain('no database');
  });

  test('a host that this machine does not have', async () => {
    const { code, stderr } = await runner(await emptyPlace())(
      'serve',
      '--memory',
      '--host',
      '192.0.2.1',
      '--port',
      '0',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('or leave the host out');
  });
});

test('interface §2: the banner says where events go and how a kept clock runs, and has a dashboard link that opens', async () => {
  const place = await emptyPlace();
  const begin = () =>
    startReady(
      place,
      ['serve', '--port', '0', '--forward-to', '3000/webhooks', '--forward-to', '3000/b'],
      isLastOfBanner,
    );
  const first = await begin();
  const layaway = runner(place);
  const [{ id }] = (await layaway('webhooks', 'list', '--json')).json.data;
  const { secret } = (await layaway('webhooks', 'rotate', id, '--json')).json.data;
  expect((await layaway('clock', 'advance', '3d')).code).toBe(0);
  await first.stop();

  const child = await begin();
  const text = child.printed().join('\n');
  expect(text).toMatch(/webhooks go to +http:\/\/localhost:3000\/webhooks$/m);
  expect(text).toContain(`${secret}, not with LAYAWAY_WEBHOOK_SECRET`);
  expect(text.match(/ signed with /g)).toHaveLength(1);
  expect(text).toMatch(/clock +running, \d{4}-\d\d-\d\d \d\d:\d\d UTC, 3 days ahead of real time$/m);
  expect(text).toMatch(new RegExp(`state +${join(place.cwd, '.layaway')}$`, 'm'));
  const link = /dashboard +(\S+)/.exec(text)?.[1] ?? '';
  const entered = await fetch(link, { redirect: 'manual' });
  expect(entered.headers.get('set-cookie')).toContain('layaway_dashboard');
  expect((await child.stop()).exitCode).toBe(0);
});

test.each([
  ['a file in the way', 'file/below'],
  ['a device', '/dev/null/state'],
  ['a system folder', '/proc/nowhere/state'],
])('interface §1: --data in a folder that cannot be made, %s, ends with 1 and one sentence', async (_what, data) => {
  const place = await emptyPlace();
  await writeFile(join(place.cwd, 'file'), '');
  const { code, stdout, stderr } = await runner(place)('serve', '--port', '0', '--data', data);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^The directory .+ cannot be written \([a-z -]+\)\. Choose another with --data, or use --memory\.$/,
  );
});
