/** `change`: there may be something new to read. `restart`: ids start over, after a reset or a restore. */
export type Notice = 'change' | 'restart';
export type Listener = (notice: Notice) => void;

export type Notifier = ReturnType<typeof createNotifier>;

/** Notifies the open streams of an account. They read what is new themselves, from their cursor. */
export function createNotifier() {
  const listeners = new Map<number, Set<Listener>>();
  /** While the state is being replaced, the cursors of the streams belong to the old one. */
  let isHeldBack = false;

  function tellEach(ofAccount: Iterable<Listener>, notice: Notice) {
    if (!isHeldBack) for (const listener of ofAccount) listener(notice);
  }

  return {
    subscribe(accountId: number, listener: Listener): () => void {
      const ofAccount = listeners.get(accountId) ?? new Set();
      listeners.set(accountId, ofAccount.add(listener));
      return () => {
        ofAccount.delete(listener);
      };
    },
    tell(accountId: number) {
      tellEach(listeners.get(accountId) ?? [], 'change');
    },
    /** Something that concerns every account has changed. */
    tellAll() {
      for (const ofAccount of listeners.values()) tellEach(ofAccount, 'change');
    },
    /** Runs `work`, which replaces the state, and notifies only at its end. */
    restart<T>(work: () => T): T {
      isHeldBack = true;
      let result: T;
      try {
        result = work();
      } finally {
        isHeldBack = false;
      }
      for (const ofAccount of listeners.values()) tellEach(ofAccount, 'restart');
      return result;
    },
  };
}
