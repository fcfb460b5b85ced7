import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Operation, Query } from '../../../../operations/operation.ts';
import type { BrowseMeta as PageMeta } from '../../../../operations/wire.ts';
import type { Asked } from '../../ask.ts';
import { type Read, useKept, useReadWhole } from '../../live.ts';
import { refine } from '../../route.ts';
import { Shown } from '../shown.tsx';
import { Empty } from '../ui.tsx';

/** A search starts after this pause in typing. */
const PAUSE_MS = 250;

/** Removes the place in a list, because a new filter starts from the beginning. */
const PLACE = { page: '', before: '' };

/** A text filter of a list, kept in the address. */
export function SearchBox({ query, name = 'search', label }: { query: URLSearchParams; name?: string; label: string }) {
  const asked = query.get(name) ?? '';
  const [text, setText] = useState(asked);
  const sent = useRef(asked);
  // Only a filter from elsewhere replaces the text: the user may already be typing the next word.
  useEffect(() => {
    if (asked === sent.current) return;
    sent.current = asked;
    setText(asked);
  }, [asked]);
  useEffect(() => {
    if (text.trim() === asked) return;
    const timer = setTimeout(() => {
      sent.current = text.trim();
      refine({ ...PLACE, [name]: sent.current });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name, text, asked]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={200}
      spellcheck={false}
      autocapitalize="off"
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

/** A filter with fixed values, kept in the address. */
export function Choice({
  query,
  name,
  label,
  all,
  options,
}: {
  query: URLSearchParams;
  name: string;
  label: string;
  all: string;
  options: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <select
      aria-label={label}
      value={query.get(name) ?? ''}
      onChange={(event) => refine({ ...PLACE, [name]: event.currentTarget.value }, { replace: false })}
    >
      <option value="">{all}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export const totalOf = ({ total, more_than_total: more }: PageMeta) =>
  `${more ? 'more than ' : ''}${total.toLocaleString('en-US')} in all`;

/** A button that keeps the focus at the end of a list, where it leads no further. */
const Turn = ({ to, children }: { to: (() => void) | null; children: string }) => (
  <button type="button" aria-disabled={to === null} onClick={() => to?.()}>
    {children}
  </button>
);

export function Pager({ meta: { page, per_page: size, total, more_than_total: more } }: { meta: PageMeta }) {
  const last = Math.max(1, Math.ceil(total / size));
  const to = (n: number) => () => {
    refine({ page: n === 1 ? '' : String(n) }, { replace: false });
    scrollTo(0, 0);
  };
  if (last === 1 && page === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <Turn to={page <= 1 ? null : to(1)}>First</Turn>
      <Turn to={page <= 1 ? null : to(Math.min(page - 1, last))}>Previous</Turn>
      <span>
        {page > last && !more ? 'There is no page ' : 'Page '}
        {page.toLocaleString('en-US')}
        {!more &&
          (page > last ? `: the last one is ${last.toLocaleString('en-US')}` : ` of ${last.toLocaleString('en-US')}`)}
      </span>
      <Turn to={page >= last && !more ? null : to(page + 1)}>Next</Turn>
      {!more && <Turn to={page === last ? null : to(last)}>Last</Turn>}
    </nav>
  );
}

/** Reads a list backwards from the place in the address. `names` are its filter parameters. */
export const useBack = <O extends Operation>(
  operation: O,
  query: URLSearchParams,
  names: readonly (keyof Query<O> & string)[],
): Read<Answer<O>> => useKept(useReadWhole(operation, ...asked(operation, query, [...names, 'before'])));

/** Whether a list that is read backwards has more entries than those that are shown. */
export const isPartOf = (query: URLSearchParams, older: string | null) => query.has('before') || older !== null;

/** A list that is read backwards. Its place can be from before a reset or a restore. */
export function ShownBack<T>({
  of,
  query,
  children,
}: {
  of: Read<T>;
  query: URLSearchParams;
  children: (data: T) => ComponentChildren;
}) {
  if (of.data !== undefined || of.error?.errors.before === undefined) return <Shown of={of}>{children}</Shown>;
  return (
    <>
      <Empty>These entries no longer exist, for example after a reset.</Empty>
      <Backwards query={query} older={null} />
    </>
  );
}

/** Buttons to older entries and back to the newest. */
export function Backwards({ query, older }: { query: URLSearchParams; older: string | null }) {
  const to = (before: string) => () => {
    refine({ before }, { replace: false });
    scrollTo(0, 0);
  };
  const isBack = query.has('before');
  if (!isPartOf(query, older)) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <Turn to={isBack ? to('') : null}>Newest</Turn>
      <Turn to={older === null ? null : to(older)}>Older</Turn>
      {isBack && <span class="soft">New entries appear under Newest.</span>}
    </nav>
  );
}

/** The text of an empty filtered list: nothing matches at all, or only nothing in the part searched. */
export const noMatch = (older: string | null) =>
  older === null ? 'Nothing matches.' : 'No match so far. Older entries have not been searched yet:';

/**
 * Tells screen readers that a filter leaves nothing, at least in the part searched. It is there before the words, which
 * they would otherwise miss.
 */
export const NoneFound = ({
  of,
  isNarrowed,
}: {
  of: Read<{ readonly data: readonly unknown[]; readonly meta: { readonly older: string | null } }>;
  isNarrowed: boolean;
}) => (
  <span class="unseen" role="status">
    {isNarrowed && of.data?.data.length === 0 && (of.data.meta.older === null ? 'None found.' : 'None found so far.')}
  </span>
);

/** The input of a list operation, from these parameters of the address. */
export function asked<O extends Operation>(_operation: O, query: URLSearchParams, names: readonly string[]): Asked<O> {
  const kept = names.flatMap((name) => (query.get(name) ? [[name, query.get(name) as string]] : []));
  return [{ query: Object.fromEntries(kept) }] as unknown as Asked<O>;
}
