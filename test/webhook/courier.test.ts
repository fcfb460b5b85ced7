import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSimulator } from '../../src/simulator.ts';
import { verify } from '../../src/webhook/verify.ts';
import { openReceiver } from '../support/receiver.ts';

test('decisions §1: an answer that comes after a reset is not written down for the ids that began anew', async () => {
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

function deferred() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
