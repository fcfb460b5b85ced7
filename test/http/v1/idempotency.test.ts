import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { caller, expectData, manualTime, openShop, order, type TestShop } from '../../support/shop.ts';

const HOUR = 3_600_000;
const time = manualTime();
let sim: Simulator;
let shop: TestShop;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, time });
  shop = await openShop(sim);
});
afterAll(() => sim.close());

const newKey = () => randomUUID();
const create = (key: string, body: object | string = order(), call = shop.call) =>
  call('POST', '/v1/sessions', body, { 'idempotency-key': key });

describe('§4.3: Idempotency-Key', () => {
  it('rule 1: without a key the same order_reference opens two sessions', async () => {
    const [first, second] = [await shop.open(), await shop.open()];
    expect(first.id).not.toBe(second.id);
    expect(first.order_reference).toBe(second.order_reference);
  });

  it('an empty key counts as absent', async () => {
    const [first, second] = [await create(''), await create('')];
    expect(first.body.data.id).not.toBe(second.body.data.id);
  });

  it('rule 2: same key and same body return the original session, and say it is a replay', async () => {
    const own = await openShop(sim);
    const key = newKey();
    const first = await create(key, order(), own.call);
    const again = await create(key, order(), own.call);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(expectData(await own.call('GET', '/_sim/sessions'))).toHaveLength(1);
  });

  it('rule 2: bodies are compared after parsing, the order of keys aside', async () => {
    const key = newKey();
    const first = await create(key, order({ metadata: { a: '1', b: '2' } }));
    const same =
      '{ "metadata":{"b":"2","\\u0061":"1"}, "cancel_url":"https://shop.example/cancel",' +
      ' "return_url":"https:\\/\\/shop.example/return", "total_amount":2e4, "order_reference":"A-1" }';
    const again = await create(key, same);
    expect([again.status, again.body.data.id]).toEqual([201, first.body.data.id]);
  });

  it('rule 2: a restore brings back the keys of its state, also those from before a restart and a reset', async () => {
    const data = mkdtempSync(join(tmpdir(), 'idempotency-'));
    const key = newKey();
    const before = await createSimulator({ data, seed: 1, time });
    const first = await create(key, order(), caller(before, { ...before.default.headers }));
    await before.snapshots.save('then');
    await before.close();
    await using own = await createSimulator({ data, time });
    const call = caller(own, { ...own.default.headers });
    await own.reset();
    await create(newKey(), order(), call);
    await own.snapshots.restore('then');
    const again = await create(key, order(), call);
    expect([again.headers.get('idempotent-replayed'), again.body.data.id]).toEqual(['true', first.body.data.id]);
  });

  it('rule 2: a replay shows the session as it is now', async () => {
    const key = newKey();
    const { id } = expectData(await create(key), 201);
    await shop.step(id, 'complete');
    expect(expectData(await create(key), 201)).toMatchObject({ id, status: 'completed' });
    const second = newKey();
    const lapsing = expectData(await create(second), 201);
    time.pass(HOUR);
    expect(expectData(await create(second), 201)).toEqual({ ...lapsing, status: 'expired' });
  });

  it.each([
    ['another value', { order_reference: 'A-2' }],
    ['a key more, even one that is ignored', { note: 'x' }],
    ['null where nothing was', { customer_state: null }],
    ['another metadata value', { metadata: { a: '2' } }],
  ])('rule 3: a different body is 409: %s', async (_name, changes) => {
    const key = newKey();
    const body = order({ metadata: { a: '1' } });
    const first = await create(key, body);
    const refused = await create(key, { ...body, ...changes });
    expect(refused.status).toBe(409);
    expect(refused.body).toEqual({
      message: 'The Idempotency-Key has already been used with a different request body.',
    });
    expect((await create(key, body)).body.data.id).toBe(first.body.data.id);
  });

  it('rule 3: also when the different body is not even valid', async () => {
    const key = newKey();
    expectData(await create(key), 201);
    expect((await create(key, {})).status).toBe(409);
  });

  it('rule 4: keys belong to one merchant and one mode', async () => {
    const other = await openShop(sim);
    const key = newKey();
    const ids = new Set<string>();
    for (const { call } of [shop, shop.live, other, other.live]) {
      const answer = await create(key, order({ order_reference: `B-${ids.size}` }), call);
      expect(answer.status).toBe(201);
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      ids.add(answer.body.data.id);
    }
    expect(ids.size).toBe(4);
  });

  it('rule 4, decisions §5: all API keys of one account share them', async () => {
    const key = newKey();
    const second = caller(sim, await shop.withScopes(['checkout:write']));
    const first = await create(key);
    expect((await create(key, order(), second)).body.data.id).toBe(first.body.data.id);
  });

  it('rule 4: they live 24 hours from the first success; at exactly 24 h the key is new', async () => {
    const key = newKey();
    const first = expectData(await create(key), 201);
    time.pass(12 * HOUR);
    expect(expectData(await create(key), 201).id).toBe(first.id);
    time.pass(12 * HOUR - 1);
    expect(expectData(await create(key), 201).id).toBe(first.id);
    expect((await create(key, order({ order_reference: 'B' }))).status).toBe(409);
    time.pass(1);
    const renewed = await create(key, order({ order_reference: 'B' }));
    expect(renewed.headers.get('idempotent-replayed')).toBeNull();
    expect(expectData(renewed, 201).id).not.toBe(first.id);
    expect((await create(key)).status).toBe(409);
    time.pass(24 * HOUR - 1);
    expect(expectData(await create(key, order({ order_reference: 'B' })), 201).id).toBe(renewed.body.data.id);
  });

  it('rule 4, decisions §2: idempotency_hours is a setting', async () => {
    const own = await openShop(sim, { idempotency_hours: 1 });
    const key = newKey();
    const first = expectData(await create(key, order(), own.call), 201);
    time.pass(HOUR - 1);
    expect(expectData(await create(key, order(), own.call), 201).id).toBe(first.id);
    time.pass(1);
    expect(expectData(await create(key, order(), own.call), 201).id).not.toBe(first.id);
  });

  it('rule 5: a request that is refused does not consume the key', async () => {
    const key = newKey();
    expect((await create(key, order({ total_amount: 1 }))).status).toBe(422);
    expect((await create(key, '{')).status).toBe(422);
    expect((await create(key, order({ customer_state: 'MD' }))).status).toBe(403);
    const fixed = await create(key);
    expect(fixed.status).toBe(201);
    expect(fixed.headers.get('idempotent-replayed')).toBeNull();
  });

  it('rule 6: 255 characters are a key, 256 are 400', async () => {
    expect((await create('k'.repeat(255))).status).toBe(201);
    const refused = await create('k'.repeat(256));
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ message: 'The Idempotency-Key header must not be greater than 255 characters.' });
  });

  it('a key sent twice is refused, and opens nothing', async () => {
    const own = await openShop(sim);
    const { host } = new URL(sim.url);
    const { headers } = own.shop;
    const text = JSON.stringify(order());
    const lines = ['host', host, 'content-type', 'application/json', 'content-length', String(text.length)];
    const pair = Object.entries(headers).flat();
    const answer = await new Promise((resolve, reject) => {
      const twice = ['idempotency-key', 'a', 'idempotency-key', 'b'];
      const sent = request(
        `${sim.url}/v1/sessions`,
        { method: 'POST', headers: [...lines, ...pair, ...twice] as never },
        async (response) => {
          const body = Buffer.concat(await response.toArray()).toString();
          resolve({ status: response.statusCode, body: JSON.parse(body) });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
    const message = 'The Idempotency-Key header must not be sent more than once.';
    expect(answer).toEqual({ status: 400, body: { message } });
    expect(expectData(await own.call('GET', '/_sim/sessions'))).toEqual([]);
  });

  it('rule 2, decisions §5: 100 equal creates at once give one session, and exactly one answer is not a replay', async () => {
    const own = await openShop(sim);
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 100 }, () => create(key, order(), own.call)));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(expectData(await own.call('GET', '/_sim/sessions'))).toHaveLength(1);
  });

  it('rule 3: of different bodies at once under one key, one is opened and the others are 409', async () => {
    const own = await openShop(sim);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create(key, order({ order_reference: `R-${n}` }), own.call)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });
});
