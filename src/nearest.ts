/** What to say of a name that is not there: the one that is meant, or those that there are. */
export function suggestion(word: string, names: readonly string[]): string {
  const [best] = names
    .map((name) => ({ name, edits: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  if (!best) return '';
  const isMeant = best.edits <= Math.max(word.length, best.name.length) * FAR;
  return isMeant ? `Did you mean ${best.name}?` : `Available: ${names.join(', ')}.`;
}

/** As many edits, of each letter, make another word. */
const FAR = 0.5;

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
