import { type EventType, isOfSession } from '../event.ts';
import { tellAttempt } from './attempts.ts';
import { transitionOf } from './changes.ts';
import type { Story, ToldEvent, ToldLever } from './story.ts';
import type { Telling } from './telling.ts';

/** A preview makes no events, so its rows show what happened to it. */
export function tellPreview(telling: Telling) {
  const { story, add, lead } = telling;
  const { session, contract } = story;
  if (!session?.preview) return;
  if (contract) lead(contract.createdAt, 1, story.contractCause, 'The customer accepted the plan', 'decisions §4');
  for (const [place, attempt] of story.attempts.entries()) {
    // Each lever stands before its own attempt, also at one instant.
    const step = 1 + (place + 1) / (story.attempts.length + 1);
    lead(attempt.at, step, attempt.cause, 'A payment was attempted', 'decisions §4');
    tellAttempt(telling, attempt, step);
  }
  const ending = endingOf(story);
  if (ending) lead(ending.at, 3, `${ending.operation} ${ending.id}`, 'The customer backed out', 'decisions §4');
  for (const { step, ...change } of previewChanges(story)) {
    const said = transitionOf({ ...change, id: 0, token: '', cause: null }, story);
    const because = `${said?.because} A preview makes no events.`;
    if (said) add('transition', change.at, step, { ...said, because, id: change.subject });
  }
}

/** The changes of a preview's session and contract, in their order. */
function previewChanges(story: Story): (Pick<ToldEvent, 'type' | 'at' | 'subject'> & { readonly step: number })[] {
  const { session, contract } = story;
  const isExpired = session?.status === 'expired';
  const endedAt = contract?.cancelledAt ?? endingOf(story)?.at;
  const dated: [step: number, EventType, number | null | undefined][] = [
    [1, 'session.decision_made', contract?.createdAt],
    [2, 'contract.activated', contract?.startedAt],
    [2, 'session.completed', contract?.startedAt],
    [3, 'contract.completed', contract?.completedAt],
    [3, 'contract.defaulted', contract?.defaultedAt],
    [3, 'session.expired', isExpired ? session.expiresAt : null],
    [3, session?.status === 'cancelled' ? 'session.cancelled' : 'contract.cancelled', endedAt],
  ];
  return dated.flatMap(([step, type, at]) => {
    const subject = isOfSession(type) ? session?.token : contract?.reference;
    return at == null || subject === undefined ? [] : [{ step, type, at, subject }];
  });
}

/** The lever that cancelled the session. Nothing else ends the contract of a preview. */
const endingOf = ({ session, levers }: Story): ToldLever | undefined =>
  levers.findLast(
    ({ operation, params }) => operation === 'cancelCheckout' && (params.id ?? params.token) === session?.token,
  );
