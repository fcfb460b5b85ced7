import { type Html, html } from './html.ts';
import { addressOf, type Step, type Visit } from './visit.ts';

/** `novalidate`: the server checks the fields, because the browser's messages would be worded differently. */
export const form = (visit: Visit, step: Step, content: Html): Html =>
  html`<form id="${FORM_IDS[step]}" method="post" action="${addressOf(visit, step)}" novalidate data-testid="${FORM_IDS[step]}">
<input type="hidden" name="form_token" value="${visit.formToken}">
${content}
</form>`;

const FORM_IDS: Record<Step, string> = {
  accept: 'details-form',
  email: 'email-form',
  pay: 'payment-form',
  settle: 'settle-form',
  cancel: 'cancel-form',
  expire: 'expire-form',
};

export const backOutForm = (visit: Visit): Html =>
  form(
    visit,
    'cancel',
    html`<button class="quiet" type="submit" data-testid="cancel-button">Cancel and return to the store</button>`,
  );
