import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { browseRelated } from '../../../../operations/browse.ts';
import type {
  CheckoutSession,
  Delivery,
  EmailLine,
  FaultMark,
  PaymentAttempt,
  Related,
  RequestLine,
} from '../../../../operations/wire.ts';
import { type Read, useRead } from '../../live.ts';
import { money, spaced } from '../../words.ts';
import { Here } from '../here.ts';
import { Id, shortened } from '../link-to.tsx';
import { NewRows, useHeld } from '../lists/held.tsx';
import { Table } from '../lists/table.tsx';
import { Happenings } from '../time/happenings.tsx';
import { Badge, Facts, Link, Moment, Panel, Truncated } from '../ui.tsx';

/** Reads everything about the checkout that an id belongs to. */
export const useRelated = (id: string | null) => useRead(browseRelated, id === null ? null : { params: { id } });

export type ReadRelated = Pick<Read<Related | null>, 'data' | 'isFresh' | 'acts' | 'epoch'>;

/** The checkout that something belongs to, and everything else of that checkout. */
export function RelatedTo({ of }: { of: ReadRelated }) {
  if (!of.data?.session) return null;
  const { contract, session } = of.data;
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
                noContract(session)
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

/** Only an open session can still get a contract. */
export const noContract = ({ status }: Pick<CheckoutSession, 'status'>) => (status === 'pending' ? 'none yet' : 'none');

/** Everything of one checkout: payments, events, deliveries, emails and requests. */
export function RelatedPanels({ of: { data, ...read } }: { of: ReadRelated }) {
  if (!data) return null;
  const { attempts, events, deliveries, emails, requests } = data;
  return (
    <>
      <Rows title="Events" one="event" of={{ data: events, ...read }} keyOf={({ id }) => id} none="None yet.">
        {(rows) => <Happenings label="Events of this checkout" of={rows} />}
      </Rows>
      <Rows
        title="Payment attempts"
        one="attempt"
        of={{ data: attempts.toReversed(), ...read }}
        keyOf={({ reference }) => reference}
      >
        {(rows) => <Attempts of={rows} />}
      </Rows>
      <Rows
        title="Webhook deliveries"
        one="delivery"
        many="deliveries"
        of={{ data: deliveries, ...read }}
        keyOf={({ id }) => id}
      >
        {(rows) => <Deliveries of={rows} />}
      </Rows>
      <Rows title="Emails" one="email" of={{ data: emails, ...read }} keyOf={({ id }) => id}>
        {(rows) => <Emails of={rows} />}
      </Rows>
      <Rows title="Requests" one="request" of={{ data: requests, ...read }} keyOf={({ id }) => id}>
        {(rows) => <Requests of={rows} />}
      </Rows>
    </>
  );
}

const Attempts = ({ of }: { of: readonly PaymentAttempt[] }) => (
  <Table label="Payment attempts" heads={['When', 'Outcome', ['Amount', 'figure'], 'Capture', 'Reference']}>
    {of.map(({ reference, at, outcome, amount, late_charge_amount: late, sequence, number }) => (
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
);

function Deliveries({ of }: { of: readonly Delivery[] }) {
  const { href } = useContext(Here);
  return (
    <Table label="Deliveries of this checkout" heads={['Delivery', 'Status', 'Event', 'To', ['Attempts', 'figure']]}>
      {of.map(({ id, status, event_id, url, attempts: tries }) => (
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
            <Truncated>{url}</Truncated>
          </td>
          <td class="figure" data-head="attempts">
            {tries.length}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Emails({ of }: { of: readonly EmailLine[] }) {
  const { href } = useContext(Here);
  return (
    <Table label="Emails of this contract" heads={['When', 'To', 'Subject']}>
      {of.map(({ id, to, subject, created_at }) => (
        <tr key={id}>
          <td class="when">
            <Moment at={created_at} />
          </td>
          <td class="wide">
            <Truncated>{to}</Truncated>
          </td>
          <td class="wide">
            <Link href={href('inbox', id)}>
              <bdi>{subject}</bdi>
            </Link>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Requests({ of }: { of: readonly RequestLine[] }) {
  const { href } = useContext(Here);
  return (
    <Table label="Requests about this checkout" heads={['When, real time', 'Request', 'Response']}>
      {of.map(({ id, at, method, path, status, fault }) => (
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
  );
}

interface RowsProps<T> {
  readonly title: string;
  readonly one: string;
  readonly many?: string;
  readonly of: Pick<Read<readonly T[]>, 'data' | 'isFresh' | 'acts' | 'epoch'>;
  keyOf(row: T): string;
  /** The text of an empty panel. Without it, an empty panel is not shown. */
  readonly none?: string;
  children(rows: readonly T[]): ComponentChildren;
}

/** A panel of rows that holds new rows back. */
function Rows<T>({ title, one, many, of, keyOf, none, children }: RowsProps<T>) {
  const held = useHeld(of, keyOf);
  const rows = held.rows ?? [];
  if (rows.length === 0 && none === undefined) return null;
  return (
    <Panel title={title} flush>
      <NewRows of={held} one={one} {...(many ? { many } : {})} />
      {rows.length === 0 ? <p class="note">{none}</p> : children(rows)}
    </Panel>
  );
}

/** The fault that struck a request or an attempt, if any. */
export const StruckBy = ({ fault }: { fault: FaultMark | null }) =>
  fault && (
    <span class="badge warm" data-testid="struck" title={`Struck by the fault ${fault.id}`}>
      {spaced(fault.kind)}
    </span>
  );

export const StatusCode = ({ of }: { of: number | null }) => (
  <span class={`badge ${of === null || of >= 500 ? 'bad' : of >= 400 ? 'warm' : 'good'}`}>{of ?? 'no response'}</span>
);
