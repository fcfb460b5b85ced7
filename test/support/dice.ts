/** Chance that a seed fixes: mulberry32. */
export function dice(state: number) {
  const roll = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(roll() * n);
  return {
    below,
    between: (low: number, high: number) => low + below(high - low + 1),
    chance: (probability: number) => roll() < probability,
    one: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    /** Most often one of the latest: those are still under way. */
    recent: <T>(items: readonly T[]): T | undefined =>
      items[items.length - 1 - (roll() < 0.7 ? below(Math.min(items.length, 30)) : below(items.length))],
  };
}
