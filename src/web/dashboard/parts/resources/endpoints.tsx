import { useContext } from 'preact/hooks';
import { updateWebhookEndpoint } from '../../../../operations/webhooks.ts';
import type { Delivery, EndpointHealth, WebhookEndpoint } from '../../../../operations/wire.ts';
import { plural } from '../../words.ts';
import { Here } from '../here.ts';
import { Lever, leverOf } from '../levers/levers.tsx';
import { Link, Moment } from '../ui.tsx';

/** The status of a receiver's response, of which only 2xx is a success (decisions §6). */
export const ResponseCode = ({ of }: { of: number | null }) => (
  <span class={`badge ${of !== null && of >= 200 && of <= 299 ? 'good' : 'bad'}`}>{of ?? 'no response'}</span>
);

/** The success rate, the duration and the last response of an endpoint. */
export function Health({ of }: { of: EndpointHealth | undefined }) {
  const { href } = useContext(Here);
  if (!of || of.last === null) return <span class="soft">no attempt yet</span>;
  const { id, attempts, succeeded, median_ms: median, last } = of;
  const percent = Math.floor((100 * succeeded) / attempts);
  return (
    <span class="health" data-testid="health">
      <Link class={percent < 100 ? 'bad-ink' : undefined} href={href('webhooks', null, { endpoint_id: id })}>
        {`${percent}% of ${plural(attempts, 'attempt')}`}
      </Link>
      <span class="soft">{`median ${median} ms`}</span>
      <span class="unbroken">
        <ResponseCode of={last.status_code} />{' '}
        <span class="soft">
          <Moment at={last.at} relative />
        </span>
      </span>
    </span>
  );
}

export function Enable({ of: { id, url } }: { of: WebhookEndpoint }) {
  const told = `${url} is enabled. Resend what it missed.`;
  return (
    <Lever kind="strong" {...leverOf(updateWebhookEndpoint, told, { params: { id }, body: { enabled: true } })}>
      Enable endpoint
    </Lever>
  );
}

function adviceOf(endpoint: WebhookEndpoint | undefined, isRemoved: boolean): string {
  if (isRemoved) return 'Its endpoint no longer exists. To send it to another one, resend the event.';
  return endpoint?.enabled === false
    ? 'The endpoint is still disabled. Enable it, then resend.'
    : 'Resend to try again.';
}

/** Why and since when a failed delivery gets no further attempt. */
export function WhyOver({
  of,
  endpoint,
  isRemoved,
}: {
  of: Delivery;
  endpoint: WebhookEndpoint | undefined;
  isRemoved: boolean;
}) {
  const { status, given_up: over, attempts } = of;
  if (status !== 'failed') return null;
  const last = attempts.at(-1);
  return (
    <div class="why" data-testid="why">
      <p>
        {over ? (
          <>
            <strong>
              Given up <Moment at={over.at} />:
            </strong>{' '}
            {over.reason}. {attempts.length === 0 && 'No attempt was made before.'}
          </>
        ) : (
          <strong>
            {attempts.length === 1 ? 'Sent once, without retries,' : 'Every retry failed, the last one'}
            {last && (
              <>
                {' '}
                on <Moment at={last.at} />
              </>
            )}
            .
          </strong>
        )}{' '}
        {adviceOf(endpoint, isRemoved)}
      </p>
      {endpoint && !endpoint.enabled && <Enable of={endpoint} />}
    </div>
  );
}
