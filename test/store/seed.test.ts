import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSimulator, type SimulatorOptions } from '../../src/index.ts';
import { createDraw } from '../../src/secrets/draw.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'layaway-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const start = (options: SimulatorOptions = {}) =>
  createSimulator({ data, clock: { frozenAt: '2026-01-01T00:00:00Z' }, ...options });
const order = { order_reference: 'A-1', total_amount: 20_000 };

/** Sets the stored seed of a simulator that has ended, and answers what was there. */
function exchange(seed: string): string {
  const db = new Database(join(data, 'layaway.db'));
  const before = db.prepare<[], string>('SELECT seed FROM workspace').pluck().get() as string;
  db.prepare('UPDATE workspace SET seed = ?').run(seed);
  db.close();
  return before;
}

describe('decisions §1: keys follow from a seed only where one was given', () => {
  test('without one, no key follows from what is stored, and all of them outlive a restart', async () => {
    const first = await start();
    const shop = await first.merchant();
    const secret = first.default.webhookSecret;
    await first.close();
    const stored = exchange('');
    const derived = createDraw(stored);
    for (const n of [1, 2, 3, 4]) {
      for (const { firstKey, apiKey } of [derived, createDraw('')]) {
        expect([firstKey('sandbox', n), apiKey('sandbox', n)]).not.toContain(shop.apiKey);
      }
    }
    await using second = await start();
    const answer = await second.inject({ method: 'GET', url: '/v1/ping', headers: shop.headers });
    expect(answer.statusCode).toBe(200);
    expect(second.default.webhookSecret).toBe(secret);
  });

  test('without one, what is drawn after a restore is new', async () => {
    await using sim = await start();
    await sim.snapshots.save('before');
    const { id } = await sim.default.sessions.create(order);
    const { apiKey } = await sim.merchant();
    await sim.snapshots.restore('before');
    expect((await sim.default.sessions.create(order)).id).not.toBe(id);
    expect((await sim.merchant()).apiKey).not.toBe(apiKey);
  });

  test('a directory that holds one goes on with it, and a reset without one ends it', async () => {
    await (await start()).close();
    exchange('kept');
    await using sim = await start();
    expect((await sim.merchant()).apiKey).toBe(createDraw('kept').firstKey('sandbox', 2));
    await sim.reset();
    expect((await sim.merchant()).apiKey).not.toBe(createDraw('kept').firstKey('sandbox', 2));
  });

  test('with one, a restore draws the same again', async () => {
    await using sim = await start({ seed: 1 });
    await sim.snapshots.save('before');
    const { id } = await sim.default.sessions.create(order);
    await sim.snapshots.restore('before');
    expect((await sim.default.sessions.create(order)).id).toBe(id);
  });
});
