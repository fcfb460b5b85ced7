import { LIST_MAX } from '../domain/limits.ts';
import { LayawayError } from './refused.ts';
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
      // Without an answer, as from a closed simulator, there is no next state to read.
      if (error instanceof LayawayError) refuseReplaced();
      throw error;
    });
    refuseReplaced();
    return page;
  };
}

/**
 * Each call looks at the items since the last call. Without `after`, the first call takes the latest match so far. It
 * begins again after a reset or a restore.
 * @param list the items of interest, which may be few among many
 * @param everything all items; the second call continues after the latest of them
 */
export function finder<T extends { readonly id: string }>(
  list: Reader<T>,
  everything: Reader<T>,
  matches: (item: T) => boolean,
  after: string | undefined,
  replacements: Replacements,
): () => Promise<T | undefined> {
  let read = ofThisState(list, replacements);
  let cursor = after;
  return async () => {
    const isFirst = cursor === undefined;
    // Read first, so that no item comes in between unseen.
    const latest = isFirst ? (await everything({ limit: 1 }))[0]?.id : undefined;
    try {
      for await (const page of pagesSince(read, cursor)) {
        const found = isFirst ? page.findLast(matches) : page.find(matches);
        if (found) return found;
        cursor = page.at(-1)?.id;
      }
      cursor = latest ?? cursor;
    } catch (error) {
      if (error instanceof Replaced) read = ofThisState(list, replacements);
      else if (cursor === after || !isDiscarded(error)) throw error;
      cursor = after;
    }
    return undefined;
  };
}

/** Whether a list no longer has the item that it was read after. */
export const isDiscarded = (error: unknown) => error instanceof LayawayError && error.status === 422;
