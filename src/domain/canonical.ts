/** JSON with sorted keys, so that bodies that are equal after parsing have the same text (decisions §5). */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as Record<string, unknown>;
  let members = '';
  for (const key of Object.keys(record).sort()) {
    members += `${members && ','}${quoted(key)}:${canonicalJson(record[key])}`;
  }
  return `{${members}}`;
}

/** Visible ASCII that JSON writes as it is, which is nearly every text. */
const PLAIN = /^[ !#-[\]-~]*$/;

const quoted = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
