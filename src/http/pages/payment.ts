import { type CardErrors, laterExpiry } from '../../domain/card.ts';
import type { Contract } from '../../domain/contract.ts';
import { merchantName } from '../../domain/merchant.ts';
import { formatMoney } from '../../domain/money.ts';
import { quote } from '../../domain/quote.ts';
import { emailField, errorSummary, field } from './field.ts';
import { backOutForm, form } from './form.ts';
import { html } from './html.ts';
import { type Page, progress } from './layout.ts';
import { plan } from './plan.ts';
import type { Visit } from './visit.ts';

/** Any number with a valid check digit: the simulator does not treat this one specially. */
const TEST_NUMBER = '4111 1111 1111 1111';

/** A corrected email address, and what is wrong with it. */
export interface EmailEntered {
  readonly email: string;
  readonly error: string | undefined;
}

interface Tried {
  readonly declined: boolean;
  readonly errors: CardErrors;
  readonly entered: EmailEntered | null;
}

/** The second step: the opening payment. The page never shows card details that were sent. */
export function paymentPage(visit: Visit, contract: Contract, { declined, errors, entered }: Tried): Page {
  const { session, account, now, fill } = visit;
  const amount = formatMoney(quote(session.totalCents, session.terms).cartCaptureCents);
  const fields = [
    {
      name: 'card_number',
      label: 'Card number',
      autocomplete: 'cc-number',
      inputmode: 'numeric',
      placeholder: '1234 1234 1234 1234',
      maxLength: 23,
      error: errors.number,
      ...(fill && { value: TEST_NUMBER }),
    },
    {
      name: 'card_expiry',
      label: 'Expiry date',
      autocomplete: 'cc-exp',
      inputmode: 'numeric',
      placeholder: 'MM / YY',
      maxLength: 9,
      className: 'half',
      error: errors.expiry,
      ...(fill && { value: laterExpiry(now) }),
    },
    {
      name: 'card_code',
      label: 'Security code',
      autocomplete: 'cc-csc',
      inputmode: 'numeric',
      placeholder: 'CVC',
      maxLength: 4,
      className: 'half',
      error: errors.code,
      ...(fill && { value: '123' }),
    },
  ] as const;
  const email = emailField({ value: entered?.email ?? contract.customerEmail, error: entered?.error });
  const failed = errorSummary([email, ...fields]);
  return {
    name: 'payment',
    title: `${failed || declined ? 'Error: ' : ''}Pay ${amount} to ${merchantName(account.merchant)}`,
    body: html`${progress(2)}
<h1>Pay ${amount} today</h1>
<div class="columns form-first">
<section class="card" aria-labelledby="payment-title">
${failed ?? (declined && declinedNotice)}
<h2 id="payment-title">Card</h2>
<dl class="customer" data-live="customer" data-testid="customer">
<div><dt>Name</dt><dd dir="auto" data-testid="accepted-name">${contract.customerName}</dd></div>
<div><dt>Email</dt><dd dir="auto" data-testid="accepted-email">${contract.customerEmail}</dd></div>
</dl>
<details class="correct"${entered && html` open`} data-testid="edit-email">
<summary>Edit email</summary>
${form(visit, 'email', html`${field(email)}<button class="secondary" type="submit" data-testid="save-email">Save email</button>`)}
</details>
${form(
  visit,
  'pay',
  html`<div class="fields">${fields.map(field)}</div>
${visit.bar && declineHint}
<p class="hint">The later payments are collected from this card on their due dates.</p>
<button class="primary" type="submit" data-testid="pay-button">Pay ${amount}</button>`,
)}
${backOutForm(visit)}
</section>
${plan(visit)}
</div>`,
  };
}

/** Next to the card, where developers look for a test number that is declined. */
const declineHint = html`<p class="hint simulated" data-testid="decline-hint">Simulator: every well-formed card number is accepted, even 4000 0000 0000 0002. To see a declined payment, select “Decline” in the bar at the top.</p>`;

const declinedNotice = html`<div class="notice notice-bad" role="alert" tabindex="-1" autofocus data-testid="payment-declined">
<h2>Your card was declined</h2>
<p>Nothing was charged, and your plan is still waiting for you. Check the card details and try again, or use another card.</p>
</div>`;
