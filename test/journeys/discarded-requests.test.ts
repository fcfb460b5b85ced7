import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { numberIn } from '../../src/domain/cause.ts';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../src/index.ts';
import { scenarioOf } from '../../src/trace/scenario.ts';
import { order } from '../support/shop.ts';

const running: Simulator[] = [];
let folder: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layaway-discarded-'));
  data = join(folder, 'data');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((sim) => sim.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: SimulatorOptions = {}) {
  const sim = await createSimulator({ data, clock: { frozenAt: '2026-01-01T00:00:00Z' }, seed: 7, ...options });
  running.push(sim);
  return sim;
}
const ask = (sim: Simulator, name: string) => sim.default.v1.createSession(order({ order_reference: name }));

const numberOf = (id: string | null | undefined) => numberIn('req', String(id)) ?? Number.NaN;

/** The orders of the requests that led to the present state, as the scenario of a trace has them. */
async function told(sim: Simulator) {
  const { steps } = scenarioOf(await sim.trace(), null);
  return steps.map(({ request }) => (request as { body: { order_reference: string } }).body.order_reference);
}

test('restarts between the snapshot, the restore and the trace', async () => {
  const first = await start();
  await ask(first, 'kept');
  await first.snapshots.save('start');
  await ask(first, 'discarded');
  await first.close();

  const second = await start();
  await ask(second, 'discarded too');
  await second.snapshots.restore('start');
  await second.close();

  const third = await start();
  await ask(third, 'last');
  expect(await told(third)).toEqual(['kept', 'last']);
  await third.snapshots.restore('start');
  expect(await told(third)).toEqual(['kept']);
});

test('an explanation says which requests a restore discarded, and which it kept', async () => {
  const sim = await start();
  await ask(sim, 'kept');
  await sim.snapshots.save('start');
  await ask(sim, 'discarded');
  await sim.snapshots.restore('start');
  const because = async (id: string | undefined) => (await sim.default.explain(String(id))).chain[0]?.because;
  const [discarded, kept] = await sim.default.logs.list();
  expect(await because(discarded?.id)).toContain('A later reset or restore discarded what it did.');
  expect(await because(kept?.id)).not.toContain('discarded');
});

test('what is shown of a session has none of the discarded requests about it, though a seed draws its id again', async () => {
  const sim = await start();
  await sim.snapshots.save('start');
  const { id } = await ask(sim, 'discarded');
  await sim.default.v1.getSession(id);
  const discarded = await sim.default.logs.list();
  await sim.snapshots.restore('start');
  expect((await ask(sim, 'last')).id).toBe(id);
  const related = async (of: string | undefined) =>
    (await sim.inject({ url: `/_sim/browse/related/${of}`, headers: sim.default.headers })).json<{
      data: { requests: { id: string }[]; session: object | null };
    }>().data;
  const [last] = await sim.default.logs.list();
  expect((await related(id)).requests).toEqual([expect.objectContaining({ id: last?.id })]);
  expect((await related(last?.id)).session).toMatchObject({ id });
  for (const request of discarded.slice(0, 2)) expect((await related(request.id)).session).toBeNull();
});

test.each([
  ['restore', ['kept', 'last']],
  ['reset', ['last']],
])('a %s while no requests are logged discards those in the kept log', async (undone, expected) => {
  const on = await start();
  await ask(on, 'kept');
  await on.snapshots.save('start');
  await ask(on, 'discarded');
  await on.close();

  const off = await start({ requestLog: false });
  if (undone === 'restore') await off.snapshots.restore('start');
  else await off.reset();
  await off.close();

  const again = await start();
  await ask(again, 'last');
  expect(await told(again)).toEqual(expected);
});

test('a server that is killed just after a reset: the next one gives none of the discarded numbers', async () => {
  const first = await start();
  await ask(first, 'long ago');
  await first.close();

  const killed = await start();
  await ask(killed, 'discarded');
  await killed.reset();
  const left = join(folder, 'left');
  cpSync(data, left, { recursive: true });

  const next = await start({ data: left });
  await ask(next, 'last');
  expect(await told(next)).toEqual(['last']);
});

test('a server that is killed before its log is written: the next one gives none of its numbers', async () => {
  const killed = await start();
  await ask(killed, 'first');
  const left = join(folder, 'left');
  cpSync(data, left, { recursive: true });

  const next = await start({ data: left });
  const [session] = await next.default.sessions.list();
  const opening = async () => (await next.default.explain(String(session?.id))).chain[0];
  const before = await opening();
  expect(before).toMatchObject({ id: 'req_000000000001', kind: 'request' });
  await ask(next, 'last');
  expect(await opening()).toEqual(before);
  expect(await told(next)).toEqual(['last']);
  const [request] = await next.default.logs.list();
  expect(numberOf(request?.id)).toBeGreaterThan(1);
});

describe('a server that is killed before its log is written, after one that wrote its own', () => {
  async function startAndKill(use: (sim: Simulator) => Promise<unknown>) {
    const first = await start();
    await ask(first, 'long ago');
    await first.close();
    await use(await start());
    const left = join(folder, 'left');
    cpSync(data, left, { recursive: true });
    return start({ data: left });
  }

  test('the next one gives none of its numbers', async () => {
    const next = await startAndKill((killed) => ask(killed, 'first'));
    const [session] = await next.default.sessions.list();
    const opening = async () => (await next.default.explain(String(session?.id))).chain[0];
    const before = await opening();
    await ask(next, 'last');
    expect(await opening()).toEqual(before);
    const [request] = await next.default.logs.list();
    expect(numberOf(request?.id)).toBeGreaterThan(numberOf(before?.id));
  });

  test('nor if only the coverage names the first of them', async () => {
    let given = Number.NaN;
    const next = await startAndKill(async ({ url, default: { headers, logs } }) => {
      for (let n = 0; n < 2; n += 1) expect((await fetch(`${url}/v1/ping`, { headers })).status).toBe(200);
      const [request] = await logs.list();
      given = numberOf(request?.id);
    });
    await ask(next, 'last');
    const [request] = await next.default.logs.list();
    expect(numberOf(request?.id)).toBeGreaterThan(given);
  });

  test('requests to the next one come after the levers that were used on it', async () => {
    let [id, reference] = ['', ''];
    const next = await startAndKill(async ({ default: { sessions, v1 } }) => {
      id = String((await sessions.list())[0]?.id);
      for (let reads = 0; reads < 3; reads += 1) await v1.getSession(id);
      ({ reference } = await sessions.complete(id));
    });
    expect(await next.default.v1.getSession(id)).toMatchObject({ status: 'completed' });
    const { steps } = scenarioOf(await next.trace(), reference);
    expect(steps.map((step) => Object.keys(step)[0])).toEqual(['request', 'complete-checkout', 'request']);
  });
});

test('a snapshot of another state directory discards nothing that is asked after its restore', async () => {
  const other = await start({ data: join(folder, 'other') });
  await ask(other, 'kept there');
  await other.snapshots.save('start');
  for (const name of ['discarded there', 'and this']) await ask(other, name);
  await other.snapshots.restore('start');
  await other.snapshots.save('shared');
  await other.close();

  mkdirSync(data);
  cpSync(join(folder, 'other', 'snapshots'), join(data, 'snapshots'), { recursive: true });
  const sim = await start();
  await sim.snapshots.restore('shared');
  for (const name of ['here', 'and here']) await ask(sim, name);
  expect(await told(sim)).toEqual(['here', 'and here']);
});
