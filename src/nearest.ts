import { distance } from 'fastest-levenshtein';

/** A sentence for an unknown name: the one that was probably meant, after `before`, or all that exist. */
export function suggestion(word: string, names: readonly string[], before = ''): string {
  if (names.length === 0) return '';
  return meant(word, names, before) ?? `Available: ${names.join(', ')}.`;
}

/** The same if one is meant; null if none is. */
export function meant(word: string, names: readonly string[], before = ''): string | null {
  const typed = word.toLowerCase();
  const [best] = names
    .map((name) => ({ name, edits: editsTo(name.toLowerCase(), typed), isBegun: begins(name.toLowerCase(), typed) }))
    .sort((a, b) => Number(b.isBegun) - Number(a.isBegun) || a.edits - b.edits);
  if (!best) return null;
  const isMeant = best.isBegun || best.edits <= Math.max(word.length, best.name.length) * farFrom(best.edits);
  return isMeant ? `Did you mean ${before}${best.name}?` : null;
}

const begins = (name: string, typed: string) => typed.length > 2 && name.startsWith(typed);

/** Two letters that changed places are one mistake, which costs `distance` two edits. */
function editsTo(name: string, typed: string): number {
  const edits = distance(typed, name);
  if (Math.abs(typed.length - name.length) > 2) return edits;
  const swapped = Array.from(typed.slice(1), (_, at) => distance(swapAt(typed, at), name) + 1);
  return Math.min(edits, ...swapped);
}

const swapAt = (word: string, at: number) =>
  word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);

/** Two letters are soon mistaken, also in a short word. More edits of each letter make another word: update, create. */
const farFrom = (edits: number) => (edits <= 2 ? 0.5 : 0.4);
