import { useContext } from 'preact/hooks';
import type { Happened } from '../wire.ts';
import { Here } from './here.ts';
import { Id } from './link-to.tsx';
import { EventType, Link, Moment, Table } from './ui.tsx';

/** What happened, or will: one line each. */
export function Happenings({
  of,
  label,
  relative = true,
}: {
  of: readonly Happened[];
  label: string;
  relative?: boolean;
}) {
  const { href } = useContext(Here);
  return (
    <Table label={label} heads={['When', 'Event', 'About']}>
      {of.map(({ at, type, subject, event_id }, index) => (
        <tr key={event_id ?? index}>
          <td class="when">
            <Moment at={at} />
            {relative && (
              <span class="soft">
                <Moment at={at} relative />
              </span>
            )}
          </td>
          <td>
            {event_id === null ? (
              <EventType type={type} />
            ) : (
              <Link href={href('events', event_id)} class="plain-link">
                <EventType type={type} />
              </Link>
            )}
          </td>
          <td>{subject === '' ? '' : <Id of={subject} />}</td>
        </tr>
      ))}
    </Table>
  );
}
