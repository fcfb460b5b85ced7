import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../src/index.ts';
import { dump } from '../support/dump.ts';
import { caller, order } from '../support/shop.ts';

const running: Simulator[] = [];
afterEach(() => Promise.all(running.splice(0).map((sim) => sim.close())));

const folder = () => mkdtempSync(join(tmpdir(), 'layaway-log-'));
async function start(options: SimulatorOptions) {
  const sim = await createSimulator(options);
  running.push(sim);
  return sim;
}

test('the log survives a restart, ids and order and answers included, and goes on from there', async () => {
  const data = folder();
  const first = await start({ data });
  const { id } = await first.default.sessions.create(order());
  await expect(first.default.sessions.get('cs_unknown')).rejects.toThrow();
  const before = await first.default.logs.list();
  expect(before).toHaveLength(2);
  await first.close();

  const second = await start({ data });
  expect(await second.default.logs.list()).toEqual(before);
  expect(await second.default.logs.get(before[1]?.id as string)).toEqual(before[1]);
  await second.default.sessions.get(id);
  const after = await second.default.logs.list({ after: before[0]?.id as string });
  expect(after.map(({ path }) => path)).toEqual([`/v1/checkout-sessions/${id}`]);
});

test('what it keeps on the disk is masked, and a second restart shows the same', async () => {
  const data = folder();
  const first = await start({ data });
  const { apiKey, headers, webhookSecret } = first.default;
  const call = caller(first, { ...headers, authorization: 'Basic c2VjcmV0OnBhc3M=', cookie: 'sid=planted-cookie' });
  await call('POST', '/v1/sessions', order({ metadata: { key: apiKey, secret: webhookSecret } }));
  await call('POST', '/v1/sessions', order({ order_reference: 'https://ada:planted-word@shop.example/' }));
  await call('GET', '/v1/ping', undefined, { 'x-api-key': 'planted-key-of-no-usual-form' });
  const shown = await first.default.logs.list();
  await first.close();

  const second = await start({ data });
  expect(await second.default.logs.list()).toEqual(shown);
  const { requests: kept = [] } = await dump(second, data);
  const entries = kept.map((row) => (row as { entries: string }).entries).join('');
  expect(entries).toContain('POST');
  for (const secret of [
    apiKey,
    webhookSecret,
    'c2VjcmV0OnBhc3M=',
    'planted-cookie',
    'planted-word',
    'planted-key-of',
  ]) {
    expect(entries, secret).not.toContain(secret);
  }
  await second.close();
  const third = await start({ data });
  expect(await third.default.logs.list()).toEqual(shown);
});

test('it is bounded: the oldest requests go first', async () => {
  const data = folder();
  const first = await start({ data, rateLimit: 'off' });
  for (let n = 1; n <= 2_300; n += 1)
    await first.inject({ method: 'GET', url: `/v1/nothing/${n}`, headers: first.default.headers });
  await first.close();
  const second = await start({ data });
  const listed = await second.default.logs.list({ limit: 1000 });
  expect([listed[0]?.path, listed.at(-1)?.path]).toEqual(['/v1/nothing/2300', '/v1/nothing/1301']);
  const { requests: kept = [] } = await dump(second, data);
  const requests = kept.reduce<number>((sum, row) => sum + (row as { count: number }).count, 0);
  // They are forgotten in parts of up to 200, and the part across the bound stays.
  expect(requests).toBeGreaterThanOrEqual(1900);
  expect(requests).toBeLessThan(2200);
});

test('interface §11: explain says why it knows nothing about a request that the log dropped', async () => {
  const sim = await start({ rateLimit: 'off' });
  const shop = await sim.merchant();
  const ping = (headers: Record<string, string>, n: number) =>
    sim.inject({ method: 'GET', url: `/v1/nothing/${n}`, headers });
  for (let n = 1; n <= 1_100; n += 1) await ping(sim.default.headers, n);
  for (let n = 1; n <= 1_100; n += 1) await ping(shop.headers, n);
  const dropped = 'req_000000000007';
  const why = `The request log no longer has ${dropped}: it keeps the latest 2,000 requests, at most 4 MiB.`;
  for (const asked of [sim.default.explain(dropped), sim.default.logs.get(dropped), shop.explain(dropped)]) {
    await expect(asked).rejects.toMatchObject({ status: 404, message: expect.stringContaining(why) });
  }
  // One of another account, one that was never given, and no id of a request.
  for (const id of ['req_000000001000', 'req_000000009999', 'req_000000000000', 'req_7']) {
    await expect(shop.explain(id), id).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(/Id not found/),
    });
  }
});

test('interface §11: a server without a request log says so when it is asked about a request', async () => {
  const off = await start({ requestLog: false });
  const id = 'req_000000000001';
  for (const asked of [off.default.explain(id), off.default.logs.get(id)]) {
    await expect(asked).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining(
        `This server keeps no request log (--no-request-log), so it has nothing about ${id}.`,
      ),
    });
  }
  await expect(off.default.explain('evt_1')).rejects.toThrow('Id not found');
});

test('requestLog: false logs nothing, keeps what was there, and rows still name a cause', async () => {
  const data = folder();
  const first = await start({ data });
  await first.default.sessions.create(order());
  await first.close();
  const off = await start({ data, requestLog: false });
  const { id } = await off.default.sessions.create(order());
  expect(await off.default.logs.list()).toEqual([]);
  const { sessions = [] } = await dump(off, data);
  expect(sessions.find((row) => (row as { token: string }).token === id)).toMatchObject({
    cause: expect.stringMatching(/^req_/),
  });
  await off.close();
  const on = await start({ data });
  expect(await on.default.logs.list()).toHaveLength(1);
});

test('a restore leaves the log unchanged; the snapshot has the log of its own time', async () => {
  const data = folder();
  const sim = await start({ data });
  await sim.default.sessions.create(order());
  await sim.snapshots.save('early');
  await sim.default.sessions.create(order());
  await sim.snapshots.restore('early');
  expect(await sim.default.logs.list()).toHaveLength(2);
  const [file] = readdirSync(join(data, 'snapshots'));
  expect(readFileSync(join(data, 'snapshots', file as string), 'latin1')).toContain('/v1/sessions');
});
