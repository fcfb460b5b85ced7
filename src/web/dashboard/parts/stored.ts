type Store = 'localStorage' | 'sessionStorage';

/** Used where the browser refuses storage. Lost when the page is reloaded. */
const held = new Map<string, string>();

/** Reads a value from the browser's storage. */
export function recall(name: string, of: Store = 'localStorage'): string | null {
  try {
    return globalThis[of].getItem(name) ?? held.get(name) ?? null;
  } catch {
    return held.get(name) ?? null;
  }
}

export function keep(name: string, value: string | null, of: Store = 'localStorage') {
  held.delete(name);
  try {
    if (value === null) globalThis[of].removeItem(name);
    else globalThis[of].setItem(name, value);
  } catch {
    if (value !== null) held.set(name, value);
  }
}
