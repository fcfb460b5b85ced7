import { describe, expect, test } from 'vitest';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../../src/index.ts';
import { createThrowAwayMerchant } from '../../../src/library/throw-away.ts';
import { pause, realTime } from '../../../src/time/real.ts';
import { openReceiver } from '../../support/receiver.ts';
import { type Answer, type Call, caller, manualTime, order } from '../../support/shop.ts';

const START = '2026-01-01T00:00:00Z';
const open = (options: SimulatorOptions = {}) => createSimulator({ seed: 1, clock: { frozenAt: START }, ...options });

const workspace = (sim: Simulator): Call => caller(sim, { authorization: `Bearer ${sim.controlToken}` });

async function createdOn(sim: Simulator) {
  const { status, body } = await workspace(sim)('POST', '/_sim/merchants', { throw_away: true });
  expect(status).toBe(201);
  const { id, sandbox } = body.data;
  const headers = { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key };
  return { id: id as string, headers, call: caller(sim, headers) };
}

/** Everything that a merchant can leave behind: a plan to its end, an endpoint, deliveries, emails, faults, keys. */
async function live(call: Call, url: string) {
  const done = (answer: Answer) => {
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body?.data;
  };
  done(await call('POST', '/_sim/webhook-endpoints', { url }));
  const session = done(await call('POST', '/v1/sessions', order(), { 'idempotency-key': 'k' }));
  const { reference } = done(await call('POST', `/_sim/sessions/${session.id}/complete`, {}));
  done(await call('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes: ['pay', 'fail', 'fail'] }));
  done(await call('POST', '/_sim/clock/advance', { by: '60d' }));
  done(await call('GET', `/v1/contracts/${reference}`));
  done(await call('POST', '/_sim/faults', { kind: 'lost_answer', times: 3 }));
  await expect(call('POST', '/v1/sessions', order())).rejects.toThrow();
  done(await call('POST', '/_sim/keys', {}));
  done(await call('GET', '/_sim/coverage'));
  expect(done(await call('GET', '/_sim/deliveries')).length).toBeGreaterThan(3);
}

describe('interface §10: a throw-away merchant', () => {
  test('nothing of it is ever in a table of the workspace, nor told to whoever watches the server', async () => {
    const told: unknown[] = [];
    const watch = (line: object) => void told.push(line);
    await using sim = await open({ onDelivery: watch, onClock: watch });
    await using receiver = await openReceiver();
    await sim.default.sessions.create({ order_reference: 'own', total_amount: 20_000 });
    const { saved_at: _, ...before } = await sim.trace();
    const seen = async () => {
      const { saved_at: _, ...now } = await sim.trace();
      expect(now).toEqual(before);
    };
    const merchants = await sim.listMerchants();

    const { id, call } = await createdOn(sim);
    await live(call, receiver.url);
    await seen();
    expect(await sim.listMerchants()).toEqual(merchants);
    expect((await sim.coverage()).met).toBe(0);

    expect((await workspace(sim)('DELETE', `/_sim/merchants/${id}`)).status).toBe(204);
    await seen();
    expect(told).toEqual([]);
    expect(receiver.received.length).toBeGreaterThan(3);
  });

  test('interface §9: a store that looks up what it heard of it has not met a 404', async () => {
    await using sim = await open();
    const { call } = await createdOn(sim);
    const { id } = (await call('POST', '/v1/sessions', order())).body.data;
    const { reference } = (await call('POST', `/_sim/sessions/${id}/complete`, {})).body.data;
    const store = caller(sim, { ...sim.default.headers });
    const lookUp = async (path: string) => {
      expect((await store('GET', path)).status).toBe(404);
      return (await sim.default.coverage()).met;
    };
    expect(await lookUp(`/v1/contracts/${reference}`)).toBe(0);
    expect(await lookUp(`/v1/checkout-sessions/${id}`)).toBe(0);
    expect(await lookUp('/v1/contracts/LAY-NOBODY0000')).toBe(1);
  });

  test('what the others draw under a seed is the same with it and without', async () => {
    const drawn = async (meanwhile: (sim: Simulator) => Promise<unknown>) => {
      await using sim = await open({ seed: 7 });
      await using receiver = await openReceiver();
      const first = await sim.default.contracts.create();
      await meanwhile(sim);
      const { id } = await sim.default.sessions.create({ order_reference: 'A-2', total_amount: 20_000 });
      const second = await sim.default.contracts.create();
      const shop = await sim.merchant();
      await sim.default.webhooks.add(receiver.url);
      return [first, id, second, shop.clientId, shop.apiKey, await sim.default.events.list()];
    };
    const without = await drawn(async () => undefined);
    const within = await drawn(async (sim) => {
      await using receiver = await openReceiver();
      const { id, call } = await createdOn(sim);
      await live(call, receiver.url);
      await workspace(sim)('DELETE', `/_sim/merchants/${id}`);
    });
    const text = (value: unknown) => JSON.stringify(value).replaceAll(/http:\/\/[^/]+/g, '');
    expect(text(within)).toBe(text(without));
  });

  test('once it is deleted, its pair opens nothing, and it cannot be deleted again', async () => {
    await using sim = await open();
    const { id, call } = await createdOn(sim);
    expect((await call('GET', '/v1/ping')).status).toBe(200);
    const remove = () => workspace(sim)('DELETE', `/_sim/merchants/${id}`);
    expect((await remove()).status).toBe(204);
    expect((await call('GET', '/v1/ping')).status).toBe(401);
    expect(await remove()).toMatchObject({ status: 404, body: { message: 'Merchant not found.' } });
  });

  test('its streams end with it, and with the server', async () => {
    const sim = await open();
    const [first, second] = [await createdOn(sim), await createdOn(sim)];
    const streams = await Promise.all(
      [first, second].map(({ headers }) => fetch(`${sim.url}/_sim/events/stream`, { headers })),
    );
    const ends = streams.map((stream) => stream.text().catch(() => 'cut off'));
    expect((await workspace(sim)('DELETE', `/_sim/merchants/${first.id}`)).status).toBe(204);
    expect(await ends[0]).toBe('cut off');
    await sim.close();
    expect(await ends[1]).toBe('cut off');
  });

  test.each([
    ['its end', (_sim: Simulator, remove: () => Promise<unknown>) => remove()],
    ['the end of the server', (sim: Simulator) => sim.close()],
  ])('%s answers its advances, under way and waiting, and ends its streams', async (_what, end) => {
    await using sim = await open();
    const { id, headers, call } = await createdOn(sim);
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    await using silent = await openReceiver([() => ask()]);
    const session = (await call('POST', '/v1/sessions', order())).body.data;
    await call('POST', `/_sim/sessions/${session.id}/complete`, {});
    await call('POST', '/_sim/webhook-endpoints', { url: silent.url });
    const stream = await fetch(`${sim.url}/_sim/events/stream`, { headers });
    const advances = [1, 2].map(async () => {
      const { status, body } = await call('POST', '/_sim/clock/advance', { by: '8w' });
      return [status, body.message];
    });
    await asked;
    await end(sim, () => workspace(sim)('DELETE', `/_sim/merchants/${id}`));
    const said =
      'The advance stopped at 2026-01-15T00:00:00.000000Z: the shutdown of the server cancelled it. Advance again if you still need to.';
    expect(await Promise.all(advances)).toEqual([
      [409, said],
      [409, said],
    ]);
    await expect(stream.text()).rejects.toThrow();
  });

  test('a merchant that is to stay is not deleted, and nothing is sent for it', async () => {
    await using sim = await open();
    await using receiver = await openReceiver();
    const [{ id } = { id: '' }] = await sim.listMerchants();
    const call = workspace(sim);
    const message = expect.stringContaining('This merchant is not a throw-away merchant.');
    expect(await call('DELETE', `/_sim/merchants/${id}`)).toMatchObject({ status: 409, body: { message } });
    const sent = await call('POST', `/_sim/merchants/${id}/send`, { url: receiver.url });
    expect(sent).toMatchObject({ status: 409, body: { message } });
    expect([await sim.listMerchants(), receiver.received]).toEqual([[expect.objectContaining({ id })], []]);
    expect((await caller(sim, sim.default.headers)('DELETE', `/_sim/merchants/${id}`)).status).toBe(401);
  });

  test('it survives a reset, a restore and rate limits, because it is not part of the workspace', async () => {
    await using sim = await open({ rateLimit: 2 });
    await sim.snapshots.save('before');
    const { call } = await createdOn(sim);
    await call('POST', '/v1/sessions', order());
    await sim.reset();
    await sim.snapshots.restore('before');
    for (let n = 0; n < 5; n += 1) expect((await call('GET', '/_sim/sessions')).body.data).toHaveLength(1);
  });

  test('it is deleted after ten minutes without a request, so one whose maker was killed does not stay', async () => {
    const time = manualTime();
    await using sim = await open({ time });
    const { call } = await createdOn(sim);
    time.pass(9 * 60_000);
    expect((await call('GET', '/v1/ping')).status).toBe(200);
    time.pass(9 * 60_000);
    expect((await call('GET', '/v1/ping')).status).toBe(200);
    time.pass(10 * 60_000 + 1);
    expect((await call('GET', '/v1/ping')).status).toBe(401);
  });

  test('one whose stream is open stays', async () => {
    const time = manualTime();
    await using sim = await open({ time });
    const { call, headers } = await createdOn(sim);
    const leaving = new AbortController();
    const stream = await fetch(`${sim.url}/_sim/events/stream`, { headers, signal: leaving.signal });
    time.pass(25 * 60_000);
    expect((await call('GET', '/v1/ping')).status).toBe(200);
    leaving.abort();
    await expect(stream.text()).rejects.toThrow();
  });

  test('wrong settings are refused as for any merchant', async () => {
    await using sim = await open();
    const wrong = { throw_away: true, settings: { min_order_amount: 9_000, max_order_amount: 8_000 } };
    expect((await workspace(sim)('POST', '/_sim/merchants', wrong)).status).toBe(422);
    expect((await workspace(sim)('POST', '/_sim/merchants', { throw_away: 'yes' })).status).toBe(422);
  });

  test('by the library, over a simulator that listens nowhere else', async () => {
    await using sim = await open();
    const merchant = await createThrowAwayMerchant(
      {
        ...{ url: sim.url, controlToken: sim.controlToken, waiting: { now: realTime.now, pause } },
        send: async ({ method, path: url, headers, body }) => {
          const answer = await sim.inject({ method, url, headers, ...(body ? { payload: body } : {}) });
          const { statusCode: status, headers: answered } = answer;
          return { status, headers: answered, body: answer.body === '' ? null : answer.json() };
        },
      },
      { clock: { frozenAt: START }, grace_days: 3 },
    );
    expect(await merchant.shop.assumptions.get()).toMatchObject({ grace_days: 3 });
    expect((await merchant.shop.live.contracts.create()).status).toBe('active');
    await merchant.delete();
    await expect(merchant.shop.clock.show()).rejects.toMatchObject({ status: 401 });
  });
});

describe('interface §10: a request to a receiver, sent by the server', () => {
  test('goes out as it was given, to the byte', async () => {
    await using sim = await open();
    const names: string[] = [];
    await using receiver = await openReceiver([
      (response, { rawHeaders }) => {
        names.push(...rawHeaders);
        response.writeHead(418, { 'x-tea': 'pot' }).end('no coffee');
      },
    ]);
    const { id } = await createdOn(sim);
    const body = ' {"a" : "\\u00e9 \u{1F6CD}"}\n';
    const sent = await workspace(sim)('POST', `/_sim/merchants/${id}/send`, {
      ...{ url: receiver.url, headers: { 'Webhook-Id': 'evt_1', 'WEBHOOK-TIMESTAMP': '5' }, body },
    });
    expect(sent).toMatchObject({
      status: 200,
      body: {
        data: { status_code: 418, error: null, response_body: 'no coffee', response_headers: { 'x-tea': 'pot' } },
      },
    });
    expect(receiver.received[0]?.body).toBe(body);
    expect(names).toEqual(expect.arrayContaining(['Webhook-Id', 'WEBHOOK-TIMESTAMP']));
    const nobody = await workspace(sim)('POST', `/_sim/merchants/${id}/send`, {
      ...{ url: 'http://127.0.0.1:1/', method: 'GET' },
    });
    expect(nobody.body.data).toMatchObject({ status_code: null, error: expect.stringContaining('nothing listens') });
  });

  test.each([
    [{}, 'url'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: 'http://127.0.0.1:1/', headers: { 'a b': 'c' } }, 'headers'],
    [{ url: 'http://127.0.0.1:1/', headers: { a: 'b\r\nc: d' } }, 'headers'],
    [{ url: 'http://127.0.0.1:1/', method: 'DELETE' }, 'method'],
    [{ url: 'http://127.0.0.1:1/', times: 2 }, 'times'],
  ])('%o is refused', async (wrong, field) => {
    await using sim = await open();
    const { id } = await createdOn(sim);
    const answer = await workspace(sim)('POST', `/_sim/merchants/${id}/send`, wrong);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
  });

  test('a server that shows a trace sends nothing', async () => {
    await using first = await open();
    await using sim = await createSimulator({ trace: await first.trace() });
    await using receiver = await openReceiver();
    const { id } = await createdOn(sim);
    const sent = await workspace(sim)('POST', `/_sim/merchants/${id}/send`, { url: receiver.url });
    expect([sent.body.data.status_code, receiver.received]).toEqual([null, []]);
  });
});
