import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { FAULT_KINDS } from '../../../src/domain/faults.ts';
import { createSimulator } from '../../../src/index.ts';
import { openReceiver, silence } from '../../support/receiver.ts';
import { caller, expectData, openShop, type TestShop } from '../../support/shop.ts';

const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
afterAll(() => sim.close());

let store: TestShop;
beforeEach(async () => {
  store = await openShop(sim);
});

const add = async (body: object) => expectData(await store.call('POST', '/_sim/faults', body), 201);
const list = async (query = '') => expectData(await store.call('GET', `/_sim/faults${query}`));
const ids = (faults: { id: string }[]) => faults.map(({ id }) => id);

describe('POST /_sim/faults', () => {
  test('answers the fault with its defaults, and with null for what its kind does not take', async () => {
    expect(await add({ kind: 'throttled' })).toEqual({
      ...{ id: expect.stringMatching(/^flt_/), kind: 'throttled' },
      ...{ operation: null, method: null, path: null, event: null, endpoint_id: null },
      ...{ times: 1, skip: 0, every: 1 },
      ...{ status: null, retry_after: 1, delay_ms: null, by: null, copies: null },
      ...{ met: 0, created_at: '2026-01-01T00:00:00.000000Z' },
    });
  });

  test('takes every kind, and what it answered as a new one, null where nothing was said', async () => {
    for (const kind of FAULT_KINDS) {
      const { id, met, created_at, ...fault } = await add({ kind, times: null, skip: 3, every: 2 });
      expect(fault).toMatchObject({ kind, times: null, skip: 3, every: 2 });
      expect(await add(fault)).toMatchObject(fault);
    }
  });

  test('limits deliveries to an endpoint of the account', async () => {
    const { id } = await store.shop.webhooks.add('http://127.0.0.1:9/');
    expect(await add({ kind: 'lost', endpoint_id: id, event: 'contract.*' })).toMatchObject({ endpoint_id: id });
    const kept = await add({ kind: 'lost' });
    expect(await list()).toHaveLength(2);
    await store.shop.webhooks.remove(id);
    expect(await list(), 'a fault of an endpoint goes with it').toEqual([kept]);
    const other = await openShop(sim);
    const foreign = await other.shop.webhooks.add('http://127.0.0.1:9/');
    for (const endpoint_id of [foreign.id, id, 'we_0']) {
      const { status, body } = await store.call('POST', '/_sim/faults', { kind: 'lost', endpoint_id });
      expect([status, body.errors]).toEqual([422, { endpoint_id: ['The selected endpoint id is invalid.'] }]);
    }
  });

  test.each([
    { path: '/*/ping', method: 'HEAD' },
    { path: '/v1/*' },
    { path: '/v1/contracts/LAY-1/cancel' },
    { method: 'PATCH' },
  ] as const)('takes filters that a request can pass: %j', async (filters) => {
    expect(await add({ kind: 'error', ...filters })).toMatchObject(filters);
  });

  test.each<[object, object]>([
    [{}, { kind: ['The kind field is required.'] }],
    [{ kind: 'slowly' }, { kind: [`The selected kind is invalid. Valid values: ${FAULT_KINDS.join(', ')}.`] }],
    [{ kind: 'slow', delay: 3 }, { delay: ['The delay field is not known. Did you mean delay_ms?'] }],
    [{ kind: 'slow', met: 3 }, { met: ['The met field is not known. Did you mean method?'] }],
    [{ kind: 'slow', delay_ms: 60_001 }, { delay_ms: ['The delay ms field must not be greater than 60000.'] }],
    [{ kind: 'duplicate', copies: 0 }, { copies: ['The copies field must be at least 1.'] }],
    [{ kind: 'duplicate', copies: 101 }, { copies: ['The copies field must not be greater than 100.'] }],
    [
      { kind: 'throttled', retry_after: 86_401 },
      { retry_after: ['The retry after field must not be greater than 86400.'] },
    ],
    [{ kind: 'throttled', status: 429 }, { status: ['The status field does not belong to the kind throttled.'] }],
    [{ kind: 'error', status: 429 }, { status: ['The selected status is invalid. Valid values: 500, 502, 503, 504.'] }],
    [{ kind: 'error', status: 501 }, { status: ['The selected status is invalid. Valid values: 500, 502, 503, 504.'] }],
    [
      { kind: 'error', endpoint_id: 'we_0' },
      { endpoint_id: ['The endpoint id field does not belong to the kind error.'] },
    ],
    [{ kind: 'error', times: 0 }, { times: ['The times field must be at least 1.'] }],
    [{ kind: 'error', every: 1_000_001 }, { every: ['The every field must not be greater than 1000000.'] }],
    [{ kind: 'error', skip: -1 }, { skip: ['The skip field must be at least 0.'] }],
    [
      { kind: 'error', operation: 'createOrder' },
      {
        operation: [
          expect.stringMatching(/^The selected operation is invalid\. Valid values: ping, .*, cancelContract\.$/),
        ],
      },
    ],
    [
      { kind: 'error', method: 'get' },
      { method: ['The selected method is invalid. Valid values: GET, HEAD, POST, PATCH.'] },
    ],
    [{ kind: 'error', path: 'ping' }, { path: ['The path field must begin with /v1/ and have no query.'] }],
    [{ kind: 'error', path: '/_sim/clock' }, { path: ['The path field must begin with /v1/ and have no query.'] }],
    [
      { kind: 'error', operation: 'createSession', method: 'GET' },
      { method: ['The method field does not fit the operation createSession, which is POST /v1/sessions.'] },
    ],
    [
      { kind: 'error', operation: 'getContract', path: '/v1/contracts' },
      { path: ['The path field does not fit the operation getContract, which is GET /v1/contracts/{reference}.'] },
    ],
    [
      { kind: 'error', operation: 'getHostedSession' },
      { operation: ['The operation getHostedSession takes no credentials, so no fault strikes it.'] },
    ],
    ...['/v1/nope', '/v1/sessions/*', '/v1/contracts/'].map((path): [object, object] => [
      { kind: 'error', path },
      { path: ['The path field fits no operation that takes credentials.'] },
    ]),
    [
      { kind: 'error', path: '/*/ping', method: 'POST' },
      { method: ['The method field fits no operation at that path that takes credentials.'] },
    ],
    [
      { kind: 'lost', event: 'contract.made' },
      { event: [expect.stringMatching(/^The selected event is invalid\. Valid values: session.*, webhook\.\*\.$/)] },
    ],
    [
      { kind: 'lost', event: '*' },
      { event: [expect.stringMatching(/^The selected event is invalid\. Valid values: session.*, webhook\.\*\.$/)] },
    ],
    [{ kind: 'delayed', by: '31d' }, { by: ['The by field must not be more than 30 days.'] }],
    [
      { kind: 'error', copies: 1, event: 'contract.*' },
      {
        event: ['The event field does not belong to the kind error.'],
        copies: ['The copies field does not belong to the kind error.'],
      },
    ],
    [
      { kind: 'reordered', operation: 'ping', by: '1h' },
      {
        operation: ['The operation field does not belong to the kind reordered.'],
        by: ['The by field does not belong to the kind reordered.'],
      },
    ],
  ])('refuses %j', async (body, errors) => {
    const answer = await store.call('POST', '/_sim/faults', body);
    expect([answer.status, answer.body.errors]).toEqual([422, errors]);
    expect(await list()).toEqual([]);
  });
});

describe('GET and DELETE /_sim/faults', () => {
  test('lists in the order of adding, a part of them on request', async () => {
    const [a, b, c] = [await add({ kind: 'slow' }), await add({ kind: 'lost' }), await add({ kind: 'error' })];
    expect(ids(await list())).toEqual([a.id, b.id, c.id]);
    expect(ids(await list('?limit=2'))).toEqual([a.id, b.id]);
    expect(ids(await list(`?after=${a.id}`))).toEqual([b.id, c.id]);
    expect((await store.call('GET', '/_sim/faults?after=flt_0')).status).toBe(422);
  });

  test('removes one, and all', async () => {
    const [a, b] = [await add({ kind: 'slow' }), await add({ kind: 'lost' })];
    expect((await store.call('DELETE', `/_sim/faults/${a.id}`)).status).toBe(204);
    expect(await store.call('DELETE', `/_sim/faults/${a.id}`)).toMatchObject({
      status: 404,
      body: { message: 'Fault not found.' },
    });
    expect(ids(await list())).toEqual([b.id]);
    expect((await store.call('DELETE', '/_sim/faults')).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  test('another account neither sees nor removes them', async () => {
    const { id } = await add({ kind: 'slow' });
    for (const other of [await openShop(sim), { call: store.live.call }]) {
      expect(expectData(await other.call('GET', '/_sim/faults'))).toEqual([]);
      expect((await other.call('DELETE', `/_sim/faults/${id}`)).status).toBe(404);
      expect((await other.call('DELETE', '/_sim/faults')).status).toBe(204);
    }
    expect(ids(await list())).toEqual([id]);
    expect((await caller(sim)('GET', '/_sim/faults')).status).toBe(401);
  });
});

test('the id of a removed fault is not given to another one, not even after a restart', async () => {
  const data = mkdtempSync(join(tmpdir(), 'layaway-faults-'));
  const removed: string[] = [];
  for (let start = 0; start < 2; start += 1) {
    await using own = await createSimulator({ data, seed: 1 });
    const { faults } = own.default;
    for (let n = 0; n < 2; n += 1) {
      const { id } = await faults.add({ kind: 'error' });
      await (n === 0 ? faults.remove(id) : faults.clear());
      removed.push(id);
    }
  }
  expect(new Set(removed).size).toBe(4);
  rmSync(data, { recursive: true });
});

test('interface §7: faults and their counts are part of snapshots and of a reset', async () => {
  await using own = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const shop = own.default;
  await shop.faults.add({ kind: 'error', times: 2 });
  await shop.v1.ping().catch(() => null);
  await own.snapshots.save('armed');
  await shop.v1.ping().catch(() => null);
  expect(await shop.faults.list()).toMatchObject([{ met: 2 }]);
  expect(await shop.v1.ping()).toMatchObject({ scopes: expect.any(Array) });

  await own.snapshots.restore('armed');
  expect(await shop.faults.list()).toMatchObject([{ met: 1 }]);
  await expect(shop.v1.ping()).rejects.toMatchObject({ status: 503 });
  expect(await shop.v1.ping()).toMatchObject({ scopes: expect.any(Array) });

  await own.reset();
  expect(await shop.faults.list()).toEqual([]);
});

test.each(['reset', 'restore'] as const)(
  'interface §7: a strike that is under way when a %s comes takes nothing from the faults of the new state',
  async (how) => {
    await using receiver = await openReceiver();
    await using own = await createSimulator({ seed: 3, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const { faults, webhooks, contracts, clock } = own.default;
    const arrange = async () => {
      await webhooks.add(receiver.url, { events: ['contract.cancelled'] });
      await faults.add({ kind: 'lost_ack' });
    };
    const cancel = async () => contracts.cancel((await contracts.create({})).reference);
    await arrange();
    await own.snapshots.save('armed');
    const { reached, answer } = silence(receiver);
    await cancel();
    await reached;
    if (how === 'reset') {
      await own.reset();
      await arrange();
    } else await own.snapshots.restore('armed');
    answer();
    await cancel();
    await clock.advance('0s');
    expect(await faults.list()).toMatchObject([{ kind: 'lost_ack', met: 1 }]);
    expect(await webhooks.deliveries()).toMatchObject([{ attempts: [{ fault: { kind: 'lost_ack' } }] }]);
  },
);
