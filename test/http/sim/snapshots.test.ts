import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSimulator, type SimulatorOptions } from '../../../src/index.ts';
import { MIGRATIONS } from '../../../src/store/migrations/index.ts';
import { dump } from '../../support/dump.ts';
import { caller, expectData, manualTime, order } from '../../support/shop.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'layaway-test-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const frozen = { seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } };

async function serve(options: SimulatorOptions = frozen) {
  const faults: unknown[] = [];
  const sim = await createSimulator({ rateLimit: 'off', onFault: (fault) => faults.push(fault), ...options });
  const call = caller(sim, { ...sim.default.headers });
  const workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
  return {
    sim,
    faults,
    call,
    workspace,
    save: (name: unknown, more: object = {}) => workspace('POST', '/_sim/snapshots', { name, ...more }),
    restore: (name: string) => workspace('POST', `/_sim/snapshots/${name}/restore`),
    list: async () => expectData(await workspace('GET', '/_sim/snapshots')) as { name: string; bytes: number }[],
    open: async () => expectData(await call('POST', '/v1/sessions', order()), 201).id as string,
    plan: async () => {
      const { id } = expectData(await call('POST', '/v1/sessions', order()), 201);
      return expectData(await call('POST', `/_sim/sessions/${id}/complete`, {})).reference as string;
    },
    advance: async (body: object) => expectData(await call('POST', '/_sim/clock/advance', body)),
    clock: async () => expectData(await call('GET', '/_sim/clock')),
    events: async () => expectData(await call('GET', '/_sim/events?limit=1000')) as { id: string; type: string }[],
    [Symbol.asyncDispose]: () => sim.close(),
  };
}

const openPlain = (file: string) => new Database(file, { timeout: 0 });

/** Writes a snapshot as an older version of layaway would have, with the rows that it had tables and columns for. */
function makeOlder(file: string, version: number) {
  const source = `${file}.source`;
  renameSync(file, source);
  const empty = new Database(':memory:').unsafeMode();
  for (const step of MIGRATIONS.slice(0, version)) empty.exec(step);
  writeFileSync(file, empty.serialize());
  empty.close();
  const older = openPlain(file).unsafeMode();
  older.pragma(`user_version = ${version}`);
  older.pragma('foreign_keys = OFF');
  older.pragma('synchronous = OFF');
  older.exec(`ATTACH '${source}' AS source;
    CREATE TABLE snapshot (created_at INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE triggers AS SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'`);
  const names = (sql: string) => older.prepare<[], string>(sql).pluck().all();
  const triggers = older.prepare<[], { name: string; sql: string }>('SELECT * FROM triggers').all();
  for (const { name } of triggers) older.exec(`DROP TRIGGER ${name}`);
  for (const table of names("SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")) {
    const known = names(`SELECT name FROM pragma_table_info('${table}', 'source')`);
    const columns = names(`SELECT name FROM pragma_table_info('${table}', 'main')`).filter((name) =>
      known.includes(name),
    );
    if (columns.length === 0) continue;
    older.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM source.${table}`);
  }
  for (const { sql } of triggers) older.exec(sql);
  older.close();
  rmSync(source);
}

describe.each(['file', 'memory'])('snapshots of a workspace in %s', (where) => {
  const options = () => (where === 'file' ? { ...frozen, data } : frozen);

  test('a restore brings back state, clocks, keys, settings and platform; requests work on', async () => {
    await using server = await serve(options());
    const { call, workspace } = server;
    const plan = await server.plan();
    const pending = await server.open();
    expectData(await call('PUT', `/_sim/contracts/${plan}/outcomes`, { outcomes: ['fail', 'fail'] }));
    expectData(await call('PATCH', '/_sim/settings', { grace_days: 3, legal_name: 'Saved LLC' }));
    expectData(await workspace('PATCH', '/_sim/platform', { unavailable_states: ['NV'] }));
    const { key, id: keyId } = expectData(await call('POST', '/_sim/keys', { name: 'kept' }), 201);
    const pairOf = { 'x-api-key': key as string };
    await server.advance({ by: '20m' });
    const events = await server.events();
    const before = {
      plan: expectData(await call('GET', `/v1/contracts/${plan}`)),
      clock: await server.clock(),
      settings: expectData(await call('GET', '/_sim/settings')),
      forecast: expectData(await call('GET', '/_sim/forecast')),
      keys: expectData(await call('GET', '/_sim/keys')),
    };

    const saved = await server.save('before');
    expect(saved.status).toBe(201);
    expect(saved.body.data).toEqual({ name: 'before', created_at: expect.any(String), bytes: expect.any(Number) });
    expect(await server.list()).toEqual([saved.body.data]);

    await server.advance({ by: '90d' });
    expectData(await call('PATCH', '/_sim/settings', { grace_days: 9, legal_name: 'Other LLC' }));
    expectData(await workspace('PATCH', '/_sim/platform', { unavailable_states: [], disabled: true }));
    await call('DELETE', `/_sim/keys/${keyId}`);
    const later = await server.sim.merchant();
    expect((await call('GET', '/v1/ping', undefined, pairOf)).status).toBe(401);

    const restored = await server.restore('before');
    expect([restored.status, restored.body.data]).toEqual([200, saved.body.data]);
    expect({
      plan: expectData(await call('GET', `/v1/contracts/${plan}`)),
      clock: await server.clock(),
      settings: expectData(await call('GET', '/_sim/settings')),
      forecast: expectData(await call('GET', '/_sim/forecast')),
      keys: expectData(await call('GET', '/_sim/keys')),
    }).toEqual(before);
    expect(await server.events()).toEqual(events);
    expect(expectData(await workspace('GET', '/_sim/platform'))).toEqual({
      disabled: false,
      unavailable_states: ['NV'],
    });
    expect((await call('GET', '/v1/ping', undefined, pairOf)).status).toBe(200);
    expect((await caller(server.sim, { ...later.headers })('GET', '/v1/ping')).status).toBe(401);

    await server.advance({ by: '40m' });
    expect(expectData(await call('GET', `/v1/checkout-sessions/${pending}`)).status).toBe('expired');
    await server.plan();
    const { happened } = await server.advance({ until: `${plan}=defaulted` });
    expect(happened.map(({ type }: { type: string }) => type)).toContain('installment.delinquent');
    expect((await call('GET', '/v1/contracts')).body.meta.total).toBe(2);
    expect(server.faults).toEqual([]);
  });

  test('restored again and again, the same script has the same answers to the byte', async () => {
    await using server = await serve(options());
    const plan = await server.plan();
    expectData(await server.save('start'), 201);
    const runs = [];
    for (let run = 0; run < 3; run += 1) {
      expectData(await server.restore('start'));
      const opened = await server.call('POST', '/v1/sessions', order());
      const done = await server.call('POST', '/_sim/clock/advance', { by: '60d' });
      const read = await server.call('GET', `/v1/contracts/${plan}`);
      runs.push([opened.text, done.text, read.text]);
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });

  test('an existing name is a conflict unless overwrite is sent', async () => {
    await using server = await serve(options());
    expectData(await server.save('a'), 201);
    await server.plan();
    const again = await server.save('a');
    expect([again.status, again.body.message]).toEqual([
      409,
      'There is already a snapshot named a. To replace it, send "overwrite": true (--overwrite on the command line).',
    ]);
    expectData(await server.restore('a'));
    expect(await server.events()).toEqual([]);
    await server.plan();
    expectData(await server.save('a', { overwrite: true }), 201);
    await server.sim.merchant();
    expectData(await server.restore('a'));
    expect(await server.events()).toHaveLength(3);
    expect(await server.list()).toHaveLength(1);
  });

  test('two saves of one name at once: one is made, the other is a conflict', async () => {
    await using server = await serve(options());
    const answers = await Promise.all([server.save('a'), server.save('a')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test('delete and reset', async () => {
    await using server = await serve(options());
    expectData(await server.save('a'), 201);
    expectData(await server.save('b'), 201);
    expect((await server.workspace('DELETE', '/_sim/snapshots/a')).status).toBe(204);
    expect((await server.list()).map(({ name }) => name)).toEqual(['b']);
    expectData(await server.workspace('POST', '/_sim/reset'));
    expect((await server.list()).map(({ name }) => name)).toEqual(['b']);
    for (const answer of [
      await server.workspace('DELETE', '/_sim/snapshots/a'),
      await server.restore('a'),
      await server.restore('never-was'),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { message: 'Snapshot not found.' }]);
    }
  });
});

describe('automatic snapshots', () => {
  const automatic = async (server: Awaited<ReturnType<typeof serve>>) =>
    expectData(await server.workspace('GET', '/_sim/snapshots?automatic=true')) as { name: string }[];
  const keep = (server: Awaited<ReturnType<typeof serve>>, before: string) =>
    server.workspace('POST', '/_sim/snapshots/automatic', { before });

  test('undo a travel: everything is as it was, to the byte, and the list of one’s own snapshots stays as it is', async () => {
    await using server = await serve({ ...frozen, data });
    const plan = await server.plan();
    await server.open();
    expectData(await server.call('PUT', `/_sim/contracts/${plan}/outcomes`, { outcomes: ['fail', 'fail'] }));
    expectData(await server.save('mine'), 201);
    const before = await dump(server.sim, data);
    const { name } = expectData(await keep(server, 'travel'));
    expect(name).toMatch(/^auto\.\d{8}t\d{6}\.\d{3}z\.before-travel$/);
    await server.advance({ until: `${plan}#1=delinquent` });
    expect(await dump(server.sim, data)).not.toEqual(before);
    expectData(await server.restore(name));
    expect(await dump(server.sim, data)).toEqual(before);
    expect((await server.list()).map((each) => each.name)).toEqual(['mine']);
    expect((await automatic(server)).map((each) => each.name)).toEqual([name]);
    expect(server.faults).toEqual([]);
  });

  test('undo a reset, and undo that', async () => {
    await using server = await serve({ ...frozen, data });
    const plan = await server.plan();
    const { name } = expectData(await keep(server, 'reset'));
    expectData(await server.workspace('POST', '/_sim/reset'));
    const { name: undone } = expectData(await keep(server, 'undo'));
    expectData(await server.restore(name));
    expect((await server.call('GET', `/v1/contracts/${plan}`)).status).toBe(200);
    expectData(await server.restore(undone));
    expect((await server.call('GET', `/v1/contracts/${plan}`)).status).toBe(404);
  });

  test('the latest five are kept, in addition to every one that people saved', async () => {
    await using server = await serve({ ...frozen, data });
    for (const name of ['a', 'b']) expectData(await server.save(name), 201);
    const names: string[] = [];
    for (let n = 0; n < 7; n += 1) names.push(expectData(await keep(server, 'travel')).name);
    expect((await automatic(server)).map(({ name }) => name).sort()).toEqual(names.slice(-5).sort());
    expect((await server.list()).map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  test.each(['restore', 'undo'])(
    'the oldest of five is still there for the restore that the one before a(n) %s is for',
    async (before) => {
      await using server = await serve({ ...frozen, data });
      const plan = await server.plan();
      const { name: oldest } = expectData(await keep(server, 'reset'));
      expectData(await server.workspace('POST', '/_sim/reset'));
      for (let n = 0; n < 4; n += 1) expectData(await keep(server, 'travel'));
      const { name: latest } = expectData(await keep(server, before));
      expectData(await server.restore(oldest));
      expect((await server.call('GET', `/v1/contracts/${plan}`)).status).toBe(200);
      const left = (await automatic(server)).map(({ name }) => name);
      expect(left).toHaveLength(5);
      expect(left).toContain(latest);
      expect(left).not.toContain(oldest);
    },
  );

  test('a large state is not saved before a travel, which would take long, but before a reset', async () => {
    {
      await using server = await serve({ ...frozen, data });
      await server.plan();
    }
    const file = openPlain(join(data, 'layaway.db'));
    // Free pages count as well: a file does not shrink when its rows go.
    file.exec(
      'CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (zeroblob(65 * 1024 * 1024)); DROP TABLE large',
    );
    file.close();
    await using server = await serve({ ...frozen, data });
    expect((await keep(server, 'travel')).body).toEqual({ data: null });
    expect(await automatic(server)).toEqual([]);
    expectData(await keep(server, 'reset'));
    expect(await automatic(server)).toHaveLength(1);
  });

  test('what it is for must be one of the known reasons', async () => {
    await using server = await serve({ ...frozen, data });
    expect((await keep(server, 'lunch')).body.errors).toHaveProperty('before');
    expect(await automatic(server)).toEqual([]);
  });
});

test.each(['', '.', '..', 'A', 'a b', 'a/b', '../a', '..%2fa', 'ä', 'x'.repeat(65), 7, null, undefined])(
  'interface §3: the name %j is refused',
  async (name) => {
    await using server = await serve({ ...frozen, data });
    const saved = await server.save(name);
    expect([saved.status, Object.keys(saved.body.errors)]).toEqual([422, ['name']]);
    if (name === 'A' || name === 'x'.repeat(65)) expect((await server.restore(name)).status).toBe(422);
    expect(existsSync(join(data, 'snapshots')) ? readdirSync(join(data, 'snapshots')) : []).toEqual([]);
  },
);

test('a name that leads out of the folder reads and removes no file there', async () => {
  await using server = await serve({ ...frozen, data });
  expectData(await server.save('a'), 201);
  const outside = join(data, 'outside.db');
  renameSync(join(data, 'snapshots', 'a.db'), outside);
  const headers = { authorization: `Bearer ${server.sim.controlToken}` };
  for (const [method, url] of [
    ['POST', '/_sim/snapshots/..%2Foutside/restore'],
    ['DELETE', '/_sim/snapshots/..%2Foutside'],
  ] as const) {
    const answer = await server.sim.inject({ method, url, headers });
    expect([answer.statusCode, Object.keys(answer.json<{ errors: object }>().errors)]).toEqual([422, ['name']]);
  }
  expect(existsSync(outside)).toBe(true);
});

test.each(['...', '.a', '-', 'a.db', 'a.draft', '0', 'x'.repeat(64)])(
  'interface §3: the name %j is a name',
  async (name) => {
    await using server = await serve({ ...frozen, data });
    expectData(await server.save(name), 201);
    expect((await server.list()).map((snapshot) => snapshot.name)).toEqual([name]);
    const file = `/_sim/snapshots/${name.replaceAll('.', '%2e')}`;
    const answers = [];
    for (const url of [`${file}/restore`, file]) {
      const method = url === file ? 'DELETE' : 'POST';
      const { statusCode } = await server.sim.inject({
        method,
        url,
        headers: { authorization: `Bearer ${server.sim.controlToken}` },
      });
      answers.push(statusCode);
    }
    expect(answers).toEqual([200, 204]);
  },
);

test('interface §3: snapshots and reset take the control token, nothing else', async () => {
  await using server = await serve();
  for (const [method, path] of [
    ['GET', '/_sim/snapshots'],
    ['POST', '/_sim/snapshots'],
    ['POST', '/_sim/snapshots/a/restore'],
    ['DELETE', '/_sim/snapshots/a'],
    ['POST', '/_sim/reset'],
  ] as const) {
    expect((await server.call(method, path)).status).toBe(401);
    expect((await caller(server.sim, { authorization: 'Bearer guess' })(method, path)).status).toBe(401);
  }
});

describe('a snapshot or a reset that cannot be done, or comes at a bad moment', () => {
  test('a snapshot of another schema version is refused with the reason, and nothing changes', async () => {
    await using server = await serve({ ...frozen, data });
    expectData(await server.save('old'), 201);
    const file = openPlain(join(data, 'snapshots', 'old.db'));
    file.pragma('user_version = 999');
    file.close();
    await server.plan();
    const before = await dump(server.sim, data);
    const answer = await server.restore('old');
    expect(answer.status).toBe(409);
    expect(answer.body.message).toMatch(/schema version 999/);
    expect(await dump(server.sim, data)).toEqual(before);
    expect(server.faults).toEqual([]);
  });

  test.each(MIGRATIONS.slice(1).map((_, index) => index + 1))(
    'a snapshot of schema version %i is brought up to date when it is restored; its file stays as it is',
    async (version) => {
      await using server = await serve({ ...frozen, data });
      const key = { 'idempotency-key': 'before' };
      const { id } = expectData(await server.call('POST', '/v1/sessions', order(), key), 201);
      const plan = await server.plan();
      const contract = async () => (await server.call('GET', `/v1/contracts/${plan}`)).text;
      const before = await contract();
      expectData(await server.save('old'), 201);
      makeOlder(join(data, 'snapshots', 'old.db'), version);
      const bytes = readFileSync(join(data, 'snapshots', 'old.db'));
      await server.advance({ by: '30d' });
      await server.open();
      expect(await contract()).not.toBe(before);
      expectData(await server.restore('old'));
      expect(await contract()).toBe(before);
      const again = await server.call('POST', '/v1/sessions', order(), key);
      expect([again.body.data.id, again.headers.get('idempotent-replayed')]).toEqual([id, 'true']);
      expectData(await server.call('GET', '/_sim/coverage'));
      expect(readFileSync(join(data, 'snapshots', 'old.db')).equals(bytes)).toBe(true);
      expect(readdirSync(join(data, 'snapshots'))).toEqual(['old.db']);
      expect(server.faults).toEqual([]);
    },
  );

  test('a snapshot of an older version that layaway did not create is refused, and nothing changes', async () => {
    await using server = await serve({ ...frozen, data });
    expectData(await server.save('old'), 201);
    for (const spoil of ['CREATE TABLE other (id)', 'PRAGMA user_version = 3']) {
      const path = join(data, 'snapshots', 'old.db');
      makeOlder(path, 9);
      const file = openPlain(path);
      file.exec(spoil);
      file.close();
      const plan = await server.plan();
      const answer = await server.restore('old');
      expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining('old is damaged')]);
      expectData(await server.call('GET', `/v1/contracts/${plan}`));
      expect(readdirSync(join(data, 'snapshots'))).toEqual(['old.db']);
    }
    expect(server.faults).toEqual([]);
  });

  test('a damaged snapshot is refused, named, and keeps nobody from the others', async () => {
    await using server = await serve({ ...frozen, data });
    expectData(await server.save('good'), 201);
    writeFileSync(join(data, 'snapshots', 'bad.db'), 'this is no database, whatever its name says'.repeat(100));
    const answer = await server.restore('bad');
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain('bad');
    expect((await server.list()).map(({ name }) => name)).toEqual(['good']);
    expectData(await server.restore('good'));
    await server.plan();
    expect((await server.workspace('DELETE', '/_sim/snapshots/bad')).status).toBe(204);
    expect(server.faults).toEqual([]);
  });

  test('a failed save leaves the previous snapshot as it was, and no rest of itself', async () => {
    await using server = await serve({ ...frozen, data });
    const plan = await server.plan();
    expectData(await server.save('a'), 201);
    const bytes = readFileSync(join(data, 'snapshots', 'a.db'));
    await server.advance({ by: '30d' });
    // The draft cannot be written where a directory stands.
    mkdirSync(join(data, 'snapshots', 'a.draft', 'x'), { recursive: true });
    const failed = await server.save('a', { overwrite: true });
    expect(failed.status).toBe(500);
    expect(server.faults).toHaveLength(1);
    expect(readFileSync(join(data, 'snapshots', 'a.db')).equals(bytes)).toBe(true);
    rmSync(join(data, 'snapshots', 'a.draft'), { recursive: true });
    expectData(await server.restore('a'));
    expect(expectData(await server.call('GET', `/v1/contracts/${plan}`)).paid_amount).toBe(5_000);
    expect(readdirSync(join(data, 'snapshots'))).toEqual(['a.db']);
  });

  test('a draft that a killed server left behind is in nobody’s way', async () => {
    await using server = await serve({ ...frozen, data });
    mkdirSync(join(data, 'snapshots'));
    writeFileSync(join(data, 'snapshots', 'a.draft'), 'half a snapshot');
    expect(await server.list()).toEqual([]);
    expectData(await server.save('a'), 201);
    expect(readdirSync(join(data, 'snapshots'))).toEqual(['a.db']);
  });

  test('a second server on the directory is refused before and after a save and a restore', async () => {
    await using server = await serve({ ...frozen, data });
    await server.plan();
    const steps = [
      async () => undefined,
      async () => expectData(await server.save('a'), 201),
      async () => expectData(await server.restore('a')),
      async () => expectData(await server.workspace('POST', '/_sim/reset')),
    ];
    for (const step of steps) {
      await step();
      await expect(createSimulator({ data })).rejects.toThrow(`pid ${process.pid}`);
      expect(opensElsewhere(join(data, 'layaway.db'))).toBe('SQLITE_BUSY');
    }
  });

  test('work goes on while a snapshot is saved, and what it holds is one moment', async () => {
    await using server = await serve({ ...frozen, data });
    for (let plan = 0; plan < 20; plan += 1) await server.plan();
    const [saved] = await Promise.all([
      server.save('a'),
      ...Array.from({ length: 20 }, () => server.open()),
      server.advance({ by: '20d' }),
    ]);
    expectData(saved, 201);
    expectData(await server.restore('a'));
    const told = (await server.events()).filter(({ type }) => type === 'installment.paid').length;
    const page = (number: number) => server.call('GET', `/v1/contracts?page=${number}`);
    const contracts = [...(await page(1)).body.data, ...(await page(2)).body.data] as { paid_amount: number }[];
    expect([0, 20]).toContain(told);
    expect(contracts.map(({ paid_amount }) => paid_amount)).toEqual(Array(20).fill(told === 0 ? 5_000 : 9_000));
    expect(server.faults).toEqual([]);
  });
});

/** What another process meets that opens `file` as a server would. */
function opensElsewhere(file: string): string {
  const script = `
    const db = new (require('better-sqlite3'))(process.argv[1], { timeout: 0 });
    try { db.pragma('locking_mode = EXCLUSIVE'); db.exec('BEGIN IMMEDIATE'); console.log('opened'); }
    catch (error) { console.log(error.code); }`;
  return spawnSync(process.execPath, ['-e', script, file], { encoding: 'utf8' }).stdout.trim();
}

describe('a trace of a large state', () => {
  test('work goes on while it is freed of secrets, and what it holds is one moment', async () => {
    const time = manualTime();
    // Each look at the clock is later than a stretch of work may take.
    let looks = 0;
    await using server = await serve({ ...frozen, time: { ...time, now: () => time.now() + 10 * looks++ } });
    for (let n = 0; n < 20; n += 1) await server.plan();
    const done: string[] = [];
    const note = (what: string) => (result: unknown) => done.push(what) && result;
    const [trace] = await Promise.all([server.sim.trace().then(note('trace')), server.open().then(note('session'))]);
    expect(done).toEqual(['session', 'trace']);
    expect((trace as { tables: { sessions: { rows: unknown[] } } }).tables.sessions.rows).toHaveLength(20);
  });

  test('beyond what a trace holds it is refused, but the scenario of a contract is not', async () => {
    const first = await serve({ ...frozen, data });
    const reference = await first.plan();
    await first.sim.close();
    const file = openPlain(join(data, 'layaway.db'));
    // Six characters of JSON for each.
    file.exec("UPDATE emails SET recipient = replace(hex(zeroblob(11 * 1024 * 1024)), '0', char(1)) WHERE id = 1");
    file.close();
    await using server = await serve({ ...frozen, data });
    expect(await server.workspace('GET', '/_sim/trace')).toMatchObject({
      status: 409,
      body: {
        message:
          'The state is too large for a trace, which holds at most 120 MiB of rows. To keep the state, save a snapshot: `layaway snapshots save <name>`.',
      },
    });
    const { steps } = expectData(await server.call('GET', `/_sim/contracts/${reference}/scenario`));
    expect(steps).toHaveLength(2);
  });
});

describe('clocks', () => {
  test('interface §3: a restored running clock reads what it read when it was saved', async () => {
    const time = manualTime('2026-05-05T12:00:00Z');
    await using server = await serve({ seed: 1, data, time });
    await server.plan();
    const id = await server.open();
    await server.advance({ by: '10m' });
    time.pass(5 * 60_000);
    expectData(await server.save('a'), 201);
    const before = await server.clock();
    expect(before.now).toBe('2026-05-05T12:15:00.000000Z');
    time.pass(3 * 86_400_000);
    await server.advance({ by: '30d' });
    expectData(await server.restore('a'));
    expect(await server.clock()).toEqual(before);
    time.pass(45 * 60_000);
    for (let turn = 0; turn < 3; turn += 1) await server.clock();
    expect(await server.clock()).toMatchObject({ now: '2026-05-05T13:00:00.000000Z', mode: 'running' });
    expect((await server.events())[0]).toMatchObject({ type: 'session.expired', data: { id } });
  });
});

describe('reset (interface §2)', () => {
  test('leads back to the start: the same default credentials, and under a seed the same ids', async () => {
    await using server = await serve({ ...frozen, data });
    const script = async () => {
      const texts = [];
      const { id } = (await server.call('POST', '/v1/sessions', order())).body.data;
      texts.push(id, (await server.call('POST', `/_sim/sessions/${id}/complete`)).text);
      texts.push((await server.call('POST', '/_sim/clock/advance', { by: '100d' })).text);
      texts.push((await server.workspace('POST', '/_sim/merchants', {})).text);
      texts.push((await server.call('GET', '/_sim/emails')).text);
      return texts;
    };
    const first = await script();
    expectData(await server.call('PATCH', '/_sim/settings', { grace_days: 1, legal_name: 'Other' }));
    expectData(await server.workspace('PATCH', '/_sim/platform', { disabled: true }));
    expectData(await server.workspace('POST', '/_sim/reset'));
    expect(await server.events()).toEqual([]);
    expect(expectData(await server.workspace('GET', '/_sim/merchants'))).toHaveLength(1);
    expect(await server.clock()).toEqual({ now: '2026-01-01T00:00:00.000000Z', mode: 'frozen', next_due: null });
    expect(expectData(await server.call('GET', '/v1/ping')).layaway.available).toBe(true);
    expect(await script()).toEqual(first);
  });

  test('without a seed the ids are new ones', async () => {
    await using server = await serve({ clock: frozen.clock });
    const first = await server.open();
    expectData(await server.workspace('POST', '/_sim/reset'));
    expect(await server.open()).not.toBe(first);
  });
});
