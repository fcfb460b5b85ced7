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
interface Advance {
  readonly isRehearsal: boolean;
  readonly from: Instant;
  readonly to: Instant;
  readonly stopper: AbortController;
  readonly byType: Map<EventType, number>;
  readonly ended: Promise<unknown>;
}

/** The advances and dry runs under way, at most one for each account. */
export function createAdvances(clocks: Pick<Clocks, 'now'>, accounts: { isThere(account: Account): boolean }) {
  /** By account. */
  const underWay = new Map<number, Advance>();

  /** Runs `work` so that its progress can be read and it can be stopped. `work` notes the events that it makes. */
  function stoppable<R>(
    accountId: number,
    way: Pick<Advance, 'isRehearsal' | 'from' | 'to'>,
    cancelled: AbortSignal,
    work: (cancelled: AbortSignal, note: (type: EventType) => void) => Promise<R>,
  ): Promise<R & { readonly byType: Counts }> {
    const stopper = new AbortController();
    const byType = new Map<EventType, number>();
    const note = (type: EventType) => void byType.set(type, (byType.get(type) ?? 0) + 1);
    const moving = work(AbortSignal.any([cancelled, stopper.signal]), note);
    const ended = moving.catch(() => undefined).then(() => void underWay.delete(accountId));
    underWay.set(accountId, { ...way, stopper, byType, ended });
    return moving.then((result) => ({ ...result, byType }));
  }

  /** The progress of the advance under way; null if there is none. */
  function progress({ id }: Account): Progress | null {
    const advance = underWay.get(id);
    return advance ? progressOf(id, advance) : null;
  }

  function progressOf(accountId: number, { isRehearsal, from, to, byType }: Advance): Progress {
    const count = [...byType.values()].reduce((sum, n) => sum + n, 0);
    return { isRehearsal, from, to, now: clocks.now(accountId), count, byType };
  }

  /** Stops the advance under way. Resolves with its progress once it has stopped; with null if there is none. */
  async function stop(account: Account): Promise<Progress | null> {
    const { id } = account;
    const advance = underWay.get(id);
    if (!advance) return null;
    advance.stopper.abort('a request to stop');
    await advance.ended;
    return accounts.isThere(account) ? progressOf(id, advance) : null;
  }

  return { stoppable, progress, stop };
}
