import { useContext, useState } from 'preact/hooks';
import { EVENT_TYPES } from '../../../domain/event.ts';
import { DELIVERY_STATUSES } from '../../../domain/webhook.ts';
import { browseDeliveries, browseEndpoints } from '../../../operations/browse.ts';
import { getEvent } from '../../../operations/events.ts';
import { WHOLE_LIST } from '../../../operations/list-query.ts';
import type { Answer } from '../../../operations/operation.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getDelivery,
  listWebhookEndpoints,
  readWebhookSecret,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../../operations/webhooks.ts';
import type { Delivery, EndpointHealth, WebhookEndpoint } from '../../../operations/wire.ts';
import { ask, type Data } from '../ask.ts';
import { ifThere, onceWith, type Read, refresh, useRead } from '../live.ts';
import { TextField } from '../parts/fields.tsx';
import { Here } from '../parts/here.ts';
import { Copy, Form, Lever, leverOf, Menu } from '../parts/levers/levers.tsx';
import { outcomeOf } from '../parts/levers/resend.ts';
import { ResendFailed } from '../parts/levers/resend-failed.tsx';
import { Secret, useToldOnce } from '../parts/levers/secret.tsx';
import { callOf, stepOf } from '../parts/levers/snippets.ts';
import { teller } from '../parts/levers/toast.tsx';
import { Id, shortened } from '../parts/link-to.tsx';
import { Csv } from '../parts/lists/csv.tsx';
import { NewRows, useHeldPage } from '../parts/lists/held.tsx';
import { Backwards, Choice, isPartOf, NoneFound, noMatch, ShownBack, useBack } from '../parts/lists/pages.tsx';
import { Table } from '../parts/lists/table.tsx';
import { DeliveryPanel } from '../parts/resources/delivery.tsx';
import { Health, ResponseCode } from '../parts/resources/endpoints.tsx';
import { Explained } from '../parts/resources/explain.tsx';
import { RelatedTo, useRelated } from '../parts/resources/related.tsx';
import { Shown, ShownOne } from '../parts/shown.tsx';
import { Badge, Empty, EventType, Json, Link, Moment, Page, Panel, Truncated } from '../parts/ui.tsx';
import { NONE } from '../words.ts';

export function WebhooksView({ query, delivery }: { query: URLSearchParams; delivery: string | null }) {
  return delivery === null ? <Both query={query} /> : <OneDelivery key={delivery} id={delivery} />;
}

function Both({ query }: { query: URLSearchParams }) {
  const endpoints = useRead(listWebhookEndpoints, WHOLE_LIST);
  const health = useRead(browseEndpoints);
  const deliveries = useBack(browseDeliveries, query, ['status', 'endpoint_id', 'event_type']);
  const [secret, setSecret] = useToldOnce<{ id: string | null; url: string; secret: string }>('secret', endpoints.data);
  const endpoint = query.get('endpoint_id');
  const isKnown = endpoints.data?.some(({ id }) => id === endpoint) ?? false;
  const showOf = (id: string | null, { url, secret }: WebhookEndpoint) => {
    if (secret !== undefined) setSecret({ id, url, secret });
    return null;
  };
  return (
    <Page title="Webhooks" lead="Endpoints, and every delivery attempt.">
      {secret && (
        <Secret
          key={secret.secret}
          name={`Signing secret of ${secret.url}`}
          value={secret.secret}
          hint="The list below does not show it, but “Show secret” under Levers does."
          close={() => setSecret(null)}
        />
      )}
      <Panel title="Endpoints" flush>
        <Shown of={onceWith(endpoints, health, ifThere(deliveries))}>
          {(list) =>
            list.length === 0 ? (
              <Empty run="layaway listen --forward-to http://localhost:3000/webhooks">
                No endpoints yet. Add one below, or forward events to your store from a terminal:
              </Empty>
            ) : (
              <Table label="Endpoints" heads={['Endpoint', 'State', 'Lately', 'Events', 'Since']}>
                {list.map((endpoint) => (
                  <EndpointRow
                    key={endpoint.id}
                    of={endpoint}
                    health={health.data?.find(({ id }) => id === endpoint.id)}
                    // From before a rotation, the endpoint has another secret.
                    show={(current) => showOf(null, current)}
                  />
                ))}
              </Table>
            )
          }
        </Shown>
        <AddEndpoint show={(added) => showOf(added.id, added)} />
      </Panel>
      {endpoint !== null && isKnown && <Explained key={endpoint} id={endpoint} />}
      <Deliveries query={query} read={onceWith(deliveries, endpoints, health)} endpoints={endpoints.data ?? []} />
    </Page>
  );
}

/** Shows the secret of an answer. */
type Show = (answer: WebhookEndpoint) => null;

function EndpointRow({ of, health, show }: { of: WebhookEndpoint; health: EndpointHealth | undefined; show: Show }) {
  const { id, url, events, enabled, disabled_reason: reason, transport, created_at, disconnected_at, owed } = of;
  const params = { id };
  const test = async () => {
    const tell = teller();
    const tested = await ask(testWebhookEndpoint, { params });
    tell(outcomeOf(tested), tested.status === 'delivered' ? 'good' : 'bad');
    refresh();
  };
  return (
    <tr data-testid="endpoint">
      <td class="roomy">
        <span class="long-id">{url}</span>
        {transport === 'listener' && <span class="soft">forwarded by layaway listen</span>}
        <div class="actions">
          <Lever does={test} curl={callOf(testWebhookEndpoint, { params })}>
            Test
          </Lever>
          <Menu name={`Levers of ${url}`}>
            <Lever {...leverOf(readWebhookSecret, show, { params })}>Show secret</Lever>
            <Lever
              {...leverOf(rotateWebhookSecret, show, { params })}
              confirm="The endpoint gets a new secret, which the list does not show. For 24 hours of account time, deliveries carry both signatures."
            >
              Rotate secret
            </Lever>
            <Lever {...leverOf(updateWebhookEndpoint, () => null, { params, body: { enabled: !enabled } })}>
              {enabled ? 'Disable' : 'Enable'}
            </Lever>
            <Lever
              kind="danger"
              {...leverOf(deleteWebhookEndpoint, 'The endpoint is removed.', { params })}
              confirm={`The simulator stops sending events to ${url}. Past deliveries stay in the list.`}
            >
              Remove
            </Lever>
          </Menu>
        </div>
      </td>
      <td>
        {disconnected_at !== null && <Badge of="disconnected" />}
        {(disconnected_at === null || !enabled) && <Badge of={enabled ? 'enabled' : 'disabled'} />}
        {reason !== null && <span class="soft">{reason}</span>}
        {disconnected_at !== null && owed > 0 && <span class="soft">{owed} waiting</span>}
      </td>
      <td>
        <Health of={health} />
      </td>
      <td data-head="events">{events.includes('*') ? 'all' : events.join(', ')}</td>
      <td class="when" data-head="since">
        <Moment at={created_at} />
      </td>
    </tr>
  );
}

function AddEndpoint({ show }: { show: Show }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState('');
  const names = events.split(/[\s,]+/).filter((name) => name !== '');
  // The simulator refuses unknown types and explains why.
  const body = { url: url.trim(), ...(names.length > 0 ? { events: names as WebhookEndpoint['events'] } : {}) };
  const told = (made: WebhookEndpoint) => {
    setUrl('');
    setEvents('');
    return show(made);
  };
  return (
    <Form>
      <TextField
        label="Send events to"
        name="url"
        type="url"
        placeholder="http://localhost:3000/webhooks"
        value={url}
        set={setUrl}
      />
      <TextField
        label="Only these events"
        name="events"
        placeholder="all, or contract.cancelled, …"
        value={events}
        set={setEvents}
      />
      <Lever
        kind="strong"
        submits
        {...leverOf(createWebhookEndpoint, told, { body })}
        disabled={url.trim() === ''}
        step={stepOf('endpoint', body)}
      >
        Add endpoint
      </Lever>
    </Form>
  );
}

interface Sent {
  readonly query: URLSearchParams;
  readonly read: Read<Answer<typeof browseDeliveries>>;
  readonly endpoints: readonly WebhookEndpoint[];
}

function Deliveries({ query, read, endpoints }: Sent) {
  const held = useHeldPage(read, ({ id }) => id);
  const [endpointId, type] = [query.get('endpoint_id'), query.get('event_type')];
  const narrow = {
    ...(endpointId === null ? {} : { endpoint_id: endpointId }),
    ...(type === null ? {} : { event_type: type as Delivery['event_type'] }),
  };
  const isNarrowed = ['status', 'endpoint_id', 'event_type', 'before'].some((name) => query.has(name));
  const isListed = endpoints.some(({ id }) => id === endpointId);
  const isOfNone = endpointId !== null && read.data === undefined && read.error?.status === 404;
  return (
    <Panel
      title="Deliveries"
      flush
      aside={
        <>
          <Choice
            query={query}
            name="status"
            label="Status"
            all="every status"
            options={DELIVERY_STATUSES.map((status) => [status, status])}
          />
          <Choice
            query={query}
            name="endpoint_id"
            label="Endpoint"
            all="every endpoint"
            options={[
              ...endpoints.map(({ id, url }) => [id, url] as const),
              ...(endpointId === null || isListed ? [] : ([[endpointId, shortened(endpointId)]] as const)),
            ]}
          />
          <Choice
            query={query}
            name="event_type"
            label="Event type"
            all="every event type"
            options={EVENT_TYPES.map((type) => [type, type])}
          />
          <NoneFound of={read} isNarrowed={isNarrowed} />
          <Csv of="Deliveries" rows={held.rows} />
          <ResendFailed narrow={narrow} endpoints={endpoints} />
        </>
      }
    >
      {isOfNone ? (
        <Empty>
          This endpoint does not exist in this account. It may have been removed, or be from before a reset. Choose
          another one, or every endpoint.
        </Empty>
      ) : (
        <ShownBack of={read} query={query}>
          {({ data, meta: { older } }) => (
            <>
              {data.length === 0 ? (
                <Empty>{isNarrowed ? noMatch(older) : 'Nothing has been sent yet.'}</Empty>
              ) : (
                <>
                  <NewRows of={held} one="delivery" many="deliveries" />
                  <Table
                    label="Deliveries"
                    heads={['Delivery', 'Status', 'Event', 'When', 'To', 'Last response', ['Attempts', 'figure']]}
                    isPage={isPartOf(query, older)}
                  >
                    {held.rows?.map((delivery) => (
                      <DeliveryRow key={delivery.id} of={delivery} />
                    ))}
                  </Table>
                </>
              )}
              <Backwards query={query} older={older} />
            </>
          )}
        </ShownBack>
      )}
    </Panel>
  );
}

function DeliveryRow({ of }: { of: Delivery }) {
  const { href } = useContext(Here);
  const { id, status, event_id, event_type, event_created_at, url, attempts, next_attempt_at: next, given_up } = of;
  const last = attempts.at(-1);
  const isTroubled = status === 'failed' || (status === 'pending' && attempts.length > 0);
  return (
    <tr class={isTroubled ? 'troubled' : undefined}>
      <td>
        <Id of={id} short />
      </td>
      <td>
        <Badge of={status} />
        {next !== null && attempts.length > 0 && (
          <span class="soft unbroken">
            again <Moment at={next} relative />
          </span>
        )}
      </td>
      <td>
        <Link href={href('events', event_id)} class="plain-link">
          <EventType type={event_type} />
        </Link>
      </td>
      <td class="when">
        <Moment at={event_created_at} />
      </td>
      <td class="wide">
        <Truncated>{url}</Truncated>
      </td>
      <td>
        {last ? (
          <span class="unbroken">
            <ResponseCode of={last.status_code} /> <small>{last.duration_ms} ms</small>
          </span>
        ) : given_up ? (
          <span class="soft">{given_up.reason}</span>
        ) : (
          NONE
        )}
        {last?.error && <span class="soft bad-ink">{last.error}</span>}
      </td>
      <td class="figure" data-head="attempts">
        {attempts.length}
      </td>
    </tr>
  );
}

function OneDelivery({ id }: { id: string }) {
  const { href } = useContext(Here);
  const related = ifThere(useRelated(id));
  const read = useRead(getDelivery, { params: { id } });
  const endpoints = useRead(listWebhookEndpoints, WHOLE_LIST);
  const event = ifThere(useRead(getEvent, read.data ? { params: { id: read.data.event_id } } : null));
  return (
    <ShownOne of={onceWith(read, related, endpoints, event)} id={id}>
      {(delivery) => (
        <Page
          title="Delivery"
          lead={<span class="long-id">{id}</span>}
          actions={
            <Link class="button" href={href('webhooks')}>
              All deliveries
            </Link>
          }
        >
          <DeliveryPanel of={delivery} endpoints={endpoints.data ?? []} />
          {event.data && <BodySent of={event.data} />}
          <Explained id={id} />
          <RelatedTo of={related} />
        </Page>
      )}
    </ShownOne>
  );
}

/** Every attempt sends the same signed bytes. */
function BodySent({ of: { deliveries: _, ...body } }: { of: Data<typeof getEvent> }) {
  return (
    <Panel title="Body sent" aside={<Copy text={JSON.stringify(body)}>Copy body</Copy>}>
      <Json value={body} label="Body sent" />
    </Panel>
  );
}
