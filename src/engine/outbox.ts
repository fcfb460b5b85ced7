import type { Attempted, Delivery, Endpoint } from '../domain/webhook.ts';
import type { DueThing } from '../store/due.ts';
import { NO_ATTEMPTS, recordDeliveryAttempts, type Tally } from './delivery-attempt.ts';
import { type Announced, type BatchLimits, type Done, describeDue, runDue } from './due.ts';
import type { World } from './world.ts';

/** Returns whether a listening process is connected for an endpoint. */
interface Listeners {
  isConnected(endpointId: number): boolean;
}

/** The next thing on an account's clock: a change of state, or the attempt of a delivery. */
export type AgendaThing = DueThing | { readonly at: number; readonly kind: 'delivery' };

/** What the courier sends: the stored body, and the signing secret for deliveries without an endpoint. */
export interface Outgoing {
  readonly token: string;
  readonly body: string;
  readonly accountSecret: string;
}

export type Outbox = ReturnType<typeof createOutbox>;

/** The deliveries that are due, and the next thing on each account's clock. */
export function createOutbox(world: World, listeners: Listeners) {
  const { store, clocks } = world;
  const { deliveries, endpoints } = store;
  /** Per account, since the start. */
  const tallies = new Map<number, Tally>();
  const tally = (accountId: number) => tallies.get(accountId) ?? NO_ATTEMPTS;

  /** Deliveries to an endpoint wait while its listening process is away. They hold up nothing else. */
  const isHeard = ({ id, transport }: Endpoint) => transport === 'http' || listeners.isConnected(id);

  const unheard = (accountId: number) => idsOf(endpoints.list(accountId).filter((endpoint) => !isHeard(endpoint)));

  /**
   * Finds the next change of state or, with deliveries, the next attempt. At one instant, changes come first.
   * Deliveries that are due by now are left out: the courier already has them.
   */
  function next(accountId: number, { withDeliveries }: { readonly withDeliveries: boolean }): AgendaThing | null {
    const change = store.due.nextChange(accountId);
    return withDeliveries ? orDelivery(accountId, change) : change;
  }

  function orDelivery(accountId: number, change: DueThing | null): AgendaThing | null {
    const at = deliveries.nextAfter(accountId, clocks.now(accountId), unheard(accountId));
    return at === null || (change && change.at <= at) ? change : { at, kind: 'delivery' };
  }

  /** The next thing that people notice: an event or an attempt. */
  const nextNoticed = (accountId: number) => orDelivery(accountId, store.due.nextEvent(accountId));

  return {
    next,
    nextNoticed,
    /**
     * Does what `next` found, and what follows it while nothing is owed. The courier sends the deliveries of that instant
     * afterwards.
     */
    run(accountId: number, thing: AgendaThing, limits: BatchLimits): Done {
      if (thing.kind !== 'delivery') return runDue(world, accountId, thing, limits);
      clocks.standAt(accountId, thing.at);
      return { steps: 1, types: [], happened: [] };
    },
    /** Finds the next thing that people notice, as the clock shows it. */
    announce(accountId: number): Announced | null {
      const due = nextNoticed(accountId);
      if (due?.kind !== 'delivery') return due && describeDue(world, due);
      const subject = deliveries.firstAt(accountId, due.at, unheard(accountId));
      return { at: due.at, type: 'webhook.attempt', subject };
    },
    isAnyDue: (accountId: number) => deliveries.isAnyDue(accountId, clocks.now(accountId)),
    /** Lists the endpoints that can receive now. */
    heard: (accountId: number) => idsOf(endpoints.list(accountId).filter(isHeard)),
    endpoint: endpoints.find,
    endpointRevision: endpoints.revision,
    /** Returns whether a delivery to the endpoint is held back until this one is answered. */
    isAwaited: ({ endpointId, eventId }: Delivery) =>
      endpointId !== null && store.struckDeliveries.heldBefore(endpointId, eventId).length > 0,
    /** Lists the next due deliveries of an endpoint, at most `limit`. */
    due: (accountId: number, endpointId: number, limit: number): Delivery[] =>
      deliveries.due(endpointId, clocks.now(accountId), limit),
    /** Lists the due deliveries to URLs without an endpoint. */
    dueLoose: (accountId: number): Delivery[] => deliveries.dueLoose(accountId, clocks.now(accountId)),
    outgoing({ eventId, accountId }: Delivery): Outgoing {
      const [token, body] = store.events.message(eventId);
      return { token, body, accountSecret: store.accounts.get(accountId).webhookSecret };
    },
    record(accountId: number, attempts: readonly Attempted[]) {
      const more = recordDeliveryAttempts(world, accountId, attempts);
      const { delivered, failed, givenUp } = tally(accountId);
      tallies.set(accountId, {
        delivered: delivered + more.delivered,
        failed: failed + more.failed,
        givenUp: givenUp + more.givenUp,
      });
    },
    /** Counts the outcomes of an account's attempts. The difference of two readings covers the time between them. */
    tally,
  };
}

const idsOf = (endpoints: readonly Endpoint[]) => endpoints.map(({ id }) => id);
