/** Called when there may be something new to read; `restarted` when ids began anew (reset, restore). */
export type Listener = (restarted: boolean) => void;

export type News = ReturnType<typeof createNews>;

/** Tells the open streams of an account that it has news; what the news is they read themselves, from their cursor. */
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
    /** What concerns every account has changed. */
    tellAll() {
      for (const ofAccount of listeners.values()) for (const listener of ofAccount) listener(false);
    },
    restart() {
      for (const ofAccount of listeners.values()) for (const listener of ofAccount) listener(true);
    },
  };
}
