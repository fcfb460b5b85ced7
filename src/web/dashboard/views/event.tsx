import { useContext } from 'preact/hooks';
import { ask } from '../ask.ts';
import { stir, useRead } from '../live.ts';
import { curlOf } from '../parts/clip.ts';
import { DeliveryPanel } from '../parts/delivery.tsx';
import { Here } from '../parts/here.ts';
import { Id } from '../parts/link-to.tsx';
import { say } from '../parts/toast.tsx';
import { Act, Copy, Empty, Facts, Json, Link, Moment, Page, Panel, Shown } from '../parts/ui.tsx';
import type { Delivery, LayawayEvent, Related } from '../wire.ts';
import { plural, subjectOf } from '../words.ts';

type Whole = LayawayEvent & { readonly deliveries: readonly Delivery[] };

export function EventView({ id }: { id: string }) {
  const read = useRead<Whole>(`/_sim/events/${encodeURIComponent(id)}`);
  return <Shown of={read}>{(event) => <Loaded event={event} />}</Shown>;
}

function Loaded({ event: { deliveries, ...event } }: { event: Whole }) {
  const subject = subjectOf(event.data);
  const path = `/_sim/events/${event.id}/resend`;
  const resend = async () => {
    const sent = await ask<readonly Delivery[]>(path, { method: 'POST', body: {} });
    say(
      sent.length === 0
        ? 'No endpoint wants this event.'
        : `Sent again: ${plural(sent.length, 'delivery', 'deliveries')}.`,
    );
    stir();
  };
  return (
    <Page
      title={event.type}
      lead={<span class="long-id">{event.id}</span>}
      actions={
        <>
          <Copy text={curlOf('POST', path, {})}>Copy resend as curl</Copy>
          <Act does={resend}>Send again</Act>
        </>
      }
    >
      <Panel title="Facts">
        <Facts
          of={[
            ['When', <Moment at={event.created_at} />],
            ['About', subject === null ? 'an endpoint' : <Id of={subject} />],
            ['livemode', String(event.livemode)],
          ]}
        />
      </Panel>
      {subject !== null && <AtThatInstant subject={subject} event={event} />}
      {deliveries.length === 0 ? (
        <Panel title="Deliveries">
          <Empty run="layaway webhooks add http://localhost:3000/webhooks">
            No endpoint wanted this event when it happened. Add one, then send the event again:
          </Empty>
        </Panel>
      ) : (
        deliveries.map((delivery) => <DeliveryPanel key={delivery.id} of={delivery} />)
      )}
      <Panel title="Body" aside={<Copy text={JSON.stringify(event, null, 2)}>Copy JSON</Copy>}>
        <Json value={event} label="Body of the event" />
      </Panel>
    </Page>
  );
}

/** What one transaction did leaves its marks at one instant: events beside this one, and e-mails. */
function AtThatInstant({ subject, event }: { subject: string; event: LayawayEvent }) {
  const { href } = useContext(Here);
  const read = useRead<Related>(`/_sim/browse/related/${encodeURIComponent(subject.split('#', 1)[0] ?? '')}`);
  if (!read.data) return null;
  const { events, emails, requests, contract, session } = read.data;
  const beside = events.filter(({ id, created_at }) => id !== event.id && created_at === event.created_at);
  const written = emails.filter(({ created_at }) => created_at === event.created_at);
  return (
    <Panel title="Related">
      <Facts
        of={[
          ['Contract', contract ? <Id of={contract.reference} /> : 'none'],
          ['Session', session ? <Id of={session.id} short /> : 'none'],
          [
            'With it happened',
            beside.length === 0
              ? 'nothing else'
              : beside.map(({ id, type }) => (
                  <Link key={id} class="id block" href={href('events', id)}>
                    {type}
                  </Link>
                )),
          ],
          [
            'E-mails',
            written.length === 0
              ? 'none'
              : written.map(({ id, to, subject: title }) => (
                  <Link key={id} class="block" href={href('inbox', id)}>
                    {`${title} (to ${to})`}
                  </Link>
                )),
          ],
          [
            'Requests about it',
            requests.length === 0
              ? 'none'
              : requests.slice(0, 5).map(({ id, method, path, status }) => (
                  <Link key={id} class="id block" href={href('requests', id)}>
                    {`${method} ${path} ${status}`}
                  </Link>
                )),
          ],
        ]}
      />
    </Panel>
  );
}
