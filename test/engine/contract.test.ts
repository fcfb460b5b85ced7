import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { CUSTOMER } from '../support/shop.ts';
import { openTill, START, type Till, tillOf } from './till.ts';

const STATES = ['pending', 'active', 'completed', 'cancelled', 'backed out', 'defaulted'] as const;
type State = (typeof STATES)[number];

let sim: Simulator;
let till: Till;
beforeAll(async () => {
  sim = (await openTill()).sim;
});
beforeEach(async () => {
  till = tillOf(sim, await sim.merchant({ email: 'shop@example.com' }));
});
afterAll(() => sim.close());

async function contractIn(state: State): Promise<string> {
  if (state === 'pending') return (await till.accepted()).reference;
  if (state === 'backed out') {
    const { id, reference } = await till.accepted();
    await till.ask('POST', `/_sim/sessions/${id}/cancel`);
    return reference;
  }
  const { reference } = await till.active();
  if (state === 'completed') await till.advance({ until: `${reference}=completed` });
  if (state === 'cancelled') await till.ask('POST', `/v1/contracts/${reference}/cancel`);
  if (state === 'defaulted') {
    await till.arrange(reference, 'fail', 'fail');
    await till.advance({ until: `${reference}=defaulted` });
  }
  return reference;
}

const read = (reference: string) => till.ask('GET', `/v1/contracts/${reference}`);

/** What a refused verb leaves behind: the contract, its events and emails as they were. */
async function everything(reference: string) {
  return { contract: await read(reference), events: await till.events(), emails: await till.emails() };
}

describe('§4.8, decisions §4: cancel', () => {
  test('an active contract: 200, cancelled_at, contract.cancelled, an email to merchant and customer', async () => {
    const reference = await contractIn('active');
    await till.advance({ by: '20d' });
    const before = await everything(reference);
    const { status, body } = await till.send('POST', `/v1/contracts/${reference}/cancel`);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before.contract, status: 'cancelled', cancelled_at: '2026-01-21T00:00:00.000000Z' });
    expect(body.data.installments.map((each: { status: string }) => each.status)).toEqual([
      'paid',
      'paid',
      'upcoming',
      'upcoming',
      'upcoming',
    ]);
    const after = await everything(reference);
    expect(after.contract).toEqual(body.data);
    expect(after.events.slice(before.events.length)).toEqual([['contract.cancelled', reference]]);
    expect(after.emails.slice(before.emails.length)).toEqual([
      ['plan_cancelled_merchant', 'shop@example.com'],
      ['plan_cancelled_customer', 'ada@example.com'],
    ]);
  });

  test('no further installments are collected', async () => {
    const reference = await contractIn('cancelled');
    const before = await everything(reference);
    expect(await till.advance({ by: 'P1Y' })).toMatchObject({ happened: [] });
    expect(await everything(reference)).toEqual(before);
    expect((await till.ask('GET', '/_sim/clock')).next_due).toBeNull();
  });

  test.each(['cancelled', 'backed out'] as const)('again, when %s: 200 as it stands, nothing told', async (state) => {
    const reference = await contractIn(state);
    const before = await everything(reference);
    await till.advance({ by: '1d' });
    const { status, body } = await till.send('POST', `/v1/contracts/${reference}/cancel`);
    expect([status, body.data]).toEqual([200, before.contract]);
    expect(await everything(reference)).toEqual(before);
  });

  test.each([
    ['pending', 'Only an active contract can be cancelled.'],
    ['completed', 'A completed contract cannot be cancelled.'],
    ['defaulted', 'A defaulted contract cannot be cancelled.'],
  ] as const)('when %s: 422 %s', async (state, message) => {
    const reference = await contractIn(state);
    const before = await everything(reference);
    expect(await till.send('POST', `/v1/contracts/${reference}/cancel`)).toEqual({ status: 422, body: { message } });
    expect(await everything(reference)).toEqual(before);
  });
});

test.each(STATES)('§4.7, decisions §4: update is allowed when %s, and moves nothing else', async (state) => {
  const reference = await contractIn(state);
  const before = await everything(reference);
  const change = {
    order_reference: 'B-2',
    metadata: { note: ' x ' },
    status: 'active',
    total_amount: 1,
    __proto__: {},
  };
  const updated = await till.ask('PATCH', `/v1/contracts/${reference}`, change);
  expect(updated).toEqual({ ...before.contract, order_reference: 'B-2', metadata: { note: 'x' } });
  expect(await everything(reference)).toEqual({ ...before, contract: updated });
  expect(await till.ask('PATCH', `/v1/contracts/${reference}`, {})).toEqual(updated);
  expect(await till.ask('PATCH', `/v1/contracts/${reference}`, { metadata: null })).toEqual({
    ...updated,
    metadata: {},
  });
});

describe('decisions §1: outcomes', () => {
  test.each(['pending', 'active'] as const)('can be arranged when %s', async (state) => {
    const reference = await contractIn(state);
    const before = await everything(reference);
    const outcomes = ['fail', 'pay'];
    const { status, body } = await till.send('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes });
    expect([status, body]).toEqual([200, { data: { outcomes } }]);
    expect(await everything(reference)).toEqual(before);
  });

  test.each(['completed', 'cancelled', 'backed out', 'defaulted'] as const)('not when %s', async (state) => {
    const reference = await contractIn(state);
    const { status, body } = await till.send('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes: ['fail'] });
    const called = state === 'backed out' ? 'cancelled' : state;
    expect([status, body.message]).toEqual([409, `Collection on a ${called} contract has ended.`]);
  });

  test('arranged while pending, they feed scheduled attempts only, never the Cart Capture', async () => {
    const { id, reference } = await till.accepted();
    await till.arrange(reference, 'fail');
    expect(await till.ask('POST', `/_sim/sessions/${id}/pay`)).toMatchObject({ status: 'active' });
    const { happened } = await till.advance({ by: '15d' });
    expect(happened.map(({ type }) => type)).toEqual(['installment.payment_failed']);
  });

  test('arranging again replaces what was arranged; what is used up is followed by pay for ever', async () => {
    const reference = await contractIn('active');
    await till.arrange(reference, 'fail', 'fail', 'fail', 'fail');
    await till.arrange(reference, 'fail');
    const { happened } = await till.advance({ until: `${reference}=completed` });
    expect(happened.map(({ type, subject }) => `${type} ${subject.slice(reference.length)}`.trim())).toEqual([
      'installment.payment_failed #1',
      'installment.paid #1',
      'installment.paid #2',
      'installment.paid #3',
      'installment.paid #4',
      'contract.completed',
    ]);
  });
});

test.each(STATES)('decisions §4: with nothing overdue on it, a %s contract has nothing to settle', async (state) => {
  const reference = await contractIn(state);
  const before = await everything(reference);
  for (const number of ['0', '1', '2', '4', '5', 'x', '-1', '1.0']) {
    const refused = await till.send('POST', `/_sim/contracts/${reference}/installments/${number}/settle`);
    expect(refused.status, number).toBe(422);
    expect(refused.body.message).toBe('Only an overdue installment can be settled.');
  }
  expect(await everything(reference)).toEqual(before);
});

describe('§3.2, decisions §4: how contracts move', () => {
  test('pending from the acceptance, with the whole schedule and the Cart Capture due', async () => {
    const reference = await contractIn('pending');
    const contract = await read(reference);
    expect(contract).toMatchObject({
      status: 'pending',
      order_reference: 'A-1',
      customer_state: 'TX',
      created_at: START,
      started_at: null,
      ...CUSTOMER,
    });
    expect(contract.installments[0]).toEqual({
      sequence: 1,
      type: 'cart_capture',
      installment_number: null,
      amount: 3_086,
      due_date: '2026-01-01',
      status: 'due',
      paid_at: null,
    });
    expect((await till.advance({ by: 'P1Y' })).happened).toEqual([]);
  });

  test('pending -> active: re-dated from the capture, created_at stays the acceptance', async () => {
    const { id, reference } = await till.accepted();
    await till.advance({ to: '2026-03-10T23:59:59Z' });
    const paid = await till.ask('POST', `/_sim/sessions/${id}/pay`);
    expect(paid).toMatchObject({
      reference,
      status: 'active',
      created_at: START,
      started_at: '2026-03-10T23:59:59.000000Z',
    });
    expect(paid.installments.map((each: { due_date: string }) => each.due_date)).toEqual([
      '2026-03-10',
      '2026-03-24',
      '2026-04-07',
      '2026-04-21',
      '2026-05-05',
    ]);
    expect(paid.installments[0]).toMatchObject({ status: 'paid', paid_at: '2026-03-10T23:59:59.000000Z' });
    expect(await till.emails()).toEqual([['plan_confirmation', 'ada@example.com']]);
  });

  test('active -> completed: the last unpaid installment is paid', async () => {
    const reference = await contractIn('active');
    const { happened, now } = await till.advance({ until: `${reference}=completed` });
    expect(now).toBe('2026-02-26T00:00:00.000000Z');
    expect(happened.map(({ type }) => type)).toEqual([
      'installment.paid',
      'installment.paid',
      'installment.paid',
      'installment.paid',
      'contract.completed',
    ]);
    expect(await read(reference)).toMatchObject({
      status: 'completed',
      completed_at: now,
      paid_amount: 12_962,
      remaining_amount: 0,
    });
    expect((await till.emails()).at(-1)).toEqual(['plan_completed', 'ada@example.com']);
    expect((await till.ask('GET', '/_sim/clock')).next_due).toBeNull();
  });

  test('decisions §4: backing out after accepting cancels the contract silently', async () => {
    const reference = await contractIn('backed out');
    expect(await read(reference)).toMatchObject({ status: 'cancelled', cancelled_at: START, started_at: null });
    expect((await till.events()).map(([type]) => type)).toEqual(['session.decision_made', 'session.cancelled']);
    expect(await till.emails()).toEqual([]);
  });
});

test('decisions §6: data is the resource exactly as the API returns it right after', async () => {
  const { id, reference } = await till.accepted();
  const last = async (type: string) =>
    (await till.ask('GET', '/_sim/events')).find((event: { type: string }) => event.type === type);
  const session = () => till.ask('GET', `/v1/checkout-sessions/${id}`);
  expect((await last('session.decision_made')).data).toEqual(await session());
  await till.ask('POST', `/_sim/sessions/${id}/pay`);
  expect((await last('session.completed')).data).toEqual(await session());
  expect((await last('contract.activated')).data).toEqual(await read(reference));
  await till.ask('POST', `/v1/contracts/${reference}/cancel`);
  const cancelled = await last('contract.cancelled');
  expect(Object.keys(cancelled)).toEqual(['id', 'type', 'created_at', 'livemode', 'data']);
  expect(cancelled).toMatchObject({ livemode: false, created_at: START, data: await read(reference) });
});

test('decisions §5: a preview makes no event, no email, and no contract that /v1 shows', async () => {
  const preview = { order_reference: 'P', total_amount: 9_000, preview: true };
  const urls = { return_url: 'https://example.com/r', cancel_url: 'https://example.com/c' };
  const { id } = await till.ask('POST', '/_sim/sessions', { ...preview, ...urls });
  const { reference } = await till.ask('POST', `/_sim/sessions/${id}/complete`, {});
  await till.arrange(reference, 'fail', 'fail');
  expect((await till.advance({ by: '1mo' })).happened).toEqual([]);
  expect([await till.events(), await till.emails()]).toEqual([[], []]);
  expect(await till.ask('GET', '/v1/contracts')).toEqual([]);
  for (const [method, url] of [
    ['GET', `/v1/checkout-sessions/${id}`],
    ['GET', `/v1/contracts/${reference}`],
    ['PATCH', `/v1/contracts/${reference}`],
    ['POST', `/v1/contracts/${reference}/cancel`],
  ] as const) {
    expect((await till.send(method, url)).status, url).toBe(404);
  }
});

test('§1: live is the same, with livemode and pay_ references, in an account of its own', async () => {
  const shop = await sim.merchant();
  const [sandbox, live] = [tillOf(sim, shop), tillOf(sim, shop.live)];
  const { reference } = await live.active();
  const [event] = await live.ask('GET', '/_sim/events');
  expect(event.livemode).toBe(true);
  const attempts = await live.ask('GET', `/_sim/contracts/${reference}/attempts`);
  expect(attempts[0].reference).toMatch(/^pay_/);
  expect((await live.ask('GET', '/_sim/emails'))[0].subject).not.toMatch(/Sandbox/);
  expect((await sandbox.send('GET', `/v1/contracts/${reference}`)).status).toBe(404);
  expect((await sandbox.send('GET', `/_sim/contracts/${reference}/attempts`)).status).toBe(404);
  expect([await sandbox.events(), await sandbox.emails()]).toEqual([[], []]);
});
