import { LIST_MAX } from '../domain/limits.ts';
import type { ListOptions } from './wire.ts';

/** How a list of the control plane is read: newest first, or with `after` oldest first from just after that id. */
export type Reader<T> = (cursor: ListOptions) => Promise<readonly T[]>;

/** The items after `after` page by page, oldest first; without `after`, only the latest page. */
export async function* pagesSince<T extends { readonly id: string }>(
  list: Reader<T>,
  after: string | undefined,
): AsyncGenerator<readonly T[]> {
  let cursor = after;
  for (;;) {
    const page = await list(cursor === undefined ? { limit: LIST_MAX } : { limit: LIST_MAX, after: cursor });
    if (page.length > 0) yield cursor === undefined ? page.toReversed() : page;
    if (cursor === undefined || page.length < LIST_MAX) return;
    cursor = page.at(-1)?.id;
  }
}

/** The resets and restores, each of which replaces the state. */
export interface Replacements {
  count(): number;
  /** The last event that the latest one brought back; undefined after a reset, which brings back none. */
  lastEvent(): string | undefined;
}

/** Of a workspace that nobody resets or restores. */
export const NO_REPLACEMENTS: Replacements = { count: () => 0, lastEvent: () => undefined };

/** Thrown when what was read before was of a state that has been replaced. */
export class Replaced extends Error {}

/** Reads the state that there is now, until it is replaced. In the next state, a seed may draw the same ids again. */
export function ofThisState<T>(list: Reader<T>, { count }: Pick<Replacements, 'count'>): Reader<T> {
  const before = count();
  const refuseReplaced = () => {
    if (count() !== before) throw new Replaced();
  };
  return async (cursor) => {
    const page = await list(cursor).catch((error: unknown) => {
      refuseReplaced();
      throw error;
    });
    refuseReplaced();
    return page;
  };
}
