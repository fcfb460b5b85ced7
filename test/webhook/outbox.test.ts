import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createSimulator, verifyWebhook } from '../../src/index.ts';
import { startUntilReady } from '../support/child.ts';
import { openReceiver, type Reply } from '../support/receiver.ts';
import { type Call, caller, expectData, manualTime, order } from '../support/shop.ts';

const START = '2026-01-01T00:00:00Z';
const END = '2026-04-01T00:00:00Z';

/** A server of its own process; `DIES_SENDING` ends it by SIGKILL with the first byte it would send to a receiver. */
const SERVER = `
  import http from 'node:http';
  import { syncBuiltinESMExports } from 'node:module';
  if (process.env.DIES_SENDING) {
    http.request = () => process.kill(process.pid, 'SIGKILL');
    syncBuiltinESMExports();
  }
  const { createSimulator } = await import(process.env.LAYAWAY);
  const sim = await createSimulator(JSON.parse(process.env.OPTIONS));
  console.log(JSON.stringify({ url: sim.url, headers: sim.default.headers, secret: sim.default.env.LAYAWAY_WEBHOOK_SECRET }));
`;

type Server = Awaited<ReturnType<typeof serve>>;

function stateDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'layaway-outbox-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function serve(data: string, forwardTo: string, env: Record<string, string> = {}) {
  const server = await startUntilReady(process.execPath, ['--input-type=module', '-e', SERVER], {
    env: {
      ...process.env,
      LAYAWAY: pathToFileURL(join(inject('layaway'), 'dist/index.js')).href,
      OPTIONS: JSON.stringify({ data, forwardTo: [forwardTo], seed: 4, clock: { frozenAt: START } }),
      ...env,
    },
  });
  onTestFinished(() => server.signal('SIGKILL'));
  const { url, headers, secret } = JSON.parse(server.ready);
  return { ...server, url: url as string, secret: secret as string, call: caller({ url }, headers) };
}

/** A request to a server that may die before it answers. */
const tried = (answer: ReturnType<Call>) => answer.catch(() => null);

const open = async ({ call }: Server) => expectData(await call('POST', '/v1/sessions', order()), 201).id as string;
const complete = ({ call }: Server, id: string) => call('POST', `/_sim/sessions/${id}/complete`, {});
const settle = async ({ call }: Server) => expectData(await call('POST', '/_sim/clock/advance', { by: '0s' }));
const listed = async ({ call }: Server, list: 'events' | 'deliveries') =>
  expectData(await call('GET', `/_sim/${list}?limit=1000`)).reverse();

const CHECKOUT = ['session.decision_made', 'contract.activated', 'session.completed'];

describe('decisions §6: killed at any moment, the outbox loses nothing', () => {
  test('between commit and send: what nobody sent is sent after the restart, once', async () => {
    const data = stateDirectory();
    await using receiver = await openReceiver();
    const doomed = await serve(data, receiver.url, { DIES_SENDING: 'yes' });
    const id = await open(doomed);
    await tried(complete(doomed, id));
    expect((await doomed.ended).signal).toBe('SIGKILL');
    expect(receiver.received).toEqual([]);

    const server = await serve(data, receiver.url);
    await settle(server);
    expect(receiver.types()).toEqual(CHECKOUT);
    const deliveries = await listed(server, 'deliveries');
    expect(deliveries.map((d: { status: string; attempts: object[] }) => [d.status, d.attempts.length])).toEqual(
      Array(3).fill(['delivered', 1]),
    );
    await server.kill();
  });

  test('between send and record: sent twice, with the same id and the same bytes, and both verify', async () => {
    const data = stateDirectory();
    let server: Server;
    const killsSender: Reply = (response) => {
      process.kill(server.pid, 'SIGKILL');
      response.end();
    };
    await using receiver = await openReceiver([killsSender]);
    server = await serve(data, receiver.url);
    const id = await open(server);
    await tried(complete(server, id));
    expect((await server.ended).signal).toBe('SIGKILL');
    expect(receiver.received).toHaveLength(1);

    server = await serve(data, receiver.url);
    await settle(server);
    expect(receiver.types()).toEqual(['session.decision_made', ...CHECKOUT]);
    const [first, second] = receiver.received as [(typeof receiver.received)[0], (typeof receiver.received)[0]];
    expect(second.body).toBe(first.body);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    for (const { body, headers } of receiver.received) verifyWebhook(body, headers, server.secret);
    // The attempt that nobody lived to record is not one.
    const deliveries = await listed(server, 'deliveries');
    expect(deliveries.map(({ attempts }: { attempts: object[] }) => attempts.length)).toEqual([1, 1, 1]);
    await server.kill();
  });

  test('again and again in the middle of an advance: every event arrives, in order, as in an uninterrupted run', async () => {
    const data = stateDirectory();
    let server: Server;
    const kills: string[] = [];
    let count = 0;
    /** Every third request ends the sender before it can write down that it was answered. */
    const answer = (response: ServerResponse) => {
      count += 1;
      if (count % 3 === 0) {
        kills.push(receiver.received.at(-1)?.headers['webhook-id'] as string);
        process.kill(server.pid, 'SIGKILL');
      }
      response.end();
    };
    await using receiver = await openReceiver(Array<Reply>(1000).fill(answer));
    server = await serve(data, receiver.url);
    const id = await open(server);
    await tried(complete(server, id));
    for (;;) {
      const journey = await tried(server.call('POST', '/_sim/clock/advance', { to: END }));
      if (journey) {
        expectData(journey);
        break;
      }
      await server.ended;
      server = await serve(data, receiver.url);
    }

    const events = await listed(server, 'events');
    expect(events.map(story)).toEqual(await uninterrupted());
    expect((await listed(server, 'deliveries')).every(({ status }: { status: string }) => status === 'delivered')).toBe(
      true,
    );
    await server.kill();

    expect(kills.length).toBeGreaterThan(2);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'] as string);
    expect([...new Set(ids)]).toEqual(events.map((event: { id: string }) => event.id));
    // Each death forgets what it could not write down: the answer it was given, and the few before it.
    expect(ids.length).toBeLessThanOrEqual(events.length + kills.length * 9);
    for (const killed of kills) expect(ids.filter((id) => id === killed).length).toBeGreaterThan(1);
    for (const event of events) {
      const times = ids.filter((candidate) => candidate === event.id).length;
      expect(times).toBeLessThanOrEqual(1 + kills.length);
      const bodies = receiver.received.filter(({ headers }) => headers['webhook-id'] === event.id);
      expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
      expect(JSON.parse(bodies[0]?.body as string)).toEqual(event);
    }
  });
});

const story = ({ type, created_at }: { type: string; created_at: string }) => `${created_at} ${type}`;

/** The same plan without anybody killed. */
async function uninterrupted() {
  await using sim = await createSimulator({ seed: 4, clock: { frozenAt: START } });
  const shop = sim.default;
  const { id } = await shop.sessions.create(order());
  await shop.sessions.complete(id);
  await shop.clock.advance({ to: END });
  return (await shop.events.list({ limit: 1000 })).map(story).reverse();
}

describe('decisions §6: attempts in the future survive a restart, on a running clock', () => {
  test('the alarm rings for a retry by itself', async () => {
    const time = manualTime(START);
    await using receiver = await openReceiver([500]);
    await using sim = await createSimulator({ time, forwardTo: [receiver.url] });
    const [endpoint] = await sim.default.webhooks.list();
    await caller(sim, { ...sim.default.headers })('POST', `/_sim/webhook-endpoints/${endpoint?.id}/test`);
    expect(receiver.received).toHaveLength(1);
    // The next alarm is set once the turn is over.
    const nextSecond = () => {
      time.pass(1000);
      return receiver.received.length;
    };
    await expect.poll(nextSecond).toBe(2);
    expect(time.now() - Date.parse(START)).toBeGreaterThanOrEqual(5000);
  });

  test('what fell due while the server was away is attempted at the start, in the order of its instants', async () => {
    const data = stateDirectory();
    const time = manualTime(START);
    await using receiver = await openReceiver([500, 500, 503, 500]);
    const options = { data, time, forwardTo: [receiver.url] };
    let sim = await createSimulator(options);
    const { id } = await sim.default.sessions.create(order());
    await sim.default.sessions.complete(id);
    await sim.default.clock.advance('0s');
    expect(receiver.types()).toEqual(CHECKOUT);
    // The first one is attempted again and fails again: now it is due after the other two.
    await sim.default.clock.advance('5s');
    const before = receiver.received.length;
    await sim.close();

    time.pass(20 * 86_400_000);
    sim = await createSimulator(options);
    await sim.default.clock.advance('0s');
    const pending = await sim.default.webhooks.deliveries({ status: 'pending' });
    expect(pending).toEqual([]);
    expect(receiver.types().slice(before)).toEqual(['session.decision_made', 'installment.paid']);
    await sim.close();
  });
});
