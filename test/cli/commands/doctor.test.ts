import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { disk } from '../../../src/cli/checks/machine.ts';
import { createSimulator } from '../../../src/index.ts';
import { bin, emptyPlace, oneProcess, otherServer, plan } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly advice: string | null;
}

const named = (checks: readonly Check[], name: string) => checks.filter((check) => check.name === name);

describe('layaway doctor', () => {
  test('all is well: 0, a line for each thing it looked at', async () => {
    await using world = await withSimulator();
    const { code, stdout, stderr } = await world.layaway('doctor');
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    const names = [
      'node',
      'sqlite',
      'directory',
      'disk',
      'port',
      'server',
      'key',
      'time',
      'token',
      'clock',
      'webhooks',
    ];
    for (const name of names) {
      expect(stdout).toMatch(new RegExp(`^ok +${name} `, 'm'));
    }
    expect(stdout).toContain('frozen at 2026-01-01 00:00:00 UTC');
    const { json } = await world.layaway('doctor', '--json');
    expect(json.data.ok).toBe(true);
    for (const check of json.data.checks) expect(Object.keys(check)).toEqual(['name', 'ok', 'detail', 'advice']);
  });

  test('a proxy that the store would use for the simulator is worth a line', async () => {
    await using world = await withSimulator();
    const proxyOf = async (env: Record<string, string>) => {
      const { code, json } = await runner({ ...world.place, env: { ...world.place.env, ...env } })('doctor', '--json');
      expect(code).toBe(0);
      return named(json.data.checks, 'proxy');
    };
    expect(await proxyOf({ HTTP_PROXY: 'http://proxy.corp:3128', NO_PROXY: '.corp' })).toEqual([
      {
        name: 'proxy',
        ok: true,
        detail: 'HTTP_PROXY is set, and NO_PROXY does not name 127.0.0.1',
        advice: expect.stringContaining('Add 127.0.0.1 to NO_PROXY'),
      },
    ]);
    expect(await proxyOf({ HTTP_PROXY: 'http://proxy.corp:3128', NO_PROXY: 'localhost,127.0.0.1' })).toEqual([]);
    expect(await proxyOf({})).toEqual([]);
  });

  test('a route that the service does not have, and that the store asked for, is worth a line', async () => {
    await using world = await withSimulator();
    const { url, default: shop } = world.sim;
    const ask = (method: string, path: string) => fetch(url + path, { method, headers: shop.headers });
    await ask('GET', '/v1/contracts/LAY-0000000000');
    await fetch(`${url}/v1/layaway-compare`, { headers: { ...shop.headers, 'x-layaway-tool': '1' } });
    expect(named((await world.layaway('doctor', '--json')).json.data.checks, 'routes')).toEqual([]);
    await ask('POST', '/v1/session');
    await ask('POST', '/v1/session?a=b');
    await ask('GET', '/v1/contract/LAY-0000000000');
    await ask('GET', '/v1/orders');
    const { code, json } = await world.layaway('doctor', '--json');
    expect(code).toBe(0);
    const of = (detail: string, advice: unknown) => ({ name: 'routes', ok: true, detail, advice });
    expect(named(json.data.checks, 'routes')).toEqual([
      of('the service has no route GET /v1/orders, which was asked for 1 time', expect.stringMatching(/^Available: /)),
      of(
        'the service has no route GET /v1/contract/LAY-0000000000, which was asked for 1 time',
        'Did you mean GET /v1/contracts/LAY-0000000000?',
      ),
      of('the service has no route POST /v1/session, which was asked for 2 times', 'Did you mean POST /v1/sessions?'),
    ]);
  });

  test('interface §1: a full disk is something to fix', () => {
    const figures = { bsize: 4096, blocks: 1_000_000 };
    expect(disk({ ...figures, bavail: 1_000 })).toMatchObject({
      ok: false,
      detail: '3 MiB free',
      advice: expect.stringContaining('Free some space'),
    });
    expect(disk({ ...figures, bavail: 500_000 })).toMatchObject({ ok: true, detail: '1,953 MiB free' });
  });

  test('no server yet is nothing broken where nobody named one: it says how to start it', async () => {
    const place = await emptyPlace();
    const { stdout } = await runner(place)('doctor', '--json');
    const [server] = named(JSON.parse(stdout).data.checks, 'server') as [Check];
    const url = 'http://127.0.0.1:4747';
    // Another test's or a developer's own server may hold the default port.
    if (server.detail.startsWith(url)) return;
    const advice = 'Start it with `layaway serve`.';
    expect(server).toEqual({ name: 'server', ok: true, detail: `no server runs at ${url}`, advice });
  });

  test('a server that was named and does not answer: 1', async () => {
    const layaway = runner(await emptyPlace({ LAYAWAY_BASE_URL: 'http://127.0.0.1:1' }));
    const { code, json } = await layaway('doctor', '--json');
    expect(code).toBe(1);
    expect(named(json.data.checks, 'server')).toMatchObject([
      { ok: false, advice: expect.stringContaining('LAYAWAY_BASE_URL') },
    ]);
  });

  test('another program on the port: 1, port and server are named', async () => {
    await using other = await otherServer((_request, response) => void response.end('hello'));
    const layaway = runner(await emptyPlace({ LAYAWAY_BASE_URL: other.url }));
    const { code, json } = await layaway('doctor', '--json');
    expect(code).toBe(1);
    expect(named(json.data.checks, 'port')).toMatchObject([{ ok: false, advice: expect.stringContaining('--port 0') }]);
    expect(named(json.data.checks, 'server')).toMatchObject([{ ok: false }]);
  });

  test('a key that does not authenticate: 1', async () => {
    await using world = await withSimulator();
    const { code, json } = await world.layaway('doctor', '--json', '--api-key', 'wrong');
    expect(code).toBe(1);
    expect(named(json.data.checks, 'key')).toMatchObject([{ ok: false }]);
    expect(named(json.data.checks, 'server')).toMatchObject([{ ok: true }]);
  });

  test('a fault that waits for a request of the store is not used up', async () => {
    await using world = await withSimulator();
    const { id } = await world.sim.default.faults.add({ kind: 'error', times: 1 });
    const { code, json } = await world.layaway('doctor', '--json');
    expect(code).toBe(0);
    expect(named(json.data.checks, 'key')).toMatchObject([
      {
        ok: true,
        detail: expect.stringContaining('1 fault may strike it'),
        advice: expect.stringContaining('faults list'),
      },
    ]);
    expect(named(json.data.checks, 'time')).toMatchObject([{ ok: true, detail: expect.stringContaining('agree') }]);
    expect(await world.sim.default.faults.list()).toMatchObject([{ id, met: 0 }]);
    await expect(world.sim.default.v1.ping()).rejects.toThrow();
    await world.sim.default.faults.add({ kind: 'lost' });
    await world.sim.default.faults.add({ kind: 'error', operation: 'createSession' });
    const { json: other } = await world.layaway('doctor', '--json');
    expect(named(other.data.checks, 'key')).toMatchObject([{ detail: expect.not.stringContaining('may strike') }]);
  });

  test('a server that does not answer is asked only once for the pair', async () => {
    await using silent = await otherServer((_request, response) => void response.destroy());
    const { json } = await runner(await emptyPlace())('doctor', '--json', '--base-url', silent.url);
    expect(named(json.data.checks, 'server')).toMatchObject([{ ok: false }]);
    expect(silent.seen.map(({ url }) => url)).not.toContain('/v1/ping');
  });

  test('a proxy that puts another Host into the requests: the pair was not checked', async () => {
    await using sim = await createSimulator();
    await using proxy = await otherServer(({ url, headers }, response) => {
      const { 'x-client-id': client = '', 'x-api-key': key = '' } = headers as Record<string, string>;
      const options = { headers: { host: 'upstream', 'x-client-id': client, 'x-api-key': key } };
      get(`${sim.url}${url}`, options, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
    });
    const { json } = await runner(await emptyPlace())('doctor', '--json', '--base-url', proxy.url);
    expect(named(json.data.checks, 'key')).toEqual([
      {
        name: 'key',
        ok: false,
        detail: 'This host is not allowed. Start the server with --allow-host upstream.',
        advice: 'The pair was not checked.',
      },
    ]);
  });

  test('a service whose clock is far from that of this machine: 1; that it is no simulator is no fault', async () => {
    await using service = await otherServer(({ url }, response) => {
      const isPing = url === '/v1/ping';
      const ping = { data: { client_id: 'mch_test_1', layaway: { available: true } } };
      const headers = { 'content-type': 'application/json', date: 'Thu, 01 Jan 2026 00:00:00 GMT' };
      response.writeHead(isPing ? 200 : 404, headers).end(JSON.stringify(isPing ? ping : { message: 'Not found.' }));
    });
    const { code, json } = await runner(await emptyPlace({ LAYAWAY_BASE_URL: service.url }))('doctor', '--json');
    expect(code).toBe(1);
    expect(named(json.data.checks, 'time')).toMatchObject([
      { ok: false, advice: expect.stringContaining('Correct both clocks.') },
    ]);
    expect(named(json.data.checks, 'clock')).toMatchObject([
      { ok: true, detail: expect.stringContaining('is not a simulator') },
    ]);
  });

  test('endpoints that fail or are disabled: 1, and the command that helps', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const failing = (await world.sim.default.webhooks.add('http://127.0.0.1:1/')).id;
    await plan(world.sim.default);
    await world.sim.default.clock.advance('0s');
    const first = await layaway('doctor');
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(
      /^FIX +webhooks +the last delivery to http:\/\/127\.0\.0\.1:1\/ failed: connection refused/m,
    );
    expect(first.stdout).toContain(`Then run \`layaway webhooks test ${failing}\`.`);
    await world.sim.default.webhooks.disable(failing);
    await world.sim.default.assumptions.set({ layaway_enabled: false });
    const second = await layaway('doctor');
    expect(second.code).toBe(1);
    expect(second.stdout).toMatch(/^ok +key .*; layaway is unavailable: \w+$/m);
    expect(second.stdout).toContain(`run \`layaway webhooks enable ${failing}\`.`);
    expect(second.stdout).toMatch(/^FIX +webhooks +http:\/\/127\.0\.0\.1:1\/ is disabled by hand$/m);
    expect((await layaway('webhooks', 'list')).stdout).toMatch(/ all +disabled by hand +the server$/m);
  });

  test('the endpoints of an opened trace are well: nothing has to be enabled', async () => {
    const fixture = { webhooks: [{ url: 'http://127.0.0.1:1/away', transport: 'listener' as const }] };
    await using saved = await withSimulator({ forwardTo: ['http://127.0.0.1:1/'], fixture });
    await using world = await withSimulator({ trace: await saved.sim.trace() });
    const { code, json } = await world.layaway('doctor', '--json');
    expect(code).toBe(0);
    const sealed = (url: string) => ({
      name: 'webhooks',
      ok: true,
      detail: `${url} is disabled: opened from a trace`,
      advice: 'A server that shows a trace sends nothing.',
    });
    expect(named(json.data.checks, 'webhooks')).toEqual([
      sealed('http://127.0.0.1:1/'),
      sealed('http://127.0.0.1:1/away'),
    ]);
    expect((await world.layaway('webhooks', 'list')).stdout).toMatch(
      /disconnected, disabled: opened from a trace +layaway listen/,
    );
  });

  test('a folder that may only be read: something to fix, unless the server in use keeps its state elsewhere', async () => {
    await using world = await withSimulator();
    const { cwd, env } = await emptyPlace();
    await chmod(cwd, 0o555);
    const directory = async (url: string) => {
      const { stdout } = await execa(process.execPath, [bin, 'doctor', '--json', '--base-url', url], {
        cwd,
        env,
        reject: false,
        // Root may write everywhere, so somebody else tries it.
        ...(process.getuid?.() === 0 ? { uid: 65_534 } : {}),
      });
      return named(JSON.parse(stdout).data.checks, 'directory');
    };
    const detail = `${join(cwd, '.layaway')} is not writable`;
    expect(await directory('http://127.0.0.1:1')).toEqual([
      { name: 'directory', ok: false, detail, advice: 'Use another one with `layaway serve --data`, or use --memory.' },
    ]);
    expect(await directory(world.sim.url)).toEqual([
      { name: 'directory', ok: true, detail: `${detail}; the server in use does not need it`, advice: null },
    ]);
  });

  test('a directory whose server was killed: nothing is lost', async () => {
    const place = await emptyPlace({ LAYAWAY_BASE_URL: 'http://127.0.0.1:1' });
    await mkdir(join(place.cwd, '.layaway'));
    await writeFile(join(place.cwd, '.layaway', 'server.json'), JSON.stringify({ pid: 2 ** 22 + 1 }), { mode: 0o600 });
    const { json } = await runner(place)('doctor', '--json');
    expect(named(json.data.checks, 'directory')).toMatchObject([
      { ok: true, advice: expect.stringContaining('No data is lost') },
    ]);
  });
});

test('a directory whose server was killed, and another process has its pid: it is not said to serve', async () => {
  const { cwd, env } = await emptyPlace();
  await mkdir(join(cwd, '.layaway'));
  const pair = { client_id: 'mch_test_1', api_key: 'sk_test_1' };
  const record = { pid: process.pid, base_url: 'http://127.0.0.1:1', control_token: 't', sandbox: pair, live: pair };
  await writeFile(join(cwd, '.layaway', 'server.json'), JSON.stringify(record), { mode: 0o600 });
  const { code, json } = await runner({ cwd, env })('doctor', '--json');
  expect(code).toBe(1);
  expect(named(json.data.checks, 'directory')).toMatchObject([
    {
      detail: `${join(cwd, '.layaway')}; its server (pid ${process.pid}) does not answer at http://127.0.0.1:1`,
      advice: expect.stringMatching(
        `If process ${process.pid} is another program, the server was killed. No data is lost; start it again with \`layaway serve\`\\.$`,
      ),
    },
  ]);
});

describe('a settings file that cannot be read', () => {
  const damaged = async () => {
    const place = await emptyPlace();
    await mkdir(join(place.cwd, 'config', 'layaway'), { recursive: true });
    await writeFile(join(place.cwd, 'config', 'layaway', 'config.json'), '{broken');
    return runner(place);
  };
  const fault = {
    name: 'settings',
    ok: false,
    detail: expect.stringMatching(/config\.json cannot be read \(it is not valid JSON\)$/),
    advice: expect.stringContaining('Fix it or delete it.'),
  };

  test('is something to fix, and the rest is checked with an address that needs no profile', async () => {
    await using world = await withSimulator();
    const layaway = await damaged();
    const { code, json } = await layaway('doctor', '--json', '--base-url', world.sim.url);
    expect(code).toBe(1);
    expect(named(json.data.checks, 'settings')).toEqual([fault]);
    expect(named(json.data.checks, 'server')).toMatchObject([{ ok: true }]);
  });

  test('is something to fix where the address would come from it', async () => {
    const layaway = await damaged();
    const { code, json } = await layaway('doctor', '--json');
    expect(code).toBe(1);
    expect(json.data.checks.map(({ name }: Check) => name)).toEqual([
      'settings',
      'node',
      'sqlite',
      'directory',
      'disk',
    ]);
    expect(json.data.checks[0]).toEqual(fault);
  });
});

describe('interface §2: layaway dashboard', () => {
  test('prints a link that opens once, signed in', async () => {
    await using world = await withSimulator();
    const { code, stdout, stderr } = await world.layaway('dashboard');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const entered = await fetch(stdout, { redirect: 'manual' });
    expect(entered.headers.get('set-cookie')).toMatch(/HttpOnly/);
    const again = await fetch(stdout, { redirect: 'manual' });
    expect(again.headers.get('set-cookie')).toBeNull();
    expect((await world.layaway('dashboard', '--json')).json.data.url).toContain(`${world.sim.url}/dashboard`);
  });

  test('a server that has none: 3, in one sentence', async () => {
    await using old = await otherServer((request, response) => {
      const isHealth = request.url === '/_sim/health';
      response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(isHealth ? { status: 'ok' } : { message: 'The route _sim/dashboard-links could not be found.' }),
      );
    });
    const layaway = runner(await emptyPlace({ LAYAWAY_BASE_URL: old.url, LAYAWAY_CONTROL_TOKEN: 'token' }));
    const { code, stdout, stderr } = await layaway('dashboard');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('has no dashboard');
  });
});
