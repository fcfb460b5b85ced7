import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { dump } from '../../support/dump.ts';
import { journey } from '../../support/journey.ts';
import { caller, expectData, order } from '../../support/shop.ts';

let sim: Simulator;
let data: string;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'layaway-test-'));
  sim = await createSimulator({ data, seed: 1, rateLimit: 'off' });
});
afterAll(async () => {
  await sim.close();
  rmSync(data, { recursive: true });
});

const outcomes = fc.array(fc.constantFrom('pay', 'fail'), { maxLength: 12 });
const plans = fc.array(fc.record({ outcomes, hoursBefore: fc.integer({ min: 0, max: 300 }) }), { maxLength: 4 });
const settings = fc.record({
  installment_count: fc.integer({ min: 1, max: 8 }),
  installment_cadence: fc.constantFrom('weekly', 'biweekly', 'monthly'),
  collection_retry_hours: fc.integer({ min: 1, max: 200 }),
  grace_days: fc.integer({ min: 0, max: 40 }),
  default_days: fc.integer({ min: 0, max: 60 }),
  late_charge_percentage: fc.integer({ min: 0, max: 100 }),
  session_ttl_minutes: fc.integer({ min: 1, max: 10_080 }),
});

/** A merchant with plans under way, a session that lapses and a preview. */
async function begin(sent: object, underway: readonly { outcomes: string[]; hoursBefore: number }[]) {
  const ada = await journey(sim, { at: '2027-12-20T17:45:12.345Z', settings: sent });
  for (const plan of underway) {
    await ada.buys();
    await ada.arranges(...(plan.outcomes as 'pay'[]));
    expectData(await ada.call('POST', '/_sim/clock/advance', { by: `${plan.hoursBefore}h` }));
  }
  await ada.opens();
  expectData(await ada.call('POST', '/_sim/sessions', order({ preview: true })), 201);
  return ada;
}

test('interface §3: the forecast and a dry run equal, entry for entry, what an advance then does', async () => {
  await fc.assert(
    fc.asyncProperty(settings, plans, fc.integer({ min: 0, max: 500 }), async (sent, underway, days) => {
      const ada = await begin(sent, underway);
      const now = Date.parse((await ada.call('GET', '/_sim/clock')).body.data.now);
      const to = new Date(now + days * 86_400_000).toISOString();
      const forecast = expectData(await ada.call('GET', `/_sim/forecast?until=${to}`));
      const rehearsed = expectData(await ada.call('POST', '/_sim/clock/advance', { to, dry_run: true }));
      const done = expectData(await ada.call('POST', '/_sim/clock/advance', { to }));

      const unnumbered = (entries: object[]) => entries.map((entry) => ({ ...entry, event_id: null }));
      expect(forecast.happened).toEqual(unnumbered(done.happened));
      expect(rehearsed).toEqual({ ...done, happened: unnumbered(done.happened), webhooks: null });
      expect(expectData(await ada.call('GET', `/_sim/forecast?until=${to}`)).happened).toEqual([]);
    }),
    { numRuns: 40, seed: 3 },
  );
});

test('one long advance, many short ones and one for each due thing lead to the same end', async () => {
  await fc.assert(
    fc.asyncProperty(settings, plans, async (sent, underway) => {
      const ways = [await begin(sent, underway), await begin(sent, underway), await begin(sent, underway)] as const;
      const seen = [];
      for (const [index, ada] of ways.entries()) {
        if (index === 0) expectData(await ada.call('POST', '/_sim/clock/advance', { by: '900d' }));
        else if (index === 1) {
          for (let step = 0; step < 60; step += 1) {
            expectData(await ada.call('POST', '/_sim/clock/advance', { by: '15d' }));
          }
        } else {
          while ((await ada.call('GET', '/_sim/clock')).body.data.next_due) {
            expectData(await ada.call('POST', '/_sim/clock/advance', { next: true }));
          }
        }
        const events = expectData(await ada.call('GET', '/_sim/events?limit=1000'));
        const emails = expectData(await ada.call('GET', '/_sim/emails?limit=1000'));
        seen.push({
          events: events.map(({ type, created_at }: Record<string, string>) => `${created_at} ${type}`),
          emails: emails.map(({ template, created_at }: Record<string, string>) => `${created_at} ${template}`),
        });
      }
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
    }),
    { numRuns: 8, seed: 5 },
  );
});

test('interface §3: forecasts, dry runs and refused advances change nothing in any table', async () => {
  const ada = await begin({}, [{ outcomes: ['fail', 'fail', 'fail', 'fail'], hoursBefore: 3 }]);
  const before = await dump(sim, data);
  const plan = ada.reference();
  expect(expectData(await ada.call('GET', '/_sim/forecast')).happened.length).toBeGreaterThan(8);
  for (const destination of [{ by: 'P1Y' }, { next: true }, { until: `${plan}=defaulted` }, { to: '2028-02-01' }]) {
    expectData(await ada.call('POST', '/_sim/clock/advance', { ...destination, dry_run: true }));
  }
  for (const refused of [{ until: `${plan}=completed` }, { by: '20y' }, { to: '2020-01-01' }, {}]) {
    expect((await ada.call('POST', '/_sim/clock/advance', refused)).status).toBe(422);
  }
  expect(await dump(sim, data)).toEqual(before);
  const { sessions, contracts, events } = before;
  expect([sessions, contracts, events].map((rows) => (rows ?? []).length > 0)).toEqual([true, true, true]);
});

test('what lies ahead of one checkout is whole, however many others fall due before it, and what the account’s forecast says of it', async () => {
  const ada = await journey(sim, {
    at: '2026-01-01T00:00:00Z',
    settings: { installment_count: 24, installment_cadence: 'weekly' },
  });
  await ada.opens();
  const id = ada.id();
  await ada.buys();
  const reference = ada.reference();
  await ada.arranges('pay', 'fail', 'fail');
  const aheadOf = async (subject: string) => expectData(await ada.call('GET', `/_sim/browse/related/${subject}`)).ahead;
  const own = (happened: { subject: string }[], subject: string) =>
    happened.filter((each) => each.subject.split('#')[0] === subject);
  const { happened } = expectData(await ada.call('GET', '/_sim/forecast'));
  const [plan, session] = [await aheadOf(reference), await aheadOf(id)];
  expect(plan).toEqual(own(happened, reference));
  expect(plan.at(-1).type).toBe('contract.defaulted');
  expect(session).toEqual(own(happened, id));
  expect(session).toHaveLength(1);

  for (let other = 0; other < 45; other += 1) await ada.buys();
  const listed = expectData(await ada.call('GET', '/_sim/forecast')).happened;
  expect(own(listed, ada.reference())).not.toContainEqual(expect.objectContaining({ type: 'contract.completed' }));
  const last = await aheadOf(ada.reference());
  expect(last).toHaveLength(25);
  expect(last.at(-1).type).toBe('contract.completed');
  const explained = expectData(await ada.call('GET', `/_sim/explain/${ada.reference()}`));
  expect(explained.ahead.map(({ at }: { at: string }) => at)).toEqual(last.map(({ at }: { at: string }) => at));
  await ada.call('POST', `/v1/contracts/${reference}/cancel`);
  expect(await aheadOf(reference)).toEqual([]);
});

test('a look ahead takes so many steps, and more where more are asked for', async () => {
  const ada = await begin({ installment_count: 4 }, [
    { outcomes: ['fail'], hoursBefore: 0 },
    { outcomes: [], hoursBefore: 30 },
  ]);
  const look = async (query: string) => expectData(await ada.call('GET', `/_sim/browse/ahead${query}`));
  const { now, happened } = expectData(await ada.call('GET', '/_sim/forecast'));
  expect(await look('')).toEqual({ now, happened, more: false });
  for (const steps of [1, 2, 5]) {
    const { happened: first, more } = await look(`?steps=${steps}`);
    expect(first).toEqual(happened.slice(0, first.length));
    expect(first.length).toBeGreaterThanOrEqual(steps - 1);
    expect(first.length).toBeLessThan(happened.length);
    expect(more).toBe(true);
  }
  for (const steps of ['0', '10001', 'many']) {
    expect((await ada.call('GET', `/_sim/browse/ahead?steps=${steps}`)).status).toBe(422);
  }
});

test('a look ahead is never older than what happened since', async () => {
  const ada = await begin({ installment_count: 3 }, [{ outcomes: [], hoursBefore: 0 }]);
  const reference = ada.reference();
  const isCurrent = async () => {
    const { happened } = expectData(await ada.call('GET', '/_sim/forecast'));
    const looks = [1, 2].map(async () => expectData(await ada.call('GET', '/_sim/browse/ahead')));
    for (const look of await Promise.all(looks)) expect(look.happened).toEqual(happened);
    return JSON.stringify(happened);
  };
  const workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
  expectData(await workspace('POST', '/_sim/snapshots', { name: 'before' }), 201);
  const seen = [await isCurrent()];
  for (const change of [
    () => ada.arranges('pay', 'fail', 'fail', 'fail'),
    () => ada.call('POST', '/_sim/clock/advance', { by: '40d' }),
    () => ada.call('PATCH', '/_sim/settings', { grace_days: 9 }),
    () => ada.opens(),
    () => ada.call('POST', `/v1/contracts/${reference}/cancel`),
    () => workspace('POST', '/_sim/snapshots/before/restore'),
  ]) {
    await change();
    seen.push(await isCurrent());
  }
  expect(seen.at(-1)).toBe(seen[0]);
  expect(new Set(seen).size).toBeGreaterThan(4);
});
