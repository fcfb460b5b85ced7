import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discarded } from '../../src/store/discarded.ts';
import { openDatabase, schemaOf } from '../../src/store/file/database.ts';
import { clear, withoutForeignKeys } from '../../src/store/file/rows.ts';
import { snapshots } from '../../src/store/snapshots.ts';
import { NOW, openTables } from './tables.ts';

let folder: string;
let tables: ReturnType<typeof openTables>;
let kept: ReturnType<typeof snapshots>;

const open = () =>
  snapshots(tables.db, join(folder, 'snapshots'), { ...tables, discarded: discarded(tables.db) }, () => {
    tables.sessions.forget();
    tables.contracts.forget();
    tables.installments.forget();
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layaway-test-'));
  tables = openTables(join(folder, 'layaway.db'));
  kept = open();
  for (let plan = 0; plan < 100; plan += 1) tables.addContract();
});
afterEach(() => {
  tables.db.close();
  kept.close();
  rmSync(folder, { recursive: true });
});

/** Overwrites a page of the state's file and opens it again. */
function damageState() {
  kept.close();
  const page = tables.db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'contracts'").pluck().get() as number;
  const size = tables.db.pragma('page_size', { simple: true }) as number;
  tables.db.close();
  const file = join(folder, 'layaway.db');
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
  closeSync(descriptor);
  tables = { ...tables, db: openDatabase(file) };
  kept = open();
  return file;
}

/** Moves a damaged state away and opens a new one, as the message advises. */
function beginAgain(file: string) {
  tables.db.close();
  kept.close();
  rmSync(file);
  tables = openTables(file);
  kept = open();
}

/** Every row of every table, and what the list counts. */
function rows() {
  const names = schemaOf(tables.db).filter(({ type }) => type === 'table');
  return Object.fromEntries(
    names.map(({ name }) => [name, tables.db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()]),
  );
}

/** Each breaks a rule that a trigger, a foreign key or a unique index keeps. */
const FORBIDDEN = [
  "UPDATE contracts SET status = 'completed', completed_at = 1 WHERE id = 1",
  'UPDATE contracts SET total_cents = total_cents + 1 WHERE id = 1',
  "INSERT INTO emails SELECT 1, 'eml_1', 99, 'a', 'plan_completed', NULL, '{}', 1, NULL",
  'UPDATE contracts SET reference = (SELECT reference FROM contracts WHERE id = 2) WHERE id = 1',
];
const REASONS = /every installment is paid|never changes|FOREIGN KEY|UNIQUE/;

function expectRules() {
  for (const sql of FORBIDDEN) expect(() => tables.db.exec(sql), sql).toThrow(REASONS);
  const count = () => tables.contracts.count(1, null);
  const before = count();
  tables.addContract();
  expect(count()).toBe(before + 1);
}

describe('a restore copies whole tables', () => {
  test('every row comes back, and every rule of the file still holds', async () => {
    const before = { rows: rows(), schema: schemaOf(tables.db) };
    await kept.save('a', NOW, false, () => 7);
    expectRules();
    expect(rows()).not.toEqual(before.rows);
    expect(kept.restore('a', NOW, 7)).toMatchObject({ createdAt: NOW, lastRequest: 7 });
    expect({ rows: rows(), schema: schemaOf(tables.db) }).toEqual(before);
    expectRules();
    expect(tables.db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  test('what was emptied at once keeps every rule, and takes all rows back', async () => {
    const before = { rows: rows(), schema: schemaOf(tables.db) };
    await kept.save('a', NOW, false, () => 7);
    withoutForeignKeys(tables.db, () => tables.db.transaction(() => clear(tables.db))());
    const counts = Object.entries(rows()).map(([name, all]) => [name, all.length]);
    expect(counts).toEqual(Object.keys(before.rows).map((name) => [name, 0]));
    expect(schemaOf(tables.db)).toEqual(before.schema);
    expect(() => tables.db.exec(FORBIDDEN[2] as string)).toThrow(/FOREIGN KEY/);
    kept.restore('a', NOW, 7);
    expect(rows()).toEqual(before.rows);
    expectRules();
    expect(tables.db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  test('interface §3: clocks that run continue at the time of the snapshot; the others stand where they stood', async () => {
    tables.accounts.setClock(2, { mode: 'running', offsetMs: 5_000 });
    await kept.save('a', NOW, false, () => 7);
    kept.restore('a', NOW + 40 * 86_400_000, 7);
    expect([tables.accounts.clock(1), tables.accounts.clock(2)]).toEqual([
      { mode: 'frozen', at: NOW },
      { mode: 'running', offsetMs: 5_000 - 40 * 86_400_000 },
    ]);
  });

  test('the restored file opens again', async () => {
    await kept.save('a', NOW, false, () => 7);
    kept.restore('a', NOW, 7);
    const before = rows();
    tables.db.close();
    kept.close();
    tables = { ...tables, db: openDatabase(join(folder, 'layaway.db')) };
    expect(rows()).toEqual(before);
  });

  test('one that is damaged in the middle is refused; rows and rules stay as they are', async () => {
    await kept.save('a', NOW, false, () => 7);
    const file = join(folder, 'snapshots', 'a.db');
    const { size } = statSync(file);
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(size / 2, 0xff), 0, size / 2, size / 2);
    closeSync(descriptor);
    tables.addContract();
    const before = { rows: rows(), schema: schemaOf(tables.db) };
    expect(() => kept.restore('a', NOW, 9)).toThrow('The snapshot a is damaged');
    expect({ rows: rows(), schema: schemaOf(tables.db) }).toEqual(before);
    expectRules();
  });

  test('a state that is damaged itself: the snapshot is not blamed, and a new state takes it', async () => {
    const before = rows();
    await kept.save('a', NOW, false, () => 7);
    const file = damageState();
    expect(() => kept.restore('a', NOW, 7)).toThrow('The state of the server is damaged');
    beginAgain(file);
    kept.restore('a', NOW, 7);
    expect(rows()).toEqual(before);
  });
});

test('a damaged state does not replace an older snapshot', async () => {
  await kept.save('a', NOW, false, () => 7);
  const before = rows();
  const file = damageState();
  const refused = 'The state of the server is damaged, so the older snapshot a is kept.';
  expect(() => kept.save('a', NOW, true, () => 7)).toThrow(refused);
  beginAgain(file);
  kept.restore('a', NOW, 7);
  expect(rows()).toEqual(before);
  await kept.save('a', NOW, true, () => 7);
});

test('what a killed server left half saved or half restored is removed at the next start', async () => {
  await kept.save('a', NOW, false, () => 7);
  kept.close();
  const half = ['a.draft', 'b.draft-journal', 'b.restoring', 'b.restoring-journal'];
  for (const name of [...half, 'my.notes', 'readme.draft.txt']) writeFileSync(join(folder, 'snapshots', name), 'x');
  kept = open();
  expect(readdirSync(join(folder, 'snapshots')).sort()).toEqual(['a.db', 'my.notes', 'readme.draft.txt']);
  expect(kept.restore('a', NOW, 7)).toMatchObject({ name: 'a' });
});

test('a folder that this user may not enter hinders only what saves in it', async () => {
  kept.close();
  const isRoot = process.getuid?.() === 0;
  // Root may enter every folder, so it becomes somebody else.
  if (isRoot) process.seteuid?.(65_534);
  else chmodSync(folder, 0);
  try {
    kept = open();
    expect(kept.list()).toEqual([]);
    await expect(kept.save('a', NOW, false, () => 7)).rejects.toThrow(
      `The snapshot was not saved: ${join(folder, 'snapshots')} cannot be written (permission denied). Give the server write access or, if its state is in memory, start it with another folder in TMPDIR.`,
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    else chmodSync(folder, 0o700);
  }
});

test.skipIf(process.platform !== 'linux').each(['/proc/layaway', '/proc/none/layaway'])(
  'a place that takes no folder is refused at once: %s',
  async (place) => {
    const nowhere = snapshots(tables.db, place, { ...tables, discarded: discarded(tables.db) }, () => undefined);
    await expect(nowhere.save('a', NOW, false, () => 7)).rejects.toThrow('the snapshot was not saved');
    nowhere.close();
  },
);
