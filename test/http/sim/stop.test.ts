import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import type { AdvanceProgress } from '../../../src/operations/wire.ts';
import { openReceiver } from '../../support/receiver.ts';
import { buy, expectData, openShop, type TestShop } from '../../support/shop.ts';

const START = '2026-01-01T00:00:00.000000Z';
const END = '2026-07-20T00:00:00.000000Z';
const PLANS = 40;

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: START }, rateLimit: 'off' });
});
afterAll(() => sim.close());

/** A shop with many plans whose installments fall due at the same instants, and every fifth of which falls behind. */
async function many(plans = PLANS) {
  const shop = await openShop(sim);
  await shop.set({ installment_count: 24, installment_cadence: 'weekly' });
  const { contracts } = shop.shop;
  for (let plan = 0; plan < plans; plan += 1) {
    const { reference } = await buy(shop.shop);
    if (plan % 5 === 0) await contracts.outcomes(reference, ['fail', 'fail']);
  }
  return shop;
}

const progressOf = async ({ call }: TestShop): Promise<AdvanceProgress | null> =>
  (await call('GET', '/_sim/clock/advance')).body.data;
const stop = async ({ call }: TestShop): Promise<AdvanceProgress | null> =>
  (await call('POST', '/_sim/clock/stop')).body.data;

/** Every event after the first ones, without what differs from shop to shop. */
async function eventsOf({ call }: TestShop, after: string) {
  const events: { id: string; type: string; created_at: string }[] = [];
  for (let cursor = after; ; cursor = events.at(-1)?.id as string) {
    const page = expectData(await call('GET', `/_sim/events?limit=1000&after=${cursor}`));
    if (page.length === 0) return events.map(({ type, created_at }) => `${created_at} ${type}`);
    events.push(...page);
  }
}

const newest = async ({ call }: TestShop) => expectData(await call('GET', '/_sim/events?limit=1'))[0].id as string;

const tally = (types: readonly string[]) => {
  const counts: Record<string, number> = {};
  for (const type of types) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};
const typesOf = (events: readonly string[]) => events.map((event) => event.split(' ')[1] as string);

test('an advance over many plans tells how far it got; stopped, it leaves a state from which the rest leads to the same end', async () => {
  const [shop, undisturbed] = [await many(), await many()];
  const [since, sinceThere] = [await newest(shop), await newest(undisturbed)];
  expect(await progressOf(shop)).toBeNull();
  expect(await stop(shop)).toBeNull();

  const advancing = shop.call('POST', '/_sim/clock/advance', { to: END });
  let seen: AdvanceProgress | null = null;
  while (!seen || seen.happened_count < 200) seen = await progressOf(shop);
  expect(seen).toMatchObject({ dry_run: false, from: START, to: END });
  expect(seen.left_count).toBeGreaterThan(PLANS);
  const stopped = (await stop(shop)) as AdvanceProgress;
  const answer = await advancing;
  expect([answer.status, answer.body.message]).toEqual([
    409,
    `The advance stopped at ${stopped.now}: a request to stop cancelled it. Advance again if you still need to.`,
  ]);
  expect(await progressOf(shop)).toBeNull();
  expect(stopped.happened_count).toBeGreaterThanOrEqual(seen.happened_count);
  expect(stopped.now < END).toBe(true);
  const { now, next_due: next } = expectData(await shop.call('GET', '/_sim/clock'));
  expect(now).toBe(stopped.now);
  expect(next.at >= now).toBe(true);
  const done = await eventsOf(shop, since);
  expect(done).toHaveLength(stopped.happened_count);
  expect(tally(typesOf(done))).toEqual(stopped.happened_by_type);

  const rest = expectData(await shop.call('POST', '/_sim/clock/advance', { to: END }));
  const whole = expectData(await undisturbed.call('POST', '/_sim/clock/advance', { to: END }));
  expect(stopped.happened_count + rest.happened_count).toBe(whole.happened_count);
  const should = await eventsOf(undisturbed, sinceThere);
  expect(await eventsOf(shop, since)).toEqual(should);
  expect(whole.happened_by_type).toEqual(tally(typesOf(should)));
});

test('a dry run over many plans can be stopped too, and changes nothing', async () => {
  // A dry run is fast: there must be time left to stop it.
  const shop = await many(8 * PLANS);
  const since = await newest(shop);
  const rehearsing = shop.call('POST', '/_sim/clock/advance', { to: END, dry_run: true });
  let seen: AdvanceProgress | null = null;
  while (!seen || seen.happened_count < 10) seen = await progressOf(shop);
  expect(seen).toMatchObject({ dry_run: true, from: START, to: END, now: START, left_count: null });
  expect((await stop(shop))?.dry_run).toBe(true);
  const answer = await rehearsing;
  expect([answer.status, answer.body.message]).toEqual([
    409,
    'The dry run was cancelled by a request to stop. Run it again if you still need it.',
  ]);
  expect(await eventsOf(shop, since)).toEqual([]);
  const whole = expectData(await shop.call('POST', '/_sim/clock/advance', { to: END, dry_run: true }));
  const did = expectData(await shop.call('POST', '/_sim/clock/advance', { to: END }));
  expect(whole.happened_by_type).toEqual(did.happened_by_type);
});

/** A plan whose receiver leaves the next event unanswered until `answer` is called. `silent` resolves when it has it. */
async function withSilentReceiver(simulator: Simulator) {
  const shop = await openShop(simulator);
  const receiver = await openReceiver();
  await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
  await shop.complete();
  await shop.call('POST', '/_sim/clock/advance', { by: '0s' });
  let answer: () => void = () => undefined;
  const silent = new Promise<void>((resolve) => {
    receiver.script((response) => {
      answer = () => response.end();
      resolve();
    });
  });
  return { shop, silent, answer: () => answer(), [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

test('a receiver that does not answer holds up no stop; what it was sent stays owed', async () => {
  await using store = await withSilentReceiver(sim);
  const { shop, silent } = store;
  const advancing = shop.call('POST', '/_sim/clock/advance', { by: '8w' });
  await silent;
  const stopped = await stop(shop);
  expect(stopped).toMatchObject({ now: '2026-01-15T00:00:00.000000Z', happened_by_type: { 'installment.paid': 1 } });
  expect((await advancing).status).toBe(409);
  const [owed] = expectData(await shop.call('GET', '/_sim/deliveries'));
  expect(owed).toMatchObject({ status: 'pending', attempts: [] });
  store.answer();
  const { webhooks } = expectData(await shop.call('POST', '/_sim/clock/advance', { by: '8w' }));
  expect(webhooks).toMatchObject({ failed: 0, given_up: 0 });
  expect(expectData(await shop.call('GET', `/_sim/deliveries?status=pending`))).toEqual([]);
});

test('a stop ends the advance under way; the one that waits for its turn begins then', async () => {
  await using store = await withSilentReceiver(sim);
  const { shop, silent } = store;
  const first = shop.call('POST', '/_sim/clock/advance', { by: '8w' });
  await silent;
  const second = shop.call('POST', '/_sim/clock/advance', { to: END });
  await stop(shop);
  store.answer();
  expect((await first).status).toBe(409);
  expect(expectData(await second).now).toBe(END);
});

/** The request for an advance, by a caller of its own. */
const advanceAlone = (url: string, { shop }: TestShop, signal?: AbortSignal) =>
  fetch(`${url}/_sim/clock/advance`, {
    method: 'POST',
    headers: { ...shop.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ by: '8w' }),
    signal: signal ?? null,
  });

test('interface §3: an advance goes on when its caller disconnects', async () => {
  await using store = await withSilentReceiver(sim);
  const { shop, silent } = store;
  const caller = new AbortController();
  const asked = advanceAlone(sim.url, shop, caller.signal);
  await silent;
  caller.abort();
  await expect(asked).rejects.toThrow('aborted');
  store.answer();
  await expect.poll(() => progressOf(shop)).toBeNull();
  expect(expectData(await shop.call('GET', '/_sim/clock')).now).toBe('2026-02-26T00:00:00.000000Z');
});

test('a server that closes answers the advance under way and the one that waits for its turn', async () => {
  const closing = await createSimulator({ seed: 1, clock: { frozenAt: START } });
  await using store = await withSilentReceiver(closing);
  const { shop, silent } = store;
  const ask = () =>
    advanceAlone(closing.url, shop).then(async (answer) => [
      answer.status,
      ((await answer.json()) as { message: string }).message,
    ]);
  const advances = [ask(), ask()];
  await silent;
  await closing.close();
  const said =
    'The advance stopped at 2026-01-15T00:00:00.000000Z: the shutdown of the server cancelled it. Advance again if you still need to.';
  expect(await Promise.all(advances)).toEqual([
    [409, said],
    [409, said],
  ]);
});
