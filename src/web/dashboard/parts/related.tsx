import { useContext } from 'preact/hooks';
import type { Related } from '../wire.ts';
import { Happenings } from './happenings.tsx';
import { Here } from './here.ts';
import { Id, shortened } from './link-to.tsx';
import { Badge, Link, Moment, Panel, Table } from './ui.tsx';

/** Everything that came of one checkout: its events, what was delivered and written, and who asked for it. */
export function RelatedPanels({ of: { events, deliveries, emails, requests } }: { of: Related }) {
  const { href } = useContext(Here);
  return (
    <>
      <Panel title="Events" flush level={2}>
        {events.length === 0 ? (
          <p class="note">None yet.</p>
        ) : (
          <Happenings
            label="Events of this checkout"
            of={events.map(({ id, type, subject, created_at }) => ({ at: created_at, type, subject, event_id: id }))}
          />
        )}
      </Panel>
      {deliveries.length > 0 && (
        <Panel title="Webhook deliveries" flush>
          <Table
            label="Deliveries of this checkout"
            heads={['Delivery', 'Status', 'Event', 'To', ['Attempts', 'figure']]}
          >
            {deliveries.map(({ id, status, event_id, url, attempts }) => (
              <tr key={id}>
                <td>
                  <Link class="id" href={href('webhooks', id)} title={id}>
                    {shortened(id)}
                  </Link>
                </td>
                <td>
                  <Badge of={status} />
                </td>
                <td>
                  <Id of={event_id} short />
                </td>
                <td class="wide">{url}</td>
                <td class="figure">{attempts.length}</td>
              </tr>
            ))}
          </Table>
        </Panel>
      )}
      {emails.length > 0 && (
        <Panel title="E-mails" flush>
          <Table label="E-mails of this contract" heads={['When', 'To', 'Subject']}>
            {emails.map(({ id, to, subject, created_at }) => (
              <tr key={id}>
                <td class="when">
                  <Moment at={created_at} />
                </td>
                <td>{to}</td>
                <td class="wide">
                  <Link href={href('inbox', id)}>
                    <bdi>{subject}</bdi>
                  </Link>
                </td>
              </tr>
            ))}
          </Table>
        </Panel>
      )}
      {requests.length > 0 && (
        <Panel title="Requests" flush>
          <Table label="Requests about this checkout" heads={['When', 'Request', 'Answer']}>
            {requests.map(({ id, at, method, path, status }) => (
              <tr key={id}>
                <td class="when">
                  <Moment at={at} />
                </td>
                <td class="wide">
                  <Link href={href('requests', id)} class="id">
                    {`${method} ${path}`}
                  </Link>
                </td>
                <td>
                  <StatusCode of={status} />
                </td>
              </tr>
            ))}
          </Table>
        </Panel>
      )}
    </>
  );
}

export const StatusCode = ({ of }: { of: number | null }) => (
  <span class={`badge ${of === null || of >= 500 ? 'bad' : of >= 400 ? 'warm' : 'good'}`}>{of ?? 'no answer'}</span>
);
