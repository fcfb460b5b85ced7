import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, type TestOptions, test } from 'vitest';
import { certify, createSimulator, isCertified, type Simulator } from '../../src/index.ts';
import { startUntilReady } from '../support/child.ts';
import { openReceiver } from '../support/receiver.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const FOLDER = join(ROOT, 'fixtures/receivers');
export const file = (name: string) => join(FOLDER, name);
/** Of a form that every receiver takes; not the one of an account. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A receiver under test: where it listens, where it shows an order, and what it said it handled. */
export interface Example {
  readonly url: string;
  readonly observe: string;
  handled(): string[];
  close(): Promise<unknown>;
}

export async function program(command: string, path: string): Promise<Example> {
  const env = { ...process.env, LAYAWAY_WEBHOOK_SECRET: SECRET, PORT: '0' };
  const { ready, printed, stop } = await startUntilReady(command, [path], { env });
  const url = /^Listening on (http:\S+)$/.exec(ready)?.[1] as string;
  return { url, observe: new URL('/orders/{contract}', url).href, handled: () => printed().slice(1), close: stop };
}

/** What every receiver that we ship must do. */
export const examines = (name: string, start: () => Promise<Example>, options: TestOptions = {}) =>
  describe(`the receiver ${name}`, () => {
    let sim: Simulator;
    let example: Example;
    let shop: Awaited<ReturnType<Simulator['merchant']>>;
    /** The same deliveries as their bytes came. */
    let witness: Awaited<ReturnType<typeof openReceiver>>;
    let endpointId: string;

    beforeAll(async () => {
      if (options.skip) return;
      sim = await createSimulator({ seed: 6, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
      example = await start();
      witness = await openReceiver();
      shop = await sim.merchant();
      endpointId = (await shop.webhooks.add(example.url, { secret: SECRET })).id;
      await shop.webhooks.add(witness.url, { secret: SECRET });
    });
    afterAll(() => Promise.all([example?.close(), witness?.close(), sim?.close()]));

    const post = async (body: string, headers: object) => {
      const response = await fetch(example.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      return response.status;
    };
    /** The headers of a body signed at `at` with `secret`. */
    const signed = (body: string, { id = 'evt_made_up', secret = SECRET, at = new Date() } = {}) => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    });
    const first = () => {
      const [{ body, headers }] = witness.received as [(typeof witness.received)[0]];
      const ours = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
      return { body, headers: Object.fromEntries(ours.map((name) => [name, headers[name] as string])) };
    };

    test('accepts what the simulator sends, and handles each event', options, async () => {
      const { id } = await shop.sessions.create({ order_reference: 'Ünïcode ✓', total_amount: 20_000 });
      const { reference } = await shop.sessions.complete(id, { customer_name: 'Ada Lovelace-Ångström' });
      await shop.clock.advance('14d');
      const deliveries = await shop.webhooks.deliveries({ endpoint_id: endpointId });
      expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual(
        Array(4).fill(['delivered', 1]),
      );
      await expect
        .poll(() => example.handled())
        .toEqual([
          `session.decision_made ${id}`,
          `contract.activated ${reference}`,
          `session.completed ${id}`,
          `installment.paid ${reference}`,
        ]);
    });

    test('a delivery that comes twice is accepted and handled once', options, async () => {
      const { body, headers } = first();
      expect(await post(body, headers)).toBe(204);
      expect(await post(body, { ...headers, ...signed(body, { id: headers['webhook-id'] as string }) })).toBe(204);
      expect(example.handled()).toHaveLength(4);
    });

    test('refuses a body that was changed or printed again, and headers that do not fit', options, async () => {
      const { body, headers } = first();
      const changed = body.replace('"livemode":false', '"livemode":true');
      expect(changed).not.toBe(body);
      expect(await post(changed, headers)).toBe(400);
      expect(await post(JSON.stringify(JSON.parse(body), null, 2), headers)).toBe(400);
      expect(await post('', headers)).toBe(400);
      expect(await post(body, { ...headers, 'webhook-id': 'evt_another' })).toBe(400);
      expect(
        await post(body, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }),
      ).toBe(400);
      expect(await post(body, {})).toBe(400);
      expect(example.handled()).toHaveLength(4);
    });

    test('refuses another secret, and a timestamp more than five minutes away', options, async () => {
      const { body } = first();
      const minutes = (count: number) => new Date(Date.now() + count * 60_000);
      expect(await post(body, signed(body, { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }))).toBe(400);
      expect(await post(body, signed(body, { at: minutes(-6) }))).toBe(400);
      expect(await post(body, signed(body, { at: minutes(6) }))).toBe(400);
      expect(example.handled()).toHaveLength(4);
    });

    test('interface §10: gets full marks, its state observed', options, async () => {
      const { url, observe } = example;
      const certificate = await certify({ url, secret: SECRET, observe, level: 'should' });
      expect(certificate.checks.filter(({ verdict }) => verdict !== 'pass').map(({ id, note }) => [id, note])).toEqual(
        [],
      );
      expect(isCertified(certificate)).toBe(true);
    });

    test('goes on with its secret for a day after a rotation', options, async () => {
      await shop.webhooks.rotate(endpointId);
      const { id } = await shop.sessions.create({ order_reference: 'A-2', total_amount: 20_000 });
      await shop.sessions.complete(id);
      await shop.clock.advance('0s');
      const deliveries = await shop.webhooks.deliveries({ endpoint_id: endpointId, limit: 3 });
      expect(deliveries.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
    });
  });
