import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { type Journey, journey } from '../../support/journey.ts';
import { openReceiver, silence } from '../../support/receiver.ts';
import { expectData, order } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, rateLimit: 'off' });
});
afterAll(() => sim.close());

const at = '2026-01-01T09:00:00Z';
const begin = () => journey(sim, { at });
const advance = ({ call }: Journey, body: unknown) => call('POST', '/_sim/clock/advance', body as object);
const receiveAt = async ({ call }: Journey, url: string) =>
  expectData(await call('POST', '/_sim/webhook-endpoints', { url }), 201);
const clock = async ({ call }: Journey) => (await call('GET', '/_sim/clock')).body.data;
const progress = async ({ call }: Journey) => expectData(await call('GET', '/_sim/clock/advance'));

describe('POST /_sim/clock/advance (interface §3)', () => {
  test.each([
    [{ by: '14d' }, '2026-01-15T09:00:00.000000Z'],
    [{ by: '30s' }, '2026-01-01T09:00:30.000000Z'],
    [{ by: '45m' }, '2026-01-01T09:45:00.000000Z'],
    [{ by: '36h' }, '2026-01-02T21:00:00.000000Z'],
    [{ by: '2w' }, '2026-01-15T09:00:00.000000Z'],
    [{ by: '3mo' }, '2026-04-01T09:00:00.000000Z'],
    [{ by: 'P1M' }, '2026-02-01T09:00:00.000000Z'],
    [{ by: 'P1Y2M3DT4H5M6S' }, '2027-03-04T13:05:06.000000Z'],
    [{ by: 'P10Y' }, '2036-01-01T09:00:00.000000Z'],
    [{ by: '0s' }, '2026-01-01T09:00:00.000000Z'],
    [{ to: '2026-02-28' }, '2026-02-28T00:00:00.000000Z'],
    [{ to: '2026-02-28T23:30:00.250-02:00' }, '2026-03-01T01:30:00.250000Z'],
    [{ to: at }, '2026-01-01T09:00:00.000000Z'],
    [{ next: true }, '2026-01-01T09:00:00.000000Z'],
  ])('%o leads to %s', async (body, now) => {
    const ada = await begin();
    const answer = await advance(ada, body);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: {
          now,
          happened: [],
          happened_count: 0,
          happened_by_type: {},
          webhooks: { delivered: 0, failed: 0, given_up: 0 },
        },
      },
    ]);
    expect(await clock(ada)).toEqual({ now, mode: 'frozen', next_due: null });
  });

  test.each([
    [{}, 'by'],
    [{ dry_run: true }, 'by'],
    [{ by: '1d', to: '2026-02-01' }, 'by'],
    [{ by: '1d', next: true }, 'by'],
    [{ by: '1d', next: false }, 'by'],
    [{ next: true, until: 'LAY-0000000000=active' }, 'by'],
    [{ next: false }, 'next'],
    [{ next: 'yes' }, 'next'],
    [{ by: 14 }, 'by'],
    [{ by: '' }, 'by'],
    [{ by: '14' }, 'by'],
    [{ by: '-1d' }, 'by'],
    [{ by: '1.5d' }, 'by'],
    [{ by: 'soon' }, 'by'],
    [{ by: '1y' }, 'by'],
    [{ by: 'P' }, 'by'],
    [{ by: 'P1DT' }, 'by'],
    [{ by: '11mo2000w' }, 'by'],
    [{ by: '999999999w' }, 'by'],
    [{ by: 'P10YT1S' }, 'by'],
    [{ by: '121mo' }, 'by'],
    [{ to: '2026-01-01T08:59:59.999Z' }, 'to'],
    [{ to: '2025-12-31' }, 'to'],
    [{ to: '2036-01-01T09:00:01Z' }, 'to'],
    [{ to: '2026-02-30' }, 'to'],
    [{ to: '9999-13-01' }, 'to'],
    [{ to: 'tomorrow' }, 'to'],
    [{ to: '' }, 'to'],
    [{ to: 1_767_225_600 }, 'to'],
    [{ until: 'completed' }, 'until'],
    [{ until: 'LAY-ABC=happy' }, 'until'],
    [{ until: 'LAY-ABC#0=paid' }, 'until'],
    [{ until: 'LAY-ABC#1=expired' }, 'until'],
    [{ until: 'LAY-0000000000=active' }, 'until'],
    [{ until: 'cs_00000000000000000000000000000000=expired' }, 'until'],
    [{ days: 14 }, 'days'],
    [{ by: '1d', dry_run: 'yes' }, 'dry_run'],
  ])('%o is refused, and nothing moves', async (body, field) => {
    const ada = await begin();
    await ada.opens();
    const answer = await advance(ada, body);
    expect(answer.status, answer.text).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([field]);
    expect((await clock(ada)).now).toBe('2026-01-01T09:00:00.000000Z');
    await ada.expects({ session: 'pending' });
  });

  test('an instant before the clock is refused with the clock', async () => {
    const ada = await begin();
    const { message, errors } = (await advance(ada, { to: '2025-12-31' })).body;
    expect([message, errors]).toEqual([
      "The to field must not be before the account's clock, 2026-01-01T09:00:00.000000Z.",
      { to: ["The to field must not be before the account's clock, 2026-01-01T09:00:00.000000Z."] },
    ]);
  });

  test('a body that is not an object is refused', async () => {
    const ada = await begin();
    for (const body of ['[]', '"14d"', '{', 'null']) {
      const answer = await ada.call('POST', '/_sim/clock/advance', body);
      expect([answer.status, Object.keys(answer.body.errors)], body).toEqual([422, ['body']]);
    }
  });

  test('next goes to the next due thing, and does everything of that instant', async () => {
    const ada = await begin();
    await ada.opens();
    const { body } = await ada.call('POST', '/v1/sessions', order());
    const answer = await advance(ada, { next: true });
    expect(answer.body.data).toMatchObject({
      now: '2026-01-01T10:00:00.000000Z',
      happened: [{ subject: ada.id() }, { subject: body.data.id }],
      happened_count: 2,
    });
    expect((await advance(ada, { next: true })).body.data).toEqual({
      now: '2026-01-01T10:00:00.000000Z',
      happened: [],
      happened_count: 0,
      happened_by_type: {},
      webhooks: { delivered: 0, failed: 0, given_up: 0 },
    });
  });

  test('previews, which make no event, are not what is next', async () => {
    const ada = await begin();
    const { body } = await ada.call('POST', '/_sim/sessions', { ...order(), preview: true });
    expect((await clock(ada)).next_due).toBeNull();
    expect((await advance(ada, { next: true })).body.data).toMatchObject({
      now: '2026-01-01T09:00:00.000000Z',
      happened_count: 0,
    });
    const plan = expectData(await ada.call('POST', `/_sim/sessions/${body.data.id}/complete`));
    expect((await clock(ada)).next_due).toBeNull();
    await ada.opens();
    const { at, subject } = (await clock(ada)).next_due;
    expect(subject).toBe(ada.id());
    expect((await advance(ada, { next: true })).body.data).toMatchObject({ now: at, happened_count: 1 });
    // Their payments are made all the same.
    await advance(ada, { by: '90d' });
    expect((await ada.call('GET', `/_sim/contracts/${plan.reference}/attempts`)).body.data).toHaveLength(5);
  });

  test('webhooks counts what arrived, what failed and what was given up on the way', async () => {
    const ada = await begin();
    await using works = await openReceiver();
    await using broken = await openReceiver([500, 500, 500]);
    await ada.sets({ webhook_retry_seconds: [0, 60, 3600] });
    await receiveAt(ada, works.url);
    await receiveAt(ada, broken.url);
    await ada.opens();
    const { type, at: dueAt } = (await clock(ada)).next_due;
    expect(type).toBe('session.expired');
    const expiring = (await advance(ada, { to: dueAt })).body.data;
    expect(expiring).toMatchObject({ happened_count: 1, webhooks: { delivered: 1, failed: 1, given_up: 0 } });

    expect((await clock(ada)).next_due.type).toBe('webhook.attempt');
    expect((await advance(ada, { next: true, dry_run: true })).body.data.webhooks).toBeNull();
    const retried = (await advance(ada, { next: true })).body.data;
    expect(retried).toMatchObject({ happened_count: 0, webhooks: { delivered: 0, failed: 1, given_up: 0 } });
    expect((await advance(ada, { by: '30m', wait: false })).body.data.webhooks).toBeNull();
    expect((await advance(ada, { by: '1d' })).body.data.webhooks).toEqual({ delivered: 0, failed: 1, given_up: 1 });
    expect((await advance(ada, { by: '1d' })).body.data.webhooks).toEqual({ delivered: 0, failed: 0, given_up: 0 });
  });

  test('an advance waits for the response of a receiver, unless it is told not to', async () => {
    const ada = await begin();
    await using receiver = await openReceiver();
    await receiveAt(ada, receiver.url);
    const { reached, answer } = silence(receiver);
    await ada.opens();
    await ada.backsOut();
    await reached;
    const hurried = await advance(ada, { by: '30m', wait: false });
    expect(hurried.body.data).toMatchObject({ now: '2026-01-01T09:30:00.000000Z', webhooks: null });
    const waiting = advance(ada, { by: '30m' });
    await expect
      .poll(() => progress(ada))
      .toEqual({
        ...{ dry_run: false, from: '2026-01-01T09:30:00.000000Z', to: '2026-01-01T10:00:00.000000Z' },
        ...{ now: '2026-01-01T09:30:00.000000Z', happened_count: 0, happened_by_type: {}, left_count: 0 },
      });
    answer();
    expect((await waiting).body.data).toMatchObject({
      now: '2026-01-01T10:00:00.000000Z',
      webhooks: { delivered: 1, failed: 0, given_up: 0 },
    });
    expect(await progress(ada)).toBeNull();
  });

  test('a stop does not wait for a receiver, and what it was sent stays owed', async () => {
    const ada = await begin();
    await using receiver = await openReceiver();
    await ada.buys();
    await receiveAt(ada, receiver.url);
    const { reached, answer } = silence(receiver);
    const advancing = advance(ada, { by: '8w' });
    await reached;
    const stopped = expectData(await ada.call('POST', '/_sim/clock/stop'));
    expect(stopped).toMatchObject({ now: '2026-01-15T00:00:00.000000Z', happened_by_type: { 'installment.paid': 1 } });
    const { status, body } = await advancing;
    expect([status, body.message]).toEqual([
      409,
      'The advance stopped at 2026-01-15T00:00:00.000000Z: a request to stop cancelled it. Advance again if you still need to.',
    ]);
    expect(expectData(await ada.call('GET', '/_sim/deliveries'))).toMatchObject([{ status: 'pending', attempts: [] }]);
    answer();
    expect((await advance(ada, { by: '8w' })).body.data.webhooks).toMatchObject({ failed: 0, given_up: 0 });
  });

  test('a reset ends an advance that waits for a receiver, and one that waits its turn behind it', async () => {
    await using own = await createSimulator({ seed: 1, rateLimit: 'off' });
    const ada = await journey(own, { at });
    await using receiver = await openReceiver();
    await receiveAt(ada, receiver.url);
    const { reached } = silence(receiver);
    await ada.opens();
    await ada.backsOut();
    await reached;
    const advances = [advance(ada, { by: '1d' }), advance(ada, { by: '1d' })];
    await expect.poll(() => progress(ada)).not.toBeNull();
    await clock(ada);
    await own.reset();
    for (const { status, body } of await Promise.all(advances)) {
      expect([status, body.message]).toEqual([
        409,
        'The advance stopped at 2026-01-01T09:00:00.000000Z: a reset cancelled it. Advance again if you still need to.',
      ]);
    }
  });

  test('webhooks counts the deliveries that a disabled endpoint did not get', async () => {
    const ada = await begin();
    await using gone = await openReceiver([500, 500, 410]);
    await receiveAt(ada, gone.url);
    await ada.opens();
    await ada.opens();
    const expired = (await advance(ada, { by: '1h' })).body.data;
    expect(expired.webhooks).toEqual({ delivered: 0, failed: 2, given_up: 0 });
    expect((await advance(ada, { by: '5s' })).body.data.webhooks).toEqual({ delivered: 0, failed: 1, given_up: 2 });
  });

  test('until goes exactly to where the condition first holds', async () => {
    const ada = await begin();
    await ada.opens();
    const session = ada.id();
    await ada.buys();
    await ada.arranges('fail', 'fail');
    const plan = ada.reference();
    for (const [condition, now] of [
      [`${plan}=active`, '2026-01-01T09:00:00.000000Z'],
      [`${session}=expired`, '2026-01-01T10:00:00.000000Z'],
      [`${plan}#1=due`, '2026-01-15T00:00:00.000000Z'],
      [`${plan}#1=past_due`, '2026-01-17T00:00:00.000000Z'],
      [`${plan}#1=delinquent`, '2026-01-27T00:00:00.000000Z'],
      [`${plan}#2=paid`, '2026-01-29T00:00:00.000000Z'],
      [`${plan}=defaulted`, '2026-02-16T00:00:00.000000Z'],
    ] as const) {
      const answer = await advance(ada, { until: condition });
      expect(answer.body.data?.now, `${condition} ${answer.text}`).toBe(now);
    }
  });

  const NEVER = 'The until condition is never reached if nobody acts. The forecast lists what will happen.';
  const UNPAID = NEVER.replace('acts.', 'acts. Payments succeed unless `outcomes` makes them fail.');
  test.each([
    ['LAY#1=past_due', UNPAID],
    ['LAY#2=due', UNPAID],
    ['LAY=defaulted', UNPAID],
    ['LAY=pending', NEVER],
    ['LAY=cancelled', NEVER],
    ['LAY#5=paid', 'The until field names no installment of this account.'],
    ['cs=expired', NEVER],
  ])('until %s, which nobody brings about, is refused and nothing moves', async (condition, message) => {
    const ada = await begin();
    await ada.buys();
    const until = condition.replace('LAY', ada.reference()).replace('cs', ada.id());
    for (const body of [{ until }, { until, dry_run: true }]) {
      const answer = await advance(ada, body);
      expect([answer.status, answer.body.errors]).toEqual([422, { until: [message] }]);
    }
    expect((await clock(ada)).now).toBe('2026-01-01T09:00:00.000000Z');
    await ada.expects({ contract: 'active', paid: 5_000 });
  });

  test('until a default of a plan that has ended: no payment of it can fail', async () => {
    const ada = await begin();
    await ada.buys();
    const reference = ada.reference();
    await ada.call('POST', `/v1/contracts/${reference}/cancel`);
    const answer = await advance(ada, { until: `${reference}=defaulted` });
    expect([answer.status, answer.body.errors]).toEqual([422, { until: [NEVER] }]);
  });

  test('until a state that passes within one instant is refused: the clock cannot stand in it', async () => {
    const ada = await journey(sim, { at, settings: { grace_days: 0 } });
    await ada.buys();
    await ada.arranges('fail', 'fail');
    expect((await advance(ada, { until: `${ada.reference()}#1=past_due` })).status).toBe(422);
    const answer = await advance(ada, { until: `${ada.reference()}#1=delinquent` });
    expect(answer.body.data.now).toBe('2026-01-17T00:00:00.000000Z');
  });

  test('until a state in which the default leaves an installment, at the instant of the default', async () => {
    const ada = await journey(sim, { at, settings: { default_days: 0 } });
    await ada.buys();
    await ada.arranges('fail', 'fail');
    const answer = await advance(ada, { until: `${ada.reference()}#1=past_due` });
    expect(answer.body.data?.now, answer.text).toBe('2026-01-17T00:00:00.000000Z');
    expect(answer.body.data.happened.at(-1)).toMatchObject({ type: 'contract.defaulted' });
  });

  test('until names only what belongs to the account', async () => {
    const [ada, bob] = [await begin(), await begin()];
    await bob.buys();
    const answer = await advance(ada, { until: `${bob.reference()}=completed` });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['until']]);
  });

  test('until goes by the settings of when its turn comes, not of when it was sent', async () => {
    const ada = await begin();
    await using receiver = await openReceiver();
    await ada.buys();
    await ada.arranges('fail', 'fail');
    await receiveAt(ada, receiver.url);
    const { reached, answer } = silence(receiver);
    const before = advance(ada, { by: '14d' });
    await reached;
    const queued = advance(ada, { until: `${ada.reference()}=defaulted` });
    await clock(ada);
    expectData(await ada.call('PATCH', '/_sim/settings', { default_days: 60 }));
    answer();
    await before;
    expect((await queued).body.data.now).toBe('2026-03-18T00:00:00.000000Z');
    expect((await ada.contract()).status).toBe('defaulted');
  });

  test('the calendar ends where the longest plan still falls due in a year of four digits', async () => {
    const settings = { installment_cadence: 'monthly', installment_count: 24, collection_retry_hours: 8760 };
    const ada = await journey(sim, {
      at: '9979-12-31T00:00:00Z',
      settings: { ...settings, grace_days: 3650, default_days: 3650 },
    });
    await ada.buys();
    const { installments } = expectData(await ada.call('GET', `/v1/contracts/${ada.reference()}`));
    expect(installments.at(-1).due_date).toBe('9981-12-31');
    expect((await advance(ada, { by: '23h' })).body.data.now).toBe('9979-12-31T23:00:00.000000Z');
    for (const [field, value] of [
      ['by', '1h'],
      ['to', '9980-01-01'],
      ['next', true],
    ] as const) {
      const answer = await advance(ada, { [field]: value });
      expect([answer.status, Object.keys(answer.body.errors)], field).toEqual([422, [field]]);
      expect(answer.body.message, field).toContain('9979');
    }
    expect(expectData(await ada.call('GET', '/_sim/forecast')).happened).toEqual([]);
  });

  test('two advances at once follow each other, and both are right', async () => {
    const ada = await begin();
    await ada.buys();
    const both = await Promise.all([
      advance(ada, { by: '14d' }),
      advance(ada, { by: '14d' }),
      advance(ada, { to: '2026-01-20' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 200, 422]);
    const [first, second] = both.filter(({ status }) => status === 200).map(({ body }) => body.data);
    expect([first.now, second.now].sort()).toEqual(['2026-01-15T09:00:00.000000Z', '2026-01-29T09:00:00.000000Z']);
    const subjects = [first, second].map(({ happened }) => happened.map(({ subject }: { subject: string }) => subject));
    expect(subjects.flat().sort()).toEqual([`${ada.reference()}#1`, `${ada.reference()}#2`]);
    expect(subjects.map(({ length }) => length)).toEqual([1, 1]);
    expect((await clock(ada)).now).toBe('2026-01-29T09:00:00.000000Z');
  });

  test('advances of different accounts, freezing and resuming run side by side', async () => {
    const shops = await Promise.all([begin(), begin(), begin()]);
    for (const ada of shops) await ada.buys();
    const answers = await Promise.all(shops.map((ada) => advance(ada, { by: '1d' })));
    for (const { body } of answers) expect(body.data.now).toBe('2026-01-02T09:00:00.000000Z');
  });
});

describe('outcomes (decisions §1)', () => {
  test.each(['completed', 'cancelled', 'defaulted'])('on a %s contract are refused with the reason', async (status) => {
    const ada = await begin();
    await ada.buys();
    if (status === 'cancelled') await ada.isCancelled();
    else {
      if (status === 'defaulted') await ada.arranges('fail', 'fail');
      await ada.advances({ until: `${ada.reference()}=${status}` });
    }
    const answer = await ada.call('PUT', `/_sim/contracts/${ada.reference()}/outcomes`, { outcomes: ['fail'] });
    expect([answer.status, answer.body]).toEqual([409, { message: `Collection on a ${status} contract has ended.` }]);
  });

  test.each([
    {},
    { outcomes: 'fail' },
    { outcomes: ['maybe'] },
    { outcomes: [null] },
    { outcomes: ['fail'], times: 2 },
  ])('%o is refused', async (body) => {
    const ada = await begin();
    await ada.buys();
    expect((await ada.call('PUT', `/_sim/contracts/${ada.reference()}/outcomes`, body)).status).toBe(422);
    await ada.advances('2026-01-15');
    expect((await ada.attempts()).at(-1)).toBe('#1.1 pay 4000 2026-01-15');
  });

  test('of an unknown contract are not found', async () => {
    const ada = await begin();
    const answer = await ada.call('PUT', '/_sim/contracts/LAY-0000000000/outcomes', { outcomes: [] });
    expect(answer.status).toBe(404);
  });
});

describe('GET /_sim/forecast', () => {
  test.each(['yesterday', '2025-12-31', '2036-01-01T09:00:01Z', '2026-02-30'])('until %s is refused', async (until) => {
    const ada = await begin();
    const answer = await ada.call('GET', `/_sim/forecast?until=${until}`);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['until']]);
  });

  test('lists what will happen if nobody acts, as far as an advance can go', async () => {
    const ada = await begin();
    await ada.buys();
    await ada.arranges('pay', 'fail', 'fail');
    const { body } = await ada.call('GET', '/_sim/forecast');
    const plan = ada.reference();
    const entry = (day: string, type: string, subject: string) => ({
      at: `${day}T00:00:00.000000Z`,
      type,
      subject,
      event_id: null,
    });
    expect(body.data).toEqual({
      now: '2026-01-01T09:00:00.000000Z',
      happened: [
        entry('2026-01-15', 'installment.paid', `${plan}#1`),
        entry('2026-01-29', 'installment.payment_failed', `${plan}#2`),
        entry('2026-01-31', 'installment.payment_failed', `${plan}#2`),
        entry('2026-01-31', 'installment.past_due', `${plan}#2`),
        entry('2026-02-10', 'installment.delinquent', `${plan}#2`),
        entry('2026-02-12', 'installment.paid', `${plan}#3`),
        entry('2026-02-26', 'installment.paid', `${plan}#4`),
        entry('2026-03-02', 'contract.defaulted', plan),
      ],
    });
    const shorter = await ada.call('GET', '/_sim/forecast?until=2026-01-31');
    expect(shorter.body.data.happened).toEqual(body.data.happened.slice(0, 4));
  });
});

describe('GET /_sim/clock', () => {
  test('names what is due next, whatever it is', async () => {
    const ada = await begin();
    const dueAt = async () => (await clock(ada)).next_due;
    expect(await dueAt()).toBeNull();
    await ada.buys();
    await ada.arranges('fail', 'fail');
    const plan = ada.reference();
    await ada.opens();
    const seen = [];
    for (let due = await dueAt(); due && due.type !== 'contract.defaulted'; due = await dueAt()) {
      seen.push([due.at, due.type, due.subject]);
      await ada.advances({ next: true });
    }
    expect(seen).toEqual([
      ['2026-01-01T10:00:00.000000Z', 'session.expired', ada.id()],
      ['2026-01-15T00:00:00.000000Z', 'installment.payment_failed', `${plan}#1`],
      ['2026-01-17T00:00:00.000000Z', 'installment.payment_failed', `${plan}#1`],
      ['2026-01-27T00:00:00.000000Z', 'installment.delinquent', `${plan}#1`],
      ['2026-01-29T00:00:00.000000Z', 'installment.paid', `${plan}#2`],
      ['2026-02-12T00:00:00.000000Z', 'installment.paid', `${plan}#3`],
    ]);
    expect(await dueAt()).toEqual({ at: '2026-02-16T00:00:00.000000Z', type: 'contract.defaulted', subject: plan });
  });

  test('names a change of state before an attempt at the same instant', async () => {
    const ada = await begin();
    await using receiver = await openReceiver([500]);
    await ada.sets({ webhook_retry_seconds: [0, 60] });
    await receiveAt(ada, receiver.url);
    await ada.opens();
    await advance(ada, { by: '1m' });
    await ada.opens();
    await advance(ada, { to: '2026-01-01T10:00:00Z' });
    expect(receiver.received).toHaveLength(1);
    const dueAt = '2026-01-01T10:01:00.000000Z';
    expect((await clock(ada)).next_due).toEqual({ at: dueAt, type: 'session.expired', subject: ada.id() });
    const { now, webhooks } = (await advance(ada, { next: true })).body.data;
    expect([now, webhooks.delivered]).toEqual([dueAt, 2]);
  });
});
