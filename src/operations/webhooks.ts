import * as Type from 'typebox';
import { EVENT_TYPES } from '../domain/event.ts';
import { DELIVERY_STATUSES, TRANSPORTS } from '../domain/webhook.ts';
import { STRUCK_BY } from './faults.ts';
import { ListQuery, listQuery } from './list-query.ts';
import {
  created,
  enveloped,
  input,
  listed,
  NOTHING,
  named,
  ok,
  operation,
  ref,
  refOrNull,
  resource,
  stream,
} from './operation.ts';
import { count, flag, HTTP_OR_HTTPS, instant, nullable, oneOf, text } from './schemas.ts';

const tag = 'Webhooks';
const ENDPOINT = { id: 'The endpoint’s id, `we_…`.' };
const DELIVERY = { id: 'The delivery’s id.' };

export const RECEIVER_URL = Type.String({
  format: 'uri',
  pattern: HTTP_OR_HTTPS,
  maxLength: 2048,
  description: 'Where the deliveries go.',
});
const events = Type.Array(oneOf(['*', ...EVENT_TYPES]), {
  minItems: 1,
  maxItems: EVENT_TYPES.length + 1,
  description: 'Event types; `*` for all.',
});
const transport = oneOf(TRANSPORTS, {
  description: '`http`: the server sends. `listener`: a `layaway listen` process fetches, forwards and reports.',
});
export const headers = (description: string) =>
  Type.Unsafe<Readonly<Record<string, string>>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
  });

export const WebhookEndpoint = named('WebhookEndpoint', 'A URL and the event types that it receives.', {
  id: Type.String(),
  url: Type.String(),
  events,
  transport,
  insecure: flag('The certificate of an https receiver is not checked.'),
  enabled: Type.Boolean(),
  disabled_reason: nullable(Type.String()),
  created_at: instant('Account time.'),
  disconnected_at: nullable(
    instant(
      'The real time since which no `layaway listen` has been forwarding; null while one does, and where the server sends.',
    ),
  ),
  owed: count('Deliveries still to be attempted; at most 1,000 are counted.'),
  secret: Type.Optional(text('`whsec_…`; only on creation, on rotation, and where it is asked for.')),
});
export const EndpointCreate = input('EndpointCreate', 'A new endpoint; every event when `events` is absent.', {
  url: RECEIVER_URL,
  events: Type.Optional(events),
  secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: '`whsec_` and base64. When absent, one is generated; a listener gets that of the account.',
    }),
  ),
  transport: Type.Optional(transport),
  insecure: Type.Optional(flag('Accepts any certificate of an https receiver, such as a self-signed one.')),
  skip_missed: Type.Optional(flag('Gives up the deliveries that waited for this listener: those without an attempt.')),
});
export const EndpointUpdate = input('EndpointUpdate', 'The fields to change.', {
  url: Type.Optional(RECEIVER_URL),
  events: Type.Optional(events),
  enabled: Type.Optional(Type.Boolean()),
});
export const DeliveryAttempt = named('DeliveryAttempt', 'One attempt to deliver.', {
  number: Type.Integer({ minimum: 1 }),
  at: instant('Account time.'),
  sent_at: instant('Real time.'),
  status_code: nullable(Type.Integer({ description: 'Null when no response came.' })),
  duration_ms: Type.Number({ minimum: 0 }),
  error: nullable(text('Why it failed, if the status does not say so.')),
  request_headers: headers('As sent.'),
  response_headers: headers('As received.'),
  response_body: nullable(text('The first KiB.')),
  fault: STRUCK_BY,
});
export const GivenUp = named('GivenUp', 'When and why a delivery was given up before its last attempt.', {
  at: instant('Account time.'),
  reason: text('Such as `the endpoint was disabled: …`.'),
});
export const Delivery = named('Delivery', 'The delivery of one event to one endpoint.', {
  id: Type.String(),
  event_id: Type.String(),
  event_type: oneOf(EVENT_TYPES),
  event_created_at: instant('Account time.'),
  endpoint_id: nullable(text('Null when it went to a bare URL.')),
  url: Type.String(),
  status: oneOf(DELIVERY_STATUSES),
  next_attempt_at: nullable(instant('Account time; null when no attempt is to come.')),
  given_up: refOrNull('GivenUp', 'Null unless it was given up before its last attempt.'),
  attempts: Type.Array(ref('DeliveryAttempt')),
});
export const DeliveryReport = input('DeliveryReport', 'The outcome of a forwarded attempt.', {
  status_code: Type.Optional(
    nullable(Type.Integer({ minimum: 100, maximum: 599, description: 'Null or absent when no response came.' })),
  ),
  attempt: Type.Optional(Type.Integer({ minimum: 1, description: 'Which attempt it is, as the stream numbered it.' })),
  duration_ms: Type.Integer({ minimum: 0, maximum: 86_400_000 }),
  error: Type.Optional(nullable(Type.String({ maxLength: 1000 }))),
  response_headers: Type.Optional(headers('As received.')),
  // With `nullable()`, white space around it would be lost, and an empty one would count as none.
  response_body: Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()])),
});

export const listWebhookEndpoints = operation({
  operationId: 'listWebhookEndpoints',
  method: 'GET',
  path: '/_sim/webhook-endpoints',
  auth: 'account',
  tag,
  summary: 'List webhook endpoints, newest first',
  query: ListQuery,
  success: ok(listed('WebhookEndpoint'), 'The endpoints, without their secrets.'),
  refusals: [401, 422],
});

export const createWebhookEndpoint = operation({
  operationId: 'createWebhookEndpoint',
  method: 'POST',
  path: '/_sim/webhook-endpoints',
  auth: 'account',
  tag,
  summary: 'Add a webhook endpoint',
  body: ref('EndpointCreate'),
  success: created(enveloped('WebhookEndpoint'), 'The endpoint with its secret.'),
  successAgain: ok(enveloped('WebhookEndpoint'), 'A listener that starts again gets the endpoint that it had.'),
  refusals: [401, 413, 415, 422],
});

export const updateWebhookEndpoint = operation({
  operationId: 'updateWebhookEndpoint',
  method: 'PATCH',
  path: '/_sim/webhook-endpoints/{id}',
  auth: 'account',
  tag,
  summary: 'Change, enable or disable a webhook endpoint',
  description: 'Disabling fails its pending deliveries.',
  params: ENDPOINT,
  body: ref('EndpointUpdate'),
  success: ok(enveloped('WebhookEndpoint'), 'The endpoint.'),
  refusals: [401, 404, 413, 415, 422],
});

export const deleteWebhookEndpoint = operation({
  operationId: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: '/_sim/webhook-endpoints/{id}',
  auth: 'account',
  tag,
  summary: 'Remove a webhook endpoint',
  description: 'Faults that are limited to it are removed with it.',
  params: ENDPOINT,
  success: NOTHING,
  refusals: [401, 404],
});

export const readWebhookSecret = operation({
  operationId: 'readWebhookSecret',
  method: 'GET',
  path: '/_sim/webhook-endpoints/{id}/secret',
  auth: 'account',
  tag,
  summary: 'Read the secret of a webhook endpoint',
  description: 'For tools that sign as the service does, such as `layaway certify`.',
  params: ENDPOINT,
  success: ok(enveloped('WebhookEndpoint'), 'The endpoint with its secret.'),
  refusals: [401, 404],
});

export const rotateWebhookSecret = operation({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/_sim/webhook-endpoints/{id}/rotate',
  auth: 'account',
  tag,
  summary: 'Give a webhook endpoint a new secret',
  description: 'For 24 hours of account time, the old one also signs.',
  params: ENDPOINT,
  success: ok(enveloped('WebhookEndpoint'), 'The endpoint with its new secret.'),
  refusals: [401, 404],
});

export const WebhookTest = Type.Object(
  {
    forged: Type.Optional(
      flag(
        'Sign it with a secret that is not the endpoint’s. A receiver that answers it with 2xx does not check signatures. It is sent once.',
      ),
    ),
  },
  { $id: 'WebhookTest' },
);

export const testWebhookEndpoint = operation({
  operationId: 'testWebhookEndpoint',
  method: 'POST',
  path: '/_sim/webhook-endpoints/{id}/test',
  auth: 'account',
  tag,
  summary: 'Send a webhook.test event to an endpoint',
  params: ENDPOINT,
  body: ref('WebhookTest'),
  success: ok(enveloped('Delivery'), 'The delivery, attempted.'),
  refusals: [401, 404, [409, 'The endpoint is disabled, or a reset or a restore came in between.'], 413, 415, 422],
});

export const streamDeliveries = operation({
  operationId: 'streamDeliveries',
  method: 'GET',
  path: '/_sim/webhook-endpoints/{id}/stream',
  auth: 'account',
  tag,
  summary: 'Stream the deliveries that a listener forwards, as server-sent events',
  params: ENDPOINT,
  success: stream('One message for each attempt.'),
  refusals: [401, 404, [409, 'The server itself sends to this endpoint.']],
});

export const listDeliveries = operation({
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/_sim/deliveries',
  auth: 'account',
  tag,
  summary: 'List deliveries, newest first',
  query: listQuery({
    status: Type.Optional(oneOf(DELIVERY_STATUSES, { description: 'Only deliveries with this status.' })),
    event_id: Type.Optional(text('Only deliveries of this event.')),
    endpoint_id: Type.Optional(text('Only deliveries to this endpoint.')),
  }),
  success: ok(listed('Delivery'), 'The deliveries with their attempts.'),
  refusals: [401, 404, 422],
});

export const getDelivery = operation({
  operationId: 'getDelivery',
  method: 'GET',
  path: '/_sim/deliveries/{id}',
  auth: 'account',
  tag,
  summary: 'Read a delivery with its attempts',
  params: DELIVERY,
  success: ok(enveloped('Delivery'), 'The delivery.'),
  refusals: [401, 404],
});

export const reportDelivery = operation({
  operationId: 'reportDelivery',
  method: 'POST',
  path: '/_sim/deliveries/{id}/report',
  auth: 'account',
  tag,
  summary: 'Report the outcome of a forwarded attempt',
  params: DELIVERY,
  body: ref('DeliveryReport'),
  success: ok(resource({ data: resource({ recorded: Type.Boolean() }) }), 'It is recorded.'),
  refusals: [401, 404, [409, 'Nothing waits for this result; for example, the attempt was given up.'], 413, 415, 422],
});

export const WEBHOOK_SCHEMAS = [
  WebhookEndpoint,
  EndpointCreate,
  EndpointUpdate,
  WebhookTest,
  DeliveryAttempt,
  GivenUp,
  Delivery,
  DeliveryReport,
] as const;
export const WEBHOOK_OPERATIONS = [
  listWebhookEndpoints,
  createWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  readWebhookSecret,
  rotateWebhookSecret,
  testWebhookEndpoint,
  streamDeliveries,
  listDeliveries,
  getDelivery,
  reportDelivery,
] as const;
