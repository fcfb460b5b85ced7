import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../domain/refusal.ts';
import * as operations from '../../../operations/webhooks.ts';
import { found } from '../../answer/found.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';
import { openStream } from '../../stream/stream.ts';

/** What a listening process calls: it connects, and reports what its receiver answered. */
export function simListeners(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, courier, listeners, absence } = ctx;

  /** The stream for a listening process (`transport: "listener"`). Deliveries wait until it is connected. */
  serve(app, operations.streamDeliveries, ({ account, key, params, reply }) => {
    const endpoint = engine.readEndpoint(account, params.id);
    if (endpoint.transport !== 'listener') {
      throw new Refusal('conflict', 'The server itself sends to this webhook endpoint.');
    }
    let { secret } = endpoint;
    // Whoever registers a listening process enables its endpoint.
    let isEnabled = true;
    const onClose = () => disconnect().forEach(absence.left);
    const stream = openStream(ctx, { account, key }, reply, { onClose });
    const disconnect = listeners.connect(endpoint.id, {
      send: (delivery, letter) =>
        stream.send({
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
      /** Reports that the endpoint was enabled or disabled, or that its secret changed. */
      tell({ token, enabled, disabledReason, secret: present }) {
        // Not the secret itself: right after a reset, this may be the endpoint of another account.
        if (present !== secret)
          stream.send({ id: token, event: 'secret', data: JSON.stringify({ secret_changed: true }) });
        secret = present;
        if (enabled === isEnabled) return;
        isEnabled = enabled;
        const change = enabled ? { enabled } : { disabled: disabledReason };
        stream.send({ id: token, event: enabled ? 'enabled' : 'disabled', data: JSON.stringify(change) });
      },
      dismiss(why) {
        stream.send({ id: endpoint.token, event: why, data: JSON.stringify({ [why]: true }) });
        stream.end();
      },
      hangUp: stream.end,
    });
    absence.came(endpoint.id);
    courier.wake(account.id);
    return reply;
  });

  /** Takes the outcome of a forwarded attempt. */
  serve(app, operations.reportDelivery, ({ account, params, body }) => {
    const delivery = found(store.of(account).deliveries.find(params.id), 'Delivery');
    const { status_code: statusCode = null, attempt = null, ...report } = body();
    const taken = listeners.report(delivery.endpointId ?? 0, delivery.token, attempt, {
      sentAt: ctx.realNow() - report.duration_ms,
      statusCode,
      durationMs: report.duration_ms,
      error: report.error ?? (statusCode === null ? 'the request failed' : null),
      responseHeaders: report.response_headers ?? {},
      responseBody: report.response_body ?? null,
    });
    if (!taken) throw new Refusal('conflict', 'Nobody awaits the result of this delivery.');
    return { data: { recorded: true } };
  });
}
