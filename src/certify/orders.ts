import { loweredCount } from '../domain/assumptions.ts';
import { isOfSession } from '../domain/event.ts';
import { METADATA_ITEMS_MAX } from '../domain/limits.ts';
import type { Metadata } from '../domain/metadata.ts';
import type { Shop } from '../library/shops.ts';
import { pagesSince } from '../library/since.ts';
import type { CheckoutSession, ContractCreate, LayawayEvent } from '../library/wire.ts';
import type { SessionEvent } from '../operations/wire.ts';
import { CertifyError } from './error.ts';
import { type About, runCommand } from './programs.ts';
import type { Stop } from './stop.ts';

/** A genuine event: the body is what the service would send, to the byte. */
export interface GenuineEvent {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

/** An order of the throw-away merchant, with its events in order. */
export interface Order {
  readonly about: About;
  readonly events: readonly GenuineEvent[];
  /** When the store opened its session, and until when that is open, in milliseconds since 1970. */
  readonly openedAndUntil: readonly number[];
  readonly totalCents: number;
}

/** Makes the store open a session of its own, so that it knows the order. */
export interface Checkout {
  readonly command: string;
  readonly shop: {
    readonly env: Readonly<Record<string, string>>;
    readonly sessions: Pick<Shop['sessions'], 'list'>;
    readonly assumptions: Pick<Shop['assumptions'], 'get'>;
  };
  readonly signal: Stop | undefined;
}

export type Orders = ReturnType<typeof createOrders>;

/** The first events of an order: the session is decided, the contract activated, the session completed. */
export const CHECKOUT_EVENTS = 3;
const TOTAL_CENTS = 20_000;

/**
 * Makes orders of `shop`, whose clock is frozen. `name` makes their references unique; `draw` gives new random text.
 */
export function createOrders(
  shop: Shop,
  { name, checkout, draw }: { readonly name: string; readonly checkout: Checkout | null; readonly draw: () => string },
) {
  let count = 0;
  let cursor: string | undefined;
  /** The events since the last call, oldest first. */
  async function happened(): Promise<LayawayEvent[]> {
    const events: LayawayEvent[] = [];
    for await (const page of pagesSince(shop.events.list, cursor)) events.push(...page);
    cursor = events.at(-1)?.id ?? cursor;
    return events;
  }

  /** The session that the store opened; without `checkout`, the terms of a new order. */
  async function opened(label = ''): Promise<{ readonly session: CheckoutSession | null; readonly terms: Terms }> {
    count += 1;
    if (!checkout) {
      const order_reference = `certify-${name}-${count}${label}`;
      return { session: null, terms: { order_reference, total_amount: TOTAL_CENTS } };
    }
    const session = await openedByStore(checkout);
    const { order_reference, total_amount, metadata } = session;
    return { session, terms: { order_reference, total_amount, metadata } };
  }

  /** The order as its receiver sees it: with the session that the store opened, if it opened one. */
  function orderOf(
    events: readonly LayawayEvent[],
    own: string,
    { session, terms }: Awaited<ReturnType<typeof opened>>,
  ): Order {
    const contract = events.map(({ data }) => (data as { reference?: string }).reference).find(Boolean) ?? '';
    return {
      about: { contract, orderReference: terms.order_reference, session: session?.id ?? own },
      events: events.map((event) => ({
        id: event.id,
        type: event.type,
        body: JSON.stringify(
          session && isSessionEvent(event) ? { ...event, data: toldOf(session, event.data) } : event,
        ),
      })),
      openedAndUntil: session ? [Date.parse(session.created_at), Date.parse(session.expires_at)] : [],
      totalCents: terms.total_amount,
    };
  }

  return {
    /**
     * A contract in that state, with the events of its whole history. `label` ends its order reference, unless the
     * store opened the session. With `settles`, the customer then settles the overdue installment.
     */
    async contract({
      label,
      metadata,
      settles = false,
      ...wanted
    }: Omit<ContractCreate, 'order_reference'> & { label?: string; settles?: boolean }): Promise<Order> {
      const store = await opened(label);
      await happened();
      const terms = { ...store.terms, metadata: filledUp(store.terms.metadata, metadata ?? {}) };
      const { reference } = await shop.contracts.create({ ...terms, ...wanted, webhooks: false });
      if (settles) await shop.contracts.settle(reference);
      const events = await happened();
      return orderOf(events, events.find(isSessionEvent)?.data.id ?? '', store);
    },

    /** A session that ended without a contract. */
    async session(how: 'cancelled' | 'expired'): Promise<Order> {
      const store = await opened();
      await happened();
      const { id } = await shop.sessions.create(store.terms);
      if (how === 'cancelled') await shop.sessions.cancel(id);
      else await shop.clock.advance('61m');
      return orderOf(await happened(), id, store);
    },

    /** A `webhook.test`, recorded without being sent. */
    async test(endpoint: { readonly url: string; readonly secret: string }): Promise<Order> {
      await happened();
      const { id } = await shop.webhooks.add(endpoint.url, { events: ['webhook.test'], secret: endpoint.secret });
      await shop.faults.add({ kind: 'lost', event: 'webhook.test' });
      await shop.webhooks.test(id);
      await shop.webhooks.remove(id);
      return orderOf(await happened(), '', { session: null, terms: { order_reference: '', total_amount: 0 } });
    },

    /** Later contracts have that many weekly installments, or as many as the smallest order allows. */
    async installments(wanted: number) {
      const { min_order_amount } = await shop.assumptions.get();
      const installment_count = loweredCount(min_order_amount, wanted) ?? wanted;
      await shop.assumptions.set({ installment_count, installment_cadence: 'weekly' });
    },

    /** The same content under an id that no receiver has seen: another ULID with the same beginning. */
    again({ body, id }: GenuineEvent, change: (event: LayawayEvent) => object = (event) => event): GenuineEvent {
      const fresh = `${id.slice(0, -16)}${draw().slice(0, 16).toUpperCase()}`;
      const changed = change(JSON.parse(body.replaceAll(id, fresh))) as LayawayEvent;
      return { id: fresh, type: changed.type, body: JSON.stringify(changed) };
    },
  };
}

interface Terms {
  readonly order_reference: string;
  readonly total_amount: number;
  readonly metadata?: Metadata;
}

const isSessionEvent = (event: LayawayEvent): event is LayawayEvent & SessionEvent => isOfSession(event.type);

/** The session that the store opened, in the state of the event and with the metadata of the check. */
const toldOf = (session: CheckoutSession, { status, metadata }: CheckoutSession): CheckoutSession => ({
  ...session,
  status,
  metadata,
});

/** The store may find its order by its own keys: the others fill up what the service allows. */
function filledUp(own: Metadata = {}, others: Metadata): Metadata {
  const added = Object.entries(others).filter(([key]) => !Object.hasOwn(own, key));
  return { ...own, ...Object.fromEntries(added.slice(0, METADATA_ITEMS_MAX - Object.keys(own).length)) };
}

/**
 * Runs the command; the session that is new afterwards is the store's.
 * @throws CertifyError when it fails, or opens none
 */
async function openedByStore({ command, shop, signal }: Checkout): Promise<CheckoutSession> {
  const [latest] = await shop.sessions.list({ limit: 1 });
  const { code, stdout, stderr } = await runCommand(command, { option: 'checkout', env: shop.env, signal });
  const said = lastOf(
    [stdout, stderr]
      .map((text) => text.trim())
      .filter(Boolean)
      .join('\n'),
  );
  const printed = said && ` It printed: ${said}`;
  if (code !== 0) throw new CertifyError('command', `The checkout command "${command}" exited with ${code}.${printed}`);
  const [session] = await shop.sessions.list(latest ? { after: latest.id, limit: 1 } : { limit: 1 });
  if (session) return session;
  throw new CertifyError(
    'command',
    `The checkout command "${command}" opened no new checkout session at ${shop.env.LAYAWAY_BASE_URL}. Each time it runs, it must make the store open one for another order, with LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID and LAYAWAY_API_KEY.${printed}`,
  );
}

const SAID_CHARACTERS = 1000;

/** The end of an output, where the error is. */
const lastOf = (text: string) => (text.length <= SAID_CHARACTERS ? text : `…${text.slice(-SAID_CHARACTERS)}`);
