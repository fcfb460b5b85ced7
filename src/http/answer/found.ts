import { Refusal } from '../../domain/refusal.ts';

/**
 * What a reader of the account found.
 * @throws Refusal `not_found` when it found nothing
 */
export function found<T>(row: T | null, noun: string): T {
  if (row === null) throw new Refusal('not_found', noun);
  return row;
}
