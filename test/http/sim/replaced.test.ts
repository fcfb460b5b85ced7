import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSimulator, LayawayError } from '../../../src/index.ts';
import { dump } from '../../support/dump.ts';
import { openReceiver } from '../../support/receiver.ts';
import { buy } from '../../support/shop.ts';

const START = '2026-01-01T00:00:00.000000Z';

/** A frozen simulator whose webhooks go to a receiver that takes them and, from now on, never answers. */
async function begin() {
  const faults: unknown[] = [];
  const heard: (() => void)[] = [];
  const receiver = await openReceiver();
  const data = mkdtempSync(join(tmpdir(), 'layaway-replaced-'));
  const sim = await createSimulator({
    data,
    seed: 1,
    clock: { frozenAt: START },
    forwardTo: [receiver.url],
    rateLimit: 'off',
    onFault: (fault) => faults.push(fault),
  });
  return {
    sim,
    shop: sim.default,
    receiver,
    data,
    faults,
    buy: () => buy(sim.default),
    /** Resolves when the receiver holds a webhook that it does not answer. */
    silence: () =>
      new Promise<void>((resolve) => {
        receiver.script((response) => {
          heard.push(() => response.end());
          resolve();
        });
      }),
    /** The answer comes after all. */
    answerLate: () => {
      for (const answer of heard.splice(0)) answer();
    },
    async [Symbol.asyncDispose]() {
      await sim.close();
      await receiver.close();
    },
  };
}

/** How a request was refused. */
const refused = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: unknown) => (error instanceof LayawayError ? `${error.status} ${error.message}` : error),
  );

test('a reset cancels an advance whose receiver is silent; the advance says so, and the new state is whole', async () => {
  await using world = await begin();
  const { sim, shop, receiver } = world;
  await world.buy();
  await shop.clock.advance('0s');
  const silent = world.silence();
  const [advance, queued] = [refused(shop.clock.advance('20d')), refused(shop.clock.advance('20d'))];
  await silent;
  await sim.reset();
  const said = '409 The advance stopped at 2026-01-15T00:00:00.000000Z: a reset cancelled it. ';
  expect(await advance).toBe(`${said}Advance again if you still need to.`);
  expect(await queued).toBe(await advance);
  expect(await shop.clock.show()).toMatchObject({ now: START });
  expect(await shop.events.list()).toEqual([]);

  world.answerLate();
  await world.buy();
  await shop.clock.advance('0s');
  expect((await shop.webhooks.deliveries()).map(({ status }) => status)).toEqual(Array(3).fill('delivered'));
  expect(receiver.received).toHaveLength(3 + 1 + 3);
  expect(world.faults).toEqual([]);
});

test('a restore cancels it likewise, and brings back exactly what was saved', async () => {
  await using world = await begin();
  const { sim, shop } = world;
  const { reference } = await world.buy();
  await shop.clock.advance('0s');
  await sim.snapshots.save('before');
  const before = await dump(sim, world.data);
  const silent = world.silence();
  const advance = refused(shop.clock.advance('20d'));
  await silent;
  await sim.snapshots.restore('before');
  expect(await advance).toContain(': the restore of the snapshot before cancelled it.');
  world.answerLate();
  expect(await dump(sim, world.data)).toEqual(before);
  await shop.clock.advance('20d');
  expect((await shop.contracts.get(reference)).paid_amount).toBeGreaterThan(0);
  expect(new Set((await shop.webhooks.deliveries()).map(({ status }) => status))).toEqual(new Set(['delivered']));
  expect(world.faults).toEqual([]);
});

test('a restore of a snapshot that is not there cancels nothing', async () => {
  await using world = await begin();
  const { sim, shop } = world;
  await world.buy();
  await shop.clock.advance('0s');
  const silent = world.silence();
  const advance = refused(shop.clock.advance('20d'));
  await silent;
  expect(await refused(sim.snapshots.restore('nothing'))).toBe('404 Snapshot not found.');
  world.answerLate();
  expect(await advance).toBe('answered');
});

test.each(['reset', 'restore'] as const)(
  'a test or resend in flight when a %s comes is answered with 409',
  async (how) => {
    await using world = await begin();
    const { sim, shop } = world;
    await sim.snapshots.save('before');
    await world.buy();
    await shop.clock.advance('0s');
    const [event] = await shop.events.list({ limit: 1 });
    const [endpoint] = await shop.webhooks.list();
    const said =
      '409 A reset or restore replaced the state before the webhook was answered. Send it again if the new state has it.';
    for (const send of [
      () => shop.webhooks.test(endpoint?.id as string),
      () => shop.events.resend(event?.id as string),
      () => shop.events.resend(event?.id as string, { url: world.receiver.url }),
    ]) {
      await sim.snapshots.save('during', { overwrite: true });
      const silent = world.silence();
      const sent = refused(send());
      await silent;
      if (how === 'reset') await sim.reset();
      else await sim.snapshots.restore('before');
      expect(await sent).toBe(said);
      world.answerLate();
      await sim.snapshots.restore('during');
    }
    expect(world.faults).toEqual([]);
  },
);
