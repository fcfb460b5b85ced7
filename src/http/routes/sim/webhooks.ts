import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { EVENT_TYPES, type EventType } from '../../../domain/event.ts';
import type { Account } from '../../../domain/merchant.ts';
import { invalid, Refusal } from '../../../domain/refusal.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  isWebhookSecret,
  TRANSPORTS,
} from '../../../domain/webhook.ts';
import type { NewEndpoint, ResendTo } from '../../../engine/webhook.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { deliveryView, endpointView } from '../../delivery-view.ts';
import { listenerAt } from '../../keep-listeners.ts';
import { listQuery, partOf } from '../../list.ts';
import { owned } from '../../owned.ts';
import { textOf } from '../../query.ts';
import { HTTP_OR_HTTPS, oneOf } from '../../schemas.ts';
import { openStream } from '../../stream.ts';
import { validate, validateStrictly } from '../../validate.ts';

type ById = { Params: { id: string } };

const receiverUrl = Type.String({ format: 'uri', pattern: HTTP_OR_HTTPS, maxLength: 2048 });
const wantedEvents = Type.Array(oneOf(['*', ...EVENT_TYPES]), { minItems: 1, maxItems: EVENT_TYPES.length + 1 });
const EndpointInput = Type.Object({
  url: receiverUrl,
  events: Type.Optional(wantedEvents),
  secret: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  transport: Type.Optional(oneOf(TRANSPORTS)),
});
const EndpointChange = Type.Object({
  url: Type.Optional(receiverUrl),
  events: Type.Optional(wantedEvents),
  enabled: Type.Optional(Type.Boolean()),
});
const ResendInput = Type.Object({ endpoint_id: Type.Optional(Type.String()), url: Type.Optional(receiverUrl) });
const ReportInput = Type.Object({
  /** Null or absent when no answer came. */
  status_code: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 100, maximum: 599 })),
  duration_ms: Type.Integer({ minimum: 0, maximum: 86_400_000 }),
  error: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 1000 })),
  response_headers: Type.Optional(Type.Unsafe<Record<string, string>>({ type: 'object' })),
  response_body: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 1024 })),
});

/** Endpoints, deliveries and sending again (interface §3, decisions §6). */
export function simWebhooks(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, courier, listeners } = ctx;
  const view = (delivery: Delivery) => deliveryView(store, delivery);
  const eventOf = (account: Account, token: string) => owned(account, store.events.find(token), 'Event');
  const deliveryOf = (account: Account, token: string) => owned(account, store.deliveries.find(token), 'Delivery');
  const present = (id: number) => view(store.deliveries.get(id) as Delivery);

  app.get<{ Querystring: Record<string, unknown> }>(
    '/_sim/webhook-endpoints',
    async ({ principal: { account }, query }) => {
      const shown = partOf(query, store.endpoints.list(account.id), ({ token }) => token);
      return { data: shown.map((endpoint) => endpointView(endpoint)) };
    },
  );

  app.post('/_sim/webhook-endpoints', async (request, reply) => {
    const { account } = request.principal;
    const input = newEndpointOf(bodyOf(request));
    const { url, events, secret, transport } = input;
    const isListener = transport === 'listener';
    const known = isListener ? listenerAt(store, account.id, url) : undefined;
    if (known && (secret === undefined || secret === known.secret)) {
      // A listening process that starts again is no second receiver: it takes up what it had, secret included.
      const endpoint = engine.changeEndpoint(account, known.token, { events, enabled: true });
      return { data: endpointView(endpoint, { withSecret: true }) };
    }
    const endpoint = engine.createEndpoint(
      account,
      isListener ? { ...input, secret: secret ?? account.webhookSecret } : input,
    );
    return reply.code(201).send({ data: endpointView(endpoint, { withSecret: true }) });
  });

  app.patch<ById>('/_sim/webhook-endpoints/:id', async (request) => {
    const { account } = request.principal;
    engine.readEndpoint(account, request.params.id);
    const changes = validateStrictly(EndpointChange, bodyOf(request)) as Parameters<typeof engine.changeEndpoint>[2];
    return { data: endpointView(engine.changeEndpoint(account, request.params.id, changes)) };
  });

  app.delete<ById>('/_sim/webhook-endpoints/:id', async ({ principal: { account }, params }, reply) => {
    engine.removeEndpoint(account, params.id);
    return reply.code(204).send();
  });

  app.post<ById>('/_sim/webhook-endpoints/:id/rotate', async ({ principal: { account }, params }) => ({
    data: endpointView(engine.rotateSecret(account, params.id), { withSecret: true }),
  }));

  app.post<ById>('/_sim/webhook-endpoints/:id/test', async ({ principal: { account }, params }) => {
    const { id } = engine.testEndpoint(account, params.id);
    await courier.drain(account.id);
    return { data: present(id) };
  });

  app.get<{ Querystring: Record<string, unknown> }>('/_sim/deliveries', async ({ principal: { account }, query }) => {
    const { limit, afterId } = listQuery(query, (token) => deliveryOf(account, token).id);
    const [event, endpoint] = [textOf(query, 'event_id'), textOf(query, 'endpoint_id')];
    const narrow = {
      status: statusOf(query.status),
      eventId: event === null ? null : eventOf(account, event).id,
      endpointId: endpoint === null ? null : engine.readEndpoint(account, endpoint).id,
    };
    return { data: store.deliveries.list(account.id, limit, afterId, narrow).map(view) };
  });

  app.get<ById>('/_sim/deliveries/:id', async ({ principal: { account }, params }) => ({
    data: view(deliveryOf(account, params.id)),
  }));

  app.post<ById>('/_sim/events/:id/resend', async (request) => {
    const { account } = request.principal;
    const event = eventOf(account, request.params.id);
    const to = resendTo(validateStrictly(ResendInput, bodyOf(request)));
    const owed = engine.resendEvent(account, event, to);
    await courier.drain(account.id);
    return { data: owed.map(({ id }) => present(id)) };
  });

  /** What a listening process forwards (`transport: "listener"`); what it is owed waits until it is connected. */
  app.get<ById>('/_sim/webhook-endpoints/:id/stream', async ({ principal: { account }, params }, reply) => {
    const endpoint = engine.readEndpoint(account, params.id);
    if (endpoint.transport !== 'listener') {
      throw new Refusal('conflict', 'This webhook endpoint is sent to by the server itself.');
    }
    const send = openStream(reply, () => disconnect());
    const disconnect = listeners.connect(endpoint.id, {
      send: (delivery, letter) =>
        send({
          id: delivery.token,
          event: 'delivery',
          data: JSON.stringify({
            delivery_id: delivery.token,
            url: delivery.url,
            attempt: delivery.attempts + 1,
            headers: letter.headers,
            body: letter.body,
          }),
        }),
      supersede() {
        send({ id: endpoint.token, event: 'superseded', data: '{"superseded":true}' });
        reply.raw.end();
      },
      hangUp: () => void reply.raw.end(),
    });
    courier.wake(account.id);
  });

  /** How a forwarded attempt went. */
  app.post<ById>('/_sim/deliveries/:id/report', async (request) => {
    const { account } = request.principal;
    const delivery = deliveryOf(account, request.params.id);
    const { status_code: statusCode = null, ...report } = validate(ReportInput, bodyOf(request));
    const taken = listeners.report(delivery.endpointId ?? 0, delivery.token, {
      sentAt: ctx.realNow() - report.duration_ms,
      statusCode,
      durationMs: report.duration_ms,
      error: report.error ?? (statusCode === null ? 'the request failed' : null),
      requestHeaders: {},
      responseHeaders: report.response_headers ?? {},
      responseBody: report.response_body ?? null,
    });
    if (!taken) throw new Refusal('conflict', 'Nobody awaits the result of this delivery.');
    return { data: { recorded: true } };
  });
}

/**
 * A new endpoint as somebody describes it.
 * @throws Refusal `invalid`
 */
export function newEndpointOf(body: object): NewEndpoint {
  const { url, events = ['*'], secret, transport = 'http' } = validateStrictly(EndpointInput, body);
  if (secret !== undefined && !isWebhookSecret(secret)) {
    throw invalid('secret', 'The secret field must be whsec_ and the base64 of 24 to 64 bytes.');
  }
  return { url, events: events as EventType[], transport, ...(secret === undefined ? {} : { secret }) };
}

function statusOf(value: unknown): DeliveryStatus | null {
  if (value === undefined || value === '') return null;
  const status = DELIVERY_STATUSES.find((candidate) => candidate === value);
  if (!status) throw invalid('status', 'The selected status is invalid.');
  return status;
}

function resendTo({ endpoint_id: endpoint, url }: { endpoint_id?: string; url?: string }): ResendTo {
  if (endpoint !== undefined && url !== undefined)
    throw invalid('url', 'At most one of endpoint_id and url may be sent.');
  if (endpoint !== undefined) return { endpoint };
  return url === undefined ? null : { url };
}
