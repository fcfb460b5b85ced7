import { afterAll, expect, test } from 'vitest';
import { createSimulator, runScenario, type Shop, type SimulatorOptions } from '../../src/index.ts';
import { openReceiver, type Reply } from '../support/receiver.ts';
import { order } from '../support/shop.ts';

const open: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  for (const each of open) await each.close();
});

const CLOCK = { frozenAt: '2026-01-01T00:00:00Z' };
async function started(options: SimulatorOptions) {
  const sim = await createSimulator({ seed: 1, clock: CLOCK, ...options });
  open.push(sim);
  return sim;
}

/** Calls in one order, and what each of them met, by what the server says of it. */
async function day(shop: Shop): Promise<string[]> {
  for (let n = 0; n < 12; n += 1) {
    await shop.v1.ping().catch(() => null);
    await shop.v1.createSession(order()).catch(() => null);
  }
  const requests = (await shop.logs.list()).toReversed();
  return requests.map(({ method, path, status, fault }) => `${method} ${path} ${status} ${fault?.kind} ${fault?.id}`);
}

/** No answer takes as long as chance says: what is held back goes at once. */
const hurried = {
  now: Date.now,
  after(_ms: number, work: () => void) {
    setImmediate(work);
    return () => undefined;
  },
};

test('interface §7: the same calls in the same order meet the same faults; another seed brings others', async () => {
  const chaos = { seed: 7, percent: 40 };
  const one = await started({ chaos, time: hurried });
  const two = await started({ chaos: { seed: '7', percent: 40 }, time: hurried });
  const met = await day(one.default);
  expect(await day(two.default)).toEqual(met);
  expect(new Set(met.map((line) => line.split(' ')[3]))).toEqual(
    new Set(['undefined', 'lost_answer', 'error', 'slow']),
  );
  expect(met.filter((line) => line.includes(' chaos')).length).toBeGreaterThan(3);
  expect(await one.default.faults.list()).toEqual([]);

  const other = await started({ chaos: { seed: 8, percent: 40 }, time: hurried });
  expect(await day(other.default)).not.toEqual(met);
});

test('interface §7: numbers count per account, other faults change no draw, and a reset starts from the beginning', async () => {
  const chaos = { seed: 7, percent: 40 };
  const plain = await day((await started({ chaos, time: hurried })).default);
  const sim = await started({ chaos, time: hurried });
  await day(await sim.merchant());
  await sim.default.faults.add({ kind: 'throttled', operation: 'ping' });
  const [first, ...others] = await day(sim.default);
  expect(first).toMatch(/^GET \/v1\/ping 429 throttled flt_/);
  expect(others).toEqual(plain.slice(1));
  await sim.reset();
  expect((await day(sim.default)).slice(-plain.length)).toEqual(plain);
});

test('interface §7: first deliveries too, whatever the pace of the receivers', async () => {
  /** What struck the first attempt of each delivery, by endpoint. The slow one answers after the quick one's third. */
  const met = async (slow: 0 | 1) => {
    const waiting: (() => void)[] = [];
    let answered = 0;
    const late: Reply = (response) => void (answered >= 3 ? response.end() : waiting.push(() => response.end()));
    const early: Reply = (response) => {
      response.end();
      answered += 1;
      if (answered === 3) for (const go of waiting) go();
    };
    await using one = await openReceiver(Array(100).fill(slow === 0 ? late : early));
    await using two = await openReceiver(Array(100).fill(slow === 0 ? early : late));
    const sim = await started({ chaos: { seed: 3, percent: 60 }, time: hurried });
    const endpoints = [await sim.default.webhooks.add(one.url), await sim.default.webhooks.add(two.url)];
    for (let n = 0; n < 5; n += 1) {
      const { id } = await sim.default.sessions
        .create({ order_reference: `A-${n}`, total_amount: 20_000 })
        .catch(async () => {
          const [last] = await sim.default.sessions.list();
          return { id: last?.id ?? '' };
        });
      if (id !== '') await sim.default.sessions.complete(id).catch(() => null);
    }
    await sim.default.clock.advance('2h');
    const deliveries = (await sim.default.webhooks.deliveries({ limit: 1000 })).toReversed();
    return endpoints.map(({ id }) =>
      deliveries
        .filter(({ endpoint_id }) => endpoint_id === id)
        .map(({ attempts }) => attempts.map(({ fault }) => fault?.kind ?? '-')[0]),
    );
  };
  const first = await met(0);
  expect(await met(1)).toEqual(first);
  expect(new Set(first.flat())).toEqual(new Set(['-', 'duplicate', 'lost_ack', 'reordered']));
  expect(first[0]).not.toEqual(first[1]);
});

test('interface §7: only a first attempt draws, and a bare URL has no next event to be sent after', async () => {
  await using receiver = await openReceiver();
  const sim = await started({ chaos: { seed: 3, percent: 100 }, time: hurried });
  const { webhooks, events, clock } = sim.default;
  const { id } = await webhooks.add(receiver.url);
  for (let n = 0; n < 15; n += 1) {
    const { event_id } = await webhooks.test(id);
    await events.resend(event_id, { url: receiver.url });
  }
  await clock.advance('2h');
  const deliveries = await webhooks.deliveries({ limit: 1000 });
  const met = (endpoint: string | null) =>
    deliveries
      .filter(({ endpoint_id }) => endpoint_id === endpoint)
      .map(({ attempts }) => attempts.map(({ fault }) => fault?.kind ?? '-').join(' '));
  expect(new Set(met(id))).toEqual(new Set(['duplicate duplicate', 'lost_ack -', 'reordered']));
  expect(new Set(met(null))).toEqual(new Set(['duplicate duplicate', 'lost_ack', '-']));
});

test('interface §7: a scenario tells what struck, the same each time', async () => {
  const steps = Array.from({ length: 8 }, () => ({ request: { method: 'GET', path: '/v1/contracts' } }));
  const scenario = { name: 'a bad day', steps };
  const chaos = { seed: 4, percent: 30 };
  const report = await runScenario(scenario, { chaos });
  expect(await runScenario(scenario, { chaos })).toEqual(report);
  const struck = report.steps.flatMap(({ faults = [] }) => faults);
  expect(struck[0]).toMatchObject({ id: 'chaos', on: 'GET /v1/contracts' });
});

test('an invalid percentage is refused at the start', async () => {
  await expect(createSimulator({ chaos: { seed: 1, percent: 0 } })).rejects.toThrow('0 is not a percentage');
});
