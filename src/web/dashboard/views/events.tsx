import { browseEvents } from '../../../operations/browse.ts';
import { Happenings } from '../parts/happenings.tsx';
import { Backwards, noMatch, SearchBox, useBack } from '../parts/pages.tsx';
import { Empty, Page, Panel, Shown } from '../parts/ui.tsx';

export function EventsView({ query }: { query: URLSearchParams }) {
  const read = useBack(browseEvents, query, ['search']);
  const isNarrowed = query.has('search') || query.has('before');
  return (
    <Page title="Events" lead="All events, newest first. New ones appear automatically.">
      <div class="filters">
        <SearchBox query={query} label="Search type, subject, id" />
      </div>
      <Panel title="Events" flush>
        <Shown of={read}>
          {({ data, meta: { older } }) => (
            <>
              {data.length > 0 ? (
                <Happenings label="Events" of={data} />
              ) : isNarrowed ? (
                <Empty>{noMatch(older)}</Empty>
              ) : (
                <Empty run="layaway contracts create --order-reference A-1001 --total-amount 20000">
                  Nothing has happened in this account yet. Create a plan:
                </Empty>
              )}
              <Backwards query={query} older={older} />
            </>
          )}
        </Shown>
      </Panel>
    </Page>
  );
}
