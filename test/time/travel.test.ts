import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { caller, expectData, order } from '../support/shop.ts';
import { createWorld } from '../walk/world.ts';

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off' });
});
afterAll(() => sim.close());

const at = (instant: string) => Date.parse(instant);

test('requests during a long advance each see one instant, and time only goes forward', async () => {
  const { headers } = await sim.merchant();
  const call = caller(sim, { ...headers });
  expectData(await call('PATCH', '/_sim/settings', { installment_count: 24, installment_cadence: 'weekly' }));
  for (let plan = 0; plan < 150; plan += 1) {
    const { id } = expectData(await call('POST', '/v1/sessions', order()), 201);
    expectData(await call('POST', `/_sim/sessions/${id}/complete`, {}));
  }
  const [{ id: before }] = expectData(await call('GET', '/_sim/events?limit=1'));

  let isUnderWay = true;
  const advancing = call('POST', '/_sim/clock/advance', { by: '200d' }).finally(() => {
    isUnderWay = false;
  });
  const opened: { id: string; created_at: string; expires_at: string }[] = [];
  const seen: number[] = [];
  while (isUnderWay) {
    const clock = expectData(await call('GET', '/_sim/clock'));
    const session = expectData(await call('POST', '/v1/sessions', order()), 201);
    const { data } = (await call('GET', '/v1/contracts')).body;
    const later = expectData(await call('GET', '/_sim/clock'));
    seen.push(at(clock.now), at(session.created_at), at(later.now));
    expect(at(session.expires_at) - at(session.created_at)).toBe(HOUR);
    if (isUnderWay && at(session.created_at) < at('2026-07-01T00:00:00Z')) opened.push(session);
    for (const { installments, paid_amount } of data) {
      const paid = installments.filter(({ status }: { status: string }) => status === 'paid');
      expect(paid.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(paid_amount);
      for (const { paid_at } of paid) expect(at(paid_at)).toBeLessThanOrEqual(at(later.now));
    }
  }
  const { now } = expectData(await advancing);
  expect(now).toBe('2026-07-20T00:00:00.000000Z');
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(new Set(seen).size, 'the requests came in between').toBeGreaterThan(3);

  const events: { id: string; type: string; created_at: string; data: { id?: string } }[] = [];
  for (let cursor = before; ; cursor = events.at(-1)?.id) {
    const page = expectData(await call('GET', `/_sim/events?limit=1000&after=${cursor}`));
    if (page.length === 0) break;
    events.push(...page);
  }
  const instants = events.map(({ created_at }) => at(created_at));
  expect(instants).toEqual([...instants].sort((a, b) => a - b));
  const count = (type: string) => events.filter((event) => event.type === type).length;
  expect([count('installment.paid'), count('contract.completed')]).toEqual([150 * 24, 150]);
  expect(opened.length).toBeGreaterThan(0);
  for (const { id, expires_at } of opened) {
    const lapses = events.filter((event) => event.type === 'session.expired' && event.data.id === id);
    expect(lapses.map(({ created_at }) => created_at)).toEqual([expires_at]);
  }
}, 60_000);

/** Twelve plans that are never paid, on a world whose loop is bounded at `stepsMax`. */
function createBounded(stepsMax: number) {
  const world = createWorld('1', stepsMax);
  const { account } = world.engine.createMerchant({ clock: { mode: 'frozen', at: START } }).sandbox;
  for (let plan = 0; plan < 12; plan += 1) {
    const input = () => order() as ReturnType<typeof order> & { order_reference: string };
    const { session } = world.engine.openSession(account, input);
    world.engine.acceptPlan(account, session, { name: 'Ada', email: 'ada@example.com' });
    world.engine.payCartCapture(account, world.engine.ownLink(account, session.token), 'pay');
  }
  return { ...world, account };
}

test('the loop is bounded; it says where it stopped, and going on comes to the same end', async () => {
  const { travel, account, clocks, store } = createBounded(20);
  const to = START + 90 * 24 * HOUR;
  await expect(travel.advance(account, { to })).rejects.toThrow(
    /The advance stopped at 2026-01-29T00:00:00\.000000Z after 24 due things\. Advance again to go on\./,
  );
  expect(clocks.now(account.id)).toBe(Date.UTC(2026, 0, 29));
  await travel.advance(account, { to });
  expect(clocks.now(account.id)).toBe(to);
  const types = store.events.list(account.id, 1_000, null).map(({ type }) => type);
  expect(types.filter((type) => type === 'installment.paid')).toHaveLength(48);
  expect(types.filter((type) => type === 'contract.completed')).toHaveLength(12);
});

test('a forecast and a dry run beyond the bound say so, instead of half the truth', async () => {
  const { travel, account, store } = createBounded(20);
  const [contract] = store.contracts.page(account.id, null, 1, 0);
  const to = START + 90 * 24 * HOUR;
  for (const asked of [travel.forecast(account, to), travel.rehearse(account, { to })]) {
    await expect(asked).rejects.toThrow('More than 20 things fall due until then.');
  }
  expect((await travel.forecast(account, START + 20 * 24 * HOUR)).happened).toHaveLength(12);
  const until = { of: 'contract', reference: contract?.reference as string, status: 'completed' } as const;
  await expect(travel.advance(account, { until })).rejects.toThrow(/The advance stopped at .* after 24 due things/);
});
