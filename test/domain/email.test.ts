import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMAIL_TEMPLATES, type EmailFacts, type EmailTemplate, renderEmail } from '../../src/domain/email.ts';
import { GONE } from '../../src/domain/webhook.ts';
import { PLACEHOLDER } from '../support/placeholders.ts';

/** Every fact that an email can have. */
type Facts = EmailFacts['installment_receipt'] & EmailFacts['delinquent_notice'] & EmailFacts['endpoint_disabled'];
const facts: Facts = {
  mode: 'sandbox',
  merchant: 'Example Store',
  customer: 'Ada Byron',
  reference: 'LAY-7K3M9QXAHD',
  order: 'A-1',
  amountCents: 2_469,
  lateChargeCents: 123,
  paidCents: 5_555,
  remainingCents: 7_407,
  installment: 2,
  installments: 4,
  dueDate: '2026-01-29',
  nextDueDate: '2026-02-12',
  url: 'https://shop.example/hooks',
  reason: 'it answered 500',
};

/** Everything that ends a line somewhere, or would start an element or an entity. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\u2028',
        '\u2029',
        '\u000b',
        '\u0000',
        '<script>',
        '</p>',
        '&amp;',
        '"',
        "'",
      ),
      fc.constantFrom('Bcc: all@example.com', '\\', '>', '<', 'é', '😀'),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

describe.each(EMAIL_TEMPLATES)('%s', (template) => {
  test('decisions §7: a sandbox subject begins `[Sandbox] `, a live one does not', () => {
    const sandbox = renderEmail(template, facts);
    const live = renderEmail(template, { ...facts, mode: 'live' });
    expect(sandbox.subject).toBe(`[Sandbox] ${live.subject}`);
    expect(live.subject).not.toContain('Sandbox');
    expect(`${live.text}${live.html}`).toContain('Nothing was charged');
  });

  test('decisions §7: text and HTML state every fact, and no placeholder is left', () => {
    const { text, html, subject } = renderEmail(template, facts);
    for (const part of [text, html, subject]) expect(part).not.toMatch(PLACEHOLDER);
    expect(text).not.toMatch(/<\/?[a-z]/);
    if (template !== 'endpoint_disabled') {
      for (const part of [text, html]) expect(part).toContain('LAY-7K3M9QXAHD');
    }
  });

  test('a name stands alone in the HTML, so that one from right to left does not turn the words around it', () => {
    const names = { merchant: 'חנות \u2067הים', customer: 'مريم', order: 'طلب' };
    const { html } = renderEmail(template, { ...facts, ...names });
    const [, body = ''] = html.split('</head>');
    for (const name of ['חנות הים', 'مريم', 'طلب']) {
      expect(body.split(name).length).toBe(body.split(`<bdi>${name}</bdi>`).length);
    }
    expect(body).not.toMatch(/[\u2066-\u2069]/);
  });

  test('the HTML breaks no reference at its hyphen', () => {
    const [, body = ''] = renderEmail(template, facts).html.split('</head>');
    const whole = '<span style="white-space:nowrap">LAY-7K3M9QXAHD</span>';
    expect(body.split(whole).length).toBe(body.split('LAY-7K3M9QXAHD').length);
  });

  test('a name with bidirectional controls does not turn the words around it in plain text', () => {
    const names = { merchant: 'Ab\u202ecd\u2069', customer: '\u202bAda', order: 'A\u2067-1' };
    const { subject, from, text } = renderEmail(template, { ...facts, ...names });
    for (const part of [subject, from, text]) {
      expect(part.replace(/\u2068[^\u2068\u2069]*\u2069/g, '')).not.toMatch(/\p{Bidi_Control}/u);
    }
    for (const part of Object.values(renderEmail(template, facts))) expect(part).not.toMatch(/\p{Bidi_Control}/u);
  });

  test('nothing of a customer’s or merchant’s starts a header line or an element', () => {
    const plain = renderEmail(template, facts);
    const tags = (html: string) => html.match(/<[a-z/!][^>]*>/g);
    fc.assert(
      fc.property(hostile, hostile, hostile, (customer, merchant, order) => {
        const email = renderEmail(template, { ...facts, customer, merchant, order: order || 'A-1', reason: customer });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        for (const header of [email.subject, email.from]) expect(header).not.toMatch(/[\u0000-\u001f\u2028\u2029]/);
        expect(email.from).toMatch(/^"[^"\\]*" <layaway@sandbox\.example>$/);
        expect(email.subject.startsWith('[Sandbox] ')).toBe(true);
        expect(tags(email.html)).toEqual(tags(plain.html));
      }),
    );
  });
});

/** The letters as they read, without the footer. */
const LETTERS: Record<EmailTemplate, { readonly subject: string; readonly text: string }> = {
  plan_confirmation: {
    subject: 'Your layaway plan with Example Store',
    text: `Hello Ada Byron,

Your layaway plan with Example Store has started. Today’s payment of $24.69 went through.

The remaining 4 payments are collected on their due dates; the next one on February 12, 2026.

Agreement: LAY-7K3M9QXAHD
Order: A-1
Paid so far: $55.55
Still to pay: $74.07`,
  },
  installment_receipt: {
    subject: 'Payment 2 of 4 received',
    text: `Hello Ada Byron,

We received payment 2 of 4 on your layaway plan with Example Store.

Agreement: LAY-7K3M9QXAHD
Order: A-1
Payment: $24.69
Late charge: $1.23
Paid so far: $55.55
Still to pay: $74.07`,
  },
  past_due_notice: {
    subject: 'Your payment to Example Store is past due',
    text: `Hello Ada Byron,

We tried twice to collect payment 2 of 4, due on January 29, 2026, and it did not go through.

Please pay before February 12, 2026 to avoid a late charge.

To pay, open the page of your checkout again, or contact Example Store and give the number of your agreement, LAY-7K3M9QXAHD.

Agreement: LAY-7K3M9QXAHD
Order: A-1
Past due: $24.69`,
  },
  delinquent_notice: {
    subject: 'A late charge was added to your plan with Example Store',
    text: `Hello Ada Byron,

Payment 2 of 4, due on January 29, 2026, is still unpaid and the grace period has ended.

Please pay before February 12, 2026. Otherwise your plan ends and the reservation fee is not refunded.

To pay, open the page of your checkout again, or contact Example Store and give the number of your agreement, LAY-7K3M9QXAHD.

Agreement: LAY-7K3M9QXAHD
Order: A-1
Unpaid: $24.69
Late charge: $1.23`,
  },
  plan_completed: {
    subject: 'Your layaway plan with Example Store is paid in full',
    text: `Hello Ada Byron,

That was the last payment: your plan with Example Store is complete. Thank you.

Agreement: LAY-7K3M9QXAHD
Order: A-1
Total paid: $55.55`,
  },
  plan_defaulted: {
    subject: 'Your layaway plan with Example Store has defaulted',
    text: `Hello Ada Byron,

Payment 2 of 4, due on January 29, 2026, was not made, and the plan has defaulted.

No further payments are collected. The reservation fee is not refunded.

Agreement: LAY-7K3M9QXAHD
Order: A-1
Paid so far: $55.55
Not collected: $74.07`,
  },
  plan_cancelled_customer: {
    subject: 'Your layaway plan with Example Store was cancelled',
    text: `Hello Ada Byron,

Example Store cancelled your layaway plan. No further payments are collected.

Please ask Example Store about money you already paid.

Agreement: LAY-7K3M9QXAHD
Order: A-1
Paid so far: $55.55`,
  },
  plan_cancelled_merchant: {
    subject: 'Layaway plan LAY-7K3M9QXAHD was cancelled',
    text: `Hello,

The layaway plan of Ada Byron was cancelled through the API. No further installments are collected.

Nothing was refunded: money already paid is between you and the customer.

Agreement: LAY-7K3M9QXAHD
Order: A-1
Paid so far: $55.55
Not collected: $74.07`,
  },
  endpoint_disabled: {
    subject: 'A webhook endpoint was disabled',
    text: `Hello,

Deliveries to https://shop.example/hooks kept failing (it answered 500), so the endpoint was disabled.

Enable it again when it accepts deliveries. Events that happened meanwhile can be resent.

Endpoint: https://shop.example/hooks`,
  },
};
const FOOTERS = {
  sandbox: 'This is a simulated message from a sandbox. Nothing was charged.',
  live: 'This is a simulated message from the live half of a local simulator. Nothing was charged.',
} as const;

/** What a reader of the HTML sees. */
function shown(html: string) {
  const unescaped = (text: string) =>
    text
      .replace(/<\/?(?:bdi|span)\b[^>]*>/g, '')
      .replace(
        /&(amp|lt|gt|quot|#39);/g,
        (entity) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' })[entity] ?? "'",
      );
  const every = (form: RegExp) => Array.from(html.matchAll(form), ([, ...groups]) => groups.map(unescaped));
  return {
    title: every(/<title>(.*)<\/title>/g).flat(),
    paragraphs: every(/^<p[^>]*>(.*)<\/p>$/gm).flat(),
    figures: every(/^<tr><th[^>]*>(.*)<\/th><td[^>]*>(.*)<\/td><\/tr>$/gm),
  };
}

describe.each(EMAIL_TEMPLATES)('decisions §7: %s, the whole letter', (template) => {
  const { subject, text } = LETTERS[template];

  test.each(['sandbox', 'live'] as const)('%s: subject and text', (mode) => {
    const email = renderEmail(template, { ...facts, mode });
    expect(email.from).toBe('"Example Store" <layaway@sandbox.example>');
    expect(email.subject).toBe(mode === 'sandbox' ? `[Sandbox] ${subject}` : subject);
    expect(email.text).toBe(`${text}\n\n${FOOTERS[mode]}\n`);
  });

  test.each(['sandbox', 'live'] as const)('%s: the HTML shows the same', (mode) => {
    const paragraphs = text.split('\n\n');
    const figures = (paragraphs.pop() as string).split('\n').map((line) => line.split(/: (.*)/).slice(0, 2));
    const { html } = renderEmail(template, { ...facts, mode });
    expect(shown(html)).toEqual({ title: [subject], paragraphs: [...paragraphs, FOOTERS[mode]], figures });
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">.*<meta charset="utf-8">.*<\/html>\n$/s);
  });
});

describe('decisions §7: what a letter leaves out', () => {
  const textOf = (template: EmailTemplate, changes: Partial<Facts>) =>
    renderEmail(template, { ...facts, ...changes }).text;

  test('one payment that is left has no number and no next one', () => {
    expect(textOf('plan_confirmation', { installments: 1 })).toContain(
      '\n\nThe remaining payment is collected on February 12, 2026.\n\n',
    );
  });

  test('a late charge of nothing is not spoken of', () => {
    const lateChargeCents = 0;
    expect(textOf('past_due_notice', { lateChargeCents })).toContain('\nPlease pay before February 12, 2026.\n');
    expect(textOf('installment_receipt', { lateChargeCents })).toContain('\nPayment: $24.69\nPaid so far: $55.55\n');
    const delinquent = renderEmail('delinquent_notice', { ...facts, mode: 'live', lateChargeCents });
    expect(delinquent.subject).toBe('Your payment to Example Store is still unpaid');
    expect(delinquent.text).toContain('\nUnpaid: $24.69\n\nThis is');
  });

  test('a moment to pay before that is here already', () => {
    const nextDueDate = null;
    for (const template of ['past_due_notice', 'delinquent_notice'] as const) {
      const text = textOf(template, { nextDueDate });
      expect(text).not.toContain('Please pay before');
      expect(text).toMatch(/\.\n\nTo pay, open the page of your checkout/);
    }
  });

  test('an order reference that the merchant never sent', () => {
    expect(textOf('plan_completed', { order: null })).toContain('\nAgreement: LAY-7K3M9QXAHD\nTotal paid: $55.55\n');
  });
});

test('an endpoint that answered 410 Gone is not said to have kept failing', () => {
  const { text } = renderEmail('endpoint_disabled', { ...facts, reason: GONE });
  expect(text).toMatch(/^Hello,\n\nhttps:\/\/shop\.example\/hooks answered a delivery with 410 Gone, so the endpoint/);
  expect(text).not.toContain('kept failing');
});

test('a name in a header is one line, without the quotes and backslashes that would end it', () => {
  const email = renderEmail('plan_completed', { ...facts, mode: 'live', merchant: ' A "B" \\\r\n\tC ' });
  expect(email.from).toBe('"A B  C" <layaway@sandbox.example>');
  expect(email.subject).toBe('Your layaway plan with  A "B" \\ C  is paid in full');
  expect(renderEmail('plan_completed', { ...facts, order: '\nA-1\r\n\r\nB ' }).text).toContain('\nOrder: A-1 B\n');
});
