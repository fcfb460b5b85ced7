/** Depends on real time, whatever the seed; the tables of a trace hold such values. */
export const REAL =
  /^(sent_at|saved_at|tables|disconnected_at|duration_ms|date|retry-after|x-ratelimit-reset|webhook-timestamp|webhook-signature)$/;

/** Records with an instant of real time, and its name there: elsewhere, a field of this name has account time. */
const REAL_RECORDS: readonly (readonly [name: string, others: readonly string[]])[] = [
  ['at', ['method', 'path', 'duration_ms']],
  ['created_at', ['name', 'bytes']],
];

/** The instants of real time in such records, at any depth. */
export function realInstants(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = REAL_RECORDS.flatMap(([name, others]) =>
    others.every((other) => Object.hasOwn(value, other)) ? [String((value as never)[name])] : [],
  );
  return [...own, ...Object.values(value).flatMap(realInstants)];
}
