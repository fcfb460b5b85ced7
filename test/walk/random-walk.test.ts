import { expect, test } from 'vitest';
import type { Outcome } from '../../src/domain/contract.ts';
import type { Account } from '../../src/domain/merchant.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { dice } from '../support/dice.ts';
import { type ExpectedPlan, type ExpectedSession, Oracle, type Terms } from './oracle.ts';
import { createWorld } from './world.ts';

const seed = Number(process.env.WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const steps = Number(process.env.WALK_STEPS ?? 100_000);
const EVERYTHING_EVERY = 10_000;
const MERCHANTS = 3;
const START = Date.UTC(2027, 11, 28, 12);
const DAY = 86_400_000;
/** Clocks move by whole ones, so that much falls due at one instant. */
const HALF_HOUR = 1_800_000;

/** `expect(…).toEqual(…)`, asked only for its words: it is called a million times. */
function same(actual: unknown, expected: unknown) {
  if (actual !== expected && JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
}

interface Used {
  readonly key: string;
  readonly fingerprint: Uint8Array;
  readonly session: ExpectedSession;
  readonly at: number;
}

test(`decisions §3 and §4: ${steps} random steps, WALK_SEED=${seed}`, { timeout: 300_000 }, async () => {
  console.info(`WALK_SEED=${seed} WALK_STEPS=${steps}`);
  const random = dice(seed);
  const { store, views, engine, travel, clocks } = createWorld(String(seed));
  const shops = Array.from({ length: MERCHANTS }, () => {
    const made = engine.createMerchant({ clock: { mode: 'frozen', at: START } });
    return [made.sandbox.account, made.live.account];
  })
    .flat()
    .map(({ id, settings }) => ({
      id,
      oracle: new Oracle(START, settings as unknown as Terms),
      keys: [] as Used[],
    }));
  type Walker = (typeof shops)[number];
  const cursor = { event: 0, email: 0 };
  const counts: Record<string, number> = {};
  const references = new Set<string>();
  /** The states in which something was compared. */
  const met = { plans: new Set<string>(), installments: new Set<string>(), sessions: new Set<string>() };

  const accountOf = ({ id }: Walker): Account => store.accounts.get(id);
  const randomTerms = (): Partial<Terms> => {
    const one: Partial<Terms>[] = [
      { down_payment_percentage: random.between(1, 90) },
      { reservation_fee_percentage: random.between(0, 20) },
      { session_ttl_minutes: random.between(1, 100) * 30 },
      { installment_count: random.between(1, 7) },
      { installment_cadence: random.one(['weekly', 'biweekly', 'monthly']) },
      { collection_retry_hours: random.between(1, 120) },
      { grace_days: random.between(0, 15), default_days: random.between(0, 40) },
      { late_charge_percentage: random.between(0, 100), late_charge_max_amount: random.between(0, 5_000) },
    ];
    return random.one(one);
  };

  /** Does `work`, which must be refused with `code`, or succeed when that is null. */
  function attempt<T>(code: string | null, work: () => T): T | undefined {
    try {
      const result = work();
      same(code, null);
      return result;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      same(error.code, code);
      return undefined;
    }
  }

  const input = (total: number) => ({
    order_reference: `A-${random.below(1_000)}`,
    total_amount: total,
    return_url: 'https://shop.example/return',
    cancel_url: 'https://shop.example/cancel',
    customer_state: 'TX',
    metadata: { a: 'b' },
  });

  function open(walker: Walker) {
    const { oracle } = walker;
    const total = random.between(5_000, 500_000);
    const preview = random.chance(0.05);
    const idempotency =
      !preview && random.chance(0.4)
        ? { key: `k${random.below(1e9)}`, fingerprint: new Uint8Array(32).fill(random.below(256)) }
        : null;
    const { session, replayed } = engine.openSession(accountOf(walker), () => input(total), { idempotency, preview });
    expect(replayed).toBe(false);
    const expected = oracle.open(session.id, session.token, total, preview);
    compareSession(expected);
    if (idempotency) walker.keys.push({ ...idempotency, session: expected, at: oracle.now });
  }

  /** §4.3 rules 2 to 4. */
  function replay(walker: Walker) {
    const { oracle, keys } = walker;
    const used = random.recent(keys);
    if (!used) return;
    const same = random.chance(0.8);
    const fingerprint = same ? used.fingerprint : used.fingerprint.map((byte) => byte ^ 1);
    const isOld = oracle.now >= used.at + DAY;
    const total = random.between(5_000, 500_000);
    const answer = attempt(isOld || same ? null : 'idempotency_key_reused', () =>
      engine.openSession(accountOf(walker), () => input(total), { idempotency: { key: used.key, fingerprint } }),
    );
    if (!answer) return;
    expect(answer.replayed).toBe(!isOld);
    if (!isOld) return expect(answer.session.token).toBe(used.session.token);
    const session = oracle.open(answer.session.id, answer.session.token, total, false);
    keys[keys.indexOf(used)] = { key: used.key, fingerprint, session, at: oracle.now };
  }

  function hosted(walker: Walker, verb: 'accept' | 'pay' | 'decline' | 'backOut') {
    const { oracle } = walker;
    const open = oracle.sessions
      .slice(-40)
      .filter((one) => ['pending', 'decision_made'].includes(oracle.effective(one)));
    const session = random.chance(0.8)
      ? (random.recent(open) ?? oracle.sessions.at(-1))
      : random.recent(oracle.sessions);
    if (!session) return;
    const account = accountOf(walker);
    const status = oracle.effective(session);
    const link = engine.ownSession(account, session.token);
    if (verb === 'accept') {
      const email = `c${random.below(50)}@example.com`;
      const made = attempt(status === 'pending' ? null : 'conflict', () =>
        engine.acceptPlan(account, link, { name: 'Ada Byron', email }),
      );
      if (!made) return;
      expect(references.has(made.reference)).toBe(false);
      references.add(made.reference);
      oracle.accept(session, made.id, made.reference, email);
    } else if (verb === 'backOut') {
      const may = status === 'pending' || status === 'decision_made';
      if (attempt(may ? null : 'conflict', () => engine.backOut(account, link))) oracle.backOut(session);
    } else {
      const outcome: Outcome = verb === 'pay' ? 'pay' : 'fail';
      const may = status === 'decision_made';
      const paid = attempt(may ? null : 'conflict', () => engine.payCartCapture(account, link, outcome));
      if (paid) oracle.pay(session, outcome);
    }
  }

  function cancel(walker: Walker, { status, preview, ...plan }: ExpectedPlan) {
    const refusals: Record<string, string> = {
      pending: 'contract_not_active',
      completed: 'contract_ended',
      defaulted: 'contract_ended',
    };
    const account = accountOf(walker);
    const code = preview ? 'contract_not_found' : (refusals[status] ?? null);
    const cancelled = attempt(code, () => engine.cancelContract(account, plan.reference));
    if (!cancelled) return;
    expect(cancelled.status).toBe('cancelled');
    if (status === 'active') {
      const expected = walker.oracle.plans.find(({ id }) => id === plan.id) as ExpectedPlan;
      walker.oracle.cancel(expected, account.merchant.email);
    }
  }

  function arrange(walker: Walker, plan: ExpectedPlan) {
    const account = accountOf(walker);
    const outcomes = Array.from({ length: random.below(9) }, () => (random.chance(0.6) ? 'fail' : 'pay') as Outcome);
    const may = plan.status === 'pending' || plan.status === 'active';
    const contract = engine.ownContract(account, plan.reference);
    if (!attempt(may ? null : 'conflict', () => engine.arrangeOutcomes(account, contract, outcomes))) return;
    plan.outcomes = [...outcomes];
    walker.oracle.touched.add(plan);
  }

  function settle(walker: Walker, plan: ExpectedPlan) {
    const account = accountOf(walker);
    const overdue = walker.oracle.overdue(plan);
    const [earliest] = overdue;
    const number = random.chance(0.5) && earliest ? earliest.sequence - 1 : random.between(0, plan.installments.length);
    const target = overdue.find(({ sequence }) => sequence === number + 1);
    const contract = engine.ownContract(account, plan.reference);
    const done = attempt(target ? null : 'installment_not_overdue', () => engine.settle(account, contract, number));
    if (done && target) walker.oracle.settle(plan, target);
  }

  function update(walker: Walker, plan: ExpectedPlan) {
    const account = accountOf(walker);
    const books = { order_reference: `B-${random.below(100)}`, metadata: { n: String(random.below(9)) } };
    const updated = attempt(plan.preview ? 'contract_not_found' : null, () =>
      engine.updateContract(account, engine.readContract(account, plan.reference), books),
    );
    if (!updated) return;
    expect(updated).toMatchObject({ orderReference: books.order_reference, metadata: books.metadata });
    walker.oracle.touched.add(plan);
  }

  async function advance(walker: Walker, how: 'little' | 'far' | 'next' | 'foreseen') {
    const { oracle } = walker;
    const account = accountOf(walker);
    const halfHours = random.between(0, how === 'far' ? 120 * 48 : random.one([1, 4, 80]));
    const target = how === 'next' ? (oracle.nextEventAt() ?? oracle.now) : oracle.now + halfHours * HALF_HOUR;
    const foreseen = how === 'foreseen' ? await travel.forecast(account, target) : null;
    const journey = await travel.advance(account, how === 'next' ? { next: true } : { to: target });
    oracle.advance(target);
    same(journey.now, target);
    same(journey.count, oracle.events.length);
    const said = journey.happened.map(({ at, type, subject }) => `${at} ${type} ${subject}`);
    same(
      said,
      oracle.events.slice(0, 1_000).map((line) => line.split(' ').slice(0, 3).join(' ')),
    );
    if (foreseen) {
      same(
        foreseen.happened,
        journey.happened.map((happening) => ({ ...happening, eventId: null })),
      );
    }
  }

  function settings(walker: Walker) {
    const changes = randomTerms();
    engine.changeSettings(accountOf(walker), changes as object);
    walker.oracle.terms = { ...walker.oracle.terms, ...changes };
  }

  const withPlan = (walker: Walker, work: (walker: Walker, plan: ExpectedPlan) => void) => {
    const plan = random.recent(walker.oracle.plans);
    if (plan) work(walker, plan);
  };
  const weighted: readonly (readonly [string, number, (walker: Walker) => unknown])[] = [
    ['open', 12, open],
    ['replay', 6, replay],
    ['accept', 14, (walker) => hosted(walker, 'accept')],
    ['pay', 16, (walker) => hosted(walker, 'pay')],
    ['decline', 5, (walker) => hosted(walker, 'decline')],
    ['back out', 3, (walker) => hosted(walker, 'backOut')],
    ['cancel', 2, (walker) => withPlan(walker, cancel)],
    ['update', 4, (walker) => withPlan(walker, update)],
    ['arrange', 12, (walker) => withPlan(walker, arrange)],
    ['settle', 8, (walker) => withPlan(walker, settle)],
    ['settings', 1, settings],
    ['little', 10, (walker) => advance(walker, 'little')],
    ['next', 4, (walker) => advance(walker, 'next')],
    ['foreseen', 2, (walker) => advance(walker, 'foreseen')],
    ['far', 1, (walker) => advance(walker, 'far')],
  ];
  const bag = weighted.flatMap((entry) => Array<typeof entry>(entry[1]).fill(entry));

  /** What was recorded since the last step is exactly what should have been, and nothing for anybody else. */
  function compareNews({ id, oracle }: Walker) {
    const events: string[] = [];
    while (cursor.event < store.events.lastId()) {
      const page = store.events.list(id, 1_000, cursor.event);
      if (page.length === 0) break;
      for (const event of page) {
        const { data, livemode } = JSON.parse(event.body);
        const figures = event.type.startsWith('installment.') ? ` ${data.attempt} ${data.late_charge_amount}` : '';
        events.push(`${event.createdAt} ${event.type} ${event.subject}${figures}`);
        if (livemode !== (accountOf({ id } as Walker).mode === 'live')) expect(event.body).toBe('of the other mode');
        cursor.event = event.id;
      }
    }
    same(events, oracle.events);
    same(store.events.lastId(), cursor.event);

    const emails: string[] = [];
    while (cursor.email + 1 < store.emails.nextId()) {
      const page = store.emails.list(id, 1_000, cursor.email, { to: null, reference: null });
      if (page.length === 0) break;
      emails.push(...page.map((e) => `${e.createdAt} ${e.template} ${e.recipient} ${e.reference}`));
      cursor.email = page.at(-1)?.id as number;
    }
    same(emails, oracle.emails);
    same(store.emails.nextId(), cursor.email + 1);
    oracle.events = [];
    oracle.emails = [];
  }

  function comparePlan(plan: ExpectedPlan) {
    met.plans.add(plan.status);
    for (const { status } of plan.installments) met.installments.add(status);
    const contract = store.contracts.get(plan.id);
    const installments = store.installments.list(plan.id);
    const seen = installments.map((i) => [
      i.sequence,
      i.amountCents,
      i.dueAt,
      i.status,
      i.paidAt,
      i.attempts,
      i.lateChargeCents,
      i.next?.step,
      i.next?.at,
    ]);
    const should = plan.installments.map((i) => [
      i.sequence,
      i.amount,
      i.dueAt,
      i.status,
      i.paidAt,
      i.attempts,
      i.lateCharge,
      i.next?.step,
      i.next?.at,
    ]);
    same(seen, should);
    const ended = contract.completedAt ?? contract.defaultedAt ?? contract.cancelledAt;
    same(
      [contract.status, ended, contract.startedAt, contract.createdAt, contract.outcomes],
      [plan.status, plan.endedAt, plan.startedAt, plan.createdAt, plan.outcomes],
    );

    const wire = views.contract(contract, installments);
    const cents = (all: typeof wire.installments) => all.reduce((sum, { amount }) => sum + amount, 0);
    const paid = cents(wire.installments.filter(({ status }) => status === 'paid'));
    same([wire.down_payment_amount, wire.reservation_fee_amount], [plan.downPayment, plan.fee]);
    same(wire.customer_total, plan.session.total + plan.fee);
    same(cents(wire.installments), wire.customer_total);
    same([wire.paid_amount, wire.remaining_amount], [paid, wire.customer_total - paid]);
    for (const [index, { sequence, due_date }] of wire.installments.entries()) {
      if (sequence !== index + 1 || due_date <= (wire.installments[index - 1]?.due_date ?? '')) {
        expect(wire.installments).toBe('in strictly increasing order');
      }
    }
    same(
      store.attempts.list(plan.id).length,
      plan.installments.reduce((sum, i) => sum + i.attempts, 0),
    );
  }

  function compareSession(session: ExpectedSession) {
    met.sessions.add(session.status);
    same(store.sessions.find(session.token)?.status, session.status);
  }

  function compareEverything() {
    for (const { id, oracle } of shops) {
      for (const plan of oracle.plans) comparePlan(plan);
      for (const session of oracle.sessions) compareSession(session);
      for (const status of [null, 'pending', 'active', 'completed', 'cancelled', 'defaulted'] as const) {
        const { total } = engine.listContracts(store.accounts.get(id), { status, page: 1, size: 1 });
        const should = oracle.plans.filter((plan) => !plan.preview && (status === null || plan.status === status));
        expect(total).toBe(should.length);
      }
    }
  }

  for (let step = 1; step <= steps; step += 1) {
    const walker = random.one(shops);
    const [name, , work] = random.one(bag);
    counts[name] = (counts[name] ?? 0) + 1;
    try {
      await work(walker);
      same(clocks.now(walker.id), walker.oracle.now);
      compareNews(walker);
      for (const plan of walker.oracle.touched) {
        comparePlan(plan);
        compareSession(plan.session);
      }
      walker.oracle.touched.clear();
      same(store.due.nextChange(walker.id)?.at ?? null, walker.oracle.nextAt());
      if (step % EVERYTHING_EVERY === 0 || step === steps) compareEverything();
    } catch (error) {
      throw new Error(`Step ${step} (${name}) of WALK_SEED=${seed}`, { cause: error });
    }
  }

  // A walk that avoided a state would prove nothing about it.
  if (steps >= 10_000) {
    expect([...met.plans].sort()).toEqual(['active', 'cancelled', 'completed', 'defaulted', 'pending']);
    expect([...met.installments].sort()).toEqual(['delinquent', 'due', 'paid', 'past_due', 'upcoming']);
    expect([...met.sessions].sort()).toEqual(['cancelled', 'completed', 'decision_made', 'expired', 'pending']);
  }
  const plans = shops.flatMap(({ oracle }) => oracle.plans);
  console.info(`${plans.length} plans, ${store.events.lastId()} events, ${JSON.stringify(counts)}`);
});
