import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { journey } from '../support/journey.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1 });
});
afterAll(() => sim.close());

const at = '2026-01-01T09:00:00Z';

test('§1, decisions §1: a live account says pay_ and livemode, and its emails are no sandbox ones', async () => {
  const ada = await journey(sim, { at, mode: 'live' });
  await ada.buys();
  await ada.arranges('fail', 'fail');
  await ada.advances('2026-01-28');
  await ada.settles(1);
  await ada.expects({
    installments: 'paid paid upcoming upcoming upcoming',
    paid: 9_000,
    events: [
      '2026-01-15 installment.payment_failed #1 attempt 1',
      '2026-01-17 installment.payment_failed #1 attempt 2',
      '2026-01-17 installment.past_due #1 attempt 2',
      '2026-01-27 installment.delinquent #1 late 200',
      '2026-01-28 installment.paid #1 attempt 3 late 200',
    ],
    emails: [
      '2026-01-17 past_due_notice ada@example.com',
      '2026-01-27 delinquent_notice ada@example.com',
      '2026-01-28 installment_receipt ada@example.com',
    ],
  });
  expect(await ada.attempts()).toHaveLength(4);
});

test('§4.5, decisions §5: a preview walks through every state without event or email', async () => {
  const ada = await journey(sim, { at, preview: true });
  await ada.opens();
  await ada.expects({ session: 'pending' });
  await ada.accepts();
  await ada.arranges('fail', 'fail', 'fail', 'fail');
  await ada.declines();
  await ada.pays();
  await ada.expects({ session: 'completed', contract: 'active', paid: 5_000 });
  const { happened_count } = await ada.advances('2026-02-11');
  expect(happened_count).toBe(0);
  const settled = await ada.settles(1);
  expect(settled.installments.map(({ status }: { status: string }) => status).join(' ')).toBe(
    'paid paid delinquent upcoming upcoming',
  );
  await ada.advances({ until: `${ada.reference()}=defaulted` });
  expect((await ada.looks()).events).toEqual([]);
  expect((await ada.call('GET', `/v1/contracts/${ada.reference()}`)).status).toBe(404);
  expect((await ada.call('GET', '/v1/contracts')).body.data).toEqual([]);
  expect(await ada.attempts()).toEqual([
    'cart.1 fail 5000 2026-01-01T09:00',
    'cart.2 pay 5000 2026-01-01T09:00',
    '#1.1 fail 4000 2026-01-15',
    '#1.2 fail 4000 2026-01-17',
    '#2.1 fail 4000 2026-01-29',
    '#2.2 fail 4000 2026-01-31',
    '#1.3 pay 4000+200 2026-02-11',
    '#3.1 pay 4000 2026-02-12',
    '#4.1 pay 4000 2026-02-26',
  ]);
});

test('decisions §5: a preview that lapses, and one that is backed out of, tell nobody', async () => {
  const ada = await journey(sim, { at, preview: true });
  await ada.opens();
  await ada.advances({ by: '1h' });
  await ada.expects({ session: 'expired' });
  await ada.opens();
  await ada.accepts();
  await ada.backsOut();
  await ada.expects({ session: 'cancelled' });
});

test('decisions §1: each account has its own clock; moving one leaves the other half and other merchants alone', async () => {
  const [ada, bob] = [await journey(sim, { at }), await journey(sim, { at })];
  await ada.buys();
  await bob.buys();
  await ada.advances({ by: 'P1Y' });
  await ada.looks();
  await bob.expects({ contract: 'active', paid: 5_000 });
  expect((await bob.call('GET', '/_sim/clock')).body.data).toMatchObject({
    now: '2026-01-01T09:00:00.000000Z',
    mode: 'frozen',
    next_due: { at: '2026-01-15T00:00:00.000000Z', type: 'installment.paid', subject: `${bob.reference()}#1` },
  });
});
