import { expect, test } from 'vitest';
import { createSimulator, runScenario } from '../../src/index.ts';
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
    const shop = await sim.merchant({ state: 'NY' });
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
  expect(() => scenarioOf(document, 'LAY-0000000000')).toThrow('holds no contract LAY-0000000000');
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
