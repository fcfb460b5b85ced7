import type { EmailTemplate } from '../email.ts';
import type { EventType } from '../event.ts';
import { stepOf } from './events.ts';
import { disabledBecause } from './story.ts';
import type { Telling } from './telling.ts';

const LETTERS: Partial<Record<EmailTemplate, EventType>> = {
  plan_confirmation: 'contract.activated',
  installment_receipt: 'installment.paid',
  past_due_notice: 'installment.past_due',
  delinquent_notice: 'installment.delinquent',
  plan_completed: 'contract.completed',
  plan_defaulted: 'contract.defaulted',
  plan_cancelled_customer: 'contract.cancelled',
  plan_cancelled_merchant: 'contract.cancelled',
};

export function tellEmails({ story, add }: Telling) {
  for (const email of story.emails) {
    const type = LETTERS[email.template];
    const event = story.events.find(
      (each) =>
        each.type === type &&
        each.at === email.at &&
        (email.installment === null || !each.subject.includes('#') || each.subject.endsWith(`#${email.installment}`)),
    );
    add('email', email.at, event ? stepOf(event, story) : Number.MAX_SAFE_INTEGER, {
      what: `E-mail ${email.template} was written to ${email.recipient}.`,
      because: type ? `The event ${type} triggers it.` : disabledBecause(email),
      section: 'decisions §7',
      id: email.token,
    });
  }
}
