import { useLayoutEffect, useState } from 'preact/hooks';
import { NONE } from '../../words.ts';

export interface Sort {
  readonly column: number;
  readonly isDown: boolean;
}

/** The sort key of a cell: an instant, a number, or its text. An instant in a soft note is beside the point. */
function sortedBy(cell: Element | undefined): string | number {
  const text = cell?.querySelector('time:not(.soft time)')?.getAttribute('datetime') ?? cell?.textContent?.trim() ?? '';
  if (text === NONE) return '';
  const number = /^[-$]*[\d,]+(?:\.\d+)?(?= ?(?:ms|KiB|%)?$)/.exec(text)?.[0];
  return number === undefined ? text : Number(number.replaceAll(/[$,]/g, ''));
}

/** Numbers come before texts. Empty cells come last in both directions. */
function compare(a: string | number, b: string | number, isDown: boolean): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  const way = isDown ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return way * (a - b);
  if (typeof a !== typeof b) return way * (typeof a === 'number' ? -1 : 1);
  return way * String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** The order in which to draw the rows of a table. The sort keys come from the drawn cells. */
export function useSorted(table: { current: Element | null }, count: number, sort: Sort | null): readonly number[] {
  const [order, setOrder] = useState<readonly number[]>([]);
  const drawn = sort !== null && order.length === count ? order : [...Array(count).keys()];
  useLayoutEffect(() => {
    if (sort === null) return;
    const values = new Map<number, string | number>();
    for (const [place, row] of [...(table.current?.querySelectorAll('tbody > tr') ?? [])].entries()) {
      values.set(drawn[place] as number, sortedBy(row.children[sort.column]));
    }
    const next = [...drawn.keys()].sort(
      (a, b) => compare(values.get(a) ?? '', values.get(b) ?? '', sort.isDown) || a - b,
    );
    if (next.some((row, place) => row !== drawn[place]) || order.length !== count) setOrder(next);
  });
  return drawn;
}
