import { Refusal } from '../../domain/refusal.ts';

/**
 * Returns the row that a reader found.
 * @throws Refusal `not_found` when there is none
 */
export function found<T>(row: T | null, noun: string): T {
  if (row === null) throw new Refusal('not_found', noun);
  return row;
}
