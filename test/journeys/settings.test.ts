import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { journey } from '../support/journey.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1 });
});
afterAll(() => sim.close());

const at = '2026-01-01T09:00:00Z';
const begin = (settings: object) => journey(sim, { at, settings }).then((ada) => ada.buys());
const failing = async (settings: object) => {
  const ada = await begin(settings);
  await ada.arranges('fail', 'fail');
  return ada;
};
const lines = (events: { created_at: string; type: string }[]) =>
  events.map(({ created_at, type }) => `${created_at.slice(0, 16)} ${type}`);

test('decisions §2: collection_retry_hours moves the second attempt', async () => {
  const ada = await failing({ collection_retry_hours: 5 });
  await ada.advances('2026-01-16');
  expect(lines((await ada.looks()).events)).toEqual([
    '2026-01-15T00:00 installment.payment_failed',
    '2026-01-15T05:00 installment.payment_failed',
    '2026-01-15T05:00 installment.past_due',
  ]);
});

test('decisions §2: grace_days and default_days move delinquency and default', async () => {
  const ada = await failing({ grace_days: 3, default_days: 7 });
  await ada.advances('2026-02-28');
  expect(lines((await ada.looks()).events)).toEqual([
    '2026-01-15T00:00 installment.payment_failed',
    '2026-01-17T00:00 installment.payment_failed',
    '2026-01-17T00:00 installment.past_due',
    '2026-01-20T00:00 installment.delinquent',
    '2026-01-24T00:00 contract.defaulted',
  ]);
});

test('§3.3: both clocks start at past_due; settings that change later move neither', async () => {
  const ada = await failing({ grace_days: 3, default_days: 7 });
  await ada.advances('2026-01-18');
  await ada.looks();
  await ada.call('PATCH', '/_sim/settings', { grace_days: 1, default_days: 30 });
  await ada.advances('2026-02-28');
  expect(lines((await ada.looks()).events)).toEqual([
    '2026-01-20T00:00 installment.delinquent',
    '2026-01-24T00:00 contract.defaulted',
  ]);
});

test('§3.3: both clocks start at past_due; when they end together the late charge still comes first', async () => {
  const ada = await failing({ grace_days: 7, default_days: 7 });
  await ada.advances('2026-02-28');
  expect(lines((await ada.looks()).events).slice(3)).toEqual([
    '2026-01-24T00:00 installment.delinquent',
    '2026-01-24T00:00 contract.defaulted',
  ]);
});

test('§3.3: a default clock shorter than the grace period ends a past_due plan without a late charge', async () => {
  const ada = await failing({ grace_days: 10, default_days: 4 });
  await ada.advances('2026-02-28');
  await ada.expects({
    contract: 'defaulted',
    installments: 'paid past_due upcoming upcoming upcoming',
    events: [
      '2026-01-15 installment.payment_failed #1 attempt 1',
      '2026-01-17 installment.payment_failed #1 attempt 2',
      '2026-01-17 installment.past_due #1 attempt 2',
      '2026-01-21 contract.defaulted',
    ],
    emails: ['2026-01-17 past_due_notice ada@example.com', '2026-01-21 plan_defaulted ada@example.com'],
  });
});

test('§3.3: no grace at all is delinquent at once, after the notice', async () => {
  const ada = await failing({ grace_days: 0 });
  await ada.advances('2026-01-17');
  await ada.expects({
    installments: 'paid delinquent upcoming upcoming upcoming',
    events: [
      '2026-01-15 installment.payment_failed #1 attempt 1',
      '2026-01-17 installment.payment_failed #1 attempt 2',
      '2026-01-17 installment.past_due #1 attempt 2',
      '2026-01-17 installment.delinquent #1 late 200',
    ],
    emails: ['2026-01-17 past_due_notice ada@example.com', '2026-01-17 delinquent_notice ada@example.com'],
  });
});

test.each([
  [{ late_charge_percentage: 10 }, 400],
  [{ late_charge_percentage: 0 }, 0],
  [{ late_charge_max_amount: 150 }, 150],
  [{ late_charge_percentage: 100, late_charge_max_amount: 100_000 }, 4_000],
])('decisions §2: late charge under %o', async (settings, charge) => {
  const ada = await failing(settings);
  await ada.advances({ until: `${ada.reference()}#1=delinquent` });
  expect((await ada.looks()).events.at(-1)?.data).toMatchObject({ attempt: null, late_charge_amount: charge });
  await ada.settles(1);
  expect((await ada.attempts()).at(-1)).toBe(`#1.3 pay 4000${charge ? `+${charge}` : ''} 2026-01-27`);
});

test.each([
  [1, 'paid upcoming'],
  [24, `paid${' upcoming'.repeat(24)}`],
])('decisions §2: installment_count %i', async (count, statuses) => {
  const ada = await begin({ installment_count: count, installment_cadence: 'weekly' });
  await ada.expects({ contract: 'active', installments: statuses, paid: 5_000, remaining: 16_000 });
  const { now } = await ada.advances({ until: `${ada.reference()}=completed` });
  expect(now).toBe(new Date(Date.UTC(2026, 0, 1 + 7 * count)).toISOString().replace('Z', '000Z'));
  const { events } = await ada.looks();
  expect(events.map(({ type }) => type)).toEqual([...Array(count).fill('installment.paid'), 'contract.completed']);
  expect(await ada.contract()).toMatchObject({ paid_amount: 21_000, remaining_amount: 0 });
});

test('decisions §3: rates are half-up, leftover cents go to the first captures', async () => {
  const ada = await journey(sim, { at }).then((one) => one.buys({ total_amount: 12_346 }));
  const contract = await ada.contract();
  // 20 % of 12346 is 2469.2, 5 % is 617.3; 9877 over four captures leaves one cent.
  expect(contract).toMatchObject({
    down_payment_amount: 2_469,
    reservation_fee_amount: 617,
    customer_total: 12_963,
    paid_amount: 3_086,
    remaining_amount: 9_877,
  });
  expect(contract.installments.map(({ amount }) => amount)).toEqual([3_086, 2_470, 2_469, 2_469, 2_469]);
});

test('decisions §3: rates of another account', async () => {
  const ada = await begin({ down_payment_percentage: 90, reservation_fee_percentage: 0, installment_count: 3 });
  expect((await ada.contract()).installments.map(({ amount }) => amount)).toEqual([18_000, 667, 667, 666]);
});
