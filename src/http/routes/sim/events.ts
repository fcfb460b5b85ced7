import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import type { Account } from '../../../domain/merchant.ts';
import { getEvent, listEvents, streamEvents } from '../../../operations/events.ts';
import type { LayawayEvent } from '../../../operations/wire.ts';
import type { StoredEvent } from '../../../store/events.ts';
import type { EventRow } from '../../../store/look-back.ts';
import type { HttpContext } from '../../context.ts';
import { deliveryView } from '../../delivery-view.ts';
import { pageOf } from '../../list.ts';
import { owned } from '../../owned.ts';
import { serve } from '../../serve.ts';
import { openStream } from '../../stream.ts';

/** The events of an account, with a cursor that only grows. */
export function simEvents(app: FastifyInstance, { store, news }: HttpContext) {
  const find = (account: Account, token: string) => owned(account, store.events.find(token), 'Event');

  serve(app, listEvents, ({ account, query }) => {
    const { limit, afterId } = pageOf(query, (token) => find(account, token).id);
    return { data: store.events.list(account.id, limit, afterId).map(eventView) };
  });

  serve(app, getEvent, ({ account, params }) => {
    const event = find(account, params.id);
    const everywhere = { status: null, eventId: event.id, endpointId: null };
    const deliveries = store.deliveries
      .list(account.id, 1000, null, everywhere)
      .map((each) => deliveryView(store, each));
    return { data: { ...eventView(event), deliveries } };
  });

  /** Server-sent events, from just after `Last-Event-ID`, else from now on; no event is skipped or sent twice. */
  serve(app, streamEvents, ({ account, request, reply }) => {
    const last = request.headers['last-event-id'];
    let cursor = typeof last === 'string' && last !== '' ? find(account, last).id : store.events.lastId();
    const write = openStream(reply, () => unsubscribe());
    const send = (restarted: boolean) => {
      if (restarted && store.accounts.find(account.clientId)?.id !== account.id) return void reply.raw.end();
      if (restarted) cursor = store.events.lastId();
      for (let events = next(); events.length > 0; events = next()) {
        for (const event of events) write({ id: event.token, event: event.type, data: event.body });
        cursor = (events.at(-1) as StoredEvent).id;
      }
    };
    const next = () => store.events.list(account.id, 1000, cursor);
    const unsubscribe = news.subscribe(account.id, send);
    send(false);
    return reply as never;
  });
}

/** An event as one line of a list tells it. */
export const eventLine = ({ token, type, subject, createdAt }: EventRow) => ({
  id: token,
  type,
  subject,
  created_at: formatInstant(createdAt),
});

/** The webhook body itself, byte for byte what was stored. */
export const eventView = (event: StoredEvent) => JSON.parse(event.body) as LayawayEvent;
