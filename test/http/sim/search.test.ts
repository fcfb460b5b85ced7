import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { openReceiver } from '../../support/receiver.ts';
import { expectData, openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, rateLimit: 'off', clock: { frozenAt: '2026-01-01T09:30:00Z' } });
});
afterAll(() => sim.close());

type Hit = { kind: string; id: string; title: string; note: string; status: string | null };
async function searcher() {
  const shop = await openShop(sim);
  const search = async (text: string) => {
    const answer = await shop.call('GET', `/_sim/browse/search?${new URLSearchParams({ text })}`);
    expectData(answer);
    return answer.body as { data: Hit[]; meta: { more: boolean } };
  };
  return {
    ...shop,
    search,
    found: async (text: string) => (await search(text)).data.map(({ kind, id }) => [kind, id]),
  };
}

async function customer(shop: TestShop, name: string, email: string, order = 'A-1') {
  const { id } = await shop.open({ order_reference: order });
  const { reference } = await shop.step(id, 'complete', { customer_name: name, customer_email: email });
  return { id, reference } as { id: string; reference: string };
}

describe('one search', () => {
  test('finds a customer by half a name, an order, half an address, and a checkout that nobody accepted', async () => {
    const shop = await searcher();
    const grace = await customer(shop, 'Grace Hopper', 'grace@navy.example', 'ORDER-77');
    await customer(shop, 'Ada Byron', 'ada@example.com');
    expect((await shop.search('ce hopp')).data[0]).toEqual({
      kind: 'contract',
      id: grace.reference,
      title: 'Grace Hopper',
      note: 'grace@navy.example · ORDER-77',
      status: 'active',
    });
    expect(await shop.found('  hopper ')).toEqual([['contract', grace.reference]]);
    expect(await shop.found('HOPPER')).toEqual([['contract', grace.reference]]);
    const ofOrder = await shop.found('der-77');
    expect(ofOrder).toContainEqual(['contract', grace.reference]);
    expect(ofOrder).toContainEqual(['session', grace.id]);
    const ofAddress = await shop.found('@navy');
    expect(ofAddress.map(([kind]) => kind)).toEqual(['contract', 'email']);
    const { id } = await shop.open({ order_reference: 'LEFT-OPEN' });
    expect(await shop.found('left-open')).toEqual([['session', id]]);
    expect(await shop.found('nobody of the kind')).toEqual([]);
  });

  test('finds events by id, type and subject, deliveries by id and URL, and emails', async () => {
    await using receiver = await openReceiver();
    const shop = await searcher();
    await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
    const { reference } = await customer(shop, 'Ada Byron', 'ada@example.com');
    const newest = async (list: string) => expectData(await shop.call('GET', `/_sim/${list}`))[0].id as string;
    for (const [kind, list] of [
      ['event', 'events'],
      ['delivery', 'deliveries'],
      ['email', 'emails'],
    ] as const) {
      const id = await newest(list);
      expect(await shop.found(id.slice(-9)), kind).toEqual([[kind, id]]);
    }
    expect((await shop.found('contract.act')).map(([kind]) => kind)).toEqual(['event']);
    expect((await shop.found(new URL(receiver.url).host)).map(([kind]) => kind)).toContain('delivery');
    expect((await shop.found(reference)).map(([kind]) => kind)).toEqual(['contract', 'event', 'email']);
  });

  test('five of a kind, and whether there are more; nothing of another account; %, _ and \\ stand for themselves', async () => {
    const shop = await searcher();
    for (let n = 0; n < 5; n += 1) await shop.open({ order_reference: `MANY-${n}` });
    expect((await shop.search('many-')).meta).toEqual({ more: false });
    await shop.open({ order_reference: 'MANY-5' });
    const { data, meta } = await shop.search('many-');
    expect([data.map(({ title }) => title), meta]).toEqual([
      ['MANY-5', 'MANY-4', 'MANY-3', 'MANY-2', 'MANY-1'],
      { more: true },
    ]);
    expect((await shop.search('many-3')).meta).toEqual({ more: false });
    const { id } = await shop.open({ order_reference: 'C:\\temp' });
    expect(await shop.found('c:\\t')).toEqual([['session', id]]);
    const other = await searcher();
    expect(await other.found('many-')).toEqual([]);
    for (const wild of ['M%3', 'many_3']) expect(await shop.found(wild)).toEqual([]);
    expect((await shop.call('GET', '/_sim/browse/search')).status).toBe(422);
  });

  test('previews are not found, as no list shows them', async () => {
    const shop = await searcher();
    const preview = { order_reference: 'PRE-1', total_amount: 20_000, return_url: 'https://a.example/', preview: true };
    const body = { ...preview, cancel_url: 'https://a.example/' };
    const { id } = expectData(await shop.call('POST', '/_sim/sessions', body), 201);
    await shop.step(id, 'complete', { customer_name: 'Preview Person' });
    for (const text of ['preview person', 'PRE-1', id]) expect(await shop.found(text)).toEqual([]);
  });
});

test('law 5: a search among many contracts lets others have their turn', async () => {
  const data = mkdtempSync(join(tmpdir(), 'layaway-search-'));
  const options = { seed: 1, data, rateLimit: 'off', clock: { frozenAt: '2026-01-01T00:00:00Z' } } as const;
  {
    await using server = await createSimulator(options);
    const { id } = await server.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await server.default.sessions.complete(id, { customer_name: 'Oldest Of All', customer_email: 'ada@example.com' });
  }
  const contracts = 20_000;
  multiply(join(data, 'layaway.db'), contracts);
  await using server = await createSimulator(options);
  const ask = async (text: string) => {
    const query = new URLSearchParams({ text });
    const url = `${server.url}/_sim/browse/search?${query}`;
    const answer = await fetch(url, { headers: server.default.headers });
    return ((await answer.json()) as { data: Hit[] }).data;
  };
  await ask('warm up');
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  // The last of all in the list: every slice is read.
  const found = await ask('oldest');
  isOver = true;
  expect(found.map(({ title }) => title)).toEqual(['Oldest Of All']);
  // Contracts and sessions, 2,000 rows at a time.
  expect(turns).toBeGreaterThanOrEqual((2 * contracts) / 2_000);
});

/** Copies the only contract, each copy newer than the one before. */
function multiply(file: string, count: number) {
  const db = new Database(file);
  const own: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    sessions: { id: 'n', token: "'cs_' || printf('%032d', n)" },
    contracts: {
      id: 'n',
      session_id: 'n',
      reference: "'LAY-' || printf('%010d', n)",
      created_at: 'created_at + n',
      customer_name: "'Customer ' || n",
    },
  };
  db.pragma('synchronous = OFF');
  db.transaction(() => {
    for (const [table, changed] of Object.entries(own)) {
      const columns = db.pragma(`table_info(${table})`) as { name: string }[];
      const values = columns.map(({ name }) => changed[name] ?? name).join(', ');
      db.prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         INSERT INTO ${table} SELECT ${values} FROM numbers CROSS JOIN (SELECT * FROM ${table}) ORDER BY n`,
      ).run(count);
    }
  })();
  db.close();
}
