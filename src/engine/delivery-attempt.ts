import { nextAttemptAt } from '../domain/backoff.ts';
import { DAY } from '../domain/calendar.ts';
import {
  type Attempted,
  type AttemptOutcome,
  type Carried,
  type Delivery,
  type Endpoint,
  failingFor,
  GONE,
  isDelivered,
  retryAfterSeconds,
  type Struck,
  SUCCESS_LOST,
} from '../domain/webhook.ts';
import { noteAttempt } from './coverage.ts';
import { recordEndpointEmail } from './record.ts';
import { disable } from './webhook.ts';
import { type Tx, transact, type World } from './world.ts';

/** The outcomes of an account's attempts, counted. */
export interface Tally {
  /** Deliveries that succeeded. */
  readonly delivered: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Deliveries that failed permanently: their retries are used up, or the endpoint was disabled. */
  readonly givenUp: number;
}
export const NO_ATTEMPTS: Tally = { delivered: 0, failed: 0, givenUp: 0 };

/** Records the outcomes of attempts of one account, in the order they were made, in one transaction. */
export const recordDeliveryAttempts = (world: World, accountId: number, attempts: readonly Attempted[]): Tally =>
  world.store.transaction(() => {
    const tally = { ...NO_ATTEMPTS };
    for (const attempt of attempts) {
      const recorded = recordDeliveryAttempt(world, attempt);
      if (!recorded) continue;
      if (recorded.delivered) tally.delivered += 1;
      if (recorded.failed) tally.failed += 1;
      tally.givenUp += recorded.givenUp;
    }
    return tally;
  }, accountId);

/**
 * Records one attempt and its consequence: the delivery is delivered, retried or failed, or the endpoint is disabled. A
 * delivery that was given up while the attempt was under way keeps its status. Returns null if it is not there.
 */
function recordDeliveryAttempt(world: World, { delivery, outcome, at }: Attempted) {
  const work = (tx: Tx) => {
    const { deliveries, deliveryAttempts, endpoints } = tx.store;
    const number = delivery.attempts + 1;
    const endpoint = delivery.endpointId === null ? null : endpoints.find(delivery.endpointId);
    const delivered = isDelivered(outcome);
    const { struck } = outcome;
    const arrived = delivered || struck?.isCopy === true;
    const nextAt = delivery.isForged ? null : nextAtOf(tx, number, outcome, arrived, endpoint);
    const ended = arrived ? 'delivered' : 'failed';
    const isPending = deliveries.setAttempted(delivery, nextAt === null ? ended : 'pending', nextAt);
    if (!isPending && !deliveries.setAttemptedLate(delivery)) return null;
    noteAttempt(tx, delivery, outcome, number);
    deliveryAttempts.insert(delivery.id, { ...outcome, number, at, fault: struck?.fault ?? null }, tx.cause);
    if (struck) writeDownStrike(tx, delivery, struck, isPending && arrived && nextAt !== null);
    if (number === 1 && wasAnswered(outcome)) releaseBefore(tx, delivery);
    // The answer says nothing about an endpoint that was disabled meanwhile or has another URL now.
    const judged = isPending && !delivery.isForged && endpoint?.url === delivery.url ? endpoint : null;
    if (delivered && judged?.failingSince != null) endpoints.update({ ...judged, failingSince: null });
    const abandoned = !delivered && judged?.enabled ? countFailure(tx, judged, outcome) : 0;
    // The event of a copy has already arrived.
    const came = { delivered: delivered && struck?.isCopy !== true, failed: !delivered };
    return { ...came, givenUp: abandoned + (isPending && !arrived && nextAt === null ? 1 : 0) };
  };
  return transact(world, world.store.accounts.get(delivery.accountId), work, at);
}

/** Records how many copies remain. The delivery is no longer held back. */
function writeDownStrike({ store }: Tx, { id }: Delivery, { fault, copies, settle }: Struck, isSentAgain: boolean) {
  settle();
  if (isSentAgain) store.struckDeliveries.put({ deliveryId: id, fault, copies });
  else store.struckDeliveries.remove(id);
}

/** Returns whether the receiver has the event, even if a fault ignored its answer. */
const wasAnswered = ({ statusCode, error }: Carried) => statusCode !== null || error?.startsWith(SUCCESS_LOST) === true;

/** Releases the deliveries that a `reordered` fault held back until this one was answered. */
function releaseBefore({ store, now }: Tx, { endpointId, eventId, accountId }: Delivery) {
  if (endpointId === null) return;
  for (const id of store.struckDeliveries.heldBefore(endpointId, eventId))
    store.deliveries.postpone({ id, accountId }, now);
}

/**
 * After success, a copy is sent at once. A delivery that failed is sent again if it is for an endpoint, but not if it
 * is for a bare URL.
 */
function nextAtOf(
  { account, now }: Tx,
  number: number,
  { statusCode, sentAt, responseHeaders, struck }: Carried,
  arrived: boolean,
  endpoint: Endpoint | null,
): number | null {
  if (arrived) return struck && struck.copies > 0 ? now : null;
  if (!endpoint) return null;
  const result = { statusCode, retryAfterSeconds: retryAfterSeconds(responseHeaders['retry-after'], sentAt) };
  return nextAttemptAt(account.settings.webhook_retry_seconds, number, now, result);
}

/** Returns how many deliveries were given up because the failure disabled the endpoint. */
function countFailure(tx: Tx, endpoint: Endpoint, { statusCode }: AttemptOutcome): number {
  const failingSince = endpoint.failingSince ?? tx.now;
  const days = tx.account.settings.webhook_disable_days;
  const failing = { ...endpoint, failingSince };
  if (statusCode === 410) return disableLoudly(tx, failing, GONE);
  if (tx.now - failingSince >= days * DAY) return disableLoudly(tx, failing, failingFor(days));
  if (endpoint.failingSince === null) tx.store.endpoints.update(failing);
  return 0;
}

/** Disables an endpoint because of its failures and sends the merchant an email (decisions §7). */
function disableLoudly(tx: Tx, endpoint: Endpoint, reason: string): number {
  const { abandoned } = disable(tx, endpoint, reason);
  recordEndpointEmail(tx, { url: endpoint.url, reason });
  return abandoned;
}
