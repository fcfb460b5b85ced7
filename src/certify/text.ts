/** Texts that a store meets sooner or later; each is short enough for a value of the metadata. */
export const oddText: readonly string[] = [
  'Grüße, ça va? Ελλάδα Привет 你好 こんにちは 한국어',
  '👩‍👩‍👧‍👦 🛍️ 🏳️‍🌈 𝒳 🇺🇸',
  'עברית والعربية \u200f\u202eright to left\u202c',
  'e\u0301 is not é; \u200b\u2028\u2029\ufeff are hardly seen',
  `quotes " ' \` and a back\\slash, a tab\tand a new\nline`,
  "</script><b>&amp; Robert'); DROP TABLE orders;-- %s %00 {{x}}",
  'null',
  '0012e3',
];

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** With an indentation, each key begins a line. */
const KEY = /^( *"(?:[^"\\]|\\.)*"): /gm;

/** The same JSON as another serializer might write it: a receiver that parses and serializes it gets other bytes. */
export function reprinted(text: string, style: 'white space' | 'key order' | 'escapes'): string {
  const value = JSON.parse(text) as Json;
  if (style === 'white space') return `${JSON.stringify(value, null, 3).replaceAll(KEY, '$1 :\t')}\n`;
  if (style === 'key order') return JSON.stringify(backwards(value));
  return JSON.stringify(value).replace(/[/_]|[^\x20-\x7e]/g, (character) =>
    character === '/' ? '\\/' : escaped(character),
  );
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function backwards(value: Json): Json {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, backwards(each)] as const)
      .reverse(),
  );
}
