import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CannotStart } from '../../../src/domain/cannot-start.ts';
import { copier } from '../../../src/store/file/copy.ts';
import { DirectoryInUse, openDatabase, SCHEMA_VERSION, versionOf } from '../../../src/store/file/database.ts';
import { MIGRATIONS } from '../../../src/store/migrations/index.ts';

/** The user id of somebody who owns nothing. */
const NOBODY = 65_534;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layaway-'));
  file = join(folder, 'layaway.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The sentence that the user reads. */
function refusal(): string {
  try {
    openDatabase(file).close();
  } catch (error) {
    expect(error).toBeInstanceOf(CannotStart);
    const { message } = error as Error;
    expect(message).not.toContain('\n');
    expect(message).toMatch(/[^ ]\.$/);
    return message;
  }
  throw new Error('it was opened');
}

const schemaOf = (db: Database.Database) =>
  db.prepare("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name").all();

test('a database is written into its file again once it has been copied, or could not be', async () => {
  const db = openDatabase(file);
  const { copyTo, close } = copier(db);
  const pages = () => db.pragma('wal_autocheckpoint', { simple: true });
  const before = pages();
  const copying = copyTo(join(folder, 'copy.db'), () => 'seen');
  expect(pages()).toBe(0);
  expect([await copying, pages()]).toEqual(['seen', before]);
  const failing = copyTo(join(folder, 'another.db'), () => rmSync(join(folder, 'another.db')));
  await expect(failing).rejects.toMatchObject({ code: 'ENOENT' });
  expect(pages()).toBe(before);
  db.close();
  close();
});

describe('migrations', () => {
  test('from empty to the version this program knows; opening again changes nothing', () => {
    const db = openDatabase(file);
    expect(versionOf(db)).toBe(SCHEMA_VERSION);
    expect(SCHEMA_VERSION).toBe(MIGRATIONS.length);
    const schema = schemaOf(db);
    expect(schema.length).toBeGreaterThan(20);
    db.close();
    const again = openDatabase(file);
    expect(schemaOf(again)).toEqual(schema);
    again.close();
    const memory = openDatabase(null);
    expect(schemaOf(memory)).toEqual(schema);
    memory.close();
  });

  test('a new database gets in one step what the migrations make (npx vitest run test/store/file/database.test.ts --update writes it)', async () => {
    const migrated = new Database(':memory:').unsafeMode();
    for (const step of MIGRATIONS) migrated.exec(step);
    const made = migrated
      .prepare("SELECT sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_*' ORDER BY rowid")
      .pluck();
    const statements = made.all().map((sql) => `${sql};`);
    await expect(`/**
 * What all migrations make together, for a new database. Written by
 * \`npx vitest run test/store/file/database.test.ts --update\`; do not edit it.
 */
export const WHOLE = \`
${statements.join('\n')}
\`;
`).toMatchFileSnapshot('../../../src/store/migrations/whole.ts');
    const db = openDatabase(null);
    expect(schemaOf(db)).toEqual(schemaOf(migrated));
    db.close();
    migrated.close();
  });

  test('from every older version: what was written stays, the rest is added', () => {
    const growing = new Database(':memory:').unsafeMode();
    for (let version = 1; version < MIGRATIONS.length; version += 1) {
      growing.exec(MIGRATIONS[version - 1] as string);
      writeFileSync(file, growing.serialize());
      const older = new Database(file);
      older.pragma(`user_version = ${version}`);
      const session = (id: number) =>
        `(${id}, 'cs_${id}', 1, 'pending', 'A-1', 100, 0, 0, 0, 0, 4, 'weekly', 'r', 'c', 'TX', '{}', 0, 2, 1)`;
      older.exec(`
        INSERT INTO workspace (id, seed, unavailable_states) VALUES (1, 'kept', '[]');
        INSERT INTO merchants (id, token, legal_name, state, email, created_at) VALUES (1, 'mer_1', 'A', 'TX', 'a@example.com', 1);
        INSERT INTO accounts (id, merchant_id, mode, client_id, webhook_secret, clock_mode, clock_ms)
        VALUES (1, 1, 'sandbox', 'mch_1', 'whsec_', 'frozen', 1);
        INSERT INTO sessions (id, token, account_id, status, order_reference, total_cents, down_payment_cents,
          reservation_fee_cents, down_payment_percentage, reservation_fee_percentage, installment_count, installment_cadence,
          return_url, cancel_url, customer_state, metadata, preview, expires_at, created_at)
        VALUES ${session(5)}, ${session(7)};
        INSERT INTO idempotency (account_id, key, fingerprint, session_id, created_at)
        VALUES (1, 'a', zeroblob(32), 7, 70), (1, 'b', zeroblob(32), 5, 50);
      `);
      older.close();
      const db = openDatabase(file);
      expect(versionOf(db)).toBe(SCHEMA_VERSION);
      expect(db.prepare('SELECT seed FROM workspace').pluck().get()).toBe('kept');
      expect(db.prepare('SELECT key, session_id, created_at FROM idempotency').raw().all()).toEqual([
        ['b', 5, 50],
        ['a', 7, 70],
      ]);
      db.close();
      rmSync(file);
    }
    growing.close();
  });

  test('a migrated table refuses the same values as a new one', () => {
    const older = new Database(file);
    for (const step of MIGRATIONS.slice(0, 10)) older.exec(step);
    older.pragma('user_version = 10');
    older.pragma('foreign_keys = OFF');
    older.exec(`
      INSERT INTO sessions VALUES (1, 'cs_1', 1, 'pending', 'A-1', 100, 0, 0, 0, 0, 4, 'weekly', 'r', 'c', NULL, 'TX', '{}', 0, 2, 1, 0, NULL);
      INSERT INTO contracts (id, reference, account_id, session_id, status, customer_name, customer_email, total_cents,
        reservation_fee_cents, down_payment_cents, metadata, preview, created_at)
      VALUES (1, 'LAY-1', 1, 1, 'pending', 'Ada', 'ada@example.com', 100, 0, 0, '{}', 0, 1);
      INSERT INTO installments (contract_id, sequence, account_id, amount_cents, due_at, status) VALUES (1, 2, 1, 100, 0, 'upcoming');
      INSERT INTO deliveries (id, token, account_id, event_id, url, status, next_attempt_at) VALUES (1, 'd', 1, 1, 'u', 'pending', 1);
    `);
    older.close();
    const db = openDatabase(file);
    db.pragma('foreign_keys = OFF');
    for (const name of db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").pluck().all()) {
      db.exec(`DROP TRIGGER ${name}`);
    }
    for (const [table, column] of [
      ['sessions', 'status'],
      ['sessions', 'installment_cadence'],
      ['contracts', 'status'],
      ['installments', 'status'],
      ['installments', 'next_step'],
      ['deliveries', 'status'],
    ]) {
      expect(() => db.exec(`UPDATE ${table} SET ${column} = 'nonsense'`), `${table}.${column}`).toThrow(
        `CHECK constraint failed: ${column} = '`,
      );
    }
    for (const status of ['active', 'completed', 'defaulted']) {
      const at = status === 'active' ? '' : `, ${status}_at = 5`;
      expect(() => db.exec(`UPDATE contracts SET status = '${status}'${at}`), status).toThrow('started_at IS NOT NULL');
      db.exec(`UPDATE contracts SET status = '${status}', started_at = 4${at}; UPDATE contracts SET status = 'cancelled',
        cancelled_at = 5, started_at = NULL, completed_at = NULL, defaulted_at = NULL`);
      db.exec("UPDATE contracts SET cancelled_at = NULL, status = 'pending'");
    }
    for (const status of ['decision_made', 'completed', 'cancelled', 'expired', 'pending']) {
      db.exec(`UPDATE sessions SET status = '${status}'`);
    }
    for (const cadence of ['biweekly', 'monthly']) db.exec(`UPDATE sessions SET installment_cadence = '${cadence}'`);
    db.exec(
      "UPDATE installments SET next_step = 'collect', next_at = 1; UPDATE installments SET next_step = NULL, next_at = NULL",
    );
    for (const status of ['delivered', 'failed']) {
      db.exec(`UPDATE deliveries SET status = '${status}', next_attempt_at = NULL`);
    }
    expect(() => db.exec('UPDATE sqlite_master SET sql = sql')).toThrow('may not be modified');
    db.close();
  });

  test('WAL, foreign keys, and a lock of its own', () => {
    const db = openDatabase(file);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(db.pragma('synchronous', { simple: true })).toBe(1);
    expect(() => openDatabase(file)).toThrow(DirectoryInUse);
    db.close();
    openDatabase(file).close();
  });

  test('the write-ahead log shrinks again after a large transaction, such as a restore', () => {
    const db = openDatabase(file);
    const sizeAfter = (bytes: number) => {
      db.exec(`INSERT INTO large VALUES (zeroblob(${bytes}))`);
      return statSync(`${file}-wal`).size;
    };
    db.exec('CREATE TABLE large (bytes BLOB)');
    expect(sizeAfter(80 * 2 ** 20)).toBeGreaterThan(80 * 2 ** 20);
    expect(sizeAfter(1)).toBeLessThanOrEqual(64 * 2 ** 20);
    db.close();
  });

  test('written by a newer version: refused with what to do, and left as it is', () => {
    openDatabase(file).close();
    const newer = new Database(file);
    newer.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
    newer.close();
    expect(refusal()).toBe(
      `${file} was written by a newer layaway (schema ${SCHEMA_VERSION + 1}, this one knows ${SCHEMA_VERSION}). ` +
        'Update layaway, or choose another directory.',
    );
    const after = new Database(file);
    expect(versionOf(after)).toBe(SCHEMA_VERSION + 1);
    after.close();
  });
});

describe('a file that cannot be used is refused in one sentence that says what to do', () => {
  test('a file that is not a database', () => {
    writeFileSync(file, 'Dear diary, '.repeat(1_000));
    expect(refusal()).toMatch(/is damaged or is not a layaway database\. Move it away, or choose another directory\.$/);
  });

  test('a database cut in the middle', () => {
    const db = openDatabase(file);
    db.exec("INSERT INTO workspace (id, seed, unavailable_states) VALUES (1, 's', '[]')");
    db.pragma('wal_checkpoint(TRUNCATE)');
    const bytes = db.serialize();
    db.close();
    writeFileSync(file, bytes.subarray(0, 4_096 * 3 + 100));
    expect(refusal()).toMatch(/is damaged or is not a layaway database/);
  });

  test('a database whose pages were overwritten', () => {
    const db = openDatabase(file);
    const bytes = db.serialize();
    db.close();
    bytes.fill(0xa5, 100, 4_096);
    writeFileSync(file, bytes);
    expect(refusal()).toMatch(/is damaged or is not a layaway database/);
  });

  test.each(['CREATE TABLE merchants (id)', 'CREATE TABLE recipes (id)'])(
    'a database of some other program: left as it is (%s)',
    (sql) => {
      const other = new Database(file);
      other.exec(sql);
      other.close();
      expect(refusal()).toMatch(/is damaged or is not a layaway database/);
      const after = new Database(file);
      expect(versionOf(after)).toBe(0);
      expect(after.prepare('SELECT sql FROM sqlite_master').pluck().all()).toEqual([sql]);
      after.close();
    },
  );

  test('a directory where the file should be', () => {
    mkdirSync(file);
    expect(refusal()).toMatch(/cannot be opened for writing\. Check its permissions, or choose another directory\.$/);
  });

  test('a file that may only be read', () => {
    openDatabase(file).close();
    const isRoot = process.getuid?.() === 0;
    if (isRoot) for (const path of [file, folder]) chownSync(path, NOBODY, NOBODY);
    chmodSync(file, 0o400);
    chmodSync(folder, 0o500);
    // Root may write everywhere, so it becomes somebody else.
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      expect(refusal()).toMatch(/cannot be opened for writing/);
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(folder, 0o700);
    }
  });
});
