import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, LayawayError, type Simulator, verifyWebhook } from '../../src/index.ts';
import type { Send } from '../../src/library/client.ts';
import { shopLevers } from '../../src/library/shop.ts';
import { openReceiver } from '../support/receiver.ts';
import { caller, manualTime } from '../support/shop.ts';

const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

const order = (changes: object = {}) => ({ order_reference: 'A-1', total_amount: 20_000, ...changes });

/** A shop and an active contract of it. */
async function active() {
  const shop = await sim.merchant();
  const session = await shop.sessions.create(order());
  const contract = await shop.sessions.complete(session.id, CUSTOMER);
  return { shop, session, contract, reference: contract.reference };
}

/** A shop whose second installment is past due. */
async function overdue() {
  const made = await active();
  await made.shop.contracts.outcomes(made.reference, ['pay', 'fail', 'fail']);
  await made.shop.clock.advance({ until: `${made.reference}#2=past_due` });
  return made;
}

test('every lever has the methods that interface §4 lists, and no others', async () => {
  const document = await readFile(new URL('../../docs/interface.md', import.meta.url), 'utf8');
  const [, table = ''] = /\| Lever \| Methods \|\n\|---\|---\|\n(.*?)\n\n/s.exec(document) ?? [];
  const listed = [...table.matchAll(/^\| `(\w+)` \| `([\w ]+)` \|$/gm)].map(([, lever = '', methods = '']) => [
    lever,
    methods.split(' ').sort(),
  ]);
  const deprecated = ['settings', 'requests', 'clock.rehearse'];
  const { env: _env, headers: _headers, v1: _v1, live: _live, ...shop } = await sim.merchant();
  const levers = Object.entries(shop).filter(
    ([name, lever]) => typeof lever === 'object' && !deprecated.includes(name),
  );
  const present = levers.map(([name, lever]) => [
    name,
    Object.keys(lever)
      .filter((method) => !deprecated.includes(`${name}.${method}`))
      .sort(),
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(present));
});

/** The refusal that a call meets. */
async function refusal(call: Promise<unknown>): Promise<LayawayError> {
  const error = await call.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LayawayError);
  return error as LayawayError;
}

describe('interface §4: a shop is one account', () => {
  test('speaks for itself: client id, key, headers, variables', async () => {
    const shop = await sim.merchant({ legal_name: 'Sweaters LLC', dba: 'Sweaters', state: 'NY', email: 'a@b.example' });
    expect(shop.headers).toEqual({ 'x-client-id': shop.clientId, 'x-api-key': shop.apiKey });
    expect(shop.env).toEqual({
      LAYAWAY_BASE_URL: sim.url,
      LAYAWAY_CLIENT_ID: shop.clientId,
      LAYAWAY_API_KEY: shop.apiKey,
      LAYAWAY_LIVE_CLIENT_ID: shop.live.clientId,
      LAYAWAY_LIVE_API_KEY: shop.live.apiKey,
      LAYAWAY_WEBHOOK_SECRET: shop.webhookSecret,
      LAYAWAY_CONTROL_TOKEN: sim.controlToken,
    });
    expect(shop.webhookSecret).toMatch(/^whsec_/);
    expect(shop.live.env).toEqual({
      ...shop.env,
      LAYAWAY_CLIENT_ID: shop.live.clientId,
      LAYAWAY_API_KEY: shop.live.apiKey,
    });
    expect(await shop.v1.ping()).toMatchObject({ client_id: shop.clientId, legal_name: 'Sweaters LLC' });
    expect(await shop.v1.config()).toMatchObject({ mode: 'sandbox' });
    expect(await shop.live.v1.config()).toMatchObject({ mode: 'live' });
    expect(await shop.live.assumptions.get()).toMatchObject({ dba: 'Sweaters', state: 'NY', email: 'a@b.example' });
  });

  test('takes any setting, and its own clock', async () => {
    const shop = await sim.merchant({ installment_count: 2, clock: { frozenAt: '2027-05-05T00:00:00Z' } });
    expect(await shop.assumptions.get()).toMatchObject({ installment_count: 2 });
    expect(await shop.clock.show()).toEqual({ now: '2027-05-05T00:00:00.000000Z', mode: 'frozen', next_due: null });
  });

  test('sees nothing of another one', async () => {
    const { reference, session } = await active();
    const other = await sim.merchant();
    expect((await refusal(other.contracts.get(reference))).status).toBe(404);
    expect((await refusal(other.sessions.get(session.id))).status).toBe(404);
    expect(await other.events.list()).toEqual([]);
    expect(await other.emails.list()).toEqual([]);
    expect((await other.contracts.list()).data).toEqual([]);
  });

  test('has a live account that is another one', async () => {
    const { shop, reference } = await active();
    expect((await refusal(shop.live.contracts.get(reference))).status).toBe(404);
    const session = await shop.live.sessions.create(order());
    await shop.live.sessions.complete(session.id);
    const [event] = await shop.live.events.list();
    expect(event?.livemode).toBe(true);
  });
});

describe('interface §4: sessions', () => {
  test('create, get, list; the two URLs have defaults', async () => {
    const shop = await sim.merchant();
    const session = await shop.sessions.create(order({ metadata: { cart: '7' } }));
    expect(session).toMatchObject({
      status: 'pending',
      return_url: 'https://example.com/return',
      cancel_url: 'https://example.com/cancel',
      metadata: { cart: '7' },
    });
    expect(await shop.sessions.get(session.id)).toEqual(session);
    const second = await shop.sessions.create(order({ order_reference: 'A-2' }));
    expect(await shop.sessions.list()).toEqual([second, session]);
    expect(await shop.sessions.list({ limit: 1 })).toEqual([second]);
    expect(await shop.sessions.list({ after: session.id })).toEqual([second]);
  });

  test('the URLs that are given are kept', async () => {
    const shop = await sim.merchant();
    const given = order({ return_url: 'https://a.example/r' });
    const kept = { return_url: 'https://a.example/r', cancel_url: 'https://example.com/cancel' };
    expect(await shop.sessions.create(given)).toMatchObject(kept);
    expect(await shop.sessions.preview(given)).toMatchObject(kept);
  });

  test('one idempotency key opens one session', async () => {
    const shop = await sim.merchant();
    const options = { idempotencyKey: 'k' };
    const first = await shop.sessions.create(order(), options);
    expect(await shop.sessions.create(order(), options)).toEqual(first);
    expect((await refusal(shop.sessions.create(order({ total_amount: 30_000 }), options))).status).toBe(409);
  });

  test('accept, pay, and a declined payment before it', async () => {
    const shop = await sim.merchant();
    const { id } = await shop.sessions.create(order());
    const pending = await shop.sessions.accept(id, CUSTOMER);
    expect(pending.status).toBe('pending');
    expect(await shop.sessions.pay(id, 'fail')).toMatchObject({ status: 'pending', paid_amount: 0 });
    expect(await shop.sessions.pay(id)).toMatchObject({ reference: pending.reference, status: 'active' });
    expect((await refusal(shop.sessions.pay(id))).status).toBe(409);
  });

  test('complete with and without a customer, and with a decline; cancel', async () => {
    const shop = await sim.merchant();
    const [one, two, three] = [
      await shop.sessions.create(order()),
      await shop.sessions.create(order()),
      await shop.sessions.create(order()),
    ];
    expect((await shop.sessions.complete(one.id)).status).toBe('active');
    expect((await shop.sessions.complete(two.id, { ...CUSTOMER, outcome: 'fail' })).status).toBe('pending');
    expect((await shop.sessions.cancel(three.id)).status).toBe('cancelled');
  });

  test('a preview’s contract is not under /v1', async () => {
    const shop = await sim.merchant();
    const { id } = await shop.sessions.preview(order());
    const { reference } = await shop.sessions.complete(id);
    expect((await refusal(shop.contracts.get(reference))).status).toBe(404);
  });
});

describe('interface §4: contracts', () => {
  test('get, list, update, attempts', async () => {
    const { shop, contract, reference } = await active();
    expect(await shop.contracts.get(reference)).toEqual(contract);
    const page = await shop.contracts.list({ status: 'active', page: 1 });
    expect(page.data.map((each) => each.reference)).toEqual([reference]);
    expect(page.meta).toMatchObject({ current_page: 1, total: 1 });
    expect((await shop.contracts.list({ status: 'defaulted' })).data).toEqual([]);
    const changed = await shop.contracts.update(reference, { order_reference: 'B-1', metadata: { a: 'b' } });
    expect(changed).toMatchObject({ order_reference: 'B-1', metadata: { a: 'b' } });
    expect(await shop.contracts.attempts(reference)).toMatchObject([{ sequence: 1, number: 1, outcome: 'pay' }]);
  });

  test('arranged outcomes come true, then everything succeeds', async () => {
    const { shop, reference } = await active();
    expect(await shop.contracts.outcomes(reference, ['fail', 'pay'])).toEqual({ outcomes: ['fail', 'pay'] });
    const { happened } = await shop.clock.advance('16d');
    expect(happened.map(({ type }) => type)).toEqual(['installment.payment_failed', 'installment.paid']);
  });

  test('settle: the earliest overdue one, or the one named', async () => {
    const first = await overdue();
    // It is the customer who settles, so a fault that waits for the store strikes nothing.
    const { id } = await first.shop.faults.add({ kind: 'error', times: 1 });
    const settled = await first.shop.contracts.settle(first.reference);
    expect(await first.shop.faults.list()).toMatchObject([{ id, met: 0 }]);
    expect(settled.installments.find((each) => each.installment_number === 2)?.status).toBe('paid');
    const second = await overdue();
    expect((await refusal(second.shop.contracts.settle(second.reference, 3))).status).toBe(422);
    expect(await second.shop.contracts.settle(second.reference, 2)).toMatchObject({ status: 'active' });
    const nothing = await refusal(second.shop.contracts.settle(second.reference));
    expect(nothing.status).toBe(422);
    const third = await overdue();
    expect(await third.shop.contracts.settle(third.reference, null)).toMatchObject({ status: 'active' });
  });

  test('listAll: those of every page, with the status that is asked for; find: overdue ones only when asked', async () => {
    const shop = await sim.merchant();
    const settled = await shop.contracts.create({ status: 'completed' });
    const late = await shop.contracts.create({ installment: { number: 1, status: 'past_due' } });
    for (let count = 0; count < 25; count += 1) await shop.contracts.create();
    const { meta } = await shop.contracts.list({ status: 'active' });
    expect(meta).toMatchObject({ last_page: 2, total: 26 });
    const listed = await shop.contracts.listAll({ status: 'active' });
    expect(listed).toHaveLength(26);
    expect(listed.at(-1)?.reference).toBe(late.reference);
    expect((await shop.contracts.listAll()).at(-1)?.reference).toBe(settled.reference);
    const references = async (query: { overdue?: boolean; order_reference?: string }) =>
      (await shop.contracts.find(query)).map(({ reference }) => reference);
    expect(await references({ overdue: true })).toEqual([late.reference]);
    expect(await references({ overdue: true, order_reference: String(settled.order_reference) })).toEqual([]);
    expect(await references({ overdue: false, order_reference: String(settled.order_reference) })).toEqual([
      settled.reference,
    ]);
  });

  test('listAll: each contract once, even if others are made between two pages', async () => {
    const shop = await sim.merchant();
    for (let count = 0; count < 16; count += 1) await shop.contracts.create();
    const call = caller(sim, { ...shop.headers });
    const send: Send = async ({ method, path, body }) => {
      const answer = await call(method, path, body);
      await shop.contracts.create();
      return { ...answer, headers: {} };
    };
    const levers = shopLevers({ send, headers: {} }, { now: Date.now, pause: async () => {} });
    const references = (await levers.contracts.listAll()).map(({ reference }) => reference);
    expect(references).toHaveLength(16);
    expect(new Set(references).size).toBe(16);
  });

  test('attempts are paged', async () => {
    const { shop, reference } = await active();
    await shop.clock.advance('14d');
    expect(await shop.contracts.attempts(reference, { limit: 1 })).toMatchObject([{ sequence: 2 }]);
  });

  test('cancel', async () => {
    const { shop, reference } = await active();
    expect((await shop.contracts.cancel(reference)).status).toBe('cancelled');
  });
});

describe('interface §4: the clock', () => {
  test('advances by, to, to what is next and until; rehearses; forecasts', async () => {
    const { shop, reference } = await active();
    const rehearsed = await shop.clock.rehearse({ next: true });
    expect(rehearsed).toMatchObject({ now: '2026-01-15T00:00:00.000000Z', happened_count: 1 });
    expect((await shop.clock.show()).now).toBe('2026-01-01T00:00:00.000000Z');
    expect((await shop.clock.advance('36h')).now).toBe('2026-01-02T12:00:00.000000Z');
    expect((await shop.clock.advance({ by: '12h' })).now).toBe('2026-01-03T00:00:00.000000Z');
    expect((await shop.clock.advance({ to: '2026-01-10T00:00:00Z' })).happened).toEqual([]);
    const { happened } = await shop.clock.advance({ next: true });
    expect(happened).toMatchObject([{ type: 'installment.paid', subject: `${reference}#1` }]);
    const forecast = await shop.clock.forecast();
    expect(forecast.happened.map(({ type }) => type)).toEqual([
      'installment.paid',
      'installment.paid',
      'installment.paid',
      'contract.completed',
    ]);
    expect((await shop.clock.forecast('2026-01-30T00:00:00Z')).happened).toHaveLength(1);
    await shop.clock.advance({ until: `${reference}=completed` });
    expect((await shop.contracts.get(reference)).status).toBe('completed');
  });

  test('freezes and runs on', async () => {
    const shop = await sim.merchant();
    expect((await shop.clock.resume()).mode).toBe('running');
    expect((await shop.clock.freeze()).mode).toBe('frozen');
  });

  test('two destinations are a mistake of types, and refused', async () => {
    const { shop } = await active();
    // @ts-expect-error exactly one of by, to, next and until
    expect((await refusal(shop.clock.advance({ by: '1d', next: true }))).status).toBe(422);
  });

  test('an invalid destination is refused with the field', async () => {
    const shop = await sim.merchant();
    const { status, body } = await refusal(shop.clock.advance('14 days'));
    expect({ status, body }).toMatchObject({ status: 422, body: { errors: { by: [expect.any(String)] } } });
  });
});

describe('interface §4: events and emails', () => {
  test('list, get with deliveries, resend', async () => {
    const { shop, reference } = await active();
    const types = (await shop.events.list()).map(({ type }) => type);
    expect(types).toEqual(['session.completed', 'contract.activated', 'session.decision_made']);
    const [, activated] = await shop.events.list();
    if (!activated) throw new Error('no event');
    expect(await shop.events.get(activated.id)).toMatchObject({ data: { reference }, deliveries: [] });
    await using receiver = await openReceiver();
    expect(await shop.events.resend(activated.id, { url: receiver.url })).toMatchObject([{ status: 'delivered' }]);
    expect(receiver.types()).toEqual(['contract.activated']);
  });

  test('wait finds what already exists', async () => {
    const { shop, session, reference } = await active();
    expect(await shop.events.wait('contract.activated', { contract: reference })).toMatchObject({
      data: { reference },
    });
    expect(await shop.events.wait('session.completed', { session: session.id })).toMatchObject({
      data: { id: session.id },
    });
    const email = await shop.emails.wait({ to: 'ada@example.com' });
    expect(email).toMatchObject({ to: 'ada@example.com', reference });
    expect(await shop.emails.get(email.id)).toEqual(email);
  });

  test('wait is there when it comes', async () => {
    const { shop, reference } = await active();
    const cancelled = shop.events.wait('contract.cancelled', { contract: reference });
    const subject = /cancelled/gi;
    const email = shop.emails.wait({ to: 'ada@example.com', reference, subject });
    await shop.contracts.cancel(reference);
    expect((await cancelled).type).toBe('contract.cancelled');
    expect((await email).subject).toMatch(/cancelled/i);
    // An expression with the flag g keeps where it matched last.
    expect(await shop.emails.wait({ to: 'ada@example.com', reference, subject, timeoutMs: 0 })).toEqual(await email);
  });

  test('wait takes the latest so far, or the first since; of the contract that it names', async () => {
    const shop = await sim.merchant();
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push(await shop.contracts.create());
    const [first, second, third] = made.map(({ reference }) => reference);
    const activated = (await shop.events.list({ type: 'contract.activated' })).toReversed();
    const waited = async (options: { after?: string; contract?: string }) =>
      (await shop.events.wait('contract.activated', options)).data.reference;
    expect(await waited({})).toBe(third);
    expect(await waited({ contract: first as string })).toBe(first);
    expect(await waited({ after: activated[0]?.id as string })).toBe(second);
    const mails = (await shop.emails.list()).toReversed();
    const mailed = async (options: object) => (await shop.emails.wait(options)).reference;
    expect(await mailed({ subject: /^/ })).toBe(third);
    expect(await mailed({ reference: first })).toBe(first);
    expect(await mailed({ after: mails[0]?.id })).toBe(second);
    for (const wait of [
      shop.events.wait('contract.activated', { after: 'evt_1' }),
      shop.emails.wait({ after: 'eml_1' }),
    ]) {
      expect((await refusal(wait)).status).toBe(422);
    }
  });

  test('wait after an event sees only newer ones', async () => {
    const { shop } = await active();
    const [latest] = await shop.events.list({ limit: 1 });
    const old = shop.events.wait('contract.activated', { after: latest?.id as string, timeoutMs: 50 });
    await expect(old).rejects.toThrow('No event contract.activated within 50 ms.');
  });

  test('a wait for a thousand and one events from the first on finds the last', async () => {
    const shop = await sim.merchant();
    const endpoint = await shop.webhooks.add('http://127.0.0.1:9/', { events: ['contract.cancelled'] });
    await shop.webhooks.disable(endpoint.id);
    const { id } = await shop.sessions.create(order());
    await shop.sessions.cancel(id);
    const [first] = await shop.events.list();
    let session = '';
    for (let count = 0; count < 1001; count += 1) {
      ({ id: session } = await shop.sessions.create(order()));
      await shop.sessions.cancel(session);
    }
    const found = await shop.events.wait('session.cancelled', { after: first?.id as string, session, timeoutMs: 0 });
    expect(found.data.id).toBe(session);
    const oldest = await shop.events.wait('session.cancelled', { session: id, timeoutMs: 0 });
    expect(oldest.id).toBe(first?.id);
  });

  test('a wait finds the event of its contract, however many others of that type came later', async () => {
    const shop = await sim.merchant({ installment_count: 24, installment_cadence: 'weekly' });
    const { reference: contract } = await shop.contracts.create({ status: 'completed' });
    for (let count = 0; count < 42; count += 1) await shop.contracts.create({ status: 'completed' });
    const { data } = await shop.events.wait('installment.paid', { contract, timeoutMs: 0 });
    expect(data).toMatchObject({ reference: contract, installment: { installment_number: 24 } });
  });

  test('a wait in vain ends in time, in words', async () => {
    const shop = await sim.merchant();
    const begin = performance.now();
    await expect(shop.events.wait('contract.completed', { timeoutMs: 100 })).rejects.toThrow(
      'No event contract.completed within 100 ms.',
    );
    const contract = 'LAY-7K3M9QXAHD';
    await expect(shop.events.wait('contract.completed', { contract, timeoutMs: 0 })).rejects.toThrow(
      'No event contract.completed of LAY-7K3M9QXAHD within 0 ms.',
    );
    await expect(shop.emails.wait({ to: 'nobody@example.com', timeoutMs: 100 })).rejects.toThrow(
      'No email to nobody@example.com within 100 ms. There is no email yet.',
    );
    expect(performance.now() - begin).toBeGreaterThanOrEqual(200);
  });

  test('a wait for an email in vain says what it waited for, and what the latest one is', async () => {
    const shop = await sim.merchant();
    const { reference } = await shop.contracts.create({ customer_email: 'ada@example.com' });
    const other = await shop.contracts.create({ customer_email: 'bob@example.com' });
    const failureOf = (options: object) =>
      shop.emails.wait({ ...options, timeoutMs: 0 }).catch(({ message }: Error) => message.replace(/"\[.+"/, '"…"'));
    expect(await failureOf({ to: 'ada@example.com', reference, subject: /past due/i })).toBe(
      `No email to ada@example.com about ${reference} with a subject like /past due/i within 0 ms. The latest is to ada@example.com about ${reference}: "…".`,
    );
    expect(await failureOf({ to: 'ade@example.com' })).toBe(
      `No email to ade@example.com within 0 ms. The latest is to bob@example.com about ${other.reference}: "…".`,
    );
  });

  test('a wait for a type that no event has is refused at once', async () => {
    const shop = await sim.merchant();
    await expect(shop.events.wait('contract.canceled' as never)).rejects.toMatchObject({ status: 422 });
  });

  test('emails by address and contract', async () => {
    const { shop, reference } = await active();
    expect(await shop.emails.list({ to: 'ada@example.com', reference })).toHaveLength(1);
    expect(await shop.emails.list({ to: 'bob@example.com' })).toEqual([]);
  });
});

describe('interface §4: webhooks', () => {
  test('add, list, test, disable, enable, rotate, deliveries, remove', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver([500]);
    const endpoint = await shop.webhooks.add(receiver.url, { events: ['contract.activated', 'webhook.test'] });
    expect(endpoint.secret).toMatch(/^whsec_/);
    expect(await shop.webhooks.list()).toMatchObject([{ id: endpoint.id, enabled: true }]);
    expect((await shop.webhooks.list())[0]).not.toHaveProperty('secret');
    expect((await shop.webhooks.test(endpoint.id)).attempts).toMatchObject([{ status_code: 500 }]);
    expect(await shop.webhooks.deliveries({ status: 'pending' })).toHaveLength(1);
    await shop.clock.advance('5s');
    expect(await shop.webhooks.deliveries({ status: 'delivered', endpoint_id: endpoint.id })).toMatchObject([
      { attempts: [{ status_code: 500 }, { status_code: 200 }] },
    ]);
    expect((await shop.webhooks.disable(endpoint.id)).enabled).toBe(false);
    expect((await shop.webhooks.enable(endpoint.id)).enabled).toBe(true);
    expect(await shop.webhooks.secret(endpoint.id)).toEqual(endpoint);
    const { secret } = await shop.webhooks.rotate(endpoint.id);
    expect(secret).not.toBe(endpoint.secret);
    await shop.webhooks.remove(endpoint.id);
    expect(await shop.webhooks.list()).toEqual([]);
  });

  test('an endpoint may have a secret of its own; forged is only what is asked for', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const { id } = await shop.webhooks.add(receiver.url, { secret });
    for (const options of [{}, { forged: false }, { forged: true }]) await shop.webhooks.test(id, options);
    const isGenuine = receiver.received.map(({ body, headers }) => {
      try {
        return verifyWebhook(body, headers, secret).type;
      } catch {
        return 'forged';
      }
    });
    expect(isGenuine).toEqual(['webhook.test', 'webhook.test', 'forged']);
    await shop.webhooks.add(`${receiver.url}second`);
    expect(await shop.webhooks.list({ limit: 1 })).toMatchObject([{ url: `${receiver.url}second` }]);
  });

  test('what arrives verifies with the endpoint’s secret, and with no other', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    const { secret } = await shop.webhooks.add(receiver.url);
    const { id } = await shop.sessions.create(order());
    await shop.sessions.cancel(id);
    await shop.clock.advance('0s');
    const [letter] = receiver.received;
    if (!letter) throw new Error('nothing arrived');
    expect(verifyWebhook(letter.body, letter.headers, secret)).toMatchObject({ type: 'session.cancelled' });
    expect(() => verifyWebhook(`${letter.body} `, letter.headers, secret)).toThrow(
      expect.objectContaining({ name: 'WebhookVerificationError', reason: expect.any(String) }),
    );
  });
});

describe('interface §4: assumptions, keys, logs', () => {
  test('assumptions', async () => {
    const shop = await sim.merchant();
    expect(await shop.assumptions.set({ grace_days: 3 })).toMatchObject({ grace_days: 3 });
    expect((await refusal(shop.assumptions.set({ grace_days: -1 }))).body).toMatchObject({
      errors: { grace_days: ['The grace days field must be at least 0.'] },
    });
  });

  test('keys', async () => {
    const shop = await sim.merchant();
    const key = await shop.keys.create({ scopes: ['contracts:read'], name: 'reader' });
    const headers = { ...shop.headers, 'x-api-key': key.key };
    const list = () => sim.inject({ method: 'GET', url: '/v1/contracts', headers });
    expect((await list()).statusCode).toBe(200);
    const create = { method: 'POST', url: '/v1/sessions', headers, payload: {} } as const;
    expect((await sim.inject(create)).statusCode).toBe(403);
    const [, first = key] = await shop.keys.list();
    expect(await shop.keys.list({ limit: 1 })).toMatchObject([{ id: key.id }]);
    expect(await shop.keys.list({ after: first.id })).toMatchObject([{ id: key.id }]);
    await shop.keys.revoke(key.id);
    expect((await list()).statusCode).toBe(401);
  });

  test('logs: what the account asked of /v1', async () => {
    const shop = await sim.merchant();
    await shop.v1.ping();
    await refusal(shop.contracts.get('LAY-0000000000'));
    expect(await shop.logs.list({ status: '4xx', path: '/v1/contracts/' })).toMatchObject([
      { method: 'GET', status: 404 },
    ]);
    expect(await shop.logs.list({ path: '/v1/ping' })).toMatchObject([{ status: 200, client_id: shop.clientId }]);
  });
});

describe('a refusal', () => {
  test('is a LayawayError with the status and the body, unchanged', async () => {
    const shop = await sim.merchant();
    const error = await refusal(shop.sessions.create(order({ total_amount: 1 })));
    expect(error).toMatchObject({
      name: 'LayawayError',
      status: 422,
      message: 'The total amount field must be at least 5000.',
      body: { message: expect.any(String), errors: { total_amount: [expect.any(String)] } },
    });
  });

  test('an id with a slash in it is still one id', async () => {
    const shop = await sim.merchant();
    expect(await refusal(shop.contracts.get('../ping'))).toMatchObject({ status: 404, message: 'Contract not found.' });
  });
});

describe('interface §4: a tail is what comes, oldest first', () => {
  test('each event once, in order, from where it was told to begin', async () => {
    const { shop, reference } = await active();
    const [newest] = await shop.events.list({ limit: 1 });
    await shop.clock.advance('8w');
    const seen: string[] = [];
    for await (const event of await shop.events.tail({ after: newest?.id as string })) {
      seen.push(event.type);
      if (event.type === 'contract.completed') break;
    }
    expect(seen).toEqual([...Array(4).fill('installment.paid'), 'contract.completed']);
    expect((await shop.contracts.get(reference)).status).toBe('completed');
  });

  test('of an account without events the first is the first; a signal ends it', async () => {
    const shop = await sim.merchant();
    const done = new AbortController();
    const tail = await shop.events.tail({ signal: done.signal });
    const { id } = await shop.sessions.create(order());
    await shop.sessions.complete(id, CUSTOMER);
    const seen: string[] = [];
    for await (const event of tail) {
      seen.push(event.type);
      if (seen.length === 3) done.abort();
    }
    expect(seen).toEqual(['session.decision_made', 'contract.activated', 'session.completed']);
  });

  test('of an account without events, it leaves none out silently if it is first read after more than a page', async () => {
    const shop = await sim.merchant();
    const tail = await shop.events.tail();
    await Promise.all(Array.from({ length: 334 }, () => shop.contracts.create({ webhooks: false })));
    await expect(tail[Symbol.asyncIterator]().next()).rejects.toThrow('It cannot read the first of them.');
  });

  test('a signal ends it at once, even if more is there already', async () => {
    const { shop } = await active();
    const all = await shop.events.list();
    const done = new AbortController();
    const seen: string[] = [];
    for await (const { id } of await shop.events.tail({ after: all.at(-1)?.id as string, signal: done.signal })) {
      seen.push(id);
      done.abort();
    }
    expect(seen).toEqual([all.at(-2)?.id]);
  });

  test('a signal ends it also while it reads what is there', async () => {
    const { shop } = await active();
    const first = (await shop.events.list()).at(-1)?.id as string;
    const done = new AbortController();
    const items = (await shop.events.tail({ after: first, signal: done.signal }))[Symbol.asyncIterator]();
    const next = items.next();
    done.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('requests too, those that the filter lets through', async () => {
    const shop = await sim.merchant();
    const tail = await shop.logs.tail({ status: '4xx' });
    await shop.v1.ping();
    await refusal(shop.contracts.get('LAY-0000000000'));
    const { value } = await tail[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ path: '/v1/contracts/LAY-0000000000', status: 404 });
  });

  test('one that begins after an unknown id, or whose simulator closes, ends with the reason', async () => {
    await using own = await createSimulator();
    const { events } = own.default;
    const next = async (options: object) => (await events.tail(options))[Symbol.asyncIterator]().next();
    expect((await refusal(next({ after: 'evt_1' }))).status).toBe(422);
    const coming = next({}).catch((error: unknown) => error);
    await events.list();
    await own.close();
    expect(await coming).toMatchObject({ message: 'The simulator is closed.' });
  });

  test('the reason is the same if a reset came just before', async () => {
    const time = manualTime();
    await using own = await createSimulator({ time });
    const { events } = own.default;
    const next = (await events.tail())[Symbol.asyncIterator]().next();
    const coming = next.catch((error: unknown) => error);
    // It has read and pauses.
    await events.list();
    await own.reset();
    await own.close();
    time.pass(1000);
    expect(await coming).toMatchObject({ message: 'The simulator is closed.' });
  });
});
