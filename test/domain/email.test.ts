import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMAIL_TEMPLATES, type EmailFacts, escapeHtml, formatMoney, renderEmail } from '../../src/domain/email.ts';

const facts: EmailFacts = {
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
    for (const part of [text, html, subject]) expect(part).not.toMatch(/undefined|null|NaN|\$\{/);
    expect(text).not.toMatch(/<\/?[a-z]/);
    if (template !== 'endpoint_disabled') {
      for (const part of [text, html]) expect(part).toContain('LAY-7K3M9QXAHD');
    }
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

test('decisions §7: what is required of each e-mail is in it', () => {
  const text = (template: (typeof EMAIL_TEMPLATES)[number]) => renderEmail(template, facts).text;
  expect(renderEmail('past_due_notice', facts).subject).toMatch(/past due/i);
  expect(text('past_due_notice')).toMatch(/tried twice.*January 29, 2026.*February 12, 2026.*\$24\.69/s);
  expect(text('delinquent_notice')).toMatch(/\$24\.69.*Late charge: \$1\.23/s);
  expect(text('plan_cancelled_customer')).toContain('No further payments are collected.');
  expect(text('plan_cancelled_merchant')).toContain('Nothing was refunded');
  expect(text('plan_defaulted')).toContain('The reservation fee is not refunded.');
  expect(text('installment_receipt')).toMatch(/payment 2 of 4.*\$24\.69.*Late charge: \$1\.23/s);
  expect(text('plan_completed')).toContain('Paid in all: $55.55');
});

test('an order reference that the merchant never sent is not spoken of', () => {
  expect(renderEmail('plan_completed', { ...facts, order: null }).text).not.toContain('Order:');
});

test('HTML shows the text as it is', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  );
});

test.each([
  [0, '$0.00'],
  [5, '$0.05'],
  [99, '$0.99'],
  [100, '$1.00'],
  [123_456, '$1,234.56'],
  [100_000_000, '$1,000,000.00'],
  [-250, '-$2.50'],
])('%i cents read %s', (cents, expected) => {
  expect(formatMoney(cents)).toBe(expected);
});

test('money reads as Intl writes it', () => {
  const reference = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (cents) => {
      expect(formatMoney(cents)).toBe(reference.format(`${BigInt(cents)}E-2` as unknown as number));
    }),
  );
});
