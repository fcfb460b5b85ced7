import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery, Transport } from '../../src/domain/webhook.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createFaults, type Faults } from '../../src/engine/fault.ts';
import { createOutbox, type Outbox } from '../../src/engine/outbox.ts';
import { createViews } from '../../src/http/answer/views.ts';
import { createListeners } from '../../src/http/stream/listeners.ts';
import type { Shop } from '../../src/index.ts';
import { sameDigest, sha256 } from '../../src/secrets/digest.ts';
import { createDraw } from '../../src/secrets/draw.ts';
import { createSimulator } from '../../src/simulator.ts';
import { openStore } from '../../src/store/store.ts';
import { createClocks } from '../../src/time/clocks.ts';
import { type RealTime, realTime } from '../../src/time/real.ts';
import { createCarry } from '../../src/webhook/carry.ts';
import { createCourier } from '../../src/webhook/courier.ts';
import { createDeliver } from '../../src/webhook/deliver.ts';
import { verify } from '../../src/webhook/verify.ts';
import { openReceiver, type Received, type Reply, silence } from '../support/receiver.ts';
import { buy, expectData, leversOf, manualTime, openShop } from '../support/shop.ts';

const FROZEN = { frozenAt: '2026-01-01T00:00:00Z' };

test('decisions §1: a response that arrives after a reset is not recorded for the new ids', async () => {
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
    const secret = sim.default.env.LAYAWAY_WEBHOOK_SECRET;
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
    const faults: unknown[] = [];
    const onFault = (fault: unknown) => faults.push(fault);
    const before = await createSimulator({ data, clock, forwardTo: [receiver.url], onFault });
    const { id } = await before.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await before.default.sessions.cancel(id);
    const advance = before.default.clock.advance('0s').catch((error: Error) => error.message);
    await asked.promise;
    await before.close();
    expect(await advance).toContain('the shutdown of the server cancelled it');
    expect(faults).toEqual([]);

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

/** A reply that comes when the test says so. */
function held(status = 200) {
  const asked = deferred();
  const told = deferred();
  const reply: Reply = async (response) => {
    asked.resolve(undefined);
    await told.promise;
    response.writeHead(status).end();
  };
  return { reply, asked: asked.promise, answer: () => told.resolve(undefined) };
}

describe('decisions §6: one attempt in flight per endpoint', () => {
  test('an endpoint whose receiver is slow does not hold up another one', { timeout: 8_000 }, async () => {
    const [one, other] = [held(), held()];
    await using first = await openReceiver([one.reply]);
    await using second = await openReceiver([other.reply]);
    await using sim = await createSimulator({ clock: FROZEN, forwardTo: [first.url, second.url] });
    await buy(sim.default);
    await Promise.all([one.asked, other.asked]);
    one.answer();
    other.answer();
    await sim.default.clock.advance('0s');
    expect(first.types()).toEqual(second.types());
    expect(first.received).toHaveLength(3);
  });

  test('nor does a slow URL that an event is sent to again, signed with the account’s secret', {
    timeout: 8_000,
  }, async () => {
    await using quick = await openReceiver();
    const slowed = held();
    quick.script((response) => {
      slowed.answer();
      response.end();
    });
    await using slow = await openReceiver([slowed.reply]);
    await using sim = await createSimulator({ clock: FROZEN });
    await buy(sim.default);
    const id = (await sim.default.events.list())[0]?.id as string;
    const toSlow = sim.default.events.resend(id, { url: slow.url });
    await slowed.asked;
    const toQuick = sim.default.events.resend(id, { url: quick.url });
    expect((await Promise.all([toSlow, toQuick])).flat()).toMatchObject([
      { status: 'delivered', url: slow.url },
      { status: 'delivered', url: quick.url },
    ]);
    for (const { body, headers } of [...slow.received, ...quick.received]) {
      const secret = sim.default.env.LAYAWAY_WEBHOOK_SECRET;
      expect(verify(body, headers, secret, { now: Date.now() })).toMatchObject({ id });
    }
  });
});

describe('decisions §1: a reset, or the end of the server, while a receiver works', () => {
  /** A simulator that gives the same ids after a reset, with a session completed and its webhooks sent. */
  async function begin() {
    const receiver = await openReceiver();
    const faults: unknown[] = [];
    const sim = await createSimulator({
      seed: 1,
      clock: FROZEN,
      forwardTo: [receiver.url],
      onFault: (error) => faults.push(error),
    });
    await buy(sim.default);
    await sim.default.clock.advance('0s');
    return {
      sim,
      receiver,
      faults,
      async [Symbol.asyncDispose]() {
        await sim.close();
        await receiver.close();
      },
    };
  }
  const send = {
    test: async ({ webhooks }: Shop, _url: string) => webhooks.test((await webhooks.list())[0]?.id as string),
    resend: async ({ events }: Shop, url: string) => events.resend((await events.list())[0]?.id as string, { url }),
  };

  const WAITING = ['test', 'resend'] as const;
  const ENDS = {
    reset:
      'A reset or restore replaced the state before the webhook was answered. Send it again if the new state has it.',
    close: 'The server shut down before the webhook was answered.',
  };

  test.each(WAITING.flatMap((what) => (['reset', 'close'] as const).map((end) => [what, end] as const)))(
    'the %s that waits for it is refused, and says why: %s',
    { timeout: 8_000 },
    async (what, end) => {
      await using world = await begin();
      const silent = held();
      world.receiver.script(silent.reply);
      const sent = send[what](world.sim.default, world.receiver.url).catch((error: unknown) => error);
      await silent.asked;
      await world.sim[end]();
      expect(await sent).toMatchObject({ status: 409, message: ENDS[end] });
      expect(world.faults).toEqual([]);
    },
  );

  test.each(WAITING)(
    'the late answer to a %s is nothing to the one with the same id that is under way',
    { timeout: 8_000 },
    async (what) => {
      await using world = await begin();
      const { sim, receiver } = world;
      const [before, after] = [held(500), held(200)];
      receiver.script(before.reply);
      const lost = send[what](sim.default, receiver.url).catch(() => null);
      await before.asked;
      await sim.reset();
      await lost;
      await buy(sim.default);
      await sim.default.clock.advance('0s');
      const received = receiver.received.length;
      receiver.script(after.reply);
      const sent = send[what](sim.default, receiver.url);
      await after.asked;
      before.answer();
      // The late answer has arrived when another connection of this process has been answered.
      await fetch(receiver.url, { method: 'POST', body: '{}' });
      await sim.default.events.list();
      after.answer();
      expect([await sent].flat()).toMatchObject([{ status: 'delivered', attempts: [{ number: 1, status_code: 200 }] }]);
      expect(receiver.received).toHaveLength(received + 2);
      expect(world.faults).toEqual([]);
    },
  );
});

test('decisions §6: the old secret signs no longer than 24 h of the account clock, however slow the receiver', async () => {
  const slowed = held();
  await using receiver = await openReceiver([slowed.reply]);
  // All of this happens within one second of real time.
  const time = { now: () => Date.UTC(2026, 0, 1), after: () => () => undefined };
  await using sim = await createSimulator({ time, clock: FROZEN, forwardTo: [receiver.url] });
  const { webhooks, clock } = sim.default;
  await webhooks.rotate((await webhooks.list())[0]?.id as string);
  await buy(sim.default);
  await slowed.asked;
  await clock.advance('24h', { wait: false });
  slowed.answer();
  await clock.advance('0s');
  const signatures = receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
  expect(signatures).toEqual([2, 1, 1]);
});

describe('decisions §6: an attempt that is under way when its endpoint changes is recorded', () => {
  /** The first attempt of a delivery, which waits for its answer, and what changes its endpoint. */
  async function underWay(status: number) {
    const receiver = await openReceiver();
    const sim = await createSimulator({ clock: FROZEN });
    const { webhooks, contracts, clock } = sim.default;
    const endpoint = await webhooks.add(receiver.url, { events: ['contract.cancelled'] });
    const { reference } = await contracts.create({});
    const { reached, answer } = silence(receiver, status);
    await contracts.cancel(reference);
    await reached;
    const path = `/_sim/webhook-endpoints/${endpoint.id}`;
    const { call } = leversOf(sim, sim.default);
    const delivery = async () => (await webhooks.deliveries())[0];
    return {
      receiver,
      change: async (body: object) => expectData(await call('PATCH', path, body)),
      remove: () => webhooks.remove(endpoint.id),
      async answered() {
        answer();
        await expect.poll(async () => (await delivery())?.attempts.length).toBe(1);
        return delivery();
      },
      delivery,
      advance: clock.advance,
      endpoint: async () => (await webhooks.list())[0],
      async [Symbol.asyncDispose]() {
        await sim.close();
        await receiver.close();
      },
    };
  }
  type UnderWay = Awaited<ReturnType<typeof underWay>>;

  test.each<[string, (under: UnderWay) => Promise<unknown>]>([
    ['disabled', ({ change }) => change({ enabled: false })],
    ['disabled and enabled', ({ change }) => change({ enabled: false }).then(() => change({ enabled: true }))],
    ['removed', ({ remove }) => remove()],
    ['moved and disabled', ({ change }) => change({ url: 'http://localhost:1/', enabled: false })],
  ])('one that was %s: what was given up stays failed, with its response', async (_how, change) => {
    await using under = await underWay(200);
    await change(under);
    expect(await under.answered()).toMatchObject({
      status: 'failed',
      url: under.receiver.url,
      given_up: { reason: expect.stringMatching(/^the endpoint was/) },
      attempts: [{ number: 1, status_code: 200 }],
    });
    expect(under.receiver.received).toHaveLength(1);
  });

  test('one that was disabled and enabled: a 410 to what was given up does not disable it again', async () => {
    await using under = await underWay(410);
    await under.change({ enabled: false });
    await under.change({ enabled: true });
    expect(await under.answered()).toMatchObject({ status: 'failed', attempts: [{ status_code: 410 }] });
    expect(await under.endpoint()).toMatchObject({ enabled: true });
  });

  test('one with a new URL: the delivery names the URL that it was sent to', async () => {
    await using under = await underWay(200);
    await using other = await openReceiver();
    await under.change({ url: other.url });
    expect(await under.answered()).toMatchObject({
      ...{ status: 'delivered', url: under.receiver.url },
      attempts: [{ number: 1, status_code: 200 }],
    });
    expect(other.received).toEqual([]);
  });

  test('one with a new URL: a refusal of the old receiver leads to a retry at the new one', async () => {
    await using under = await underWay(410);
    await using other = await openReceiver();
    await under.change({ url: other.url });
    expect(await under.answered()).toMatchObject({ status: 'pending', attempts: [{ status_code: 410 }] });
    expect(await under.endpoint()).toMatchObject({ enabled: true });
    await under.advance('5s');
    expect(await under.delivery()).toMatchObject({
      ...{ status: 'delivered', url: other.url },
      attempts: [{ status_code: 410 }, { number: 2, status_code: 200 }],
    });
  });
});

test('interface §3: a test and a resent event do not wait for other endpoints', async () => {
  await using sim = await createSimulator({ clock: FROZEN });
  const { webhooks, events, sessions, clock } = sim.default;
  await using slow = await openReceiver();
  await using receiver = await openReceiver();
  const held = silence(slow);
  const other = await webhooks.add(slow.url);
  const session = await sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  await sessions.cancel(session.id);
  await held.reached;
  const { id } = await webhooks.add(receiver.url, { events: ['session.cancelled'] });
  expect(await webhooks.test(id)).toMatchObject({ status: 'delivered' });
  const [event] = await events.list({ type: 'session.cancelled' });
  for (const to of [{ endpoint_id: id }, { url: receiver.url }]) {
    expect(await events.resend(String(event?.id), to)).toMatchObject([{ status: 'delivered' }]);
  }
  expect(await webhooks.deliveries({ endpoint_id: other.id })).toMatchObject([{ status: 'pending', attempts: [] }]);
  held.answer();
  await clock.advance('0s');
  expect(await webhooks.deliveries({ endpoint_id: other.id })).toMatchObject([{ status: 'delivered' }]);
});

test('interface §3: a forged test event is signed once, with a secret that is not the endpoint’s', async () => {
  await using receiver = await openReceiver();
  await using sim = await createSimulator({ clock: FROZEN, forwardTo: [receiver.url] });
  const { webhooks, env } = sim.default;
  await webhooks.test((await webhooks.list())[0]?.id as string, { forged: true });
  const { body, headers } = receiver.received[0] as Received;
  expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}=$/);
  const now = Date.now();
  expect(() => verify(body, headers, env.LAYAWAY_WEBHOOK_SECRET as string, { now })).toThrow('No signature matches');
});

test('interface §2: a listening process that leaves before it reports costs no attempt; the next one is sent it again', {
  timeout: 8_000,
}, async () => {
  await using receiver = await openReceiver();
  const faults: unknown[] = [];
  // Real time stands, because the signature depends on it.
  await using sim = await createSimulator({ onFault: (error) => faults.push(error), time: manualTime() });
  const { shop, call } = await openShop(sim, { clock: FROZEN });
  const input = { url: receiver.url, transport: 'listener' };
  const { id } = expectData(await call('POST', '/_sim/webhook-endpoints', input), 201);
  /** What `layaway listen` reads. */
  async function listen() {
    const cut = new AbortController();
    const stream = await fetch(`${sim.url}/_sim/webhook-endpoints/${id}/stream`, {
      headers: shop.headers,
      signal: cut.signal,
    });
    const reader = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    return {
      async sent(): Promise<{ delivery_id: string; attempt: number }> {
        for (let text = ''; ; ) {
          const { done, value } = await reader.read();
          if (done) throw new Error('The stream ended.');
          text += value;
          const data = /^data: (.*)\n\n/m.exec(text)?.[1];
          if (data) return JSON.parse(data);
        }
      },
      leave: () => cut.abort(),
    };
  }
  const first = await listen();
  const tested = shop.webhooks.test(id);
  const sent = await first.sent();
  first.leave();
  const second = await listen();
  expect(await second.sent()).toEqual(sent);
  const report = (attempt: number) =>
    call('POST', `/_sim/deliveries/${sent.delivery_id}/report`, { attempt, status_code: 202, duration_ms: 3 });
  // The late outcome of an attempt that was given up.
  expect((await report(7)).status).toBe(409);
  expectData(await report(1));
  await tested;
  await shop.clock.advance('0s');
  second.leave();
  expect(await shop.webhooks.delivery(sent.delivery_id)).toMatchObject({
    status: 'delivered',
    attempts: [{ number: 1, status_code: 202 }],
  });
  expect([receiver.received, faults]).toEqual([[], []]);
});

test('decisions §2: a listening process that reports nothing is given the time of a receiver, then the ladder goes on', async () => {
  await using late = owing('http://localhost:3000/webhooks', { transport: 'listener', timeoutMs: 50 });
  const { store, owed, listeners, endpointId } = late;
  const nothing = () => undefined;
  const sent: string[] = [];
  listeners.connect(endpointId, {
    ...{ tell: nothing, dismiss: nothing, hangUp: nothing },
    send: ({ token }) => sent.push(token),
  });
  await late.drain();
  const [{ id, token }] = owed as [Delivery];
  expect(sent).toEqual([token]);
  expect(store.deliveries.get(id)).toMatchObject({ status: 'pending', attempts: 1, nextAttemptAt: 5_000 });
  expect(store.deliveryAttempts.list(id)).toMatchObject([
    {
      statusCode: null,
      error: 'layaway listen did not report within 1.05 s',
      requestHeaders: { 'webhook-id': late.ids[0] },
    },
  ]);
  const report = { sentAt: 0, statusCode: 200, durationMs: 1, error: null, responseHeaders: {}, responseBody: null };
  expect(listeners.report(endpointId, token, 1, report)).toBe(false);
});

/** One endpoint that is owed test events, and a courier that sees the outbox and the faults as `seen` and `struck` show them. */
function owing(
  url: string,
  {
    count = 1,
    seen = (outbox: Outbox) => outbox,
    struck = (faults: Faults) => faults,
    transport = 'http' as Transport,
    timeoutMs = undefined as number | undefined,
    time = realTime as RealTime,
  } = {},
) {
  const store = openStore(null, tmpdir());
  store.workspace.create('1', { disabled: false, unavailable_states: [] });
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
  const { token, id: endpointId } = engine.createEndpoint(account, { url, events: ['*'], transport });
  const owed = Array.from({ length: count }, () => engine.testEndpoint(account, token));
  const observed: (number | null)[] = [];
  const isObserved = deferred();
  const faults: unknown[] = [];
  const listeners = createListeners(store);
  const outbox = createOutbox(world, listeners);
  const post = createDeliver(realTime.now);
  const courier = createCourier({
    outbox: seen(outbox),
    clocks,
    time,
    carry: createCarry({ post, listeners, faults: struck(createFaults(world)), now: realTime.now }, timeoutMs),
    observe: (_delivery, { statusCode }) => {
      observed.push(statusCode);
      isObserved.resolve(undefined);
    },
    fault: (error) => faults.push(error),
  });
  return {
    /** The ids of the events, in order. */
    ids: owed.map(({ eventId }) => store.events.message(eventId)[0]),
    observed,
    isObserved: isObserved.promise,
    faults,
    store,
    owed,
    endpointId,
    listeners,
    drain: () => courier.drain(account.id),
    wake: () => courier.wake(account.id),
    stop: () => courier.stop(),
    /** How many deliveries are still owed. */
    due: () => outbox.due(account.id, endpointId, count).length,
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
  await using owed = owing(receiver.url, { seen: copied });
  await owed.drain();
  expect(receiver.types()).toEqual(['webhook.test']);
});

test('a lane that makes no progress ends with an error, and does not spin', async () => {
  await using receiver = await openReceiver();
  let revision = 0;
  const restless = (outbox: Outbox): Outbox => ({ ...outbox, endpointRevision: () => revision++ });
  await using owed = owing(receiver.url, { seen: restless });
  await expect(owed.drain()).rejects.toThrow('The courier sent none of the deliveries owed to endpoint 1.');
  expect(receiver.types()).toEqual([]);
});

test('what a failure stopped is sent a minute later, although nothing else happens', async () => {
  await using receiver = await openReceiver();
  const time = manualTime();
  let isFull = true;
  const failing = (outbox: Outbox): Outbox => ({
    ...outbox,
    record(...answers) {
      if (isFull) throw new Error('The disk is full.');
      outbox.record(...answers);
    },
  });
  await using owed = owing(receiver.url, { count: 2, seen: failing, time });
  await expect(owed.drain()).rejects.toThrow('The disk is full.');
  expect(owed.due()).toBe(2);
  expect(new Set(owed.faults.map(String))).toEqual(new Set(['Error: The disk is full.']));
  isFull = false;
  time.pass(59_999);
  expect(owed.due()).toBe(2);
  time.pass(1);
  await owed.drain();
  expect(owed.due()).toBe(0);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([...owed.ids, ...owed.ids]);
});

test('a strike that cannot be recorded is a failure of the lane, which does not end the process', async () => {
  await using receiver = await openReceiver();
  const failing = (faults: Faults): Faults => ({
    ...faults,
    strikeAttempt() {
      throw new Error('The disk is full.');
    },
  });
  // A rejection that nobody handles in time would fail the run.
  await using owed = owing(receiver.url, { count: 2, struck: failing });
  await expect(owed.drain()).rejects.toThrow('The disk is full.');
  expect([owed.due(), receiver.received]).toEqual([2, []]);
  expect(owed.faults.map(String)).toEqual(['Error: The disk is full.']);
});

test('decisions §6: what waits is sent in the order of events, each with its own id and bytes', async () => {
  await using receiver = await openReceiver();
  await using owed = owing(receiver.url, { count: 5 });
  await owed.drain();
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(owed.ids);
  expect(receiver.received.map(({ body }) => JSON.parse(body).id)).toEqual(owed.ids);
});

test('decisions §6: after a 410 nothing more is sent, however much was owed', async () => {
  await using receiver = await openReceiver([410]);
  await using owed = owing(receiver.url, { count: 5 });
  await owed.drain();
  expect(receiver.received).toHaveLength(1);
  expect(owed.due()).toBe(0);
});

test('a response is recorded once, and while the receiver works on the next one', { timeout: 8_000 }, async () => {
  const slowed = held();
  await using receiver = await openReceiver([201, slowed.reply]);
  await using owed = owing(receiver.url, { count: 2 });
  const drained = owed.drain();
  await Promise.all([slowed.asked, owed.isObserved]);
  expect([owed.observed, owed.due()]).toEqual([[201], 1]);
  slowed.answer();
  await drained;
  expect([owed.observed, owed.due()]).toEqual([[201, 200], 0]);
});

test('closing waits for the response under way and records it; what was not sent stays owed', async () => {
  const slowed = held();
  await using receiver = await openReceiver([slowed.reply]);
  await using owed = owing(receiver.url, { count: 3 });
  const drained = owed.drain();
  await slowed.asked;
  const stopped = owed.stop();
  slowed.answer();
  await Promise.all([stopped, drained]);
  expect([owed.observed, owed.due(), receiver.received.length]).toEqual([[200], 2, 1]);
  expect(owed.faults).toEqual([]);
});

test('what goes wrong when nobody waits is reported to those who watch for faults', async () => {
  await using receiver = await openReceiver();
  await using owed = owing(receiver.url);
  owed.store.close();
  owed.wake();
  expect(owed.faults).toMatchObject([{ message: expect.stringContaining('not open') }]);
});

function deferred() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
