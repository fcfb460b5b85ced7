import { useContext, useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { stir, useRead } from '../live.ts';
import { curlOf } from '../parts/clip.ts';
import { DeliveryPanel } from '../parts/delivery.tsx';
import { Here } from '../parts/here.ts';
import { Id, shortened } from '../parts/link-to.tsx';
import { StatusCode } from '../parts/related.tsx';
import { Secret } from '../parts/secret.tsx';
import { say } from '../parts/toast.tsx';
import { Act, Badge, Copy, Empty, Field, Json, Link, Moment, Page, Panel, Shown, Table } from '../parts/ui.tsx';
import { go, refine } from '../route.ts';
import type { Delivery, LayawayEvent, Related, WebhookEndpoint } from '../wire.ts';

const LIMIT = 100;

export function WebhooksView({ query, delivery }: { query: URLSearchParams; delivery: string | null }) {
  return delivery === null ? <Both query={query} /> : <OneDelivery id={delivery} />;
}

function Both({ query }: { query: URLSearchParams }) {
  const endpoints = useRead<readonly WebhookEndpoint[]>('/_sim/webhook-endpoints');
  const [secret, setSecret] = useState<{ url: string; secret: string } | null>(null);
  return (
    <Page title="Webhooks" lead="Where events are sent, and how each attempt went.">
      {secret && (
        <Secret name={`Signing secret of ${secret.url}`} value={secret.secret} close={() => setSecret(null)} />
      )}
      <Panel title="Endpoints" flush>
        <Shown of={endpoints}>
          {(list) =>
            list.length === 0 ? (
              <Empty run="layaway listen --forward-to http://localhost:3000/webhooks">
                Nobody listens. Add an endpoint below, or let a terminal forward to your store:
              </Empty>
            ) : (
              <Table label="Endpoints" heads={['Endpoint', 'State', 'Events', 'Since', ['Levers', 'unseen']]}>
                {list.map((endpoint) => (
                  <EndpointRow key={endpoint.id} of={endpoint} show={setSecret} />
                ))}
              </Table>
            )
          }
        </Shown>
        <AddEndpoint show={setSecret} />
      </Panel>
      <Deliveries query={query} endpoints={endpoints.data ?? []} />
    </Page>
  );
}

type Show = (secret: { url: string; secret: string }) => void;

function EndpointRow({ of, show }: { of: WebhookEndpoint; show: Show }) {
  const { id, url, events, enabled, disabled_reason: reason, transport, created_at } = of;
  const path = `/_sim/webhook-endpoints/${id}`;
  const test = async () => {
    const { attempts } = await ask<Delivery>(`${path}/test`, { method: 'POST' });
    const last = attempts.at(-1);
    const answer = last?.status_code ?? last?.error ?? 'nothing yet';
    say(`The endpoint answered the test with ${answer}.`, last?.status_code && last.status_code < 300 ? 'good' : 'bad');
    stir();
  };
  const rotate = async () => {
    const { secret } = await ask<WebhookEndpoint>(`${path}/rotate`, { method: 'POST' });
    if (secret !== undefined) show({ url, secret });
    stir();
  };
  const turn = (on: boolean) => async () => {
    await ask(path, { method: 'PATCH', body: { enabled: on } });
    stir();
  };
  const remove = async () => {
    await ask(path, { method: 'DELETE' });
    say('The endpoint is removed.');
    stir();
  };
  return (
    <tr data-testid="endpoint">
      <td class="wide">
        <span class="long-id">{url}</span>
        {transport === 'listener' && <span class="soft">layaway listen forwards to it</span>}
      </td>
      <td>
        <Badge of={enabled ? 'enabled' : 'disabled'} />
        {reason !== null && <span class="soft">{reason}</span>}
      </td>
      <td>{events.includes('*') ? 'all' : events.join(', ')}</td>
      <td class="when">
        <Moment at={created_at} />
      </td>
      <td class="levers">
        <Act does={test}>Test</Act>
        <Act
          does={rotate}
          confirm="A new secret is drawn and shown once. For 24 hours of the account’s time, deliveries carry both signatures."
        >
          Rotate secret
        </Act>
        <Act does={turn(!enabled)}>{enabled ? 'Disable' : 'Enable'}</Act>
        <Act kind="danger" does={remove} confirm={`Nothing more is sent to ${url}. Its deliveries stay listed.`}>
          Remove
        </Act>
        <Copy text={curlOf('POST', `${path}/test`)}>Copy test as curl</Copy>
      </td>
    </tr>
  );
}

function AddEndpoint({ show }: { show: Show }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState('');
  const names = events.split(/[\s,]+/).filter((name) => name !== '');
  const body = { url: url.trim(), ...(names.length > 0 ? { events: names } : {}) };
  const add = async () => {
    const made = await ask<WebhookEndpoint>('/_sim/webhook-endpoints', { method: 'POST', body });
    if (made.secret !== undefined) show({ url: made.url, secret: made.secret });
    setUrl('');
    setEvents('');
    stir();
  };
  return (
    <div class="add">
      <Field label="Send events to">
        {(id) => (
          <input
            id={id}
            type="url"
            value={url}
            placeholder="http://localhost:3000/webhooks"
            onInput={(e) => setUrl(e.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Only these events">
        {(id) => (
          <input
            id={id}
            value={events}
            placeholder="all, or contract.cancelled, …"
            onInput={(e) => setEvents(e.currentTarget.value)}
          />
        )}
      </Field>
      <Act kind="strong" does={add} disabled={url.trim() === ''}>
        Add endpoint
      </Act>
      <Copy text={curlOf('POST', '/_sim/webhook-endpoints', body)}>Copy as curl</Copy>
    </div>
  );
}

function Deliveries({ query, endpoints }: { query: URLSearchParams; endpoints: readonly WebhookEndpoint[] }) {
  const { href } = useContext(Here);
  const status = query.get('status') ?? '';
  const endpoint = query.get('endpoint') ?? '';
  const asked = new URLSearchParams({ limit: String(LIMIT) });
  if (status !== '') asked.set('status', status);
  if (endpoint !== '') asked.set('endpoint_id', endpoint);
  const read = useRead<readonly Delivery[]>(`/_sim/deliveries?${asked}`);
  return (
    <Panel
      title="Deliveries"
      flush
      aside={
        <>
          <select aria-label="Status" value={status} onChange={(e) => refine({ status: e.currentTarget.value })}>
            <option value="">every status</option>
            <option value="pending">pending</option>
            <option value="delivered">delivered</option>
            <option value="failed">failed</option>
          </select>
          <select aria-label="Endpoint" value={endpoint} onChange={(e) => refine({ endpoint: e.currentTarget.value })}>
            <option value="">every endpoint</option>
            {endpoints.map(({ id, url }) => (
              <option key={id} value={id}>
                {url}
              </option>
            ))}
          </select>
        </>
      }
    >
      <Shown of={read}>
        {(list) =>
          list.length === 0 ? (
            <Empty>{status === '' && endpoint === '' ? 'Nothing has been sent yet.' : 'Nothing matches.'}</Empty>
          ) : (
            <Table
              label="Deliveries"
              heads={[
                'Delivery',
                'Status',
                'Event',
                'To',
                'Last answer',
                ['Attempts', 'figure'],
                ['Latency', 'figure'],
              ]}
            >
              {list.map(({ id, status: state, event_id, url, attempts, next_attempt_at: next }) => {
                const last = attempts.at(-1);
                const troubled = state === 'failed' || (state === 'pending' && attempts.length > 0);
                return (
                  <tr key={id} class={troubled ? 'troubled' : undefined}>
                    <td>
                      <Link class="id" href={href('webhooks', id)} title={id}>
                        {shortened(id)}
                      </Link>
                    </td>
                    <td>
                      <Badge of={state} />
                      {next !== null && attempts.length > 0 && (
                        <span class="soft">
                          again <Moment at={next} relative />
                        </span>
                      )}
                    </td>
                    <td>
                      <Id of={event_id} short />
                    </td>
                    <td class="wide">{url}</td>
                    <td>
                      {last ? <StatusCode of={last.status_code} /> : '–'}
                      {last?.error && <span class="soft bad-ink">{last.error}</span>}
                    </td>
                    <td class="figure">{attempts.length}</td>
                    <td class="figure">{last ? `${last.duration_ms} ms` : '–'}</td>
                  </tr>
                );
              })}
            </Table>
          )
        }
      </Shown>
    </Panel>
  );
}

/** A delivery is read with the checkout that it belongs to. */
function OneDelivery({ id }: { id: string }) {
  const { href } = useContext(Here);
  const read = useRead<Related>(`/_sim/browse/related/${encodeURIComponent(id)}`);
  const all = useRead<readonly Delivery[]>(
    read.data && !find(read.data.deliveries, id) ? '/_sim/deliveries?limit=1000' : null,
  );
  const found = find(read.data?.deliveries, id) ?? find(all.data, id);
  const owner = read.data?.contract?.reference ?? read.data?.session?.id;
  return (
    <Page
      title="Delivery"
      lead={<span class="long-id">{id}</span>}
      actions={
        <button type="button" onClick={() => go(href('webhooks'))}>
          All deliveries
        </button>
      }
    >
      {read.error && <Shown of={read}>{() => null}</Shown>}
      {found && <DeliveryPanel of={found} />}
      {found && <BodySent eventId={found.event_id} />}
      {owner !== undefined && (
        <p>
          It tells of <Id of={owner} />.
        </p>
      )}
    </Page>
  );
}

/** What was signed, byte for byte the same on every attempt. */
function BodySent({ eventId }: { eventId: string }) {
  const read = useRead<LayawayEvent & { deliveries: unknown }>(`/_sim/events/${encodeURIComponent(eventId)}`);
  if (!read.data) return null;
  const { deliveries: _, ...body } = read.data;
  return (
    <Panel title="Body sent">
      <Json value={body} label="Body sent" />
    </Panel>
  );
}

const find = (list: readonly Delivery[] | undefined, id: string) => list?.find((delivery) => delivery.id === id);
