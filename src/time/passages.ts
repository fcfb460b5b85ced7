import type { Instant } from '../domain/calendar.ts';
import type { EventType } from '../domain/event.ts';
import type { Account } from '../domain/merchant.ts';
import type { Clocks } from './clocks.ts';

/** The number of events of each type. */
export type Counts = ReadonlyMap<EventType, number>;

/** The progress of an advance. */
export interface Progress {
  readonly now: Instant;
  readonly count: number;
  readonly byType: Counts;
  readonly isRehearsal: boolean;
  readonly from: Instant;
  readonly to: Instant;
}

/** An advance under way. */
interface Passage {
  readonly isRehearsal: boolean;
  readonly from: Instant;
  readonly to: Instant;
  readonly stopper: AbortController;
  readonly byType: Map<EventType, number>;
  readonly ended: Promise<unknown>;
}

/** The advances and dry runs under way, at most one for each account. */
export function createPassages(clocks: Pick<Clocks, 'now'>, accounts: { isThere(account: Account): boolean }) {
  /** By account. */
  const passages = new Map<number, Passage>();

  /** Runs `work` so that its progress can be read and it can be stopped. `work` notes the events that it makes. */
  function stoppable<R>(
    accountId: number,
    way: Pick<Passage, 'isRehearsal' | 'from' | 'to'>,
    cancelled: AbortSignal,
    work: (cancelled: AbortSignal, note: (type: EventType) => void) => Promise<R>,
  ): Promise<R & { readonly byType: Counts }> {
    const stopper = new AbortController();
    const byType = new Map<EventType, number>();
    const note = (type: EventType) => void byType.set(type, (byType.get(type) ?? 0) + 1);
    const underWay = work(AbortSignal.any([cancelled, stopper.signal]), note);
    const ended = underWay.catch(() => undefined).then(() => void passages.delete(accountId));
    passages.set(accountId, { ...way, stopper, byType, ended });
    return underWay.then((result) => ({ ...result, byType }));
  }

  /** The progress of the advance under way; null if there is none. */
  function progress({ id }: Account): Progress | null {
    const passage = passages.get(id);
    return passage ? progressOf(id, passage) : null;
  }

  function progressOf(accountId: number, { isRehearsal, from, to, byType }: Passage): Progress {
    const count = [...byType.values()].reduce((sum, n) => sum + n, 0);
    return { isRehearsal, from, to, now: clocks.now(accountId), count, byType };
  }

  /** Stops the advance under way. Resolves with its progress once it has stopped; with null if there is none. */
  async function stop(account: Account): Promise<Progress | null> {
    const { id } = account;
    const passage = passages.get(id);
    if (!passage) return null;
    passage.stopper.abort('a request to stop');
    await passage.ended;
    return accounts.isThere(account) ? progressOf(id, passage) : null;
  }

  return { stoppable, progress, stop };
}
