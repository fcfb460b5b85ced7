import type { ComponentChildren } from 'preact';
import { useRead } from '../live.ts';
import type { PageMeta } from '../wire.ts';
import { spaced } from '../words.ts';
import { Choice, Pager, pathOf, SearchBox, totalOf } from './pages.tsx';
import { Empty, Page, Panel, Shown, Table, type TableHead } from './ui.tsx';

interface Answer<T> {
  readonly data: readonly T[];
  readonly meta: PageMeta;
}

/** A view that is one table of everything there is of a kind: searched, filtered by status, paged by the server. */
export function TableView<T>({
  query,
  title,
  lead,
  path,
  statuses,
  searched,
  heads,
  row,
  empty,
  children,
}: {
  query: URLSearchParams;
  title: string;
  lead: string;
  path: string;
  statuses: readonly string[];
  /** What a search looks into. */
  searched: readonly string[];
  heads: readonly TableHead[];
  row: (of: T) => ComponentChildren;
  /** What to do so that there is something. */
  empty: ComponentChildren;
  children?: ComponentChildren;
}) {
  const read = useRead<Answer<T>>(pathOf(path, query, ['status', 'search', 'page']), { whole: true });
  const isNarrowed = query.has('status') || query.has('search');
  return (
    <Page title={title} lead={lead}>
      <div class="filters">
        <SearchBox query={query} label={`Search ${searched.join(', ')}`} />
        <Choice
          query={query}
          name="status"
          label="Status"
          all="every status"
          options={statuses.map((status) => [status, spaced(status)])}
        />
        <span class="soft" role="status">
          {read.data ? totalOf(read.data.meta) : ''}
        </span>
      </div>
      <Panel title={title} flush>
        <Shown of={read}>
          {({ data, meta }) =>
            data.length > 0 ? (
              <>
                <Table label={title} heads={heads}>
                  {data.map(row)}
                </Table>
                <Pager meta={meta} />
              </>
            ) : isNarrowed ? (
              <Empty>{`Nothing matches. Search looks into ${searched.join(', ')}.`}</Empty>
            ) : (
              empty
            )
          }
        </Shown>
      </Panel>
      {children}
    </Page>
  );
}
