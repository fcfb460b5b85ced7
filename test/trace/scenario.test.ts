import { expect, test } from 'vitest';
import { exchange } from '../../src/exchange.ts';
import { createSimulator, runScenario } from '../../src/index.ts';
import { interpolate, place } from '../../src/scenario/interpolate.ts';
import { scenarioOf } from '../../src/trace/scenario.ts';
import { order } from '../support/shop.ts';
import { liveThrough } from '../support/stories.ts';

const seed = Number(process.env.WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const clock = { frozenAt: '2026-01-01T00:00:00Z' };
const problems = (report: Awaited<ReturnType<typeof runScenario>>) =>
  report.steps
    .filter(({ status }) => status === 'failed')
    .map(({ does, problem, differences }) => ({ does, problem, differences }));

test(`interface §11: the scenario of a trace passes, whatever the story, WALK_SEED=${seed}`, {
  timeout: 180_000,
}, async () => {
  for (let story = 0; story < 6; story += 1) {
    await using sim = await createSimulator({ clock, rateLimit: 'off' });
    // Not one of these is what it is by default, and the story changes them.
    const shop = await sim.merchant({
      ...{ state: 'NY', dba: 'First', grace_days: 3, default_days: 8, collection_retry_hours: 20 },
      ...{ installment_count: 3, session_ttl_minutes: 45, min_order_amount: 9_000, down_payment_percentage: 30 },
    });
    await liveThrough(shop, seed + story, 40);
    const scenario = scenarioOf(await sim.trace(), null);
    expect(scenario.steps.length).toBeGreaterThan(5);
    const report = await runScenario(scenario, {});
    expect(problems(report), `WALK_SEED=${seed + story}`).toEqual([]);
    expect(report.status).toBe('passed');
    expect(report.steps.flatMap(({ events }) => events)).toEqual(
      (await shop.events.list({ limit: 1000 })).toReversed().map(({ type }) => type),
    );
  }
});

test('with a contract: only its own story, which passes; an unknown one is refused', async () => {
  await using sim = await createSimulator({ clock, rateLimit: 'off' });
  const shop = await sim.merchant();
  const first = await shop.sessions.create(order());
  const second = await shop.sessions.create(order({ order_reference: 'A-2' }));
  await shop.sessions.complete(first.id);
  const { reference } = await shop.sessions.complete(second.id);
  await shop.contracts.outcomes(reference, ['fail', 'fail']);
  await shop.clock.advance({ until: `${reference}#1=past_due` });
  await shop.contracts.settle(reference);
  const document = await sim.trace();
  const scenario = scenarioOf(document, reference);
  const text = JSON.stringify(scenario);
  expect(text).toContain('A-2');
  expect(text).not.toContain('A-1"');
  expect(text).toContain('installment.past_due');
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
  expect(() => scenarioOf(document, 'LAY-0000000000')).toThrow('contains no contract LAY-0000000000');
});

test('settings that changed on the way are first what they were, and change at their moments', async () => {
  await using sim = await createSimulator({
    clock,
    rateLimit: 'off',
    fixture: { platform: { unavailable_states: ['WA'] } },
  });
  const shop = await sim.merchant({ state: 'NY', dba: 'First', grace_days: 2, installment_count: 2 });
  const story = async () => {
    const { id } = await shop.v1.createSession(order());
    return (await shop.sessions.complete(id)).reference;
  };
  const first = await story();
  await shop.settings.set({ grace_days: 20, installment_count: 5, dba: 'Second' });
  await shop.settings.set({ grace_days: 30, default_days: 40 });
  const second = await story();
  await shop.contracts.outcomes(first, ['fail', 'fail']);
  await shop.contracts.outcomes(second, ['fail', 'fail']);
  await shop.clock.advance('20d');
  await shop.live.settings.set({ state: 'WA', installment_count: 9 });
  await expect(story()).rejects.toThrow('not available in your state');
  await sim.platform.set({ unavailable_states: [] });
  const third = await story();
  await shop.settings.set({ clearance: 'in_review' });
  await expect(shop.v1.getContract(third)).rejects.toThrow('not cleared');

  const document = await sim.trace();
  const { merchant, steps } = scenarioOf(document, null);
  expect(merchant).toEqual({
    ...{ legal_name: 'Example Store LLC', dba: 'First', state: 'NY', email: 'merchant@example.com' },
    settings: { grace_days: 2, installment_count: 2 },
  });
  expect(steps.flatMap(({ settings, platform }) => settings ?? platform ?? [])).toEqual([
    { unavailable_states: ['WA'] },
    { grace_days: 20, installment_count: 5, dba: 'Second' },
    { grace_days: 30, default_days: 40 },
    { state: 'WA' },
    { unavailable_states: [] },
    { clearance: 'in_review' },
  ]);
  expect(steps.filter(({ expect: it }) => (it as { status?: number } | undefined)?.status === 403)).toHaveLength(2);
  for (const contract of [null, first, second, third]) {
    expect(problems(await runScenario(scenarioOf(document, contract), {})), `${contract}`).toEqual([]);
  }
});

test('a text that looks like a place is sent again to the letter', async () => {
  await using sim = await createSimulator({ clock });
  const shop = await sim.merchant();
  const metadata = { template: `Dear ${place('name')}, $${place('5')}` };
  const sent = order({ order_reference: place('order.id'), metadata });
  await shop.v1.createSession(sent);
  const scenario = scenarioOf(await sim.trace(), null);
  const [{ body }] = scenario.steps.flatMap(({ request }) => (request ? [request] : [])) as [{ body: object }];
  expect(interpolate(body, new Map())).toEqual(sent);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('so is a path, and an idempotency key', async () => {
  await using sim = await createSimulator({ clock });
  const shop = await sim.merchant();
  const url = `${sim.url}/v1/sessions`;
  const headers = { ...shop.headers, 'content-type': 'application/json', 'idempotency-key': place('key') };
  const body = JSON.stringify(order());
  await exchange({ method: 'POST', url, headers, body, timeoutMs: 10_000 });
  await exchange({ method: 'GET', url: `${sim.url}/v1/contracts?order=${place('x')}`, headers, timeoutMs: 10_000 });
  const scenario = scenarioOf(await sim.trace(), null);
  expect(problems(await runScenario(scenario, {}))).toEqual([]);
});

test('a scenario that would not happen again fails: what it expects is real', async () => {
  await using sim = await createSimulator({ clock });
  const shop = await sim.merchant();
  const { id } = await shop.sessions.create(order());
  await shop.sessions.complete(id);
  await shop.clock.advance('14d');
  const scenario = scenarioOf(await sim.trace(), null);
  const broken = JSON.parse(JSON.stringify(scenario).replace('"installment.paid"', '"installment.past_due"'));
  expect((await runScenario(broken, {})).status).toBe('failed');
});
