/** Characters that are trimmed in addition to Unicode white space, as Laravel does (decisions §5). */
const INVISIBLE = new Set(['\u200B', '\u200E', '\uFEFF']);

const isCutOff = (character: string) => !isPlain(character) && (INVISIBLE.has(character) || /\s/.test(character));

/** Nearly every text begins and ends with printable ASCII and needs no trimming. */
const isPlain = (character: string) => character > ' ' && character < '\x7f';

/** Trims white space and invisible characters from both ends, in one pass. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isCutOff(text[start] as string)) start += 1;
  while (end > start && isCutOff(text[end - 1] as string)) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}
