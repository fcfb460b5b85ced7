import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { CUSTOMER } from '../support/shop.ts';
import { openTill, START, type Till, tillOf } from './till.ts';

const STATES = ['pending', 'decision_made', 'completed', 'cancelled', 'cancelled after accepting', 'expired'] as const;
const VERBS = ['accept', 'pay', 'decline', 'complete', 'cancel'] as const;
type State = (typeof STATES)[number];
type Verb = (typeof VERBS)[number];

/** §3.1 and decisions §4: the status each verb leaves behind; `409` is a refusal that changes nothing. */
const EFFECT: Record<State, Record<Verb, string>> = {
  pending: { accept: 'decision_made', pay: '409', decline: '409', complete: 'completed', cancel: 'cancelled' },
  decision_made: {
    accept: '409',
    pay: 'completed',
    decline: 'decision_made',
    complete: 'completed',
    cancel: 'cancelled',
  },
  completed: { accept: '409', pay: '409', decline: '409', complete: '409', cancel: '409' },
  cancelled: { accept: '409', pay: '409', decline: '409', complete: '409', cancel: '409' },
  'cancelled after accepting': { accept: '409', pay: '409', decline: '409', complete: '409', cancel: '409' },
  expired: { accept: '409', pay: '409', decline: '409', complete: '409', cancel: '409' },
};

/** decisions §6: the events each verb records, in order. */
const NEWS: Partial<Record<State, Partial<Record<Verb, string[]>>>> = {
  pending: {
    accept: ['session.decision_made'],
    complete: ['session.decision_made', 'contract.activated', 'session.completed'],
    cancel: ['session.cancelled'],
  },
  decision_made: {
    pay: ['contract.activated', 'session.completed'],
    complete: ['contract.activated', 'session.completed'],
    cancel: ['session.cancelled'],
  },
};

let sim: Simulator;
let till: Till;
beforeAll(async () => {
  sim = (await openTill()).sim;
});
beforeEach(async () => {
  till = tillOf(sim, await sim.merchant());
});
afterAll(() => sim.close());

async function sessionIn(state: State): Promise<string> {
  if (state === 'decision_made') return (await till.accepted()).id;
  if (state === 'completed') return (await till.active()).id;
  const id = state === 'cancelled after accepting' ? (await till.accepted()).id : await till.open();
  if (state.startsWith('cancelled')) await till.ask('POST', `/_sim/sessions/${id}/cancel`);
  if (state === 'expired') await till.advance({ by: '60m' });
  return id;
}

const BODY: Record<Verb, [path: string, body: object]> = {
  accept: ['accept', CUSTOMER],
  pay: ['pay', { outcome: 'pay' }],
  decline: ['pay', { outcome: 'fail' }],
  complete: ['complete', {}],
  cancel: ['cancel', {}],
};

const step = (id: string, verb: Verb) => till.send('POST', `/_sim/sessions/${id}/${BODY[verb][0]}`, BODY[verb][1]);
const read = (id: string) => till.ask('GET', `/v1/checkout-sessions/${id}`);

describe.each(STATES)('§3.1: a session %s', (state) => {
  test.each(VERBS)('%s', async (verb) => {
    const id = await sessionIn(state);
    const before = await read(id);
    const eventsBefore = (await till.events()).length;

    const { status, body } = await step(id, verb);

    const effect = EFFECT[state][verb];
    const after = await read(id);
    const news = (await till.events()).slice(eventsBefore).map(([type]) => type);
    expect(news).toEqual(NEWS[state]?.[verb] ?? []);
    if (effect === '409') {
      expect(status).toBe(409);
      expect(body).toEqual({ message: expect.stringMatching(/^[A-Z].+\.$/) });
      expect(after).toEqual(before);
    } else {
      expect(status).toBe(200);
      expect(after).toEqual({ ...before, status: effect });
    }
  });
});

test('interface §3: accept, pay and complete answer the Contract, cancel the Checkout Session', async () => {
  const id = await till.open();
  const accepted = await till.ask('POST', `/_sim/sessions/${id}/accept`, CUSTOMER);
  expect(accepted).toMatchObject({ status: 'pending', paid_amount: 0, remaining_amount: 12_962, started_at: null });
  const declined = await till.ask('POST', `/_sim/sessions/${id}/pay`, { outcome: 'fail' });
  expect(declined).toMatchObject({ reference: accepted.reference, status: 'pending', paid_amount: 0 });
  const paid = await till.ask('POST', `/_sim/sessions/${id}/pay`, {});
  expect(paid).toMatchObject({ reference: accepted.reference, status: 'active', paid_amount: 3_086 });
  expect(await till.ask('GET', `/v1/contracts/${accepted.reference}`)).toEqual(paid);

  const other = await till.open();
  expect(await till.ask('POST', `/_sim/sessions/${other}/cancel`)).toEqual(await read(other));
});

test('interface §3: complete uses the session’s email and Test Customer unless told otherwise', async () => {
  const complete = async (fields: object, body: object) => {
    const id = await till.open(fields);
    const { customer_name, customer_email } = await till.ask('POST', `/_sim/sessions/${id}/complete`, body);
    return [customer_name, customer_email];
  };
  expect(await complete({}, {})).toEqual(['Test Customer', 'customer@example.com']);
  expect(await complete({ customer_email: 'grace@example.com' }, {})).toEqual(['Test Customer', 'grace@example.com']);
  expect(await complete({ customer_email: 'grace@example.com' }, CUSTOMER)).toEqual(['Ada Byron', 'ada@example.com']);
});

test('decisions §4: a declined Cart Capture may be tried again for ever, each attempt stamped sim_', async () => {
  const { id, reference } = await till.accepted();
  for (let tries = 0; tries < 3; tries += 1) await step(id, 'decline');
  await till.advance({ by: '400d' });
  expect((await read(id)).status).toBe('decision_made');
  expect((await step(id, 'pay')).status).toBe(200);
  const attempts = await till.ask('GET', `/_sim/contracts/${reference}/attempts`);
  expect(attempts.map(({ number, outcome }: { number: number; outcome: string }) => [number, outcome])).toEqual([
    [4, 'pay'],
    [3, 'fail'],
    [2, 'fail'],
    [1, 'fail'],
  ]);
  for (const { reference: stamp } of attempts) expect(stamp).toMatch(/^sim_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
});

describe('§3.1: expiry, at exactly expires_at', () => {
  test('one millisecond before it is pending, then expired, with one event', async () => {
    const id = await till.open();
    const { expires_at } = await read(id);
    const just = new Date(Date.parse(expires_at) - 1).toISOString();
    await till.advance({ to: just });
    expect((await read(id)).status).toBe('pending');
    const { happened } = await till.advance({ to: expires_at });
    expect(happened).toEqual([expect.objectContaining({ at: expires_at, type: 'session.expired', subject: id })]);
    expect((await read(id)).status).toBe('expired');
    expect((await till.advance({ by: '2h' })).happened).toEqual([]);
  });

  test('a read says expired before the stored status has caught up, and nothing is transacted on it', async () => {
    let now = Date.parse(START);
    // Real time stands where the test puts it, and no timer fires: nothing catches up.
    const late = await openTill({
      clock: { runningFrom: START },
      time: { now: () => now, after: () => () => undefined },
    });
    const id = await late.open();
    now += 3_600_000 - 1;
    expect((await late.ask('GET', `/v1/checkout-sessions/${id}`)).status).toBe('pending');
    now += 1;
    expect((await late.ask('GET', `/v1/checkout-sessions/${id}`)).status).toBe('expired');
    for (const verb of VERBS) {
      const refused = await late.send('POST', `/_sim/sessions/${id}/${BODY[verb][0]}`, BODY[verb][1]);
      expect(refused).toEqual({ status: 409, body: { message: 'This checkout session has expired. Open a new one.' } });
    }
    expect((await late.events()).length).toBe(0);
    await late.sim.close();
  });

  test('a session whose decision was made never expires', async () => {
    const { id } = await till.accepted();
    expect((await till.advance({ by: '1d' })).happened).toEqual([]);
    expect((await read(id)).status).toBe('decision_made');
  });
});

test('§2.5: the terms are snapshotted as the session opens; later settings move nothing', async () => {
  const id = await till.open();
  const before = await read(id);
  await till.ask('PATCH', '/_sim/settings', {
    down_payment_percentage: 50,
    reservation_fee_percentage: 0,
    installment_count: 2,
    installment_cadence: 'monthly',
    session_ttl_minutes: 5,
  });
  expect(await read(id)).toEqual(before);
  const contract = await till.ask('POST', `/_sim/sessions/${id}/complete`, {});
  expect(contract).toMatchObject({ down_payment_amount: 2_469, reservation_fee_amount: 617, customer_total: 12_962 });
  expect(contract.installments.map(({ amount }: { amount: number }) => amount)).toEqual([
    3_086, 2_469, 2_469, 2_469, 2_469,
  ]);
  const opened = await read(await till.open());
  expect(opened).toMatchObject({ down_payment_amount: 6_173, down_payment_percentage: 50 });
  expect(Date.parse(opened.expires_at) - Date.parse(opened.created_at)).toBe(5 * 60_000);
});

test('decisions §4: availability is not re-checked after the session opened', async () => {
  const id = await till.open();
  await till.ask('PATCH', '/_sim/settings', { layaway_enabled: false });
  await expect(till.open()).rejects.toMatchObject({ status: 403, body: { reason: 'merchant_disabled' } });
  expect((await step(id, 'complete')).status).toBe(200);
});
