import { useRef, useState } from 'preact/hooks';
import { askedFor } from '../ask.ts';
import { type Read, stateEpoch } from '../live.ts';
import { plural } from '../words.ts';

interface Held<T> {
  readonly rows: readonly T[] | undefined;
  /** How many new rows wait. */
  readonly waiting: number;
  show(): void;
}

/**
 * The rows of a list, whose new ones wait until they are asked for: what stands where a click is about to land does not
 * move. Rows that are shown already follow what they say now. With `acts`, what this page itself did does not wait.
 */
export function useHeld<T>(
  { data, isFresh, acts = 0 }: Pick<Read<readonly T[]>, 'data' | 'isFresh'> & { readonly acts?: number },
  keyOf: (row: T) => string,
): Held<T> {
  const held = useRef<{ readonly place: string; readonly rows: readonly T[] } | null>(null);
  const [, redraw] = useState(0);
  const place = `${acts} ${stateEpoch()} ${askedFor()} ${location.pathname}${location.search}`;
  const show = () => {
    held.current = null;
    redraw((n) => n + 1);
  };
  // What was remembered from an earlier visit is no reason to keep what is new since.
  if (data === undefined || !isFresh) {
    held.current = null;
    return { rows: data, waiting: 0, show };
  }
  const old = held.current?.place === place ? held.current.rows : [];
  const { rows, waiting } = merge(old, data, keyOf);
  held.current = { place, rows };
  return { rows, waiting, show };
}

/** What is shown of the latest rows when `old` was shown before, and how many of them wait. */
export function merge<T>(old: readonly T[], latest: readonly T[], keyOf: (row: T) => string) {
  if (old.length === 0 || latest.length === 0) return { rows: latest, waiting: 0 };
  const known = new Set(old.map(keyOf));
  const now = new Map(latest.map((row) => [keyOf(row), row]));
  const isNew = (row: T) => !known.has(keyOf(row));
  const lastKnown = latest.findLastIndex((row) => !isNew(row));
  const waiting = (lastKnown < 0 ? latest : latest.slice(0, lastKnown)).filter(isNew).length;
  // Behind the last one nothing is pushed.
  const behind = lastKnown < 0 ? [] : latest.slice(lastKnown + 1);
  const lastKept = old.findLastIndex((row) => now.has(keyOf(row)));
  const kept = old.flatMap((row, place) => {
    const latestOfIt = now.get(keyOf(row));
    if (latestOfIt !== undefined) return [latestOfIt];
    // New rows pushed it off the end of the page. Otherwise it is gone.
    return waiting > 0 && place > lastKept ? [row] : [];
  });
  return { rows: [...kept, ...behind], waiting };
}

/** The button behind which new rows wait, on the edge of the panel, where it moves nothing. */
export function NewRows({
  of: { waiting, show },
  one,
  many = `${one}s`,
}: {
  of: Pick<Held<unknown>, 'waiting' | 'show'>;
  one: string;
  many?: string;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const reveal = () => {
    const panel = ref.current?.closest('.panel');
    show();
    // The button goes with its reason; the first of what it showed has the focus then.
    requestAnimationFrame(() => panel?.querySelector<HTMLElement>('tbody a, li a')?.focus());
  };
  return (
    <div class="new-rows" role="status" ref={ref}>
      {waiting > 0 && (
        <button type="button" class="strong" data-testid="new-rows" onClick={reveal}>
          {plural(waiting, `new ${one}`, `new ${many}`)}
        </button>
      )}
    </div>
  );
}

/** The first button on the page behind which rows wait. */
export const newRowsButton = () => document.querySelector<HTMLElement>('.new-rows button');
