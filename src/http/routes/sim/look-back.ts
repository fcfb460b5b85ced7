import type { FastifyInstance } from 'fastify';
import type { Account } from '../../../domain/merchant.ts';
import { invalid } from '../../../domain/refusal.ts';
import type { Session } from '../../../domain/session.ts';
import { browseDeliveries, browseEmails, browseEvents, browseRequests } from '../../../operations/browse.ts';
import { deliveryView } from '../../answer/delivery-view.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';
import { emailLine } from './emails.ts';
import { eventLine } from './events.ts';
import { identify } from './identified.ts';
import { requestFilter, requestLine, requestNumber } from './requests.ts';

const PAGE_SIZE = 50;

/**
 * Pages of events, emails, deliveries and requests, newest first. `meta.older` is the `before` of the next page. A
 * search among very many rows may end early and find more on the next page.
 */
export function simLookBack(app: FastifyInstance, { engine, store, requestLog }: HttpContext) {
  serve(app, browseEvents, ({ account, query }) => {
    const own = store.of(account);
    const { search = null, before } = query;
    const look = lookFrom(before, own.events.find);
    const { rows, older } = own.browse.eventsBack(checkoutOf(account, search), search, look);
    return { data: rows.map(eventLine), meta: { older } };
  });

  serve(app, browseDeliveries, ({ account, query }) => {
    const own = store.of(account);
    const { status = null, endpoint_id: endpoint, event_type: type = null, before } = query;
    const endpointId = endpoint === undefined ? null : engine.readEndpoint(account, endpoint).id;
    const look = lookFrom(before, own.deliveries.find);
    const { rows, older } = own.browse.deliveriesBack({ status, endpointId, type }, look);
    return { data: rows.map((delivery) => deliveryView(own.deliveries, delivery)), meta: { older } };
  });

  serve(app, browseEmails, ({ account, query }) => {
    const own = store.of(account);
    const { search = null, before } = query;
    const { rows, older } = own.browse.emailsBack(search, lookFrom(before, own.emails.find));
    return { data: rows.map(emailLine), meta: { older } };
  });

  /** Without bodies; `/_sim/requests/{id}` has them. */
  serve(app, browseRequests, ({ account, query }) => {
    const { path, status, before } = query;
    const end = before === undefined ? null : requestLog.placeOf(requestNumber('before', before));
    const matches = requestFilter(account, path, status);
    const found = requestLog.list(PAGE_SIZE + 1, null, (request, place) => {
      if (before !== undefined && (end === null || place >= end)) return false;
      return matches(request);
    });
    const data = found.slice(0, PAGE_SIZE).map(requestLine);
    return { data, meta: { older: found.length > PAGE_SIZE ? (data.at(-1)?.id ?? null) : null } };
  });

  /** The session of a complete id: its few events are found without a search. */
  function checkoutOf(account: Account, search: string | null): Session | null {
    const found = search === null ? null : identify({ store, requestLog }, account, search.split('#', 1)[0] as string);
    return found?.session ?? null;
  }
}

/** @throws Refusal `invalid` when the account has no row with that token */
function lookFrom(before: string | undefined, find: (token: string) => { readonly id: number } | null) {
  if (before === undefined) return { before: null, limit: PAGE_SIZE };
  const row = find(before);
  if (!row) throw invalid('before', 'The selected before is invalid.');
  return { before: row.id, limit: PAGE_SIZE };
}
