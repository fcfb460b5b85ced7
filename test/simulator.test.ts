import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type * as library from '../src/index.ts';
import { CannotStart, createSimulator, type Simulator, type SimulatorOptions } from '../src/index.ts';
import { START, tillOf } from './engine/till.ts';
import { type Ended, EndedEarly, type Started, startUntilReady } from './support/child.ts';
import { openReceiver } from './support/receiver.ts';
import { manualTime } from './support/shop.ts';

let folder: string;
let data: string;
const sims: Simulator[] = [];
const servers: Started[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layaway-'));
  data = join(folder, '.layaway');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.kill();
  for (const sim of sims.splice(0)) await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = (options: SimulatorOptions = {}): Promise<Simulator> =>
  keep(createSimulator({ data, seed: 1, clock: { frozenAt: START }, ...options }));

/** Closes the simulator at the end of the test. */
async function keep(starting: Promise<Simulator>): Promise<Simulator> {
  const sim = await starting;
  sims.push(sim);
  return sim;
}

/** The sentence that the user reads. */
async function refusal(options: SimulatorOptions = {}): Promise<string> {
  const error = await start(options).then(
    () => new Error('it started'),
    (reason: unknown) => reason as Error,
  );
  expect(error).toBeInstanceOf(CannotStart);
  expect(error.message).not.toContain('\n');
  return error.message;
}

interface Ready {
  readonly pid: number;
  readonly base_url: string;
  readonly sandbox: { readonly client_id: string; readonly api_key: string };
}

/** `layaway serve` in a process of its own, ready. */
async function serve(directory: string, { uid }: { uid?: number } = {}) {
  const bin = join(inject('layaway'), 'bin', 'layaway.js');
  const server = await startUntilReady(process.execPath, [bin, 'serve', '--json', '--port', '0', '--data', directory], {
    cwd: folder,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' },
  });
  servers.push(server);
  return { ...server, ready: JSON.parse(server.ready) as Ready };
}

/** How a server ended that could not start. */
async function ended(...how: Parameters<typeof serve>): Promise<Ended> {
  const error = await serve(...how).then(
    () => new Error('it started'),
    (reason: unknown) => reason as Error,
  );
  if (error instanceof EndedEarly) return error.ended;
  throw error;
}

/** Finds the first page of a table in a database that nobody uses. What is returned overwrites it, as a failing disk may. */
function damaging(file: string, table: string) {
  const db = new Database(file);
  const root = db.prepare<[string], number>('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck();
  const page = root.get(table) as number;
  const size = db.pragma('page_size', { simple: true }) as number;
  db.close();
  return () => {
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
    closeSync(descriptor);
  };
}

const headersOf = ({ sandbox }: Ready) => ({
  'content-type': 'application/json',
  'x-client-id': sandbox.client_id,
  'x-api-key': sandbox.api_key,
});
const ORDER = {
  total_amount: 12_345,
  return_url: 'https://example.com/return',
  cancel_url: 'https://example.com/cancel',
};

describe('a restart', () => {
  test('keeps sessions, contracts, clocks, settings, keys, revocations and idempotency', async () => {
    const first = await start();
    const till = tillOf(first, first.default);
    const other = await first.merchant({ legal_name: 'Second LLC' });
    const { reference } = await till.active();
    await till.arrange(reference, 'fail', 'fail');
    await till.advance({ until: `${reference}#1=delinquent` });
    await till.ask('PATCH', '/_sim/settings', { grace_days: 3, dba: null });
    const issued = await till.ask('POST', '/_sim/keys', { name: 'till', scopes: ['checkout:read'] });
    const revoked = await till.ask('POST', '/_sim/keys', { name: 'old' });
    await first.inject({ method: 'DELETE', url: `/_sim/keys/${revoked.id}`, headers: first.default.headers });
    const headers = { ...first.default.headers, 'idempotency-key': 'once' };
    const create = {
      method: 'POST',
      url: '/v1/sessions',
      headers,
      payload: { ...ORDER, order_reference: 'K' },
    } as const;
    const opened = (await first.inject(create)).json<{ data: { id: string } }>().data;
    const seen = async () => ({
      contract: await till.ask('GET', `/v1/contracts/${reference}`),
      session: (await till.ask('GET', `/v1/checkout-sessions/${opened.id}`)).status,
      attempts: await till.ask('GET', `/_sim/contracts/${reference}/attempts`),
      events: await till.events(),
      emails: await till.emails(),
      settings: await till.ask('GET', '/_sim/settings'),
      keys: await till.ask('GET', '/_sim/keys'),
      clock: await till.ask('GET', '/_sim/clock'),
      forecast: await till.ask('GET', '/_sim/forecast'),
    });
    const before = await seen();
    await first.close();

    const second = await start({ clock: { frozenAt: '2030-01-01T00:00:00Z' }, seed: 99 });
    expect(second.notes.join()).toMatch(/keeps its own clocks and seed/);
    Object.assign(till, tillOf(second, second.default));
    expect(await seen()).toEqual(before);
    const replay = await second.inject(create);
    expect([replay.statusCode, replay.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(replay.json<{ data: { id: string } }>().data.id).toBe(opened.id);
    const ping = async (apiKey: string, clientId = second.default.clientId) =>
      (
        await second.inject({
          method: 'GET',
          url: '/v1/ping',
          headers: { 'x-client-id': clientId, 'x-api-key': apiKey },
        })
      ).statusCode;
    expect(await ping(issued.key)).toBe(200);
    expect(await ping(revoked.key)).toBe(401);
    expect(await ping(other.apiKey, other.clientId)).toBe(200);
  });

  test('decisions §1: ids go on where the seed left them', async () => {
    const ids = async (restart: boolean) => {
      rmSync(data, { recursive: true, force: true });
      let sim = await start({ seed: 7 });
      const drawn = [await tillOf(sim, sim.default).open()];
      if (restart) {
        await sim.close();
        sim = await start();
      }
      drawn.push(await tillOf(sim, sim.default).open(), (await tillOf(sim, sim.default).accepted()).reference);
      drawn.push((await sim.merchant()).clientId);
      await sim.close();
      return drawn;
    };
    expect(await ids(true)).toEqual(await ids(false));
  });

  test('decisions §1: time passes while the server is down, and what fell due is done, in order, at the start', async () => {
    let now = Date.parse(START);
    const time = { now: () => now, after: () => () => undefined };
    const running = { clock: { runningFrom: START }, time } as const;
    const first = await start(running);
    const till = tillOf(first, first.default);
    const lapsing = await till.open();
    const { reference } = await till.active();
    await first.close();
    now += 30 * 86_400_000;
    const second = await start(running);
    Object.assign(till, tillOf(second, second.default));
    expect((await till.events()).slice(3)).toEqual([
      ['session.expired', lapsing],
      ['installment.paid', reference],
      ['installment.paid', reference],
    ]);
    const events = await till.ask('GET', '/_sim/events?limit=3');
    expect(events.map(({ created_at }: { created_at: string }) => created_at).reverse()).toEqual([
      '2026-01-01T01:00:00.000000Z',
      '2026-01-15T00:00:00.000000Z',
      '2026-01-29T00:00:00.000000Z',
    ]);
    expect((await till.ask('GET', '/_sim/clock')).now).toBe('2026-01-31T00:00:00.000000Z');
  });
});

describe('decisions §1: when the clock of the machine is set back, no running clock goes back', () => {
  const HOUR = 3_600_000;

  test('while the server runs', async () => {
    const time = manualTime();
    const { default: shop } = await keep(createSimulator({ time }));
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    time.sleep(-HOUR);
    expect((await shop.clock.show()).now).toBe('2026-01-01T00:00:00.000000Z');
    time.pass(1000);
    await shop.sessions.complete(id);
    const instants = (await shop.events.list()).map(({ created_at }) => created_at);
    expect(new Set(instants)).toEqual(new Set(['2026-01-01T00:00:01.000000Z']));
  });

  test('in the middle of an advance', async () => {
    const time = manualTime();
    const { default: shop } = await keep(createSimulator({ time }));
    await using receiver = await openReceiver([
      (response) => {
        time.sleep(-HOUR);
        response.end();
      },
    ]);
    await shop.contracts.create();
    await shop.webhooks.add(receiver.url);
    const { now } = await shop.clock.advance('15d');
    expect(receiver.types()).toContain('installment.paid');
    expect((await shop.clock.show()).now).toBe(now);
  });

  test('while no server runs', async () => {
    const time = manualTime();
    const first = await keep(createSimulator({ time, data }));
    time.pass(1000);
    await first.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await first.close();
    time.sleep(-HOUR);
    const second = await keep(createSimulator({ time, data }));
    expect((await second.default.clock.show()).now).toBe('2026-01-01T00:00:01.000000Z');
  });
});

describe('decisions §1: a seed', () => {
  test('gives the same ids, references and keys twice; another gives others', async () => {
    const drawn = async (seed: number) => {
      const sim = await createSimulator({ seed, clock: { frozenAt: START } });
      const till = tillOf(sim, await sim.merchant());
      const { id, reference } = await till.active();
      const attempts = await till.ask('GET', `/_sim/contracts/${reference}/attempts`);
      const events = (await till.ask('GET', '/_sim/events')).map((event: { id: string }) => event.id);
      const { clientId, apiKey } = till.shop;
      await sim.close();
      return [clientId, apiKey, id, reference, attempts[0].reference, ...events];
    };
    const [one, again, two] = [await drawn(1), await drawn(1), await drawn(2)];
    expect(one).toEqual(again);
    for (const text of two) expect(one).not.toContain(text);
  });

  test('decisions §5: the default credentials follow no seed', async () => {
    const [one, two] = [await createSimulator({ seed: 1 }), await createSimulator()];
    expect(two.default.headers).toEqual(one.default.headers);
    expect(two.default.live.headers).toEqual(one.default.live.headers);
    expect(two.controlToken).not.toBe(one.controlToken);
    await one.close();
    await two.close();
  });
});

describe('what no file holds', () => {
  test('no key, in the database or next to it; no card number in any table', async () => {
    const sim = await start();
    const till = tillOf(sim, sim.default);
    const { key } = await till.ask('POST', '/_sim/keys', { name: 'till' });
    const other = await sim.merchant();
    await sim.inject({ method: 'GET', url: '/v1/ping', headers: { ...sim.default.headers, 'x-api-key': key } });
    await sim.inject({ method: 'GET', url: '/v1/ping', headers: other.headers });
    await sim.inject({ method: 'GET', url: '/v1/ping', headers: { ...other.headers, 'x-api-key': key } });

    const card = '4242424242424242';
    const { id, reference } = await till.accepted();
    const page = await (await fetch(`${sim.url}/checkout/${id}`)).text();
    const paid = await fetch(`${sim.url}/checkout/${id}/pay`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({
        form_token: /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? '',
        card_number: card,
        card_expiry: '12/30',
        card_code: '987',
      }),
    });
    expect([paid.status, paid.headers.get('location')]).toEqual([303, 'https://example.com/return']);
    expect((await till.ask('GET', `/v1/contracts/${reference}`)).status).toBe('active');

    const secrets = [key, other.apiKey, other.live.apiKey, sim.default.apiKey, sim.default.live.apiKey, card];
    const held = () =>
      readdirSync(data, { recursive: true, encoding: 'utf8' })
        .filter((name) => name !== 'server.json' && statSync(join(data, name)).isFile())
        .flatMap((name) => {
          const bytes = readFileSync(join(data, name));
          return secrets.filter((secret) => bytes.includes(secret)).map((secret) => `${name}: ${secret.slice(0, 8)}…`);
        });
    // The write-ahead log while it runs, the database itself when it is closed.
    expect(readdirSync(data).some((name) => name.endsWith('-wal'))).toBe(true);
    expect(held()).toEqual([]);
    await sim.close();
    expect(held()).toEqual([]);
    const bytes = readFileSync(join(data, 'layaway.db'));
    expect(bytes.includes(reference) && bytes.includes(sim.default.clientId)).toBe(true);
  });
});

describe('interface §1: server.json', () => {
  const file = () => join(data, 'server.json');

  test('names the server for the commands, for this user alone, until it is closed', async () => {
    const sim = await start();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({
      pid: process.pid,
      base_url: sim.url,
      control_token: sim.controlToken,
      sandbox: { client_id: sim.default.clientId, api_key: sim.default.apiKey },
      live: { client_id: sim.default.live.clientId, api_key: sim.default.live.apiKey },
    });
    await sim.close();
    expect(existsSync(file())).toBe(false);
    await sim.close();
  });

  test('one that somebody could read is closed to them', async () => {
    mkdirSync(data);
    writeFileSync(file(), '{}', { mode: 0o644 });
    await start();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('a simulator in memory writes none, nor anything else', async () => {
    const sim = await createSimulator({ seed: 1 });
    await tillOf(sim, sim.default).open();
    expect(readdirSync(folder)).toEqual([]);
    await sim.close();
  });

  test('git ignores a directory of ours; one that was there before keeps its own .gitignore', async () => {
    await (await start()).close();
    expect(readFileSync(join(data, '.gitignore'), 'utf8')).toBe('*\n');
    data = join(folder, 'project');
    mkdirSync(data);
    writeFileSync(join(data, '.gitignore'), 'node_modules\n');
    await (await start()).close();
    expect(readFileSync(join(data, '.gitignore'), 'utf8')).toBe('node_modules\n');
  });
});

describe('a start that fails says in one sentence what to do', () => {
  test('a directory in use, from the same process: its pid and URL', async () => {
    const sim = await start();
    expect(await refusal()).toBe(
      `${data} is in use by the server with pid ${process.pid} at ${sim.url}. Stop it, or choose another directory.`,
    );
    expect(existsSync(join(data, 'server.json'))).toBe(true);
    await sim.close();
    await start();
  });

  test('wrong options leave the directory free', async () => {
    await expect(createSimulator({ data, chaos: { seed: 1, percent: 500 } })).rejects.toThrow(
      '500 is not a percentage',
    );
    await start();
  });

  test('a directory in use, from two processes: its pid and URL, exit code 1', async () => {
    const first = await serve(data);
    const { pid, base_url } = first.ready;
    expect(pid).toBe(first.pid);
    const sentence = `${data} is in use by the server with pid ${pid} at ${base_url}.`;
    expect(await refusal()).toContain(sentence);
    const second = await ended(data);
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toContain(sentence);
    expect((await fetch(`${base_url}/_sim/health`)).status).toBe(200);
    expect((await first.stop()).exitCode).toBe(0);
    expect(existsSync(join(data, 'server.json'))).toBe(false);
    await start();
  });

  test('a file where the directory should be', async () => {
    writeFileSync(data, 'I am a file');
    expect(await refusal()).toMatch(
      /^The directory .+ cannot be written \(a file of that name exists\)\. Choose another, or leave out the option data to keep the state in memory\.$/,
    );
    data = join(data, 'below');
    expect(await refusal()).toMatch(/^The directory .+ cannot be written \(a part of its path is not a directory\)\./);
  });

  test('a directory that may only be read', async () => {
    mkdirSync(data);
    chmodSync(data, 0o555);
    if (process.getuid?.() !== 0) {
      expect(await refusal()).toMatch(/cannot be opened for writing/);
      return;
    }
    // Root may write everywhere, so somebody else tries it.
    chmodSync(folder, 0o755);
    const { exitCode, stderr } = await ended(data, { uid: 65_534 });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/cannot be (opened for writing|written)/)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    chmodSync(data, 0o755);
    chownSync(data, 65_534, 65_534);
    await serve(data, { uid: 65_534 });
  });

  test('a directory that only another user may enter, such as one that sudo made', async () => {
    const sentence = /^The directory .+ cannot be written \(permission denied\)\. Choose another/;
    mkdirSync(data, { mode: 0o700 });
    if (process.getuid?.() !== 0) {
      chmodSync(data, 0);
      expect(await refusal()).toMatch(sentence);
      chmodSync(data, 0o700);
      return;
    }
    chmodSync(folder, 0o755);
    const { exitCode, stderr } = await ended(data, { uid: 65_534 });
    expect([exitCode, stderr.trim()]).toEqual([1, expect.stringMatching(sentence)]);
  });

  test('a database of a newer version, a damaged one, one of somebody else', async () => {
    await (await start()).close();
    const file = join(data, 'layaway.db');
    const db = new Database(file);
    db.pragma('user_version = 99');
    db.close();
    expect(await refusal()).toMatch(/was written by a newer layaway \(schema 99.+Update layaway/);
    writeFileSync(file, 'no database at all, but long enough to be read as one '.repeat(100));
    expect(await refusal()).toMatch(/is damaged or is not a layaway database\. Move it away/);
    rmSync(file);
    await start();
  });

  test('a database that is damaged in the middle, as after a failure of the disk', async () => {
    await (await start()).close();
    const file = join(data, 'layaway.db');
    const whole = readFileSync(file);
    const faults: unknown[] = [];
    for (const table of ['workspace', 'accounts', 'merchants', 'coverage']) {
      writeFileSync(file, whole);
      damaging(file, table)();
      expect(await refusal({ onFault: (error) => faults.push(error) })).toBe(
        'layaway.db in the state directory is damaged. Move it away, or choose another directory.',
      );
    }
    // What was planned before the start failed would find a closed database.
    await new Promise((resolve) => setImmediate(resolve));
    expect(faults).toEqual([]);
    writeFileSync(file, whole);
    await start();
  });

  test('a busy port, and the directory is free again', async () => {
    const busy = createServer();
    const port = await new Promise<number>((resolve) => {
      busy.listen(0, '127.0.0.1', () => resolve((busy.address() as { port: number }).port));
    });
    expect(await refusal({ port })).toBe(
      `Port ${port} on 127.0.0.1 is in use by another program. Stop that program, or choose another port; 0 picks a free one.`,
    );
    expect(existsSync(join(data, 'server.json'))).toBe(false);
    await start();
    busy.close();
  });

  test('an invalid instant, and the directory is free again', async () => {
    expect(await refusal({ clock: { frozenAt: '2026-02-30T00:00:00Z' } })).toBe(
      '2026-02-30T00:00:00Z is not an ISO 8601 instant from 1970 to 9979, such as 2026-01-31T09:00:00Z.',
    );
    await start();
  });
});

/** Starts a program that imports the built library from `process.env.LAYAWAY`, in the shell given by `within`. */
async function startUser(
  program: string,
  env: Readonly<Record<string, string>> = {},
  within: readonly string[] = [],
): Promise<Started> {
  const library = pathToFileURL(join(inject('layaway'), 'dist/index.js')).href;
  const [file = '', ...args] = [...within, process.execPath, '--input-type=module', '-e', program];
  const child = await startUntilReady(file, args, {
    env: { PATH: process.env.PATH, LAYAWAY: library, ...env },
  });
  servers.push(child);
  return child;
}

test('a start without a file handle left says so', async () => {
  const program = `
    const { openSync } = await import('node:fs');
    const { createSimulator } = await import(process.env.LAYAWAY);
    // It loads what a start needs.
    await (await createSimulator()).close();
    try {
      for (;;) openSync('/dev/null');
    } catch {}
    await createSimulator().catch(({ name, message }) => console.log(name, message));
  `;
  const child = await startUser(program, {}, ['sh', '-c', 'ulimit -n 200; exec "$@"', 'sh']);
  expect(child.ready).toBe(
    'CannotStart The server cannot listen: too many files are open. Close some, or raise the limit with ulimit -n.',
  );
});

test('a wait ends when the simulator is closed, although nothing else keeps the process alive', async () => {
  const program = `
    const { createSimulator } = await import(process.env.LAYAWAY);
    const sim = await createSimulator();
    const { emails } = sim.default;
    const waited = emails.wait({ to: 'ada@example.com' }).catch(({ message }) => console.log(message));
    await emails.list();
    await sim.close();
    await waited;
  `;
  const child = await startUser(program);
  expect(child.ready).toBe('The simulator is closed.');
  expect((await child.ended).exitCode).toBe(0);
});

test('the snapshots of a state in memory are removed, although the program ends without closing it', async () => {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const program = `
    const { createSimulator } = await import(process.env.LAYAWAY);
    const [closed, open] = [await createSimulator(), await createSimulator()];
    for (const sim of [closed, open]) await sim.snapshots.save('one');
    await closed.close();
    console.log((await import('node:fs')).readdirSync(process.env.TMPDIR).length);
    process.exit();
  `;
  const child = await startUser(program, { TMPDIR: temporary });
  expect(child.ready).toBe('1');
  expect((await child.ended).exitCode).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a lost response is recognized where the global Error is not that of Node, as in Jest', async () => {
  const program = `
    globalThis.Error = new Proxy(class extends Error {}, { apply: (Other, _, given) => new Other(...given) });
    const { runScenario } = await import(process.env.LAYAWAY);
    const { status } = await runScenario({
      name: 'a response is lost',
      steps: [
        { fault: { kind: 'lost_answer' } },
        { request: { method: 'GET', path: '/v1/ping' }, expect: { answer: 'lost' } },
      ],
    });
    console.log(status);
  `;
  const child = await startUser(program);
  expect(child.ready).toBe('passed');
});

test('a simulator runs where timers were faked before it was loaded, as in a setup file of Vitest', async () => {
  const child = await startUser(`
    for (const name of ['setTimeout', 'setInterval', 'setImmediate']) globalThis[name] = () => 1;
    Date.now = () => 0;
    Object.defineProperty(globalThis, 'performance', { value: { now: () => 0 } });
    const { createSimulator } = await import(process.env.LAYAWAY);
    const sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    await sim.default.contracts.create();
    const { now } = await sim.default.clock.advance('1d');
    const late = await sim.default.emails.wait({ to: 'nobody@example.com', timeoutMs: 50 }).catch(({ message }) => message);
    await sim.close();
    console.log(now, late.slice(0, late.indexOf('.', 40)));
  `);
  expect(child.ready).toBe('2026-01-02T00:00:00.000000Z No email to nobody@example.com within 50 ms');
});

test('a simulator answers where the global Promise is not that of async functions, as with zone.js', async () => {
  const child = await startUser(`
    const { prototype } = Promise;
    globalThis.Promise = class OtherPromise extends Promise {};
    for (const name of ['then', 'catch', 'finally']) Object.defineProperty(Promise.prototype, name, { value: prototype[name] });
    const { createSimulator } = await import(process.env.LAYAWAY);
    const told = [];
    const sim = await createSimulator({
      clock: { frozenAt: '2026-01-01T00:00:00Z' },
      onRequest: async () => {
        throw new Error('from the callback');
      },
      onFault: ({ message }) => void told.push(message),
    });
    const { now } = await sim.default.clock.advance('1d');
    const { status } = await sim.default.contracts.create({}, { wait: true });
    await sim.default.v1.ping();
    await sim.close();
    console.log(now, status, told.length, ...new Set(told));
  `);
  expect(child.ready).toBe('2026-01-02T00:00:00.000000Z active 4 from the callback');
});

/** Loads the built library as Jest does, with functions of its own for its modules, in `parsingContext` if that is set. */
const LOADING = `
    import { readFileSync } from 'node:fs';
    import { createRequire } from 'node:module';
    import { dirname, join } from 'node:path';
    import { fileURLToPath } from 'node:url';
    import { compileFunction, createContext, runInContext } from 'node:vm';

    const require = createRequire(process.env.LAYAWAY);
    const modules = new Map();
    let parsingContext;
    function load(file) {
      if (modules.has(file)) return modules.get(file).exports;
      const module = { exports: {} };
      modules.set(file, module);
      const inner = (id) => (id.startsWith('.') ? load(join(dirname(file), id)) : require(id));
      compileFunction(readFileSync(file, 'utf8'), ['module', 'exports', 'require', '__filename', '__dirname'], {
        parsingContext,
      })(module, module.exports, inner, file, dirname(file));
      return module.exports;
    }
    const loadLibrary = () => load(fileURLToPath(new URL('index.cjs', process.env.LAYAWAY)));
`;

test('a simulator runs in a context of its own, whose timers are faked and which lacks some, as in Jest with jsdom', async () => {
  await using receiver = await openReceiver();
  const child = await startUser(`${LOADING}
    const never = () => 1;
    const timers = { setTimeout: never, setInterval: never, queueMicrotask: never };
    const ofTest = { console, performance, Buffer, URL, URLSearchParams, AbortController, AbortSignal };
    parsingContext = createContext({ ...ofTest, ...timers, process: Object.create(process, { nextTick: { value: never } }) });
    runInContext('Date.now = () => 0;', parsingContext);

    const { createSimulator, verifyWebhook } = loadLibrary();
    const sim = await createSimulator();
    const { secret } = await sim.default.webhooks.add('${receiver.url}');
    await sim.default.contracts.create();
    await sim.default.clock.advance('0s');
    const late = await sim.default.emails.wait({ to: 'nobody@example.com', timeoutMs: 50 }).catch(({ message }) => message);
    const [{ attempts }] = await sim.default.webhooks.deliveries();
    await sim.close();
    let refused;
    try {
      verifyWebhook(Buffer.from('{}'), attempts[0].request_headers, secret);
    } catch (error) {
      refused = error.reason;
    }
    console.log(attempts[0].status_code, refused, late.slice(0, late.indexOf('.', 40)));
  `);
  expect(child.ready).toBe('200 wrong_signature No email to nobody@example.com within 50 ms');
});

test('a simulator refuses as before once its modules are loaded again, as after jest.resetModules()', async () => {
  const child = await startUser(`${LOADING}
    const { createSimulator } = loadLibrary();
    const sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    modules.clear();
    const statusOf = (call) => call.then(() => 'none', ({ status }) => status);
    const { clock, contracts, explain } = sim.default;
    const { reference } = await contracts.create();
    console.log(
      await statusOf(clock.advance('soon')),
      await statusOf(clock.advance({ until: 'LAY-0000000000=completed' })),
      await statusOf(contracts.settle(reference)),
      await statusOf(explain('req_1')),
      await statusOf(sim.snapshots.restore('none')),
      await statusOf(sim.merchant({ grace_days: -1 })),
    );
    await sim.close();
  `);
  expect(child.ready).toBe('422 422 422 404 404 422');
});

test('a test that replaces functions of Node, as MSW does, does not change the simulator in its process', async () => {
  await using receiver = await openReceiver();
  const child = await startUser(`
    import crypto from 'node:crypto';
    import http from 'node:http';
    const { createSimulator } = await import(process.env.LAYAWAY);
    http.request = () => {
      throw new Error('intercepted');
    };
    crypto.randomBytes = (size) => Buffer.alloc(size);
    const sim = await createSimulator();
    await sim.default.webhooks.add('${receiver.url}');
    const sessions = [];
    for (const order_reference of ['A-1', 'A-2']) {
      sessions.push(await sim.default.sessions.create({ order_reference, total_amount: 20_000 }));
    }
    await sim.default.sessions.complete(sessions[0].id, { wait: true });
    const [delivery] = await sim.default.webhooks.deliveries();
    await sim.close();
    console.log(delivery.status, sessions[0].id !== sessions[1].id);
  `);
  expect(child.ready).toBe('delivered true');
});

test('a start and a first request that a busy machine holds up for long come to their end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  /** Between any two steps of the work, ten minutes pass. */
  async function slowly<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    while (!isOver) {
      vi.advanceTimersByTime(600_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return work;
  }
  try {
    const sim = await slowly(start());
    const { url, default: shop } = sim;
    for (const path of ['/v1/ping', '/_sim/clock']) {
      expect((await slowly(sim.inject({ method: 'GET', url: url + path, headers: shop.headers }))).statusCode).toBe(
        200,
      );
    }
  } finally {
    vi.useRealTimers();
  }
});

test('a test that fakes the timers of its process does not stop the simulator in it', async () => {
  const built = (await import(`${inject('layaway')}/dist/index.js`)) as typeof library;
  await using receiver = await openReceiver([500]);
  vi.useFakeTimers({ now: new Date('2031-05-05') });
  try {
    await using sim = await built.createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const shop = await sim.merchant();
    await shop.webhooks.add(receiver.url);
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await shop.sessions.complete(id, { customer_email: 'ada@example.com', wait: true });
    await shop.clock.advance('1d');
    expect((await shop.emails.wait({ to: 'ada@example.com' })).subject).toMatch(/layaway/i);
    const [delivery] = await shop.webhooks.deliveries();
    expect(delivery).toMatchObject({ status: 'delivered' });
    expect(receiver.received.length).toBeGreaterThan(1);
    expect((await fetch(`${sim.url}/v1/ping`, { headers: shop.headers })).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

test('damage that is met while the server runs is told in words, once, and the rest goes on', async () => {
  const sim = await start();
  await sim.default.contracts.create();
  await sim.close();
  const damage = damaging(join(data, 'layaway.db'), 'emails');
  const { ready, stop } = await serve(data);
  damage();
  const get = (path: string) => fetch(ready.base_url + path, { headers: headersOf(ready) });
  for (let times = 1; times <= 2; times += 1) {
    const answer = await get('/_sim/emails');
    expect([answer.status, await answer.text()]).toEqual([500, '{"message":"Server Error"}']);
  }
  expect((await get('/_sim/events')).status).toBe(200);
  expect(await stop()).toMatchObject({
    exitCode: 0,
    stderr:
      'layaway.db in the state directory is damaged, so some requests fail. Stop the server, move layaway.db away and start it again. Then you can restore a snapshot.',
  });
});

test('what a prepared state directory holds steers no terminal when it cannot be read', async () => {
  const sim = await start();
  await sim.default.contracts.create();
  await sim.close();
  const db = new Database(join(data, 'layaway.db'));
  db.prepare('UPDATE events SET body = ?').run('\u001b]0;PWN\u0007\u202e');
  db.close();
  const { ready, stop } = await serve(data);
  expect((await fetch(`${ready.base_url}/_sim/events`, { headers: headersOf(ready) })).status).toBe(500);
  const { stderr } = await stop();
  expect(stderr).toContain('PWN');
  expect(stderr).toMatch(/\n {4}at /);
  expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
});

describe('kill -9', () => {
  test('leaves a usable directory, and no acknowledged session is lost', async () => {
    const { ready, ...first } = await serve(data);
    const acknowledged: string[] = [];
    let stop = false;
    const shop = async (number: number) => {
      for (let count = 0; !stop; count += 1) {
        const answer = await fetch(`${ready.base_url}/v1/sessions`, {
          method: 'POST',
          headers: { ...headersOf(ready), 'idempotency-key': `${number}-${count}` },
          body: JSON.stringify({ ...ORDER, order_reference: `${number}-${count}` }),
        }).catch(() => null);
        if (answer?.status !== 201) return;
        const body = (await answer.json().catch(() => null)) as { data: { id: string } } | null;
        if (body) acknowledged.push(body.data.id);
        if (acknowledged.length === 150) first.signal('SIGKILL');
      }
    };
    await Promise.all([1, 2, 3, 4].map(shop));
    stop = true;
    await first.ended;
    expect(acknowledged.length).toBeGreaterThanOrEqual(150);
    expect(existsSync(join(data, 'server.json'))).toBe(true);

    const second = await start();
    const lost: string[] = [];
    for (const id of acknowledged) {
      const { statusCode } = await second.inject({
        method: 'GET',
        url: `/v1/checkout-sessions/${id}`,
        headers: second.default.headers,
      });
      if (statusCode !== 200) lost.push(id);
    }
    expect(lost).toEqual([]);
    expect(JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')).base_url).toBe(second.url);
  });
});
