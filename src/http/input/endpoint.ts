import { CannotStart } from '../../domain/cannot-start.ts';
import { invalid } from '../../domain/refusal.ts';
import { isWebhookSecret } from '../../domain/webhook.ts';
import type { NewEndpoint, ResendTo } from '../../engine/webhook.ts';
import { EndpointCreate } from '../../operations/webhooks.ts';
import type { ResendInput } from '../../operations/wire.ts';
import { validateStrictly } from './validate.ts';

/**
 * Reads the description of a new endpoint.
 * @throws Refusal `invalid`
 */
export function newEndpointOf(body: object): NewEndpoint {
  const { url, events = ['*'], secret, transport = 'http', ...options } = validateStrictly(EndpointCreate, body);
  const { insecure = false, skip_missed: skipMissed = false } = options;
  if (secret !== undefined && !isWebhookSecret(secret)) {
    throw invalid('secret', 'The secret field must be whsec_ and the base64 of 24 to 64 bytes.');
  }
  return {
    url,
    events,
    transport,
    insecure,
    skipMissed,
    ...(secret === undefined ? {} : { secret }),
  };
}

/** @throws CannotStart when the URL cannot be one of a receiver */
export function receiverAt(url: string): NewEndpoint {
  try {
    const endpoint = newEndpointOf({ url });
    // Nothing listens on port 0.
    if (new URL(url).port !== '0') return endpoint;
  } catch {
    // Told below.
  }
  throw new CannotStart(`${url} is not a URL to forward to. Write it like http://localhost:3000/webhooks.`);
}

/** @throws Refusal `invalid` when both are given */
export function resendTo({ endpoint_id: endpoint, url }: ResendInput): ResendTo {
  if (endpoint !== undefined && url !== undefined)
    throw invalid('url', 'At most one of endpoint_id and url may be sent.');
  if (endpoint !== undefined) return { endpoint };
  return url === undefined ? null : { url };
}
