import { formatInstant } from '../../domain/calendar.ts';
import type { Delivery, Endpoint } from '../../domain/webhook.ts';
import type { Own } from '../../store/own.ts';
import { instantOrNull } from './views.ts';

/** A delivery with all its attempts (interface §3). */
export function deliveryView(deliveries: Own['deliveries'], delivery: Delivery) {
  const { event, type, eventAt, endpoint, givenUpAt, givenUpReason } = deliveries.namesOf(delivery);
  return {
    id: delivery.token,
    event_id: event,
    event_type: type,
    event_created_at: formatInstant(eventAt),
    endpoint_id: endpoint,
    url: delivery.url,
    status: delivery.status,
    next_attempt_at: instantOrNull(delivery.nextAttemptAt),
    given_up: givenUpAt === null ? null : { at: formatInstant(givenUpAt), reason: givenUpReason as string },
    attempts: deliveries.attempts(delivery).map((attempt) => ({
      number: attempt.number,
      at: formatInstant(attempt.at),
      sent_at: formatInstant(attempt.sentAt),
      status_code: attempt.statusCode,
      duration_ms: attempt.durationMs,
      error: attempt.error,
      request_headers: attempt.requestHeaders,
      response_headers: attempt.responseHeaders,
      response_body: attempt.responseBody,
      fault: attempt.fault,
    })),
  };
}

/** The secret is shown only on creation and rotation. */
export const endpointView = (deliveries: Own['deliveries'], endpoint: Endpoint, { withSecret = false } = {}) => ({
  id: endpoint.token,
  url: endpoint.url,
  events: endpoint.events,
  transport: endpoint.transport,
  insecure: endpoint.insecure,
  enabled: endpoint.enabled,
  disabled_reason: endpoint.disabledReason,
  created_at: formatInstant(endpoint.createdAt),
  disconnected_at: instantOrNull(endpoint.disconnectedAt),
  owed: deliveries.owed(endpoint),
  ...(withSecret ? { secret: endpoint.secret } : {}),
});
