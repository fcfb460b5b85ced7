import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { journey } from '../support/journey.ts';
import { order } from '../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1 });
});
afterAll(() => sim.close());

const at = '2026-01-01T09:00:00Z';

test('§3.1 and §3.2, decisions §4: accepted, paid, and collected to completed', async () => {
  const ada = await journey(sim, { at });
  await ada.opens();
  await ada.expects({ session: 'pending' });

  await ada.accepts();
  await ada.expects({
    session: 'decision_made',
    contract: 'pending',
    installments: 'due upcoming upcoming upcoming upcoming',
    paid: 0,
    remaining: 21_000,
    events: ['2026-01-01T09:00 session.decision_made'],
  });

  await ada.pays();
  const { events } = await ada.expects({
    session: 'completed',
    contract: 'active',
    installments: 'paid upcoming upcoming upcoming upcoming',
    paid: 5_000,
    remaining: 16_000,
    events: ['2026-01-01T09:00 contract.activated', '2026-01-01T09:00 session.completed'],
    emails: ['2026-01-01T09:00 plan_confirmation ada@example.com'],
  });
  expect(events[0].data).toEqual(await ada.contract());

  await ada.advances('2026-01-14T23:59:59.999Z');
  await ada.expects({ installments: 'paid upcoming upcoming upcoming upcoming' });

  await ada.advances('2026-01-15');
  await ada.expects({
    installments: 'paid paid upcoming upcoming upcoming',
    paid: 9_000,
    remaining: 12_000,
    events: ['2026-01-15 installment.paid #1 attempt 1'],
    emails: ['2026-01-15 installment_receipt ada@example.com'],
  });

  await ada.advances({ by: '60d' });
  const end = await ada.expects({
    contract: 'completed',
    installments: 'paid paid paid paid paid',
    paid: 21_000,
    remaining: 0,
    events: [
      '2026-01-29 installment.paid #2 attempt 1',
      '2026-02-12 installment.paid #3 attempt 1',
      '2026-02-26 installment.paid #4 attempt 1',
      '2026-02-26 contract.completed',
    ],
    emails: [
      '2026-01-29 installment_receipt ada@example.com',
      '2026-02-12 installment_receipt ada@example.com',
      '2026-02-26 installment_receipt ada@example.com',
      '2026-02-26 plan_completed ada@example.com',
    ],
  });
  const contract = await ada.contract();
  expect(end.events.at(-1).data).toEqual(contract);
  expect(contract).toMatchObject({
    started_at: '2026-01-01T09:00:00.000000Z',
    completed_at: '2026-02-26T00:00:00.000000Z',
    defaulted_at: null,
    cancelled_at: null,
  });
  expect(contract.installments.map(({ paid_at }) => paid_at?.slice(0, 16))).toEqual([
    '2026-01-01T09:00',
    '2026-01-15T00:00',
    '2026-01-29T00:00',
    '2026-02-12T00:00',
    '2026-02-26T00:00',
  ]);
  expect(await ada.attempts()).toEqual([
    'cart.1 pay 5000 2026-01-01T09:00',
    '#1.1 pay 4000 2026-01-15',
    '#2.1 pay 4000 2026-01-29',
    '#3.1 pay 4000 2026-02-12',
    '#4.1 pay 4000 2026-02-26',
  ]);

  await ada.advances({ by: 'P1Y' });
  await ada.expects({ contract: 'completed' });
});

test('decisions §4: a declined Cart Capture tells nobody, has no deadline, and re-dates the plan when it lands', async () => {
  const ada = await journey(sim, { at });
  await ada.opens();
  await ada.accepts();
  await ada.looks();

  await ada.declines();
  await ada.declines();
  await ada.expects({
    session: 'decision_made',
    contract: 'pending',
    installments: 'due upcoming upcoming upcoming upcoming',
    paid: 0,
  });
  const drafted = await ada.contract();
  expect(drafted.installments.map(({ due_date }) => due_date)).toEqual([
    '2026-01-01',
    '2026-01-15',
    '2026-01-29',
    '2026-02-12',
    '2026-02-26',
  ]);

  await ada.advances('2026-03-10T12:30:00Z');
  await ada.expects({ session: 'decision_made', contract: 'pending' });

  await ada.pays();
  await ada.expects({
    session: 'completed',
    contract: 'active',
    paid: 5_000,
    events: ['2026-03-10T12:30 contract.activated', '2026-03-10T12:30 session.completed'],
    emails: ['2026-03-10T12:30 plan_confirmation ada@example.com'],
  });
  expect((await ada.contract()).installments.map(({ due_date }) => due_date)).toEqual([
    '2026-03-10',
    '2026-03-24',
    '2026-04-07',
    '2026-04-21',
    '2026-05-05',
  ]);
  expect(await ada.attempts()).toEqual([
    'cart.1 fail 5000 2026-01-01T09:00',
    'cart.2 fail 5000 2026-01-01T09:00',
    'cart.3 pay 5000 2026-03-10T12:30',
  ]);
});

test('§3.1: the customer backs out of a pending session', async () => {
  const ada = await journey(sim, { at });
  await ada.opens();
  await ada.backsOut();
  await ada.expects({ session: 'cancelled', events: ['2026-01-01T09:00 session.cancelled'] });
  await ada.advances({ by: '1d' });
  await ada.expects({ session: 'cancelled' });
});

test('decisions §4: backing out after the decision cancels the pending contract, silently', async () => {
  const ada = await journey(sim, { at });
  await ada.opens();
  await ada.accepts();
  await ada.declines();
  await ada.looks();

  await ada.backsOut();
  await ada.expects({
    session: 'cancelled',
    contract: 'cancelled',
    installments: 'due upcoming upcoming upcoming upcoming',
    paid: 0,
    remaining: 21_000,
    events: ['2026-01-01T09:00 session.cancelled'],
  });
  expect(await ada.contract()).toMatchObject({ cancelled_at: '2026-01-01T09:00:00.000000Z', started_at: null });

  await ada.advances({ by: 'P1Y' });
  await ada.expects({ contract: 'cancelled', paid: 0 });
  expect((await ada.call('POST', `/_sim/sessions/${ada.id()}/pay`)).status).toBe(409);
  expect(await ada.attempts()).toEqual(['cart.1 fail 5000 2026-01-01T09:00']);
});

test('§3.1: a pending session lapses exactly at expires_at, stored and told once', async () => {
  const ada = await journey(sim, { at });
  await ada.opens();

  await ada.advances('2026-01-01T09:59:59.999Z');
  await ada.expects({ session: 'pending' });

  await ada.advances('2026-01-01T10:00:00Z');
  const { events } = await ada.expects({ session: 'expired', events: ['2026-01-01T10:00 session.expired'] });
  expect(events[0].data).toMatchObject({ id: ada.id(), status: 'expired' });

  await ada.advances({ by: '1d' });
  await ada.expects({ session: 'expired' });
  for (const verb of ['accept', 'pay', 'complete', 'cancel']) {
    const body = verb === 'accept' ? { customer_name: 'Ada', customer_email: 'ada@example.com' } : {};
    expect((await ada.call('POST', `/_sim/sessions/${ada.id()}/${verb}`, body)).status, verb).toBe(409);
  }
  await ada.expects({ session: 'expired' });
});

test('§3.1: only a pending session expires', async () => {
  const ada = await journey(sim, { at });
  await ada.opens();
  await ada.advances('2026-01-01T09:59:59Z');
  await ada.accepts();
  await ada.looks();
  await ada.advances({ by: '2d' });
  await ada.expects({ session: 'decision_made', contract: 'pending' });
});

test('§2.5: sessions open before and after session_ttl_minutes changes lapse each at their own deadline', async () => {
  const ada = await journey(sim, { at });
  const first = (await ada.opens()).id();
  await ada.sets({ session_ttl_minutes: 1 });
  const second = (await ada.opens()).id();
  const { happened } = await ada.advances({ by: '2h' });
  expect(happened).toMatchObject([
    { at: '2026-01-01T09:01:00.000000Z', type: 'session.expired', subject: second },
    { at: '2026-01-01T10:00:00.000000Z', type: 'session.expired', subject: first },
  ]);
});

test('§4.3 rule 4: an idempotency key is new again after exactly 24 hours of the account clock', async () => {
  const ada = await journey(sim, { at });
  const open = () => ada.call('POST', '/v1/sessions', order(), { 'idempotency-key': 'k' });
  const first = await open();
  await ada.advances('2026-01-02T08:59:59.999Z');
  const replay = await open();
  expect(replay.body.data).toMatchObject({ id: first.body.data.id, status: 'expired' });
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  await ada.advances('2026-01-02T09:00:00Z');
  const anew = await open();
  expect(anew.body.data.id).not.toBe(first.body.data.id);
  expect(anew.headers.get('idempotent-replayed')).toBeNull();
});

test('§2.5: an open quote never changes, whatever the settings become', async () => {
  const ada = await journey(sim, { at });
  await ada.opens();
  await ada.sets({
    down_payment_percentage: 50,
    reservation_fee_percentage: 0,
    installment_count: 2,
    installment_cadence: 'weekly',
    layaway_enabled: false,
  });
  await ada.accepts();
  await ada.pays();
  await ada.expects({
    contract: 'active',
    installments: 'paid upcoming upcoming upcoming upcoming',
    paid: 5_000,
    remaining: 16_000,
    events: [
      '2026-01-01T09:00 session.decision_made',
      '2026-01-01T09:00 contract.activated',
      '2026-01-01T09:00 session.completed',
    ],
    emails: ['2026-01-01T09:00 plan_confirmation ada@example.com'],
  });
});
