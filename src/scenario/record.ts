import { pagesSince, type Reader } from '../library/since.ts';

/** A list to which items are added, read page by page. */
export function recordOf<T extends { readonly id: string }>(list: Reader<T>) {
  let first: T | undefined;
  let cursor: string | undefined;
  return {
    /** The items that are new since the last call, oldest first. */
    async news(): Promise<readonly T[]> {
      const found: T[] = [];
      for await (const page of pagesSince(list, cursor)) found.push(...page);
      first ??= found[0];
      cursor = found.at(-1)?.id ?? cursor;
      return found;
    },
    /** Looks for the newest item that is meant. Each look reads on from where the last one ended. */
    newest(isMeant: (item: T) => boolean): () => Promise<T | undefined> {
      let found = first && isMeant(first) ? first : undefined;
      let seen = first?.id;
      return async () => {
        for await (const page of pagesSince(list, seen)) {
          found = page.findLast(isMeant) ?? found;
          seen = page.at(-1)?.id;
        }
        return found;
      };
    },
  };
}
