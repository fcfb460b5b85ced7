/** What this browser remembers. It may refuse storage; then nothing is remembered. */
export function recall(name: string, of: 'localStorage' | 'sessionStorage' = 'localStorage'): string | null {
  try {
    return globalThis[of].getItem(name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string | null, of: 'localStorage' | 'sessionStorage' = 'localStorage') {
  try {
    if (value === null) globalThis[of].removeItem(name);
    else globalThis[of].setItem(name, value);
  } catch {}
}
