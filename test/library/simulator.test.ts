import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createSimulator, LayawayError } from '../../src/index.ts';
import { openReceiver } from '../support/receiver.ts';
import { manualTime } from '../support/shop.ts';

const FROZEN = { seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } } as const;

const isUp = (url: string) =>
  fetch(`${url}/_sim/health`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('interface §4: the simulator', () => {
  test('await using closes it at the end of the block', async () => {
    let url: string;
    {
      await using sim = await createSimulator();
      url = sim.url;
      expect(await isUp(url)).toBe(true);
    }
    expect(await isUp(url)).toBe(false);
  });

  test('closing twice is closing once', async () => {
    const sim = await createSimulator();
    await Promise.all([sim.close(), sim.close()]);
    await sim.close();
    expect(await isUp(sim.url)).toBe(false);
  });

  test('a call after it was closed, and a wait that it interrupts, say so', async () => {
    const sim = await createSimulator(FROZEN);
    const shop = await sim.merchant();
    const waited = shop.emails.wait({ to: 'ada@example.com' }).catch((error: unknown) => error);
    await shop.clock.show();
    await sim.close();
    expect(await waited).toMatchObject({ message: 'The simulator is closed.' });
    await expect(shop.clock.show()).rejects.toThrow('The simulator is closed.');
    await expect(sim.merchant()).rejects.toThrow('The simulator is closed.');
  });

  test.each(['over HTTP', 'within the process'])(
    'closing it ends a request that the fault slow delays, %s, and nothing is written afterwards',
    async (way) => {
      const time = manualTime();
      const faults: unknown[] = [];
      const sim = await createSimulator({ ...FROZEN, time, onFault: (error) => faults.push(error) });
      const shop = await sim.merchant();
      await shop.faults.add({ kind: 'slow', delay_ms: 60_000 });
      const delayed = way === 'over HTTP' ? fetch(`${sim.url}/v1/ping`, { headers: shop.headers }) : shop.v1.ping();
      const ended = delayed.catch((error: unknown) => error);
      await expect.poll(async () => (await shop.faults.list())[0]?.met).toBe(1);
      await sim.close();
      expect(await ended).toBeInstanceOf(Error);
      time.pass(120_000);
      expect(faults).toEqual([]);
    },
  );

  test('closing it while requests arrive leaves nothing to write afterwards', async () => {
    const time = manualTime();
    const faults: unknown[] = [];
    const sim = await createSimulator({ ...FROZEN, time, onFault: (error) => faults.push(error) });
    const { host, hostname, port } = new URL(sim.url);
    const { 'x-client-id': clientId, 'x-api-key': apiKey } = sim.default.headers;
    const asking = Array.from({ length: 50 }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined).resume();
      socket.write(
        `GET /v1/ping HTTP/1.1\r\nhost: ${host}\r\nx-client-id: ${clientId}\r\nx-api-key: ${apiKey}\r\n\r\n`,
      );
      await once(socket, 'connect');
    });
    await Promise.all(asking);
    await sim.close();
    time.pass(60_000);
    expect(faults).toEqual([]);
  });

  test.each(['throws', 'rejects'])('a callback that %s is a fault, and disturbs nothing else', async (how) => {
    const faults: unknown[] = [];
    const broken = new Error('The callback is broken.');
    const fail = () => {
      if (how === 'rejects') return Promise.reject(broken);
      throw broken;
    };
    const callbacks = { onRequest: fail, onDelivery: fail, onClock: fail, onNote: fail };
    await using receiver = await openReceiver();
    await using sim = await createSimulator({ ...FROZEN, ...callbacks, onFault: (error) => faults.push(error) });
    const shop = sim.default;
    await shop.assumptions.set({ allow_http_localhost: true });
    await shop.webhooks.add(receiver.url);
    const { reference } = await shop.contracts.create();
    expect((await shop.clock.advance('14d')).happened).toMatchObject([{ type: 'installment.paid' }]);
    expect((await shop.contracts.cancel(reference, { wait: true })).status).toBe('cancelled');
    expect((await shop.webhooks.deliveries()).map(({ status }) => status)).not.toContain('pending');
    await shop.assumptions.set({ allow_http_localhost: false });
    const local = { order_reference: 'A-1', total_amount: 20_000, return_url: 'http://localhost/thanks' };
    await expect(shop.sessions.create(local)).rejects.toMatchObject({ status: 422 });
    expect(faults.length).toBeGreaterThan(8);
    expect(new Set(faults)).toEqual(new Set([broken]));
  });

  test('two at a time are strangers', async () => {
    await using one = await createSimulator(FROZEN);
    await using two = await createSimulator(FROZEN);
    expect(one.url).not.toBe(two.url);
    await one.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    expect(await two.default.sessions.list()).toEqual([]);
  });

  test('one seed gives the same ids, references and keys', async () => {
    const draw = async (seed: number) => {
      await using sim = await createSimulator({ ...FROZEN, seed });
      const shop = await sim.merchant();
      const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
      const { reference } = await shop.sessions.complete(id);
      const events = (await shop.events.list()).map((event) => event.id);
      return { id, reference, events, clientId: shop.clientId, apiKey: shop.apiKey };
    };
    expect(await draw(1)).toEqual(await draw(1));
    expect((await draw(2)).id).not.toBe((await draw(1)).id);
  });

  test('inject asks without crossing the network, and answers what the network would', async () => {
    await using sim = await createSimulator(FROZEN);
    const inside = await sim.inject({ method: 'GET', url: '/v1/config', headers: sim.default.headers });
    const outside = await fetch(`${sim.url}/v1/config`, { headers: sim.default.headers });
    expect(inside.statusCode).toBe(outside.status);
    expect(inside.json()).toEqual(await outside.json());
    const hosts = (await sim.default.logs.list()).map(({ request_headers }) => request_headers.host);
    expect(hosts).toEqual(Array(2).fill(new URL(sim.url).host));
    const refused = await sim.inject({
      method: 'POST',
      url: '/v1/sessions',
      headers: sim.default.headers,
      payload: {},
    });
    expect({ status: refused.statusCode, body: JSON.parse(refused.body) }).toMatchObject({
      status: 422,
      body: { errors: { order_reference: ['The order reference field is required.'] } },
    });
    const elsewhere = await sim.inject({ method: 'GET', url: '/v1/ping', headers: { host: 'a.example' } });
    expect(elsewhere.statusCode).toBe(403);
  });

  test('snapshots: save, list, restore, delete; reset', async () => {
    await using sim = await createSimulator(FROZEN);
    const { sessions } = sim.default;
    const { id } = await sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    expect(await sim.snapshots.save('one')).toMatchObject({ name: 'one', bytes: expect.any(Number) });
    await expect(sim.snapshots.save('one')).rejects.toMatchObject({ status: 409 });
    await sim.snapshots.save('one', { overwrite: true });
    await sim.reset();
    expect(await sessions.list()).toEqual([]);
    await sim.snapshots.restore('one');
    expect(await sessions.list()).toMatchObject([{ id }]);
    await sim.snapshots.save('two');
    expect((await sim.snapshots.list()).map(({ name }) => name)).toEqual(['two', 'one']);
    expect(await sim.snapshots.list({ limit: 1 })).toMatchObject([{ name: 'two' }]);
    expect(await sim.snapshots.list({ after: 'one' })).toMatchObject([{ name: 'two' }]);
    await sim.snapshots.delete('two');
    await sim.snapshots.delete('one');
    expect(await sim.snapshots.list()).toEqual([]);
    await expect(sim.snapshots.restore('one')).rejects.toBeInstanceOf(LayawayError);
  });

  test('the platform is everybody’s', async () => {
    await using sim = await createSimulator(FROZEN);
    const shop = await sim.merchant();
    expect(await sim.platform.get()).toEqual({ disabled: false, unavailable_states: ['DC', 'MD'] });
    expect(await sim.platform.set({ disabled: true })).toMatchObject({ disabled: true });
    for (const { v1 } of [shop, sim.default]) {
      expect((await v1.ping()).layaway).toMatchObject({ available: false, reason: 'platform_disabled' });
    }
  });

  test('merchants are listed, newest first', async () => {
    await using sim = await createSimulator(FROZEN);
    const shop = await sim.merchant({ legal_name: 'Second LLC' });
    const listed = await sim.listMerchants();
    expect(listed.map(({ sandbox }) => sandbox.client_id)).toEqual([shop.clientId, sim.default.clientId]);
    expect(listed[0]).toMatchObject({ legal_name: 'Second LLC', live: { client_id: shop.live.clientId } });
    expect(await sim.listMerchants({ limit: 1 })).toHaveLength(1);
  });

  test('a reset just after the response to its creation leaves a merchant whose calls are refused with 401', async () => {
    await using sim = await createSimulator(FROZEN);
    const outcomes = new Set<unknown>();
    for (let turns = 0; turns < 8; turns += 1) {
      const made = sim.merchant();
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      await sim.reset();
      const shop = await made;
      outcomes.add(
        await shop.clock.show().then(
          () => 'there',
          ({ status }: LayawayError) => status,
        ),
      );
    }
    expect([...outcomes]).toContain(401);
  });

  test('a merchant that cannot be is refused with the field', async () => {
    await using sim = await createSimulator(FROZEN);
    await expect(sim.merchant({ state: 'Texas' })).rejects.toMatchObject({
      status: 422,
      body: { errors: { state: [expect.any(String)] } },
    });
    // @ts-expect-error a setting that does not exist is a mistake
    await expect(sim.merchant({ grace_day: 1 })).rejects.toThrow('Did you mean grace_days?');
    // @ts-expect-error and so is a field of the merchant
    await expect(sim.merchant({ stat: 'NY' })).rejects.toThrow('merchant has no option "stat". Did you mean state?');
  });
});
