import { type Contract, type ContractStatus, overdueOf, type PaymentAttempt } from '../../domain/contract.ts';
import { type Installment, nextCollection } from '../../domain/installment.ts';
import { formatMoney } from '../../domain/money.ts';
import { day, moment } from './dates.ts';
import { form } from './form.ts';
import { type Html, html } from './html.ts';
import { type Page, progress } from './layout.ts';
import type { Visit } from './visit.ts';

/** A page with a message and a link onward. */
function notice(name: string, title: string, paragraphs: readonly string[], way?: Html): Page {
  return {
    name,
    title,
    body: html`<div class="card told"><h1>${title}</h1>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}${way}</div>`,
  };
}

/** A link to the merchant's page. The URL stays exactly as the merchant sent it. */
const wayOut = (address: string, label: string, testId: string) =>
  html`<p><a class="primary" href="${address}" rel="noreferrer" data-testid="${testId}">${label}</a></p>`;

export interface Receipt {
  readonly contract: Contract;
  readonly installments: readonly Installment[];
  /** The opening payment, which succeeded. */
  readonly payment: PaymentAttempt;
}

const STANDING: Record<ContractStatus, string> = {
  pending: 'Your plan is waiting for its first payment.',
  active: 'Thank you. Your plan is active.',
  completed: 'Your plan is paid in full. Thank you.',
  cancelled: 'Your plan was cancelled afterwards. No further payments are collected.',
  defaulted: 'Your plan has ended because payments were missed. No further payments are collected.',
};

/** The page after the opening payment: the receipt, the status of the plan, what is overdue, and a link to the store. */
export function completedPage(visit: Visit, { contract, installments, payment }: Receipt): Page {
  const overdue = overdueOf(contract, installments);
  const next = nextCollection(installments);
  const nextCents = installments.find(({ sequence }) => sequence === next?.sequence)?.amountCents ?? 0;
  return {
    name: 'completed',
    title: 'This checkout is complete',
    body: html`${progress(3)}
<div class="card told">
<h1>This checkout is complete</h1>
<div data-live="plan">
<p data-testid="plan-standing">${overdue.length > 0 ? 'Your plan is active, but payment is overdue.' : STANDING[contract.status]}</p>
${overdue.length > 0 && overdueForm(visit, overdue)}
<dl class="figures">
${line('Plan', contract.reference, 'contract-reference')}
${line('Order', html`<bdi>${contract.orderReference}</bdi>`, 'order-reference')}
${line('Paid at checkout', formatMoney(payment.amountCents), 'paid-amount')}
${line('Paid on', moment(payment.at), 'paid-at')}
${line('Payment', payment.reference, 'payment-reference')}
${next && line('Next payment', html`${formatMoney(nextCents)} on ${day(next.at)}`, 'next-payment')}
</dl>
</div>
${wayOut(visit.session.returnUrl, 'Continue to the store', 'return-link')}
</div>`,
  };
}

/** One form with a button for each overdue payment: the button that is pressed sends the number of its payment. */
const overdueForm = (visit: Visit, overdue: readonly Installment[]): Html =>
  form(
    visit,
    'settle',
    html`<ul class="overdue" aria-label="Overdue payments" data-testid="overdue">
${overdue.map(
  ({ number, amountCents, lateChargeCents, dueAt }) => html`<li data-testid="overdue-payment">
<p>Overdue: ${formatMoney(amountCents)} since ${day(dueAt)}</p>
${lateChargeCents > 0 && html`<p class="hint">With the late charge of ${formatMoney(lateChargeCents)}, it comes to ${formatMoney(amountCents + lateChargeCents)}.</p>`}
<button class="primary" type="submit" name="installment" value="${number}" data-testid="settle-button">Pay ${formatMoney(amountCents + lateChargeCents)}<span class="unseen"> for ${day(dueAt)}</span></button>
</li>
`,
)}</ul>
${visit.bar && html`<p class="hint simulated" data-testid="settle-hint">Simulator: a payment here always succeeds, and nothing is charged.</p>`}`,
  );

const line = (label: string, value: Html | string, testId: string) =>
  html`<div><dt>${label}</dt><dd data-testid="${testId}">${value}</dd></div>
`;

const BACK = 'To try again, go back to the store and start a new checkout.';

const ENDED: Record<'cancelled' | 'expired', readonly [title: string, what: string]> = {
  cancelled: ['This checkout was cancelled', 'Nothing was charged, and nothing is owed.'],
  expired: [
    'This checkout has expired',
    'The offer was not accepted in time. Nothing was charged, and nothing is owed.',
  ],
};

/** The page of a session that was cancelled or has expired. */
export function endedPage({ session }: Visit, status: keyof typeof ENDED): Page {
  const [title, what] = ENDED[status];
  return notice(status, title, [what, BACK], wayOut(session.cancelUrl, 'Return to the store', 'cancel-link'));
}

export const unknownPage = notice('unknown', 'This checkout link is not valid', [
  'No checkout has this address. Check that the link is complete.',
  BACK,
]);

export const notOursPage = notice('refused', 'This form could not be accepted', [
  'It was not sent from the checkout page itself, or the page was open for too long. Nothing was changed.',
  'Open the checkout again from its link, and try once more.',
]);

export const methodPage = notice('refused', 'This request is not supported', ['Open the checkout from its link.']);

export const bodyPage = notice('refused', 'This form could not be read', [
  'It is too large, or its format is not supported. Nothing was changed.',
]);

/** A step that was refused for another reason than the state of the checkout. */
export const refusedPage = (reason: string) =>
  notice('refused', 'This could not be done', [reason, 'Open the checkout from its link to see its current state.']);

export const faultPage = notice('fault', 'Something went wrong', [
  'The simulator had an internal error. Its log has the details. Reload this page to see the current state of the checkout.',
]);
