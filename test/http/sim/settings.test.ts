import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { expectData, openShop } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

/** decisions §2, the rows that are an account's or its merchant's. */
const DEFAULTS = {
  down_payment_percentage: 20,
  reservation_fee_percentage: 5,
  min_order_amount: 5000,
  max_order_amount: 500_000,
  session_ttl_minutes: 60,
  installment_count: 4,
  installment_cadence: 'biweekly',
  collection_retry_hours: 48,
  grace_days: 10,
  late_charge_percentage: 5,
  late_charge_max_amount: 1000,
  default_days: 30,
  excluded_states: [],
  layaway_enabled: true,
  layaway_activated: true,
  layaway_overridden: false,
  clearance: 'cleared',
  account_status: 'active',
  legal_name: 'Example Store LLC',
  dba: 'Example Store',
  state: 'TX',
  email: 'merchant@example.com',
  webhook_retry_seconds: [0, 5, 300, 1800, 7200, 18000, 36000, 36000],
  webhook_disable_days: 5,
  idempotency_hours: 24,
  allow_http_localhost: false,
};

describe('interface §3, decisions §2: GET and PATCH /_sim/settings', () => {
  it('one flat object with every name and its default', async () => {
    const shop = await openShop(sim);
    expect(expectData(await shop.call('GET', '/_sim/settings'))).toEqual(DEFAULTS);
    expect(expectData(await shop.live.call('GET', '/_sim/settings'))).toEqual(DEFAULTS);
  });

  it('PATCH accepts any of them and answers the whole object', async () => {
    const shop = await openShop(sim);
    const changes = {
      down_payment_percentage: 30,
      reservation_fee_percentage: 0,
      min_order_amount: 2400,
      max_order_amount: 2400,
      session_ttl_minutes: 1,
      installment_count: 24,
      installment_cadence: 'monthly',
      collection_retry_hours: 1,
      grace_days: 1,
      late_charge_percentage: 0,
      late_charge_max_amount: 0,
      default_days: 2,
      excluded_states: ['CA', 'NY'],
      layaway_enabled: false,
      layaway_activated: false,
      layaway_overridden: true,
      clearance: 'in_review',
      account_status: 'closed',
      legal_name: 'Other LLC',
      dba: null,
      state: 'NY',
      email: 'other@example.com',
      webhook_retry_seconds: [0],
      webhook_disable_days: 1,
      idempotency_hours: 1,
      allow_http_localhost: true,
    };
    expect(Object.keys(changes).sort()).toEqual(Object.keys(DEFAULTS).sort());
    for (const [name, value] of Object.entries(changes)) {
      const own = await openShop(sim);
      const floor = name === 'max_order_amount' ? { min_order_amount: 2400 } : {};
      const rest = { ...DEFAULTS, ...(name === 'installment_count' ? {} : floor) };
      expect(await own.set({ ...floor, [name]: value }), name).toEqual({ ...rest, [name]: value });
    }
    expect(await shop.set(changes)).toEqual(changes);
    expect(expectData(await shop.call('GET', '/_sim/settings'))).toEqual(changes);
    expect(await shop.set({})).toEqual(changes);
  });

  it('decisions §5: the email is trimmed', async () => {
    const shop = await openShop(sim);
    expect((await shop.set({ email: '  owner@example.com\t' })).email).toBe('owner@example.com');
  });

  it('open sessions keep their terms; collection settings apply to plans under way, after the wait that has begun', async () => {
    const { levers, open, complete, set } = await openShop(sim);
    const { reference } = await complete();
    const { id, down_payment_amount, expires_at } = await open();
    await set({
      down_payment_percentage: 50,
      installment_count: 2,
      installment_cadence: 'weekly',
      session_ttl_minutes: 1,
    });
    expect(await levers.sessions.get(id)).toMatchObject({ down_payment_amount, expires_at });
    const { installments } = await levers.sessions.complete(id);
    expect(installments.map(({ due_date }) => due_date)).toEqual(
      (await levers.contracts.get(reference)).installments.map(({ due_date }) => due_date),
    );

    await levers.contracts.outcomes(reference, ['fail', 'fail']);
    await levers.clock.advance('14d');
    await set({ collection_retry_hours: 1, grace_days: 1 });
    await levers.clock.advance({ until: `${reference}#1=past_due` });
    expect((await levers.clock.show()).now).toBe('2026-01-17T00:00:00.000000Z');
    await set({ grace_days: 5, default_days: 6 });
    await levers.clock.advance({ until: `${reference}#1=delinquent` });
    expect((await levers.clock.show()).now).toBe('2026-01-18T00:00:00.000000Z');
    await levers.clock.advance({ until: `${reference}=defaulted` });
    expect((await levers.clock.show()).now).toBe('2026-02-16T00:00:00.000000Z');
  });

  it('they belong to the account, but name, state and email to the merchant', async () => {
    const shop = await openShop(sim);
    await shop.set({ grace_days: 3 });
    await shop.live.set({ legal_name: 'Shared LLC', dba: null, state: 'CA', email: 'shared@example.com' });
    const shared = { legal_name: 'Shared LLC', dba: null, state: 'CA', email: 'shared@example.com' };
    expect(expectData(await shop.call('GET', '/_sim/settings'))).toEqual({ ...DEFAULTS, ...shared, grace_days: 3 });
    expect(expectData(await shop.live.call('GET', '/_sim/settings'))).toEqual({ ...DEFAULTS, ...shared });
    expect(expectData(await shop.call('GET', '/v1/ping'))).toMatchObject({ legal_name: 'Shared LLC', dba: null });
    await shop.set({ state: 'OR' });
    expect(expectData(await shop.live.call('GET', '/_sim/settings'))).toMatchObject({ state: 'OR' });
  });

  it.each([
    ['down_payment_percentage', [1, 90], [0, 91, 20.5, '20', null, true]],
    ['reservation_fee_percentage', [0, 20], [-1, 21, 1.5]],
    ['min_order_amount', [400], [0, -1, 399, 500_001, '5000']],
    ['max_order_amount', [5000], [4999, 0, null]],
    ['session_ttl_minutes', [1, 10_080], [0, 10_081, 1.5]],
    ['installment_count', [1, 24], [0, 25, '4']],
    ['installment_cadence', ['weekly', 'biweekly', 'monthly'], ['daily', '', 5, null, ['weekly']]],
    ['excluded_states', [[], ['CA']], ['CA', ['ca'], ['CAL'], [5], null, {}]],
    ['layaway_enabled', [true, false], ['true', 1, 0, null]],
    ['clearance', ['cleared', 'in_review', 'suspended'], ['open', 'Cleared', null]],
    ['account_status', ['active', 'closed'], ['open', null]],
    ['webhook_retry_seconds', [[0], [0, 5], Array(20).fill(1)], [[], [-1], ['5'], 5, [1.5], Array(21).fill(1)]],
    ['idempotency_hours', [1, 24], [0, -1, '24']],
    ['allow_http_localhost', [true, false], ['true', 1, null]],
    ['legal_name', ['A', 'x'.repeat(255)], ['', ' ', null, 5, 'x'.repeat(256)]],
    ['dba', ['A', null], [5, 'x'.repeat(256)]],
    ['state', ['CA', 'ZZ'], ['', 'C', 'ca', 'CAL', null, 5]],
    ['email', ['a@example.com'], ['', 'a', null, 5]],
  ])('%s: a bad value is 422 under its name and changes nothing', async (name, good, bad) => {
    const shop = await openShop(sim);
    for (const value of good) {
      expect((await shop.set({ [name as string]: value }))[name as string], JSON.stringify(value)).toEqual(value);
    }
    const before = expectData(await shop.call('GET', '/_sim/settings'));
    for (const value of bad) {
      const answer = await shop.call('PATCH', '/_sim/settings', { grace_days: 5, [name as string]: value });
      expect(answer.status, JSON.stringify(value)).toBe(422);
      const fields = Object.keys(answer.body.errors);
      const related = name === 'min_order_amount' && value === 500_001 ? 'max_order_amount' : (name as string);
      expect(
        fields.every((field) => field.split('.')[0] === related),
        `${JSON.stringify(value)}: ${fields}`,
      ).toBe(true);
    }
    expect(expectData(await shop.call('GET', '/_sim/settings'))).toEqual(before);
  });

  it('decisions §2: min_order_amount is at least 100 per installment, and not above max_order_amount', async () => {
    const shop = await openShop(sim);
    await shop.set({ min_order_amount: 400 });
    const count = await shop.call('PATCH', '/_sim/settings', { installment_count: 5 });
    expect([count.status, Object.keys(count.body.errors)]).toEqual([422, ['min_order_amount']]);
    const range = await shop.call('PATCH', '/_sim/settings', { min_order_amount: 1000, max_order_amount: 999 });
    expect([range.status, Object.keys(range.body.errors)]).toEqual([422, ['max_order_amount']]);
    expect(await shop.set({ installment_count: 5, min_order_amount: 500, max_order_amount: 500 })).toMatchObject({
      installment_count: 5,
    });
  });

  it.each(['page_size', 'rate_limit_key', 'disabled', 'unavailable_states', 'grace_day', 'clock', '__proto__', 'id'])(
    'the unknown name %s is 422, and nothing else in the body is written',
    async (name) => {
      const shop = await openShop(sim);
      const answer = await shop.call('PATCH', '/_sim/settings', `{"grace_days":5,"${name}":1}`);
      expect(answer.status).toBe(422);
      expect(Object.keys(answer.body.errors)).toEqual([name]);
      expect(answer.body.message).toBe(answer.body.errors[name][0]);
      expect(expectData(await shop.call('GET', '/_sim/settings'))).toEqual(DEFAULTS);
    },
  );

  it('interface §3: the pair is checked, not clearance, and any scope will do', async () => {
    const shop = await openShop(sim);
    await shop.set({ clearance: 'suspended', account_status: 'closed' });
    const narrow = await shop.withScopes(['contracts:read']);
    const answer = await shop.call('PATCH', '/_sim/settings', { clearance: 'cleared' }, narrow);
    expect(expectData(answer).clearance).toBe('cleared');
  });
});
