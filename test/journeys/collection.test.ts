import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { journey } from '../support/journey.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1 });
});
afterAll(() => sim.close());

/** Due on 15 and 29 January, 12 and 26 February. */
const at = '2026-01-01T09:00:00Z';
const begin = () => journey(sim, { at }).then((ada) => ada.buys());
const to = (template: string, day: string) => `${day} ${template} ada@example.com`;

test('decisions §4: the first attempt fails, the second one pays', async () => {
  const ada = await begin();
  await ada.arranges('fail', 'pay');

  await ada.advances('2026-01-15');
  const { events } = await ada.expects({
    installments: 'paid due upcoming upcoming upcoming',
    paid: 5_000,
    events: ['2026-01-15 installment.payment_failed #1 attempt 1'],
  });
  expect(events[0].data.installment.status).toBe('due');

  await ada.advances('2026-01-16T23:59:59Z');
  await ada.expects({ installments: 'paid due upcoming upcoming upcoming' });

  await ada.advances('2026-01-17');
  await ada.expects({
    installments: 'paid paid upcoming upcoming upcoming',
    paid: 9_000,
    remaining: 12_000,
    events: ['2026-01-17 installment.paid #1 attempt 2'],
    emails: [to('installment_receipt', '2026-01-17')],
  });

  await ada.advances('2026-01-29');
  await ada.expects({
    paid: 13_000,
    events: ['2026-01-29 installment.paid #2 attempt 1'],
    emails: [to('installment_receipt', '2026-01-29')],
  });
  expect(await ada.attempts()).toEqual([
    'cart.1 pay 5000 2026-01-01T09:00',
    '#1.1 fail 4000 2026-01-15',
    '#1.2 pay 4000 2026-01-17',
    '#2.1 pay 4000 2026-01-29',
  ]);
});

test('§3.3: the second failure notifies the customer and makes it past_due; settled, nothing was charged late', async () => {
  const ada = await begin();
  await ada.arranges('fail', 'fail');
  await ada.advances('2026-01-20');
  const { events, emails } = await ada.expects({
    contract: 'active',
    installments: 'paid past_due upcoming upcoming upcoming',
    paid: 5_000,
    events: [
      '2026-01-15 installment.payment_failed #1 attempt 1',
      '2026-01-17 installment.payment_failed #1 attempt 2',
      '2026-01-17 installment.past_due #1 attempt 2',
    ],
    emails: [to('past_due_notice', '2026-01-17')],
  });
  // decisions §6: as the API would have returned it right after that transaction.
  const { installments } = await ada.contract();
  for (const event of events.slice(1)) expect(event.data.installment).toEqual(installments[1]);
  expect(emails[0].text).toContain('$40.00');

  await ada.settles(1);
  await ada.expects({
    installments: 'paid paid upcoming upcoming upcoming',
    paid: 9_000,
    remaining: 12_000,
    events: ['2026-01-20 installment.paid #1 attempt 3'],
    emails: [to('installment_receipt', '2026-01-20')],
  });
  expect((await ada.contract()).installments[1]?.paid_at).toBe('2026-01-20T00:00:00.000000Z');
  expect((await ada.attempts()).slice(1)).toEqual([
    '#1.1 fail 4000 2026-01-15',
    '#1.2 fail 4000 2026-01-17',
    '#1.3 pay 4000 2026-01-20',
  ]);

  await ada.advances('2026-03-01');
  await ada.expects({
    contract: 'completed',
    paid: 21_000,
    remaining: 0,
    events: [
      '2026-01-29 installment.paid #2 attempt 1',
      '2026-02-12 installment.paid #3 attempt 1',
      '2026-02-26 installment.paid #4 attempt 1',
      '2026-02-26 contract.completed',
    ],
    emails: [
      to('installment_receipt', '2026-01-29'),
      to('installment_receipt', '2026-02-12'),
      to('installment_receipt', '2026-02-26'),
      to('plan_completed', '2026-02-26'),
    ],
  });
});

test('§3.3: grace runs out after 10 days, the late charge is assessed once; settled with it, the figures leave it out', async () => {
  const ada = await begin();
  await ada.arranges('fail', 'fail');
  await ada.advances('2026-01-26T23:59:59Z');
  await ada.looks();
  await ada.expects({ installments: 'paid past_due upcoming upcoming upcoming' });

  await ada.advances('2026-01-27');
  const { emails } = await ada.expects({
    installments: 'paid delinquent upcoming upcoming upcoming',
    paid: 5_000,
    remaining: 16_000,
    events: ['2026-01-27 installment.delinquent #1 late 200'],
    emails: [to('delinquent_notice', '2026-01-27')],
  });
  expect(emails[0].text).toContain('$2.00');

  await ada.advances('2026-02-01T08:15:00Z');
  await ada.expects({
    paid: 9_000,
    events: ['2026-01-29 installment.paid #2 attempt 1'],
    emails: [to('installment_receipt', '2026-01-29')],
  });

  await ada.settles(1);
  const settled = await ada.expects({
    installments: 'paid paid paid upcoming upcoming',
    paid: 13_000,
    remaining: 8_000,
    events: ['2026-02-01T08:15 installment.paid #1 attempt 3 late 200'],
    emails: [to('installment_receipt', '2026-02-01T08:15')],
  });
  expect(settled.emails[0].text).toContain('$2.00');
  expect((await ada.attempts()).at(-1)).toBe('#1.3 pay 4000+200 2026-02-01T08:15');

  await ada.advances({ by: 'P1Y' });
  await ada.expects({
    contract: 'completed',
    paid: 21_000,
    remaining: 0,
    events: [
      '2026-02-12 installment.paid #3 attempt 1',
      '2026-02-26 installment.paid #4 attempt 1',
      '2026-02-26 contract.completed',
    ],
    emails: [
      to('installment_receipt', '2026-02-12'),
      to('installment_receipt', '2026-02-26'),
      to('plan_completed', '2026-02-26'),
    ],
  });
});

test.each([
  // total, amount of capture 1, late charge
  [40_100, 8_020, 401],
  [40_050, 8_010, 401],
  [40_049, 8_010, 401],
  [40_045, 8_009, 400],
  [99_999, 20_000, 1_000],
  [100_050, 20_010, 1_000],
  [500_000, 100_000, 1_000],
])(
  'decisions §2: of an order of %i the capture of %i costs %i late: 5 percent half-up, at most 1000',
  async (total, amount, late) => {
    const ada = await journey(sim, { at }).then((one) => one.buys({ total_amount: total }));
    expect((await ada.contract()).installments[1]?.amount).toBe(amount);
    await ada.arranges('fail', 'fail');
    await ada.advances({ until: `${ada.reference()}#1=delinquent` });
    const { events } = await ada.looks();
    expect(events.at(-1).data.late_charge_amount).toBe(late);
  },
);

test('decisions §4: 30 days past due the plan defaults; collection stops, the fee is kept, installments keep their status', async () => {
  const ada = await begin();
  await ada.arranges('fail', 'fail');
  await ada.advances('2026-02-15T23:59:59Z');
  await ada.looks();
  await ada.expects({ contract: 'active', installments: 'paid delinquent paid paid upcoming', paid: 13_000 });

  await ada.advances('2026-02-16');
  const { events } = await ada.expects({
    contract: 'defaulted',
    installments: 'paid delinquent paid paid upcoming',
    paid: 13_000,
    remaining: 8_000,
    events: ['2026-02-16 contract.defaulted'],
    emails: [to('plan_defaulted', '2026-02-16')],
  });
  const contract = await ada.contract();
  expect(contract.defaulted_at).toBe('2026-02-16T00:00:00.000000Z');
  expect(contract.reservation_fee_amount).toBe(1_000);
  expect(events[0].data).toEqual(contract);

  await ada.advances({ by: 'P2Y' });
  await ada.expects({ contract: 'defaulted', installments: 'paid delinquent paid paid upcoming', paid: 13_000 });
  const settling = await ada.call('POST', `/_sim/contracts/${ada.reference()}/installments/1/settle`);
  expect([settling.status, settling.body]).toEqual([422, { message: 'Only an overdue installment can be settled.' }]);
  const cancelling = await ada.call('POST', `/v1/contracts/${ada.reference()}/cancel`);
  expect([cancelling.status, cancelling.body]).toEqual([422, { message: 'A defaulted contract cannot be cancelled.' }]);
  await ada.expects({ contract: 'defaulted' });
});

test('decisions §4: two overdue installments have their own clocks; the older one ends the plan', async () => {
  const ada = await begin();
  await ada.arranges('fail', 'fail', 'fail', 'fail');
  await ada.advances('2026-03-31');
  await ada.expects({
    contract: 'defaulted',
    installments: 'paid delinquent delinquent paid upcoming',
    paid: 9_000,
    events: [
      '2026-01-15 installment.payment_failed #1 attempt 1',
      '2026-01-17 installment.payment_failed #1 attempt 2',
      '2026-01-17 installment.past_due #1 attempt 2',
      '2026-01-27 installment.delinquent #1 late 200',
      '2026-01-29 installment.payment_failed #2 attempt 1',
      '2026-01-31 installment.payment_failed #2 attempt 2',
      '2026-01-31 installment.past_due #2 attempt 2',
      '2026-02-10 installment.delinquent #2 late 200',
      '2026-02-12 installment.paid #3 attempt 1',
      '2026-02-16 contract.defaulted',
    ],
    emails: [
      to('past_due_notice', '2026-01-17'),
      to('delinquent_notice', '2026-01-27'),
      to('past_due_notice', '2026-01-31'),
      to('delinquent_notice', '2026-02-10'),
      to('installment_receipt', '2026-02-12'),
      to('plan_defaulted', '2026-02-16'),
    ],
  });
});

test('decisions §4: settling the older overdue installment leaves the clocks of the younger one running', async () => {
  const ada = await begin();
  await ada.arranges('fail', 'fail', 'fail', 'fail');
  await ada.advances('2026-02-11');
  await ada.settles(1);
  await ada.looks();
  await ada.advances('2026-03-01T23:59:59Z');
  await ada.looks();
  await ada.expects({ contract: 'active', installments: 'paid paid delinquent paid paid' });
  await ada.advances('2026-03-02');
  await ada.expects({
    contract: 'defaulted',
    events: ['2026-03-02 contract.defaulted'],
    emails: [to('plan_defaulted', '2026-03-02')],
  });
});

test('decisions §4: settling the last unpaid installment completes the plan', async () => {
  const ada = await begin();
  await ada.arranges('pay', 'pay', 'pay', 'fail', 'fail');
  await ada.advances('2026-03-05T10:00:00Z');
  await ada.looks();
  await ada.expects({ contract: 'active', installments: 'paid paid paid paid past_due', paid: 17_000 });
  await ada.settles(4);
  await ada.expects({
    contract: 'completed',
    paid: 21_000,
    remaining: 0,
    events: ['2026-03-05T10:00 installment.paid #4 attempt 3', '2026-03-05T10:00 contract.completed'],
    emails: [to('installment_receipt', '2026-03-05T10:00'), to('plan_completed', '2026-03-05T10:00')],
  });
});

test('§3.2: cancelled half-way, nothing more is collected; one event, two emails, however often', async () => {
  const ada = await begin();
  await ada.arranges('pay', 'fail', 'fail');
  await ada.advances('2026-02-01T12:00:00Z');
  await ada.looks();
  await ada.isCancelled();
  const { events } = await ada.expects({
    contract: 'cancelled',
    installments: 'paid paid past_due upcoming upcoming',
    paid: 9_000,
    remaining: 12_000,
    events: ['2026-02-01T12:00 contract.cancelled'],
    emails: [
      '2026-02-01T12:00 plan_cancelled_merchant shop@example.com',
      to('plan_cancelled_customer', '2026-02-01T12:00'),
    ],
  });
  expect(events[0].data).toEqual(await ada.contract());
  expect(events[0].data.cancelled_at).toBe('2026-02-01T12:00:00.000000Z');

  await ada.advances({ by: 'P1Y' });
  expect(await ada.isCancelled()).toEqual(events[0].data);
  await ada.expects({ contract: 'cancelled', installments: 'paid paid past_due upcoming upcoming', paid: 9_000 });
  const settling = await ada.call('POST', `/_sim/contracts/${ada.reference()}/installments/2/settle`);
  expect(settling.status).toBe(422);
});

test('decisions §4: a completed contract cannot be cancelled, and nothing of it is settled', async () => {
  const ada = await begin();
  await ada.advances({ until: `${ada.reference()}=completed` });
  await ada.looks();
  const cancelling = await ada.call('POST', `/v1/contracts/${ada.reference()}/cancel`);
  expect([cancelling.status, cancelling.body]).toEqual([422, { message: 'A completed contract cannot be cancelled.' }]);
  expect((await ada.call('POST', `/_sim/contracts/${ada.reference()}/installments/4/settle`)).status).toBe(422);
  await ada.expects({ contract: 'completed' });
});

test.each([
  ['upcoming', [], '2026-01-10'],
  ['due', ['fail'], '2026-01-16'],
  ['paid', [], '2026-01-15'],
] as const)('decisions §4: an installment that is %s cannot be settled', async (status, outcomes, day) => {
  const ada = await begin();
  await ada.arranges(...outcomes);
  await ada.advances(day);
  expect((await ada.contract()).installments[1]?.status).toBe(status);
  const settling = await ada.call('POST', `/_sim/contracts/${ada.reference()}/installments/1/settle`);
  expect([settling.status, settling.body]).toEqual([422, { message: 'Only an overdue installment can be settled.' }]);
});

test('decisions §1: the script feeds scheduled attempts one each, in the order they come, then everything pays', async () => {
  const ada = await begin();
  await ada.arranges('fail', 'fail', 'pay', 'fail', 'pay');
  await ada.advances('2026-03-31');
  await ada.looks();
  expect((await ada.attempts()).slice(1)).toEqual([
    '#1.1 fail 4000 2026-01-15',
    '#1.2 fail 4000 2026-01-17',
    '#2.1 pay 4000 2026-01-29',
    '#3.1 fail 4000 2026-02-12',
    '#3.2 pay 4000 2026-02-14',
  ]);
});

test('decisions §1: a settlement takes nothing from the script, and a new script replaces the old one', async () => {
  const ada = await begin();
  await ada.arranges('fail', 'fail', 'fail', 'pay');
  await ada.advances('2026-01-18');
  await ada.settles(1);
  await ada.advances('2026-01-29');
  expect((await ada.contract()).installments.map(({ status }) => status).slice(0, 3)).toEqual(['paid', 'paid', 'due']);
  await ada.arranges('fail');
  await ada.advances('2026-01-31');
  expect((await ada.contract()).installments[2]?.status).toBe('past_due');
});

test('decisions §1: outcomes may be arranged while the Cart Capture is pending; it consumes none of them', async () => {
  const ada = await journey(sim, { at });
  await ada.opens();
  await ada.accepts();
  await ada.arranges('fail', 'pay');
  await ada.declines();
  await ada.pays();
  await ada.advances('2026-01-17');
  expect((await ada.attempts()).slice(-2)).toEqual(['#1.1 fail 4000 2026-01-15', '#1.2 pay 4000 2026-01-17']);
});
