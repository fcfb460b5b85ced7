import { merchantName } from '../../domain/merchant.ts';
import { EXAMPLE_CUSTOMER } from '../../operations/schemas.ts';
import { emailField, errorSummary, field } from './field.ts';
import { backOutForm, form } from './form.ts';
import { html } from './html.ts';
import { type Page, progress } from './layout.ts';
import { plan } from './plan.ts';
import type { Visit } from './visit.ts';

export interface DetailsEntered {
  readonly name: string;
  readonly email: string;
  readonly errors: { readonly name?: string | undefined; readonly email?: string | undefined };
}

/** The first step: the quote, and the customer's details. */
export function detailsPage(visit: Visit, entered: DetailsEntered | null): Page {
  const start = visit.fill
    ? { name: EXAMPLE_CUSTOMER.name, email: visit.session.customerEmail ?? EXAMPLE_CUSTOMER.email }
    : { name: '', email: visit.session.customerEmail ?? '' };
  const { name, email } = entered ?? start;
  const fields = [
    {
      name: 'customer_name',
      label: 'Full name',
      autocomplete: 'name',
      value: name,
      error: entered?.errors.name,
    },
    emailField({ value: email, error: entered?.errors.email }),
  ] as const;
  const failed = errorSummary(fields);
  return {
    name: 'details',
    title: `${failed ? 'Error: ' : ''}Your layaway plan with ${merchantName(visit.account.merchant)}`,
    body: html`${progress(1)}
<h1>Review your layaway plan</h1>
<div class="columns">
${plan(visit)}
<section class="card" aria-labelledby="details-title">
${failed}
<h2 id="details-title">Your details</h2>
${form(
  visit,
  'accept',
  html`${fields.map(field)}
<p class="hint">By accepting you agree to the payments listed in the schedule. You owe nothing until you accept.</p>
<button class="primary" type="submit" data-testid="accept-button">Accept plan and continue</button>`,
)}
${backOutForm(visit)}
</section>
</div>`,
  };
}
