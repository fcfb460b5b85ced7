import { useRef, useState } from 'preact/hooks';
import { askedFor } from '../../ask.ts';
import type { Read } from '../../live.ts';
import { plural } from '../../words.ts';

interface Held<T> {
  readonly rows: readonly T[] | undefined;
  /** How many new rows are held back. */
  readonly waiting: number;
  show(): void;
}

/**
 * The rows of a list. New rows are held back until the user asks for them, so that no row moves under the pointer. Rows
 * that are already shown stay up to date. With `acts`, rows that this page itself caused appear at once.
 */
export function useHeld<T>(
  {
    data,
    isFresh,
    epoch,
    acts = 0,
  }: Pick<Read<readonly T[]>, 'data' | 'isFresh' | 'epoch'> & { readonly acts?: number },
  keyOf: (row: T) => string,
): Held<T> {
  const held = useRef<{ readonly place: string; readonly rows: readonly T[] } | null>(null);
  const [, redraw] = useState(0);
  const place = `${acts} ${epoch} ${askedFor()} ${location.pathname}${location.search}`;
  const show = () => {
    held.current = null;
    redraw((n) => n + 1);
  };
  // Rows remembered from an earlier visit must not hold back newer ones.
  if (data === undefined || !isFresh) {
    held.current = null;
    return { rows: data, waiting: 0, show };
  }
  const old = held.current?.place === place ? held.current.rows : [];
  const { rows, waiting } = merge(old, data, keyOf);
  held.current = { place, rows };
  return { rows, waiting, show };
}

/** The same for a page of a list, which comes with more than its rows. */
export const useHeldPage = <T,>(
  { data, isFresh, epoch }: Pick<Read<{ readonly data: readonly T[] }>, 'data' | 'isFresh' | 'epoch'>,
  keyOf: (row: T) => string,
) => useHeld({ data: data?.data, isFresh, epoch }, keyOf);

/** Which of the latest rows to show after `old`, and how many to hold back. */
export function merge<T>(old: readonly T[], latest: readonly T[], keyOf: (row: T) => string) {
  if (old.length === 0 || latest.length === 0) return { rows: latest, waiting: 0 };
  const known = new Set(old.map(keyOf));
  const now = new Map(latest.map((row) => [keyOf(row), row]));
  const isNew = (row: T) => !known.has(keyOf(row));
  const lastKnown = latest.findLastIndex((row) => !isNew(row));
  const waiting = (lastKnown < 0 ? latest : latest.slice(0, lastKnown)).filter(isNew).length;
  // Rows after the last known one move nothing.
  const behind = lastKnown < 0 ? [] : latest.slice(lastKnown + 1);
  const lastKept = old.findLastIndex((row) => now.has(keyOf(row)));
  const kept = old.flatMap((row, place) => {
    const latestOfIt = now.get(keyOf(row));
    if (latestOfIt !== undefined) return [latestOfIt];
    // Keep a row that new rows pushed off the end of the page; drop one that was removed.
    return waiting > 0 && place > lastKept ? [row] : [];
  });
  return { rows: [...kept, ...behind], waiting };
}

/**
 * The button that shows the new rows. It is on the edge of the panel, where it moves nothing. On a later page, these rows
 * are older ones, which new ones pushed there.
 */
export function NewRows({
  of: { waiting, show },
  one,
  many = `${one}s`,
  isLaterPage = false,
}: {
  of: Pick<Held<unknown>, 'waiting' | 'show'>;
  one: string;
  many?: string;
  isLaterPage?: boolean;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const reveal = () => {
    const panel = ref.current?.closest('.panel');
    show();
    // The button disappears, so the first new row gets the focus.
    requestAnimationFrame(() => panel?.querySelector<HTMLElement>('tbody a, li a')?.focus());
  };
  return (
    <div class="new-rows" role="status" ref={ref}>
      {waiting > 0 && (
        <button type="button" class="strong" data-testid="new-rows" onClick={reveal}>
          {isLaterPage ? 'The list has moved. Show it as it is now' : plural(waiting, `new ${one}`, `new ${many}`)}
        </button>
      )}
    </div>
  );
}

export const newRowsButton = () => document.querySelector<HTMLElement>('.new-rows button');
