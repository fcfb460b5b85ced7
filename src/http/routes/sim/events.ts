import type { FastifyInstance } from 'fastify';
import { formatInstant, SECOND } from '../../../domain/calendar.ts';
import { LIST_MAX } from '../../../domain/limits.ts';
import type { Account } from '../../../domain/merchant.ts';
import { invalid, Refusal } from '../../../domain/refusal.ts';
import { getEvent, listEvents, streamEvents } from '../../../operations/events.ts';
import type { LayawayEvent } from '../../../operations/wire.ts';
import type { StoredEvent } from '../../../store/events.ts';
import type { EventRow } from '../../../store/search/look-back.ts';
import { deliveryView } from '../../answer/delivery-view.ts';
import { found } from '../../answer/found.ts';
import { pageOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';
import { openStream, UNREAD_MAX_BYTES } from '../../stream/stream.ts';

/** How many events are read at once for a stream, at most. */
const PAGE = 20;
/** How long a reader with too much unread may stop reading. */
const STILL_MS = 5 * SECOND;

/** The events of an account, with a cursor that only grows. */
export function simEvents(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, notifier } = ctx;
  const find = (account: Account, token: string) => found(store.of(account).events.find(token), 'Event');

  /** @throws Refusal `invalid` when the account has no such event */
  function cursorAt(account: Account, token: string): number {
    const event = store.of(account).events.find(token);
    if (!event) throw invalid('Last-Event-ID', 'The selected Last-Event-ID is invalid.');
    return event.id;
  }

  serve(app, listEvents, ({ account, query }) => {
    const { limit, afterId } = pageOf(query, (token) => find(account, token).id);
    const { type = null, contract, session } = query;
    const contractId = contract === undefined ? null : engine.ownContract(account, contract).id;
    const sessionId = session === undefined ? null : engine.ownSession(account, session).id;
    return { data: store.of(account).events.listOf(limit, afterId, { type, contractId, sessionId }).map(eventView) };
  });

  /** Server-sent events, from just after `Last-Event-ID`, else from now on. No event is skipped or sent twice. */
  serve(app, streamEvents, ({ account, key, request, reply }) => {
    const own = store.of(account).events;
    const last = request.headers['last-event-id'];
    let cursor = typeof last === 'string' && last !== '' ? cursorAt(account, last) : own.lastId();
    let callOff: (() => void) | null = null;

    const stream = openStream(ctx, { account, key }, reply, {
      onDrain() {
        moved();
        fill();
      },
      onClose() {
        moved();
        unsubscribe();
      },
    });

    /** Reads few more events than the reader takes: those with much metadata are large. */
    function fill() {
      for (let page = 1; stream.hasRoom(); page = Math.min(2 * page, PAGE)) {
        const events = own.list(page, cursor);
        if (events.length === 0) return;
        for (const event of events) {
          if (!stream.hasRoom()) break;
          stream.send({ id: event.token, event: event.type, data: event.body });
          cursor = event.id;
        }
      }
      callOff ??= ctx.after(STILL_MS, cutOffIfStill);
    }

    function moved() {
      callOff?.();
      callOff = null;
    }

    /** A slow reader may be far behind. One that has stopped is disconnected and can resume with `Last-Event-ID`. */
    function cutOffIfStill() {
      callOff = null;
      if (own.bytesAfter(cursor) > UNREAD_MAX_BYTES) stream.cutOff();
    }

    const unsubscribe = notifier.subscribe(account.id, (notice) => {
      if (notice === 'restart') {
        if (store.accounts.find(account.clientId)?.id !== account.id) return stream.end();
        cursor = own.lastId();
      }
      fill();
    });
    fill();
    return reply;
  });

  serve(app, getEvent, ({ account, params, request }) => {
    // Only HEAD arrives here with the name of the stream as an id.
    if (params.id === 'stream')
      throw new Refusal('method_not_allowed', request.method, streamEvents.path.slice(1), 'GET');
    const event = find(account, params.id);
    const everywhere = { status: null, eventId: event.id, endpointId: null };
    const { deliveries } = store.of(account);
    const sent = deliveries.list(LIST_MAX, null, everywhere).map((each) => deliveryView(deliveries, each));
    return { data: { ...eventView(event), deliveries: sent } };
  });
}

/** An event as a line of a list. */
export const eventLine = ({ token, type, subject, createdAt }: EventRow) => ({
  id: token,
  type,
  subject,
  created_at: formatInstant(createdAt),
});

/** The webhook body as stored, byte for byte. */
const eventView = (event: StoredEvent) => JSON.parse(event.body) as LayawayEvent;
