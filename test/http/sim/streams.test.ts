import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSimulator, type SandboxShop, type Simulator } from '../../../src/index.ts';
import { enterDashboard } from '../../support/dashboard.ts';
import { eventStream } from '../../support/event-stream.ts';
import { headerLines } from '../../support/raw-request.ts';
import { caller } from '../../support/shop.ts';

/** Patience that ends when a test says so. */
const alarms = new Map<() => void, number>();
const time = {
  now: Date.now,
  after(ms: number, work: () => void) {
    alarms.set(work, ms);
    return () => void alarms.delete(work);
  },
};
const loseAllPatience = () => {
  for (const work of [...alarms.keys()]) {
    alarms.delete(work);
    work();
  }
};

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off', time });
});
afterAll(() => sim.close());

/** The answers of this process to requests for streams, as they were begun. */
let answers: ServerResponse[] = [];
const STARTED = 'http.server.request.start';
const note = (message: unknown) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  if (/\/(stream|changes)$/.test(request.url ?? '')) answers.push(response);
};
beforeEach(() => {
  answers = [];
  subscribe(STARTED, note);
});
afterEach(() => void unsubscribe(STARTED, note));

const turn = () => new Promise((resolve) => setImmediate(resolve));
const until = async (holds: () => boolean) => {
  while (!holds()) await turn();
};

/** A connection that asks for a stream and reads no further than the operating system does for it. */
async function silentReader(headers: Readonly<Record<string, string>>, path = '/_sim/events/stream'): Promise<Socket> {
  const { hostname, port, host } = new URL(sim.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  const begun = answers.length;
  socket.write(`GET ${path} HTTP/1.1\r\n${headerLines({ host, ...headers })}\r\n`);
  await until(() => answers.length > begun && answers.at(-1)?.headersSent === true);
  return socket;
}

/** The ids of the events that reached it whole, once it does read. */
async function idsRead(socket: Socket): Promise<string[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString('latin1');
  return [...text.matchAll(/^id: (evt_\w+)\nevent: [\w.]+\ndata: .*\n\n/gm)].map(([, id]) => id as string);
}

/** As much as metadata can hold: 100 kB. */
const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key ${n}`, '😀'.repeat(500)]));
const SESSIONS = 200;

const idsAfter = async (shop: SandboxShop, after: string) =>
  (await shop.events.list({ limit: 1000, after })).map(({ id }) => id);

const BOUND = 1024 * 1024;

describe('interface §6: a reader that does not read', () => {
  let shop: SandboxShop;
  let first: string;
  /** 200 sessions whose expiry is 20 MB of events: more than the operating system holds for a connection. */
  beforeAll(async () => {
    shop = await sim.merchant();
    await shop.sessions.cancel((await shop.sessions.create({ order_reference: 'A', total_amount: 20_000 })).id);
    first = (await shop.events.list())[0]?.id as string;
    for (let n = 0; n < SESSIONS; n += 1) {
      await shop.sessions.create({ order_reference: `A-${n}`, total_amount: 20_000, metadata });
    }
    await sim.snapshots.save('open-sessions');
  });
  beforeEach(() => sim.snapshots.restore('open-sessions'));

  test('is given no more than it takes, however much it resumes; memory stays bounded', async () => {
    await shop.clock.advance('1h');
    const headers = { ...shop.headers, 'last-event-id': first };
    const readers: Socket[] = [];
    for (let n = 0; n < 8; n += 1) readers.push(await silentReader(headers));
    await until(() => answers.every(({ writableNeedDrain }) => writableNeedDrain));
    for (const { writableLength, destroyed } of answers) {
      expect(destroyed).toBe(false);
      expect(writableLength).toBeLessThan(BOUND);
    }
    loseAllPatience();
    await until(() => answers.every(({ destroyed }) => destroyed));
    for (const reader of readers) reader.destroy();
  });

  test('is cut off when its key is revoked, however much it has not read', async () => {
    const { id, key } = await shop.keys.create({ name: 'short-lived' });
    await shop.clock.advance('1h');
    const reader = await silentReader({ ...shop.headers, 'x-api-key': key, 'last-event-id': first });
    const [answer] = answers as [ServerResponse];
    await until(() => answer.writableNeedDrain);
    await shop.keys.revoke(id);
    await until(() => answer.destroyed);
    reader.destroy();
  });

  test('is cut off, and resumes with Last-Event-ID, nothing missed and nothing twice', async () => {
    const reader = await silentReader(shop.headers);
    const [answer] = answers as [ServerResponse];
    let longest = 0;
    const watch = () => {
      longest = Math.max(longest, answer.writableLength);
      if (!answer.destroyed) setImmediate(watch);
    };
    watch();
    await shop.clock.advance('1h');
    await until(() => answer.writableNeedDrain);
    loseAllPatience();
    await until(() => answer.destroyed);
    expect(longest).toBeLessThan(BOUND);

    const read = await idsRead(reader);
    expect(read.length).toBeGreaterThan(0);
    expect(read.length).toBeLessThan(SESSIONS);
    await using resumed = await eventStream(sim, { ...shop.headers, 'last-event-id': read.at(-1) as string });
    const rest = await resumed.take(SESSIONS - read.length);
    expect([...read, ...rest.map(({ id }) => id)]).toEqual(await idsAfter(shop, first));
  });

  test('has as much patience again after each part that it reads', async () => {
    const reader = await silentReader(shop.headers);
    const [answer] = answers as [ServerResponse];
    await shop.clock.advance('1h');
    await until(() => answer.writableNeedDrain);
    const patience = () => [...alarms].flatMap(([work, ms]) => (ms === 5_000 ? [work] : []));
    const [begun] = patience();
    expect(begun).toBeDefined();
    reader.resume();
    await until(() => !patience().includes(begun as () => void));
    expect(answer.destroyed).toBe(false);
    reader.destroy();
    await until(() => answer.destroyed);
    expect(patience()).toEqual([]);
    await shop.sessions.cancel((await shop.sessions.create({ order_reference: 'B', total_amount: 20_000 })).id);
    expect(patience()).toEqual([]);
  });

  test('is cut off when it reports what it was sent, but reads none of it', async () => {
    const call = caller(sim, { ...shop.headers });
    const listener = { url: 'http://localhost:3000/', transport: 'listener' };
    const { id } = (await call('POST', '/_sim/webhook-endpoints', listener)).body.data;
    await shop.clock.advance('1h', { wait: false });
    const owed = [...(await shop.webhooks.deliveries({ endpoint_id: id, limit: 1000 }))].reverse();
    expect(owed).toHaveLength(SESSIONS);
    const reader = await silentReader(shop.headers, `/_sim/webhook-endpoints/${id}/stream`);
    const [answer] = answers as [ServerResponse];
    let longest = 0;
    for (const { id: delivery } of owed) {
      const report = () => call('POST', `/_sim/deliveries/${delivery}/report`, { status_code: 200, duration_ms: 1 });
      // Each is sent after the one before it was recorded.
      while (!answer.destroyed && (await report()).status === 409) await turn();
      if (!answer.destroyed) longest = Math.max(longest, answer.writableLength);
    }
    expect(answer.destroyed).toBe(true);
    expect(longest).toBeLessThan(BOUND);
    reader.destroy();
  });

  test('one that reads gets everything, however much comes at once', async () => {
    await using stream = await eventStream(sim, { ...shop.headers });
    const told = stream.take(SESSIONS);
    await shop.clock.advance('1h');
    expect((await told).map(({ id }) => id)).toEqual(await idsAfter(shop, first));
  });
});

/** A stream that is read to its end. */
async function open(path: string, headers: Readonly<Record<string, string>>) {
  const abort = new AbortController();
  const response = await fetch(sim.url + path, { headers, signal: abort.signal });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  let isOpen = true;
  const ended = response
    .text()
    .catch(() => undefined)
    .finally(() => {
      isOpen = false;
    });
  return { ended, isOpen: () => isOpen, close: () => abort.abort() };
}

async function streamsOf(shop: Pick<SandboxShop, 'headers'>) {
  const call = caller(sim, { ...shop.headers });
  const listener = { url: 'http://localhost:3000/', transport: 'listener' };
  const { id } = (await call('POST', '/_sim/webhook-endpoints', listener)).body.data;
  return ['/_sim/events/stream', '/_sim/browse/changes', `/_sim/webhook-endpoints/${id}/stream`];
}

describe('interface §6: behind a proxy that closes silent connections', () => {
  const beats = () => [...alarms].flatMap(([work, ms]) => (ms === 15_000 ? [work] : []));

  test('each stream sends a comment every 15 seconds, and none once its reader has left', async () => {
    const shop = await sim.merchant();
    for (const path of await streamsOf(shop)) {
      const abort = new AbortController();
      const { body } = await fetch(sim.url + path, { headers: shop.headers, signal: abort.signal });
      const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
      let told = '';
      const read = async (end: string) => {
        while (!told.endsWith(end)) told += (await reader.read()).value;
      };
      await read(path.endsWith('changes') ? '}\n\n' : ': open\n\n');
      for (let round = 1; round <= 2; round += 1) {
        told = '';
        loseAllPatience();
        await read('\n\n');
        expect(told).toBe(':\n\n');
      }
      abort.abort();
      await until(() => beats().length === 0);
    }
  });
});

describe('interface §6: the streams of a key end with it', () => {
  test.each([
    ['revoked', (shop: SandboxShop, id: string) => shop.keys.revoke(id)],
    ['gone after a restore', () => sim.snapshots.restore('before')],
    ['gone after a reset', () => sim.reset()],
  ])('%s; those of other keys and of the dashboard go on', async (_title, end) => {
    const shop = sim.default;
    const paths = await streamsOf(shop);
    await sim.snapshots.save('before', { overwrite: true });
    const { id, key } = await shop.keys.create({ name: 'short-lived' });
    const dashboard = { ...(await enterDashboard(sim)), 'x-layaway-account': shop.clientId };
    // The listener's own stream has one reader only.
    const others = [
      await open('/_sim/events/stream', shop.headers),
      await open('/_sim/events/stream', dashboard),
      await open('/_sim/browse/changes', dashboard),
    ];
    const its = await Promise.all(paths.map((path) => open(path, { ...shop.headers, 'x-api-key': key })));
    await end(shop, id);
    await Promise.all(its.map(({ ended }) => ended));
    await shop.sessions.create({ order_reference: 'A', total_amount: 20_000 });
    expect(others.map(({ isOpen }) => isOpen())).toEqual([true, true, true]);
    for (const { close } of others) close();
  });
});

test('a change of the platform or the snapshots, a new merchant, a profile that the other account changed: pages are told', async () => {
  const { headers, live } = await sim.merchant();
  const abort = new AbortController();
  const { body } = await fetch(`${sim.url}/_sim/browse/changes`, { headers, signal: abort.signal });
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let told = '';
  const read = async (end: string) => {
    while (!told.endsWith(end)) told += (await reader.read()).value;
  };
  await read('}\n\n');
  expect(told).toMatch(/^: open\n\nevent: open\ndata: \{"state":\d+\}\n\n$/);
  for (const change of [
    () => sim.platform.set({ disabled: false }),
    () => sim.merchant(),
    () => live.assumptions.set({ dba: 'Another Name' }),
    () => sim.snapshots.save('shown'),
    () => sim.snapshots.delete('shown'),
  ]) {
    told = '';
    await change();
    await read('event: change\ndata: {}\n\n');
    expect(told).toBe('event: change\ndata: {}\n\n');
  }
  abort.abort();
});

test('interface §6: the dashboard’s stream of an account ends when a reset removes the account', async () => {
  const { clientId } = await sim.merchant();
  const stream = await open('/_sim/events/stream', { ...(await enterDashboard(sim)), 'x-layaway-account': clientId });
  await sim.reset();
  await stream.ended;
  expect(stream.isOpen()).toBe(false);
});

describe('interface §3: a stream is a GET', () => {
  test('HEAD is answered with 405 and Allow, and takes no listener’s place', async () => {
    const shop = await sim.merchant();
    const paths = await streamsOf(shop);
    const listener = await open(paths[2] as string, shop.headers);
    for (const path of paths) {
      const { status, headers } = await fetch(sim.url + path, {
        method: 'HEAD',
        headers: shop.headers,
        signal: AbortSignal.timeout(5_000),
      });
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET']);
    }
    expect(listener.isOpen()).toBe(true);
    listener.close();
  });

  test('so is every other method', async () => {
    const shop = await sim.merchant();
    for (const path of await streamsOf(shop)) {
      const { status, headers } = await fetch(sim.url + path, { method: 'DELETE', headers: shop.headers });
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET']);
    }
  });
});
