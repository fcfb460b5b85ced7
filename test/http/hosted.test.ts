import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { trimmed } from '../../src/domain/text.ts';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { CARD, customerOf, inputOf, textOf } from '../support/customer.ts';
import { openReceiver } from '../support/receiver.ts';
import { CUSTOMER, manualTime, openShop, type TestShop } from '../support/shop.ts';

const FROZEN = { seed: 1, clock: { frozenAt: '2026-01-01T09:30:00Z' } };

let sim: Simulator;
let shop: TestShop;
let customer: ReturnType<typeof customerOf>;

beforeAll(async () => {
  sim = await createSimulator(FROZEN);
  customer = customerOf(sim);
});
afterAll(() => sim.close());
beforeEach(async () => {
  shop = await openShop(sim);
});

async function opened(changes: object = {}) {
  const session = await shop.open(changes);
  return { session, link: new URL(session.checkout_url).pathname };
}

async function accepted(changes: object = {}) {
  const { session, link } = await opened(changes);
  expect((await customer.send(link, 'accept', CUSTOMER)).status).toBe(303);
  return { session, link };
}

const statusOf = async (id: string) => (await shop.call('GET', `/v1/checkout-sessions/${id}`)).body.data.status;
const contracts = async () => (await shop.call('GET', '/v1/contracts')).body.data;
const attemptsOf = async (reference: string) =>
  (await shop.call('GET', `/_sim/contracts/${reference}/attempts`)).body.data.reverse();

describe('the quote', () => {
  test('§1 the hosted link shows the quote: total, fee, down payment, due today and every capture with its date', async () => {
    const { link } = await opened({ total_amount: 12_345 });
    const { status, html, page } = await customer.open(link);
    expect([status, page]).toEqual([200, 'details']);
    expect(textOf(html, 'order-total')).toBe('$123.45');
    expect(textOf(html, 'reservation-fee')).toBe('$6.17');
    expect(textOf(html, 'down-payment')).toBe('$24.69');
    expect(textOf(html, 'customer-total')).toBe('$129.62');
    expect(textOf(html, 'due-today')).toBe('$30.86');
    const rows = [...html.matchAll(/data-testid="schedule-payment">(.*?)<\/li>/gs)].map(([, row]) =>
      row?.replace(/<[^>]*>/g, '').trim(),
    );
    expect(rows).toEqual([
      'Today $30.86',
      'January 15, 2026 $24.69',
      'January 29, 2026 $24.69',
      'February 12, 2026 $24.69',
      'February 26, 2026 $24.69',
    ]);
  });

  test('§2.5 the terms are those of the opening, whatever the merchant changes later', async () => {
    const { link } = await opened();
    await shop.set({ down_payment_percentage: 50, reservation_fee_percentage: 0 });
    expect(textOf((await customer.open(link)).html, 'due-today')).toBe('$50.00');
  });

  test('without a reservation fee, none is mentioned', async () => {
    await shop.set({ reservation_fee_percentage: 0 });
    const { html } = await customer.open((await opened()).link);
    expect(textOf(html, 'reservation-fee')).toBeUndefined();
    expect(html).not.toMatch(/\bfees?\b/i);
    expect(html).toContain('Due today is the down payment.');
  });

  test.each([
    [1, 'monthly', 'then 1 payment'],
    [2, 'monthly', 'then 2 payments, one every month'],
    [3, 'weekly', 'then 3 payments, one every week'],
  ] as const)('%i captures, %s: %s', async (installment_count, installment_cadence, lead) => {
    await shop.set({ installment_count, installment_cadence });
    expect((await customer.open((await opened()).link)).html).toContain(`<p class="lead">${lead}</p>`);
  });

  test('the form has the email of the session; without one it is empty', async () => {
    const given = await opened({ customer_email: 'grace@example.com' });
    expect(inputOf((await customer.open(given.link)).html, 'customer_email').value).toBe('grace@example.com');
    const none = await opened();
    expect(inputOf((await customer.open(none.link)).html, 'customer_email').value).toBe('');
  });

  test('names and references are text, never markup', async () => {
    shop = await openShop(sim, { dba: '<script>alert(1)</script> & "Söhne" שלום 🛍️' });
    const { link } = await opened({ order_reference: '"><img src=x>' });
    await customer.send(link, 'accept', { ...CUSTOMER, customer_name: "<b onclick='x'>Ada</b>" });
    const { html } = await customer.open(link);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Söhne&quot; שלום 🛍️');
    expect(html).toContain('&quot;&gt;&lt;img src=x&gt;');
    expect(html).toContain('&lt;b onclick=&#39;x&#39;&gt;Ada&lt;/b&gt;');
    expect(html).not.toMatch(/<script>|<img|<b /);
  });
});

describe('accepting', () => {
  test('decisions §4: name and email accept the plan; a pending contract exists and the payment step follows', async () => {
    const { session, link } = await opened({ customer_email: 'other@example.com' });
    const answer = await customer.send(link, 'accept', CUSTOMER);
    expect([answer.status, answer.location]).toEqual([303, link]);
    expect(await statusOf(session.id)).toBe('decision_made');
    expect(await contracts()).toMatchObject([
      { status: 'pending', customer_name: 'Ada Byron', customer_email: 'ada@example.com', paid_amount: 0 },
    ]);
    const payment = await customer.open(link);
    expect([payment.status, payment.page]).toEqual([200, 'payment']);
    expect(textOf(payment.html, 'accepted-name')).toBe('Ada Byron');
    expect(textOf(payment.html, 'accepted-email')).toBe('ada@example.com');
    expect(textOf(payment.html, 'pay-button')).toBe('Pay $50.00');
  });

  test.each([
    ['nothing', {}, 'Enter your full name.', 'Enter your email address.'],
    ['blanks', { customer_name: ' \t', customer_email: ' ' }, 'Enter your full name.', 'Enter your email address.'],
    [
      'invisible characters',
      { customer_name: '\u200b', customer_email: '\u200e' },
      'Enter your full name.',
      'Enter your email address.',
    ],
    [
      'no address',
      { customer_name: 'Ada', customer_email: 'ada@' },
      '',
      'Enter an email address like name@example.com.',
    ],
    ['256 characters', { ...CUSTOMER, customer_name: 'é'.repeat(256) }, 'Use at most 255 characters.', ''],
  ])('%s entered: 422, the page again with what was entered, and nothing accepted', async (_, fields, name, email) => {
    const { session, link } = await opened();
    const { status, page, html } = await customer.send(link, 'accept', fields);
    expect([status, page]).toEqual([422, 'details']);
    expect(textOf(html, 'customer-name-error')).toBe(name);
    expect(textOf(html, 'customer-email-error')).toBe(email);
    expect(html).toContain('role="alert"');
    expect(html).toContain('<title>Error: Your layaway plan with Example Store</title>');
    const entered = { customer_name: '', customer_email: '', ...fields };
    expect(inputOf(html, 'customer_name').value).toBe(trimmed(entered.customer_name));
    expect(inputOf(html, 'customer_email').value).toBe(trimmed(entered.customer_email));
    expect(await statusOf(session.id)).toBe('pending');
  });

  test('a field that is sent twice counts as missing', async () => {
    const { link } = await opened();
    const form_token = await customer.tokenOf(link);
    const fields = [...Object.entries({ ...CUSTOMER, form_token }), ['customer_name', 'Grace Hopper']];
    const { status, html } = await customer.send(link, 'accept', fields as never);
    expect([status, textOf(html, 'customer-name-error')]).toEqual([422, 'Enter your full name.']);
  });

  test('255 characters of any script are a name', async () => {
    const { link } = await opened();
    await customer.send(link, 'accept', { ...CUSTOMER, customer_name: '😀'.repeat(255) });
    expect((await contracts())[0].customer_name).toBe('😀'.repeat(255));
  });

  test('a second acceptance changes nothing and leads to the payment step', async () => {
    const { link } = await accepted();
    const again = await customer.send(link, 'accept', { ...CUSTOMER, customer_name: 'Grace Hopper' });
    expect([again.status, again.location]).toEqual([303, link]);
    expect(await contracts()).toMatchObject([{ customer_name: 'Ada Byron' }]);
  });
});

describe('paying', () => {
  test.each([
    'https://shop.example/return',
    'https://Shop.Example:8443/a%2fb/../c?order=A-1&x=%7e+%20#done',
    "https://shop.example/path;v=1?q='*'(~)&redirect=https://shop.example/%C3%A9",
  ])('§4.3 return_url: the browser is sent there byte for byte (%s)', async (returnUrl) => {
    const { session, link } = await accepted({ return_url: returnUrl });
    const answer = await customer.send(link, 'pay', CARD);
    expect([answer.status, answer.location]).toEqual([303, returnUrl]);
    expect(await statusOf(session.id)).toBe('completed');
    const [contract] = await contracts();
    expect(contract).toMatchObject({ status: 'active', paid_amount: 5000 });
    expect(await attemptsOf(contract.reference)).toMatchObject([
      { reference: expect.stringMatching(/^sim_/), sequence: 1, number: 1, outcome: 'pay', amount: 5000 },
    ]);
  });

  test('decisions §4: a declined payment leaves the plan waiting, says so kindly, and may be retried', async () => {
    const { session, link } = await accepted();
    const declined = await customer.send(link, 'pay', { ...CARD, outcome: 'fail' });
    expect([declined.status, declined.location]).toEqual([303, link]);
    expect(await statusOf(session.id)).toBe('decision_made');
    const { html, page } = await customer.open(link);
    expect(page).toBe('payment');
    expect(textOf(html, 'payment-declined')).toContain('Your card was declined Nothing was charged');
    expect(html).toContain('<title>Error: Pay $50.00 to Example Store</title>');
    expect(textOf(html, 'accepted-name')).toBe('Ada Byron');
    for (const name of Object.keys(CARD)) expect(inputOf(html, name).value).toBeUndefined();
    expect((await customer.send(link, 'pay', CARD)).location).toBe(session.return_url);
    const [contract] = await contracts();
    const attempts = await attemptsOf(contract.reference);
    expect(attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['fail', 'pay']);
    // The receipt is that of the payment that landed.
    expect(textOf((await customer.open(link)).html, 'payment-reference')).toBe(attempts[1].reference);
    const scenario = (await shop.call('GET', `/_sim/contracts/${contract.reference}/scenario`)).body.data;
    const outcomes = scenario.steps.flatMap(({ pay }: { pay?: { outcome?: string } }) => pay?.outcome ?? []);
    expect(outcomes).toEqual(['fail', 'pay']);
  });

  test('a decline comes only from the simulator bar: no card number, and no other value of outcome, declines', async () => {
    for (const [card_number, outcome] of [
      ['4000000000000002', ''],
      ['4000 0000 0000 9995', 'pay'],
      ['4242-4242-4242-4242', 'declined'],
    ] as const) {
      const { session, link } = await accepted();
      expect((await customer.send(link, 'pay', { ...CARD, card_number, outcome })).location).toBe(session.return_url);
    }
  });

  test.each([
    ['no card', { card_number: '', card_expiry: '', card_code: '' }, ['card-number', 'card-expiry', 'card-code']],
    ['a wrong check digit', { ...CARD, card_number: '5555 5555 5555 4445' }, ['card-number']],
    ['too few digits', { ...CARD, card_number: '42424242422' }, ['card-number']],
    ['zeros', { ...CARD, card_number: '0000 0000 0000 0000' }, ['card-number']],
    ['letters', { ...CARD, card_number: '5555 5555 5555 444O' }, ['card-number']],
    ['a card that ended last month', { ...CARD, card_expiry: '12 / 25' }, ['card-expiry']],
    ['a thirteenth month', { ...CARD, card_expiry: '13/30' }, ['card-expiry']],
    ['a year too far ahead', { ...CARD, card_expiry: '01/2047' }, ['card-expiry']],
    ['two digits of code', { ...CARD, card_code: '12' }, ['card-code']],
    ['five digits of code', { ...CARD, card_code: '12345' }, ['card-code']],
  ])('%s: 422, says which field, echoes nothing of the card, attempts nothing', async (_, card, wrong) => {
    const { session, link } = await accepted();
    const { status, page, html } = await customer.send(link, 'pay', card);
    expect([status, page]).toEqual([422, 'payment']);
    const reported = ['card-number', 'card-expiry', 'card-code'].filter((id) => textOf(html, `${id}-error`) !== '');
    expect(reported).toEqual(wrong);
    expect(textOf(html, 'error-summary')).toContain(`Please check ${wrong.length === 1 ? 'one field' : '3 fields'}`);
    for (const [name, value] of Object.entries(card)) {
      expect(inputOf(html, name).value).toBeUndefined();
      if (value.length > 4) expect(html).not.toContain(value);
    }
    expect(await statusOf(session.id)).toBe('decision_made');
    expect(await attemptsOf((await contracts())[0].reference)).toEqual([]);
  });

  test.each(['01/26', '0126', '1/26', '01 / 2026', '01-26', ' 01 / 26 '])(
    'a card is good through the last day of its month on the account clock (%s)',
    async (card_expiry) => {
      const { session, link } = await accepted();
      expect((await customer.send(link, 'pay', { ...CARD, card_expiry })).location).toBe(session.return_url);
    },
  );

  test('the expiry follows the account clock, not the calendar on the wall', async () => {
    await using later = await createSimulator({ seed: 1, clock: { frozenAt: '2098-03-31T23:59:59Z' } });
    shop = await openShop(later);
    const person = customerOf(later);
    const { link } = await opened();
    await person.send(link, 'accept', CUSTOMER);
    expect((await person.send(link, 'pay', { ...CARD, card_expiry: '02/98' })).status).toBe(422);
    expect((await person.send(link, 'pay', { ...CARD, card_expiry: '03/98' })).status).toBe(303);
  });

  test('two submissions at once make one payment, and both lead to the store', async () => {
    const { session, link } = await accepted();
    await customer.tokenOf(link);
    const answers = await Promise.all(Array.from({ length: 10 }, () => customer.send(link, 'pay', CARD)));
    for (const { status, location } of answers) expect([status, location]).toEqual([303, session.return_url]);
    expect(await attemptsOf((await contracts())[0].reference)).toHaveLength(1);
  });

  test('§1 no card number is stored or logged: it is in no file of the state directory and on no output', async () => {
    const data = mkdtempSync(join(tmpdir(), 'layaway-card-'));
    const lines: unknown[] = [];
    const stored = await createSimulator({ data, seed: 1, onRequest: (line) => lines.push(line) });
    try {
      shop = await openShop(stored);
      const person = customerOf(stored);
      const { link } = await opened();
      await person.send(link, 'accept', CUSTOMER);
      await person.send(link, 'pay', { ...CARD, card_code: '1' });
      await person.send(link, 'pay', { ...CARD, outcome: 'fail' });
      await person.send(link, 'pay', CARD);
      const log = await shop.call('GET', '/_sim/requests');
      await stored.close();
      const files = readdirSync(data).map((name) => readFileSync(join(data, name), 'latin1'));
      const kept = [...files, JSON.stringify(lines), log.text].join('\n');
      expect(kept).toContain('ada@example.com');
      for (const digits of ['5555 5555 5555 4444', '5555+5555+5555+4444', '5555555555554444', '12 / 30', '12+%2F+30']) {
        expect(kept).not.toContain(digits);
      }
    } finally {
      await stored.close();
      rmSync(data, { recursive: true });
    }
  });
});

describe('backing out', () => {
  const cancelUrl = 'https://Shop.Example/../cart?x=%2F%7e&y=+#top';

  test('§4.3 cancel_url: from the first step, byte for byte; the session is cancelled', async () => {
    const { session, link } = await opened({ cancel_url: cancelUrl });
    const answer = await customer.send(link, 'cancel');
    expect([answer.status, answer.location]).toEqual([303, cancelUrl]);
    expect(await statusOf(session.id)).toBe('cancelled');
    expect(await contracts()).toEqual([]);
  });

  test('§4.3 cancel_url: from the payment step; the pending contract goes with it', async () => {
    const { session, link } = await accepted({ cancel_url: cancelUrl });
    expect((await customer.send(link, 'cancel')).location).toBe(cancelUrl);
    expect(await statusOf(session.id)).toBe('cancelled');
    expect(await contracts()).toMatchObject([{ status: 'cancelled' }]);
  });

  test('a second click leads to the same place', async () => {
    const { link } = await opened({ cancel_url: cancelUrl });
    await customer.tokenOf(link);
    await customer.send(link, 'cancel');
    const again = await customer.send(link, 'cancel');
    expect([again.status, again.location]).toEqual([303, cancelUrl]);
  });
});

describe('sessions that are over', () => {
  /** Opens the link and every step of it, from a tab that still shows the forms. */
  async function everyStep(link: string) {
    const answers = [];
    for (const step of ['accept', 'pay', 'cancel']) {
      answers.push(await customer.send(link, step, { ...CUSTOMER, ...CARD }));
    }
    return answers.map(({ status, page, location }) => location ?? `${status} ${page}`);
  }

  test('§3.1 completed: the page says so, with a receipt and the next payment, and has no form', async () => {
    const { session, link } = await accepted();
    await customer.send(link, 'pay', CARD);
    const { status, page, html } = await customer.open(link);
    expect([status, page]).toEqual([200, 'completed']);
    const [contract] = await contracts();
    expect(textOf(html, 'contract-reference')).toBe(contract.reference);
    expect(textOf(html, 'paid-amount')).toBe('$50.00');
    expect(textOf(html, 'payment-reference')).toMatch(/^sim_/);
    expect(textOf(html, 'next-payment')).toBe('$40.00 on January 15, 2026');
    expect(html).toContain(`href="${session.return_url}"`);
    expect(html).not.toContain('<form');
    expect(await everyStep(link)).toEqual(['409 completed', session.return_url, '409 completed']);
    expect(await attemptsOf(contract.reference)).toHaveLength(1);
  });

  test('§3.2 the page of a completed session tells when its plan was cancelled afterwards', async () => {
    const { link } = await accepted();
    await customer.send(link, 'pay', CARD);
    await shop.call('POST', `/v1/contracts/${(await contracts())[0].reference}/cancel`);
    const { html } = await customer.open(link);
    expect(textOf(html, 'plan-standing')).toContain('cancelled');
    expect(textOf(html, 'next-payment')).toBeUndefined();
  });

  test('§3.1 cancelled: 410, a page of its own that offers nothing, and no step can be taken', async () => {
    const { session, link } = await accepted();
    await customer.send(link, 'cancel');
    const { status, page, html } = await customer.open(link);
    expect([status, page]).toEqual([410, 'cancelled']);
    expect(html).not.toMatch(/<form|<button/);
    expect(html).toContain(`href="${session.cancel_url}"`);
    expect(await everyStep(link)).toEqual(['409 cancelled', '409 cancelled', session.cancel_url]);
  });

  test('§3.1 lapsed: exactly at expires_at, 410, offers nothing, and a page left open tells the truth when used', async () => {
    const { session, link } = await opened();
    await customer.tokenOf(link);
    await shop.call('POST', '/_sim/clock/advance', { to: '2026-01-01T10:29:59Z' });
    expect((await customer.open(link)).page).toBe('details');
    await shop.call('POST', '/_sim/clock/advance', { to: session.expires_at });
    const { status, page, html } = await customer.open(link);
    expect([status, page]).toEqual([410, 'expired']);
    expect(html).not.toMatch(/<form|<button/);
    expect(html).toContain(`href="${session.cancel_url}"`);
    expect(await everyStep(link)).toEqual(['409 expired', '409 expired', '409 expired']);
    expect(await contracts()).toEqual([]);
  });

  test('an accepted session has no deadline (decisions §4)', async () => {
    const { session, link } = await accepted();
    await shop.call('POST', '/_sim/clock/advance', { by: '30d' });
    const { page, html } = await customer.open(link);
    expect(page).toBe('payment');
    expect(html).toContain('February 14, 2026');
    expect((await customer.send(link, 'pay', CARD)).location).toBe(session.return_url);
  });

  test('an open page asks how things stand; nobody who watches is told of it every few seconds', async () => {
    const told: string[] = [];
    await using watched = await createSimulator({ ...FROZEN, onRequest: ({ path }) => told.push(path) });
    shop = await openShop(watched);
    const person = customerOf(watched);
    const { session, link } = await opened();
    expect((await person.open(`${link}/now?bar=off`)).html).toBe((await person.open(`${link}?bar=off`)).html);
    await shop.call('POST', '/_sim/clock/advance', { to: session.expires_at });
    const lapsed = await person.open(`${link}/now`);
    expect([lapsed.status, lapsed.page]).toEqual([410, 'expired']);
    expect(told.filter((path) => path.startsWith(link))).toEqual([`${link}?bar=off`]);
  });

  test('paying before accepting leads back to the first step', async () => {
    const { link } = await opened();
    const answer = await customer.send(link, 'pay', CARD);
    expect([answer.status, answer.location]).toEqual([303, link]);
  });

  test.each(['/checkout/cs_unknown', '/checkout/', '/checkout', '/checkout/cs_unknown/pay', '/checkout/cs_unknown/x'])(
    'unknown: %s is a page with 404',
    async (path) => {
      const { status, page, headers } = await customer.open(path);
      expect([status, page]).toEqual([404, 'unknown']);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    },
  );

  test('the address of a step, reloaded or bookmarked, leads to the checkout', async () => {
    const { link } = await opened();
    const answer = await customer.open(`${link}/accept?bar=off`);
    expect([answer.status, answer.location]).toEqual([303, `${link}?bar=off`]);
  });
});

describe('overdue payments', () => {
  /** A plan that began on January 31 and whose next attempts end as told. */
  async function behind(outcomes: readonly string[], until: string, settings: object = {}) {
    await shop.call('POST', '/_sim/clock/advance', { to: '2026-01-31' });
    await shop.set(settings);
    const { link } = await accepted();
    await customer.send(link, 'pay', CARD);
    const { reference } = (await contracts())[0];
    await shop.call('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes });
    await shop.call('POST', '/_sim/clock/advance', { to: until });
    const plan = async () => (await shop.call('GET', `/v1/contracts/${reference}`)).body.data;
    const statuses = async () => (await plan()).installments.map(({ status }: { status: string }) => status);
    return { link, reference, plan, statuses };
  }
  const overdueOn = (html: string) =>
    [...html.matchAll(/<li data-testid="overdue-payment">(.*?)<\/li>/gs)].map(([, row = '']) =>
      row
        .replace(/<[^>]*>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    );
  const settle = (link: string, installment: string) => customer.send(link, 'settle', { installment });

  test('the next payment is the next one that is collected, at the instant of its attempt', async () => {
    const { link } = await behind(['fail', 'fail'], '2026-02-14');
    const next = async () => textOf((await customer.open(link)).html, 'next-payment');
    expect(await next()).toBe('$40.00 on February 16, 2026');
    await shop.call('POST', '/_sim/clock/advance', { to: '2026-02-16' });
    expect(await next()).toBe('$40.00 on February 28, 2026');
    await shop.call('POST', '/_sim/clock/advance', { to: '2026-03-07' });
    expect(await next()).toBe('$40.00 on March 14, 2026');
  });

  test('decisions §4: each is listed, with the late charge once there is one, and each has its button', async () => {
    const { link, statuses } = await behind(['fail', 'fail', 'fail', 'fail'], '2026-03-02');
    expect(await statuses()).toEqual(['paid', 'delinquent', 'past_due', 'upcoming', 'upcoming']);
    const { html, status, page } = await customer.open(link);
    expect([status, page]).toEqual([200, 'completed']);
    expect(textOf(html, 'plan-standing')).toBe('Your plan is active, but payment is overdue.');
    expect(textOf(html, 'settle-hint')).toBe('Simulator: a payment here always succeeds, and nothing is charged.');
    expect((await customer.open(`${link}?bar=off`)).html).not.toContain('settle-hint');
    expect(overdueOn(html)).toEqual([
      'Overdue: $40.00 since February 14, 2026 With the late charge of $2.00, it comes to $42.00. Pay $42.00 for February 14, 2026',
      'Overdue: $40.00 since February 28, 2026 Pay $40.00 for February 28, 2026',
    ]);
  });

  test('§3.3: the installment whose button is pressed is settled, late charge included; a second click changes nothing', async () => {
    const { link, reference, statuses } = await behind(['fail', 'fail', 'fail', 'fail'], '2026-03-02');
    const settled = ['paid', 'delinquent', 'paid', 'upcoming', 'upcoming'];
    for (const _click of [1, 2]) {
      const answer = await settle(link, '2');
      expect([answer.status, answer.location]).toEqual([303, link]);
      expect(await statuses()).toEqual(settled);
    }
    expect((await settle(`${link}?bar=off`, '1')).location).toBe(`${link}?bar=off`);
    expect(await statuses()).toEqual(['paid', 'paid', 'paid', 'upcoming', 'upcoming']);
    expect((await attemptsOf(reference)).slice(-2)).toMatchObject([
      { sequence: 3, number: 3, outcome: 'pay', amount: 4000, late_charge_amount: 0 },
      { sequence: 2, number: 3, outcome: 'pay', amount: 4000, late_charge_amount: 200 },
    ]);
    const { html } = await customer.open(link);
    expect(textOf(html, 'plan-standing')).toBe('Thank you. Your plan is active.');
    expect(html).not.toContain('<form');
  });

  test('settling the last payment completes the plan', async () => {
    const { link, plan } = await behind(['fail', 'fail'], '2026-02-16', { installment_count: 1 });
    expect((await settle(link, '1')).status).toBe(303);
    expect((await plan()).status).toBe('completed');
    expect(textOf((await customer.open(link)).html, 'plan-standing')).toContain('paid in full');
  });

  test('a payment is not taken twice when it was settled elsewhere, nor after the plan has ended', async () => {
    const { link, reference, plan, statuses } = await behind(['fail', 'fail', 'fail', 'fail'], '2026-03-02');
    await shop.call('POST', `/_sim/contracts/${reference}/installments/2/settle`);
    expect((await settle(link, '2')).location).toBe(link);
    const [before, standing] = [await attemptsOf(reference), await statuses()];
    await shop.call('POST', '/_sim/clock/advance', { until: `${reference}=defaulted` });
    const answer = await settle(link, '1');
    expect([answer.status, answer.page]).toEqual([409, 'completed']);
    expect(textOf(answer.html, 'plan-standing')).toContain('ended because payments were missed');
    expect(overdueOn(answer.html)).toEqual([]);
    expect((await plan()).status).toBe('defaulted');
    expect((await attemptsOf(reference)).slice(0, before.length)).toEqual(before);
    expect((await statuses()).slice(0, 3)).toEqual(standing.slice(0, 3));
  });

  test.each(['3', '5', '', 'x', '1.0', '-1'])(
    'no installment that can be settled is named ("%s"): 409',
    async (number) => {
      const { link, statuses } = await behind(['fail', 'fail'], '2026-02-16');
      const answer = await settle(link, number);
      expect([answer.status, answer.page]).toEqual([409, 'completed']);
      expect(await statuses()).toEqual(['paid', 'past_due', 'upcoming', 'upcoming', 'upcoming']);
    },
  );

  test('before the checkout is complete there is nothing to settle', async () => {
    const { session, link } = await accepted();
    expect((await settle(link, '1')).location).toBe(link);
    await customer.send(link, 'cancel');
    expect([(await settle(link, '1')).status, await statusOf(session.id)]).toEqual([409, 'cancelled']);
  });

  test('the form of another page settles nothing', async () => {
    const { link, statuses } = await behind(['fail', 'fail'], '2026-02-16');
    expect((await customer.send(link, 'settle', { installment: '1', form_token: 'x' })).status).toBe(403);
    expect(await statuses()).toContain('past_due');
  });

  test('the step counts as the lever of the control plane, in a scenario and in an explanation', async () => {
    const { link, reference } = await behind(['fail', 'fail'], '2026-02-16');
    await settle(link, '1');
    const scenario = (await shop.call('GET', `/_sim/contracts/${reference}/scenario`)).body.data;
    expect(scenario.steps).toContainEqual({
      settle: { contract: expect.stringMatching(/^\$\{\w+\.reference\}$/), installment: 1 },
      expect: { events: ['installment.paid'] },
    });
    const told = (await shop.call('GET', `/_sim/explain/${reference}`)).text;
    expect(told).toContain('The customer settled an overdue installment');
  });
});

describe('steps that are refused while they are taken', () => {
  test('an offer that lapses between the look at it and the acceptance is told as expired', async () => {
    const faults: unknown[] = [];
    const time = manualTime();
    let isMoving = false;
    let lookedMs = 0;
    // Time passes with every look at it, and otherwise stands still.
    const now = () => time.now() + (isMoving ? ++lookedMs : lookedMs);
    const clock = { runningFrom: '2026-01-01T09:30:00Z' };
    await using moving = await createSimulator({
      seed: 1,
      time: { ...time, now },
      clock,
      onFault: (e) => faults.push(e),
    });
    shop = await openShop(moving);
    const person = customerOf(moving);
    const seen: string[] = [];
    for (let early = 1; early <= 12; early += 1) {
      const { session, link } = await opened();
      await person.tokenOf(link);
      const { now: clockNow } = (await shop.call('GET', '/_sim/clock')).body.data;
      lookedMs += Date.parse(session.expires_at) - Date.parse(clockNow) - early;
      isMoving = true;
      const { status, page, html } = await person.send(link, 'accept', CUSTOMER);
      isMoving = false;
      seen.push(`${status} ${page}`);
      if (status === 409) expect(textOf(html, 'checkout-expired')).toContain('has expired');
    }
    expect(new Set(seen)).toEqual(new Set(['409 expired', '303 undefined']));
    expect(faults).toEqual([]);
  });

  test('a deadline beyond the range of the clock is not reached, and the page says why', async () => {
    const faults: unknown[] = [];
    await using late = await createSimulator({
      seed: 1,
      clock: { frozenAt: '9979-12-31T23:30:00Z' },
      onFault: (error) => faults.push(error),
    });
    shop = await openShop(late);
    const { session, link } = await opened();
    const { status, page, html } = await customerOf(late).send(link, 'expire');
    expect([status, page]).toEqual([422, 'refused']);
    expect(html).toContain('or after 9979-12-31');
    expect(await statusOf(session.id)).toBe('pending');
    expect(faults).toEqual([]);
  });

  test.each(['request to stop', 'reset'])(
    'an advance to the deadline that a %s cancels: the page says so',
    async (by) => {
      const faults: unknown[] = [];
      await using own = await createSimulator({ ...FROZEN, onFault: (error) => faults.push(error) });
      shop = await openShop(own);
      const person = customerOf(own);
      // Another session lapses first, and its event gets no answer.
      let ask = () => {};
      const asked = new Promise<void>((resolve) => {
        ask = resolve;
      });
      await using receiver = await openReceiver([() => ask()]);
      await opened();
      await shop.call('POST', '/_sim/clock/advance', { by: '10m' });
      const { link } = await opened();
      await person.tokenOf(link);
      await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
      const expiring = person.send(link, 'expire');
      await asked;
      if (by === 'reset') await own.reset();
      else await shop.call('POST', '/_sim/clock/stop');
      const { status, page, html } = await expiring;
      expect([status, page]).toEqual([409, 'refused']);
      expect(html).toContain(`The advance stopped at 2026-01-01T10:30:00.000000Z: a ${by} cancelled it.`);
      expect(faults).toEqual([]);
    },
  );
});

describe('forms of others', () => {
  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://localhost:1' }],
    ['an origin that is none', { origin: 'evil' }],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
    ['a same-site fetch of another port', { 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('a POST from %s is refused with a page and does nothing', async (_, headers) => {
    const { session, link } = await opened();
    const answer = await customer.send(link, 'accept', CUSTOMER, headers);
    expect([answer.status, answer.page]).toEqual([403, 'refused']);
    expect(await statusOf(session.id)).toBe('pending');
  });

  test('our own page may post, with the origin it has or, having no referrer, with none', async () => {
    for (const headers of [
      { origin: sim.url },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
      // A page that the browser sends again, after a reload.
      { 'sec-fetch-site': 'none' },
    ] as const) {
      const { link } = await opened();
      expect((await customer.send(link, 'accept', CUSTOMER, headers)).status).toBe(303);
    }
  });

  test('a link on a page of the store opens the checkout', async () => {
    const { link } = await opened();
    const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
    expect((await customer.request(link, { headers })).status).toBe(200);
  });

  test('a form needs the token of its own checkout', async () => {
    const { session, link } = await opened();
    const other = await opened();
    const foreign = await customer.tokenOf(other.link);
    for (const form_token of ['', 'x', foreign]) {
      const answer = await customer.send(link, 'accept', { ...CUSTOMER, form_token });
      expect([answer.status, answer.page]).toEqual([403, 'refused']);
    }
    const own = await customer.tokenOf(link);
    const twice = [...Object.entries(CUSTOMER), ['form_token', own], ['form_token', own]] as const;
    expect((await customer.send(link, 'accept', twice as never)).status).toBe(403);
    expect(await statusOf(session.id)).toBe('pending');
  });

  test.each([
    ['JSON', 'application/json', '{}', 415],
    ['a file upload', 'multipart/form-data; boundary=x', '--x--', 415],
    ['more than 16 KiB', 'application/x-www-form-urlencoded', `customer_name=${'a'.repeat(17_000)}`, 413],
  ])('%s is refused with a page', async (_, type, body, expected) => {
    const { link } = await opened();
    const answer = await customer.request(`${link}/accept`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    expect([answer.status, answer.page]).toEqual([expected, 'refused']);
  });

  test('broken escapes and bytes that are no text harm nothing', async () => {
    const { link } = await opened();
    const form_token = await customer.tokenOf(link);
    const answer = await customer.request(`${link}/accept`, {
      method: 'POST',
      body: `form_token=${form_token}&customer_name=%zz%ff%00Ada&customer_email=ada@example.com&__proto__=1`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(303);
    expect((await contracts())[0].customer_name).toContain('Ada');
    expect((await contracts())[0].customer_name).not.toContain('\u0000');
  });

  test.each([
    ['POST', '', 'GET, HEAD'],
    ['DELETE', '', 'GET, HEAD'],
    ['POST', '/now', 'GET, HEAD'],
    ['DELETE', '/accept', 'GET, HEAD, POST'],
    ['QUERY', '', 'GET, HEAD'],
    ['QUERY', '/pay', 'GET, HEAD, POST'],
  ])('%s to the checkout%s is refused with a page that names the right methods', async (method, step, allowed) => {
    const { link } = await opened();
    const json = { body: '{}', headers: { 'content-type': 'application/json' } };
    for (const sent of [{ method }, { method, ...json }]) {
      const answer = await customer.request(`${link}${step}`, sent);
      expect([answer.status, answer.page, answer.headers.get('allow')]).toEqual([405, 'refused', allowed]);
    }
  });

  test.each(['GET', 'POST', 'DELETE'])('%s to a step that does not exist is a page with 404', async (method) => {
    const { link } = await opened();
    const answer = await customer.request(`${link}/foo`, { method });
    expect([answer.status, answer.page, answer.headers.get('allow')]).toEqual([404, 'unknown', null]);
  });
});

describe('a mistyped email address', () => {
  const correct = (link: string, email: string) => customer.send(link, 'email', { customer_email: email });

  test('is corrected on the payment step: the contract and the first email have the new one', async () => {
    const { link } = await accepted();
    const [{ reference }] = await contracts();
    const read = async () => (await shop.call('GET', `/v1/contracts/${reference}`)).body.data.customer_email;
    expect(await read()).toBe('ada@example.com');
    expect((await correct(link, ' Ada@example.com ')).location).toBe(link);
    expect(await read()).toBe('Ada@example.com');
    expect(textOf((await customer.open(link)).html, 'accepted-email')).toBe('Ada@example.com');
    await customer.send(link, 'pay', CARD);
    const [contract] = await contracts();
    expect(contract).toMatchObject({ status: 'active', customer_name: 'Ada Byron', customer_email: 'Ada@example.com' });
    const emails = (await shop.call('GET', '/_sim/emails')).body.data;
    expect(emails.map(({ to }: { to: string }) => to)).toEqual(['Ada@example.com']);
    // The service has no event for it.
    const events = (await shop.call('GET', '/_sim/events')).body.data;
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'session.completed',
      'contract.activated',
      'session.decision_made',
    ]);
  });

  test.each([
    ['', 'Enter your email address.'],
    ['ada@', 'Enter an email address like name@example.com.'],
  ])('"%s" is told at its field, which stays open', async (email, message) => {
    const { link } = await accepted();
    const { status, html, page } = await correct(link, email);
    expect([status, page]).toEqual([422, 'payment']);
    expect(textOf(html, 'customer-email-error')).toBe(message);
    expect(inputOf(html, 'customer_email')).toMatchObject({ value: email, 'aria-invalid': 'true' });
    expect(html).toMatch(/<details[^>]* open[^>]*data-testid="edit-email"/);
    expect(textOf(html, 'accepted-email')).toBe('ada@example.com');
    expect((await customer.open(link)).html).not.toMatch(/<details[^>]* open/);
  });

  test('is not changed before the plan is accepted or after it is paid', async () => {
    const { link } = await opened();
    expect((await correct(link, 'ada@example.org')).location).toBe(link);
    expect(await contracts()).toEqual([]);
    const paid = await accepted();
    await customer.send(paid.link, 'pay', CARD);
    expect((await correct(paid.link, 'ada@example.org')).status).toBe(409);
    const [{ customer_email: email }] = await contracts();
    expect(email).toBe('ada@example.com');
  });
});

describe('headers and assets', () => {
  test('every page, redirect and refusal carries the strict headers', async () => {
    const { link } = await opened();
    const answers = [
      await customer.open(link),
      await customer.open('/checkout/cs_unknown'),
      await customer.send(link, 'accept', {}),
      await customer.send(link, 'accept', CUSTOMER, { origin: 'https://evil.example' }),
      await customer.send(link, 'accept', CUSTOMER),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 422, 403, 303]);
    for (const { headers } of answers) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(headers.get('x-frame-options')).toBe('DENY');
      // In a popup, the store's page stays the opener, as docs/testing.md says.
      expect(headers.get('cross-origin-opener-policy')).toBe(null);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('no page has inline script or style, or loads anything from elsewhere', async () => {
    const { link } = await opened();
    const first = (await customer.open(link)).html;
    await customer.send(link, 'accept', CUSTOMER);
    for (const html of [first, (await customer.open(link)).html]) {
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<iframe/);
      const loaded = [...html.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
      expect(loaded).toEqual(['/assets/checkout.svg', '/assets/checkout.css', '/assets/checkout.js']);
    }
  });

  test.each([
    ['css', 'text/css; charset=utf-8'],
    ['js', 'text/javascript; charset=utf-8'],
    ['svg', 'image/svg+xml'],
  ])('/assets/checkout.%s is served from here, and not again while it is the same', async (name, type) => {
    const first = await customer.open(`/assets/checkout.${name}`);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, type]);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    const etag = first.headers.get('etag') ?? '';
    expect((await customer.request(`/assets/checkout.${name}`, { headers: { 'if-none-match': etag } })).status).toBe(
      304,
    );
  });

  test('the card fields carry the tokens and input modes that browsers and phones know', async () => {
    const { link } = await accepted();
    const { html } = await customer.open(link);
    expect(inputOf(html, 'card_number')).toMatchObject({ autocomplete: 'cc-number', inputmode: 'numeric' });
    expect(inputOf(html, 'card_expiry')).toMatchObject({ autocomplete: 'cc-exp', inputmode: 'numeric' });
    expect(inputOf(html, 'card_code')).toMatchObject({ autocomplete: 'cc-csc', inputmode: 'numeric' });
  });
});

describe('the simulator bar', () => {
  test('decisions §1: says that nothing is charged and what time the account has', async () => {
    const { link } = await opened();
    const { html } = await customer.open(link);
    expect(textOf(html, 'simulator-bar')).toContain('Sandbox Local simulator: nothing is charged.');
    expect(textOf(html, 'simulator-clock')).toBe('Simulated time January 1, 2026, 09:30 UTC (frozen)');
  });

  test('§1 the live account looks different, and also says that nothing is charged', async () => {
    const session = await shop.live.open();
    const { html } = await customer.open(new URL(session.checkout_url).pathname);
    expect(textOf(html, 'simulator-mode')).toBe('Live account');
    expect(textOf(html, 'simulator-bar')).toContain('nothing is charged');
    expect(html).toContain('bar-live');
  });

  test('?bar=off leaves it out, from step to step', async () => {
    const { link } = await opened();
    expect((await customer.open(`${link}?bar=off`)).html).not.toContain('simulator-bar');
    const next = await customer.send(`${link}?bar=off`, 'accept', CUSTOMER);
    expect(next.location).toBe(`${link}?bar=off`);
    expect((await customer.open(`${link}?bar=off`)).html).not.toContain('decline-payment');
  });

  test('test data fills both forms, so that they can be sent as they are', async () => {
    const { session, link } = await opened({ customer_email: 'grace@example.com' });
    const details = (await customer.open(`${link}?fill=1`)).html;
    for (const html of [details, (await customer.open((await accepted()).link)).html]) {
      expect(textOf(html, 'fill-test-data')).toBe('Fill in test data');
    }
    const person = ['customer_name', 'customer_email'].map((name) => [name, inputOf(details, name).value] as const);
    expect(person[1]?.[1]).toBe('grace@example.com');
    expect((await customer.send(link, 'accept', person as never)).status).toBe(303);
    const payment = (await customer.open(`${link}?fill=1`)).html;
    const card = Object.keys(CARD).map((name) => [name, inputOf(payment, name).value] as const);
    expect((await customer.send(link, 'pay', card as never)).location).toBe(session.return_url);
  });

  test('expiring a session moves the account clock to its deadline; an accepted one has no such control', async () => {
    const { session, link } = await opened();
    const { html } = await customer.open(link);
    expect(textOf(html, 'expire-session')).toBe('Advance clock to the deadline');
    expect(html).toContain('moves the clock of the whole account to 2026-01-01 10:30:00 UTC');
    const expired = await customer.send(link, 'expire');
    expect([expired.status, expired.location]).toEqual([303, link]);
    expect(await statusOf(session.id)).toBe('expired');
    expect((await customer.open(link)).page).toBe('expired');
    const again = await customer.send(link, 'expire');
    expect([again.status, again.location]).toEqual([303, link]);
    const clock = await shop.call('GET', '/_sim/clock');
    expect(clock.body.data.now).toBe(session.expires_at);

    const other = await accepted();
    expect((await customer.open(other.link)).html).not.toContain('data-testid="expire-session"');
    await customer.send(other.link, 'expire');
    expect(await statusOf(other.session.id)).toBe('decision_made');
    expect((await shop.call('GET', '/_sim/clock')).body.data.now).toBe(session.expires_at);
  });

  test('the decline control belongs to the payment form, and is not there before', async () => {
    const { link } = await opened();
    expect((await customer.open(link)).html).not.toContain('decline-payment');
    await customer.send(link, 'accept', CUSTOMER);
    expect(inputOf((await customer.open(link)).html, 'outcome')).toMatchObject({
      type: 'checkbox',
      value: 'fail',
      form: 'payment-form',
    });
    expect(textOf((await customer.open(link)).html, 'decline-hint')).toBe(
      'Simulator: every well-formed card number is accepted, even 4000 0000 0000 0002. To see a declined payment, select “Decline” in the bar at the top.',
    );
    expect((await customer.open(`${link}?bar=off`)).html).not.toContain('decline-hint');
  });
});
