import { polled } from './real.ts';

export type ClockQueue = ReturnType<typeof createClockQueue>;

/**
 * Queues the moves of account clocks: those of one account run one after the other, a move of the whole workspace runs
 * alone.
 */
export function createClockQueue() {
  const tails = new Map<number, Promise<unknown>>();
  const queued = new Set<AbortController>();
  let workspace: Promise<unknown> = Promise.resolve();
  let ending: string | undefined;

  const ended = (promise: Promise<unknown>) => promise.then(ignore, ignore);

  return {
    /** `work` may end early once its signal is aborted; the reason names the cause. */
    add<T>(accountId: number, work: (cancelled: AbortSignal) => T | Promise<T>): Promise<T> {
      const controller = new AbortController();
      queued.add(controller);
      if (ending !== undefined) controller.abort(ending);
      const move = Promise.all([workspace, tails.get(accountId)]).then(() => work(controller.signal));
      const tail = ended(move).then(() => {
        queued.delete(controller);
        if (tails.get(accountId) === tail) tails.delete(accountId);
      });
      tails.set(accountId, tail);
      return move;
    },
    addForAll,
    /** Aborts all moves, later ones too; resolves when the answers of the earlier ones are sent. `why` names the cause. */
    cancelAll(why: string): Promise<void> {
      ending = why;
      return addForAll(ignore, why).then(polled);
    },
  };

  /** Waits for all earlier moves. With `cancelling`, which names this move, aborts them so that they end early. */
  function addForAll<T>(work: () => T | Promise<T>, cancelling?: string): Promise<T> {
    const move = Promise.all([workspace, ...tails.values()]).then(work);
    workspace = ended(move);
    if (cancelling !== undefined) for (const controller of queued) controller.abort(cancelling);
    return move;
  }
}

const ignore = () => undefined;
