import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { createFaults } from '../../src/engine/fault.ts';
import { createOutbox, type Outbox } from '../../src/engine/outbox.ts';
import { createViews } from '../../src/http/answer/views.ts';
import { sameDigest, sha256 } from '../../src/secrets/digest.ts';
import { createDraw } from '../../src/secrets/draw.ts';
import { createSimulator } from '../../src/simulator.ts';
import { openStore } from '../../src/store/store.ts';
import { createClocks } from '../../src/time/clocks.ts';
import { realTime } from '../../src/time/real.ts';
import { createCarry } from '../../src/webhook/carry.ts';
import { createCourier } from '../../src/webhook/courier.ts';
import { createDeliver } from '../../src/webhook/deliver.ts';
import { verify } from '../../src/webhook/verify.ts';
import { openReceiver } from '../support/receiver.ts';

test('decisions §1: an answer that arrives after a reset is not recorded for the new ids', async () => {
  let answer = () => undefined as unknown;
  const asked = deferred();
  await using receiver = await openReceiver([
    (response) => {
      answer = () => response.writeHead(500).end();
      asked.resolve(undefined);
    },
  ]);
  await using sim = await createSimulator({
    seed: 1,
    clock: { frozenAt: '2026-01-01T00:00:00Z' },
    forwardTo: [receiver.url],
  });
  const opens = async () => {
    const { id } = await sim.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await sim.default.sessions.accept(id, { customer_name: 'Ada', customer_email: 'ada@example.com' });
  };
  await opens();
  await asked.promise;
  const [before] = await sim.default.webhooks.deliveries();
  await sim.reset();
  await opens();
  answer();
  await sim.default.clock.advance('0s');
  const [after] = await sim.default.webhooks.deliveries();
  expect(after?.id).toBe(before?.id);
  expect(after).toMatchObject({ status: 'delivered', attempts: [{ number: 1, status_code: 200 }] });
});

test('decisions §6: the timestamp is of the attempt, however long the receiver took for the one before', async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  await using receiver = await openReceiver([
    (response) => {
      nowMs += 7_000;
      response.end();
    },
  ]);
  const time = { now: () => nowMs, after: () => () => undefined };
  await using sim = await createSimulator({
    time,
    clock: { frozenAt: '2026-01-01T00:00:00Z' },
    forwardTo: [receiver.url],
  });
  const { id } = await sim.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  await sim.default.sessions.complete(id);
  await sim.default.clock.advance('0s');
  const [firstSeconds, ...laterSeconds] = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect(laterSeconds).toEqual([Number(firstSeconds) + 7, Number(firstSeconds) + 7]);
  for (const { body, headers } of receiver.received) {
    const secret = sim.default.env.LAYAWAY_WEBHOOK_SECRET as string;
    expect(verify(body, headers, secret, { now: nowMs })).toMatchObject({ id: headers['webhook-id'] });
  }
});

test('closing does not wait for a receiver that hangs, and what it was sent stays owed', {
  timeout: 10_000,
}, async () => {
  const asked = deferred();
  await using receiver = await openReceiver([() => asked.resolve(undefined)]);
  const data = await mkdtemp(join(tmpdir(), 'layaway-courier-'));
  try {
    const clock = { frozenAt: '2026-01-01T00:00:00Z' };
    const before = await createSimulator({ data, clock, forwardTo: [receiver.url] });
    const { id } = await before.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await before.default.sessions.cancel(id);
    const advance = before.default.clock.advance('0s');
    await asked.promise;
    await Promise.all([before.close(), advance]);

    await using after = await createSimulator({ data });
    await after.default.clock.advance('0s');
    expect(receiver.types()).toEqual(['session.cancelled', 'session.cancelled']);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await after.default.webhooks.deliveries()).toMatchObject([
      { status: 'delivered', attempts: [{ number: 1, status_code: 200 }] },
    ]);
  } finally {
    await rm(data, { recursive: true });
  }
});

/** One endpoint that is owed a test event, and a courier that sees the outbox as `seen` shows it. */
function owing(url: string, seen: (outbox: Outbox) => Outbox) {
  const store = openStore(null, tmpdir());
  store.workspace.create('1', { disabled: false, unavailableStates: [] });
  const clocks = createClocks(realTime, store.accounts);
  const views = createViews({ url: 'http://localhost' });
  const world = {
    store,
    clocks,
    views,
    digest: { sha256, same: sameDigest },
    initialSettings: {},
    draw: createDraw('1'),
    cause: 'clock',
  };
  const engine = createEngine(world);
  const { account } = engine.createMerchant({ clock: { mode: 'frozen', at: 0 } }).sandbox;
  const { token } = engine.createEndpoint(account, { url, events: ['*'], transport: 'http' });
  engine.testEndpoint(account, token);
  const nobody = { isConnected: () => false, forward: async () => null };
  const post = createDeliver(realTime.now);
  const courier = createCourier({
    outbox: seen(createOutbox(world, nobody)),
    clocks,
    time: realTime,
    carry: createCarry({ post, listeners: nobody, faults: createFaults(world), now: realTime.now }),
    observe: () => undefined,
    fault: () => undefined,
  });
  return {
    drain: () => courier.drain(account.id),
    async [Symbol.asyncDispose]() {
      await courier.stop();
      post.close();
      store.close();
    },
  };
}

test('an endpoint is sent to whether or not the store gives the same object twice', async () => {
  await using receiver = await openReceiver();
  const copied = (outbox: Outbox): Outbox => ({ ...outbox, endpoint: (id) => structuredClone(outbox.endpoint(id)) });
  await using owed = owing(receiver.url, copied);
  await owed.drain();
  expect(receiver.types()).toEqual(['webhook.test']);
});

test('a lane that makes no progress ends with an error, and does not spin', async () => {
  await using receiver = await openReceiver();
  let revision = 0;
  const restless = (outbox: Outbox): Outbox => ({ ...outbox, endpointRevision: () => revision++ });
  await using owed = owing(receiver.url, restless);
  await expect(owed.drain()).rejects.toThrow('The courier carried nothing of what endpoint 1 is owed.');
  expect(receiver.types()).toEqual([]);
});

function deferred() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
