import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { journey } from '../support/journey.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1 });
});
afterAll(() => sim.close());

/** Each plan is walked to its end: every capture is collected at midnight UTC of its date, and nothing else happens. */
test.each([
  [
    'weekly over a year end',
    'weekly',
    '2025-12-18T23:59:59Z',
    ['2025-12-25', '2026-01-01', '2026-01-08', '2026-01-15'],
  ],
  [
    'biweekly over a leap day',
    'biweekly',
    '2028-02-15T00:00:00Z',
    ['2028-02-29', '2028-03-14', '2028-03-28', '2028-04-11'],
  ],
  [
    'biweekly over 28 February',
    'biweekly',
    '2026-02-14T12:00:00Z',
    ['2026-02-28', '2026-03-14', '2026-03-28', '2026-04-11'],
  ],
  [
    'weekly over the start of US daylight saving',
    'weekly',
    '2026-03-01T07:30:00Z',
    ['2026-03-08', '2026-03-15', '2026-03-22', '2026-03-29'],
  ],
  [
    'weekly over the end of US daylight saving',
    'weekly',
    '2026-10-25T05:30:00Z',
    ['2026-11-01', '2026-11-08', '2026-11-15', '2026-11-22'],
  ],
  [
    'monthly from 31 January',
    'monthly',
    '2026-01-31T10:00:00Z',
    ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
  ],
  [
    'monthly from 31 January of a leap year',
    'monthly',
    '2028-01-31T10:00:00Z',
    ['2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31'],
  ],
  [
    'monthly from 30 January',
    'monthly',
    '2027-01-30T00:00:01Z',
    ['2027-02-28', '2027-03-30', '2027-04-30', '2027-05-30'],
  ],
  [
    'monthly from a leap day',
    'monthly',
    '2028-02-29T23:59:59Z',
    ['2028-03-29', '2028-04-29', '2028-05-29', '2028-06-29'],
  ],
  [
    'monthly over a year end',
    'monthly',
    '2026-10-31T18:00:00Z',
    ['2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28'],
  ],
  [
    'monthly in a century that is no leap year',
    'monthly',
    '2099-12-31T12:00:00Z',
    ['2100-01-31', '2100-02-28', '2100-03-31', '2100-04-30'],
  ],
])('decisions §3: %s', async (_name, cadence, at, dates) => {
  const ada = await journey(sim, { at, settings: { installment_cadence: cadence } });
  await ada.buys();
  expect((await ada.contract()).installments.map(({ due_date }) => due_date)).toEqual([at.slice(0, 10), ...dates]);
  await ada.advances({ by: '6mo' });
  await ada.expects({
    contract: 'completed',
    paid: 21_000,
    events: [
      ...dates.map((date, index) => `${date} installment.paid #${index + 1} attempt 1`),
      `${dates.at(-1)} contract.completed`,
    ],
    emails: [
      ...dates.map((date) => `${date} installment_receipt ada@example.com`),
      `${dates.at(-1)} plan_completed ada@example.com`,
    ],
  });
});

test('decisions §3: a month end clamps from the anchor also when the clock is moved a month at a time', async () => {
  const settings = { installment_cadence: 'monthly', installment_count: 13 };
  const ada = await journey(sim, { at: '2026-12-31T00:00:00Z', settings });
  await ada.buys({ total_amount: 130_000 });
  const ends = [
    '01-31',
    '02-28',
    '03-31',
    '04-30',
    '05-31',
    '06-30',
    '07-31',
    '08-31',
    '09-30',
    '10-31',
    '11-30',
    '12-31',
  ];
  for (const end of ends) {
    await ada.advances({ next: true });
    const { events } = await ada.looks();
    expect(events.map(({ created_at }) => created_at.slice(0, 10))).toEqual([`2027-${end}`]);
  }
});

test('decisions §3: the anchor is the UTC date of the Cart Capture, to the last millisecond of the day', async () => {
  const ada = await journey(sim, { at: '2026-01-01T23:59:00Z' });
  await ada.opens();
  await ada.accepts();
  await ada.advances('2026-01-01T23:59:59.999Z');
  await ada.declines();
  await ada.advances('2026-01-02');
  await ada.pays();
  expect((await ada.contract()).installments.map(({ due_date }) => due_date).slice(0, 2)).toEqual([
    '2026-01-02',
    '2026-01-16',
  ]);
});

test('decisions §2: a failure late in February counts its hours and days over the leap day', async () => {
  const ada = await journey(sim, { at: '2028-02-14T09:00:00Z' });
  await ada.buys();
  await ada.arranges('fail', 'fail');
  await ada.advances('2028-04-30');
  const { events } = await ada.looks();
  expect(events.map(({ created_at, type }) => `${created_at.slice(0, 10)} ${type}`)).toEqual([
    '2028-02-28 installment.payment_failed',
    '2028-03-01 installment.payment_failed',
    '2028-03-01 installment.past_due',
    '2028-03-11 installment.delinquent',
    '2028-03-13 installment.paid',
    '2028-03-27 installment.paid',
    '2028-03-31 contract.defaulted',
  ]);
});
