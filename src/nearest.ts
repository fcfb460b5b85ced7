import { distance } from 'fastest-levenshtein';

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
