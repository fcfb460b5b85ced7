import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../../src/index.ts';
import { createAbsence } from '../../../src/time/absence.ts';
import { caller, expectData, manualTime, unreliableTime } from '../../support/shop.ts';
import { createWorld } from '../../walk/world.ts';

const HOUR = 3_600_000;
const URL = 'http://localhost:3000/webhooks';
type ManualTime = ReturnType<typeof manualTime>;

const open: Simulator[] = [];
afterEach(async () => {
  for (const sim of open.splice(0)) await sim.close();
});

async function begin({ time = manualTime(), ...options }: SimulatorOptions & { time?: ManualTime } = {}) {
  const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, time, ...options });
  open.push(sim);
  const call = caller(sim, { ...sim.default.headers });
  const register = (more: object = {}) =>
    call('POST', '/_sim/webhook-endpoints', { url: URL, transport: 'listener', ...more });
  const endpoint = async () => expectData(await call('GET', '/_sim/webhook-endpoints'))[0];
  return {
    ...{ time, sim, call, endpoint },
    listen: async (more: object = {}) => expectData(await register(more), 200),
    begins: async () => expectData(await register(), 201),
    /** Makes one event, which every endpoint is owed. */
    async happens() {
      const { id } = await sim.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
      await sim.default.sessions.cancel(id);
    },
    /** Is connected until what is returned is called. */
    async connects(id: string) {
      const abort = new AbortController();
      const { headers } = sim.default;
      const response = await fetch(`${sim.url}/_sim/webhook-endpoints/${id}/stream`, { headers, signal: abort.signal });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      return async () => {
        abort.abort();
        await reader.closed.catch(() => undefined);
        await expect.poll(async () => (await endpoint()).disconnected_at).not.toBe(null);
      };
    },
    failed: async () => expectData(await call('GET', '/_sim/deliveries?status=failed')).length,
  };
}

test('interface §2: an endpoint is disconnected, in real time, while nobody listens for it', async () => {
  const { time, begins, connects, endpoint, happens } = await begin();
  const { id, ...created } = await begins();
  expect(created).toMatchObject({ disconnected_at: '2026-01-01T00:00:00.000000Z', owed: 0 });
  const leave = await connects(id);
  expect(await endpoint()).toMatchObject({ disconnected_at: null, owed: 0 });
  time.pass(60_000);
  await leave();
  await happens();
  expect(await endpoint()).toMatchObject({ enabled: true, disconnected_at: '2026-01-01T00:01:00.000000Z', owed: 1 });
});

test('interface §2: what happens meanwhile is owed for an hour of real time, and then given up', async () => {
  const { time, begins, endpoint, happens, failed, listen } = await begin();
  await begins();
  await happens();
  time.pass(HOUR - 1);
  expect(await endpoint()).toMatchObject({ enabled: true, owed: 1 });
  time.pass(1);
  expect(await endpoint()).toMatchObject({
    enabled: false,
    disabled_reason: 'nobody listened for an hour',
    disconnected_at: '2026-01-01T00:00:00.000000Z',
    owed: 0,
  });
  expect(await failed()).toBe(1);
  await happens();
  expect((await endpoint()).owed).toBe(0);
  expect(await listen()).toMatchObject({ enabled: true, owed: 0, disconnected_at: '2026-01-01T01:00:00.000000Z' });
  await happens();
  expect((await endpoint()).owed).toBe(1);
});

test('interface §11: the explanation of an endpoint tells when nobody listened, and who was back', async () => {
  const { time, sim, begins, happens, listen } = await begin();
  const { id } = await begins();
  await happens();
  time.pass(HOUR);
  const told = async () =>
    (await sim.default.explain(id)).chain.slice(2).map(({ kind, what, because }) => [kind, what, because]);
  const disabled = [
    'transition',
    `Webhook endpoint ${URL} was disabled: nobody listened for an hour.`,
    expect.stringMatching(
      /^An hour of real time passed without a layaway listen for it\. Its pending deliveries failed/,
    ),
  ];
  expect(await told()).toEqual([disabled]);
  await listen();
  expect(await told()).toEqual([
    disabled,
    ['lever', 'layaway listen ran for the endpoint again (createWebhookEndpoint).', expect.any(String)],
    ['transition', `Webhook endpoint ${URL} was enabled.`, expect.any(String)],
  ]);
});

test('interface §11: an endpoint that was given up although nothing was owed to it is told as disabled', async () => {
  const { time, sim, begins } = await begin();
  const { id } = await begins();
  time.pass(HOUR);
  const { state, chain } = await sim.default.explain(id);
  expect(state).toBe('disabled');
  expect(chain.slice(2)).toMatchObject([
    {
      at: chain[0]?.at,
      kind: 'transition',
      what: `Webhook endpoint ${URL} was disabled: nobody listened for an hour.`,
    },
  ]);
});

test('interface §11: a listen before the endpoint existed is not of its explanation', async () => {
  const { call, sim, begins, listen } = await begin();
  const removed = await begins();
  await call('DELETE', `/_sim/webhook-endpoints/${removed.id}`);
  const { id } = await begins();
  const levers = async () => (await sim.default.explain(id)).chain.filter(({ kind }) => kind === 'lever');
  expect((await levers()).map(({ what }) => what)).toEqual(['A webhook endpoint was added (createWebhookEndpoint).']);
  await listen();
  expect((await levers()).map(({ what }) => what)).toEqual([
    'A webhook endpoint was added (createWebhookEndpoint).',
    'layaway listen ran for the endpoint again (createWebhookEndpoint).',
  ]);
});

test('who listens is not given up on, however long', async () => {
  const { time, begins, connects, endpoint } = await begin();
  const { id } = await begins();
  const leave = await connects(id);
  time.pass(3 * HOUR);
  expect(await endpoint()).toMatchObject({ enabled: true, disconnected_at: null });
  await leave();
});

test('a computer that slept for an hour has not listened for an hour', async () => {
  const { time, begins, endpoint } = await begin();
  await begins();
  time.sleep(2 * HOUR);
  time.pass(60_000);
  expect(await endpoint()).toMatchObject({ enabled: false });
});

test('interface §2: a listener that skips what it missed is owed nothing of it', async () => {
  const { begins, endpoint, happens, failed, listen } = await begin();
  await begins();
  await happens();
  expect(await listen({ skip_missed: true })).toMatchObject({ enabled: true, owed: 0 });
  expect(await failed()).toBe(1);
  await happens();
  expect((await endpoint()).owed).toBe(1);
});

test('a server that was closed under its listener knows at the next start that nobody listens', async () => {
  const data = await mkdtemp(join(tmpdir(), 'layaway-absence-'));
  const first = await begin({ data });
  const { id } = await first.begins();
  await first.connects(id);
  await first.sim.close();
  const second = await begin({ data });
  expect(await second.endpoint()).toMatchObject({ id, disconnected_at: '2026-01-01T00:00:00.000000Z' });
  expect(second.sim.endpoints).toEqual([
    {
      ...{ clientId: second.sim.default.clientId, url: URL, transport: 'listener', enabled: true, owed: 0 },
      secret: second.sim.default.webhookSecret,
    },
  ]);
  second.time.pass(HOUR);
  expect(await second.endpoint()).toMatchObject({ enabled: false });
});

test('interface §2: the hour of a listener that is away goes on while the server is down', async () => {
  const data = await mkdtemp(join(tmpdir(), 'layaway-absence-'));
  const time = manualTime();
  const first = await begin({ data, time });
  await first.begins();
  time.pass(HOUR / 2);
  await first.sim.close();
  const second = await begin({ data, time });
  expect(await second.endpoint()).toMatchObject({ enabled: true, disconnected_at: '2026-01-01T00:00:00.000000Z' });
  time.pass(HOUR / 2);
  expect(await second.endpoint()).toMatchObject({ enabled: false });
});

test('the hour of each listener ends exactly, whenever the others went away', async () => {
  const { time, begins, call } = await begin();
  await begins();
  time.pass(HOUR / 2 + 30_000);
  const url = 'http://localhost:3001/webhooks';
  expectData(await call('POST', '/_sim/webhook-endpoints', { url, transport: 'listener' }), 201);
  const enabled = async () =>
    expectData(await call('GET', '/_sim/webhook-endpoints'))
      .reverse()
      .map((endpoint: { enabled: boolean }) => endpoint.enabled);
  time.pass(HOUR / 2 - 30_001);
  expect(await enabled()).toEqual([true, true]);
  time.pass(1);
  expect(await enabled()).toEqual([false, true]);
  time.pass(HOUR / 2 + 29_999);
  expect(await enabled()).toEqual([false, true]);
  time.pass(1);
  expect(await enabled()).toEqual([false, false]);
});

test('what fails while the server looks who is away is told, and is tried again a minute later', async () => {
  const time = unreliableTime();
  const faults: unknown[] = [];
  const { begins, endpoint } = await begin({ time, onFault: (fault) => faults.push(fault) });
  await begins();
  time.isUnknown = true;
  time.pass(60_000);
  time.isUnknown = false;
  expect(faults).toEqual([new Error('The time is not known.')]);
  time.pass(HOUR - 60_000);
  expect(await endpoint()).toMatchObject({ enabled: false });
  expect(faults).toHaveLength(1);
});

test('a listener that leaves while that cannot be noted is noted a minute later', async () => {
  const time = unreliableTime();
  const faults: unknown[] = [];
  const { begins, sim, endpoint } = await begin({ time, onFault: (fault) => faults.push(fault) });
  const { id } = await begins();
  const abort = new AbortController();
  const { headers } = sim.default;
  await fetch(`${sim.url}/_sim/webhook-endpoints/${id}/stream`, { headers, signal: abort.signal });
  expect(await endpoint()).toMatchObject({ disconnected_at: null });
  time.isUnknown = true;
  abort.abort();
  await expect.poll(() => faults).toEqual([new Error('The time is not known.')]);
  time.isUnknown = false;
  time.pass(60_000);
  expect(await endpoint()).toMatchObject({ disconnected_at: '2026-01-01T00:01:00.000000Z' });
});

test('a server that is closing no longer gives up on anybody', () => {
  const { engine, store } = createWorld('1');
  const { account } = engine.createMerchant({ clock: { mode: 'frozen', at: 0 } }).sandbox;
  engine.createEndpoint(account, { url: URL, events: ['*'], transport: 'listener' });
  const [time, faults] = [manualTime(), [] as unknown[]];
  const absence = createAbsence({
    ...{ time, engine, endpoints: store.endpoints, listeners: { isConnected: () => false } },
    fault: (error) => faults.push(error),
  });
  absence.stop();
  absence.reconcile();
  time.pass(2 * HOUR);
  expect([store.endpoints.list(account.id).map(({ enabled }) => enabled), faults]).toEqual([[true], []]);
});

test('after a reset, the endpoint of a listener that is there is connected', async () => {
  const { sim, begins, connects, endpoint } = await begin();
  const { id } = await begins();
  await connects(id);
  await sim.reset();
  expect(await endpoint()).toMatchObject({ url: URL, disconnected_at: null });
});

test('interface §2: after a restore, an endpoint whose listener has left since is disconnected', async () => {
  const { sim, begins, connects, endpoint } = await begin();
  const { id } = await begins();
  const leave = await connects(id);
  await sim.snapshots.save('listening');
  await leave();
  await sim.snapshots.restore('listening');
  expect((await endpoint()).disconnected_at).not.toBeNull();
});

test('interface §2: where the server sends, and a receiver that gets each event twice, is told at the start', async () => {
  const data = await mkdtemp(join(tmpdir(), 'layaway-absence-'));
  const first = await begin({ data });
  await first.begins();
  await first.sim.default.webhooks.add('http://127.0.0.1:3000/webhooks/');
  await first.sim.default.live.webhooks.add('http://localhost:3001/live');
  await first.sim.close();
  const second = await begin({ data, forwardTo: ['http://localhost:3002/more', 'http://127.0.0.1:3000/webhooks/'] });
  expect(second.sim.endpoints.map(({ clientId, url, transport }) => [clientId, url, transport])).toEqual([
    [second.sim.default.clientId, URL, 'listener'],
    [second.sim.default.clientId, 'http://127.0.0.1:3000/webhooks/', 'http'],
    [second.sim.default.clientId, 'http://localhost:3002/more', 'http'],
    [second.sim.default.live.clientId, 'http://localhost:3001/live', 'http'],
  ]);
  expect(second.sim.webhooks.map(({ url }) => url)).toEqual([
    'http://127.0.0.1:3000/webhooks/',
    'http://localhost:3002/more',
  ]);
  expect(second.sim.notes).toContainEqual(
    expect.stringMatching(
      /^A `layaway listen` forwards to http:\/\/127\.0\.0\.1:3000\/webhooks\/ too: .* twice\..*remove we_/,
    ),
  );
});

test('a start that forwards to a disabled endpoint says why nothing is sent', async () => {
  const data = await mkdtemp(join(tmpdir(), 'layaway-absence-'));
  const first = await begin({ data, forwardTo: [URL] });
  const { id } = expectData(await first.call('GET', '/_sim/webhook-endpoints'))[0];
  const listener = await first.begins();
  for (const each of [id, listener.id]) await first.sim.default.webhooks.disable(each);
  await first.sim.close();
  const second = await begin({ data, forwardTo: [URL] });
  expect(second.sim.notes).toContain(
    `Nothing is sent to ${URL}: disabled by hand. To enable the endpoint again: layaway webhooks enable ${id}`,
  );
  expect(second.sim.notes.join()).not.toContain('twice');
  expect(second.sim.webhooks).toEqual([]);
});
