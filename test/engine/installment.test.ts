import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { openTill, type Till, tillOf } from './till.ts';

let sim: Simulator;
let till: Till;
beforeAll(async () => {
  sim = (await openTill()).sim;
});
beforeEach(async () => {
  till = tillOf(sim, await sim.merchant());
});
afterAll(() => sim.close());

const read = (reference: string) => till.ask('GET', `/v1/contracts/${reference}`);
const settle = (reference: string, number: number) =>
  till.send('POST', `/_sim/contracts/${reference}/installments/${number}/settle`);
const attemptsOf = async (reference: string) =>
  (await till.ask('GET', `/_sim/contracts/${reference}/attempts`)).reverse();
const firstStatusOf = async (reference: string) => (await read(reference)).installments[1].status;

/** A contract whose first installment is in `status`. */
async function withFirst(status: 'upcoming' | 'due' | 'paid' | 'past_due' | 'delinquent'): Promise<string> {
  const { reference } = await till.active();
  if (status === 'upcoming') return reference;
  await till.arrange(reference, ...(status === 'paid' ? (['pay'] as const) : (['fail', 'fail'] as const)));
  await till.advance({ until: `${reference}#1=${status}` });
  return reference;
}

test('§3.3, decisions §4: missed twice, then delinquent, then defaulted, each at its instant', async () => {
  const { reference } = await till.active();
  await till.arrange(reference, 'fail', 'fail');
  const { happened } = await till.advance({ by: 'P1Y' });
  expect(
    happened.map(({ type, subject, ...rest }) => [(rest as { at: string }).at.slice(0, 19), type, subject]),
  ).toEqual([
    ['2026-01-15T00:00:00', 'installment.payment_failed', `${reference}#1`],
    ['2026-01-17T00:00:00', 'installment.payment_failed', `${reference}#1`],
    ['2026-01-17T00:00:00', 'installment.past_due', `${reference}#1`],
    ['2026-01-27T00:00:00', 'installment.delinquent', `${reference}#1`],
    ['2026-01-29T00:00:00', 'installment.paid', `${reference}#2`],
    ['2026-02-12T00:00:00', 'installment.paid', `${reference}#3`],
    ['2026-02-16T00:00:00', 'contract.defaulted', reference],
  ]);
  const contract = await read(reference);
  expect(contract).toMatchObject({ status: 'defaulted', defaulted_at: '2026-02-16T00:00:00.000000Z' });
  expect(contract.installments.map((each: { status: string }) => each.status)).toEqual([
    'paid',
    'delinquent',
    'paid',
    'paid',
    'upcoming',
  ]);
  expect(await till.emails()).toEqual(
    [
      'plan_confirmation',
      'past_due_notice',
      'delinquent_notice',
      'installment_receipt',
      'installment_receipt',
      'plan_defaulted',
    ].map((template) => [template, 'ada@example.com']),
  );
  const events = await till.ask('GET', '/_sim/events');
  expect(events[0]).toMatchObject({ type: 'contract.defaulted', data: contract });
});

test('§3.3: a first failure leaves it due; the second attempt collects it', async () => {
  const { reference } = await till.active();
  await till.arrange(reference, 'fail', 'pay');
  await till.advance({ to: '2026-01-16T23:59:59.999Z' });
  expect(await firstStatusOf(reference)).toBe('due');
  await till.advance({ until: `${reference}#1=paid` });
  expect(
    (await attemptsOf(reference)).map((each: { number: number; outcome: string }) => [each.number, each.outcome]),
  ).toEqual([
    [1, 'pay'],
    [1, 'fail'],
    [2, 'pay'],
  ]);
});

describe('decisions §4: settling, in every state of installment and contract', () => {
  test.each(['upcoming', 'due', 'paid'] as const)('an installment %s: 422', async (status) => {
    const reference = await withFirst(status);
    const before = [await read(reference), await attemptsOf(reference), await till.events()];
    expect(await settle(reference, 1)).toEqual({
      status: 422,
      body: { message: 'Only an overdue installment can be settled.' },
    });
    expect([await read(reference), await attemptsOf(reference), await till.events()]).toEqual(before);
  });

  test.each([
    ['past_due', 0],
    ['delinquent', 123],
  ] as const)('an installment %s: paid, a late charge of %i with it', async (status, lateCharge) => {
    const reference = await withFirst(status);
    const { status: code, body } = await settle(reference, 1);
    expect(code).toBe(200);
    expect(body.data).toEqual(await read(reference));
    expect(body.data.installments[1]).toMatchObject({ status: 'paid' });
    // §2.6, decisions §3: late charges are in none of these figures.
    expect(body.data).toMatchObject({ customer_total: 12_962, paid_amount: 3_086 + 2_469, remaining_amount: 7_407 });
    expect((await attemptsOf(reference)).at(-1)).toMatchObject({
      sequence: 2,
      number: 3,
      outcome: 'pay',
      amount: 2_469,
      late_charge_amount: lateCharge,
    });
    const [event] = await till.ask('GET', '/_sim/events');
    expect(event).toMatchObject({
      type: 'installment.paid',
      data: {
        reference,
        order_reference: 'A-1',
        installment: body.data.installments[1],
        attempt: 3,
        late_charge_amount: lateCharge,
      },
    });
    expect((await till.emails()).at(-1)).toEqual(['installment_receipt', 'ada@example.com']);
    await till.advance({ until: `${reference}=completed` });
    expect((await till.events()).map(([type]) => type)).not.toContain('contract.defaulted');
  });

  test('an arranged failure is not used up by a settlement, which always succeeds', async () => {
    const reference = await withFirst('past_due');
    await till.arrange(reference, 'fail');
    expect((await settle(reference, 1)).status).toBe(200);
    const { happened } = await till.advance({ by: '12d' });
    expect(happened.map(({ type }) => type)).toEqual(['installment.payment_failed']);
  });

  test.each(['past_due', 'delinquent'] as const)('an installment %s of a cancelled contract: 422', async (status) => {
    const reference = await withFirst(status);
    await till.ask('POST', `/v1/contracts/${reference}/cancel`);
    expect((await settle(reference, 1)).status).toBe(422);
    expect(await firstStatusOf(reference)).toBe(status);
    expect((await till.advance({ by: 'P1Y' })).happened).toEqual([]);
    expect(await firstStatusOf(reference)).toBe(status);
  });

  test('an installment of a defaulted contract: 422', async () => {
    const reference = await withFirst('delinquent');
    await till.advance({ until: `${reference}=defaulted` });
    expect((await settle(reference, 1)).status).toBe(422);
    expect(await firstStatusOf(reference)).toBe('delinquent');
  });

  test('twice: the second time there is nothing to settle', async () => {
    const reference = await withFirst('past_due');
    expect((await settle(reference, 1)).status).toBe(200);
    expect((await settle(reference, 1)).status).toBe(422);
  });

  test('the last one completes the contract: installment first, then contract', async () => {
    const { reference } = await till.active();
    await till.arrange(reference, 'pay', 'pay', 'pay', 'fail', 'fail');
    await till.advance({ until: `${reference}#4=delinquent` });
    const before = (await till.events()).length;
    const { body } = await settle(reference, 4);
    expect(body.data).toMatchObject({ status: 'completed', remaining_amount: 0 });
    expect((await till.events()).slice(before)).toEqual([
      ['installment.paid', reference],
      ['contract.completed', reference],
    ]);
    expect((await till.emails()).slice(-2).map(([template]) => template)).toEqual([
      'installment_receipt',
      'plan_completed',
    ]);
  });
});

describe('decisions §6: what an installment event carries', () => {
  const dataOf = async (type: string) =>
    (await till.ask('GET', '/_sim/events')).find((event: { type: string }) => event.type === type).data;

  test('attempt is the number of the payment attempt, null where none is concerned', async () => {
    await withFirst('due');
    expect(await dataOf('installment.payment_failed')).toMatchObject({ attempt: 1, late_charge_amount: 0 });
    expect((await dataOf('installment.payment_failed')).installment).toMatchObject({ status: 'due' });
  });

  test('the second failure: payment_failed is still due, past_due is past_due', async () => {
    const reference = await withFirst('past_due');
    expect(Object.keys(await dataOf('installment.past_due'))).toEqual([
      'reference',
      'order_reference',
      'installment',
      'attempt',
      'late_charge_amount',
    ]);
    expect(await dataOf('installment.payment_failed')).toMatchObject({ attempt: 2, late_charge_amount: 0 });
    expect((await dataOf('installment.past_due')).installment).toEqual((await read(reference)).installments[1]);
  });

  test('delinquent: no attempt is concerned, and the late charge is assessed', async () => {
    const reference = await withFirst('delinquent');
    expect(await dataOf('installment.delinquent')).toMatchObject({ attempt: null, late_charge_amount: 123 });
    expect((await dataOf('installment.delinquent')).installment).toEqual((await read(reference)).installments[1]);
  });
});

test('decisions §2: the late charge is capped, and assessed once', async () => {
  await till.ask('PATCH', '/_sim/settings', { late_charge_percentage: 100, late_charge_max_amount: 1_500 });
  const reference = await withFirst('delinquent');
  await till.advance({ by: '10d' });
  const types = (await till.events()).filter(([type]) => type === 'installment.delinquent');
  expect(types).toHaveLength(1);
  await settle(reference, 1);
  const attempts = await attemptsOf(reference);
  expect(attempts.find((each: { number: number }) => each.number === 3)).toMatchObject({ late_charge_amount: 1_500 });
});

test('decisions §4: each past_due installment has its own two clocks', async () => {
  const { reference } = await till.active();
  await till.arrange(reference, 'fail', 'fail', 'fail', 'fail');
  await till.advance({ until: `${reference}#2=past_due` });
  await settle(reference, 1);
  const { happened } = await till.advance({ until: `${reference}=defaulted` });
  // Number 2 was past_due on 31 January: delinquent on 10 February, defaulted on 2 March.
  expect(happened.map((each) => [(each as unknown as { at: string }).at.slice(0, 10), each.type])).toEqual([
    ['2026-02-10', 'installment.delinquent'],
    ['2026-02-12', 'installment.paid'],
    ['2026-02-26', 'installment.paid'],
    ['2026-03-02', 'contract.defaulted'],
  ]);
});

test('decisions §2: a default clock shorter than grace ends the plan without a late charge', async () => {
  await till.ask('PATCH', '/_sim/settings', { default_days: 3 });
  const reference = await withFirst('past_due');
  const { happened } = await till.advance({ by: '1mo' });
  expect(happened.map(({ type }) => type)).toEqual(['contract.defaulted']);
  expect(await firstStatusOf(reference)).toBe('past_due');
});

test('decisions §3: what is always true, on a random walk through every verb', async () => {
  const verb = fc.oneof(
    { weight: 2, arbitrary: fc.constant('open') },
    { weight: 3, arbitrary: fc.constantFrom('accept', 'pay', 'decline', 'complete', 'back out') },
    { weight: 1, arbitrary: fc.constantFrom('cancel', 'update') },
    { weight: 3, arbitrary: fc.constantFrom('fail once', 'fail twice', 'settle') },
    { weight: 4, arbitrary: fc.constantFrom('1d', '2d', '8d', '25d', 'next') },
  );
  const walk = fc.array(fc.tuple(verb, fc.nat(9)), { minLength: 5, maxLength: 40 });
  const terms = fc.record({
    installment_count: fc.integer({ min: 1, max: 6 }),
    installment_cadence: fc.constantFrom('weekly', 'biweekly', 'monthly'),
    down_payment_percentage: fc.integer({ min: 1, max: 90 }),
    reservation_fee_percentage: fc.integer({ min: 0, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(terms, fc.integer({ min: 5_000, max: 500_000 }), walk, async (settings, total, steps) => {
      till = tillOf(sim, await sim.merchant(settings));
      const sessions: string[] = [await till.open({ total_amount: total })];
      const references = new Set<string>();
      for (const [name, at] of steps) {
        const id = sessions[at % sessions.length] as string;
        const reference = [...references][at % Math.max(1, references.size)] ?? 'LAY-0000000000';
        const answer = await take(name, id, reference, at);
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
        if (answer.status < 300 && name === 'open') sessions.push(answer.body.data.id);
        if (answer.status < 300 && answer.body.data?.reference) references.add(answer.body.data.reference);
        for (const each of references) lawful(await read(each));
      }
      const listed = await till.send('GET', '/v1/contracts');
      expect(listed.body.meta.total).toBe(references.size);
    }),
    { numRuns: 25 },
  );

  function take(name: string, id: string, reference: string, at: number) {
    const order = { order_reference: `W-${at}`, total_amount: 5_000 + at * 1_237 };
    const urls = { return_url: 'https://example.com/r', cancel_url: 'https://example.com/c' };
    if (name === 'open') return till.send('POST', '/v1/sessions', { ...order, ...urls });
    if (name === 'accept')
      return till.send('POST', `/_sim/sessions/${id}/accept`, { customer_name: 'A', customer_email: 'a@b.co' });
    if (name === 'pay') return till.send('POST', `/_sim/sessions/${id}/pay`);
    if (name === 'decline') return till.send('POST', `/_sim/sessions/${id}/pay`, { outcome: 'fail' });
    if (name === 'complete') return till.send('POST', `/_sim/sessions/${id}/complete`, {});
    if (name === 'back out') return till.send('POST', `/_sim/sessions/${id}/cancel`);
    if (name === 'cancel') return till.send('POST', `/v1/contracts/${reference}/cancel`);
    if (name === 'update') return till.send('PATCH', `/v1/contracts/${reference}`, { order_reference: `U-${at}` });
    if (name === 'settle') return settle(reference, (at % 6) + 1);
    if (name === 'next') return till.send('POST', '/_sim/clock/advance', { next: true });
    if (name.startsWith('fail')) {
      const outcomes = name === 'fail once' ? ['fail'] : ['fail', 'fail'];
      return till.send('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes });
    }
    return till.send('POST', '/_sim/clock/advance', { by: name });
  }
});

interface WireContract {
  readonly status: string;
  readonly total_amount: number;
  readonly reservation_fee_amount: number;
  readonly down_payment_amount: number;
  readonly customer_total: number;
  readonly paid_amount: number;
  readonly remaining_amount: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly defaulted_at: string | null;
  readonly cancelled_at: string | null;
  readonly installments: readonly {
    readonly sequence: number;
    readonly amount: number;
    readonly due_date: string;
    readonly status: string;
    readonly paid_at: string | null;
  }[];
}

function lawful(contract: WireContract) {
  const { installments, status } = contract;
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const paid = installments.filter((each) => each.status === 'paid');
  expect(contract.customer_total).toBe(contract.total_amount + contract.reservation_fee_amount);
  expect(sum(installments.map(({ amount }) => amount))).toBe(contract.customer_total);
  expect(contract.paid_amount).toBe(sum(paid.map(({ amount }) => amount)));
  expect(contract.remaining_amount).toBe(contract.customer_total - contract.paid_amount);
  expect(installments[0]?.amount).toBe(contract.down_payment_amount + contract.reservation_fee_amount);
  expect(installments.map(({ sequence }) => sequence)).toEqual(installments.map((_, index) => index + 1));
  const dates = installments.map(({ due_date }) => due_date);
  expect(dates).toEqual([...new Set(dates)].sort());
  for (const each of installments) expect(each.paid_at !== null).toBe(each.status === 'paid');
  expect(contract.completed_at !== null).toBe(status === 'completed');
  expect(contract.defaulted_at !== null).toBe(status === 'defaulted');
  expect(contract.cancelled_at !== null).toBe(status === 'cancelled');
  if (status === 'completed') expect(contract.remaining_amount).toBe(0);
  if (['active', 'completed', 'defaulted'].includes(status)) {
    expect(contract.started_at).not.toBeNull();
    expect(installments[0]?.status).toBe('paid');
  }
  if (status === 'pending') expect(contract.paid_amount).toBe(0);
}
