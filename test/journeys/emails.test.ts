import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { type Journey, journey } from '../support/journey.ts';
import { PLACEHOLDER } from '../support/placeholders.ts';
import { openReceiver } from '../support/receiver.ts';
import { expectData } from '../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 7 });
});
afterAll(() => sim.close());

const at = '2026-01-01T09:00:00Z';
const ADA = 'ada@example.com';
const SHOP = 'shop@example.com';

interface Email {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly template: string;
  readonly reference: string | null;
  readonly text: string;
  readonly html: string;
  readonly created_at: string;
}

const inbox = async (story: Pick<Journey, 'call'>, query = ''): Promise<Email[]> =>
  expectData(await story.call('GET', `/_sim/emails${query}`));

/** How each email of decisions §7 comes about: the newest one is the one meant. */
const OCCASIONS: [template: string, to: string, subject: RegExp, about: RegExp, happens: (ada: Journey) => unknown][] =
  [
    [
      'plan_confirmation',
      ADA,
      /Your layaway plan with/,
      /\$50\.00.*4 payments.*January 15, 2026.*Paid so far: \$50\.00.*Still to pay: \$160\.00/s,
      () => undefined,
    ],
    [
      'installment_receipt',
      ADA,
      /Payment 1 of 4 received/,
      /\$40\.00.*Paid so far: \$90\.00.*Still to pay: \$120\.00/s,
      (ada) => ada.advances('2026-01-15'),
    ],
    [
      'past_due_notice',
      ADA,
      /past due/,
      /Hello Ada Byron,\n\nWe tried.*payment 1 of 4, due on January 15, 2026.*pay before January 27, 2026.*To pay, open the page of your checkout.*Past due: \$40\.00\n/s,
      async (ada) => {
        await ada.arranges('fail', 'fail');
        await ada.advances('2026-01-17');
      },
    ],
    [
      'delinquent_notice',
      ADA,
      /late charge/,
      /Please pay before February 16, 2026\. Otherwise your plan ends and the reservation fee is not refunded\..*Unpaid: \$40\.00\nLate charge: \$2\.00/s,
      async (ada) => {
        await ada.arranges('fail', 'fail');
        await ada.advances('2026-01-27');
      },
    ],
    ['plan_completed', ADA, /paid in full/, /Total paid: \$210\.00/, (ada) => ada.advances('2026-02-26')],
    [
      'plan_defaulted',
      ADA,
      /has defaulted/,
      /Payment 1 of 4, due on January 15, 2026.*reservation fee is not refunded.*Paid so far: \$130\.00\nNot collected: \$80\.00/s,
      async (ada) => {
        await ada.arranges('fail', 'fail');
        await ada.advances('2026-02-16');
      },
    ],
    ['plan_cancelled_customer', ADA, /was cancelled/, /Paid so far: \$50\.00/, (ada) => ada.isCancelled()],
    [
      'plan_cancelled_merchant',
      SHOP,
      /was cancelled/,
      /Nothing was refunded.*Paid so far: \$50\.00\nNot collected: \$160\.00/s,
      (ada) => ada.isCancelled(),
    ],
  ];

describe('decisions §7: every email, on its occasion', () => {
  test.each(OCCASIONS)('%s to %s', async (template, to, subject, about, happens) => {
    const ada = await (await journey(sim, { at })).buys();
    await happens(ada);
    const found = (await inbox(ada)).filter((email) => email.template === template);
    expect(found).toHaveLength(1);
    const [email] = found as [Email];
    expect(email.to).toBe(to);
    expect(email.subject).toMatch(subject);
    expect(email.subject.startsWith('[Sandbox] ')).toBe(true);
    expect(email.from).toMatch(/^"[^"]+" <[^@\s]+@[^@\s]+>$/);
    expect(email.reference).toBe(ada.reference());
    for (const part of [email.text, email.html]) {
      expect(part).toContain(ada.reference());
      expect(part).not.toMatch(PLACEHOLDER);
    }
    expect(email.text).toMatch(about);
    expect(email.text).not.toMatch(/<[a-z/]/);
    expect(email.html).toMatch(/^<!doctype html>/);
    expect(expectData(await ada.call('GET', `/_sim/emails/${email.id}`))).toEqual(email);
  });

  test('endpoint_disabled to the merchant, about no contract', async () => {
    await using receiver = await openReceiver([410]);
    const story = await journey(sim, { at });
    const endpoint = expectData(await story.call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
    await story.call('POST', `/_sim/webhook-endpoints/${endpoint.id}/test`);
    const emails = await inbox(story);
    expect(emails).toMatchObject([{ template: 'endpoint_disabled', to: SHOP, reference: null }]);
    for (const part of [emails[0]?.text, emails[0]?.html]) {
      expect(part).toContain(`${receiver.url} answered a delivery with 410 Gone, so the endpoint was disabled.`);
    }
  });

  test('a live account’s subjects do not say Sandbox', async () => {
    const ada = await (await journey(sim, { at, mode: 'live' })).buys();
    expect((await inbox(ada)).map(({ subject }) => subject)).toEqual(['Your layaway plan with Example Store']);
  });

  test('without a reservation fee, none is mentioned', async () => {
    const ada = await (await journey(sim, { at, settings: { reservation_fee_percentage: 0 } })).buys();
    await ada.arranges('fail', 'fail');
    await ada.advances('2026-02-16');
    const emails = await inbox(ada);
    const textOf = (template: string) => emails.find((email) => email.template === template)?.text;
    expect(textOf('plan_defaulted')).toContain('defaulted.\n\nNo further payments are collected.\n');
    expect(textOf('delinquent_notice')).toContain('Please pay before February 16, 2026. Otherwise your plan ends.\n');
    for (const { text, html } of emails) expect(`${text}${html}`).not.toMatch(/reservation fee/i);
  });

  test('the first one names the due date that counts from the payment', async () => {
    const ada = await (await journey(sim, { at })).opens();
    await ada.accepts();
    await ada.advances('2026-01-04');
    await ada.pays();
    expect((await inbox(ada))[0]?.text).toContain('the next one on January 18, 2026.');
  });

  test('the receipt of the last payment leaves nothing to pay', async () => {
    const ada = await (await journey(sim, { at })).buys();
    await ada.advances('2026-02-26');
    const receipt = (await inbox(ada)).find(({ template }) => template === 'installment_receipt');
    expect(receipt?.text).toContain('Payment: $40.00\nPaid so far: $210.00\nStill to pay: $0.00\n');
  });

  test('each is written at the instant of its change', async () => {
    const ada = await (await journey(sim, { at })).buys();
    await ada.arranges('pay', 'fail', 'fail');
    await ada.advances('2026-03-01');
    expect((await inbox(ada)).map(({ created_at, template }) => `${template} ${created_at.slice(0, 10)}`)).toEqual([
      'installment_receipt 2026-02-26',
      'installment_receipt 2026-02-12',
      'delinquent_notice 2026-02-10',
      'past_due_notice 2026-01-31',
      'installment_receipt 2026-01-15',
      'plan_confirmation 2026-01-01',
    ]);
  });
});

describe('§3.3, decisions §4: what the notices promise comes true', () => {
  const overdue = async (settings: object) => {
    const ada = await (await journey(sim, { at, settings })).buys();
    await ada.arranges('fail', 'fail');
    await ada.advances('2026-01-17');
    return ada;
  };
  const latest = async (ada: Journey) => ((await inbox(ada)) as [Email])[0];

  test('the day named is the first one on which it is too late', async () => {
    const ada = await overdue({});
    expect((await latest(ada)).text).toContain('Please pay before January 27, 2026 to avoid a late charge.');
    await ada.advances('2026-01-27');
    const notice = await latest(ada);
    expect(notice.text).toContain('Please pay before February 16, 2026. Otherwise your plan ends');
    expect(notice.subject).toMatch(/A late charge was added/);
    await ada.advances('2026-02-15T23:59:59Z');
    expect(expectData(await ada.call('GET', `/v1/contracts/${ada.reference()}`)).status).toBe('active');
    await ada.advances('2026-02-16');
    expect(expectData(await ada.call('GET', `/v1/contracts/${ada.reference()}`)).status).toBe('defaulted');
  });

  test('no notice asks for payment before a moment that is here already', async () => {
    const ada = await overdue({ grace_days: 0, default_days: 0 });
    const notices = (await inbox(ada)).filter(({ template }) => template.endsWith('_notice'));
    expect(notices.map(({ template }) => template)).toEqual(['delinquent_notice', 'past_due_notice']);
    for (const { text } of notices) expect(text).not.toContain('Please pay before');
  });

  test('the first notice names no day when the grace period ends at once; the second one does', async () => {
    const [delinquent, pastDue] = await inbox(await overdue({ grace_days: 0 }));
    expect(pastDue?.text).not.toContain('Please pay before');
    expect(delinquent?.text).toContain('Please pay before February 16, 2026. Otherwise your plan ends');
  });

  test.each([
    ['there is none', { late_charge_percentage: 0 }, 'January 27, 2026'],
    ['it rounds to nothing', { late_charge_max_amount: 0 }, 'January 27, 2026'],
    ['the plan defaults before', { default_days: 5 }, 'January 22, 2026'],
  ])('no late charge is spoken of when %s', async (_when, settings, day) => {
    const ada = await overdue(settings);
    expect((await latest(ada)).text).toContain(`Please pay before ${day}.`);
    await ada.advances('2026-01-27');
    for (const { subject, text } of await inbox(ada)) expect(`${subject}${text}`).not.toMatch(/late charge/i);
  });
});

describe('decisions §7: when nobody is written to', () => {
  test.each<[string, (ada: Journey) => Promise<unknown>]>([
    ['a session that is opened, and expires', async (ada) => ada.advances('2026-01-02')],
    ['a plan that is accepted', (ada) => ada.accepts()],
    ['a declined Cart Capture', async (ada) => [await ada.accepts(), await ada.declines()]],
    ['a customer who backs out of an accepted plan', async (ada) => [await ada.accepts(), await ada.backsOut()]],
  ])('%s', async (_what, happens) => {
    const ada = await (await journey(sim, { at })).opens();
    await happens(ada);
    expect(await inbox(ada)).toEqual([]);
  });

  test('a preview, whatever happens to it', async () => {
    const ada = await journey(sim, { at, preview: true });
    await ada.opens();
    await ada.accepts();
    await ada.pays();
    await ada.call('POST', '/_sim/clock/advance', { by: '3mo' });
    expect(await inbox(ada)).toEqual([]);
  });

  test('a first failed attempt', async () => {
    const ada = await (await journey(sim, { at })).buys();
    await ada.arranges('fail');
    await ada.advances('2026-01-15');
    expect((await inbox(ada)).map(({ template }) => template)).toEqual(['plan_confirmation']);
  });
});

describe('interface §3: the inbox', () => {
  test('is narrowed by address and by contract, and paged by a cursor that misses nothing', async () => {
    const ada = await (await journey(sim, { at })).buys();
    const first = ada.reference();
    await ada.buys({ order_reference: 'A-2' });
    const second = ada.reference();
    await ada.isCancelled();

    const templates = async (query: string) => (await inbox(ada, query)).map(({ template }) => template);
    expect(await templates(`?reference=${first}`)).toEqual(['plan_confirmation']);
    expect((await templates(`?reference=${second}`)).sort()).toEqual([
      'plan_cancelled_customer',
      'plan_cancelled_merchant',
      'plan_confirmation',
    ]);
    expect(await templates(`?to=${SHOP}`)).toEqual(['plan_cancelled_merchant']);
    expect(await templates(`?to=${ADA}&reference=${second}`)).toEqual(['plan_cancelled_customer', 'plan_confirmation']);
    expect(await templates('?to=nobody@example.com')).toEqual([]);

    const oldestFirst = (await inbox(ada)).reverse();
    const read: Email[] = [oldestFirst[0] as Email];
    for (;;) {
      const page = await inbox(ada, `?limit=2&after=${read.at(-1)?.id}`);
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(2);
      read.push(...page);
    }
    expect(read).toEqual(oldestFirst);
    expect(await templates(`?to=${SHOP}&after=${oldestFirst[0]?.id}`)).toEqual(['plan_cancelled_merchant']);
  });

  test('an unknown cursor is refused, an unknown email and another merchant’s are not found', async () => {
    const ada = await (await journey(sim, { at })).buys();
    const bob = await (await journey(sim, { at })).buys();
    const [own] = (await inbox(ada)) as [Email];
    expect((await ada.call('GET', '/_sim/emails?after=eml_nothing')).status).toBe(422);
    expect((await bob.call('GET', `/_sim/emails?after=${own.id}`)).status).toBe(422);
    expect((await ada.call('GET', '/_sim/emails/eml_nothing')).status).toBe(404);
    expect((await bob.call('GET', `/_sim/emails/${own.id}`)).status).toBe(404);
    expect((await inbox(bob)).map(({ id }) => id)).not.toContain(own.id);
  });
});

test('names and order references are shown as they are: no element, no header line', async () => {
  const name = '<img src=x onerror="alert(1)"> & "Ada" \'Byron\'';
  const story = await journey(sim, { at });
  await story.opens({ order_reference: '</td><script>1</script>\r\nBcc: all@example.com' });
  await story.call('POST', `/_sim/sessions/${story.id()}/complete`, { customer_name: name, customer_email: ADA });
  const [email] = (await inbox(story)) as [Email];
  expect(email.html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &quot;Ada&quot; &#39;Byron&#39;');
  expect(email.html).toContain('&lt;/td&gt;&lt;script&gt;');
  expect(email.html).not.toMatch(/<(?:img|script)/);
  expect(email.text).toContain(name);
  expect(email.text).not.toMatch(/^Bcc:/m);
  expect(`${email.subject}${email.from}${email.to}`).not.toMatch(/[\r\n]/);
});
