import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { expectData, leversOf, manualTime, openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let first: { reference: string };
let second: { reference: string };
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
  first = await shop.complete({ order_reference: 'A-1' });
  second = await shop.complete({ order_reference: 'A-2' });
  await shop.open({ order_reference: 'A-1', customer_email: 'ada@example.com' });
});
afterAll(() => sim.close());

const read = async (path: string) => expectData(await shop.call('GET', path));
const references = async (path: string) => (await read(path)).map((one: { reference: string }) => one.reference);

test('interface §3: events of a type, of a contract, of both', async () => {
  const types = async (query: string) =>
    (await read(`/_sim/events?${query}`)).map(({ type }: { type: string }) => type);
  expect(await types('type=contract.activated')).toEqual(['contract.activated', 'contract.activated']);
  expect(await types(`contract=${first.reference}`)).toEqual(['contract.activated']);
  expect(await types(`contract=${first.reference}&type=contract.cancelled`)).toEqual([]);
  const [, older] = await read('/_sim/events?type=contract.activated');
  expect(await read(`/_sim/events?type=contract.activated&after=${older.id}`)).toMatchObject([
    { data: { reference: second.reference } },
  ]);
  expect((await shop.call('GET', '/_sim/events?contract=LAY-0000000000')).status).toBe(404);
  expect((await shop.call('GET', '/_sim/events?type=contract.activatd')).status).toBe(422);
  const stranger = await openShop(sim);
  expect((await stranger.call('GET', `/_sim/events?contract=${first.reference}`)).status).toBe(404);
  const [{ id: session }] = await read('/_sim/sessions?order_reference=A-2');
  const own = ['session.completed', 'contract.activated', 'session.decision_made'];
  expect(await types(`session=${session}`)).toEqual(own);
  expect(await types(`session=${session}&contract=${second.reference}`)).toEqual(['contract.activated']);
  expect(await types(`session=${session}&contract=${first.reference}`)).toEqual([]);
  expect((await stranger.call('GET', `/_sim/events?session=${session}`)).status).toBe(404);
});

test('interface §3: sessions by status and order reference', async () => {
  const orders = async (query: string) =>
    (await read(`/_sim/sessions?${query}`)).map(
      (one: Record<string, string>) => `${one.order_reference} ${one.status}`,
    );
  expect(await orders('status=completed')).toEqual(['A-2 completed', 'A-1 completed']);
  expect(await orders('order_reference=A-1')).toEqual(['A-1 pending', 'A-1 completed']);
  expect(await orders('order_reference=A-1&status=pending')).toEqual(['A-1 pending']);
  for (const other of ['A', 'a-1', 'A-%25', 'A-_']) expect(await orders(`order_reference=${other}`)).toEqual([]);
  expect((await shop.call('GET', '/_sim/sessions?status=open')).status).toBe(422);
});

test('interface §3: contracts by status, order reference and overdue installment', async () => {
  expect(await references('/_sim/contracts')).toEqual([second.reference, first.reference]);
  expect(await references('/_sim/contracts?order_reference=A-2')).toEqual([second.reference]);
  expect(await references('/_sim/contracts?overdue=true')).toEqual([]);
  const path = `/_sim/contracts/${first.reference}/outcomes`;
  await shop.call('PUT', path, { outcomes: ['fail', 'fail', 'pay'] });
  expect(await read(path)).toEqual({ outcomes: ['fail', 'fail', 'pay'] });
  expectData(await shop.call('POST', '/_sim/clock/advance', { until: `${first.reference}#1=past_due` }));
  expect(await references('/_sim/contracts?overdue=true')).toEqual([first.reference]);
  expect(await read(path)).toEqual({ outcomes: ['pay'] });
  expectData(await shop.call('POST', '/_sim/clock/advance', { until: `${first.reference}#1=delinquent` }));
  expect(await references('/_sim/contracts?overdue=true')).toEqual([first.reference]);
  expect(await references('/_sim/contracts?overdue=true&status=cancelled')).toEqual([]);
  expect((await shop.call('GET', '/_sim/contracts?overdue=yes')).status).toBe(422);
  expectData(await shop.call('POST', `/v1/contracts/${first.reference}/cancel`));
  expect(await references('/_sim/contracts?overdue=true'), 'nothing more is collected').toEqual([]);
  const stranger = await openShop(sim);
  expect(expectData(await stranger.call('GET', '/_sim/contracts'))).toEqual([]);
  expect((await stranger.call('GET', path)).status).toBe(404);
});

test('§3.1: from its deadline on, a session is found as expired, even before its change is stored', async () => {
  const time = manualTime();
  await using own = await createSimulator({ time });
  const { id, expires_at } = await own.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  time.sleep(Date.parse(expires_at) - time.now());
  const found = async (status: 'pending' | 'expired') => (await own.default.sessions.list({ status })).map((s) => s.id);
  expect([await found('pending'), await found('expired')]).toEqual([[], [id]]);
  const { call } = leversOf(own, own.default);
  expect(expectData(await call('GET', '/_sim/browse/search?text=A-1'))).toMatchObject([{ id, status: 'expired' }]);
  expect((await own.default.explain(id)).state).toBe('expired');
});

test('decisions §5: no list and no count has the session of a preview', async () => {
  const own = await openShop(sim);
  const preview = await own.shop.sessions.preview({ order_reference: 'A-1', total_amount: 20_000 });
  const real = await own.open({ order_reference: 'A-1' });
  const later = await own.shop.sessions.preview({ order_reference: 'A-1', total_amount: 20_000 });
  const listed = async (query: string) =>
    expectData(await own.call('GET', `/_sim/sessions${query}`)).map((session: { id: string }) => session.id);
  for (const query of ['', '?status=pending', '?order_reference=A-1', `?after=${preview.id}`]) {
    expect([query, await listed(query)]).toEqual([query, [real.id]]);
  }
  await own.step(later.id, 'cancel');
  expect(await listed('?status=cancelled')).toEqual([]);
  const { sessions } = expectData(await own.call('GET', '/_sim/browse/counts'));
  expect(sessions).toEqual({ pending: 1 });
});

test('§4.5: contracts of previews are in no list, under any filter', async () => {
  const own = await openShop(sim);
  const order = { order_reference: 'A-1', total_amount: 20_000 };
  const { id } = await own.shop.sessions.preview(order);
  await own.step(id, 'complete');
  for (const path of ['/_sim/contracts', '/_sim/contracts?status=active', '/_sim/contracts?order_reference=A-1']) {
    expect([path, expectData(await own.call('GET', path))]).toEqual([path, []]);
  }
  for (const path of ['/v1/contracts', '/v1/contracts?status=active']) {
    const { data, meta } = (await own.call('GET', path)).body;
    expect([path, data, meta.total]).toEqual([path, [], 0]);
  }
});

test('interface §3: accept takes the address of the session; without any, it says so', async () => {
  const own = await openShop(sim);
  const { id } = await own.open({ customer_email: 'ada@example.com' });
  expect(await own.step(id, 'accept', { customer_name: 'Ada' })).toMatchObject({ customer_email: 'ada@example.com' });
  const bare = await own.open();
  const refused = await own.call('POST', `/_sim/sessions/${bare.id}/accept`, { customer_name: 'Ada' });
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['customer_email']]);
});
