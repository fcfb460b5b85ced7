import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CADENCES } from '../../src/domain/quote.ts';
import { createSimulator, LayawayError, type LayawayEvent, type Shop, type Simulator } from '../../src/index.ts';

const NOW = '2026-03-31T09:30:00.000000Z';
const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };
const ORDER = { order_reference: 'A-1', total_amount: 12_345, customer_state: 'CA', metadata: { cart: '77' } };

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: NOW }, rateLimit: 'off' });
});
afterAll(() => sim.close());

type Wanted = NonNullable<Parameters<Shop['contracts']['create']>[0]>;
type Made = Awaited<ReturnType<Shop['contracts']['create']>>;

/** The contract, or the fields for which it is refused. */
async function make(shop: Shop, wanted: Wanted): Promise<Made | string[]> {
  try {
    return await shop.contracts.create(wanted);
  } catch (error) {
    if (!(error instanceof LayawayError) || error.status !== 422) throw error;
    return Object.keys((error.body as { errors: object }).errors);
  }
}

/** Everything that there is of an account with one contract; ids and tokens by their places in it. */
async function lifeOf(shop: Shop) {
  const [contract] = await shop.contracts.listAll();
  if (!contract) throw new Error('There is no contract.');
  const [session] = await shop.sessions.list();
  const [events, emails, attempts] = await Promise.all([
    shop.events.list({ limit: 1000 }),
    shop.emails.list({ limit: 1000 }),
    shop.contracts.attempts(contract.reference, { limit: 1000 }),
  ]);
  const text = JSON.stringify({
    contract,
    session,
    events: events.map(({ id: _, ...event }: LayawayEvent) => event),
    emails: emails.map(({ id: _, ...email }) => email),
    attempts: attempts.map(({ reference: _, ...attempt }) => attempt),
  })
    .replaceAll(contract.reference, 'LAY-THIS')
    .replaceAll(session?.id as string, 'cs_this');
  return JSON.parse(text);
}

/** The same life, led by an account whose clock moves: opened, accepted, paid, its outcomes arranged, time advanced. */
async function leadLife(
  contract: Made,
  attempts: readonly { sequence: number; outcome: 'pay' | 'fail' }[],
  settings: object,
) {
  const shop = await sim.merchant({ ...settings, clock: { frozenAt: contract.created_at } });
  const { id } = await shop.sessions.create({ ...ORDER, customer_email: CUSTOMER.customer_email });
  const outcome = contract.status === 'pending' ? 'fail' : 'pay';
  const { reference } = await shop.sessions.complete(id, { ...CUSTOMER, outcome });
  const outcomes = attempts.filter(({ sequence }) => sequence > 1).map((attempt) => attempt.outcome);
  if (outcomes.length > 0) await shop.contracts.outcomes(reference, outcomes);
  if (contract.cancelled_at) {
    await shop.clock.advance({ to: contract.cancelled_at });
    await shop.contracts.cancel(reference);
  }
  await shop.clock.advance({ to: NOW });
  return shop;
}

test('interface §8: any terms, any state: the history is the one of a life with outcomes and advances', async () => {
  let made = 0;
  const settings = fc.record({
    installment_count: fc.integer({ min: 1, max: 24 }),
    installment_cadence: fc.constantFrom(...CADENCES),
    collection_retry_hours: fc.oneof(fc.constantFrom(48, 168, 336), fc.integer({ min: 1, max: 500 })),
    grace_days: fc.integer({ min: 0, max: 30 }),
    default_days: fc.integer({ min: 0, max: 60 }),
    late_charge_percentage: fc.integer({ min: 0, max: 100 }),
    down_payment_percentage: fc.integer({ min: 1, max: 90 }),
    reservation_fee_percentage: fc.integer({ min: 0, max: 20 }),
    session_ttl_minutes: fc.integer({ min: 1, max: 60 }),
  });
  const wanted = fc.record(
    {
      status: fc.constantFrom('active', 'completed', 'cancelled', 'defaulted', 'pending'),
      installment: fc.record(
        {
          number: fc.integer({ min: 1, max: 6 }),
          status: fc.constantFrom('paid', 'due', 'past_due', 'delinquent'),
        },
        { requiredKeys: ['number'] },
      ),
      days_ago: fc.integer({ min: 0, max: 9 }),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(settings, wanted, async (terms, state) => {
      const shop = await sim.merchant(terms as object);
      const contract = await make(shop, { ...state, ...ORDER, ...CUSTOMER } as Wanted);
      if (Array.isArray(contract)) return;
      made += 1;
      expect(contract.status).toBe(state.status ?? 'active');
      const attempts = [...(await shop.contracts.attempts(contract.reference, { limit: 1000 }))].reverse();
      expect(await lifeOf(shop)).toEqual(await lifeOf(await leadLife(contract, attempts, terms)));
    }),
    { numRuns: 60 },
  );
  expect(made).toBeGreaterThan(10);
});

describe('interface §8: every pair of contract and installment status', () => {
  const CONTRACTS = ['pending', 'active', 'completed', 'cancelled', 'defaulted'] as const;
  const INSTALLMENTS = [undefined, 'paid', 'due', 'past_due', 'delinquent'] as const;
  /** The second of four installments, on the usual terms. */
  const REFUSED: Readonly<Record<string, string>> = {
    'pending paid': 'installment',
    'pending due': 'installment',
    'pending past_due': 'installment',
    'pending delinquent': 'installment',
    'completed due': 'installment.status',
    'completed past_due': 'installment.status',
    'completed delinquent': 'installment.status',
    'defaulted paid': 'installment.status',
    'defaulted due': 'installment.status',
    'defaulted past_due': 'installment.status',
  };

  test.each(CONTRACTS.flatMap((status) => INSTALLMENTS.map((of) => [status, of] as const)))(
    '%s, %s',
    async (status, of) => {
      const shop = await sim.merchant();
      const made = await make(shop, { status, ...(of ? { installment: { number: 2, status: of } } : {}) });
      const refused = REFUSED[`${status} ${of}`];
      if (refused) {
        expect(made).toEqual([refused]);
        expect([await shop.contracts.listAll(), await shop.events.list(), await shop.emails.list()]).toEqual([
          [],
          [],
          [],
        ]);
        return;
      }
      const contract = made as Made;
      expect(contract.status).toBe(status);
      const statuses = contract.installments.map((each) => each.status);
      if (of) expect(statuses.slice(0, 3)).toEqual(['paid', 'paid', of]);
      const { installments, customer_total: total, paid_amount: paid, remaining_amount: remaining } = contract;
      const sumOf = (some: typeof installments) => some.reduce((sum, { amount }) => sum + amount, 0);
      expect(sumOf(installments)).toBe(total);
      expect(sumOf(installments.filter((each) => each.status === 'paid'))).toBe(paid);
      expect(remaining).toBe(total - paid);
      expect(await shop.contracts.get(contract.reference)).toEqual(contract);

      // Nothing is overdue, the last thing happened when it may, and from here on it lives on.
      const before = await shop.events.list();
      expect(before[0]?.created_at && before[0].created_at <= '2026-03-30T09:30:00.000000Z').toBe(true);
      expect((await shop.clock.advance('0s')).happened_count).toBe(0);
      const { happened } = await shop.clock.advance('P1Y');
      expect((await shop.contracts.get(contract.reference)).status).toBe(
        status !== 'active' ? status : !of || of === 'paid' || of === 'due' ? 'completed' : 'defaulted',
      );
      expect(happened.every(({ at }) => at > NOW)).toBe(true);
      expect(happened.some(({ type }) => type === 'installment.payment_failed')).toBe(false);
    },
  );

  test.each([undefined, 1, 2, 3, 4])('defaulted by installment %s: those before it are paid', async (number) => {
    const shop = await sim.merchant();
    const { installments, status, defaulted_at } = await shop.contracts.create({
      status: 'defaulted',
      ...(number === undefined ? {} : { installment: { number } }),
    });
    expect([status, defaulted_at]).toEqual(['defaulted', '2026-03-30T00:00:00.000000Z']);
    const by = number ?? 1;
    const statuses = installments.slice(1).map((each) => each.status);
    expect(statuses.slice(0, by)).toEqual([...Array(by - 1).fill('paid'), 'delinquent']);
  });
});
