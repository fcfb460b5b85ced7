import type { FastifyInstance } from 'fastify';
import type { Account } from '../../../domain/merchant.ts';
import type { Delivery, Endpoint } from '../../../domain/webhook.ts';
import { resendEvent } from '../../../operations/events.ts';
import * as operations from '../../../operations/webhooks.ts';
import { deliveryView, endpointView } from '../../answer/delivery-view.ts';
import { found } from '../../answer/found.ts';
import { pageOf, partOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { newEndpointOf, resendTo } from '../../input/endpoint.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { serve } from '../../serve.ts';

/** Endpoints, deliveries and sending again (interface §3, decisions §6). */
export function simWebhooks(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, courier, listeners, absence } = ctx;
  const { by } = createRequestVerbs(ctx);
  const view = (account: Account, delivery: Delivery) => deliveryView(store.of(account).deliveries, delivery);
  const eventOf = (account: Account, token: string) => found(store.of(account).events.find(token), 'Event');
  const deliveryOf = (account: Account, token: string) => found(store.of(account).deliveries.find(token), 'Delivery');
  const shown = (account: Account, endpoint: Endpoint, options?: { readonly withSecret: boolean }) => ({
    data: endpointView(store.of(account).deliveries, endpoint, options),
  });
  const present = (account: Account, { id }: Delivery) =>
    view(account, store.of(account).deliveries.get(id) as Delivery);

  /** A listening process has an hour to connect. */
  function awaited(account: Account, endpoint: Endpoint): Endpoint {
    if (endpoint.transport === 'listener' && endpoint.enabled) absence.awaits(endpoint.id);
    return store.of(account).endpoints.find(endpoint.token) ?? endpoint;
  }

  serve(app, operations.listWebhookEndpoints, ({ account, query }) => {
    const listed = partOf(query, store.of(account).endpoints.list(), ({ token }) => token);
    return { data: listed.map((endpoint) => endpointView(store.of(account).deliveries, endpoint)) };
  });

  serve(app, operations.createWebhookEndpoint, ({ account, request, reply }) => {
    const opened = by(request).openEndpoint(account, newEndpointOf(bodyOf(request)));
    if (!opened.isNew) reply.code(200);
    const endpoint = awaited(account, opened.endpoint);
    return shown(account, endpoint, { withSecret: true });
  });

  serve(app, operations.updateWebhookEndpoint, ({ account, params, body, request }) => {
    engine.readEndpoint(account, params.id);
    return shown(account, awaited(account, by(request).changeEndpoint(account, params.id, body())));
  });

  serve(app, operations.deleteWebhookEndpoint, ({ account, params, request }) => {
    const { id } = engine.readEndpoint(account, params.id);
    by(request).removeEndpoint(account, params.id);
    listeners.remove(id);
  });

  serve(app, operations.readWebhookSecret, ({ account, params }) =>
    shown(account, engine.readEndpoint(account, params.id), { withSecret: true }),
  );

  serve(app, operations.rotateWebhookSecret, ({ account, params, request }) =>
    shown(account, by(request).rotateSecret(account, params.id), { withSecret: true }),
  );

  serve(app, operations.testWebhookEndpoint, async ({ account, params, body, request }) => {
    engine.readEndpoint(account, params.id);
    const owed = by(request).testEndpoint(account, params.id, body().forged);
    await courier.drain(account.id, [owed]);
    return { data: present(account, owed) };
  });

  serve(app, operations.listDeliveries, ({ account, query }) => {
    const { limit, afterId } = pageOf(query, (token) => deliveryOf(account, token).id);
    const { status = null, event_id: event, endpoint_id: endpoint } = query;
    const narrow = {
      status,
      eventId: event === undefined ? null : eventOf(account, event).id,
      endpointId: endpoint === undefined ? null : engine.readEndpoint(account, endpoint).id,
    };
    return {
      data: store
        .of(account)
        .deliveries.list(limit, afterId, narrow)
        .map((each) => view(account, each)),
    };
  });

  serve(app, operations.getDelivery, ({ account, params }) => ({
    data: view(account, deliveryOf(account, params.id)),
  }));

  serve(app, resendEvent, async ({ account, params, body, request }) => {
    const event = eventOf(account, params.id);
    const to = resendTo(body());
    const owed = by(request).resendEvent(account, event, to);
    await courier.drain(account.id, owed);
    return { data: owed.map((each) => present(account, each)) };
  });
}
