import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../src/index.ts';
import { yieldToEventLoop } from '../../src/time/real.ts';
import { openReceiver } from '../support/receiver.ts';
import { caller, expectData, manualTime, order, unreliableTime } from '../support/shop.ts';

const START = '2026-01-01T00:00:00Z';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'layaway-test-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** A server on real time that moves only by hand. */
async function serve(time = manualTime(START), options: SimulatorOptions = {}) {
  const faults: unknown[] = [];
  const sim = await createSimulator({ seed: 1, time, onFault: (fault) => faults.push(fault), ...options });
  const call = caller(sim, { ...sim.default.headers });
  const workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
  return {
    sim,
    time,
    faults,
    call,
    workspace,
    clock: async () => expectData(await call('GET', '/_sim/clock')),
    events: async () =>
      expectData(await call('GET', '/_sim/events?limit=1000'))
        .reverse()
        .map(({ type, created_at }: Record<string, string>) => `${created_at} ${type}`),
    open: async () => expectData(await call('POST', '/v1/sessions', order()), 201).id as string,
    plan: async () => {
      const { id } = expectData(await call('POST', '/v1/sessions', order()), 201);
      return expectData(await call('POST', `/_sim/sessions/${id}/complete`, {})).reference as string;
    },
    stored: async (id: string) => expectData(await call('GET', `/v1/checkout-sessions/${id}`)).status,
    [Symbol.asyncDispose]: () => sim.close(),
  };
}

/** Real time that moves only by hand, and tells which alarms are set in it. */
function watchedTime() {
  const time = manualTime(START);
  const alarms = new Set<{ readonly at: number }>();
  let set = 0;
  return {
    ...time,
    after(ms: number, work: () => void) {
      const alarm = { at: time.now() + ms };
      alarms.add(alarm);
      set += 1;
      const off = time.after(ms, () => {
        alarms.delete(alarm);
        work();
      });
      return () => alarms.delete(alarm) && off();
    },
    /** When the alarms ring, since the start. */
    alarms: () => [...alarms].map(({ at }) => at - Date.parse(START)),
    /** How many were ever set. */
    set: () => set,
  };
}

/** Everything that was set going has been done: the server answers in turn. */
async function settle(sim: Simulator) {
  for (let turn = 0; turn < 3; turn += 1) {
    await fetch(`${sim.url}/_sim/health`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('decisions §1: a running clock shows real time, and does what falls due at its instant', async () => {
  await using server = await serve();
  const { sim, time } = server;
  const id = await server.open();
  expect(await server.clock()).toEqual({
    now: '2026-01-01T00:00:00.000000Z',
    mode: 'running',
    next_due: { at: '2026-01-01T01:00:00.000000Z', type: 'session.expired', subject: id },
  });
  await settle(sim);
  time.pass(HOUR - 1);
  await settle(sim);
  expect(await server.events()).toEqual([]);
  time.pass(1);
  await settle(sim);
  expect(await server.events()).toEqual(['2026-01-01T01:00:00.000000Z session.expired']);
  expect((await server.clock()).next_due).toBeNull();
  expect(server.faults).toEqual([]);
});

test('a server is woken when the next thing is due, and looks again every minute until then', async () => {
  const time = watchedTime();
  await using server = await serve(time, { requestLog: false });
  await settle(server.sim);
  expect(time.alarms()).toEqual([]);
  await server.open();
  await settle(server.sim);
  expect(time.alarms()).toEqual([MINUTE]);
  time.pass(HOUR - 20_000);
  await settle(server.sim);
  expect(time.alarms()).toEqual([HOUR]);
  time.pass(20_000);
  await settle(server.sim);
  expect(await server.events()).toEqual(['2026-01-01T01:00:00.000000Z session.expired']);
  expect(time.alarms()).toEqual([]);
  expect(server.faults).toEqual([]);
});

test('an alarm stays as it is until something is due earlier', async () => {
  const time = watchedTime();
  await using server = await serve(time, { requestLog: false });
  await server.open();
  await settle(server.sim);
  const set = time.set();
  time.pass(10_000);
  await server.open();
  await settle(server.sim);
  expect([time.set(), time.alarms()]).toEqual([set, [MINUTE]]);
  expectData(await server.call('PATCH', '/_sim/settings', { session_ttl_minutes: 1 }));
  await server.open();
  await settle(server.sim);
  expect(time.alarms()).toEqual([MINUTE + 10_000]);
  time.pass(MINUTE);
  await settle(server.sim);
  expect(await server.events()).toEqual(['2026-01-01T00:01:10.000000Z session.expired']);
});

test('nobody is woken for a clock that is frozen', async () => {
  const time = watchedTime();
  await using server = await serve(time, { requestLog: false });
  await server.open();
  expectData(await server.call('POST', '/_sim/clock/freeze'));
  await settle(server.sim);
  expect(time.alarms()).toEqual([]);
  expectData(await server.call('POST', '/_sim/clock/resume'));
  await settle(server.sim);
  expect(time.alarms()).toEqual([MINUTE]);
});

test('decisions §1: a webhook is tried again when a running clock reaches that instant', async () => {
  await using server = await serve();
  const { time, sim, call } = server;
  await using receiver = await openReceiver([500, 200]);
  expectData(await call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
  expectData(await call('POST', `/_sim/sessions/${await server.open()}/cancel`, {}));
  const attempts = async () => expectData(await call('GET', '/_sim/deliveries'))[0].attempts.length;
  await expect.poll(attempts).toBe(1);
  await settle(sim);
  time.pass(4_999);
  await settle(sim);
  expect(receiver.received).toHaveLength(1);
  time.pass(1);
  await expect.poll(attempts).toBe(2);
  expect(await server.events()).toEqual(['2026-01-01T00:00:00.000000Z session.cancelled']);
});

test('what fails while the server catches up is told, and is tried again a minute later', async () => {
  const time = unreliableTime();
  await using server = await serve(time, { requestLog: false });
  await server.open();
  await settle(server.sim);
  time.isUnknown = true;
  time.pass(HOUR);
  for (let turn = 0; turn < 3; turn += 1) await yieldToEventLoop();
  time.pass(MINUTE);
  for (let turn = 0; turn < 3; turn += 1) await yieldToEventLoop();
  time.isUnknown = false;
  expect(server.faults).toEqual([new Error('The time is not known.'), new Error('The time is not known.')]);
  expect(await server.events()).toEqual([]);
  time.pass(MINUTE);
  await settle(server.sim);
  expect(await server.events()).toEqual(['2026-01-01T01:00:00.000000Z session.expired']);
  expect(server.faults).toHaveLength(2);
});

test('an alarm that cannot be set is set a minute later', async () => {
  const manual = manualTime(START);
  let isBroken = true;
  const time = {
    ...manual,
    after(ms: number, work: () => void) {
      if (!isBroken) return manual.after(ms, work);
      isBroken = false;
      throw new Error('No alarm can be set.');
    },
  };
  await using server = await serve(time, { requestLog: false });
  await server.open();
  await expect.poll(() => server.faults).toEqual([new Error('No alarm can be set.')]);
  time.pass(HOUR);
  await settle(server.sim);
  expect(await server.events()).toEqual(['2026-01-01T01:00:00.000000Z session.expired']);
  expect(server.faults).toHaveLength(1);
});

test('a reset may remove an account while it catches up', async () => {
  await using server = await serve();
  const { sim, time } = server;
  const shop = await sim.merchant();
  await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  await settle(sim);
  time.pass(HOUR);
  await sim.reset();
  for (const ms of [MINUTE, MINUTE]) {
    time.pass(ms);
    await settle(sim);
  }
  expect(server.faults).toEqual([]);
});

test('a server that was closed during an advance is not woken after it', async () => {
  const { time, sim, call, faults, open } = await serve();
  const held: (() => void)[] = [];
  await using receiver = await openReceiver([(response) => void held.push(() => response.end())]);
  expectData(await call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
  expectData(await call('POST', `/_sim/sessions/${await open()}/cancel`, {}));
  await open();
  const advancing = call('POST', '/_sim/clock/advance', { by: '30m' });
  await expect.poll(async () => expectData(await call('GET', '/_sim/clock/advance'))).not.toBeNull();
  await expect.poll(() => held.length).toBe(1);
  const closed = sim.close();
  for (const answer of held) answer();
  await Promise.allSettled([advancing, closed]);
  time.pass(2 * HOUR);
  for (let turn = 0; turn < 3; turn += 1) await yieldToEventLoop();
  expect(faults).toEqual([]);
});

test('one thing after the other, each with its own timestamp', async () => {
  await using server = await serve();
  const { sim, time } = server;
  const plan = await server.plan();
  expectData(await server.call('PUT', `/_sim/contracts/${plan}/outcomes`, { outcomes: ['fail', 'fail'] }));
  for (let day = 0; day < 60; day += 1) {
    await settle(sim);
    time.pass(DAY);
  }
  await settle(sim);
  expect((await server.events()).slice(3)).toEqual([
    '2026-01-15T00:00:00.000000Z installment.payment_failed',
    '2026-01-17T00:00:00.000000Z installment.payment_failed',
    '2026-01-17T00:00:00.000000Z installment.past_due',
    '2026-01-27T00:00:00.000000Z installment.delinquent',
    '2026-01-29T00:00:00.000000Z installment.paid',
    '2026-02-12T00:00:00.000000Z installment.paid',
    '2026-02-16T00:00:00.000000Z contract.defaulted',
  ]);
  expect((await server.clock()).now).toBe('2026-03-02T00:00:00.000000Z');
});

test('a computer that slept wakes up late and catches up in order, with the right timestamps', async () => {
  await using server = await serve();
  const { sim, time } = server;
  const id = await server.open();
  await server.plan();
  await settle(sim);
  time.sleep(20 * DAY);
  expect(await server.stored(id)).toBe('expired');
  time.pass(MINUTE);
  await settle(sim);
  expect((await server.events()).slice(3)).toEqual([
    '2026-01-01T01:00:00.000000Z session.expired',
    '2026-01-15T00:00:00.000000Z installment.paid',
  ]);
  expect((await server.clock()).now).toBe('2026-01-21T00:01:00.000000Z');
});

test('an advance of a computer that slept sends nothing before what fell due earlier', async () => {
  await using server = await serve();
  const { time, call } = server;
  await using receiver = await openReceiver([500]);
  expectData(await call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
  await server.open();
  expectData(await call('POST', `/_sim/sessions/${await server.open()}/cancel?wait=true`));
  time.sleep(2 * HOUR);
  expectData(await call('POST', '/_sim/clock/advance', { by: '1h' }));
  const deliveries = expectData(await call('GET', '/_sim/deliveries')) as { attempts: { at: string }[] }[];
  expect(deliveries.map(({ attempts }) => attempts.map(({ at }) => at)).reverse()).toEqual([
    ['2026-01-01T00:00:00.000000Z', '2026-01-01T01:00:00.000000Z'],
    ['2026-01-01T01:00:00.000000Z'],
  ]);
});

test('interface §2: a frozen clock stands while real time passes, and runs on from there when resumed', async () => {
  await using server = await serve();
  const { sim, time } = server;
  const id = await server.open();
  time.pass(30 * MINUTE);
  const frozen = expectData(await server.call('POST', '/_sim/clock/freeze'));
  expect(frozen).toMatchObject({ now: '2026-01-01T00:30:00.000000Z', mode: 'frozen' });
  time.pass(5 * DAY);
  await settle(sim);
  expect(await server.clock()).toEqual(frozen);
  expect(await server.stored(id)).toBe('pending');
  expect(expectData(await server.call('POST', '/_sim/clock/freeze'))).toEqual(frozen);

  const resumed = expectData(await server.call('POST', '/_sim/clock/resume'));
  expect(resumed).toEqual({ ...frozen, mode: 'running' });
  expect(expectData(await server.call('POST', '/_sim/clock/resume'))).toEqual(resumed);
  await settle(sim);
  time.pass(30 * MINUTE);
  await settle(sim);
  expect(await server.events()).toEqual(['2026-01-01T01:00:00.000000Z session.expired']);
  expect((await server.clock()).now).toBe('2026-01-01T01:00:00.000000Z');
});

test('freezing does what fell due before, so that a frozen clock has nothing behind it', async () => {
  await using server = await serve();
  await server.open();
  await settle(server.sim);
  server.time.sleep(2 * HOUR + 7);
  const frozen = expectData(await server.call('POST', '/_sim/clock/freeze'));
  expect(frozen).toEqual({ now: '2026-01-01T02:00:00.007000Z', mode: 'frozen', next_due: null });
  expect(await server.events()).toEqual(['2026-01-01T01:00:00.000000Z session.expired']);
});

test('interface §3: an advance of a running clock keeps the real time that passed', async () => {
  await using server = await serve();
  const { sim, time } = server;
  await server.plan();
  time.pass(10 * MINUTE);
  const { now, happened } = expectData(await server.call('POST', '/_sim/clock/advance', { by: '14d' }));
  expect(now).toBe('2026-01-15T00:10:00.000000Z');
  expect(happened).toMatchObject([{ at: '2026-01-15T00:00:00.000000Z', type: 'installment.paid' }]);
  time.pass(5 * MINUTE);
  expect(await server.clock()).toMatchObject({ now: '2026-01-15T00:15:00.000000Z', mode: 'running' });
  await settle(sim);
  time.pass(14 * DAY - 15 * MINUTE);
  await settle(sim);
  expect((await server.events()).at(-1)).toBe('2026-01-29T00:00:00.000000Z installment.paid');
});

test('an advance until what fell due while the computer slept does it, and sets no clock back', async () => {
  await using server = await serve();
  const until = `${await server.plan()}#1=paid`;
  await settle(server.sim);
  server.time.sleep(20 * DAY);
  const { now, happened } = expectData(await server.call('POST', '/_sim/clock/advance', { until }));
  expect(now).toBe('2026-01-21T00:00:00.000000Z');
  expect(happened).toMatchObject([{ at: '2026-01-15T00:00:00.000000Z', type: 'installment.paid' }]);
  expect(await server.clock()).toMatchObject({ now, mode: 'running' });
});

test('decisions §1: a running clock stands while an advance waits for a webhook, so that time never goes back', async () => {
  await using server = await serve();
  const { call, time } = server;
  let answer = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using receiver = await openReceiver([
    (response) => {
      answer();
      void released.then(() => response.end());
    },
  ]);
  expectData(await call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
  await server.open();
  const cancel = async () => expectData(await call('POST', `/_sim/sessions/${await server.open()}/cancel`));
  await cancel();
  await arrived;

  const advancing = call('POST', '/_sim/clock/advance', { by: '2h' });
  await settle(server.sim);
  time.pass(61 * MINUTE);
  await cancel();
  release();
  expect(expectData(await advancing).now).toBe('2026-01-01T02:00:00.000000Z');
  expect(await server.events()).toEqual([
    '2026-01-01T00:00:00.000000Z session.cancelled',
    '2026-01-01T00:00:00.000000Z session.cancelled',
    '2026-01-01T01:00:00.000000Z session.expired',
  ]);
  expect((await server.clock()).now).toBe('2026-01-01T03:01:00.000000Z');
});

test('clocks survive a restart, and a server that was down catches up in order when it starts', async () => {
  const time = manualTime(START);
  {
    await using server = await serve(time, { data });
    await server.plan();
    await server.open();
    expectData(await server.call('POST', '/_sim/clock/advance', { by: '3d' }));
    const live = caller(server.sim, { ...server.sim.default.live.headers });
    expectData(await live('POST', '/_sim/clock/freeze'));
    expectData(
      await server.call(
        'PUT',
        `/_sim/contracts/${(await server.call('GET', '/v1/contracts')).body.data[0].reference}/outcomes`,
        { outcomes: ['fail'] },
      ),
    );
  }
  time.pass(25 * DAY);
  {
    await using server = await serve(time, { data, clock: { frozenAt: '2020-01-01T00:00:00Z' } });
    expect(server.sim.notes).toHaveLength(1);
    expect(await server.clock()).toMatchObject({ now: '2026-01-29T00:00:00.000000Z', mode: 'running' });
    expect((await server.events()).slice(3)).toEqual([
      '2026-01-01T01:00:00.000000Z session.expired',
      '2026-01-15T00:00:00.000000Z installment.payment_failed',
      '2026-01-17T00:00:00.000000Z installment.paid',
      '2026-01-29T00:00:00.000000Z installment.paid',
    ]);
    const live = caller(server.sim, { ...server.sim.default.live.headers });
    expect(expectData(await live('GET', '/_sim/clock'))).toEqual({
      now: '2026-01-01T00:00:00.000000Z',
      mode: 'frozen',
      next_due: null,
    });
    await settle(server.sim);
    time.pass(14 * DAY);
    await settle(server.sim);
    expect((await server.events()).at(-1)).toBe('2026-02-12T00:00:00.000000Z installment.paid');
  }
});

test('interface §2: a clock that runs from an instant runs from there again after a reset', async () => {
  await using server = await serve(manualTime('2026-06-01T12:00:00Z'), { clock: { runningFrom: START } });
  expect((await server.clock()).now).toBe('2026-01-01T00:00:00.000000Z');
  server.time.pass(3 * HOUR);
  expect((await server.clock()).now).toBe('2026-01-01T03:00:00.000000Z');
  expectData(await server.workspace('POST', '/_sim/reset'));
  expect((await server.clock()).now).toBe('2026-01-01T00:00:00.000000Z');
});

test('alarms of accounts that a reset took away disturb nobody', async () => {
  await using server = await serve();
  const { sim, time } = server;
  const shop = await sim.merchant();
  const call = caller(sim, { ...shop.headers });
  expectData(await call('POST', '/v1/sessions', order()), 201);
  await settle(sim);
  expectData(await server.workspace('POST', '/_sim/reset'));
  time.pass(2 * HOUR);
  await settle(sim);
  expect(server.faults).toEqual([]);
  await server.open();
  await settle(sim);
  time.pass(HOUR);
  await settle(sim);
  expect(await server.events()).toEqual(['2026-01-01T03:00:00.000000Z session.expired']);
});

test('requests that wait for their turn behind a reset answer for an account that is gone', async () => {
  await using server = await serve();
  const { sim } = server;
  const shop = await sim.merchant();
  const call = caller(sim, { ...shop.headers });
  const answers = await Promise.all([
    server.workspace('POST', '/_sim/reset'),
    call('POST', '/_sim/clock/advance', { by: '1d' }),
    call('POST', '/_sim/clock/freeze'),
    call('POST', '/_sim/clock/resume'),
    call('GET', '/_sim/forecast'),
  ]);
  for (const { status } of answers) expect([200, 401, 409]).toContain(status);
  expect(server.faults).toEqual([]);
});
