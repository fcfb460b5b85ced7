import { formatMoment, MINUTE } from '../calendar.ts';
import { formatMoney } from '../money.ts';
import { tellDeclines, tellOutcomes } from './attempts.ts';
import { tellDeliveries } from './deliveries.ts';
import { tellEmails } from './emails.ts';
import { tellEvents } from './events.ts';
import { tellPreview } from './preview.ts';
import type { Link, Story } from './story.ts';
import { createTelling, type Telling } from './telling.ts';

/** Returns the whole chain of a story, oldest first. It is the same for every id in the story. */
export function chainOf(story: Story): Link[] {
  const telling = createTelling(story);
  tellBeginning(telling);
  tellPreview(telling);
  tellEvents(telling);
  tellDeclines(telling);
  tellOutcomes(telling);
  tellEmails(telling);
  tellDeliveries(telling);
  return telling.chain();
}

/** The link that opened the session: the request, the lever, or neither if nothing was recorded. */
function tellBeginning({ story, add, lead }: Telling) {
  const { session } = story;
  if (!session) return;
  lead(session.createdAt, 0, story.sessionCause, 'POST /v1/sessions opened the checkout session', 'service §4.3');
  const minutes = (session.expiresAt - session.createdAt) / MINUTE;
  add('transition', session.createdAt, 0, {
    what: `Checkout session ${session.token} is pending, for ${formatMoney(session.totalCents)}.`,
    because: `A new session starts pending and expires at ${formatMoment(session.expiresAt)} unless the customer accepts the plan.`,
    section: 'service §3.1',
    setting: { name: 'session_ttl_minutes', value: minutes },
    id: session.token,
  });
}
