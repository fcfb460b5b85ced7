import { LIST_MAX } from '../domain/limits.ts';
import { grouped } from '../domain/text.ts';
import { FILTER, type Form, refuseWrong } from '../options.ts';
import { isDiscarded, ofThisState, pagesSince, type Reader, Replaced, type Replacements } from './since.ts';
import { PAUSE_MS, type Waiting } from './wait.ts';

/** Where a tail begins and ends. */
export interface TailOptions {
  /** Begins after this id; by default, after the newest item at the time of the call. */
  readonly after?: string;
  /** Ends the tail once it is aborted, such as an AbortSignal. */
  readonly signal?: { readonly aborted: boolean };
}

const TAIL: Readonly<Record<keyof TailOptions, Form>> = {
  after: FILTER,
  signal: { what: 'an AbortSignal', is: (value) => typeof (value as TailOptions['signal'])?.aborted === 'boolean' },
};

/** Without an item to begin after, only the latest page can be read. */
const CUT_OFF = `This tail began with an empty list and was not read until ${grouped(LIST_MAX)} or more items had come. It cannot read the first of them. Read it while they come, or begin it with the option after.`;

/**
 * Resolves when the place to begin is known, then yields later items, oldest first, until the reader stops. After a
 * reset or a restore, it goes on with what is new in the new state.
 */
export async function follow<T extends { readonly id: string }>(
  waiting: Waiting,
  list: Reader<T>,
  options: TailOptions,
  state: Replacements,
): Promise<AsyncIterable<T>> {
  refuseWrong(options, TAIL, 'tail');
  const { after, signal } = options;
  let read = ofThisState(list, state);
  let cursor = after ?? (await list({ limit: 1 }))[0]?.id;
  return (async function* () {
    let isFound = after === undefined;
    let wasDiscarded = false;
    while (!signal?.aborted) {
      try {
        for await (const page of pagesSince(read, cursor)) {
          if (signal?.aborted) return;
          if (cursor === undefined && !wasDiscarded && page.length === LIST_MAX) throw new Error(CUT_OFF);
          for (const item of page) {
            if (signal?.aborted) return;
            cursor = item.id;
            yield item;
          }
          if (signal?.aborted) return;
        }
        isFound = true;
      } catch (error) {
        if (error instanceof Replaced) {
          read = ofThisState(list, state);
          cursor = state.lastEvent();
        } else if (isFound && cursor !== undefined && isDiscarded(error)) {
          cursor = undefined;
          wasDiscarded = true;
        } else throw error;
      }
      await waiting.pause(PAUSE_MS);
    }
  })();
}
