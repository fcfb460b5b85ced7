import { browseEvents } from '../../../operations/browse.ts';
import { Csv } from '../parts/lists/csv.tsx';
import { NewRows, useHeldPage } from '../parts/lists/held.tsx';
import { Backwards, isPartOf, NoneFound, noMatch, SearchBox, ShownBack, useBack } from '../parts/lists/pages.tsx';
import { Happenings } from '../parts/time/happenings.tsx';
import { Empty, Page, Panel } from '../parts/ui.tsx';

export function EventsView({ query }: { query: URLSearchParams }) {
  const read = useBack(browseEvents, query, ['search']);
  const held = useHeldPage(read, ({ id }) => id);
  const isNarrowed = query.has('search') || query.has('before');
  return (
    <Page title="Events" lead="All events, newest first. New ones wait behind a button above the list.">
      <div class="filters">
        <SearchBox query={query} label="Search type, subject, id" />
        <NoneFound of={read} isNarrowed={isNarrowed} />
      </div>
      <Panel title="Events" flush aside={<Csv of="Events" rows={held.rows} />}>
        <ShownBack of={read} query={query}>
          {({ data, meta: { older } }) => (
            <>
              {data.length > 0 ? (
                <>
                  <NewRows of={held} one="event" />
                  <Happenings label="Events" of={held.rows ?? []} isPage={isPartOf(query, older)} />
                </>
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
        </ShownBack>
      </Panel>
    </Page>
  );
}
