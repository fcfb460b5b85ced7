import { join } from 'node:path/posix';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator, verifyWebhook } from '../../../src/index.ts';
import { openReceiver } from '../../support/receiver.ts';
import { caller, expectData, openShop } from '../../support/shop.ts';

const NOW = '2026-03-31T09:30:00.000000Z';
let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: NOW }, rateLimit: 'off' });
});
afterAll(() => sim.close());

describe('interface §8: POST /_sim/contracts', () => {
  test('with an empty body: an active contract, paid for the first time a day ago', async () => {
    const { call } = await openShop(sim);
    const contract = expectData(await call('POST', '/_sim/contracts'), 201);
    expect(contract).toMatchObject({
      status: 'active',
      order_reference: 'ORDER-1',
      customer_name: 'Test Customer',
      customer_email: 'customer@example.com',
      customer_state: 'TX',
      total_amount: 20_000,
      created_at: '2026-03-30T09:30:00.000000Z',
      started_at: '2026-03-30T09:30:00.000000Z',
      metadata: {},
    });
    expect(contract.installments.map(({ status }: { status: string }) => status)).toEqual([
      'paid',
      ...Array(4).fill('upcoming'),
    ]);
    expect(expectData(await call('GET', `/v1/contracts/${contract.reference}`))).toEqual(contract);
  });

  test('contracts without an order reference are numbered in their account, whatever others do', async () => {
    const { shop } = await openShop(sim);
    const other = await openShop(sim);
    const made = [await shop.contracts.create()];
    await other.shop.contracts.create();
    await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    made.push(await shop.contracts.create());
    expect(made.map(({ order_reference }) => order_reference)).toEqual(['ORDER-1', 'ORDER-2']);
  });

  test('the order and the customer are as sent; the total without one fits the merchant’s range', async () => {
    const { call, set } = await openShop(sim);
    const order = { order_reference: 'B-7', total_amount: 6_000, customer_state: 'ca', metadata: { cart: ' 77 ' } };
    const customer = { customer_name: 'Ada Byron', customer_email: ' ada@example.com ' };
    expect(expectData(await call('POST', '/_sim/contracts', { ...order, ...customer }), 201)).toMatchObject({
      ...order,
      customer_name: 'Ada Byron',
      customer_email: 'ada@example.com',
      customer_state: 'CA',
      metadata: { cart: '77' },
    });
    await set({ min_order_amount: 30_000 });
    expect(expectData(await call('POST', '/_sim/contracts', {}), 201)).toMatchObject({ total_amount: 30_000 });
    await set({ min_order_amount: 5_000, max_order_amount: 6_000 });
    expect(expectData(await call('POST', '/_sim/contracts', {}), 201)).toMatchObject({ total_amount: 6_000 });
  });

  test('the clock, other contracts and an open session stay as they are', async () => {
    const { shop, call, open, complete } = await openShop(sim, { clock: { frozenAt: '2026-03-01T00:00:00Z' } });
    const neighbour = await complete();
    await shop.contracts.outcomes(neighbour.reference, ['pay', 'fail', 'fail']);
    await shop.clock.advance('16d');
    await open();
    const look = async () => ({
      clock: await shop.clock.show(),
      neighbour: await shop.contracts.get(neighbour.reference),
      sessions: (await shop.sessions.list()).slice(-2),
      attempts: await shop.contracts.attempts(neighbour.reference),
      events: (await shop.events.list()).slice(-4),
      emails: (await shop.emails.list()).slice(-2),
    });
    const before = await look();
    const state = { status: 'defaulted', installment: { number: 3 } };
    const { reference } = expectData(await call('POST', '/_sim/contracts', state), 201);
    expect(await look()).toEqual(before);
    const mine = (await shop.events.list()).filter(({ data }) => JSON.stringify(data).includes(reference));
    expect(mine.length).toBeGreaterThan(5);
    expect(await shop.contracts.list()).toMatchObject({ meta: { total: 2 } });
    // What was arranged for the neighbour is still arranged: its second installment is missed.
    const { happened } = await shop.clock.advance({ until: `${neighbour.reference}#2=past_due` });
    expect(happened.every(({ subject }) => !subject.startsWith(reference))).toBe(true);
  });

  test('availability, clearance and the key’s scopes are not asked', async () => {
    const { call, set, withScopes } = await openShop(sim);
    const headers = await withScopes(['checkout:read']);
    await set({ layaway_enabled: false, excluded_states: ['CA'], clearance: 'suspended' });
    expectData(await call('POST', '/_sim/contracts', { customer_state: 'CA' }, headers), 201);
  });

  test('a reader of what is newer than a contract misses none that was created in the past', async () => {
    const { shop } = await openShop(sim);
    const created = async (days_ago: number) => (await shop.contracts.create({ days_ago })).reference;
    const [first, older, newer] = [await created(5), await created(12), await created(1)];
    const found = (query: object) => shop.contracts.find(query).then((all) => all.map(({ reference }) => reference));
    expect(await found({ after: first })).toEqual([older, newer]);
    expect(await found({ after: older })).toEqual([newer]);
    expect(await found({ after: first, limit: 1 })).toEqual([older]);
    expect(await found({})).toEqual([newer, first, older]);
  });

  test('it belongs to one account, whose clock counts', async () => {
    const { shop, call, live } = await openShop(sim);
    await shop.live.clock.advance('30d');
    const contract = expectData(await live.call('POST', '/_sim/contracts', {}), 201);
    expect(contract.created_at).toBe('2026-04-29T09:30:00.000000Z');
    expect((await call('GET', `/v1/contracts/${contract.reference}`)).status).toBe(404);
    expect((await shop.live.contracts.attempts(contract.reference))[0]?.reference).toMatch(/^pay_/);
  });

  test('a running clock: the history ends a day before it', async () => {
    const { shop, call } = await openShop(sim);
    await shop.clock.resume();
    const state = { installment: { number: 1, status: 'past_due' } };
    const { reference, installments } = expectData(await call('POST', '/_sim/contracts', state), 201);
    expect(installments[1].status).toBe('past_due');
    expect((await shop.events.list())[0]).toMatchObject({
      type: 'installment.past_due',
      created_at: '2026-03-30T00:00:00.000000Z',
    });
    expect((await shop.contracts.get(reference)).installments[1]?.status).toBe('past_due');
  });

  test('no outcome script remains: what is due next is collected', async () => {
    const { shop } = await openShop(sim);
    const { reference } = await shop.contracts.create({ installment: { number: 2, status: 'due' } });
    const { happened } = await shop.clock.advance('P3M');
    expect(happened.map(({ type, subject }) => [type, subject])).toEqual([
      ['installment.paid', `${reference}#2`],
      ['installment.paid', `${reference}#3`],
      ['installment.paid', `${reference}#4`],
      ['contract.completed', reference],
    ]);
  });
});

describe('interface §8: webhooks', () => {
  test('each event is sent now, in order, with its own instant; the attempt stands at the clock', async () => {
    await using receiver = await openReceiver();
    const { shop } = await openShop(sim, { webhook_retry_seconds: [3_600, 5] });
    const { secret } = await shop.webhooks.add(receiver.url);
    await shop.contracts.create({ status: 'defaulted' });
    await shop.clock.advance('0s');
    const events = [...(await shop.events.list())].reverse();
    const received = receiver.received.map(({ body, headers }) => verifyWebhook(body, headers as never, secret));
    expect(received).toEqual(events);
    expect(events.length).toBeGreaterThan(7);
    expect(new Set(events.map((event) => event.created_at)).size).toBeGreaterThan(3);
    expect(events.every((event) => event.created_at < NOW)).toBe(true);
    const deliveries = await shop.webhooks.deliveries();
    expect(deliveries.map(({ status, attempts }) => [status, attempts[0]?.at])).toEqual(
      events.map(() => ['delivered', NOW]),
    );
  });

  test('an attempt that fails comes again by the ladder, from now on', async () => {
    await using receiver = await openReceiver([500]);
    const { shop } = await openShop(sim);
    await shop.webhooks.add(receiver.url, { events: ['contract.cancelled'] });
    await shop.contracts.create({ status: 'cancelled' });
    await shop.clock.advance('0s');
    expect(await shop.webhooks.deliveries()).toMatchObject([
      { status: 'pending', next_attempt_at: '2026-03-31T09:30:05.000000Z' },
    ]);
  });

  test('webhooks: false: the events are recorded and nothing is sent; what happens later is', async () => {
    await using receiver = await openReceiver();
    const { shop } = await openShop(sim);
    await shop.webhooks.add(receiver.url);
    const { reference } = await shop.contracts.create({ webhooks: false });
    await shop.clock.advance('0s');
    expect((await shop.events.list()).map(({ type }) => type)).toEqual([
      'session.completed',
      'contract.activated',
      'session.decision_made',
    ]);
    expect([await shop.webhooks.deliveries(), receiver.received]).toEqual([[], []]);
    await shop.contracts.cancel(reference);
    await shop.clock.advance('0s');
    expect(receiver.types()).toEqual(['contract.cancelled']);
  });
});

describe('interface §8: refusals leave nothing behind', () => {
  test.each<[object, Record<string, string>]>([
    [
      { status: 'gone' },
      { status: 'The selected status is invalid. Valid values: pending, active, completed, cancelled, defaulted.' },
    ],
    [
      { status: 'delinquent' },
      {
        status:
          'delinquent is the status of an installment: use installment, such as {"number": 1, "status": "delinquent"}.',
      },
    ],
    [{ days_ago: -1 }, { days_ago: 'The days ago field must be at least 0.' }],
    [{ days_ago: 1.5 }, { days_ago: 'The days ago field must be an integer.' }],
    [{ webhooks: 'no' }, { webhooks: 'The webhooks field must be true or false.' }],
    [{ installment: 2 }, { installment: 'The installment field must be an object.' }],
    [{ installment: {} }, { 'installment.number': 'The installment.number field is required.' }],
    [{ installment: { number: 0 } }, { 'installment.number': 'The installment.number field must be at least 1.' }],
    [
      { installment: { number: 1, status: 'upcoming' } },
      {
        'installment.status':
          'The selected installment.status is invalid. Valid values: paid, due, past_due, delinquent.',
      },
    ],
    [
      { installment: { number: 1, late: true } },
      { 'installment.late': 'The late field is not known. Available: number, status.' },
    ],
    [
      { return_url: 'https://x.example' },
      { return_url: expect.stringMatching(/^The return_url field is not known\. Available: status, installment, /) },
    ],
    [{ total_amount: 4_999 }, { total_amount: 'The total amount field must be at least 5000.' }],
    [{ customer_email: 'ada' }, { customer_email: 'The customer email field must be a valid email address.' }],
    [
      { installment: { number: 5, status: 'due' } },
      { 'installment.number': 'The installment.number field must not be greater than 4.' },
    ],
    [
      { installment: { number: 1, status: 'past_due' }, days_ago: 11 },
      {
        days_ago:
          'The contract would not be in this state at 2026-03-31T09:30:00.000000Z: the grace period ends for installment 1 at 2026-03-30T00:00:00.000000Z. Choose fewer days.',
      },
    ],
    [
      { status: 'completed', days_ago: 20_600 },
      { days_ago: 'The days ago field leads to a history that begins before 1970-01-01.' },
    ],
  ])('%j', async (body, errors) => {
    const { call, shop } = await openShop(sim);
    const answer = await call('POST', '/_sim/contracts', body);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      Object.fromEntries(Object.entries(errors).map(([field, message]) => [field, [message]])),
    ]);
    expect([await shop.sessions.list(), await shop.contracts.listAll(), await shop.events.list()]).toEqual([
      [],
      [],
      [],
    ]);
  });
});

describe('GET /_sim/contracts/{reference}/scenario', () => {
  test.each([
    ['changed', []],
    [
      'made, but somebody changed',
      [
        ['POST', 'cancel', {}],
        ['PATCH', '', { metadata: { table: '7' } }],
      ],
    ],
  ] as const)('of a contract that nobody %s: 409 says why it cannot be played', async (_how, changes) => {
    await using furnished = await createSimulator({ fixture: { contracts: [{}] } });
    const call = caller(furnished, furnished.default.headers);
    const [{ reference }] = expectData(await call('GET', '/v1/contracts'));
    for (const [method, path, body] of changes) {
      expect((await call(method, join('/v1/contracts', reference, path), body)).status).toBe(200);
    }
    const answer = await call('GET', `/_sim/contracts/${reference}/scenario`);
    expect([answer.status, answer.body]).toEqual([
      409,
      {
        message: 'No scenario can be made of this contract: the fixture made it, or its request is not in the log.',
      },
    ]);
  });

  test('of a contract that a reset removes before it is read: 404', async () => {
    await using own = await createSimulator();
    const { reference } = await own.default.contracts.create();
    const { headers } = own.default;
    // The reset waits for the snapshot, and the scenario for the reset.
    const [, , answer] = await Promise.all([
      own.snapshots.save('one'),
      own.reset(),
      own.inject({ method: 'GET', url: `/_sim/contracts/${reference}/scenario`, headers }),
    ]);
    expect([answer.statusCode, answer.json()]).toEqual([404, { message: 'Contract not found.' }]);
  });
});
