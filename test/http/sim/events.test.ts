import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { eventStream } from '../../support/event-stream.ts';
import { caller, expectData, order } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off' });
});
afterAll(() => sim.close());

interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly livemode: boolean;
  readonly data: Record<string, unknown>;
}

async function begin() {
  const { headers } = await sim.merchant();
  const call = caller(sim, { ...headers });
  const list = async (query = ''): Promise<EventBody[]> =>
    expectData(await call('GET', `/_sim/events${query === '' ? '' : `?${query}`}`));
  return {
    call,
    list,
    headers: { ...headers } as Record<string, string>,
    open: async () => expectData(await call('POST', '/v1/sessions', order()), 201).id as string,
    plan: async () => {
      const { id } = expectData(await call('POST', '/v1/sessions', order()), 201);
      return expectData(await call('POST', `/_sim/sessions/${id}/complete`, {})).reference as string;
    },
    advance: async (by: string) => expectData(await call('POST', '/_sim/clock/advance', { by })),
  };
}

test('decisions §6: an event is the webhook body: id, type, created_at, livemode, data', async () => {
  const shop = await begin();
  const reference = await shop.plan();
  const [completed, activated, decided] = await shop.list();
  expect([decided?.type, activated?.type, completed?.type]).toEqual([
    'session.decision_made',
    'contract.activated',
    'session.completed',
  ]);
  expect(activated).toEqual({
    id: expect.stringMatching(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/),
    type: 'contract.activated',
    created_at: '2026-01-01T00:00:00.000000Z',
    livemode: false,
    data: expectData(await shop.call('GET', `/v1/contracts/${reference}`)),
  });
  const one = expectData(await shop.call('GET', `/_sim/events/${activated?.id}`));
  expect(one).toEqual({ ...activated, deliveries: [] });
});

test('interface §3: lists are newest first; after= pages forward, oldest first, and misses nothing', async () => {
  const shop = await begin();
  for (let plan = 0; plan < 5; plan += 1) await shop.plan();
  await shop.advance('90d');
  const all = (await shop.list('limit=1000')).reverse();
  expect(all.length).toBe(5 * 3 + 5 * 5);
  expect(await shop.list('limit=7')).toEqual(all.slice(-7).reverse());
  const paged = [all[0] as EventBody];
  for (;;) {
    const page = await shop.list(`limit=6&after=${paged.at(-1)?.id}`);
    if (page.length === 0) break;
    paged.push(...page);
  }
  expect(paged).toEqual(all);
  expect([...all.map(({ id }) => id)].sort()).toEqual(all.map(({ id }) => id));
});

test('interface §3: an advance lists at most its first 1000 events, and says how many there were', async () => {
  const shop = await begin();
  expectData(await shop.call('PATCH', '/_sim/settings', { installment_count: 24, installment_cadence: 'weekly' }));
  for (let plan = 0; plan < 45; plan += 1) await shop.plan();
  const [last] = await shop.list('limit=1');
  const { happened, happened_count } = await shop.advance('P1Y');
  expect(happened_count).toBe(45 * 25);
  const recorded = [...(await shop.list(`limit=1000&after=${last?.id}`))];
  recorded.push(...(await shop.list(`limit=1000&after=${recorded.at(-1)?.id}`)));
  expect(recorded).toHaveLength(happened_count);
  expect(happened.map(({ event_id }: { event_id: string }) => event_id)).toEqual(
    recorded.slice(0, 1_000).map(({ id }) => id),
  );
});

test('interface §3: an event has its deliveries to every endpoint', async () => {
  const shop = await begin();
  for (const url of ['http://127.0.0.1:9/a', 'http://127.0.0.1:9/b']) {
    expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url }), 201);
  }
  await shop.open();
  await shop.advance('1h');
  const [expired] = await shop.list('limit=1');
  const { deliveries } = expectData(await shop.call('GET', `/_sim/events/${expired?.id}`));
  expect(deliveries.map(({ url }: { url: string }) => url)).toEqual(['http://127.0.0.1:9/b', 'http://127.0.0.1:9/a']);
  await shop.open();
  await shop.advance('1h');
  expect(expectData(await shop.call('GET', '/_sim/deliveries')).length).toBe(4);
  const narrowed = expectData(await shop.call('GET', `/_sim/deliveries?event_id=${expired?.id}`));
  expect(narrowed.map(({ id }: { id: string }) => id)).toEqual(deliveries.map(({ id }: { id: string }) => id));
});

test.each(['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'after=evt_unknown', 'limit=1&limit=2'])(
  'interface §3: ?%s is refused',
  async (query) => {
    const shop = await begin();
    const answer = await shop.call('GET', `/_sim/events?${query}`);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [query.slice(0, 5)]]);
  },
);

test('decisions §1: events of another account are not there', async () => {
  const [shop, other] = [await begin(), await begin()];
  await shop.plan();
  const [event] = await shop.list();
  expect(await other.list()).toEqual([]);
  expect((await other.call('GET', `/_sim/events/${event?.id}`)).status).toBe(404);
  expect((await other.call('GET', `/_sim/events?after=${event?.id}`)).status).toBe(422);
  const headers = { ...other.headers, 'last-event-id': event?.id as string };
  const answer = await fetch(`${sim.url}/_sim/events/stream`, { headers });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({
    errors: { 'Last-Event-ID': ['The selected Last-Event-ID is invalid.'] },
  });
});

test('interface §3: the stream tells what happens from now on, each event as it is recorded', async () => {
  const shop = await begin();
  await shop.plan();
  await using stream = await eventStream(sim, shop.headers);
  await shop.plan();
  await shop.advance('15d');
  const told = await stream.take(5);
  const recorded = (await shop.list('limit=5')).reverse();
  expect(told.map(({ data }) => JSON.parse(data))).toEqual(recorded);
  expect(told.map(({ id, event }) => [id, event])).toEqual(recorded.map(({ id, type }) => [id, type]));
});

test('interface §3: Last-Event-ID resumes just after it, nothing missed and nothing twice', async () => {
  const shop = await begin();
  const seen: string[] = [];
  let last: string | undefined;
  for (let round = 0; round < 4; round += 1) {
    // What happens while nobody listens, while somebody does, and in between.
    const before = shop.plan();
    if (round === 0) await before;
    const headers = { ...shop.headers, ...(last ? { 'last-event-id': last } : {}) };
    await using stream = await eventStream(sim, headers);
    await before;
    const during = Promise.all([shop.plan(), shop.plan()]);
    const told = await stream.take(round === 0 ? 5 : 6 + round);
    await during;
    seen.push(...told.map(({ id }) => id));
    last = told.at(-1)?.id;
  }
  const all = (await shop.list('limit=1000')).reverse().map(({ id }) => id);
  const from = all.indexOf(seen[0] as string);
  expect(seen).toEqual(all.slice(from, from + seen.length));
  expect(from).toBe(3);
});

test('interface §3: an empty Last-Event-ID counts as none', async () => {
  const shop = await begin();
  await shop.plan();
  await using stream = await eventStream(sim, { ...shop.headers, 'last-event-id': '' });
  await shop.open();
  await shop.advance('1h');
  expect((await stream.take(1)).map(({ event }) => event)).toEqual(['session.expired']);
});

test('interface §3: a rehearsal tells the stream nothing', async () => {
  const shop = await begin();
  await shop.plan();
  await using stream = await eventStream(sim, shop.headers);
  expectData(await shop.call('POST', '/_sim/clock/advance', { by: '90d', dry_run: true }));
  expectData(await shop.call('GET', '/_sim/forecast'));
  await shop.open();
  await shop.advance('1h');
  expect((await stream.take(1)).map(({ event }) => event)).toEqual(['session.expired']);
});

test('a stream goes on after a reset and a restore, with what happens then', async () => {
  await using own = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const call = caller(own, { ...own.default.headers });
  const workspace = caller(own, { authorization: `Bearer ${own.controlToken}` });
  const plan = async () => {
    const { id } = expectData(await call('POST', '/v1/sessions', order()), 201);
    expectData(await call('POST', `/_sim/sessions/${id}/complete`, {}));
  };
  await plan();
  expectData(await workspace('POST', '/_sim/snapshots', { name: 'a' }), 201);
  await plan();
  await using stream = await eventStream(own, { ...own.default.headers });
  await plan();
  expect(await stream.take(3)).toHaveLength(3);

  for (const path of ['/_sim/snapshots/a/restore', '/_sim/reset']) {
    expectData(await workspace('POST', path));
    await plan();
    const told = await stream.take(3);
    const recorded = expectData(await call('GET', '/_sim/events?limit=3')).reverse();
    expect(
      told.map(({ data }) => JSON.parse(data)),
      path,
    ).toEqual(recorded);
  }
});

test('decisions §1: a stream ends with its account, and never tells of another that came after it', async () => {
  await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const workspace = caller(own, { authorization: `Bearer ${own.controlToken}` });
  const gone = await own.merchant();
  await using stream = await eventStream(own, { ...gone.headers });
  expectData(await workspace('POST', '/_sim/reset'));
  const next = await own.merchant();
  const call = caller(own, { ...next.headers });
  const { id } = expectData(await call('POST', '/v1/sessions', order()), 201);
  expectData(await call('POST', `/_sim/sessions/${id}/complete`, {}));
  expect(await stream.rest()).toEqual([]);
});

test('the stream is a GET: HEAD does not hang', async () => {
  const shop = await begin();
  const response = await fetch(`${sim.url}/_sim/events/stream`, {
    method: 'HEAD',
    headers: shop.headers,
    signal: AbortSignal.timeout(2_000),
  });
  expect([404, 405]).toContain(response.status);
});
