/** Between the entries of the request log that are stored together. It never occurs in a JSON text. */
const BETWEEN = '\u001e';

export const joinedEntries = (entries: readonly string[]) => entries.join(BETWEEN);
export const entriesIn = (text: string) => text.split(BETWEEN);

/** Requests that are written to the state together, each as a text without line breaks of its own. */
export interface LogPart {
  /** The place of the last one, and the last number given out before it was written. */
  readonly last: number;
  readonly given: number;
  readonly texts: readonly string[];
}

/** An entry is a line of JSON about the request, then the body of the response as it was sent. */
export const entryOf = (head: object, answer: string) => `${JSON.stringify(head)}\n${answer}`;
export function partsOf(entry: string): { readonly head: string; readonly answer: string } {
  const newline = entry.indexOf('\n');
  return { head: entry.slice(0, newline), answer: entry.slice(newline + 1) };
}
