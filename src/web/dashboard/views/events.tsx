import { useState } from 'preact/hooks';
import { useRead } from '../live.ts';
import { Happenings } from '../parts/happenings.tsx';
import { Empty, Page, Panel, Shown } from '../parts/ui.tsx';
import { refine } from '../route.ts';
import type { LayawayEvent } from '../wire.ts';
import { plural, subjectOf } from '../words.ts';

/** The newest of an account that may have millions: enough to see, few enough to draw. */
const LIMIT = 200;

export function EventsView({ query }: { query: URLSearchParams }) {
  const read = useRead<readonly LayawayEvent[]>(`/_sim/events?limit=${LIMIT}`);
  const [text, setText] = useState(query.get('search') ?? '');
  const wanted = text.trim().toLowerCase();
  return (
    <Page title="Events" lead={`What happened, newest first; the latest ${LIMIT}. New ones appear by themselves.`}>
      <div class="filters">
        <input
          type="search"
          aria-label="Type or id"
          placeholder="Type or id"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            refine({ search: event.currentTarget.value.trim() });
          }}
        />
      </div>
      <Panel title="Events" flush>
        <Shown of={read}>
          {(events) => {
            const lines = events.map(({ id, type, created_at, data }) => ({
              at: created_at,
              type,
              subject: subjectOf(data) ?? '',
              event_id: id,
            }));
            const shown = lines.filter(({ type, subject, event_id: id }) =>
              `${type} ${subject} ${id}`.toLowerCase().includes(wanted),
            );
            if (lines.length === 0) {
              return (
                <Empty run="layaway sessions create --order-reference A-1001 --total-amount 20000&#10;layaway sessions complete <id>">
                  Nothing has happened in this account yet. Complete a checkout:
                </Empty>
              );
            }
            if (shown.length === 0)
              return <Empty>{`None of the latest ${plural(lines.length, 'event')} matches.`}</Empty>;
            return <Happenings of={shown} label="Events" />;
          }}
        </Shown>
      </Panel>
    </Page>
  );
}
