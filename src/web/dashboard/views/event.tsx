import { useContext } from 'preact/hooks';
import { subjectOfData } from '../../../domain/event.ts';
import { getEvent, resendEvent } from '../../../operations/events.ts';
import { WHOLE_LIST } from '../../../operations/list-query.ts';
import { listWebhookEndpoints } from '../../../operations/webhooks.ts';
import type { LayawayEvent, Related, WebhookEndpoint } from '../../../operations/wire.ts';
import type { Data } from '../ask.ts';
import { ifThere, onceWith, useRead } from '../live.ts';
import { Here } from '../parts/here.ts';
import { Copy, Lever } from '../parts/levers/levers.tsx';
import { resend } from '../parts/levers/resend.ts';
import { callOf } from '../parts/levers/snippets.ts';
import { Id } from '../parts/link-to.tsx';
import { DeliveryPanel } from '../parts/resources/delivery.tsx';
import { Explained } from '../parts/resources/explain.tsx';
import { type ReadRelated, RelatedTo, useRelated } from '../parts/resources/related.tsx';
import { ShownOne } from '../parts/shown.tsx';
import { Empty, Facts, Json, Link, Moment, Page, Panel } from '../parts/ui.tsx';

type Whole = Data<typeof getEvent>;

export function EventView({ id }: { id: string }) {
  const read = useRead(getEvent, { params: { id } });
  const related = ifThere(useRelated(id));
  const endpoints = useRead(listWebhookEndpoints, WHOLE_LIST);
  return (
    <ShownOne of={onceWith(read, related, endpoints)} id={id}>
      {(event) => <Loaded event={event} related={related} endpoints={endpoints.data ?? []} />}
    </ShownOne>
  );
}

interface Around {
  readonly related: ReadRelated;
  readonly endpoints: readonly WebhookEndpoint[];
}

function Loaded({ event: { deliveries, ...event }, related, endpoints }: Around & { event: Whole }) {
  const subject = subjectOfData(event.data);
  const input = { params: { id: event.id }, body: {} };
  const { href } = useContext(Here);
  return (
    <Page
      title={event.type}
      lead={<span class="long-id">{event.id}</span>}
      actions={
        <Lever does={() => resend(href, input)} curl={callOf(resendEvent, input)}>
          Resend
        </Lever>
      }
    >
      <Panel title="Facts">
        <Facts
          of={[
            ['When', <Moment at={event.created_at} />],
            ['Subject', subject === null ? 'an endpoint' : <Id of={subject} short />],
            ['livemode', String(event.livemode)],
          ]}
        />
      </Panel>
      {related.data && <AtThatInstant event={event} of={related.data} />}
      {deliveries.length === 0 ? (
        <Panel title="Deliveries">
          {endpoints.length === 0 ? (
            <Empty run="layaway webhooks add http://localhost:3000/webhooks">
              No endpoint subscribed to this event when it happened. Add one, then resend the event:
            </Empty>
          ) : (
            <Empty>
              No enabled endpoint subscribed to this event when it happened, or its contract was created without
              webhooks. To send it, resend the event once an <Link href={href('webhooks')}>endpoint</Link> is enabled.
            </Empty>
          )}
        </Panel>
      ) : (
        deliveries.map((delivery) => <DeliveryPanel key={delivery.id} of={delivery} endpoints={endpoints} />)
      )}
      <Panel title="Body" aside={<Copy text={JSON.stringify(event, null, 2)}>Copy JSON</Copy>}>
        <Json value={event} label="Body of the event" />
      </Panel>
      <Explained id={event.id} />
      <RelatedTo of={related} />
    </Page>
  );
}

/** Events and emails of the same transaction have the same timestamp. */
function AtThatInstant({ event, of: { events, emails } }: { event: LayawayEvent; of: Related }) {
  const { href } = useContext(Here);
  const beside = events.filter(({ id, created_at }) => id !== event.id && created_at === event.created_at);
  const written = emails.filter(({ created_at }) => created_at === event.created_at);
  return (
    <Panel title="At the same time">
      <Facts
        of={[
          [
            'Other events',
            beside.length === 0
              ? 'none'
              : beside.map(({ id, type }) => (
                  <Link key={id} class="id block" href={href('events', id)}>
                    {type}
                  </Link>
                )),
          ],
          [
            'Emails',
            written.length === 0
              ? 'none'
              : written.map(({ id, to, subject: title }) => (
                  <Link key={id} class="block" href={href('inbox', id)}>
                    <bdi>{title}</bdi> (to <bdi>{to}</bdi>)
                  </Link>
                )),
          ],
        ]}
      />
    </Panel>
  );
}
