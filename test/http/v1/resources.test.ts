import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { caller, expectData, openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-31T09:08:07.006Z' } });
  shop = await openShop(sim);
});
afterAll(() => sim.close());

const NOW = '2026-01-31T09:08:07.006000Z';
const AVAILABLE = { available: true, reason: null, message: null };
const ALL_SCOPES = ['checkout:read', 'checkout:write', 'contracts:read', 'contracts:write'];

describe('§2: an object with the single key data', () => {
  it('every success has it', async () => {
    const session = await shop.open();
    const { reference } = await shop.complete();
    for (const [method, path] of [
      ['GET', '/v1/ping'],
      ['GET', '/v1/config'],
      ['GET', `/v1/checkout-sessions/${session.id}`],
      ['GET', `/v1/sessions/${session.id}`],
      ['GET', `/v1/contracts/${reference}`],
      ['PATCH', `/v1/contracts/${reference}`],
      ['POST', `/v1/contracts/${reference}/cancel`],
    ] as const) {
      const answer = await shop.call(method, path);
      expect(answer.status, path).toBe(200);
      expect(Object.keys(answer.body), path).toEqual(['data']);
      expect(answer.headers.get('content-type'), path).toBe('application/json; charset=utf-8');
    }
    expect(Object.keys((await shop.call('GET', '/v1/contracts')).body)).toEqual(['data', 'links', 'meta']);
  });
});

describe('§4.1: ping', () => {
  it('all keys, in both modes', async () => {
    for (const [levers, { clientId, apiKey }] of [
      [shop, shop.shop],
      [shop.live, shop.shop.live],
    ] as const) {
      expect(expectData(await levers.call('GET', '/v1/ping'))).toEqual({
        client_id: clientId,
        legal_name: 'Example Store LLC',
        dba: 'Example Store',
        scopes: ALL_SCOPES,
        key_prefix: apiKey.slice(0, 12),
        layaway: AVAILABLE,
      });
    }
  });

  it('scopes are those of the key, and key_prefix is its first 12 characters', async () => {
    const headers = await shop.withScopes(['contracts:write', 'checkout:read']);
    const data = expectData(await caller(sim, headers)('GET', '/v1/ping'));
    expect(data.scopes).toEqual(['checkout:read', 'contracts:write']);
    expect(data.key_prefix).toBe(headers['x-api-key'].slice(0, 12));
    expect(data.key_prefix).toMatch(/^sk_test_[0-9A-Za-z]{4}$/);
  });

  it('dba may be null', async () => {
    const own = await openShop(sim, { dba: null, legal_name: 'Ada’s LLC' });
    expect(expectData(await own.call('GET', '/v1/ping'))).toMatchObject({ dba: null, legal_name: 'Ada’s LLC' });
  });
});

describe('§4.2: config', () => {
  it('all keys, in both modes', async () => {
    for (const [levers, { clientId }, mode] of [
      [shop, shop.shop, 'sandbox'],
      [shop.live, shop.shop.live, 'live'],
    ] as const) {
      expect(expectData(await levers.call('GET', '/v1/config'))).toEqual({
        merchant: { client_id: clientId, legal_name: 'Example Store LLC', dba: 'Example Store' },
        mode,
        layaway: AVAILABLE,
        terms: { min_order_amount: 5000, max_order_amount: 500_000, down_payment_percentage: 20 },
        session_ttl_minutes: 60,
      });
    }
  });

  it('§1: each mode has its own settings', async () => {
    const own = await openShop(sim);
    await own.set({ session_ttl_minutes: 15, down_payment_percentage: 30, max_order_amount: 60_000 });
    expect(expectData(await own.call('GET', '/v1/config'))).toMatchObject({
      terms: { max_order_amount: 60_000, down_payment_percentage: 30 },
      session_ttl_minutes: 15,
    });
    expect(expectData(await own.live.call('GET', '/v1/config'))).toMatchObject({
      terms: { max_order_amount: 500_000, down_payment_percentage: 20 },
      session_ttl_minutes: 60,
    });
  });
});

describe('§2.5: checkout session', () => {
  it('all fields, on create and on read alike', async () => {
    const created = await shop.call('POST', '/v1/sessions', {
      order_reference: 'A-1',
      total_amount: 12_345,
      return_url: 'https://shop.example/return?a=1#b',
      cancel_url: 'https://shop.example/cancel',
      customer_email: 'ada@example.com',
      customer_state: 'CA',
      metadata: { cart: '7' },
    });
    const session = expectData(created, 201);
    expect(session).toEqual({
      id: expect.stringMatching(/^cs_[0-9A-Za-z]{32}$/),
      status: 'pending',
      order_reference: 'A-1',
      total_amount: 12_345,
      down_payment_amount: 2469,
      down_payment_percentage: 20,
      checkout_url: `${sim.url}/checkout/${session.id}`,
      return_url: 'https://shop.example/return?a=1#b',
      cancel_url: 'https://shop.example/cancel',
      expires_at: '2026-01-31T10:08:07.006000Z',
      created_at: NOW,
      metadata: { cart: '7' },
    });
    expect((await shop.call('GET', `/v1/checkout-sessions/${session.id}`)).text).toBe(created.text);
  });

  it('§2.4: metadata is {} when none were sent', async () => {
    expect((await shop.open()).metadata).toEqual({});
    expect((await shop.open({ metadata: null })).metadata).toEqual({});
  });
});

describe('§2.6, §2.7, decisions §3: contract', () => {
  const installment = (sequence: number, due_date: string) => ({
    sequence,
    type: 'installment_capture',
    installment_number: sequence - 1,
    amount: 2469,
    due_date,
    status: 'upcoming',
    paid_at: null,
  });

  it('all fields of an active one, with the figures of the worked example', async () => {
    const session = await shop.open({ total_amount: 12_345, customer_state: 'ca', metadata: { cart: '7' } });
    const contract = await shop.step(session.id, 'complete', {
      customer_name: 'Ada Byron',
      customer_email: 'ada@example.com',
    });
    expect(contract).toEqual({
      reference: expect.stringMatching(/^LAY-[0-9A-HJKMNP-TV-Z]{10}$/),
      order_reference: 'A-1',
      status: 'active',
      customer_name: 'Ada Byron',
      customer_email: 'ada@example.com',
      customer_state: 'CA',
      total_amount: 12_345,
      reservation_fee_amount: 617,
      customer_total: 12_962,
      down_payment_amount: 2469,
      paid_amount: 3086,
      remaining_amount: 9876,
      installments: [
        {
          sequence: 1,
          type: 'cart_capture',
          installment_number: null,
          amount: 3086,
          due_date: '2026-01-31',
          status: 'paid',
          paid_at: NOW,
        },
        installment(2, '2026-02-14'),
        installment(3, '2026-02-28'),
        installment(4, '2026-03-14'),
        installment(5, '2026-03-28'),
      ],
      started_at: NOW,
      completed_at: null,
      defaulted_at: null,
      cancelled_at: null,
      created_at: NOW,
      metadata: { cart: '7' },
    });
    expect(expectData(await shop.call('GET', `/v1/contracts/${contract.reference}`))).toEqual(contract);
    const { body } = await shop.call('GET', '/v1/contracts');
    expect(body.data[0]).toEqual(contract);
  });

  it('§3.2: a pending one has paid nothing, and its Cart Capture is due', async () => {
    const session = await shop.open();
    const contract = await shop.step(session.id, 'accept', { customer_name: 'Ada', customer_email: 'ada@example.com' });
    expect(contract).toMatchObject({ status: 'pending', paid_amount: 0, remaining_amount: 21_000, started_at: null });
    expect(contract.installments[0]).toMatchObject({ status: 'due', paid_at: null, amount: 5000 });
  });

  it('§4.3: without customer_state the agreement is opened against the merchant’s own state', async () => {
    const own = await openShop(sim, { state: 'CA' });
    expect((await own.complete()).customer_state).toBe('CA');
  });

  it('decisions §3: monthly dates keep the anchor’s day or clamp to the month’s end, counted from the anchor', async () => {
    const own = await openShop(sim);
    await own.set({ installment_cadence: 'monthly', installment_count: 3 });
    const { installments } = await own.complete({ total_amount: 10_001 });
    expect(installments.map((i: { due_date: string }) => i.due_date)).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
    ]);
    expect(installments.map((i: { amount: number }) => i.amount)).toEqual([2500, 2667, 2667, 2667]);
  });
});

describe('§4.4, decisions §5: the hosted read', () => {
  const ROOM = ['cancel_url', 'customer_total', 'down_payment_amount', 'down_payment_percentage', 'due_today_amount'];
  const KEYS = [...ROOM, 'expires_at', 'id', 'installments', 'merchant', 'mode', 'reservation_fee_amount', 'status'];

  it('needs no key, is not stored, and shows exactly its own fields', async () => {
    const session = await shop.open({ total_amount: 12_345, customer_email: 'ada@example.com', metadata: { a: 'b' } });
    const answer = await caller(sim)('GET', `/v1/sessions/${session.id}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const data = expectData(answer);
    expect(Object.keys(data).sort()).toEqual([...KEYS, 'total_amount'].sort());
    expect(data).toMatchObject({
      id: session.id,
      status: 'pending',
      mode: 'sandbox',
      merchant: { name: 'Example Store' },
      total_amount: 12_345,
      down_payment_amount: 2469,
      down_payment_percentage: 20,
      reservation_fee_amount: 617,
      customer_total: 12_962,
      due_today_amount: 3086,
      cancel_url: 'https://shop.example/cancel',
      expires_at: '2026-01-31T10:08:07.006000Z',
    });
    expect(Object.keys(data.merchant)).toEqual(['name']);
    expect(data.installments).toHaveLength(5);
    for (const planned of data.installments) expect(planned).toMatchObject({ status: 'upcoming', paid_at: null });
    expect(data.installments[0].due_date).toBe('2026-01-31');
  });

  it('until then its schedule has the cadence of the session, dated from today', async () => {
    const own = await openShop(sim);
    await own.set({ installment_cadence: 'monthly', installment_count: 2 });
    const { id } = await own.open();
    await own.set({ installment_cadence: 'weekly' });
    const { installments } = expectData(await caller(sim)('GET', `/v1/sessions/${id}`));
    expect(installments.map((i: { due_date: string }) => i.due_date)).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
    ]);
  });

  it('after acceptance it shows the contract’s own schedule', async () => {
    const session = await shop.open();
    const { installments } = await shop.step(session.id, 'complete');
    const data = expectData(await caller(sim)('GET', `/v1/sessions/${session.id}`));
    expect(data.status).toBe('completed');
    expect(data.installments).toEqual(installments);
  });

  it('shows the legal name without a dba, and live mode', async () => {
    const own = await openShop(sim, { dba: null, legal_name: 'Quiet LLC' });
    const session = await own.live.open();
    expect(expectData(await caller(sim)('GET', `/v1/sessions/${session.id}`))).toMatchObject({
      mode: 'live',
      merchant: { name: 'Quiet LLC' },
    });
  });

  it('an unknown token is 404, not stored either', async () => {
    const answer = await caller(sim)('GET', `/v1/sessions/cs_${'0'.repeat(32)}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ message: 'Checkout session not found.' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('§5: shapes of credentials', () => {
  it('client id and key are their prefix and 32 characters', () => {
    for (const { clientId, apiKey } of [sim.default, shop.shop]) {
      expect(clientId).toMatch(/^mch_test_[0-9A-Za-z]{32}$/);
      expect(apiKey).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
    }
    for (const { clientId, apiKey } of [sim.default.live, shop.shop.live]) {
      expect(clientId).toMatch(/^mch_live_[0-9A-Za-z]{32}$/);
      expect(apiKey).toMatch(/^sk_live_[0-9A-Za-z]{32}$/);
    }
  });

  it('decisions §5: the default merchant’s four credentials are the same under every seed', async () => {
    await using other = await createSimulator({ seed: 2 });
    const four = ({ default: d }: Simulator) => [d.clientId, d.apiKey, d.live.clientId, d.live.apiKey];
    expect(four(other)).toEqual(four(sim));
  });
});

describe('§2.4: metadata is echoed back', () => {
  it('copied onto the contract, replaced whole by an update, the session keeping its own', async () => {
    const session = await shop.open({ metadata: { a: '1', b: '2' } });
    const { reference } = await shop.step(session.id, 'complete');
    const path = `/v1/contracts/${reference}`;
    expect(expectData(await shop.call('PATCH', path, { metadata: { c: '3' } })).metadata).toEqual({ c: '3' });
    expect(expectData(await shop.call('PATCH', path, { order_reference: 'B' })).metadata).toEqual({ c: '3' });
    expect(expectData(await shop.call('PATCH', path, { metadata: null })).metadata).toEqual({});
    const read = expectData(await shop.call('GET', `/v1/checkout-sessions/${session.id}`));
    expect(read).toMatchObject({ metadata: { a: '1', b: '2' }, order_reference: 'A-1' });
  });
});
