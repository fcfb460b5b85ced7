import { formatMoment } from '../calendar.ts';
import type { Upcoming } from './ahead.ts';
import { UNSENT, UNSUBSCRIBED, WITHOUT_WEBHOOKS } from './events.ts';
import type { Link, Story } from './story.ts';

/** What a pending contract waits for. It makes no event that a forecast could hold. */
export function waitingOf({ session, contract, attempts }: Story): string | null {
  if (session === null || contract?.status !== 'pending') return null;
  const declined = attempts.length > 0 ? 'The customer’s last payment was declined. ' : '';
  return `${declined}The Cart Capture is still to be paid, without a deadline: \`layaway sessions pay ${session.token}\`.`;
}

/** A few sentences: the current state, its reason, what it waits for, and the next event. */
export function summaryOf(
  subject: string,
  state: string,
  chain: readonly Link[],
  ahead: readonly Upcoming[],
  waiting: string | null,
): string {
  const reason = reasonOf(subject, chain);
  const [next] = ahead;
  const comes = next ? `Next: ${next.what} at ${formatMoment(next.at)}, unless ${next.unless}.` : null;
  const ended = endOf(subject, state, chain);
  const sentences = [`${subject} is ${state}.`, reason, unsentOf(subject, chain), ended, waiting, comes];
  return sentences.filter((each) => each !== null).join(' ');
}

function reasonOf(subject: string, chain: readonly Link[]): string | null {
  if (subject.startsWith('we_')) return standingOf(chain);
  return /^(cs_|LAY-)/.test(subject) ? lastChangeOf(subject, chain) : lastLinkOf(subject, chain);
}

/** For an event, that it was not sent, and how to send it. */
function unsentOf(subject: string, chain: readonly Link[]): string | null {
  const link = chain.find(({ kind, id }) => kind === 'event' && id === subject);
  const why = [UNSUBSCRIBED, WITHOUT_WEBHOOKS, UNSENT].find((each) => link?.because.endsWith(each));
  return why === undefined
    ? null
    : `${why} Once an endpoint is enabled, \`layaway events resend ${subject}\` sends it.`;
}

/** For an unpaid installment, the end of its contract: because of it, nothing else comes. */
function endOf(subject: string, state: string, chain: readonly Link[]): string | null {
  if (!subject.includes('#') || state === 'paid') return null;
  const end = chain.findLast(({ kind, what }) => kind === 'transition' && ENDED.test(what));
  return end ? told(end) : null;
}

const ENDED = / moved (?:from active )?to (?:cancelled|defaulted)\b/;

/** The last change or attempt of a webhook endpoint. */
function standingOf(chain: readonly Link[]): string | null {
  const last = chain.findLast(({ kind }) => kind === 'transition' || kind === 'delivery');
  return last ? told(last) : null;
}

function lastChangeOf(subject: string, chain: readonly Link[]): string | null {
  // The chain is that of the whole contract. Its later steps do not explain a session, nor one installment another.
  const own = chain.filter(({ id, what }) => id === subject || what.split(/[ ,.]+/).includes(subject));
  const last = own.findLast(({ kind }) => kind === 'transition');
  if (last) return told(last);
  // Of an installment that is due, only events are its own: what caused the last one explains it.
  const event = own.at(-1);
  return event?.id ? lastLinkOf(event.id, chain) : null;
}

/** The last link of an id; for an event, which shares its transaction with others, the change behind it. */
function lastLinkOf(id: string, chain: readonly Link[]): string | null {
  const place = chain.findLastIndex((link) => link.id === id);
  const link = chain[place] ?? chain.at(-1);
  if (link?.kind !== 'event') return link ? told(link) : null;
  const behind = chain.slice(0, place).filter(({ at, kind }) => at === link.at && kind !== 'event');
  const change = behind.findLast((each) => each.kind === 'transition' && link.what.endsWith(` for ${each.id}.`));
  return told(change ?? behind.at(-1) ?? link);
}

const told = ({ what, because }: Link) => `${what} ${because}`;
