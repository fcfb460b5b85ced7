import { expect, test } from 'vitest';
import { createSimulator } from '../../src/index.ts';
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

function deferred() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
