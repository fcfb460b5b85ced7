import { LIST_MAX } from '../../domain/limits.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listDeliveries,
  listWebhookEndpoints,
  readWebhookSecret,
} from '../../operations/webhooks.ts';
import type { WebhookEndpoint } from '../../operations/wire.ts';
import type { Cli } from '../command.ts';

/**
 * The endpoint of a listener that forwards to that URL, with its secret. A listener that starts again gets the same.
 */
export async function registerListener(
  { client }: Cli,
  url: string,
  events: WebhookEndpoint['events'] | undefined,
  options: { readonly skip_missed?: boolean } = {},
) {
  const body = { url, events, transport: 'listener', ...options } as const;
  return (await client.call(createWebhookEndpoint, { body })).body.data as Required<WebhookEndpoint>;
}

/** A reset or a restore gives the endpoint another id, so it is found by its URL. */
export async function removeListener(cli: Cli, url: string) {
  const present = listenerOf(await knownEndpoints(cli), url);
  if (present) await cli.client.call(deleteWebhookEndpoint, { params: { id: present.id } });
}

export async function knownEndpoints({ client }: Cli): Promise<readonly WebhookEndpoint[]> {
  const { data } = (await client.call(listWebhookEndpoints, WHOLE_LIST)).body;
  return Array.isArray(data) ? data : [];
}

export const listenerOf = (endpoints: readonly WebhookEndpoint[], url: string) =>
  endpoints.find((endpoint) => endpoint.transport === 'listener' && endpoint.url === url);

/** How many events wait for their first attempt, because nobody listened; at most 1,000 are counted. */
export async function missedEvents({ client }: Cli, known: WebhookEndpoint | undefined): Promise<number> {
  if (!known || known.owed === 0) return 0;
  const query = { endpoint_id: known.id, status: 'pending', limit: LIST_MAX } as const;
  return (await client.call(listDeliveries, { query })).body.data.filter(({ attempts }) => attempts.length === 0)
    .length;
}

export async function secretOf({ client }: Cli, { id }: WebhookEndpoint) {
  return ((await client.call(readWebhookSecret, { params: { id } })).body.data as Required<WebhookEndpoint>).secret;
}
