/** What a query string says of one parameter; an empty one counts as absent (decisions §5). */
export const presence = (value: unknown) => (typeof value === 'string' && value.trim() === '' ? undefined : value);

/** The integer that a text spells; anything else, and one beyond `max`, is left to be refused. */
export function integerOf(value: unknown, max = Number.MAX_SAFE_INTEGER): unknown {
  if (typeof value !== 'string' || !/^[+-]?(0|[1-9]\d*)$/.test(value.trim())) return value;
  return Math.abs(Number(value)) <= max ? Number(value) : value;
}
