/** Called when there may be something new to read; `restarted` when ids start over (reset, restore). */
export type Listener = (restarted: boolean) => void;

export type News = ReturnType<typeof createNews>;

/** Notifies the open streams of an account. They read what is new themselves, from their cursor. */
export function createNews() {
  const listeners = new Map<number, Set<Listener>>();

  return {
    subscribe(accountId: number, listener: Listener): () => void {
      const ofAccount = listeners.get(accountId) ?? new Set();
      listeners.set(accountId, ofAccount.add(listener));
      return () => {
        ofAccount.delete(listener);
      };
    },
    tell(accountId: number) {
      for (const listener of listeners.get(accountId) ?? []) listener(false);
    },
    /** Something that concerns every account has changed. */
    tellAll() {
      for (const ofAccount of listeners.values()) for (const listener of ofAccount) listener(false);
    },
    restart() {
      for (const ofAccount of listeners.values()) for (const listener of ofAccount) listener(true);
    },
  };
}
