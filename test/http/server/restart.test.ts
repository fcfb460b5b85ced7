import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSimulator, type SandboxShop } from '../../../src/index.ts';
import { buy, manualTime } from '../../support/shop.ts';

test('a simulator on the port of one that was closed is reached immediately, over connections that clients kept', async () => {
  let port = 0;
  for (let start = 1; start <= 6; start += 1) {
    await using sim = await createSimulator({ port, seed: 1 });
    port = Number(new URL(sim.url).port);
    const health = await fetch(`${sim.url}/healthz`);
    expect(health.status).toBe(200);
    await health.text();
  }
});

test.each<[string, (shop: SandboxShop) => Promise<unknown>]>([
  ['a session', ({ sessions }) => sessions.create({ order_reference: 'A-1', total_amount: 20_000 })],
  ['an event', buy],
  ['an event, and then a contract of the past', (shop) => buy(shop).then(() => shop.contracts.create({ days_ago: 5 }))],
])('decisions §1: a clock set back between two servers goes on from what was recorded last: %s', async (_, record) => {
  const data = mkdtempSync(join(tmpdir(), 'set-back-'));
  const time = manualTime();
  const first = await createSimulator({ data, time });
  await record(first.default);
  const { now } = await first.default.clock.show();
  await first.close();
  await using second = await createSimulator({ data, time: { ...time, now: () => time.now() - 3_600_000 } });
  expect((await second.default.clock.show()).now).toBe(now);
});
