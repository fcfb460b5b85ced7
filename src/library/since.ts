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

/** Thrown when a reset has discarded everything that was read before. */
export class Discarded extends Error {}

/** Reads the state that there is now, until a reset. In the next state, a seed draws the same ids again. */
export function ofThisState<T>(list: Reader<T>, resets: () => number): Reader<T> {
  const before = resets();
  return async (cursor) => {
    const page = await list(cursor);
    if (resets() !== before) throw new Discarded();
    return page;
  };
}
