import { useContext } from 'preact/hooks';
import type { EventLine, Happened } from '../../../../operations/wire.ts';
import { Here } from '../here.ts';
import { Id } from '../link-to.tsx';
import { Table } from '../lists/table.tsx';
import { EventType, Link, Moment } from '../ui.tsx';

/** An event, or a forecast one, which has no id. */
type Line = Omit<EventLine, 'id'> & { readonly id: string | null };

/** Converts an entry of an advance or a forecast. */
export const lineOf = ({ at, event_id, ...rest }: Happened): Line => ({ ...rest, id: event_id, created_at: at });

interface Props {
  readonly of: readonly Line[];
  readonly label: string;
  readonly relative?: boolean;
  readonly isPage?: boolean;
}

/** A table of events, past or forecast. */
export function Happenings({ of, label, relative = true, isPage = false }: Props) {
  const { href } = useContext(Here);
  return (
    <Table label={label} heads={['When', 'Event', 'Subject']} isPage={isPage}>
      {of.map(({ created_at: at, type, subject, id }, index) => (
        <tr key={id ?? index}>
          <td class="when">
            <Moment at={at} />{' '}
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
