import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACT_STATUSES } from '../../../src/domain/contract.ts';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { expectData, openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

const get = async (shop: TestShop, reference: string) =>
  expectData(await shop.call('GET', `/v1/contracts/${reference}`));
const cancel = (shop: TestShop, reference: string) => shop.call('POST', `/v1/contracts/${reference}/cancel`);
const cancelEvents = async (shop: TestShop) =>
  expectData(await shop.call('GET', '/_sim/events?type=contract.cancelled'));
const cancelEmails = async (shop: TestShop, reference: string) =>
  expectData(await shop.call('GET', `/_sim/emails?reference=${reference}`)).filter(
    ({ template }: { template: string }) => template.startsWith('plan_cancelled'),
  );

describe('§4.8: POST /v1/contracts/{reference}/cancel', () => {
  it('§3.2: an active contract ends: cancelled_at is set, paid installments stay paid, nothing more is collected', async () => {
    const shop = await openShop(sim);
    const active = await shop.contractIn('active');
    const due = active.installments[1].due_date;
    expectData(await shop.call('POST', '/_sim/clock/advance', { to: `${due}T12:00:00Z` }));
    const before = await get(shop, active.reference);
    expect(before.installments[1].status).toBe('paid');

    const cancelled = expectData(await cancel(shop, active.reference));
    expect(cancelled).toEqual({ ...before, status: 'cancelled', cancelled_at: `${due}T12:00:00.000000Z` });
    expect(await get(shop, active.reference)).toEqual(cancelled);

    const { happened } = expectData(await shop.call('POST', '/_sim/clock/advance', { by: '365d' }));
    expect(happened).toEqual([]);
    expect(await get(shop, active.reference)).toEqual(cancelled);
  });

  it('§6: contract.cancelled is made once, and an email goes to the merchant and to the customer', async () => {
    const shop = await openShop(sim, { email: 'books@shop.example' });
    const { reference } = await shop.contractIn('active');
    const cancelled = expectData(await cancel(shop, reference));
    expect(await cancelEvents(shop)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/),
        type: 'contract.cancelled',
        created_at: cancelled.cancelled_at,
        livemode: false,
        data: cancelled,
      },
    ]);
    const sent = await cancelEmails(shop, reference);
    expect(sent.map(({ to }: { to: string }) => to).sort()).toEqual(['ada@example.com', 'books@shop.example']);
  });

  it('§1: in live mode the event says livemode true', async () => {
    const shop = await openShop(sim);
    const { reference } = await shop.live.contractIn('active');
    expectData(await shop.live.call('POST', `/v1/contracts/${reference}/cancel`));
    const [event] = expectData(await shop.live.call('GET', '/_sim/events'));
    expect(event).toMatchObject({ type: 'contract.cancelled', livemode: true, data: { reference } });
    expect(expectData(await shop.call('GET', '/_sim/events'))).toEqual([]);
  });

  it('again, later: 200 with the contract as it stands, no second event or email', async () => {
    const shop = await openShop(sim);
    const cancelled = await shop.contractIn('cancelled');
    expectData(await shop.call('POST', '/_sim/clock/advance', { by: '1d' }));
    expect(expectData(await cancel(shop, cancelled.reference))).toEqual(cancelled);
    expect(await cancelEvents(shop)).toHaveLength(1);
    expect(await cancelEmails(shop, cancelled.reference)).toHaveLength(2);
  });

  it('50 at once: 50 × 200, one event, two emails', async () => {
    const shop = await openShop(sim);
    const { reference } = await shop.contractIn('active');
    const answers = await Promise.all(Array.from({ length: 50 }, () => cancel(shop, reference)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(expectData(answers[0] as never).status).toBe('cancelled');
    expect(await cancelEvents(shop)).toHaveLength(1);
    expect(await cancelEmails(shop, reference)).toHaveLength(2);
  });

  it.each([
    ['pending', 'Only an active contract can be cancelled.'],
    ['completed', 'A completed contract cannot be cancelled.'],
    ['defaulted', 'A defaulted contract cannot be cancelled.'],
  ] as const)('a %s contract is refused with 422, and nothing happens', async (status, message) => {
    const shop = await openShop(sim);
    const contract = await shop.contractIn(status);
    const refused = await cancel(shop, contract.reference);
    expect([refused.status, refused.body]).toEqual([422, { message }]);
    expect(await get(shop, contract.reference)).toEqual(contract);
    expect(await cancelEvents(shop)).toEqual([]);
    expect(await cancelEmails(shop, contract.reference)).toEqual([]);
  });

  it('a body is accepted and ignored', async () => {
    const shop = await openShop(sim);
    const { reference } = await shop.contractIn('active');
    const answer = await shop.call('POST', `/v1/contracts/${reference}/cancel`, { status: 'active', reason: 5 });
    expect(expectData(answer).status).toBe('cancelled');
  });
});

describe('§4.7, decisions §4: PATCH /v1/contracts/{reference}', () => {
  it.each(CONTRACT_STATUSES)('a %s contract can be corrected, and nothing else moves', async (status) => {
    const shop = await openShop(sim);
    const contract = await shop.contractIn(status, { metadata: { a: '1' } });
    const told = expectData(await shop.call('GET', '/_sim/events'));
    const path = `/v1/contracts/${contract.reference}`;
    const changes = { order_reference: 'B-2', metadata: { b: ' 2 ' } };
    const updated = expectData(await shop.call('PATCH', path, changes));
    expect(updated).toEqual({ ...contract, order_reference: 'B-2', metadata: { b: '2' } });
    expect(await get(shop, contract.reference)).toEqual(updated);
    expect(expectData(await shop.call('GET', '/_sim/events'))).toEqual(told);
  });

  it('any key not named never reaches the record, whatever its value', async () => {
    const shop = await openShop(sim);
    const contract = await shop.contractIn('active');
    const sent = {
      ...Object.fromEntries(Object.keys(contract).map((key) => [key, 1])),
      order_reference: 'B-2',
      metadata: null,
      cancel: true,
    };
    const updated = expectData(await shop.call('PATCH', `/v1/contracts/${contract.reference}`, sent));
    expect(updated).toEqual({ ...contract, order_reference: 'B-2' });
  });

  it('one field alone leaves the other as it is', async () => {
    const shop = await openShop(sim);
    const contract = await shop.contractIn('active', { metadata: { a: '1' } });
    const path = `/v1/contracts/${contract.reference}`;
    expect(expectData(await shop.call('PATCH', path, { order_reference: 'B' }))).toMatchObject({
      metadata: { a: '1' },
    });
    expect(expectData(await shop.call('PATCH', path, { metadata: {} }))).toMatchObject({ order_reference: 'B' });
  });

  it('§4.6: a reference is exact', async () => {
    const shop = await openShop(sim);
    const { reference } = await shop.contractIn('active');
    for (const wrong of [reference.toLowerCase(), reference.slice(4), `${reference}0`, `${reference}%20`]) {
      expect((await shop.call('GET', `/v1/contracts/${wrong}`)).status, wrong).toBe(404);
    }
  });
});
