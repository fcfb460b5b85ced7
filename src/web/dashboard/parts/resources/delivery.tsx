import { useContext } from 'preact/hooks';
import { LIST_MAX } from '../../../../domain/limits.ts';
import { resendEvent } from '../../../../operations/events.ts';
import type { Delivery, WebhookEndpoint } from '../../../../operations/wire.ts';
import { Here } from '../here.ts';
import { Copy, Lever } from '../levers/levers.tsx';
import { resend } from '../levers/resend.ts';
import { callOf, headerOf, lined } from '../levers/snippets.ts';
import { Id } from '../link-to.tsx';
import { Badge, EventType, Facts, Json, Moment, Panel } from '../ui.tsx';
import { ResponseCode, WhyOver } from './endpoints.tsx';
import { StruckBy } from './related.tsx';

type Attempt = Delivery['attempts'][number];

/** One delivery with its attempts: the requests and the responses. */
export function DeliveryPanel({ of, endpoints }: { of: Delivery; endpoints: readonly WebhookEndpoint[] }) {
  const { id, event_id, endpoint_id, url, status, attempts, next_attempt_at: next } = of;
  const input = { params: { id: event_id }, body: endpoint_id === null ? { url } : { endpoint_id } };
  const { href } = useContext(Here);
  const endpoint = endpoints.find((each) => each.id === endpoint_id);
  // A full list may leave it out.
  const isRemoved = endpoint_id !== null && !endpoint && endpoints.length < LIST_MAX;
  return (
    <Panel
      testId="delivery"
      title={
        <>
          <Badge of={status} /> <span class="long-id">{url}</span>
        </>
      }
      aside={
        !isRemoved && (
          <Lever does={() => resend(href, input)} curl={callOf(resendEvent, input)}>
            Resend
          </Lever>
        )
      }
    >
      <Facts
        of={[
          ['Delivery', <Id of={id} />],
          [
            'Event',
            <>
              <EventType type={of.event_type} /> <Id of={event_id} />
            </>,
          ],
          ['Happened', <Moment at={of.event_created_at} />],
          ['Next attempt', next === null ? 'none' : <Moment at={next} />],
        ]}
      />
      <WhyOver of={of} endpoint={endpoint} isRemoved={isRemoved} />
      {attempts.length === 0 && status === 'pending' && <p>No attempt has been made yet.</p>}
      <ol class="attempts">
        {attempts.toReversed().map((attempt) => (
          <li key={attempt.number}>
            <AttemptDetails of={attempt} url={url} open={attempt.number === attempts.length} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function AttemptDetails({ of, url, open }: { of: Attempt; url: string; open: boolean }) {
  const { number, at, sent_at, status_code, duration_ms, error, fault } = of;
  const { request_headers, response_headers, response_body } = of;
  const signature = Object.entries(request_headers).find(([name]) => name.toLowerCase() === 'webhook-signature')?.[1];
  return (
    <details open={open}>
      <summary>
        Attempt {number} <ResponseCode of={status_code} /> <StruckBy fault={fault} />{' '}
        <span class="soft">
          {duration_ms} ms · <Moment at={at} />
        </span>
      </summary>
      {error !== null && <p class="bad-ink">{error}</p>}
      <div class="columns">
        <div>
          <h3>Request</h3>
          <p class="long-id">POST {url}</p>
          {signature !== undefined && (
            <p class="hint">
              Signature <code class="long-id">{signature}</code>
            </p>
          )}
          <Json value={request_headers} label={`Headers sent, attempt ${number}`} />
          <Copy text={headersOf(request_headers)}>Copy headers</Copy>
        </div>
        <div>
          <h3>Response</h3>
          <p class="hint">
            Sent at <Moment at={sent_at} />, real time
          </p>
          <Json value={response_headers} label={`Headers received, attempt ${number}`} />
          {response_body !== null && response_body !== '' && (
            <Json value={response_body} label={`Body received, attempt ${number}`} />
          )}
        </div>
      </div>
    </details>
  );
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  lined(Object.entries(headers).map(([name, value]) => headerOf(name, value)));
