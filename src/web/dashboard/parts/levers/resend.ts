import { resendEvent } from '../../../../operations/events.ts';
import type { Delivery } from '../../../../operations/wire.ts';
import { type Asked, ask } from '../../ask.ts';
import { refresh } from '../../live.ts';
import { plural } from '../../words.ts';
import type { Place } from '../here.ts';
import { teller } from './toast.tsx';

/** Resends an event, shows how the receivers responded, and links to the new delivery. */
export async function resend(href: Place['href'], ...input: Asked<typeof resendEvent>) {
  const tell = teller();
  const sent = await ask(resendEvent, ...input);
  refresh();
  const first = sent.find(({ status }) => status !== 'delivered') ?? sent[0];
  if (!first) return tell('Not resent: no enabled endpoint subscribes to this event.', 'bad');
  const isGood = first.status === 'delivered';
  const resent = sent.length > 1 ? `Resent to ${plural(sent.length, 'endpoint')}. ` : isGood ? 'Resent. ' : '';
  tell(resent + outcomeOf(first), isGood ? 'good' : 'bad', {
    href: href('webhooks', first.id),
    text: 'Open the new delivery',
  });
}

/** The result of a delivery's latest attempt, as a sentence. */
export function outcomeOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (!last) return 'The delivery waits for its first attempt.';
  if (last.status_code === null) return `The receiver did not respond: ${last.error ?? 'no reason is known'}.`;
  const code = `The receiver responded with ${last.status_code}`;
  return `${code}${last.error === null ? '' : `, but the attempt failed: ${last.error}`}.`;
}
