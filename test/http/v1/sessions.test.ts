import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { yieldToEventLoop } from '../../../src/time/real.ts';
import { caller, expectData, manualTime, openShop, order, type TestShop } from '../../support/shop.ts';

const MINUTE = 60_000;
const time = manualTime();
let sim: Simulator;
let shop: TestShop;
let workspace: ReturnType<typeof caller>;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, time });
  shop = await openShop(sim);
  workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
});
afterAll(() => sim.close());

const ADA = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };
const read = async (id: string, call = shop.call) => expectData(await call('GET', `/v1/checkout-sessions/${id}`));
const hosted = async (id: string) => expectData(await caller(sim)('GET', `/v1/sessions/${id}`));

describe('§3.1: a pending session expires exactly at expires_at', () => {
  it('on the merchant’s read and on the hosted one', async () => {
    const session = await shop.open();
    time.pass(60 * MINUTE - 1);
    expect((await read(session.id)).status).toBe('pending');
    expect((await hosted(session.id)).status).toBe('pending');
    time.pass(1);
    expect(await read(session.id)).toEqual({ ...session, status: 'expired' });
    expect((await hosted(session.id)).status).toBe('expired');
    time.pass(365 * 24 * 60 * MINUTE);
    expect((await read(session.id)).status).toBe('expired');
  });

  it('after session_ttl_minutes as it was when the session opened', async () => {
    const own = await openShop(sim, { session_ttl_minutes: 5 });
    const session = await own.open();
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(5 * MINUTE);
    await own.set({ session_ttl_minutes: 600 });
    time.pass(5 * MINUTE);
    expect((await read(session.id, own.call)).status).toBe('expired');
  });

  it('a lapsed session cannot be transacted on and cannot be revived', async () => {
    const own = await openShop(sim);
    const session = await own.open();
    time.pass(60 * MINUTE);
    for (const [verb, body] of [
      ['accept', ADA],
      ['pay', {}],
      ['complete', {}],
      ['cancel', {}],
    ] as const) {
      const answer = await own.call('POST', `/_sim/sessions/${session.id}/${verb}`, body);
      expect([answer.status, answer.body], verb).toEqual([
        409,
        { message: 'This checkout session has expired. Open a new one.' },
      ]);
    }
    expect((await own.call('GET', '/v1/contracts')).body.meta.total).toBe(0);
    expect((await read(session.id, own.call)).status).toBe('expired');
  });

  it('only a pending session expires', async () => {
    const [accepted, completed, cancelled] = [await shop.open(), await shop.open(), await shop.open()];
    await shop.step(accepted.id, 'accept', ADA);
    await shop.step(completed.id, 'complete');
    await shop.step(cancelled.id, 'cancel');
    time.pass(48 * 60 * MINUTE);
    expect((await read(accepted.id)).status).toBe('decision_made');
    expect((await read(completed.id)).status).toBe('completed');
    expect((await read(cancelled.id)).status).toBe('cancelled');
    expect(await shop.step(accepted.id, 'pay')).toMatchObject({ status: 'active' });
  });

  it('decisions §4: session.expired is sent once', async () => {
    const own = await openShop(sim);
    const session = await own.open();
    // The alarm is set a turn after the answer.
    await yieldToEventLoop();
    time.pass(60 * MINUTE);
    await expect
      .poll(async () => expectData(await own.call('GET', '/_sim/events')))
      .toMatchObject([{ type: 'session.expired', data: { id: session.id, status: 'expired' } }]);
    time.pass(60 * MINUTE);
    await read(session.id, own.call);
    expect(expectData(await own.call('GET', '/_sim/events'))).toHaveLength(1);
  });
});

describe('§2.5: the terms are snapshotted as the session opens', () => {
  it('changed settings move neither the open quote nor the contract it becomes', async () => {
    const own = await openShop(sim);
    const session = await own.open({ total_amount: 10_000 });
    const quoted = await hosted(session.id);
    await own.set({
      down_payment_percentage: 50,
      reservation_fee_percentage: 10,
      installment_count: 2,
      installment_cadence: 'weekly',
      min_order_amount: 50_000,
      state: 'CA',
    });
    expect(await read(session.id, own.call)).toEqual(session);
    expect(await hosted(session.id)).toEqual(quoted);
    const contract = await own.step(session.id, 'complete');
    expect(contract).toMatchObject({
      down_payment_amount: 2000,
      reservation_fee_amount: 500,
      customer_total: 10_500,
      customer_state: 'TX',
    });
    expect(contract.installments.map((i: { amount: number }) => i.amount)).toEqual([2500, 2000, 2000, 2000, 2000]);
    const fresh = await own.open({ total_amount: 50_000 });
    expect(fresh).toMatchObject({ down_payment_amount: 25_000, down_payment_percentage: 50 });
  });

  it('decisions §4: availability is not checked again after the session opened', async () => {
    const own = await openShop(sim);
    const session = await own.open();
    await own.set({ layaway_enabled: false, excluded_states: ['TX'] });
    expect(await own.step(session.id, 'complete')).toMatchObject({ status: 'active' });
  });
});

describe('§2.3, §4.3 rule 7, decisions §5: availability', () => {
  const MERCHANT_BLOCKS = [
    [{ layaway_overridden: true }, 'merchant_overridden'],
    [{ state: 'DC' }, 'state_unavailable'],
    [{ state: 'ZZ' }, 'state_unavailable'],
    [{ excluded_states: ['TX'] }, 'state_excluded'],
    [{ layaway_enabled: false }, 'merchant_disabled'],
    [{ layaway_activated: false }, 'merchant_inactive'],
  ] as const;

  it.each(MERCHANT_BLOCKS)(
    '%j blocks with reason %s: on ping and config 200, on create 403',
    async (settings, reason) => {
      const own = await openShop(sim);
      await own.set(settings);
      const ping = expectData(await own.call('GET', '/v1/ping'));
      expect(ping.layaway).toEqual({ available: false, reason, message: expect.stringMatching(/\S/) });
      expect(expectData(await own.call('GET', '/v1/config')).layaway).toEqual(ping.layaway);
      const refused = await own.call('POST', '/v1/sessions', order());
      expect(refused.status).toBe(403);
      expect(refused.body).toEqual({ message: ping.layaway.message, reason });
    },
  );

  it('decisions §5: the letters of a state are upper-cased, but no other character becomes a letter of one', async () => {
    const own = await openShop(sim);
    expect((await own.call('POST', '/v1/sessions', order({ customer_state: 'il' }))).status).toBe(201);
    // In upper case, the Turkish ı is an I.
    const { status, body } = await own.call('POST', '/v1/sessions', order({ customer_state: 'ıl' }));
    expect([status, body.reason]).toEqual([403, 'state_unavailable']);
  });

  it('precedence is the order of the enum, platform first', async () => {
    const own = await openShop(sim, {
      layaway_overridden: true,
      state: 'DC',
      excluded_states: ['DC'],
      layaway_enabled: false,
      layaway_activated: false,
    });
    const reason = async () => {
      const { layaway } = expectData(await own.call('GET', '/v1/config'));
      const refused = await own.call('POST', '/v1/sessions', order());
      expect(refused.body.reason ?? null).toBe(layaway.reason);
      return layaway.reason;
    };
    const seen: unknown[] = [];
    await workspace('PATCH', '/_sim/platform', { disabled: true });
    seen.push(await reason());
    await workspace('PATCH', '/_sim/platform', { disabled: false });
    seen.push(await reason());
    await own.set({ layaway_overridden: false });
    seen.push(await reason());
    await own.set({ state: 'TX', excluded_states: ['TX'] });
    seen.push(await reason());
    await own.set({ excluded_states: [] });
    seen.push(await reason());
    await own.set({ layaway_enabled: true });
    seen.push(await reason());
    await own.set({ layaway_activated: true });
    seen.push(await reason());
    expect(seen).toEqual([
      'platform_disabled',
      'merchant_overridden',
      'state_unavailable',
      'state_excluded',
      'merchant_disabled',
      'merchant_inactive',
      null,
    ]);
  });

  it('the customer’s state stands in for the merchant’s own, both ways', async () => {
    const own = await openShop(sim, { state: 'CA', excluded_states: ['NY'] });
    const reasonIn = async (customer_state: string | null) =>
      (await own.call('POST', '/v1/sessions', order({ customer_state }))).body.reason;
    expect(await reasonIn('NY')).toBe('state_excluded');
    expect(await reasonIn('ny')).toBe('state_excluded');
    expect(await reasonIn('MD')).toBe('state_unavailable');
    expect(await reasonIn('XX')).toBe('state_unavailable');
    expect(await reasonIn('12')).toBe('state_unavailable');
    expect(await reasonIn('ßß')).toBe('state_unavailable');
    expect(await reasonIn('PR')).toBeUndefined();
    expect(await reasonIn(null)).toBeUndefined();
    await own.set({ state: 'NY' });
    expect(await reasonIn(null)).toBe('state_excluded');
    expect(await reasonIn('CA')).toBeUndefined();
    expect(expectData(await own.call('GET', '/v1/ping')).layaway.reason).toBe('state_excluded');
  });

  it('the platform’s own list of states can be changed', async () => {
    const own = await openShop(sim);
    await workspace('PATCH', '/_sim/platform', { unavailable_states: ['TX'] });
    expect((await own.call('POST', '/v1/sessions', order())).body.reason).toBe('state_unavailable');
    expect((await own.call('POST', '/v1/sessions', order({ customer_state: 'DC' }))).status).toBe(201);
    await workspace('PATCH', '/_sim/platform', { unavailable_states: ['DC', 'MD'] });
    expect((await own.call('POST', '/v1/sessions', order())).status).toBe(201);
  });

  it('§1: the two modes are blocked on their own, the merchant’s state counting in both', async () => {
    const own = await openShop(sim);
    await own.set({ layaway_enabled: false });
    expect((await own.live.call('POST', '/v1/sessions', order())).status).toBe(201);
    await own.live.set({ state: 'MD' });
    expect((await own.call('POST', '/v1/sessions', order())).body.reason).toBe('state_unavailable');
  });
});
