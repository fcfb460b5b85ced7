import { TRIGGERS } from '../email.ts';
import { stepOf } from './events.ts';
import { disabledBecause } from './story.ts';
import type { Telling } from './telling.ts';

export function tellEmails({ story, add }: Telling) {
  for (const email of story.emails) {
    const type = TRIGGERS[email.template];
    const event = story.events.find(
      (each) =>
        each.type === type &&
        each.at === email.at &&
        (email.installment === null || !each.subject.includes('#') || each.subject.endsWith(`#${email.installment}`)),
    );
    add('email', email.at, event ? stepOf(event, story) : Number.MAX_SAFE_INTEGER, {
      what: `Email ${email.template} was written to ${email.recipient}.`,
      because: type ? `The event ${type} triggers it.` : disabledBecause(email),
      section: 'decisions §7',
      id: email.token,
    });
  }
}
