import type { Attempted, Carried, Delivery } from '../domain/webhook.ts';
import type { Outbox } from '../engine/outbox.ts';

/** Where outcomes are recorded, and who is told of them. */
export interface OutcomeRooms {
  readonly outbox: Pick<Outbox, 'record'>;
  /** Called with each attempt, for people who watch the server. */
  observe(delivery: Delivery, outcome: Carried): void;
  /** Runs work that nobody awaits. */
  attemptTo(work: () => void): void;
}

/**
 * How many outcomes of one account are written together, because writing each alone would cost more than sending it.
 * Receivers work on the next deliveries meanwhile. A crash loses at most these; their events are sent again with the
 * same ids (decisions §6).
 */
const TOGETHER = 64;
/** How long an outcome may wait to be written. */
const SOON_MS = 5;

/** Those of one account that are not written yet. */
interface Noted {
  readonly attempts: Attempted[];
  readonly soon: NodeJS.Timeout;
}

/** Writes the outcomes of attempts down, several of an account together. */
export function createOutcomes({ outbox, observe, attemptTo }: OutcomeRooms) {
  /** By account. */
  const noted = new Map<number, Noted>();

  function write(accountId: number, attempts: readonly Attempted[]) {
    outbox.record(accountId, attempts);
    for (const { delivery, outcome } of attempts) observe(delivery, outcome);
  }

  /** Writes what was noted for an account, if it is at least that much. */
  function writeNoted(accountId: number, atLeast: number) {
    const known = noted.get(accountId);
    if (!known || known.attempts.length < atLeast) return;
    forget(accountId, known);
    write(accountId, known.attempts);
  }

  function forget(accountId: number, { soon }: Noted) {
    clearTimeout(soon);
    noted.delete(accountId);
  }

  return {
    write,
    /** Notes an outcome, which is soon written together with others of the account. */
    note(accountId: number, attempt: Attempted) {
      const known = noted.get(accountId);
      if (known) known.attempts.push(attempt);
      else {
        const soon = setTimeout(() => attemptTo(() => writeNoted(accountId, 1)), SOON_MS);
        noted.set(accountId, { attempts: [attempt], soon });
      }
    },
    /** Writes what was noted for an account. */
    flush: (accountId: number) => writeNoted(accountId, 1),
    /** The same if enough was noted. */
    flushIfMany: (accountId: number) => writeNoted(accountId, TOGETHER),
    flushAll() {
      for (const accountId of noted.keys()) attemptTo(() => writeNoted(accountId, 1));
    },
    forgetAll() {
      for (const [accountId, known] of noted) forget(accountId, known);
    },
  };
}
