import { useContext } from 'preact/hooks';
import type { EventLine, Happened } from '../../../operations/wire.ts';
import { Here } from './here.ts';
import { Id } from './link-to.tsx';
import { EventType, Link, Moment, Table } from './ui.tsx';

/** An event, or what would be one. */
type Line = Omit<EventLine, 'id'> & { readonly id: string | null };

/** What an advance or a forecast reports, as a line. */
export const lineOf = ({ at, event_id, ...rest }: Happened): Line => ({ ...rest, id: event_id, created_at: at });

/** What happened, or would: one line each. */
export function Happenings({ of, label, relative = true }: { of: readonly Line[]; label: string; relative?: boolean }) {
  const { href } = useContext(Here);
  return (
    <Table label={label} heads={['When', 'Event', 'Subject']}>
      {of.map(({ created_at: at, type, subject, id }, index) => (
        <tr key={id ?? index}>
          <td class="when">
            <Moment at={at} />
            {relative && (
              <span class="soft">
                <Moment at={at} relative />
              </span>
            )}
          </td>
          <td>
            {id === null ? (
              <EventType type={type} />
            ) : (
              <Link href={href('events', id)} class="plain-link">
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
