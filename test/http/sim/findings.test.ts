import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { FINDING_RULES, type FindingRule } from '../../../src/domain/findings.ts';
import { createSimulator, type SandboxShop, verifyWebhook } from '../../../src/index.ts';
import { openReceiver, type Reply } from '../../support/receiver.ts';
import { manualTime, order } from '../../support/shop.ts';

const time = manualTime();
const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, time });
afterAll(() => sim.close());

let shop: SandboxShop;
beforeEach(async () => {
  shop = await sim.merchant();
});

/** A request of the store; null when the connection ends without an answer. */
async function send(method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object, headers: object = {}) {
  const request = { method, url, headers: { ...shop.headers, ...headers }, ...(payload ? { payload } : {}) };
  const answer = await sim.inject(request).catch(() => null);
  return (
    answer && { status: answer.statusCode, body: answer.body === '' ? null : answer.json<{ data: { id: string } }>() }
  );
}
const key = (value: string) => ({ 'idempotency-key': value });
/** Opens a session as a good store does. */
const open = async (reference = 'A-1', idempotencyKey = reference) =>
  (await send('POST', '/v1/sessions', order({ order_reference: reference }), key(idempotencyKey)))?.body?.data
    ?.id as string;
const session = (id: string) => `/v1/checkout-sessions/${id}`;
const read = (id: string) => send('GET', session(id));
/** Reads a path once a second. */
async function poll(path: string, times: number) {
  for (let n = 0; n < times; n += 1) {
    time.pass(1_000);
    await send('GET', path);
  }
}

const findings = async () => (await shop.coverage()).findings;
const rules = async () => (await findings()).map(({ rule }) => rule);
/** The one finding there is, and the request that shows it. */
async function only(rule: FindingRule) {
  const found = await findings();
  expect(found.map((each) => each.rule)).toEqual([rule]);
  const [finding] = found;
  return {
    count: finding?.count,
    first: finding?.first,
    shown: finding?.first.kind === 'request' ? await shop.logs.get(String(finding.first.id)) : null,
  };
}

describe('interface §9: findings about requests, each told once with the request that shows it', () => {
  test('create-without-key', async () => {
    await open();
    expect(await rules()).toEqual([]);
    await send('POST', '/v1/sessions', order({ order_reference: 'A-2' }));
    await send('POST', '/v1/sessions', order({ order_reference: 'A-3' }), key(''));
    await send('POST', '/v1/sessions', order({ total_amount: 1 }));
    const { count, shown } = await only('create-without-key');
    expect([count, shown?.request_body]).toEqual([2, order({ order_reference: 'A-2' })]);
  });

  test.each(['lost_answer', 'cut_answer', 'lost_request', 'error', 'late_error'] as const)(
    'new-key-on-retry, after a %s',
    async (kind) => {
      await shop.faults.add({ kind, operation: 'createSession' });
      await open('A-1', 'one');
      await open('A-9', 'nine');
      expect(await rules()).toEqual([]);
      await open('A-1', 'two');
      await open('A-1', 'three');
      const { count, shown } = await only('new-key-on-retry');
      expect([count, shown?.request_headers['idempotency-key']]).toEqual([1, 'two']);
    },
  );

  test('a retry with the same key is as it should be, and a new key is when the old one has lapsed', async () => {
    await shop.faults.add({ kind: 'lost_answer', operation: 'createSession', times: 2 });
    await open('A-1', 'one');
    await open('A-1', 'one');
    await open('A-1', 'one');
    await shop.faults.add({ kind: 'lost_answer', operation: 'createSession' });
    await open('A-2', 'two');
    await shop.clock.advance('24h');
    await open('A-2', 'three');
    expect(await rules()).toEqual([]);
  });

  test('new-key-on-retry: neither another operation nor a create without an order reference counts', async () => {
    await shop.faults.add({ kind: 'late_error', operation: 'updateContract' });
    await shop.faults.add({ kind: 'error', status: 502, times: 2, operation: 'createSession' });
    const { reference } = await shop.contracts.create({});
    await send('PATCH', `/v1/contracts/${reference}`, { order_reference: 'A-1' }, key('one'));
    const { order_reference: _, ...nameless } = order();
    for (const name of ['one', 'two']) {
      expect(await send('POST', '/v1/sessions', nameless, key(name))).toMatchObject({ status: 502 });
    }
    await open('A-1', 'two');
    expect(await rules()).toEqual([]);
  });

  test('new-key-on-retry: after a 500, and a retry that was refused leaves the order open', async () => {
    await shop.faults.add({ kind: 'error', status: 500, operation: 'createSession' });
    await open('A-1', 'one');
    expect(
      await send('POST', '/v1/sessions', order({ order_reference: 'A-1', total_amount: 1 }), key('one')),
    ).toMatchObject({ status: 422 });
    await open('A-1', 'two');
    expect(await only('new-key-on-retry')).toMatchObject({ count: 1, shown: { status: 201 } });
  });

  test('retry-after-ignored: the same request again too early, whoever said to wait', async () => {
    await shop.faults.add({ kind: 'throttled', retry_after: 5, times: 3 });
    await send('GET', '/v1/ping');
    time.pass(4_900);
    await send('GET', '/v1/ping');
    time.pass(5_000);
    await send('GET', '/v1/ping');
    await send('GET', '/v1/config');
    expect(await only('retry-after-ignored')).toMatchObject({ count: 1, shown: { path: '/v1/ping', status: 429 } });
  });

  test.each(['error', 'late_error'] as const)('retry-after-ignored: each Retry-After counts once: %s', async (kind) => {
    await shop.faults.add({ kind, retry_after: 5 });
    for (let n = 0; n < 3; n += 1) await send('GET', '/v1/ping');
    expect(await only('retry-after-ignored')).toMatchObject({ count: 1 });
  });

  test('retry-after-ignored: a create is the same one by its key', async () => {
    await shop.faults.add({ kind: 'error', retry_after: 5, operation: 'createSession' });
    await open('A-1');
    await open('A-2');
    expect(await rules()).toEqual([]);
    await open('A-1');
    expect(await only('retry-after-ignored')).toMatchObject({
      count: 1,
      shown: { request_headers: { 'idempotency-key': 'A-1' } },
    });
  });

  test('retry-after-ignored: a response without Retry-After allows the request at once', async () => {
    await shop.faults.add({ kind: 'error', times: 2 });
    for (let n = 0; n < 3; n += 1) await send('GET', '/v1/ping');
    expect(await rules()).toEqual([]);
  });

  test('retry-storm: the same request more than 5 times within a second', async () => {
    for (let n = 0; n < 5; n += 1) await send('GET', '/v1/ping');
    for (let n = 0; n < 9; n += 1) await open(`A-${n}`);
    time.pass(1_000);
    for (let n = 0; n < 5; n += 1) await send('GET', '/v1/ping');
    expect(await rules()).toEqual([]);
    await send('GET', '/v1/ping');
    expect(await only('retry-storm')).toMatchObject({ count: 1, shown: { path: '/v1/ping' } });
    for (let n = 0; n < 5; n += 1) await send('GET', '/v1/ping');
    expect(await only('retry-storm')).toMatchObject({ count: 1 });
    await send('GET', '/v1/ping');
    expect(await only('retry-storm')).toMatchObject({ count: 2 });
  });

  test('retry-storm: creates are the same request if they have the same key or, without one, the same body', async () => {
    for (let n = 0; n < 6; n += 1) await send('POST', '/v1/sessions', order(), key(`key-${n}`));
    for (let n = 0; n < 6; n += 1) await send('POST', '/v1/sessions', order({ order_reference: `B-${n}` }));
    for (let n = 0; n < 6; n += 1) await send('POST', '/v1/sessions', order({ order_reference: `C-${n}` }), key(''));
    expect(await rules()).toEqual(['create-without-key']);
    for (let n = 0; n < 5; n += 1) await send('POST', '/v1/sessions', order({ order_reference: 'B-0' }));
    expect((await rules()).toSorted()).toEqual(['create-without-key', 'retry-storm']);
  });

  describe('retry-storm: a store that reads what each webhook is about', () => {
    /** A receiver that reads before it answers. */
    async function openReading() {
      const readOnce: Reply = (response) => {
        const { id, reference } = JSON.parse(String(receiver.received.at(-1)?.body)).data;
        const path = reference ? `/v1/contracts/${reference}` : session(id);
        void send('GET', path).finally(() => response.writeHead(204).end());
      };
      const receiver = await openReceiver(Array.from({ length: 60 }, () => readOnce));
      await shop.webhooks.add(receiver.url);
      return receiver;
    }

    test('while the clock passes the whole plan', async () => {
      await using receiver = await openReading();
      const { reference } = await shop.sessions.complete(await open());
      await shop.contracts.outcomes(reference, ['fail', 'fail']);
      await shop.clock.advance({ until: `${reference}#3=paid` });
      await shop.contracts.settle(reference, 1, { wait: true });
      await shop.clock.advance({ until: `${reference}=completed` });
      expect(receiver.received.length).toBeGreaterThan(8);
      expect(await rules()).toEqual([]);
    });

    test.each(['completed', 'defaulted'] as const)('while a contract is created that is %s', async (status) => {
      await using receiver = await openReading();
      const { reference } = await shop.contracts.create({ status }, { wait: true });
      expect(receiver.received.length).toBeGreaterThan(7);
      expect(await rules()).toEqual([]);
      time.pass(60_000);
      for (let n = 0; n < 6; n += 1) await send('GET', `/v1/contracts/${reference}`);
      expect(await only('retry-storm')).toMatchObject({ count: 1 });
    });

    test('while a fault repeats the webhooks', async () => {
      await using receiver = await openReading();
      await shop.faults.add({ kind: 'duplicate', copies: 9 });
      const { reference } = await shop.contracts.create({}, { wait: true });
      expect(receiver.received).toHaveLength(3 + 9);
      expect(await rules()).toEqual([]);
      time.pass(60_000);
      for (let n = 0; n < 6; n += 1) await send('GET', `/v1/contracts/${reference}`);
      expect(await only('retry-storm')).toMatchObject({ count: 1 });
    });

    test('so many copies are no polling either, but more reads are', async () => {
      await using receiver = await openReading();
      await shop.faults.add({ kind: 'duplicate', event: 'contract.activated', copies: 40 });
      const { reference } = await shop.contracts.create({}, { wait: true });
      expect(receiver.received).toHaveLength(3 + 40);
      expect(await rules()).toEqual([]);
      await poll(`/v1/contracts/${reference}`, 30);
      expect(await rules()).toEqual([]);
      await poll(`/v1/contracts/${reference}`, 15);
      expect(await only('polling')).toMatchObject({ count: 1 });
    });
  });

  test.each(['error', 'throttled', 'lost_answer'] as const)(
    'retry-storm: a read that is tried again and again: %s',
    async (kind) => {
      const id = await open();
      const retryAfter = kind === 'throttled' ? { retry_after: 0 } : {};
      await shop.faults.add({ kind, times: 6, ...retryAfter });
      for (let n = 0; n < 6; n += 1) await read(id);
      expect(await only('retry-storm')).toMatchObject({ count: 1, shown: { path: session(id) } });
    },
  );

  test.each([
    ['POST', '/v1/sessions', order({ order_reference: 'A-9', currency: 'USD' }), { status: 201 }, 'the field currency'],
    ['POST', '/v1/sessions', order({ total_amount: 1, currency: 'USD' }), { status: 422 }, 'the field currency'],
    ['PATCH', '/v1/contracts/{reference}', { metadata: { any: 'name' }, paid: 1 }, { status: 200 }, 'the field paid'],
    [
      'POST',
      '/v1/contracts/{reference}/cancel',
      Object.fromEntries([...'abcdefg'].map((name) => [name, 1])),
      { status: 200 },
      'these fields of the body: a, b, c, d, e and 2 more',
    ],
  ] as const)('unknown-field: %s %s %o', async (method, path, body, answer, named) => {
    const { reference } = await shop.contracts.create({});
    await open();
    await send('PATCH', `/v1/contracts/${reference}`, { metadata: { any: 'name' } });
    expect(await rules()).toEqual([]);
    const url = path.replace('{reference}', reference);
    expect(await send(method, url, body, key('k'))).toMatchObject(answer);
    const { count, first, shown } = await only('unknown-field');
    expect({ count, shown }).toMatchObject({ count: 1, shown: { path: url, request_body: body } });
    const { chain } = await shop.explain(first?.id as string);
    expect(chain.find(({ id }) => id === first?.id)?.because).toContain(`The service ignores ${named}`);
  });

  test('polling: one resource read more than 30 times without a change', async () => {
    const [one, two] = [await open('A-1'), await open('A-2')];
    await poll(session(one), 30);
    await shop.sessions.accept(one, CUSTOMER);
    await poll(session(one), 30);
    await poll(session(two), 30);
    await poll('/v1/config', 40);
    expect(await rules()).toEqual([]);
    await poll(session(one), 1);
    expect(await only('polling')).toMatchObject({ count: 1, shown: { path: session(one) } });
  });

  test('polling: a webhook about it that came once allows no more reads', async () => {
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url);
    const id = await open();
    await shop.sessions.complete(id);
    await shop.clock.advance('0s');
    expect(receiver.received).toHaveLength(3);
    await poll(session(id), 31);
    expect(await only('polling')).toMatchObject({ count: 1 });
  });

  test('polling: of several resources in turn', async () => {
    const ids = [await open('A-1'), await open('A-2')];
    for (let n = 0; n < 31; n += 1) {
      time.pass(1_000);
      for (const id of ids) await read(id);
    }
    expect(await only('polling')).toMatchObject({ count: 2 });
  });

  test('polling: whatever the query and the Idempotency-Key, which a read ignores', async () => {
    const id = await open();
    for (let n = 0; n < 31; n += 1) {
      time.pass(1_000);
      await send('GET', `${session(id)}?_=${n}`, undefined, key(`read-${n}`));
    }
    expect(await only('polling')).toMatchObject({ count: 1 });
  });

  test('polling: of a contract', async () => {
    const path = `/v1/contracts/${(await shop.contracts.create({})).reference}`;
    await poll(path, 31);
    expect(await only('polling')).toMatchObject({ count: 1, shown: { path } });
  });

  test.each(['lost_answer', 'cut_answer', 'late_error', 'error', 'throttled'] as const)(
    'polling: a read that a fault struck showed the store nothing: %s',
    async (kind) => {
      const id = await open();
      await shop.faults.add({ kind, times: 40 });
      await poll(session(id), 40);
      expect(await rules()).toEqual([]);
      await poll(session(id), 31);
      expect(await only('polling')).toMatchObject({ count: 1 });
    },
  );

  test('polling: the last 1000 requests that differ are remembered, and others start over', async () => {
    const path = `/v1/contracts/${(await shop.contracts.create({})).reference}`;
    let others = 0;
    const sendOthers = async (times: number) => {
      for (const end = others + times; others < end; others += 1) await send('GET', `/v1/ping?n=${others}`);
    };
    await poll(path, 30);
    await sendOthers(999);
    await poll(path, 1);
    expect(await only('polling')).toMatchObject({ count: 1 });
    await poll(path, 30);
    await sendOthers(1_000);
    await poll(path, 30);
    expect(await only('polling')).toMatchObject({ count: 1 });
    await poll(path, 1);
    expect(await only('polling')).toMatchObject({ count: 2 });
  });

  test('polling: of what is read again and again, however much else is sent between', async () => {
    const id = await open();
    for (let n = 0; n < 31; n += 1) {
      for (let other = 0; other < 40; other += 1) await send('GET', `/v1/ping?n=${n}-${other}`);
      time.pass(1_000);
      await read(id);
    }
    expect(await only('polling')).toMatchObject({ count: 1 });
  });

  test('polling: neither a list nor what does not exist', async () => {
    for (let n = 0; n < 40; n += 1) {
      time.pass(1_000);
      await send('GET', '/v1/contracts');
      await read('cs_nothing');
    }
    expect(await rules()).toEqual([]);
  });

  test('what was read before the coverage was cleared does not count', async () => {
    const id = await open();
    await poll(session(id), 30);
    await shop.coverage.clear();
    await read(id);
    expect(await rules()).toEqual([]);
  });

  test('nothing from before the coverage was cleared counts: no retry, no unconfirmed checkout, no number', async () => {
    await shop.sessions.complete(await open('A-1'));
    await shop.faults.add({ kind: 'lost_answer', operation: 'createSession' });
    await open('A-2', 'before');
    for (let n = 0; n < 3; n += 1) await send('POST', '/v1/sessions', order({ order_reference: `B-${n}` }));
    await shop.coverage.clear();
    await send('POST', '/v1/sessions', order({ order_reference: 'B-3' }));
    await open('A-2', 'after');
    await shop.clock.advance('2h');
    expect(await only('create-without-key')).toMatchObject({
      count: 1,
      shown: { request_body: { order_reference: 'B-3' } },
    });
  });

  test('what another account clears is still remembered here', async () => {
    const id = await open();
    await poll(session(id), 30);
    await (await sim.merchant()).coverage.clear();
    await shop.live.coverage.clear();
    await read(id);
    expect(await only('polling')).toMatchObject({ count: 1 });
  });

  test('what account 1 clears is still remembered in account 11', async () => {
    await using many = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, time });
    // The default merchant has the accounts 1 and 2, so the last of these has 11 and 12.
    for (let merchants = 2; merchants < 6; merchants += 1) await many.merchant();
    const eleventh = await many.merchant();
    const { id } = await eleventh.sessions.create(order());
    const read = () => many.inject({ url: session(id), headers: eleventh.headers });
    for (let reads = 0; reads < 30; reads += 1) {
      time.pass(1_000);
      await read();
    }
    await many.default.coverage.clear();
    await read();
    expect((await eleventh.coverage()).findings).toMatchObject([{ rule: 'polling' }]);
  });

  test('reads of a state that a restore has replaced do not count', async () => {
    const id = await open();
    await sim.snapshots.save('unread');
    await poll(session(id), 30);
    await sim.snapshots.restore('unread');
    await read(id);
    expect(await rules()).toEqual([]);
  });

  test.each(['error', 'throttled'] as const)(
    'a change that a fault struck is the same request as its retry: %s',
    async (kind) => {
      const url = `/v1/contracts/${(await shop.contracts.create({})).reference}`;
      await shop.faults.add({ kind, retry_after: 5, operation: 'updateContract' });
      const body = { metadata: { a: 'b' } };
      const change = () => send('PATCH', url, body);
      await change();
      await send('PATCH', url, { metadata: { other: 'change' } });
      expect(await rules()).toEqual([]);
      await change();
      expect(await only('retry-after-ignored')).toMatchObject({ count: 1, shown: { request_body: body } });
    },
  );

  test('retry-storm: creates that were refused before their bodies were read may be of different orders', async () => {
    const wrong = { 'x-api-key': 'sk_test_wrong' };
    const body = (n: number) => order({ order_reference: `A-${n}` });
    for (let n = 0; n < 7; n += 1) await send('POST', '/v1/sessions', body(n), wrong);
    await shop.assumptions.set({ clearance: 'in_review' });
    for (let n = 0; n < 7; n += 1) await send('POST', '/v1/sessions', body(n));
    expect(await rules()).toEqual([]);
    for (let n = 0; n < 7; n += 1) await send('POST', '/v1/sessions', body(n), { ...wrong, ...key('one') });
    expect(await rules()).toEqual(['retry-storm']);
  });
});

test('retry-storm: a response that a fault delays does not bring requests together', async () => {
  await shop.faults.add({ kind: 'slow', delay_ms: 2_500 });
  const slow = send('GET', '/v1/config');
  await expect.poll(async () => (await shop.faults.list())[0]?.met).toBe(1);
  time.pass(1_800);
  for (let n = 0; n < 5; n += 1) await send('GET', '/v1/config');
  time.pass(700);
  await slow;
  expect(await rules()).toEqual([]);
  time.pass(400);
  await send('GET', '/v1/config');
  expect(await rules()).toEqual([]);
});

const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };

describe('interface §9: redirect-trusted', () => {
  test('an hour after completion the session was neither read nor a webhook of it answered; taken back when it is', async () => {
    const id = await open();
    await read(id);
    await shop.sessions.complete(id);
    await shop.clock.advance('59m');
    expect(await rules()).toEqual([]);
    await shop.clock.advance('1m');
    const { count, first } = await only('redirect-trusted');
    const [completed] = (await shop.events.list()).filter(({ type }) => type === 'session.completed');
    expect([count, first]).toEqual([
      1,
      { at: '2026-01-01T00:00:00.000000Z', kind: 'event', id: completed?.id, client_id: null },
    ]);
    await read(await open('A-2'));
    expect(await rules()).toEqual(['redirect-trusted']);
    await read(id);
    expect(await rules()).toEqual([]);
  });

  test('nobody has to confirm what a command or a test opened', async () => {
    const { id } = await shop.v1.createSession(order({ order_reference: 'A-1' }));
    await shop.sessions.complete(id);
    await shop.clock.advance('1h');
    expect(await rules()).toEqual([]);
  });

  test('a webhook of it that was answered with 2xx is as good, also later', async () => {
    await using receiver = await openReceiver([200, 500, 500, 500]);
    await shop.webhooks.add(receiver.url, { events: ['session.completed'] });
    await shop.sessions.complete(await open());
    await shop.clock.advance('1h');
    expect(await rules()).toEqual([]);
    await shop.sessions.complete(await open('A-2'));
    await shop.clock.advance('30m');
    expect(await rules()).toEqual(['endpoint-errors']);
    await shop.clock.advance('1h');
    expect([receiver.received.length, await rules()]).toEqual([5, ['endpoint-errors']]);
  });

  test('a webhook of it that was refused confirms nothing', async () => {
    await using receiver = await openReceiver(Array(20).fill(500));
    await shop.webhooks.add(receiver.url, { events: ['session.completed'] });
    await shop.sessions.complete(await open());
    await shop.clock.advance('1h');
    expect(receiver.received.length).toBeGreaterThan(1);
    expect((await rules()).toSorted()).toEqual(['endpoint-errors', 'redirect-trusted']);
  });

  test('a webhook about what came before the completion confirms nothing, even if it is answered later', async () => {
    await using receiver = await openReceiver();
    await shop.assumptions.set({ webhook_retry_seconds: [60] });
    await shop.webhooks.add(receiver.url, { events: ['session.decision_made'] });
    const id = await open();
    await shop.sessions.accept(id, { customer_name: 'Ada', customer_email: 'ada@example.com' });
    await shop.clock.advance('30s');
    await shop.sessions.pay(id);
    await shop.clock.advance('2h');
    expect([receiver.types(), await rules()]).toEqual([['session.decision_made'], ['redirect-trusted']]);
  });

  test('that a fault lost a webhook about what came before the completion excuses nothing', async () => {
    await using receiver = await openReceiver();
    await shop.assumptions.set({ webhook_retry_seconds: [0] });
    await shop.webhooks.add(receiver.url, { events: ['session.decision_made'] });
    await shop.faults.add({ kind: 'lost' });
    const id = await open();
    await shop.sessions.accept(id, { customer_name: 'Ada', customer_email: 'ada@example.com' });
    await shop.clock.advance('30s');
    await shop.sessions.pay(id);
    await shop.clock.advance('2h');
    expect([receiver.types(), await rules()]).toEqual([[], ['redirect-trusted']]);
  });

  test('what levers made, previews and what a fault holds back are not the store’s to confirm', async () => {
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url, { events: ['session.completed'] });
    await shop.contracts.create({ status: 'completed', webhooks: false });
    await shop.faults.add({ kind: 'delayed', by: '2h' });
    const id = await open();
    await shop.sessions.complete(id);
    await shop.clock.advance('90m');
    expect(await rules()).toEqual([]);
    await shop.clock.advance('1h');
    expect([receiver.types(), await rules()]).toEqual([['session.completed'], []]);
  });

  test.each([
    { kind: 'error' },
    { kind: 'error', status: 500 },
    { kind: 'lost_answer' },
    { kind: 'throttled' },
  ] as const)('a read that a fault struck was a read: %o', async (fault) => {
    const id = await open();
    await shop.sessions.complete(id);
    await shop.faults.add(fault);
    await read(id);
    await shop.clock.advance('2h');
    expect(await rules()).toEqual([]);
  });

  test('a webhook that faults kept from the store until it was given up is not the store’s fault', async () => {
    await using receiver = await openReceiver([500]);
    await shop.webhooks.add(receiver.url, { events: ['session.completed'] });
    await shop.faults.add({ kind: 'lost', times: 8 });
    await shop.sessions.complete(await open());
    await shop.clock.advance('2d');
    expect(await shop.webhooks.deliveries()).toMatchObject([{ status: 'failed', attempts: Array(8).fill({}) }]);
    expect([receiver.received.length, await rules()]).toEqual([0, []]);
    await shop.assumptions.set({ webhook_retry_seconds: [0, 5] });
    await shop.faults.add({ kind: 'lost', skip: 1 });
    await shop.sessions.complete(await open('A-2'));
    await shop.clock.advance('2h');
    expect((await rules()).toSorted()).toEqual(['endpoint-errors', 'redirect-trusted']);
  });

  test('a read counts whatever its query says', async () => {
    const id = await open();
    await shop.sessions.complete(id);
    await read(`${id}?from=/cart/1`);
    await shop.clock.advance('2h');
    expect(await rules()).toEqual([]);
  });

  test('a read that was refused was none', async () => {
    const id = await open();
    await shop.sessions.complete(id);
    await send('GET', `/v1/checkout-sessions/${id}`, undefined, { 'x-api-key': `sk_test_${'0'.repeat(32)}` });
    await shop.clock.advance('2h');
    expect(await rules()).toEqual(['redirect-trusted']);
  });

  test('a webhook that arrived is as good, even if its response was lost and it is never sent again', async () => {
    await using receiver = await openReceiver();
    await sendOnceWithoutAnswer(receiver.url);
    expect([receiver.types(), await rules()]).toEqual([['session.completed'], []]);
  });
});

/** Completes a checkout whose webhook is sent once, and its answer is lost. An hour passes. */
async function sendOnceWithoutAnswer(url: string) {
  const { id } = await shop.webhooks.add(url, { events: ['session.completed'] });
  await shop.faults.add({ kind: 'lost_ack' });
  await shop.sessions.complete(await open());
  // Waits for the attempt.
  await shop.clock.advance('0s');
  await shop.webhooks.disable(id);
  await shop.clock.advance('1h');
}

test.each([
  [500, 'a fault lost the answer 500'],
  [(response) => response.destroy(), 'the receiver closed the connection'],
] satisfies [Reply, string][])(
  'interface §9: redirect-trusted, when the webhook did not succeed, whatever a fault did with its response: %o',
  async (reply, error) => {
    await using receiver = await openReceiver([reply]);
    await sendOnceWithoutAnswer(receiver.url);
    const [delivery] = await shop.webhooks.deliveries();
    expect(delivery?.attempts).toMatchObject([{ error, fault: { kind: 'lost_ack' } }]);
    expect(await rules()).toEqual(['redirect-trusted']);
  },
);

describe('interface §9: findings about the endpoint', () => {
  async function answered(...script: Reply[]) {
    const receiver = await openReceiver(script);
    await using _ = receiver;
    const { id } = await shop.webhooks.add(receiver.url);
    await shop.webhooks.test(id);
    await shop.webhooks.test(id);
    return only;
  }

  test.each([
    ['endpoint-errors', 400],
    ['endpoint-errors', 503],
    ['endpoint-redirects', 307],
  ] as const)('%s: %i to a genuine event', async (rule, status) => {
    await (await answered(status))(rule).then(({ count, first }) =>
      expect([count, first?.kind]).toEqual([1, 'delivery']),
    );
    const { id } = (await findings())[0]?.first ?? {};
    expect((await shop.webhooks.delivery(id as string)).attempts).toMatchObject([{ status_code: status }]);
  });

  test('slow-ack: a response after more than 5 seconds', async () => {
    await answered((response) => {
      time.pass(5_000);
      response.end();
    });
    expect(await rules()).toEqual([]);
    await answered((response) => {
      time.pass(5_001);
      response.end();
    });
    expect(await only('slow-ack')).toMatchObject({ count: 1 });
  });

  test('signature-unchecked: a forged event was answered with 2xx; it is sent once, and refusing it is right', async () => {
    await using receiver = await openReceiver([400, 200]);
    const { id, secret } = await shop.webhooks.add(receiver.url);
    expect(await shop.webhooks.test(id, { forged: true })).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(await shop.coverage()).toMatchObject({ met: 0, findings: [] });
    expect(await shop.webhooks.list()).toMatchObject([{ enabled: true }]);
    expect(await shop.webhooks.test(id, { forged: true })).toMatchObject({ status: 'delivered' });
    expect(await only('signature-unchecked')).toMatchObject({ count: 1, first: { kind: 'delivery' } });
    expect((await shop.coverage()).met).toBe(0);
    for (const { body, headers } of receiver.received) {
      expect(() => verifyWebhook(body, headers, secret)).toThrow(
        expect.objectContaining({ reason: 'wrong_signature' }),
      );
    }
  });

  test('faults raise none: what is lost, ignored, copied, held back or late', async () => {
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url);
    for (const kind of ['lost', 'lost_ack', 'duplicate', 'reordered', 'delayed'] as const) {
      await shop.faults.add({ kind });
      await shop.contracts.create({});
      await shop.clock.advance('2h');
    }
    expect(await rules()).toEqual([]);
  });
});

test('a rule that is broken again counts, and its first stays', async () => {
  await send('POST', '/v1/sessions', order());
  const before = await only('create-without-key');
  await shop.clock.advance('1d');
  for (let n = 0; n < 3; n += 1) await send('POST', '/v1/sessions', order({ order_reference: `B-${n}` }));
  expect(await only('create-without-key')).toMatchObject({ count: 4, first: before.first });
});

test('every rule is among these tests', () => {
  expect(FINDING_RULES).toHaveLength(11);
});
