import type { FastifyInstance } from 'fastify';
import type { Account } from '../../../domain/merchant.ts';
import { effectiveStatus } from '../../../domain/session.ts';
import { browseSearch } from '../../../operations/browse.ts';
import type { SearchHit } from '../../../operations/wire.ts';
import type { Own } from '../../../store/own.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';
import { emailLine } from './emails.ts';

type Search = Own['browse']['search'];
type Searched = Parameters<Search>[0];

/** How many items of each kind are shown. */
const SHOWN = 5;
/** How many slices of each kind are searched, the newest first: half a million contracts, forty thousand events. */
const SLICES_MAX: Readonly<Record<Searched, number>> = {
  contract: 250,
  session: 250,
  event: 20,
  delivery: 20,
  email: 20,
};

type Hit = Omit<SearchHit, 'kind' | 'id'>;

/** The search of the dashboard: any part of a name, an address, an order or an id. */
export function simSearch(app: FastifyInstance, { store, clocks, endOfTurn }: HttpContext) {
  const others = () => new Promise<void>((resolve) => endOfTurn(resolve));

  serve(app, browseSearch, async ({ account, query, reply }) => {
    const text = query.text.trim();
    const own = store.of(account);
    const data: SearchHit[] = [];
    let more = false;
    for (const kind of Object.keys(SLICES_MAX) as Searched[]) {
      const ids = await found(kind);
      more ||= ids.length > SHOWN;
      for (const id of ids.slice(0, SHOWN)) {
        const hit = READ[kind](own, account, id);
        // A reset during the search takes rows away.
        if (hit) data.push({ kind, id, ...hit });
      }
    }
    return { data, meta: { more } };

    async function found(kind: Searched): Promise<string[]> {
      const ids: string[] = [];
      let place: ReturnType<Search>['next'] = null;
      for (let slices = 0; slices < SLICES_MAX[kind]; slices += 1) {
        const slice = own.browse.search(kind, text, place, SHOWN + 1 - ids.length);
        ids.push(...slice.ids);
        place = slice.next;
        // A user who types on no longer waits for this answer.
        if (place === null || ids.length > SHOWN || reply.raw.destroyed) break;
        await others();
      }
      return ids;
    }
  });

  const READ: Readonly<Record<Searched, (own: Own, account: Account, id: string) => Hit | null>> = {
    contract(own, _account, id) {
      const contract = own.contracts.find(id);
      if (!contract) return null;
      const { customerName, customerEmail, orderReference, status } = contract;
      return { title: customerName, note: noted(customerEmail, orderReference), status };
    },
    session(own, account, id) {
      const session = own.sessions.find(id);
      if (!session) return null;
      const status = effectiveStatus(session, clocks.now(account.id));
      return { title: session.orderReference, note: noted(session.customerEmail), status };
    },
    event(own, _account, id) {
      const event = own.events.find(id);
      return event && { title: event.type, note: event.subject, status: null };
    },
    delivery(own, _account, id) {
      const delivery = own.deliveries.find(id);
      if (!delivery) return null;
      return { title: delivery.url, note: noted(own.events.get(delivery.eventId)?.type), status: delivery.status };
    },
    email(own, _account, id) {
      const email = own.emails.find(id);
      if (!email) return null;
      const { subject, to } = emailLine(email);
      return { title: subject, note: to, status: null };
    },
  };
}

const noted = (...parts: readonly (string | null | undefined)[]) =>
  parts.filter((part) => part != null && part !== '').join(' · ');
