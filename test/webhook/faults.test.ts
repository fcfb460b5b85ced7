import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryLine } from '../../src/http/stream/watch-lines.ts';
import { createSimulator, type Delivery, verifyWebhook } from '../../src/index.ts';
import { openReceiver, type Reply, silence } from '../support/receiver.ts';
import { openShop, type TestShop } from '../support/shop.ts';

const lines: DeliveryLine[] = [];
const broken: unknown[] = [];
const sim = await createSimulator({
  seed: 1,
  clock: { frozenAt: '2026-01-01T00:00:00Z' },
  onDelivery: (line) => void lines.push(line),
  onFault: (error) => void broken.push(error),
});
afterAll(async () => {
  await sim.close();
  expect(broken).toEqual([]);
});

let store: TestShop;
beforeEach(async () => {
  store = await openShop(sim);
});

/** A real receiver, and an endpoint of the account that leads to it. */
async function listening(script: readonly Reply[] = []) {
  const receiver = await openReceiver(script);
  const endpoint = await store.shop.webhooks.add(receiver.url);
  return { receiver, endpoint, [Symbol.asyncDispose]: () => receiver.close() };
}

const advance = (by: string) => store.shop.clock.advance(by);
const deliveries = async () => (await store.shop.webhooks.deliveries()).toReversed();
const tested = (id: string): Promise<Delivery> => store.shop.webhooks.test(id);

const attemptsOf = ({ attempts }: Delivery) =>
  attempts.map(({ status_code, fault }) => [status_code, fault?.kind ?? null]);
const at = (clock: string) => `2026-01-01T${clock}.000000Z`;

describe('interface §7: what a delivery meets', () => {
  test('lost: the receiver sees nothing, and the ladder goes on', async () => {
    await using to = await listening();
    const { id } = await store.shop.faults.add({ kind: 'lost', times: 2 });
    const delivery = await tested(to.endpoint.id);
    expect(to.receiver.received).toEqual([]);
    expect(delivery).toMatchObject({
      status: 'pending',
      next_attempt_at: at('00:00:05'),
      attempts: [
        {
          ...{ number: 1, status_code: null, error: 'a fault lost it on the way', duration_ms: 0 },
          ...{ response_headers: {}, response_body: null, fault: { id, kind: 'lost' } },
          request_headers: { 'webhook-id': delivery.event_id },
        },
      ],
    });
    await advance('1h');
    const [ended] = await deliveries();
    expect(ended?.status).toBe('delivered');
    expect(attemptsOf(ended as Delivery)).toEqual([
      [null, 'lost'],
      [null, 'lost'],
      [200, null],
    ]);
    expect(to.receiver.received).toHaveLength(1);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 2 }]);
  });

  test('lost_ack: the receiver has it, its response counts for nothing, so it comes again', async () => {
    await using to = await listening([200]);
    await store.shop.faults.add({ kind: 'lost_ack' });
    await tested(to.endpoint.id);
    expect(to.receiver.received).toHaveLength(1);
    await advance('5s');
    const [first, second] = to.receiver.received;
    expect(to.receiver.received).toHaveLength(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const [delivery] = await deliveries();
    expect(delivery?.attempts[0]).toMatchObject({
      ...{ status_code: null, error: 'a fault lost the answer', response_headers: {}, response_body: null },
      fault: { kind: 'lost_ack' },
    });
    expect([delivery?.status, attemptsOf(delivery as Delivery)]).toEqual([
      'delivered',
      [
        [null, 'lost_ack'],
        [200, null],
      ],
    ]);
  });

  test('lost_ack: not even 410 or Retry-After of the ignored answer has an effect', async () => {
    await using to = await listening([410, (response) => response.writeHead(503, { 'retry-after': '7200' }).end()]);
    await store.shop.faults.add({ kind: 'lost_ack', times: 2 });
    expect((await tested(to.endpoint.id)).next_attempt_at).toBe(at('00:00:05'));
    await advance('5s');
    const [delivery] = await deliveries();
    expect(delivery?.next_attempt_at).toBe(at('00:05:05'));
    expect(await store.shop.webhooks.list()).toMatchObject([{ enabled: true }]);
  });

  test('lost_ack: without a receiver, no response is lost', async () => {
    const { id } = await store.shop.webhooks.add('http://127.0.0.1:1/');
    await store.shop.faults.add({ kind: 'lost_ack' });
    expect(await tested(id)).toMatchObject({
      attempts: [{ error: 'connection refused: nothing listens there', fault: { kind: 'lost_ack' } }],
    });
  });

  test('duplicate: after success the same id and bytes, freshly signed, as further attempts of the delivery', async () => {
    await using to = await listening();
    const { id } = await store.shop.faults.add({ kind: 'duplicate', copies: 3 });
    const delivery = await tested(to.endpoint.id);
    expect(to.receiver.received).toHaveLength(4);
    expect(new Set(to.receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const { headers, body } of to.receiver.received) {
      const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      expect(verifyWebhook(body, signed, to.endpoint.secret ?? '').id).toBe(delivery.event_id);
    }
    expect(delivery).toMatchObject({ status: 'delivered', next_attempt_at: null });
    expect(delivery.attempts.map(({ number, fault }) => [number, fault])).toEqual(
      [1, 2, 3, 4].map((number) => [number, { id, kind: 'duplicate' }]),
    );
    expect(await store.shop.faults.list()).toMatchObject([{ met: 1 }]);
    await tested(to.endpoint.id);
    expect(to.receiver.received).toHaveLength(5);
  });

  test('duplicate: strikes a success only, and what a copy is answered changes nothing', async () => {
    await using to = await listening([500, 200, 500]);
    await store.shop.faults.add({ kind: 'duplicate', times: null });
    expect(attemptsOf(await tested(to.endpoint.id))).toEqual([[500, null]]);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 0 }]);
    await advance('1h');
    const [delivery] = await deliveries();
    expect([delivery?.status, attemptsOf(delivery as Delivery)]).toEqual([
      'delivered',
      [
        [500, null],
        [200, 'duplicate'],
        [500, 'duplicate'],
      ],
    ]);
    expect(to.receiver.received).toHaveLength(3);
  });

  test('duplicate: an attempt that fails does not use up the fault', async () => {
    await using to = await listening([500, 500, 200]);
    const { id } = await store.shop.faults.add({ kind: 'duplicate' });
    await tested(to.endpoint.id);
    await advance('1d');
    const [delivery] = await deliveries();
    expect(attemptsOf(delivery as Delivery)).toEqual([
      [500, null],
      [500, null],
      [200, 'duplicate'],
      [200, 'duplicate'],
    ]);
    expect(await store.shop.faults.list()).toMatchObject([{ id, met: 1 }]);
  });

  test('duplicate: an advance counts the delivery once, however many copies it sends', async () => {
    await using to = await listening();
    await store.shop.faults.add({ kind: 'duplicate', copies: 2 });
    await store.open();
    const { webhooks } = await advance('1h');
    expect(webhooks).toEqual({ delivered: 1, failed: 0, given_up: 0 });
    expect(to.receiver.types()).toEqual(Array(3).fill('session.expired'));
  });

  test('duplicate: a forged event is sent once, and does not use up the fault', async () => {
    await using to = await listening();
    await store.shop.faults.add({ kind: 'duplicate' });
    await store.shop.webhooks.test(to.endpoint.id, { forged: true });
    expect(to.receiver.received).toHaveLength(1);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 0 }]);
    await tested(to.endpoint.id);
    await advance('0s');
    expect(to.receiver.received).toHaveLength(3);
  });

  test('duplicate: a copy comes before later events', async () => {
    await using to = await listening();
    await store.shop.faults.add({ kind: 'duplicate', event: 'contract.activated' });
    await store.complete();
    await advance('0s');
    expect(to.receiver.types()).toEqual([
      'session.decision_made',
      'contract.activated',
      'contract.activated',
      'session.completed',
    ]);
  });

  test('duplicate: an endpoint that is disabled meanwhile gets no copies, and the delivery stays delivered', async () => {
    await using to = await listening([200, 410]);
    await store.shop.faults.add({ kind: 'duplicate', copies: 5 });
    expect(await tested(to.endpoint.id)).toMatchObject({ status: 'delivered', next_attempt_at: null });
    expect(to.receiver.received).toHaveLength(2);
    expect(await store.shop.webhooks.list()).toMatchObject([{ enabled: false }]);
    await store.shop.webhooks.enable(to.endpoint.id);
    await advance('1h');
    expect(to.receiver.received).toHaveLength(2);
  });

  test('duplicate: copies that fail are failures of the endpoint, from the first one on', async () => {
    await using to = await listening([200, 500, 500, 500]);
    await store.shop.faults.add({ kind: 'duplicate', copies: 2 });
    expect(await tested(to.endpoint.id)).toMatchObject({ status: 'delivered' });
    await advance('5d');
    await tested(to.endpoint.id);
    expect(to.receiver.received).toHaveLength(4);
    expect(await store.shop.webhooks.list()).toMatchObject([{ disabled_reason: 'failing for 5 days' }]);
  });

  test.each(['reordered', 'delayed'] as const)(
    '%s: held back when its endpoint is disabled, it never arrived',
    async (kind) => {
      await using to = await listening();
      await store.shop.faults.add({ kind });
      expect(await tested(to.endpoint.id)).toMatchObject({ status: 'pending' });
      await store.shop.webhooks.disable(to.endpoint.id);
      expect(await deliveries()).toMatchObject([{ status: 'failed', next_attempt_at: null, attempts: [] }]);
      expect(to.receiver.received).toEqual([]);
    },
  );

  test('reordered: sent after the next event, which comes first', async () => {
    await using to = await listening();
    const { id } = await store.shop.faults.add({ kind: 'reordered', event: 'contract.activated' });
    await store.complete();
    await advance('0s');
    expect(to.receiver.types()).toEqual(['session.decision_made', 'session.completed', 'contract.activated']);
    const held = (await deliveries()).find(({ attempts }) => attempts[0]?.fault);
    expect(held).toMatchObject({ status: 'delivered', attempts: [{ number: 1, fault: { id, kind: 'reordered' } }] });
    expect(await store.shop.faults.list()).toMatchObject([{ met: 1 }]);
  });

  test('reordered: however many events wait, it comes right after the next one', async () => {
    await using to = await listening();
    await store.shop.webhooks.disable(to.endpoint.id);
    await store.shop.webhooks.enable(to.endpoint.id);
    await store.shop.faults.add({ kind: 'reordered', event: 'session.decision_made' });
    await store.complete();
    await store.complete();
    await advance('0s');
    expect(to.receiver.types().slice(0, 3)).toEqual([
      'contract.activated',
      'session.decision_made',
      'session.completed',
    ]);
  });

  test('reordered: without a next event it comes after an hour of account time', async () => {
    await using to = await listening();
    await store.shop.faults.add({ kind: 'reordered' });
    expect(await tested(to.endpoint.id)).toMatchObject({
      ...{ status: 'pending', next_attempt_at: at('01:00:00'), attempts: [] },
    });
    expect((await store.shop.clock.show()).next_due).toMatchObject({ at: at('01:00:00'), type: 'webhook.attempt' });
    await advance('59m');
    expect(to.receiver.received).toEqual([]);
    await advance('1m');
    expect(to.receiver.received).toHaveLength(1);
  });

  test('reordered: a next event that never arrives is not waited for; one that is refused was answered', async () => {
    await using to = await listening([500]);
    await store.shop.faults.add({ kind: 'reordered' });
    await store.shop.faults.add({ kind: 'lost', skip: 0 });
    await tested(to.endpoint.id);
    await tested(to.endpoint.id);
    expect(to.receiver.received).toEqual([]);
    await tested(to.endpoint.id);
    expect(to.receiver.received).toHaveLength(2);
    const [held, lost, refused] = await deliveries();
    expect(held).toMatchObject({ status: 'delivered', attempts: [{ status_code: 200 }] });
    expect([lost?.status, refused?.attempts[0]?.status_code]).toEqual(['pending', 500]);
    expect(JSON.parse(to.receiver.received[1]?.body ?? '').id).toBe(held?.event_id);
  });

  test('reordered: a next event whose response a fault lost was answered; one that had none was not', async () => {
    await using to = await listening([(response) => response.destroy()]);
    await store.shop.faults.add({ kind: 'reordered' });
    await store.shop.faults.add({ kind: 'lost_ack', times: 2 });
    await tested(to.endpoint.id);
    await tested(to.endpoint.id);
    expect(to.receiver.received).toHaveLength(1);
    await tested(to.endpoint.id);
    const [held] = await deliveries();
    expect(held).toMatchObject({ status: 'delivered' });
    expect(to.receiver.received.map(({ body }) => JSON.parse(body).id).at(-1)).toBe(held?.event_id);
  });

  test('reordered: only the first attempt of the next event counts', async () => {
    await using to = await listening();
    await store.shop.faults.add({ kind: 'reordered' });
    await store.shop.faults.add({ kind: 'lost' });
    await tested(to.endpoint.id);
    await tested(to.endpoint.id);
    await advance('5s');
    expect((await deliveries()).map(attemptsOf)).toEqual([
      [],
      [
        [null, 'lost'],
        [200, null],
      ],
    ]);
    await advance('1h');
    expect(to.receiver.received).toHaveLength(2);
  });

  test('reordered: the next event is another one, of the same endpoint', async () => {
    await using to = await listening();
    await using other = await listening();
    await store.shop.faults.add({ kind: 'reordered', endpoint_id: to.endpoint.id });
    const { event_id } = await tested(to.endpoint.id);
    await tested(other.endpoint.id);
    expect([to.receiver.received.length, other.receiver.received.length]).toEqual([0, 1]);
    await store.shop.events.resend(event_id, { endpoint_id: to.endpoint.id });
    await advance('0s');
    expect(to.receiver.received).toHaveLength(1);
    await tested(to.endpoint.id);
    expect(to.receiver.received).toHaveLength(3);
  });

  test('delayed: the first attempt comes later on the account clock, once', async () => {
    await using to = await listening([500]);
    const { id } = await store.shop.faults.add({ kind: 'delayed', by: '2h', times: null });
    expect(await tested(to.endpoint.id)).toMatchObject({ status: 'pending', next_attempt_at: at('02:00:00') });
    await advance('119m');
    expect(to.receiver.received).toEqual([]);
    await advance('1m');
    expect(to.receiver.received).toHaveLength(1);
    await advance('5s');
    const [delivery] = await deliveries();
    expect(delivery?.attempts.map(({ at: when, fault }) => [when, fault])).toEqual([
      [at('02:00:00'), { id, kind: 'delayed' }],
      [at('02:00:05'), null],
    ]);
  });

  test('a running server forgets nothing that it holds back when the fault is removed', async () => {
    await using to = await listening();
    const { id } = await store.shop.faults.add({ kind: 'delayed', by: '1h' });
    await tested(to.endpoint.id);
    await store.shop.faults.remove(id);
    await advance('1h');
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: [{ fault: { id, kind: 'delayed' } }] }]);
  });
});

describe('interface §7: which deliveries', () => {
  test('by event, by the events of one noun, and by endpoint', async () => {
    await using to = await listening();
    await using other = await listening();
    await store.shop.faults.add({ kind: 'lost', event: 'session.*', endpoint_id: to.endpoint.id, times: null });
    await store.shop.faults.add({ kind: 'lost_ack', event: 'contract.activated', times: null });
    await store.complete();
    await advance('0s');
    expect(to.receiver.types()).toEqual(['contract.activated']);
    expect(other.receiver.types()).toEqual(['session.decision_made', 'contract.activated', 'session.completed']);
    expect((await store.shop.faults.list()).map(({ met }) => met)).toEqual([2, 2]);
  });

  test('those of its own account', async () => {
    await using to = await listening();
    const other = await openShop(sim);
    await other.shop.faults.add({ kind: 'lost', times: null });
    await store.shop.live.faults.add({ kind: 'lost', times: null });
    expect((await tested(to.endpoint.id)).status).toBe('delivered');
  });

  test('what is sent again to a bare URL too; the order of events is an endpoint’s', async () => {
    await using receiver = await openReceiver();
    const { reference } = await store.complete();
    const [event] = await store.shop.events.list();
    await store.shop.faults.add({ kind: 'reordered' });
    await store.shop.faults.add({ kind: 'duplicate' });
    const [delivery] = await store.shop.events.resend(event?.id ?? '', { url: receiver.url });
    expect(delivery).toMatchObject({ status: 'delivered', endpoint_id: null });
    expect(attemptsOf(delivery as Delivery)).toEqual([
      [200, 'duplicate'],
      [200, 'duplicate'],
    ]);
    expect(receiver.received).toHaveLength(2);
    expect(reference).toMatch(/^LAY-/);
  });

  test('what is sent again to a bare URL can be delayed', async () => {
    await using receiver = await openReceiver();
    await store.complete();
    const [event] = await store.shop.events.list();
    const { id } = await store.shop.faults.add({ kind: 'delayed', by: '2h' });
    const [delivery] = await store.shop.events.resend(event?.id ?? '', { url: receiver.url });
    expect(delivery).toMatchObject({ status: 'pending', next_attempt_at: at('02:00:00'), attempts: [] });
    await advance('119m');
    expect(receiver.received).toEqual([]);
    await advance('1m');
    expect(await deliveries()).toMatchObject([
      { status: 'delivered', attempts: [{ number: 1, status_code: 200, fault: { id, kind: 'delayed' } }] },
    ]);
  });

  test('watchers are told what struck', async () => {
    await using to = await listening();
    const fault = await store.shop.faults.add({ kind: 'lost_ack' });
    const { id } = await tested(to.endpoint.id);
    const [line] = lines.filter((each) => each.id === id);
    expect(line).toMatchObject({ attempt: 1, statusCode: null, fault: { id: fault.id, kind: 'lost_ack' } });
  });

  test('a strike counts even if the endpoint is disabled before the response', async () => {
    await using to = await listening();
    await store.shop.faults.add({ kind: 'lost_ack', times: 2 });
    const { reached, answer } = silence(to.receiver);
    const under = tested(to.endpoint.id);
    await reached;
    await store.shop.webhooks.disable(to.endpoint.id);
    answer();
    await under;
    await using other = await listening();
    await tested(other.endpoint.id);
    expect((await deliveries()).map(attemptsOf)).toEqual([[[null, 'lost_ack']], [[null, 'lost_ack']]]);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 2 }]);
  });

  test('every attempt is one match: two endpoints at once do not share one strike', async () => {
    await using to = await listening();
    await using other = await listening();
    await store.shop.faults.add({ kind: 'lost' });
    await store.contractIn('pending');
    await advance('0s');
    expect(to.receiver.received.length + other.receiver.received.length).toBe(1);
    expect(await store.shop.faults.list()).toMatchObject([{ met: 1 }]);
  });
});
