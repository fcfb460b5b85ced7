/** Who moves which account's time, one after the other. */
export type Turns = ReturnType<typeof createTurns>;

/** Two moves of one account follow each other; a move of the whole workspace has it for itself. */
export function createTurns() {
  const tails = new Map<number, Promise<unknown>>();
  let workspace: Promise<unknown> = Promise.resolve();

  const settled = (promise: Promise<unknown>) => promise.then(ignore, ignore);

  return {
    take<T>(accountId: number, work: () => T | Promise<T>): Promise<T> {
      const turn = Promise.all([workspace, tails.get(accountId)]).then(work);
      const tail = settled(turn).then(() => {
        if (tails.get(accountId) === tail) tails.delete(accountId);
      });
      tails.set(accountId, tail);
      return turn;
    },
    takeAll<T>(work: () => T | Promise<T>): Promise<T> {
      const turn = Promise.all([workspace, ...tails.values()]).then(work);
      workspace = settled(turn);
      return turn;
    },
  };
}

const ignore = () => undefined;
