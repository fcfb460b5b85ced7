import type { ComponentChildren } from 'preact';
import type { browseContracts, browseSessions } from '../../../../operations/browse.ts';
import type { Answer } from '../../../../operations/operation.ts';
import { useKept, useReadWhole } from '../../live.ts';
import { spaced } from '../../words.ts';
import { Shown } from '../shown.tsx';
import { Empty, Page, Panel } from '../ui.tsx';
import { Csv } from './csv.tsx';
import { NewRows, useHeldPage } from './held.tsx';
import { asked, Choice, Pager, SearchBox, totalOf } from './pages.tsx';
import { Table, type TableHead } from './table.tsx';

type Lists = typeof browseContracts | typeof browseSessions;

/** A view with a table of all resources of a kind. The server searches, filters and pages it. */
export function TableView<O extends Lists>({
  query,
  title,
  lead,
  operation,
  one,
  keyOf,
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
  operation: O;
  /** The noun for one row. */
  one: string;
  keyOf: (of: Answer<O>['data'][number]) => string;
  statuses: readonly string[];
  /** The fields that a search covers. */
  searched: readonly string[];
  heads: readonly TableHead[];
  row: (of: Answer<O>['data'][number]) => ComponentChildren;
  /** Replaces an empty table. */
  empty: ComponentChildren;
  children?: ComponentChildren;
}) {
  const read = useKept(useReadWhole(operation, ...asked(operation, query, ['status', 'search', 'page'])));
  const held = useHeldPage<Answer<O>['data'][number]>(read, keyOf);
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
      <Panel title={title} flush aside={<Csv of={title} rows={read.data?.data} />}>
        <Shown of={read}>
          {({ data, meta }) =>
            data.length > 0 ? (
              <>
                <NewRows of={held} one={one} isLaterPage={meta.page > 1} />
                <Table label={title} heads={heads} isPage={meta.total > meta.per_page}>
                  {held.rows?.map(row)}
                </Table>
                <Pager meta={meta} />
              </>
            ) : meta.page > 1 ? (
              <>
                <Empty>This page is past the end of the list.</Empty>
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
