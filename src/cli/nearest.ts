/** The name that takes the fewest edits to reach. */
export function nearest(word: string, names: readonly [string, ...string[]] | readonly string[]): string {
  return names.reduce((best, name) => (distance(word, name) < distance(word, best) ? name : best), names[0] ?? '');
}

/** Levenshtein's: insertions, deletions and replacements. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
