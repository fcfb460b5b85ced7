import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { expectData, openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
});
afterAll(() => sim.close());

const ADA = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };
const STEPS = {
  accept: ['accept', ADA],
  pay: ['pay', {}],
  decline: ['pay', { outcome: 'fail' }],
  complete: ['complete', {}],
  cancel: ['cancel', {}],
} as const;
type Step = keyof typeof STEPS;

/** How a session gets into each state. */
const WAYS = {
  pending: [],
  decision_made: ['accept'],
  declined: ['accept', 'decline'],
  completed: ['accept', 'pay'],
  cancelled: ['cancel'],
  cancelled_after_acceptance: ['accept', 'cancel'],
} as const;

/** Where each step leads from there (decisions §4); null: it is refused. */
const GRID: Record<keyof typeof WAYS, Record<Step, string | null>> = {
  pending: { accept: 'decision_made', pay: null, decline: null, complete: 'completed', cancel: 'cancelled' },
  decision_made: {
    accept: null,
    pay: 'completed',
    decline: 'decision_made',
    complete: 'completed',
    cancel: 'cancelled',
  },
  declined: { accept: null, pay: 'completed', decline: 'decision_made', complete: 'completed', cancel: 'cancelled' },
  completed: { accept: null, pay: null, decline: null, complete: null, cancel: null },
  cancelled: { accept: null, pay: null, decline: null, complete: null, cancel: null },
  cancelled_after_acceptance: { accept: null, pay: null, decline: null, complete: null, cancel: null },
};
const REASON = {
  pending: /has not been accepted/,
  decision_made: /already been accepted/,
  declined: /already been accepted/,
  completed: /already completed/,
  cancelled: /was cancelled/,
  cancelled_after_acceptance: /was cancelled/,
};

const take = (id: string, step: Step) => {
  const [verb, body] = STEPS[step];
  return shop.call('POST', `/_sim/sessions/${id}/${verb}`, body);
};
const statusOf = async (id: string) => expectData(await shop.call('GET', `/v1/checkout-sessions/${id}`)).status;

describe('§3.1, decisions §4: every hosted step from every state', () => {
  for (const [state, ways] of Object.entries(WAYS) as [keyof typeof WAYS, readonly Step[]][]) {
    it.each(Object.entries(GRID[state]) as [Step, string | null][])(`${state}: %s leads to %s`, async (step, to) => {
      const { id } = await shop.open();
      for (const way of ways) expectData(await take(id, way));
      const before = await statusOf(id);
      const answer = await take(id, step);
      if (to === null) {
        expect(answer.status).toBe(409);
        expect(answer.body).toEqual({ message: expect.stringMatching(REASON[state]) });
        expect(await statusOf(id)).toBe(before);
      } else {
        expectData(answer);
        expect(await statusOf(id)).toBe(to);
      }
    });
  }
});

describe('interface §3: what the steps answer', () => {
  it('accept, pay and complete the Contract, cancel the Checkout Session', async () => {
    const { id } = await shop.open();
    const accepted = await shop.step(id, 'accept', ADA);
    expect(accepted).toMatchObject({
      status: 'pending',
      customer_name: 'Ada Byron',
      customer_email: 'ada@example.com',
    });
    const paid = await shop.step(id, 'pay');
    expect(paid).toMatchObject({ reference: accepted.reference, status: 'active', paid_amount: 5000 });
    const session = await shop.open();
    expect(await shop.step(session.id, 'cancel')).toEqual({ ...session, status: 'cancelled' });
  });

  it('complete fills in the session’s email or customer@example.com, and Test Customer', async () => {
    expect(await shop.complete()).toMatchObject({
      customer_name: 'Test Customer',
      customer_email: 'customer@example.com',
    });
    expect(await shop.complete({ customer_email: 'eve@example.com' })).toMatchObject({
      customer_email: 'eve@example.com',
    });
    const { id } = await shop.open({ customer_email: 'eve@example.com' });
    expect(await shop.step(id, 'complete', ADA)).toMatchObject(ADA);
  });

  it('decisions §5: an email address is trimmed', async () => {
    const { id } = await shop.open();
    expect(await shop.step(id, 'accept', { ...ADA, customer_email: ' ada@example.com\t' })).toMatchObject(ADA);
  });

  it('complete keeps the name that accepted', async () => {
    const { id } = await shop.open();
    await shop.step(id, 'accept', ADA);
    expect(await shop.step(id, 'complete', { customer_name: 'Other' })).toMatchObject(ADA);
  });

  it('complete with a declined payment accepts the plan and leaves the contract pending', async () => {
    const { id } = await shop.open();
    const declined = await shop.step(id, 'complete', { outcome: 'fail' });
    expect(declined).toMatchObject({ status: 'pending', paid_amount: 0 });
    expect(await statusOf(id)).toBe('decision_made');
    expect(await shop.step(id, 'complete')).toMatchObject({ reference: declined.reference, status: 'active' });
  });

  it.each([
    ['accept', {}, ['customer_name']],
    ['accept', { customer_name: ' ', customer_email: 'ada' }, ['customer_name', 'customer_email']],
    ['accept', { ...ADA, name: 'x' }, ['name']],
    ['pay', { outcome: 'maybe' }, ['outcome']],
    ['pay', { outcome: null }, ['outcome']],
    ['complete', { outcome: 5 }, ['outcome']],
    ['complete', { customer_email: 'ada' }, ['customer_email']],
  ] as const)('%s with %j is 422 and moves nothing', async (verb, body, fields) => {
    const { id } = await shop.open();
    const answer = await shop.call('POST', `/_sim/sessions/${id}/${verb}`, body);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, fields]);
    expect(await statusOf(id)).toBe('pending');
  });

  it('an unknown session is 404', async () => {
    for (const step of Object.keys(STEPS) as Step[]) {
      const answer = await take(`cs_${'0'.repeat(32)}`, step);
      expect([answer.status, answer.body], step).toEqual([404, { message: 'Checkout session not found.' }]);
    }
  });

  it('20 completions at once make one contract and one payment', async () => {
    const own = await openShop(sim);
    const { id } = await own.open();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => own.call('POST', `/_sim/sessions/${id}/complete`, {})),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const { data } = (await own.call('GET', '/v1/contracts')).body;
    expect(data).toHaveLength(1);
    expect(expectData(await own.call('GET', `/_sim/contracts/${data[0].reference}/attempts`))).toHaveLength(1);
  });
});

describe('decisions §4, §6: what the steps tell', () => {
  const types = async (own: TestShop) =>
    expectData(await own.call('GET', '/_sim/events'))
      .map(({ type }: { type: string }) => type)
      .reverse();

  it('accept, decline, pay: decision_made; nothing; activated, completed', async () => {
    const own = await openShop(sim);
    const { id } = await own.open();
    expect(await types(own)).toEqual([]);
    await own.step(id, 'accept', ADA);
    await own.step(id, 'pay', { outcome: 'fail' });
    expect(await types(own)).toEqual(['session.decision_made']);
    await own.step(id, 'pay');
    expect(await types(own)).toEqual(['session.decision_made', 'contract.activated', 'session.completed']);
  });

  it('backing out after acceptance ends the pending contract silently', async () => {
    const own = await openShop(sim);
    const { id } = await own.open();
    const pending = await own.step(id, 'accept', ADA);
    await own.step(id, 'cancel');
    const contract = expectData(await own.call('GET', `/v1/contracts/${pending.reference}`));
    expect(contract).toEqual({ ...pending, status: 'cancelled', cancelled_at: '2026-01-01T00:00:00.000000Z' });
    expect(await types(own)).toEqual(['session.decision_made', 'session.cancelled']);
    expect(expectData(await own.call('GET', '/_sim/emails'))).toEqual([]);
    expect(expectData(await own.call('POST', `/v1/contracts/${pending.reference}/cancel`))).toEqual(contract);
    expect(await types(own)).toEqual(['session.decision_made', 'session.cancelled']);
  });
});

describe('§1, decisions §1: payment attempts', () => {
  const attempts = async (own: TestShop, reference: string) =>
    expectData(await own.call('GET', `/_sim/contracts/${reference}/attempts`)).sort(
      (a: { number: number }, b: { number: number }) => a.number - b.number,
    );

  it('each carries a reference that starts with sim_, the declined one too', async () => {
    const { id } = await shop.open();
    const { reference } = await shop.step(id, 'accept', ADA);
    expect(await attempts(shop, reference)).toEqual([]);
    await shop.step(id, 'pay', { outcome: 'fail' });
    await shop.step(id, 'pay');
    const attempt = {
      reference: expect.stringMatching(/^sim_[0-9A-HJKMNP-TV-Z]{26}$/),
      sequence: 1,
      amount: 5000,
      late_charge_amount: 0,
      at: '2026-01-01T00:00:00.000000Z',
    };
    const made = await attempts(shop, reference);
    expect(made).toEqual([
      { ...attempt, number: 1, outcome: 'fail' },
      { ...attempt, number: 2, outcome: 'pay' },
    ]);
    expect(new Set(made.map((each: { reference: string }) => each.reference)).size).toBe(2);
  });

  it('live ones start with pay_', async () => {
    const { reference } = await shop.live.complete();
    const [attempt] = expectData(await shop.live.call('GET', `/_sim/contracts/${reference}/attempts`));
    expect(attempt.reference).toMatch(/^pay_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('in sandbox every attempt succeeds unless a failure was arranged: nothing in /v1 provokes one', async () => {
    for (const total_amount of [5000, 20_002, 499_995, 500_000]) {
      const contract = await shop.complete({ order_reference: 'fail', total_amount, metadata: { outcome: 'fail' } });
      expect(contract.status).toBe('active');
    }
  });
});

describe('interface §3: outcomes and settlement', () => {
  it('outcomes are arranged on a contract still collected on; what was arranged before is replaced', async () => {
    const contract = await shop.contractIn('active');
    const path = `/_sim/contracts/${contract.reference}/outcomes`;
    for (const outcomes of [['fail', 'fail', 'pay'], ['pay'], []]) {
      expect(expectData(await shop.call('PUT', path, { outcomes }))).toEqual({ outcomes });
    }
    for (const body of [{}, { outcomes: 'fail' }, { outcomes: ['maybe'] }, { outcomes: [null] }, { outcomes: null }]) {
      expect((await shop.call('PUT', path, body)).status, JSON.stringify(body)).toBe(422);
    }
    await shop.call('POST', `/v1/contracts/${contract.reference}/cancel`);
    expect((await shop.call('PUT', path, { outcomes: ['fail'] })).status).toBe(409);
  });

  it('decisions §4: settling what is not overdue is 422', async () => {
    const { reference } = await shop.contractIn('active');
    for (const number of ['1', '4', '5', '0', '-1', 'x', '1.0', '99999999999']) {
      const answer = await shop.call('POST', `/_sim/contracts/${reference}/installments/${number}/settle`);
      expect([answer.status, answer.body], number).toEqual([
        422,
        { message: 'Only an overdue installment can be settled.' },
      ]);
    }
  });
});

describe('interface §3: the list of sessions', () => {
  it('newest first, ?after forward, ?limit', async () => {
    const own = await openShop(sim);
    const opened: unknown[] = [];
    for (let n = 0; n < 3; n += 1) opened.push(await own.open());
    const list = async (query = '') => expectData(await own.call('GET', `/_sim/sessions${query}`));
    const [first] = opened as { id: string }[];
    expect(await list()).toEqual(opened.toReversed());
    expect(await list('?limit=2')).toEqual(opened.toReversed().slice(0, 2));
    expect(await list(`?after=${first?.id}`)).toEqual(opened.slice(1));
    expect((await own.call('GET', '/_sim/sessions?after=cs_unknown')).status).toBe(422);
    expect((await own.live.call('GET', `/_sim/sessions?after=${first?.id}`)).status).toBe(422);
  });
});

describe('interface §13: a preview refuses a field that it does not know, and to be none', () => {
  it.each([{ order_ref: 'A-1' }, { scope: null }, { preview: false }])('%j', async (unknown) => {
    const { shop, call } = await openShop(sim);
    const urls = { return_url: 'https://shop.example/a', cancel_url: 'https://shop.example/a' };
    const body = { order_reference: 'A-9', total_amount: 12_345, ...urls, preview: true, ...unknown };
    const { status, body: answer } = await call('POST', '/_sim/sessions', body);
    expect([status, Object.keys(answer.errors)]).toEqual([422, Object.keys(unknown)]);
    expect(await shop.sessions.list()).toEqual([]);
  });
});

describe('POST /_sim/sessions/open: the store’s session, without a key of its scope', () => {
  it('opens a session that /v1 reads, with the response of session create', async () => {
    const { call, withScopes } = await openShop(sim);
    const headers = await withScopes(['contracts:read']);
    const body = {
      order_reference: 'A-9',
      total_amount: 12_345,
      return_url: 'https://shop.example/a',
      cancel_url: 'https://shop.example/a',
    };
    const session = expectData(
      await call('POST', '/_sim/sessions/open', { ...body, customer_state: 'ca' }, headers),
      201,
    );
    expect(session).toMatchObject({ ...body, status: 'pending', down_payment_amount: 2_469 });
    expect(expectData(await call('GET', `/v1/checkout-sessions/${session.id}`))).toEqual(session);
    expect((await call('POST', `/_sim/sessions/${session.id}/complete`)).body.data.customer_state).toBe('CA');
  });

  it.each([
    [{ total_amount: 4_999 }, 422, 'The total amount field must be at least 5000.'],
    [
      { preview: true },
      422,
      'The preview field is not known. Available: order_reference, total_amount, return_url, cancel_url, customer_email, customer_state, metadata.',
    ],
    [
      { return_url: 'http://shop.example/a' },
      422,
      'The return url field must start with one of the following: https://.',
    ],
    [{ customer_state: 'DC' }, 403, null],
  ])('%j: %i', async (changes, status, message) => {
    const { call, shop } = await openShop(sim);
    const body = {
      order_reference: 'A-9',
      total_amount: 12_345,
      return_url: 'https://shop.example/a',
      cancel_url: 'https://shop.example/a',
    };
    const answer = await call('POST', '/_sim/sessions/open', { ...body, ...changes });
    expect(answer.status).toBe(status);
    if (message) expect(answer.body.message).toBe(message);
    else expect(answer.body.reason).toBe('state_unavailable');
    expect(await shop.sessions.list()).toEqual([]);
  });
});
