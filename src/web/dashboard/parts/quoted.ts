/** Characters that no shell reads as anything but themselves. */
const PLAIN = /^[A-Za-z0-9_@+:,./-]+$/;

/** What a terminal may act on when it is pasted, and what cannot be seen: control, format and separator characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const PARTS = /'+|\\+|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+.?|[^'\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gsu;

/**
 * One word of a POSIX shell that stands for exactly this text, safe to paste into a terminal. No backslash stands
 * between single quotes, because fish reads one there. A NUL cannot be passed to a program and becomes U+FFFD.
 */
export function quoted(text: string): string {
  if (PLAIN.test(text)) return text;
  const shown = text.replaceAll('\0', '\uFFFD');
  // A shell drops newlines at the end of what printf prints, so the last ones stand as they are.
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
