import type { PaymentAttempt } from '../contract.ts';
import type { EventType } from '../event.ts';
import { formatMoney } from '../money.ts';
import { installmentNumber } from '../schedule.ts';
import { isSettled } from './changes.ts';
import type { Story, ToldLever } from './story.ts';
import type { Telling } from './telling.ts';

/** A declined Cart Capture makes no event. */
export function tellDeclines(telling: Telling) {
  const { story } = telling;
  const accepted = story.events.find(({ type }) => type === 'session.decision_made')?.id ?? 1;
  for (const [place, attempt] of story.attempts.entries()) {
    if (attempt.sequence !== 1 || attempt.outcome !== 'fail' || telling.isTold(attempt.reference)) continue;
    const step = accepted + (place + 1) / (story.attempts.length + 2);
    telling.lead(attempt.at, step, attempt.cause, 'The customer tried to pay', 'decisions §4');
    tellAttempt(telling, attempt, step);
  }
}

export function tellAttempt(telling: Telling, attempt: Story['attempts'][number], step: number) {
  if (!telling.isNew(attempt.reference)) return;
  const number = installmentNumber(attempt.sequence);
  const of = number === null ? 'the Cart Capture' : `installment ${number}`;
  const amount = formatMoney(attempt.amountCents + attempt.lateChargeCents);
  telling.add('attempt', attempt.at, step, {
    what: `Payment attempt ${attempt.number} on ${of}, ${amount}, ${attempt.outcome === 'fail' ? 'failed' : 'succeeded'}.`,
    because: becauseOf(telling.story, attempt, step),
    section: 'decisions §1',
    id: attempt.reference,
  });
}

function becauseOf(story: Story, attempt: Story['attempts'][number], step: number): string {
  if (attempt.outcome === 'fail') {
    return attempt.sequence === 1
      ? 'The customer’s payment was arranged to fail: `outcome: fail`.'
      : `The contract’s outcome script said \`fail\`${scriptBefore(story, attempt.at, step)}.`;
  }
  return isSettled(attempt)
    ? 'A settlement always succeeds: the outcome script is for scheduled attempts only.'
    : 'Every attempt succeeds unless a failure was arranged.';
}

/** The step of an attempt is the id of its event; a preview has none. */
function scriptBefore(story: Story, at: number, step: number): string {
  const isEarlier = (each: ToldLever) => (story.session?.preview ? each.at < at : each.afterEvent < step);
  const lever = story.levers.findLast(
    (each) => each.operation === 'arrangeOutcomes' && isAbout(story, each) && isEarlier(each),
  );
  return lever ? `, arranged by ${lever.id}` : '';
}

export function tellOutcomes({ story, add }: Telling) {
  for (const lever of story.levers) {
    if (lever.operation !== 'arrangeOutcomes' || !isAbout(story, lever)) continue;
    const { outcomes = [] } = (lever.body ?? {}) as { outcomes?: readonly string[] };
    // The events of others do not date a preview, whose steps end with the payment.
    const step = story.session?.preview ? 2.5 : lever.afterEvent + 0.99;
    add('lever', lever.at, step, {
      what: `The next collection attempts were arranged: ${outcomes.join(', ') || 'all succeed'} (arrangeOutcomes).`,
      because: 'In sandbox, a payment fails only if a failure was arranged beforehand.',
      section: 'decisions §1',
      id: lever.id,
      sentAt: lever.sentAt,
    });
  }
}

const isAbout = ({ contract }: Story, { params }: ToldLever) =>
  contract !== null && params.reference === contract.reference;

export const isOutcome = ({ outcome }: PaymentAttempt, type: EventType) =>
  (outcome === 'pay') === (type === 'installment.paid');
