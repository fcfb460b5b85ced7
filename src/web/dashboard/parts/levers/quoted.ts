/** Characters without a special meaning in any shell. */
const PLAIN = /^[A-Za-z0-9_@+:,./-]+$/;

/** Control, format and separator characters: invisible, and a terminal may act on them when pasted. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const PARTS = /'+|\\+|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+.?|[^'\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gsu;

/**
 * Quotes text as one word of a POSIX shell, safe to paste into a terminal. Backslashes stay outside single quotes,
 * because fish interprets them there. A NUL cannot be an argument and becomes U+FFFD.
 */
export function quoted(text: string): string {
  if (PLAIN.test(text)) return text;
  const shown = text.replaceAll('\0', '\uFFFD');
  // Command substitution drops trailing newlines, so they are quoted literally.
  const body = shown.slice(0, endWithoutNewlines(shown));
  const newlines = shown.slice(body.length);
  const words = [...body.matchAll(PARTS)].map(([part]) => wordFor(part));
  return [...words, ...(newlines === '' ? [] : [`'${newlines}'`])].join('') || "''";
}

function wordFor(part: string): string {
  if (part.startsWith("'") || part.startsWith('\\')) return part.replaceAll(/['\\]/g, '\\$&');
  return UNSEEN.test(part) ? `"$(printf '${octal(part)}')"` : `'${part}'`;
}

const octal = (text: string) =>
  [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

function endWithoutNewlines(text: string): number {
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return end;
}

/** A variable of a shell. A prepared state directory could put a command into its name. */
export const variable = (name: string) => `$${name.replaceAll(/\W/g, '_')}`;
