import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCause } from '../../src/domain/cause.ts';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { dump } from '../support/dump.ts';
import { openReceiver, silence } from '../support/receiver.ts';
import { CUSTOMER, openShop, order } from '../support/shop.ts';

const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'layaway-causes-'));
const START = { frozenAt: '2026-01-01T00:00:00Z' };

interface Row {
  readonly cause: string | null;
  readonly [column: string]: unknown;
}

describe('what the engine writes names its cause', () => {
  const data = temporaryFolder();
  let sim: Simulator;
  beforeAll(async () => {
    sim = await createSimulator({ data, clock: START });
  });
  afterAll(() => sim.close());

  test('a request, a lever or the clock, on every row of every table that has one', async () => {
    const { shop } = await openShop(sim);
    await shop.webhooks.add('http://127.0.0.1:9/');
    const { id } = await shop.sessions.create(order());
    await shop.sessions.accept(id, CUSTOMER);
    const { reference } = await shop.sessions.pay(id);
    await shop.contracts.outcomes(reference, ['fail', 'fail']);
    await shop.clock.advance({ until: `${reference}#1=past_due` });
    await shop.contracts.settle(reference, 1);
    await shop.contracts.cancel(reference);
    const [request] = await shop.logs.list({ path: '/v1/sessions' });

    const tables = (await dump(sim, data)) as Record<string, Row[]>;
    const causes = (table: string) => tables[table]?.map(({ cause }) => readCause(cause));
    const caused = Object.entries(tables).filter(([, rows]) => rows.some((row) => 'cause' in row));
    expect(caused.map(([name]) => name).toSorted()).toEqual(
      ['contracts', 'deliveries', 'delivery_attempts', 'emails', 'endpoints', 'events', 'installments'].concat(
        'payment_attempts',
        'sessions',
      ),
    );
    for (const [name, rows] of caused) {
      expect([name, rows.filter(({ cause }) => readCause(cause).kind === 'unknown')]).toEqual([name, []]);
    }
    expect(causes('sessions')).toMatchObject([{ kind: 'request', id: request?.id }]);
    expect(causes('contracts')).toMatchObject([{ kind: 'lever', operation: 'acceptPlan' }]);
    expect(causes('payment_attempts')).toMatchObject([
      { operation: 'payCartCapture' },
      { kind: 'clock' },
      { kind: 'clock' },
      { operation: 'settleInstallment' },
    ]);
    expect(tables.events?.map(({ type, cause }) => [type, readCause(cause).kind])).toEqual([
      ['session.decision_made', 'lever'],
      ['contract.activated', 'lever'],
      ['session.completed', 'lever'],
      ['installment.payment_failed', 'clock'],
      ['installment.payment_failed', 'clock'],
      ['installment.past_due', 'clock'],
      ['installment.paid', 'lever'],
      ['contract.cancelled', 'request'],
    ]);
    expect(new Set(causes('delivery_attempts')?.map(({ kind }) => kind))).toEqual(new Set(['clock']));
  });

  test('a lever that was refused is not in the journal, and one that was pulled is, with what it was given', async () => {
    const { shop } = await openShop(sim);
    const { reference } = await shop.contracts.create({ status: 'active' });
    await expect(shop.contracts.settle(reference, 1)).rejects.toThrow();
    await shop.contracts.outcomes(reference, ['fail']);
    const { levers = [] } = await dump(sim, data);
    const own = (levers as Row[]).filter(({ params }) => String(params).includes(reference));
    expect(own).toMatchObject([
      { operation: 'arrangeOutcomes', params: `{"reference":"${reference}"}`, body: '{"outcomes":["fail"]}' },
    ]);
  });

  test('a change of settings is in the journal with the values that it replaced, and no others', async () => {
    const { shop } = await openShop(sim);
    await shop.assumptions.set({ grace_days: 12, dba: null });
    const { levers = [] } = await dump(sim, data);
    expect(JSON.parse(String((levers as Row[]).at(-1)?.body))).toEqual({
      ...{ grace_days: 12, dba: null },
      before: { grace_days: 10, dba: 'Example Store' },
    });
  });

  test('the journal holds no secret', async () => {
    const { shop } = await openShop(sim);
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await shop.webhooks.add('http://ada:hunter2@127.0.0.1:9/', { secret });
    const { levers = [] } = await dump(sim, data);
    expect((levers as Row[]).at(-1)).toMatchObject({
      operation: 'createWebhookEndpoint',
      body: '{"url":"http://…@127.0.0.1:9/","secret":"whsec_…"}',
    });
  });

  test('what changes nothing about an account is not in the journal', async () => {
    const { shop } = await openShop(sim);
    const { levers: before = [] } = await dump(sim, data);
    await shop.clock.advance('1d', { dryRun: true });
    await shop.keys.revoke((await shop.keys.create()).id);
    await sim.snapshots.save('journal');
    await sim.snapshots.delete('journal');
    await sim.merchant();
    const headers = { authorization: `Bearer ${sim.controlToken}` };
    expect((await sim.inject({ method: 'POST', url: '/_sim/dashboard-links', headers })).statusCode).toBe(201);
    const { levers: after = [] } = await dump(sim, data);
    expect(after).toEqual(before);
  });

  test('a lever that waits for its webhooks keeps its number while another one is refused', async () => {
    const { shop } = await openShop(sim);
    const opened = async () => (await shop.sessions.create(order())).id;
    const [accepted, cancelled, completed] = [await opened(), await opened(), await opened()];
    await shop.sessions.complete(completed);
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url);
    const { reached, answer } = silence(receiver);
    const accepting = shop.sessions.accept(accepted, { ...CUSTOMER, wait: true });
    await reached;
    await expect(shop.sessions.accept(completed, CUSTOMER)).rejects.toThrow();
    await shop.sessions.cancel(cancelled);
    answer();
    await accepting;
    const { levers = [] } = await dump(sim, data);
    const operationOn = (id: string) => (levers as Row[]).find(({ params }) => String(params).includes(id))?.operation;
    expect([accepted, cancelled].map(operationOn)).toEqual(['acceptPlan', 'cancelCheckout']);
    const event = (await shop.events.list({ limit: 2 })).find(({ type }) => type === 'session.decision_made');
    expect((await shop.explain(event?.id as string)).chain.map(({ what }) => what)).toContainEqual(
      expect.stringContaining('acceptPlan'),
    );
  });
});

test('a state directory of the schema before causes still works; its rows have none', async () => {
  const data = temporaryFolder();
  const first = await createSimulator({ data, clock: START });
  const { reference } = await (await openShop(first)).shop.contracts.create({ status: 'active' });
  await first.close();
  writtenBefore('CREATE TABLE levers', join(data, 'layaway.db'));

  const second = await createSimulator({ data });
  try {
    const tables = (await dump(second, data)) as Record<string, Row[]>;
    expect(tables.contracts).toMatchObject([{ reference, cause: null }]);
    expect(new Set(tables.events?.map(({ cause }) => cause))).toEqual(new Set([null]));
    await second.default.clock.advance('1d');
    const { id } = await second.default.sessions.create(order());
    expect(((await dump(second, data)).sessions as Row[]).find(({ token }) => token === id)?.cause).toMatch(/^req_/);
  } finally {
    await second.close();
  }
});

/** Takes out of a database what the migrations from the one with `statement` on added. */
function writtenBefore(statement: string, file: string) {
  const version = MIGRATIONS.findIndex((step) => step.includes(statement));
  const older = new Database(':memory:');
  for (const step of MIGRATIONS.slice(0, version)) older.exec(step);
  const db = new Database(file);
  db.pragma('foreign_keys = OFF');
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    .pluck()
    .all()
    .filter((name) => older.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name));
  const rows = tables.map((table) => {
    const columns = older.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`).pluck().all();
    return [
      table,
      columns,
      db
        .prepare(`SELECT ${columns.join(', ')} FROM ${table}`)
        .raw()
        .all(),
    ] as const;
  });
  for (const { type, name } of db
    .prepare<[], { type: string; name: string }>(
      "SELECT type, name FROM sqlite_master WHERE name NOT GLOB 'sqlite_*' ORDER BY type = 'table', rowid DESC",
    )
    .all()) {
    db.exec(`DROP ${type} IF EXISTS ${name}`);
  }
  for (const step of MIGRATIONS.slice(0, version)) db.exec(step);
  for (const [table, columns, values] of rows) {
    db.exec(`DELETE FROM ${table}`);
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`);
    for (const row of values as unknown[][]) insert.run(...row);
  }
  db.pragma(`user_version = ${version}`);
  db.close();
  older.close();
}
