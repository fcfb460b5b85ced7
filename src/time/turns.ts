import { polled } from './real.ts';

/** Queues the moves of account clocks, so that they run one after the other. */
export type Turns = ReturnType<typeof createTurns>;

/** Moves of one account run one after the other. A move of the whole workspace runs alone. */
export function createTurns() {
  const tails = new Map<number, Promise<unknown>>();
  const taken = new Set<AbortController>();
  let workspace: Promise<unknown> = Promise.resolve();
  let ending: string | undefined;

  const ended = (promise: Promise<unknown>) => promise.then(ignore, ignore);

  return {
    /** `work` may end early once its signal is aborted; the reason names the cause. */
    take<T>(accountId: number, work: (cancelled: AbortSignal) => T | Promise<T>): Promise<T> {
      const controller = new AbortController();
      taken.add(controller);
      if (ending !== undefined) controller.abort(ending);
      const turn = Promise.all([workspace, tails.get(accountId)]).then(() => work(controller.signal));
      const tail = ended(turn).then(() => {
        taken.delete(controller);
        if (tails.get(accountId) === tail) tails.delete(accountId);
      });
      tails.set(accountId, tail);
      return turn;
    },
    takeAll,
    /** Aborts all turns, later ones too; resolves when the answers of the earlier ones are sent. `why` names the cause. */
    cancelAll(why: string): Promise<void> {
      ending = why;
      return takeAll(ignore, why).then(polled);
    },
  };

  /** Waits for all earlier turns. With `cancelling`, which names this move, aborts them so that they end early. */
  function takeAll<T>(work: () => T | Promise<T>, cancelling?: string): Promise<T> {
    const turn = Promise.all([workspace, ...tails.values()]).then(work);
    workspace = ended(turn);
    if (cancelling !== undefined) for (const controller of taken) controller.abort(cancelling);
    return turn;
  }
}

const ignore = () => undefined;
