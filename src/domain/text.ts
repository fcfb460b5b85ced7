/** `1,234,567`. Not `toLocaleString`: loading the language data takes longer than a request. */
export const grouped = (whole: number): string => String(whole).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 second`, `2 seconds` */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML and XML, also in attributes. */
export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

/** Without percent-encoding. What is not encoded correctly stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Unicode white space, of which `\s` lacks U+0085, and the invisible characters that Laravel trims too (decisions §5).
 */
const CUT_OFF = /[\s\u0085\u200B\u200E\uFEFF]/;

/** Trims white space and invisible characters from both ends, in one pass. */
export function trimmed(text: string): string {
  // Most texts begin and end with a visible character of ASCII.
  if (isVisible(text.charCodeAt(0)) && isVisible(text.charCodeAt(text.length - 1))) return text;
  let start = 0;
  let end = text.length;
  // Beyond the text, charAt gives an empty string, which ends both loops.
  while (CUT_OFF.test(text.charAt(start))) start += 1;
  while (CUT_OFF.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Puts text on one line, as a text field of a browser does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this removes control characters
export const oneLine = (text: string) => trimmed(text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' '));

/** The beginning of text that is longer than `max`. No character is cut in half. */
export const shortened = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…` : text;

/** Also false for NaN, the code of a character beyond the text. */
const isVisible = (code: number) => code > 0x20 && code < 0x7f;

/** Whether HTTP allows it as the value of a header. */
export const isHeaderValue = (value: unknown): boolean =>
  typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

const EMAIL_ADDRESS =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;

/** As an HTML email field checks it, plus: a dot in the domain, and no leading, trailing or double dot before the @. */
export const isEmailAddress = (text: string): boolean => EMAIL_ADDRESS.test(text);
