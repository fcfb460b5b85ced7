import { HOUR } from '../domain/calendar.ts';
import type { Account } from '../domain/merchant.ts';
import { Refusal } from '../domain/refusal.ts';
import { BY_HAND, type Delivery, type Endpoint, givenUpFor, UNHEARD } from '../domain/webhook.ts';
import type { StoredEvent } from '../store/events.ts';
import { owe, subscribers } from './delivery.ts';
import { recordTestEvent } from './record.ts';
import { type Tx, transact, type World } from './world.ts';

/** How long deliveries are also signed with the replaced secret (decisions §6). */
const OLD_SECRET_MS = 24 * HOUR;

export type NewEndpoint = Pick<Endpoint, 'url' | 'events' | 'transport'> & {
  readonly secret?: string;
  /** Gives up the deliveries that waited for this listener: those without an attempt. */
  readonly skipMissed?: boolean;
  readonly insecure?: boolean;
};

export const createEndpoint = (world: World, account: Account, input: NewEndpoint): Endpoint =>
  transact(world, account, ({ store, draw, now, cause }) => {
    const id = store.endpoints.nextId();
    const endpoint: Endpoint = {
      id,
      token: draw.id('we', id),
      accountId: account.id,
      url: input.url,
      events: eachOnce(input.events),
      transport: input.transport,
      secret: input.secret ?? draw.webhookSecret('endpoint', id),
      previous: null,
      enabled: true,
      disabledReason: null,
      failingSince: null,
      createdAt: now,
      disconnectedAt: null,
      insecure: input.insecure ?? false,
    };
    store.endpoints.insert(endpoint, cause);
    return endpoint;
  });

const eachOnce = (events: Endpoint['events']) => [...new Set(events)];

/** Finds the endpoint of a process that listens for `url`: the newest one, or the one with that secret. */
export const findListener = ({ store }: World, account: Account, url: string, secret?: string): Endpoint | undefined =>
  store.endpoints
    .list(account.id)
    .find((one) => one.transport === 'listener' && one.url === url && (secret ?? one.secret) === one.secret);

/** Finds the endpoint through which the server itself sends to `url`. */
export const findReceiver = ({ store }: World, account: Account, url: string): Endpoint | undefined =>
  store.endpoints.list(account.id).find((endpoint) => endpoint.transport === 'http' && endpoint.url === url);

/**
 * Creates an endpoint. A listening process that starts again gets the endpoint that it had before, with the same secret
 * unless it asks for another one.
 */
export function openEndpoint(
  world: World,
  account: Account,
  input: NewEndpoint,
): { endpoint: Endpoint; isNew: boolean } {
  if (input.transport === 'http') return { endpoint: createEndpoint(world, account, input), isNew: true };
  const { url, events, secret = account.webhookSecret } = input;
  const known = findListener(world, account, url, input.secret);
  if (known) {
    if (input.skipMissed) transact(world, account, (tx) => skipMissed(tx, known.id));
    return { endpoint: changeEndpoint(world, account, known.token, { events, enabled: true }), isNew: false };
  }
  return { endpoint: createEndpoint(world, account, { ...input, secret }), isNew: true };
}

/** Fails the deliveries that waited for a listening process. Retries of those that it forwarded go on. */
function skipMissed({ store: { deliveries, struckDeliveries }, now }: Tx, endpointId: number) {
  const struck = struckDeliveries.owed(endpointId).filter((id) => deliveries.get(id)?.attempts === 0);
  deliveries.skip(endpointId, now, 'layaway listen skipped what it missed');
  for (const deliveryId of struck) struckDeliveries.remove(deliveryId);
}

/** Stores since when, in real time, no process listens for an endpoint; null while one does. */
export function setDisconnected(world: World, endpointId: number, since: number | null) {
  const endpoint = world.store.endpoints.find(endpointId);
  if (!endpoint || endpoint.disconnectedAt === since) return;
  const account = world.store.accounts.get(endpoint.accountId);
  transact(world, account, ({ store }) => store.endpoints.update({ ...endpoint, disconnectedAt: since }));
}

/** Gives up the deliveries to a listening process that stayed away, and disables its endpoint until it is back. */
export function giveUpListener(world: World, endpointId: number) {
  const endpoint = world.store.endpoints.find(endpointId);
  if (!endpoint?.enabled) return;
  const account = world.store.accounts.get(endpoint.accountId);
  transact(world, account, (tx) => disable(tx, endpoint, UNHEARD));
}

/** @throws Refusal `not_found` */
export function readEndpoint(world: World, account: Account, token: string): Endpoint {
  const endpoint = world.store.of(account).endpoints.find(token);
  if (!endpoint) throw new Refusal('not_found', 'Webhook endpoint');
  return endpoint;
}

export interface EndpointChanges {
  readonly url?: string;
  readonly events?: Endpoint['events'];
  readonly enabled?: boolean;
  readonly insecure?: boolean;
}

/** Enabling resets the count of failures; disabling fails the pending deliveries. */
export const changeEndpoint = (world: World, account: Account, token: string, changes: EndpointChanges): Endpoint =>
  transact(world, account, (tx) => {
    const { enabled, events, ...rest } = changes;
    const before = readEndpoint(world, account, token);
    let endpoint: Endpoint = { ...before, ...rest, ...(events && { events: eachOnce(events) }) };
    if (enabled === true && !endpoint.enabled) {
      endpoint = { ...endpoint, enabled, disabledReason: null, failingSince: null };
    }
    tx.store.endpoints.update(endpoint);
    if (changes.url !== undefined) tx.store.deliveries.redirect(endpoint.id, changes.url);
    return enabled === false && endpoint.enabled ? disable(tx, endpoint, BY_HAND).disabled : endpoint;
  });

export const removeEndpoint = (world: World, account: Account, token: string) =>
  transact(world, account, (tx) => {
    const endpoint = readEndpoint(world, account, token);
    abandon(tx, endpoint.id, 'the endpoint was removed');
    tx.store.faults.removeOf(endpoint);
    tx.store.endpoints.remove(endpoint, tx.now);
  });

/** Sets a new secret. The old one also signs for one more day of the account's clock. */
export const rotateSecret = (world: World, account: Account, token: string): Endpoint =>
  transact(world, account, ({ store, draw, now }) => {
    const endpoint = readEndpoint(world, account, token);
    const rotated = {
      ...endpoint,
      // Derived from the old secret, because the clock may not have moved since the last rotation.
      secret: draw.webhookSecret(`after ${endpoint.secret}`, endpoint.id),
      previous: { secret: endpoint.secret, until: now + OLD_SECRET_MS },
    };
    store.endpoints.update(rotated);
    return rotated;
  });

/** Records a `webhook.test` event for this endpoint only, whatever it subscribed to; a forged one is signed wrongly. */
export const testEndpoint = (world: World, account: Account, token: string, isForged = false): Delivery =>
  transact(world, account, (tx) => {
    const endpoint = readEnabled(world, account, token);
    return owe(tx, recordTestEvent(tx, endpoint), endpoint, tx.now, isForged);
  });

/** @throws Refusal `not_found`, `conflict` */
function readEnabled(world: World, account: Account, token: string): Endpoint {
  const endpoint = readEndpoint(world, account, token);
  if (!endpoint.enabled) {
    const enabling = `layaway webhooks enable ${token}`;
    throw new Refusal('conflict', `This webhook endpoint is disabled. Enable it first: \`${enabling}\`.`);
  }
  return endpoint;
}

/** Where an event is sent again: to all subscribed endpoints, one endpoint, or a URL. */
export type ResendTo = { readonly endpoint: string } | { readonly url: string } | null;

/** Sends an event again (decisions §6). */
export const resendEvent = (world: World, account: Account, event: StoredEvent, to: ResendTo): Delivery[] =>
  transact(world, account, (tx) => {
    const receivers = () => {
      if (to === null) return subscribers(tx, event);
      return 'url' in to ? [{ id: null, url: to.url }] : [readEnabled(world, account, to.endpoint)];
    };
    return receivers().map((receiver) => owe(tx, event, receiver, tx.now));
  });

export function disable(tx: Tx, endpoint: Endpoint, reason: string) {
  const disabled = { ...endpoint, enabled: false, disabledReason: reason };
  tx.store.endpoints.update(disabled);
  return {
    disabled,
    abandoned: abandon(tx, endpoint.id, givenUpFor(reason)),
  };
}

/** Fails the pending deliveries of an endpoint, those held back by a fault included. */
function abandon({ store: { deliveries, struckDeliveries }, now }: Tx, endpointId: number, reason: string): number {
  const struck = struckDeliveries.owed(endpointId);
  const abandoned = deliveries.abandon(endpointId, now, reason);
  for (const deliveryId of struck) struckDeliveries.remove(deliveryId);
  return abandoned;
}
