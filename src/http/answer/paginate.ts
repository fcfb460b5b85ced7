/** How many pages `meta.links` shows on each side of the current one. */
const EACH_SIDE = 3;

interface Page {
  readonly path: string;
  readonly query: Readonly<Record<string, string | null>>;
  readonly page: number;
  readonly size: number;
  readonly total: number;
  /** Rows on this page. */
  readonly count: number;
}

/** `links` and `meta` as Laravel's LengthAwarePaginator prints them (decisions §5). */
export function paginate({ path, query, page, size, total, count }: Page) {
  const lastPage = Math.max(1, Math.ceil(total / size));
  const kept = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
  const url = (n: number) => `${path}?${new URLSearchParams([...kept, ['page', String(n)]])}`;
  const link = (n: number | null, label: string, active = false) => ({
    url: n === null ? null : url(n),
    label,
    page: n,
    active,
  });

  const previous = page > 1 ? page - 1 : null;
  const next = page < lastPage ? page + 1 : null;
  return {
    links: {
      first: url(1),
      last: url(lastPage),
      prev: previous === null ? null : url(previous),
      next: next === null ? null : url(next),
    },
    meta: {
      current_page: page,
      from: count === 0 ? null : (page - 1) * size + 1,
      last_page: lastPage,
      links: [
        link(previous, '&laquo; Previous'),
        ...shownPages(page, lastPage).map((n) => (n === null ? link(null, '...') : link(n, String(n), n === page))),
        link(next, 'Next &raquo;'),
      ],
      path,
      per_page: size,
      to: count === 0 ? null : (page - 1) * size + count,
      total,
    },
  };
}

/** The page numbers of `meta.links`; null stands for omitted pages. */
function shownPages(page: number, lastPage: number): (number | null)[] {
  if (lastPage < EACH_SIDE * 2 + 8) return range(1, lastPage);
  const window = EACH_SIDE + 4;
  const start = [1, 2];
  const end = [lastPage - 1, lastPage];
  if (page <= window) return [...range(1, window + EACH_SIDE), null, ...end];
  if (page > lastPage - window) return [...start, null, ...range(lastPage - (window + EACH_SIDE - 1), lastPage)];
  return [...start, null, ...range(page - EACH_SIDE, page + EACH_SIDE), null, ...end];
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
