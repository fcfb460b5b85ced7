import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import {
  type CheckoutSession,
  type Contract,
  createSimulator,
  type EventType,
  type LayawayEvent,
  type SandboxShop,
  type Simulator,
  verifyWebhook,
} from '../../src/index.ts';
import { openReceiver } from '../support/receiver.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

test('the type of an event determines its data (checked by tsc)', () => {
  expectTypeOf<ReturnType<typeof verifyWebhook>>().toEqualTypeOf<LayawayEvent>();
  expectTypeOf<LayawayEvent['type']>().toEqualTypeOf<EventType>();
  expectTypeOf<LayawayEvent['data']>().not.toBeAny();
  const told = (event: LayawayEvent) => {
    switch (event.type) {
      case 'session.decision_made':
      case 'session.completed':
      case 'session.cancelled':
      case 'session.expired':
        return expectTypeOf(event.data).toEqualTypeOf<CheckoutSession>();
      case 'contract.activated':
      case 'contract.completed':
      case 'contract.cancelled':
      case 'contract.defaulted':
        return expectTypeOf(event.data).toEqualTypeOf<Contract>();
      case 'installment.paid':
      case 'installment.payment_failed':
      case 'installment.past_due':
      case 'installment.delinquent':
        expectTypeOf(event.data.installment).toEqualTypeOf<Contract['installments'][number]>();
        return expectTypeOf(event.data.attempt).toEqualTypeOf<number | null>();
      case 'webhook.test':
        return expectTypeOf(event.data.endpoint_id).toEqualTypeOf<string>();
      default:
        return expectTypeOf(event).toEqualTypeOf<never>();
    }
  };
  expectTypeOf(told).toBeFunction();
  expectTypeOf<LayawayEvent<'contract.cancelled'>['data']>().toEqualTypeOf<Contract>();
  const waited = (shop: SandboxShop) => shop.events.wait('session.expired');
  expectTypeOf<Awaited<ReturnType<typeof waited>>['data']>().toEqualTypeOf<CheckoutSession>();
});

test('and the events that are sent contain what the types say', async () => {
  await using receiver = await openReceiver();
  const shop = await sim.merchant();
  const { id: endpointId, secret } = await shop.webhooks.add(receiver.url);
  const order = { order_reference: 'A-1', total_amount: 20_000 };
  await shop.webhooks.test(endpointId);
  await shop.sessions.cancel((await shop.sessions.create(order)).id);
  await shop.sessions.create(order);
  const { id } = await shop.sessions.create(order);
  const { reference } = await shop.sessions.complete(id);
  await shop.contracts.outcomes(reference, ['pay', 'fail', 'fail']);
  await shop.clock.advance('90d');
  const cancelled = await shop.sessions.complete((await shop.sessions.create(order)).id);
  await shop.contracts.cancel(cancelled.reference);
  const paid = await shop.sessions.complete((await shop.sessions.create(order)).id);
  await shop.clock.advance('90d');

  const keysOf = (value: object) => Object.keys(value).sort();
  const sessionKeys = keysOf(await shop.sessions.get(id));
  const contractKeys = keysOf(await shop.contracts.get(paid.reference));
  const expected: Record<string, string[]> = {
    session: sessionKeys,
    contract: contractKeys,
    installment: ['attempt', 'installment', 'late_charge_amount', 'order_reference', 'reference'],
    webhook: ['endpoint_id'],
  };
  const seen = new Set<EventType>();
  for (const { body, headers } of receiver.received) {
    const event = verifyWebhook(body, headers, secret);
    seen.add(event.type);
    expect(keysOf(event.data), event.type).toEqual(expected[event.type.split('.', 1)[0] as string]);
  }
  expect(seen.size).toBe(13);
});

test('a wait for an event of a contract takes the session that led to it', async () => {
  await using own = await createSimulator();
  const { sessions, events } = own.default;
  const open = async () => (await sessions.create({ order_reference: 'A-1', total_amount: 20_000 })).id;
  const [first, second] = [await open(), await open()];
  const waiting = events.wait('contract.activated', { session: second });
  const other = await sessions.complete(first);
  await expect(events.wait('contract.activated', { session: second, timeoutMs: 0 })).rejects.toThrow(
    `No event contract.activated of ${second} within 0 ms.`,
  );
  const { reference } = await sessions.complete(second);
  expect((await waiting).data).toMatchObject({ reference });
  expect((await events.wait('contract.activated', { session: first })).data).toMatchObject({
    reference: other.reference,
  });
  expect((await events.list({ session: first })).map(({ type }) => type)).toEqual([
    'session.completed',
    'contract.activated',
    'session.decision_made',
  ]);
  await expect(events.wait('contract.activated', { session: 'cs_none' })).rejects.toMatchObject({ status: 404 });
});

test('a wait goes on over a reset, which discards what it saw last', async () => {
  await using own = await createSimulator({ seed: 2 });
  const { sessions, events } = own.default;
  const open = async () => (await sessions.create({ order_reference: 'A-1', total_amount: 20_000 })).id;
  const first = await open();
  for (const id of [await open(), await open()]) await sessions.cancel(id);
  const waiting = events.wait('session.cancelled', { session: first });
  // Answered after the first look of the wait.
  await events.list();
  await own.reset();
  expect(await open()).toBe(first);
  await sessions.cancel(first);
  expect(await waiting).toMatchObject({ type: 'session.cancelled', data: { id: first } });
});

test.each([
  ['reset', 'since now'],
  ['restore', 'since now'],
  ['reset', 'after an event'],
] as const)('a tail goes on over a %s, which discards what it saw last: %s', async (how, since) => {
  await using own = await createSimulator({ seed: 2 });
  const { sessions, events } = own.default;
  const cancel = async () => {
    const { id } = await sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await sessions.cancel(id);
    return id;
  };
  await own.snapshots.save('before');
  await cancel();
  await cancel();
  const [newest] = await events.list({ limit: 1 });
  const options = since === 'since now' ? {} : { after: newest?.id as string };
  const tail = (await events.tail(options))[Symbol.asyncIterator]();
  const coming = tail.next();
  await events.list();
  if (how === 'reset') await own.reset();
  else await own.snapshots.restore('before');
  const id = await cancel();
  expect((await coming).value).toMatchObject({ type: 'session.cancelled', data: { id } });
  await tail.return?.();
});

test('a tail and a wait see the events of a reset state that has the ids of before', async () => {
  await using own = await createSimulator({ seed: 2, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const { contracts, events, sessions } = own.default;
  await contracts.create();
  const before = await events.list();
  const tail = (await events.tail())[Symbol.asyncIterator]();
  const coming = tail.next();
  const waiting = events.wait('session.cancelled');
  // Answered after their first look.
  await events.list();
  await own.reset();
  await sessions.cancel((await sessions.create({ order_reference: 'A-1', total_amount: 20_000 })).id);
  await contracts.create();
  const after = await events.list();
  expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
  expect((await coming).value).toEqual(after.at(-1));
  expect(await waiting).toEqual(after.at(-1));
  await tail.return?.();
});

test.each([7, undefined])(
  'a tail over a restore has what happens from then on, and nothing of before: seed %s',
  async (seed) => {
    await using own = await createSimulator({ ...(seed && { seed }), clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const { contracts, events } = own.default;
    const create = async () => (await contracts.create()).reference;
    await create();
    await own.snapshots.save('one');
    const tail = (await events.tail())[Symbol.asyncIterator]();
    const next = async () => ((await tail.next()).value as { readonly id: string }).id;
    await create();
    const [newest] = await events.list({ limit: 1 });
    while ((await next()) !== newest?.id);
    const coming = next();
    // Answered after its look.
    await events.list();
    await own.snapshots.restore('one');
    const before = await events.list();
    await create();
    const after = (await events.list()).slice(0, -before.length).reverse();
    expect(await coming).toBe(after[0]?.id);
    for (const { id } of after.slice(1)) expect(await next()).toBe(id);
    expect(after).toHaveLength(3);
    await tail.return?.();
  },
);
