/**
 * The highest id of a table whose rows come one after the other: `read` from the file once, then followed. `forget` when
 * the file may have changed otherwise.
 */
export function lastId(read: { get(): number | null | undefined }) {
  let last: number | null = null;
  const get = (): number => {
    last ??= read.get() ?? 0;
    return last;
  };
  return {
    get,
    next: () => get() + 1,
    /** A row is inserted. */
    follow(id: number) {
      if (last !== null) last = Math.max(last, id);
    },
    forget() {
      last = null;
    },
  };
}

/** How many entries a cache keeps at most, and half of it at least. */
const KEPT = 1000;

/**
 * A cache of rows. Only this process writes the file, so a row stays valid until a writer of its table removes it with
 * `delete`, or a rollback, a restore or a reset clears the cache. The older half is dropped as a whole: finding the
 * oldest entry of a Map takes longer the more have been deleted before it. `onFull` gets the newer half before it
 * becomes the older one.
 */
export function remembered<K, V>(onFull?: (values: V[]) => void) {
  let newer = new Map<K, V>();
  let older = new Map<K, V>();
  return {
    get(key: K): V | undefined {
      const value = newer.get(key);
      return value === undefined ? older.get(key) : value;
    },
    set(key: K, value: V): V {
      if (newer.size >= KEPT / 2) {
        onFull?.([...newer.values()]);
        older = newer;
        newer = new Map();
      }
      newer.set(key, value);
      return value;
    },
    delete(key: K) {
      newer.delete(key);
      older.delete(key);
    },
    clear() {
      newer.clear();
      older.clear();
    },
  };
}

/** Remembers whether `read` finds a row of an account; usually it does not. A writer of the table calls `delete`. */
export function rememberedAny(read: { get(accountId: number): unknown }) {
  const known = remembered<number, boolean>();
  return {
    has: (accountId: number): boolean =>
      known.get(accountId) ?? known.set(accountId, read.get(accountId) !== undefined),
    delete: known.delete,
    clear: known.clear,
  };
}

/** Listeners that are called just before a row is written, while it still has its old values. */
export function watchers() {
  const listeners = new Set<(id: number) => void>();
  return {
    tell(id: number) {
      for (const listener of listeners) listener(id);
    },
    /** The returned function removes the listener. */
    watch(listener: (id: number) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * A number for each row that changes with every write. Readers that keep something made from the row compare it, and do
 * not rely on getting the same object again. A number is never used twice, not even after a restore.
 */
export function revisions() {
  const known = remembered<number, number>();
  let last = 0;
  return {
    of(id: number): number {
      const revision = known.get(id);
      if (revision !== undefined) return revision;
      last += 1;
      return known.set(id, last);
    },
    changed: known.delete,
    forget: known.clear,
  };
}
