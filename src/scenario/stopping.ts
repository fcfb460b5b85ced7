/** How a scenario can be stopped before its end. After that, a server that fails is as good as one that gives no answer. */
export interface Stopping {
  readonly isStopped: boolean;
  /** Null when the work is not done before the scenario is stopped. */
  untilStopped<T>(work: Promise<T>): Promise<T | null>;
  /** The same for work that has some time left after that. */
  untilLate<T>(work: Promise<T>): Promise<T | null>;
}

/** Nothing stops the scenario. */
export const UNSTOPPED: Stopping = {
  isStopped: false,
  untilStopped: (work) => work,
  untilLate: (work) => work,
};

/** A signal stops the scenario; `rest` is the time that is left then. */
export function stoppedBy(signal: AbortSignal, rest: () => Promise<unknown>): Stopping {
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const late = stopped.then(rest);
  const until =
    (end: Promise<unknown>) =>
    <T>(work: Promise<T>): Promise<T | null> =>
      Promise.race([work, end.then(() => null)]).catch((error) => {
        if (!signal.aborted) throw error;
        return null;
      });
  return {
    get isStopped() {
      return signal.aborted;
    },
    untilStopped: until(stopped),
    untilLate: until(late),
  };
}
