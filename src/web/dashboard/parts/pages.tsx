import { useEffect, useState } from 'preact/hooks';
import { refine } from '../route.ts';
import type { PageMeta } from '../wire.ts';
import { spaced } from '../words.ts';

/** A pause in typing, before the simulator is asked. */
const PAUSE_MS = 250;

/** What narrows a list: a text and a status, both kept in the address. */
export function Filters({
  query,
  statuses,
  label,
  total,
}: {
  query: URLSearchParams;
  statuses: readonly string[];
  label: string;
  total: string;
}) {
  const asked = query.get('search') ?? '';
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  useEffect(() => {
    if (text === asked) return;
    const timer = setTimeout(() => refine({ search: text, page: '' }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, asked]);
  return (
    <div class="filters">
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={200}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <select
        aria-label="Status"
        value={query.get('status') ?? ''}
        onChange={(event) => refine({ status: event.currentTarget.value, page: '' }, { replace: false })}
      >
        <option value="">every status</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {spaced(status)}
          </option>
        ))}
      </select>
      <span class="soft" role="status">
        {total}
      </span>
    </div>
  );
}

export const totalOf = ({ total, more_than_total: more }: PageMeta) =>
  `${more ? 'more than ' : ''}${total.toLocaleString('en-US')} in all`;

export function Pager({ meta: { page, per_page: size, total, more_than_total: more } }: { meta: PageMeta }) {
  const last = Math.max(1, Math.ceil(total / size));
  const to = (n: number) => () => {
    refine({ page: n === 1 ? '' : String(n) }, { replace: false });
    scrollTo(0, 0);
  };
  if (last === 1 && page === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={page <= 1} onClick={to(1)}>
        First
      </button>
      <button type="button" disabled={page <= 1} onClick={to(page - 1)}>
        Previous
      </button>
      <span>
        Page {page.toLocaleString('en-US')}
        {!more && ` of ${last.toLocaleString('en-US')}`}
      </span>
      <button type="button" disabled={page >= last && !more} onClick={to(page + 1)}>
        Next
      </button>
      {!more && (
        <button type="button" disabled={page >= last} onClick={to(last)}>
          Last
        </button>
      )}
    </nav>
  );
}

export function pathOf(path: string, query: URLSearchParams, names: readonly string[]): string {
  const kept = names.flatMap((name) => (query.get(name) ? [[name, query.get(name) as string]] : []));
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}
