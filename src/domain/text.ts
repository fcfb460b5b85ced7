/** Characters that are cut off beside Unicode white space, as Laravel does (decisions §5). */
const INVISIBLE = new Set(['\u200B', '\u200E', '\uFEFF']);

const isCutOff = (character: string) => !isPlain(character) && (INVISIBLE.has(character) || /\s/.test(character));

/** What nearly every text begins and ends with: printable ASCII. */
const isPlain = (character: string) => character > ' ' && character < '\x7f';

/** Text without the white space and the invisible characters at its ends; one pass, however many there are. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isCutOff(text[start] as string)) start += 1;
  while (end > start && isCutOff(text[end - 1] as string)) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}
