import { type ComponentChildren, type RefObject, toChildArray } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Sort, useSorted } from './sorting.ts';

export type TableHead = string | readonly [name: string, kind: 'figure' | 'unseen'];

/** Layouts of a table, widest first: dates on one line, dates on two lines, each row as a card. */
const WAYS = ['loose', 'tight', 'cards'];

/** With fewer rows, nobody needs to sort cards. */
const SORTED_CARDS_MIN = 6;

/**
 * A table with sortable columns. Where it does not fit, its rows become cards. With `isPage`, its rows are one page of a
 * longer list, and it says that it sorts only those.
 */
export function Table({
  label,
  heads,
  isPage = false,
  children,
}: {
  label: string;
  heads: readonly TableHead[];
  isPage?: boolean;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [sort, setSort] = useState<Sort | null>(null);
  const rows = toChildArray(children);
  const order = useSorted(ref, rows.length, sort);
  const columns = heads.map(
    (head, column): Column => ({
      column,
      name: typeof head === 'string' ? head : head[0],
      kind: typeof head === 'string' ? null : head[1],
    }),
  );
  const sorting = { sort, setSort, isPage };
  useFitting(ref);
  return (
    <div class="fitting" ref={ref}>
      {rows.length >= SORTED_CARDS_MIN && <SortOfCards columns={columns} {...sorting} />}
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.name} of={column} canSort={rows.length > 1} {...sorting} />
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y: keyboard users follow the link in the row */}
        <tbody onClick={openRow}>{order.map((row) => rows[row])}</tbody>
      </table>
    </div>
  );
}

interface Column {
  readonly column: number;
  readonly name: string;
  readonly kind: 'figure' | 'unseen' | null;
}

interface Sorting {
  readonly sort: Sort | null;
  setSort(sort: Sort | null): void;
  readonly isPage: boolean;
}

/** Gives the table the widest layout that fits. */
function useFitting(ref: RefObject<HTMLDivElement | null>) {
  const frame = useRef(0);
  const arrange = useCallback(() => {
    const box = ref.current;
    if (!box) return;
    for (const way of WAYS) {
      box.classList.remove(...WAYS);
      box.classList.add(way);
      if (box.scrollWidth <= box.clientWidth) break;
    }
  }, [ref]);
  // In a separate frame, so that the page is laid out once and the observer does not react to its own change.
  const rearrange = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(arrange);
  }, [arrange]);
  // At once for a new table, before its first paint.
  useLayoutEffect(arrange, [arrange]);
  useLayoutEffect(rearrange);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(rearrange);
    watch.observe(ref.current as HTMLDivElement);
    return () => watch.disconnect();
  }, [ref, rearrange]);
}

/** Cards have no heads, so a list of columns sorts them. */
function SortOfCards({ columns, sort, setSort, isPage }: Sorting & { columns: readonly Column[] }) {
  return (
    <label class="card-sort">
      {isPage ? 'Sort this page by' : 'Sort by'}{' '}
      <select
        value={sort === null ? '' : `${sort.column}${sort.isDown ? ' down' : ''}`}
        onChange={({ currentTarget: { value } }) =>
          setSort(value === '' ? null : { column: Number.parseInt(value, 10), isDown: value.endsWith('down') })
        }
      >
        <option value="">original order</option>
        {columns
          .filter(({ kind }) => kind !== 'unseen')
          .flatMap(({ column, name }) => [
            <option key={name} value={`${column}`}>{`${name}, ascending`}</option>,
            <option key={`${name} down`} value={`${column} down`}>{`${name}, descending`}</option>,
          ])}
      </select>
    </label>
  );
}

function Head({
  of: { column, name, kind },
  canSort,
  sort,
  setSort,
  isPage,
}: Sorting & { of: Column; canSort: boolean }) {
  const own = sort?.column === column ? sort : null;
  /** Ascending, then descending, then the original order. */
  const turn = () => setSort(own === null ? { column, isDown: false } : own.isDown ? null : { column, isDown: true });
  const sortable = (
    <>
      <button type="button" class="sort" title={isPage ? 'Sorts the rows of this page' : undefined} onClick={turn}>
        {name}
      </button>
      <span class="printed">{name}</span>
    </>
  );
  return (
    <th
      scope="col"
      class={kind === 'figure' ? 'figure' : undefined}
      data-name={kind === 'unseen' ? undefined : name}
      aria-sort={own === null ? undefined : own.isDown ? 'descending' : 'ascending'}
    >
      {kind === 'unseen' ? <span class="unseen">{name}</span> : canSort ? sortable : name}
    </th>
  );
}

/** A click anywhere in a row follows its first link. */
function openRow(event: MouseEvent) {
  const { target } = event;
  if (!(target instanceof Element) || target.closest('a, button, input, select, summary, label, dialog')) return;
  if (event.button !== 0 || getSelection()?.toString()) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  const link = target.closest('tr')?.querySelector('a[href]');
  link?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}
