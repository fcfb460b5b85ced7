import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CannotStart, createSimulator } from '../../../src/index.ts';
import { moveOver } from '../../../src/store/file/private-file.ts';
import { clear } from '../../../src/store/file/rows.ts';

let folder: string;
let data: string;
let umask: number;
beforeEach(() => {
  // What most systems have: everybody reads.
  umask = process.umask(0o022);
  folder = mkdtempSync(join(tmpdir(), 'layaway-'));
  data = join(folder, '.layaway');
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

const start = () => createSimulator({ data, seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });

/** The sentence that the user reads. */
async function refusal(): Promise<string> {
  const error = await start().then(
    (sim) => sim.close().then(() => new Error('it started')),
    (reason: unknown) => reason as Error,
  );
  expect(error).toBeInstanceOf(CannotStart);
  expect(error.message).not.toContain('\n');
  return error.message;
}

/** Changes the database of a simulator that has ended. */
async function prepare(work: (db: Database.Database) => void) {
  await (await start()).close();
  const db = new Database(join(data, 'layaway.db')).unsafeMode();
  work(db);
  db.close();
}

/**
 * A rollback journal that names another file as that of a transaction over several databases. When SQLite opens the
 * database, it deletes that file.
 */
function writeJournal(database: string, named: string) {
  const magic = Buffer.from('d9d505f920a163d7', 'hex');
  const name = Buffer.from(named);
  const [head, place, tail] = [Buffer.alloc(512), Buffer.alloc(4), Buffer.alloc(8)];
  magic.copy(head);
  const pageBytes = 4096;
  for (const [index, value] of [statSync(database).size / pageBytes, 512, pageBytes].entries()) {
    head.writeUInt32BE(value, 16 + 4 * index);
  }
  place.writeUInt32BE(2 ** 30 / pageBytes + 1);
  tail.writeUInt32BE(name.length);
  tail.writeUInt32BE(
    name.reduce((sum, byte) => sum + byte, 0),
    4,
  );
  writeFileSync(`${database}-journal`, Buffer.concat([head, place, name, tail, magic]));
}

/** A table whose name, put into a statement as it is, writes a file. */
const evilName = () => `keys; ATTACH '${join(folder, 'planted')}' AS p; CREATE TABLE p.t (x); --`;
const evilTable = () => `CREATE TABLE "${evilName()}" (x)`;

/** SQLite takes such a name from a file, where any program can write it. */
const hiddenTrigger = () =>
  'PRAGMA writable_schema = ON; CREATE TRIGGER sqlite_mine AFTER DELETE ON keys BEGIN DELETE FROM merchants; END';

describe('interface §6: files of the state directory are their owner’s alone', () => {
  const modes = () =>
    readdirSync(data, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(data, name)).isFile())
      .map((name) => `${name} ${(statSync(join(data, name)).mode & 0o777).toString(8)}`)
      .sort();

  test('in a directory that it makes', async () => {
    await using sim = await start();
    await sim.snapshots.save('kept');
    expect(modes()).toEqual([
      '.gitignore 600',
      'control-token 600',
      'layaway.db 600',
      'layaway.db-wal 600',
      'server.json 600',
      'snapshots/kept.db 600',
    ]);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(statSync(join(data, 'snapshots')).mode & 0o777).toBe(0o700);
  });

  test('in one that everybody may read, and what an older version left open there', async () => {
    mkdirSync(join(data, 'snapshots'), { recursive: true, mode: 0o755 });
    const first = await start();
    await first.snapshots.save('older');
    await first.close();
    for (const name of ['layaway.db', 'snapshots/older.db']) chmodSync(join(data, name), 0o644);
    writeFileSync(join(data, 'layaway.db-wal'), '', { mode: 0o644 });
    await using sim = await start();
    await sim.snapshots.save('newer');
    expect(modes()).toEqual([
      'control-token 600',
      'layaway.db 600',
      'layaway.db-wal 600',
      'server.json 600',
      'snapshots/newer.db 600',
      'snapshots/older.db 600',
    ]);
  });

  test.each(['640', '620', '604'])('a control token that others may know is drawn again: mode %s', async (mode) => {
    const first = await start();
    await first.close();
    const kept = await start();
    expect(kept.controlToken).toBe(first.controlToken);
    await kept.close();
    chmodSync(join(data, 'control-token'), Number.parseInt(mode, 8));
    await using sim = await start();
    expect(sim.controlToken).not.toBe(first.controlToken);
  });

  test('a simulator in memory keeps its snapshots so, too', async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      await using sim = await createSimulator({ seed: 1 });
      await sim.snapshots.save('kept');
      const [own] = readdirSync(folder);
      expect(statSync(join(folder, own as string)).mode & 0o777).toBe(0o700);
      expect(statSync(join(folder, own as string, 'kept.db')).mode & 0o777).toBe(0o600);
    } finally {
      process.env.TMPDIR = before;
    }
  });
});

describe('a file of the directory that cannot be written', () => {
  test.each(['control-token', 'server.json'])(
    '%s: a sentence, and the directory is free for the next start',
    async (name) => {
      const inTheWay = join(data, `${name}.draft`);
      mkdirSync(inTheWay, { recursive: true });
      expect(await refusal()).toMatch(
        new RegExp(
          `^The directory ${data} cannot be used: ${name} cannot be written \\([a-z ]+\\)\\. Choose another, `,
        ),
      );
      rmSync(inTheWay, { recursive: true });
      await using sim = await start();
      expect(sim.url).toContain('http');
    },
  );
});

describe('a directory in the place of server.json', () => {
  test('a sentence, and the directory is free for the next start', async () => {
    mkdirSync(join(data, 'server.json'), { recursive: true });
    expect(await refusal()).toBe(
      `The directory ${data} cannot be used: server.json cannot be written (it is a directory). Choose another, or leave out the option data to keep the state in memory.`,
    );
    rmSync(join(data, 'server.json'), { recursive: true });
    await using sim = await start();
    expect(sim.url).toContain('http');
  });
});

test('a snapshot that could not be moved into its place leaves nothing behind', async () => {
  await using sim = await createSimulator({ data, onFault: () => undefined });
  mkdirSync(join(data, 'snapshots', 'a.db', 'in-the-way'), { recursive: true });
  await expect(sim.snapshots.save('a', { overwrite: true })).rejects.toThrow();
  expect(readdirSync(join(data, 'snapshots'))).toEqual(['a.db']);
});

describe('a directory that is removed under a running simulator', () => {
  test('no snapshot is saved, and the refusal says why', async () => {
    await using sim = await start();
    renameSync(data, join(folder, 'moved'));
    await expect(sim.snapshots.save('lost')).rejects.toThrow(
      'The state directory was removed or replaced while the server was running, so the snapshot was not saved. Start the server again.',
    );
    await sim.default.sessions.list();
  });
});

describe('a directory in which another simulator runs meanwhile', () => {
  async function replaced() {
    const first = await start();
    renameSync(data, join(folder, 'moved'));
    return { first, second: await start() };
  }

  test('the record of the other one stays when the first one ends', async () => {
    const { first, second } = await replaced();
    await first.close();
    expect(JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')).base_url).toBe(second.url);
    await second.close();
    expect(existsSync(join(data, 'server.json'))).toBe(false);
  });

  test.each([
    ['no snapshot', 'a'],
    ['a snapshot before', 'b'],
  ])('with %s, the first one saves nothing there', async (what, name) => {
    const before = await start();
    if (what !== 'no snapshot') await before.snapshots.save(name);
    renameSync(data, join(folder, 'moved'));
    await using second = await start();
    await expect(before.snapshots.save(name)).rejects.toThrow(/^The state directory was removed or replaced while /);
    expect(await second.snapshots.list()).toEqual([]);
    await before.close();
  });
});

test('a directory that has become read-only does not keep its simulator from ending', async () => {
  const sim = await start();
  const isRoot = process.getuid?.() === 0;
  chmodSync(data, 0o555);
  // Root may change every folder, so it becomes somebody else.
  if (isRoot) process.seteuid?.(65_534);
  try {
    await sim.close();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(data, 0o700);
  }
  // The next start can have it.
  await (await start()).close();
});

test('snapshots in a folder that has become read-only: one is restored, and none is deleted', async () => {
  await using sim = await start();
  const headers = { authorization: `Bearer ${sim.controlToken}` };
  const ask = (method: 'POST' | 'DELETE', url: string, payload?: object) =>
    sim.inject({ method, url: `/_sim/snapshots/${url}`, headers, ...(payload && { payload }) });
  await sim.snapshots.save('a');
  // More than are kept.
  for (let n = 0; n < 7; n += 1) await ask('POST', 'automatic', { before: 'restore' });
  const snapshots = join(data, 'snapshots');
  const isRoot = process.getuid?.() === 0;
  for (const path of [folder, data]) chmodSync(path, 0o755);
  for (const name of readdirSync(snapshots)) chmodSync(join(snapshots, name), 0o644);
  chmodSync(snapshots, 0o555);
  // Root may change every folder, so it becomes somebody else.
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect((await ask('POST', 'a/restore')).statusCode).toBe(200);
    const refused = await ask('DELETE', 'a');
    expect([refused.statusCode, refused.json()]).toEqual([
      409,
      { message: `The snapshot a cannot be deleted from ${snapshots} (permission denied).` },
    ]);
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(snapshots, 0o700);
  }
  expect((await ask('DELETE', 'a')).statusCode).toBe(204);
});

test('a snapshot that the server may not read keeps nobody from the others', async () => {
  await using sim = await start();
  for (const name of ['mine', 'theirs']) await sim.snapshots.save(name);
  const snapshots = join(data, 'snapshots');
  const isRoot = process.getuid?.() === 0;
  for (const path of [folder, data, snapshots]) chmodSync(path, 0o755);
  chmodSync(join(snapshots, 'mine.db'), 0o644);
  chmodSync(join(snapshots, 'theirs.db'), 0o000);
  // Root may read every file, so it becomes somebody else.
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect((await sim.snapshots.list()).map(({ name }) => name)).toEqual(['mine']);
    await expect(sim.snapshots.restore('theirs')).rejects.toThrow(
      'The snapshot theirs cannot be read. Give the server access to its file, or delete it.',
    );
    await sim.snapshots.restore('mine');
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

describe('what somebody planted in the directory', () => {
  beforeEach(() => {
    mkdirSync(data);
    writeFileSync(join(folder, 'victim'), 'precious');
    chmodSync(join(folder, 'victim'), 0o644);
  });
  const victim = () => [readFileSync(join(folder, 'victim'), 'utf8'), statSync(join(folder, 'victim')).mode & 0o777];

  test.each(['server.json', 'server.json.draft'])('%s that leads elsewhere is replaced, not followed', async (name) => {
    symlinkSync('../victim', join(data, name));
    await using sim = await start();
    expect(victim()).toEqual(['precious', 0o644]);
    expect(lstatSync(join(data, 'server.json')).isFile()).toBe(true);
    expect(JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')).base_url).toBe(sim.url);
    expect(existsSync(join(data, 'server.json.draft'))).toBe(false);
  });

  test.each(['victim', 'nothing'])('a database that leads elsewhere is refused (%s)', async (target) => {
    symlinkSync(`../${target}`, join(data, 'layaway.db'));
    expect(await refusal()).toMatch(
      /layaway\.db is a symbolic link or a special file\. Move it away, or choose another directory\.$/,
    );
    expect(victim()).toEqual(['precious', 0o644]);
    expect(existsSync(join(folder, 'nothing'))).toBe(false);
  });

  test('a link among the snapshots does not close what it leads to', async () => {
    mkdirSync(join(data, 'snapshots'));
    symlinkSync('../../victim', join(data, 'snapshots', 'a.db'));
    await using sim = await start();
    expect(await sim.snapshots.list()).toEqual([]);
    expect(victim()).toEqual(['precious', 0o644]);
  });

  test('a snapshot that leads elsewhere is not a snapshot', async () => {
    await using sim = await start();
    const { bytes } = await sim.snapshots.save('kept');
    expect(bytes).toBeGreaterThan(0);
    const elsewhere = join(folder, 'elsewhere.db');
    renameSync(join(data, 'snapshots', 'kept.db'), elsewhere);
    symlinkSync(elsewhere, join(data, 'snapshots', 'kept.db'));
    expect(await sim.snapshots.list()).toEqual([]);
    await expect(sim.snapshots.restore('kept')).rejects.toThrow('The snapshot kept is damaged');
  });
});

describe('a database that somebody prepared', () => {
  test.each([
    ['a table whose name is SQL', evilTable],
    ['a table', () => 'CREATE TABLE recipes (id)'],
    ['a trigger', () => 'CREATE TRIGGER mine AFTER DELETE ON keys BEGIN DELETE FROM merchants; END'],
    ['a trigger with a name of SQLite', hiddenTrigger],
    ['a view', () => 'CREATE VIEW mine AS SELECT * FROM keys'],
    ['a table that is missing', () => 'DROP TABLE emails'],
    [
      'a trigger that does something else',
      () =>
        'DROP TRIGGER contract_counted; CREATE TRIGGER contract_counted AFTER INSERT ON contracts BEGIN DELETE FROM keys; END',
    ],
  ])('%s: refused with what to do, and left as it is', async (_what, sql) => {
    await prepare((db) => db.exec(sql()));
    expect(await refusal()).toMatch(
      /tables or triggers that layaway did not create\. Move it away, or choose another directory\.$/,
    );
    expect(existsSync(join(folder, 'planted'))).toBe(false);
  });

  test('one of an older version, too', async () => {
    await prepare((db) => {
      db.exec(`${evilTable()}; DROP INDEX events_by_session; DROP INDEX emails_by_reference`);
      db.exec('DROP INDEX sessions_by_status; DROP INDEX deliveries_by_status');
      db.exec('DROP TABLE faults; DROP TABLE struck_deliveries; DROP TABLE chaos_draws');
      db.exec('ALTER TABLE delivery_attempts DROP COLUMN fault_kind; ALTER TABLE delivery_attempts DROP COLUMN fault');
      db.pragma('user_version = 2');
    });
    expect(await refusal()).toContain('tables or triggers that layaway did not create');
    const db = new Database(join(data, 'layaway.db'));
    expect(db.pragma('user_version', { simple: true })).toBe(2);
    db.close();
  });

  test.each([
    ['names another file', (victim: string) => writeJournal(join(data, 'layaway.db'), victim)],
    ['leads elsewhere', (victim: string) => symlinkSync(victim, join(data, 'layaway.db-journal'))],
  ])('one with a journal that %s: refused, and that file stays', async (_what, plant) => {
    await (await start()).close();
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    plant(victim);
    expect(await refusal()).toMatch(
      /layaway\.db-journal was not written by layaway\. Move it away, or choose another directory\.$/,
    );
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    rmSync(join(data, 'layaway.db-journal'));
    await (await start()).close();
  });

  test('whatever a table is called, its name is data when it is emptied', () => {
    const db = new Database(':memory:');
    const names = [evilName(), 'it"s', "it's", 'two words'];
    for (const name of names) {
      db.exec(
        `CREATE TABLE "${name.replaceAll('"', '""')}" (x); INSERT INTO "${name.replaceAll('"', '""')}" VALUES (1)`,
      );
    }
    clear(db);
    for (const name of names) {
      expect(
        db
          .prepare(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
          .pluck()
          .get(),
      ).toBe(0);
    }
    expect(existsSync(join(folder, 'planted'))).toBe(false);
    db.close();
  });
});

describe('a snapshot that somebody prepared', () => {
  test.each([
    ['a table whose name is SQL', evilTable],
    ['a view in place of a table', () => 'DROP TABLE emails; CREATE VIEW emails AS SELECT 1'],
    ['a trigger', () => 'CREATE TRIGGER mine AFTER DELETE ON keys BEGIN DELETE FROM merchants; END'],
    ['a trigger with a name of SQLite', hiddenTrigger],
  ])('%s: refused, and nothing is changed', async (_what, sql) => {
    await using sim = await start();
    await sim.default.assumptions.set({ grace_days: 3 });
    await sim.snapshots.save('prepared');
    const db = new Database(join(data, 'snapshots', 'prepared.db')).unsafeMode();
    db.exec(sql());
    db.close();
    await expect(sim.snapshots.restore('prepared')).rejects.toThrow('The snapshot prepared is damaged');
    expect(await sim.default.assumptions.get()).toMatchObject({ grace_days: 3 });
    expect(existsSync(join(folder, 'planted'))).toBe(false);
  });

  test('one without any table of layaway: refused, and nothing is changed', async () => {
    await using sim = await start();
    await sim.default.assumptions.set({ grace_days: 3 });
    await sim.snapshots.save('prepared');
    const file = join(data, 'snapshots', 'prepared.db');
    rmSync(file);
    const db = new Database(file);
    db.exec('CREATE TABLE snapshot (created_at INTEGER NOT NULL, last_request INTEGER NOT NULL) STRICT');
    db.exec('INSERT INTO snapshot VALUES (1, 1)');
    db.close();
    await expect(sim.snapshots.restore('prepared')).rejects.toThrow('The snapshot prepared is damaged');
    expect(await sim.default.assumptions.get()).toMatchObject({ grace_days: 3 });
  });

  test('one with a journal that names another file: refused until it is replaced, and that file stays', async () => {
    await using sim = await start();
    await sim.snapshots.save('prepared');
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    writeJournal(join(data, 'snapshots', 'prepared.db'), victim);
    expect(await sim.snapshots.list()).toEqual([]);
    await expect(sim.snapshots.restore('prepared')).rejects.toThrow('The snapshot prepared is damaged');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    await sim.snapshots.save('prepared', { overwrite: true });
    await sim.snapshots.restore('prepared');
    writeJournal(join(data, 'snapshots', 'prepared.db'), victim);
    await sim.snapshots.delete('prepared');
    expect(readdirSync(join(data, 'snapshots'))).toEqual([]);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  test('a view that never ends is not read for the list', async () => {
    await using sim = await start();
    mkdirSync(join(data, 'snapshots'));
    const db = new Database(join(data, 'snapshots', 'endless.db'));
    db.exec(
      'CREATE VIEW snapshot AS WITH RECURSIVE n (created_at) AS (SELECT 1 UNION ALL SELECT created_at + 1 FROM n) SELECT max(created_at) AS created_at FROM n',
    );
    db.close();
    expect(await sim.snapshots.list()).toEqual([]);
  });
});

describe('a file that another program holds open, as Windows tells it', () => {
  const refused = (code: string) => Object.assign(new Error(code), { code });

  test.each(['EPERM', 'EACCES', 'EBUSY'])('%s: the file is removed, then the new one moved there', (code) => {
    const folder = mkdtempSync(join(tmpdir(), 'layaway-held-'));
    const [draft, file] = [join(folder, 'x.draft'), join(folder, 'x')];
    writeFileSync(draft, 'new');
    writeFileSync(file, 'old');
    moveOver(draft, file, (from, to) => {
      if (existsSync(file)) throw refused(code);
      renameSync(from, to);
    });
    expect([readFileSync(file, 'utf8'), existsSync(draft)]).toEqual(['new', false]);
    rmSync(folder, { recursive: true });
  });

  test('another failure is told, and the file stays', () => {
    const folder = mkdtempSync(join(tmpdir(), 'layaway-held-'));
    const file = join(folder, 'x');
    writeFileSync(file, 'old');
    expect(() => moveOver(join(folder, 'missing'), file)).toThrow('ENOENT');
    expect(readFileSync(file, 'utf8')).toBe('old');
    rmSync(folder, { recursive: true });
  });
});
