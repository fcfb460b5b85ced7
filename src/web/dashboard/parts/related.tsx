import { useContext } from 'preact/hooks';
import { browseRelated } from '../../../operations/browse.ts';
import type { FaultMark, Related } from '../../../operations/wire.ts';
import { useRead } from '../live.ts';
import { money, spaced } from '../words.ts';
import { Happenings } from './happenings.tsx';
import { Here } from './here.ts';
import { Id, shortened } from './link-to.tsx';
import { Badge, Clip, Facts, Link, Moment, Panel, Table } from './ui.tsx';

/** Everything about the checkout that an id belongs to. */
export const useRelated = (id: string | null) => useRead(browseRelated, id === null ? null : { params: { id } });

/** The checkout that something belongs to, with everything else of that checkout. */
export function RelatedTo({ of }: { of: Related | null | undefined }) {
  if (!of?.session) return null;
  const { contract, session } = of;
  return (
    <>
      <Panel title="Belongs to">
        <Facts
          of={[
            [
              'Contract',
              contract ? (
                <>
                  <Id of={contract.reference} /> <Badge of={contract.status} />
                </>
              ) : (
                'none yet'
              ),
            ],
            [
              'Session',
              <>
                <Id of={session.id} short /> <Badge of={session.status} />
              </>,
            ],
            ['Order', <bdi>{session.order_reference}</bdi>],
          ]}
        />
      </Panel>
      <RelatedPanels of={of} />
    </>
  );
}

/** Everything of one checkout: payments, events, deliveries, emails and requests. */
export function RelatedPanels({ of: { attempts, events, deliveries, emails, requests } }: { of: Related }) {
  const { href } = useContext(Here);
  return (
    <>
      <Panel title="Events" flush>
        {events.length === 0 ? (
          <p class="note">None yet.</p>
        ) : (
          <Happenings label="Events of this checkout" of={events} />
        )}
      </Panel>
      {attempts.length > 0 && (
        <Panel title="Payment attempts" flush>
          <Table label="Payment attempts" heads={['When', 'Outcome', ['Amount', 'figure'], 'Capture', 'Reference']}>
            {attempts.map(({ reference, at, outcome, amount, late_charge_amount: late, sequence, number }) => (
              <tr key={reference} id={reference}>
                <td class="when">
                  <Moment at={at} />
                </td>
                <td>
                  <Badge of={outcome} />
                </td>
                <td class="figure">
                  {money(amount)}
                  {late > 0 && ` + ${money(late)} late`}
                </td>
                <td>{sequence === 1 ? 'Cart Capture' : `Installment ${sequence - 1}, attempt ${number}`}</td>
                <td>
                  <code>{reference}</code>
                </td>
              </tr>
            ))}
          </Table>
        </Panel>
      )}
      {deliveries.length > 0 && (
        <Panel title="Webhook deliveries" flush>
          <Table
            label="Deliveries of this checkout"
            heads={['Delivery', 'Status', 'Event', 'To', ['Attempts', 'figure']]}
          >
            {deliveries.map(({ id, status, event_id, url, attempts: tries }) => (
              <tr key={id} class={status === 'failed' ? 'troubled' : undefined}>
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
                <td class="wide">
                  <Clip>{url}</Clip>
                </td>
                <td class="figure" data-head="attempts">
                  {tries.length}
                </td>
              </tr>
            ))}
          </Table>
        </Panel>
      )}
      {emails.length > 0 && (
        <Panel title="Emails" flush>
          <Table label="Emails of this contract" heads={['When', 'To', 'Subject']}>
            {emails.map(({ id, to, subject, created_at }) => (
              <tr key={id}>
                <td class="when">
                  <Moment at={created_at} />
                </td>
                <td>
                  <Clip>{to}</Clip>
                </td>
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
          <Table label="Requests about this checkout" heads={['When, real time', 'Request', 'Response']}>
            {requests.map(({ id, at, method, path, status, fault }) => (
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
                  <StatusCode of={status} /> <StruckBy fault={fault} />
                </td>
              </tr>
            ))}
          </Table>
        </Panel>
      )}
    </>
  );
}

/** The fault that struck a request or an attempt, where one did. */
export const StruckBy = ({ fault }: { fault: FaultMark | null }) =>
  fault && (
    <span class="badge warm" data-testid="struck" title={`Struck by the fault ${fault.id}`}>
      {spaced(fault.kind)}
    </span>
  );

export const StatusCode = ({ of }: { of: number | null }) => (
  <span class={`badge ${of === null || of >= 500 ? 'bad' : of >= 400 ? 'warm' : 'good'}`}>{of ?? 'no response'}</span>
);
