import { longDate } from './calendar.ts';
import { REFERENCE } from './contract.ts';
import type { EventType } from './event.ts';
import type { Mode } from './mode.ts';
import { formatMoney } from './money.ts';
import { escaped, oneLine } from './text.ts';
import { GONE } from './webhook.ts';

export const EMAIL_TEMPLATES = [
  'plan_confirmation',
  'installment_receipt',
  'past_due_notice',
  'delinquent_notice',
  'plan_completed',
  'plan_defaulted',
  'plan_cancelled_customer',
  'plan_cancelled_merchant',
  'endpoint_disabled',
] as const;
export type EmailTemplate = (typeof EMAIL_TEMPLATES)[number];

/** The event that triggers each email. No event announces a disabled endpoint. */
export const TRIGGERS: Readonly<Partial<Record<EmailTemplate, EventType>>> = {
  plan_confirmation: 'contract.activated',
  installment_receipt: 'installment.paid',
  past_due_notice: 'installment.past_due',
  delinquent_notice: 'installment.delinquent',
  plan_completed: 'contract.completed',
  plan_defaulted: 'contract.defaulted',
  plan_cancelled_customer: 'contract.cancelled',
  plan_cancelled_merchant: 'contract.cancelled',
};

/** What emails say about a plan; amounts in cents, dates as `YYYY-MM-DD`. */
interface Plan {
  readonly customer: string;
  readonly reference: string;
  readonly order: string | null;
  readonly amountCents: number;
  readonly lateChargeCents: number;
  readonly paidCents: number;
  readonly remainingCents: number;
  /** Emails of earlier versions do not contain the fee. */
  readonly reservationFeeCents?: number;
  readonly installment: number;
  readonly installments: number;
  readonly dueDate: string;
  readonly nextDueDate: string | null;
}

type Of<Fact extends keyof Plan> = Pick<Plan, Fact>;
type Balance = Of<'paidCents' | 'remainingCents'>;
type Installment = Of<'installment' | 'installments' | 'dueDate'>;

/** What each email about a plan says besides its names. */
export interface PlanFacts {
  readonly plan_confirmation: Balance & Of<'amountCents' | 'installments' | 'nextDueDate'>;
  readonly installment_receipt: Balance & Installment & Of<'amountCents' | 'lateChargeCents'>;
  readonly past_due_notice: Installment & Of<'amountCents' | 'lateChargeCents' | 'nextDueDate'>;
  readonly delinquent_notice: PlanFacts['past_due_notice'] & Of<'reservationFeeCents'>;
  readonly plan_completed: Of<'paidCents'>;
  readonly plan_defaulted: Balance & Installment & Of<'reservationFeeCents'>;
  readonly plan_cancelled_customer: Of<'paidCents'>;
  readonly plan_cancelled_merchant: Balance;
}

interface Sender {
  readonly mode: Mode;
  readonly merchant: string;
}

/** The facts of each email. */
export type EmailFacts = {
  readonly [Template in keyof PlanFacts]: Sender & Of<'customer' | 'reference' | 'order'> & PlanFacts[Template];
} & { readonly endpoint_disabled: Sender & { readonly url: string; readonly reason: string } };

export interface RenderedEmail {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The content of an email: subject, paragraphs, and the figures below them. */
interface Content {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly figures: readonly Figure[];
}

type Figure = readonly [label: string, value: string];

const SENDER = 'layaway@sandbox.example';

/** Writes an email. Sandbox subjects begin with `[Sandbox] ` (decisions §7). */
export function renderEmail<Template extends EmailTemplate>(
  template: Template,
  facts: EmailFacts[Template],
): RenderedEmail {
  const marked = isolated(facts);
  // In plain text the marks would be characters, so only names that need them get them.
  const plain = Object.values(facts).some((fact) => TURNS_TEXT.test(String(fact))) ? marked : facts;
  const content = CONTENTS[template](plain);
  const subject = oneLine(facts.mode === 'sandbox' ? `[Sandbox] ${content.subject}` : content.subject);
  return {
    from: `${quoted(plain.merchant)} <${SENDER}>`,
    subject,
    text: toText(content, plain),
    html: toHtml(content.subject, CONTENTS[template](marked), facts),
  };
}

/** Characters that change the direction of the text after them. */
const TURNS_TEXT = /\p{Bidi_Control}/u;

const NAMES: ReadonlySet<string> = new Set(['merchant', 'customer', 'order']);

/** Marks names, which may be of any script, so that the words around them keep their order. */
function isolated<Facts extends object>(facts: Facts): Facts {
  const marked = Object.entries(facts).map(([fact, value]) => {
    if (typeof value !== 'string') return [fact, value];
    const text = value.replace(/[\u2066-\u2069]/g, '');
    return [fact, NAMES.has(fact) ? `\u2068${text}\u2069` : text];
  });
  return Object.fromEntries(marked);
}

const REFERENCES = new RegExp(`\\b${REFERENCE}\\b`, 'g');

/** Text as markup: each marked name in an element of its own, and no reference broken at its hyphen. */
const toMarkup = (text: string) =>
  escaped(text)
    .replace(/\u2068([^\u2068\u2069]*)\u2069/g, '<bdi>$1</bdi>')
    .replace(REFERENCES, '<span style="white-space:nowrap">$&</span>');

/** `2027-01-01` as `January 1, 2027`. */
const longDay = (date: string | null) => longDate(Date.parse(date ?? ''));

/** A trace that was edited by hand may lack an amount, as it may lack a reference or a URL. */
const money = (cents: number | undefined) => formatMoney(cents ?? 0);
const hello = ({ customer }: Of<'customer'>) => `Hello ${customer},`;
/** A moment that is here already leaves no time to pay. */
const payBefore = ({ nextDueDate }: Of<'nextDueDate'>, rest: string) =>
  nextDueDate ? [`Please pay before ${longDay(nextDueDate)}${rest}`] : [];
const howToPay = ({ merchant, reference }: Sender & Of<'reference'>) =>
  `To pay, open the page of your checkout again, or contact ${merchant} and give the number of your agreement, ${reference}.`;
const about = ({ reference, order }: Of<'reference' | 'order'>): Figure[] => [
  ['Agreement', reference ?? ''],
  ...(order ? ([['Order', order]] as const) : []),
];
const lateCharge = ({ lateChargeCents }: Of<'lateChargeCents'>): Figure[] =>
  lateChargeCents ? [['Late charge', money(lateChargeCents)]] : [];
const balance = ({ paidCents, remainingCents }: Balance, rest = 'Still to pay'): Figure[] => [
  ['Paid so far', money(paidCents)],
  [rest, money(remainingCents)],
];
const hasFee = ({ reservationFeeCents }: Of<'reservationFeeCents'>) => reservationFeeCents !== 0;
/** Nobody has to pay the rest of a plan that ended. */
const lastBalance = (facts: Balance) => balance(facts, 'Not collected');

const CONTENTS: { readonly [Template in EmailTemplate]: (facts: EmailFacts[Template]) => Content } = {
  plan_confirmation: (facts) => ({
    subject: `Your layaway plan with ${facts.merchant}`,
    paragraphs: [
      hello(facts),
      `Your layaway plan with ${facts.merchant} has started. Today’s payment of ${money(facts.amountCents)} went through.`,
      facts.installments === 1
        ? `The remaining payment is collected on ${longDay(facts.nextDueDate)}.`
        : `The remaining ${facts.installments} payments are collected on their due dates; the next one on ${longDay(facts.nextDueDate)}.`,
    ],
    figures: [...about(facts), ...balance(facts)],
  }),
  installment_receipt: (facts) => ({
    subject: `Payment ${facts.installment} of ${facts.installments} received`,
    paragraphs: [
      hello(facts),
      `We received payment ${facts.installment} of ${facts.installments} on your layaway plan with ${facts.merchant}.`,
    ],
    figures: [...about(facts), ['Payment', money(facts.amountCents)], ...lateCharge(facts), ...balance(facts)],
  }),
  past_due_notice: (facts) => ({
    subject: `Your payment to ${facts.merchant} is past due`,
    paragraphs: [
      hello(facts),
      `We tried twice to collect payment ${facts.installment} of ${facts.installments}, due on ${longDay(facts.dueDate)}, and it did not go through.`,
      ...payBefore(facts, facts.lateChargeCents ? ' to avoid a late charge.' : '.'),
      howToPay(facts),
    ],
    figures: [...about(facts), ['Past due', money(facts.amountCents)]],
  }),
  delinquent_notice: (facts) => ({
    subject: facts.lateChargeCents
      ? `A late charge was added to your plan with ${facts.merchant}`
      : `Your payment to ${facts.merchant} is still unpaid`,
    paragraphs: [
      hello(facts),
      `Payment ${facts.installment} of ${facts.installments}, due on ${longDay(facts.dueDate)}, is still unpaid and the grace period has ended.`,
      ...payBefore(
        facts,
        `. Otherwise your plan ends${hasFee(facts) ? ' and the reservation fee is not refunded' : ''}.`,
      ),
      howToPay(facts),
    ],
    figures: [...about(facts), ['Unpaid', money(facts.amountCents)], ...lateCharge(facts)],
  }),
  plan_completed: (facts) => ({
    subject: `Your layaway plan with ${facts.merchant} is paid in full`,
    paragraphs: [hello(facts), `That was the last payment: your plan with ${facts.merchant} is complete. Thank you.`],
    figures: [...about(facts), ['Total paid', money(facts.paidCents)]],
  }),
  plan_defaulted: (facts) => ({
    subject: `Your layaway plan with ${facts.merchant} has defaulted`,
    paragraphs: [
      hello(facts),
      `Payment ${facts.installment} of ${facts.installments}, due on ${longDay(facts.dueDate)}, was not made, and the plan has defaulted.`,
      `No further payments are collected.${hasFee(facts) ? ' The reservation fee is not refunded.' : ''}`,
    ],
    figures: [...about(facts), ...lastBalance(facts)],
  }),
  plan_cancelled_customer: (facts) => ({
    subject: `Your layaway plan with ${facts.merchant} was cancelled`,
    paragraphs: [
      hello(facts),
      `${facts.merchant} cancelled your layaway plan. No further payments are collected.`,
      `Please ask ${facts.merchant} about money you already paid.`,
    ],
    figures: [...about(facts), ['Paid so far', money(facts.paidCents)]],
  }),
  plan_cancelled_merchant: (facts) => ({
    subject: `Layaway plan ${facts.reference} was cancelled`,
    paragraphs: [
      'Hello,',
      `The layaway plan of ${facts.customer} was cancelled through the API. No further installments are collected.`,
      'Nothing was refunded: money already paid is between you and the customer.',
    ],
    figures: [...about(facts), ...lastBalance(facts)],
  }),
  endpoint_disabled: (facts) => ({
    subject: 'A webhook endpoint was disabled',
    paragraphs: [
      'Hello,',
      facts.reason === GONE
        ? `${facts.url} answered a delivery with 410 Gone, so the endpoint was disabled.`
        : `Deliveries to ${facts.url} kept failing (${facts.reason}), so the endpoint was disabled.`,
      'Enable it again when it accepts deliveries. Events that happened meanwhile can be resent.',
    ],
    figures: [['Endpoint', facts.url ?? '']],
  }),
};

const footer = ({ mode }: Sender) =>
  mode === 'sandbox'
    ? 'This is a simulated message from a sandbox. Nothing was charged.'
    : 'This is a simulated message from the live half of a local simulator. Nothing was charged.';

const toText = (content: Content, facts: Sender) =>
  `${[
    ...content.paragraphs,
    content.figures.map(([label, value]) => `${label}: ${oneLine(value)}`).join('\n'),
    footer(facts),
  ].join('\n\n')}\n`;

const toHtml = (title: string, content: Content, facts: Sender) =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1d2733;background:#f4f6f8">
<div style="max-width:560px;margin:0 auto;padding:24px;background:#fff;border-radius:8px;overflow-wrap:anywhere">
${content.paragraphs.map((paragraph) => `<p>${toMarkup(paragraph)}</p>`).join('\n')}
<table style="width:100%;border-collapse:collapse">
${content.figures
  .map(
    ([label, value]) =>
      `<tr><th style="text-align:left;vertical-align:top;padding:4px 16px 4px 0;font-weight:400;overflow-wrap:normal">${escaped(label)}</th>` +
      `<td style="text-align:right;padding:4px 0">${toMarkup(value)}</td></tr>`,
  )
  .join('\n')}
</table>
<p style="color:#5b6773;font-size:13px">${footer(facts)}</p>
</div></body></html>
`;

/** Names come from customers and must not start a new header line. */
const quoted = (name: string) => `"${oneLine(name).replace(/[\\"]/g, '')}"`;
