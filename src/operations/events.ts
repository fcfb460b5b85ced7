import * as Type from 'typebox';
import { EVENT_TYPES, type EventType } from '../domain/event.ts';
import { listQuery } from './list-query.ts';
import { enveloped, input, listed, named, ok, operation, ref, resource, stream } from './operation.ts';
import { count, flag, instant, nullable, oneOf, text } from './schemas.ts';
import { RECEIVER_URL } from './webhooks.ts';

const tag = 'Events';
const params = { id: 'The event’s id, `evt_…`.' };

const typesOf = <const Prefix extends string>(prefix: Prefix) =>
  EVENT_TYPES.filter((type) => type.startsWith(`${prefix}.`)) as Extract<EventType, `${Prefix}.${string}`>[];

const fieldsOf = <const Prefix extends string, D extends Type.TSchema>(prefix: Prefix, data: D) => ({
  id: text('`evt_…`, the same on every delivery and retry.'),
  type: oneOf(typesOf(prefix)),
  created_at: instant('Account time.'),
  livemode: flag('Whether it happened in live mode.'),
  data,
});

const EVENTS = {
  session: fieldsOf('session', ref('CheckoutSession')),
  contract: fieldsOf('contract', ref('Contract')),
  installment: fieldsOf(
    'installment',
    resource({
      reference: text('The contract’s, `LAY-…`.'),
      order_reference: nullable(Type.String()),
      installment: ref('PlanInstallment'),
      attempt: nullable(
        Type.Integer({
          minimum: 1,
          description: 'Number of the payment attempt concerned; null where there was none.',
        }),
      ),
      late_charge_amount: count('Cents; 0 until it is assessed.'),
    }),
  ),
  webhook: fieldsOf('webhook', resource({ endpoint_id: Type.String() })),
};

export const SessionEvent = named('SessionEvent', 'Something happened to a checkout session.', EVENTS.session);
export const ContractEvent = named('ContractEvent', 'Something happened to a contract.', EVENTS.contract);
export const InstallmentEvent = named('InstallmentEvent', 'Something happened to an installment.', EVENTS.installment);
export const TestEvent = named('TestEvent', 'A test that was sent to one endpoint.', EVENTS.webhook);
export const LayawayEvent = Type.Union(
  [ref('SessionEvent'), ref('ContractEvent'), ref('InstallmentEvent'), ref('TestEvent')],
  { $id: 'LayawayEvent', description: 'The body of a webhook.' },
);
export const EventWithDeliveries = Type.Union(
  Object.values(EVENTS).map((fields) => resource({ ...fields, deliveries: Type.Array(ref('Delivery')) })),
  { $id: 'EventWithDeliveries', description: 'The body of a webhook, and where it went.' },
);
export const ResendInput = input(
  'ResendInput',
  'At most one of the two. Without either, the event goes to every enabled endpoint that subscribes to its type.',
  {
    endpoint_id: Type.Optional(text('To this endpoint only.')),
    url: Type.Optional(RECEIVER_URL),
  },
);

export const listEvents = operation({
  operationId: 'listEvents',
  method: 'GET',
  path: '/_sim/events',
  auth: 'account',
  tag,
  summary: 'List events, newest first',
  query: listQuery({
    type: Type.Optional(oneOf(EVENT_TYPES, { description: 'Only events of this type.' })),
    contract: Type.Optional(text('Only events of the contract with this reference.')),
    session: Type.Optional(text('Only events of this checkout session and of its contract.')),
  }),
  success: ok(listed('LayawayEvent'), 'The events, as their webhooks carry them.'),
  refusals: [401, 404, 422],
});

export const getEvent = operation({
  operationId: 'getEvent',
  method: 'GET',
  path: '/_sim/events/{id}',
  auth: 'account',
  tag,
  summary: 'Read an event and its deliveries',
  params,
  success: ok(enveloped('EventWithDeliveries'), 'The event.'),
  refusals: [401, 404],
});

export const resendEvent = operation({
  operationId: 'resendEvent',
  method: 'POST',
  path: '/_sim/events/{id}/resend',
  auth: 'account',
  tag,
  summary: 'Send an event again, with the same id and bytes and a new signature',
  params,
  body: ref('ResendInput'),
  success: ok(listed('Delivery'), 'The deliveries, attempted.'),
  refusals: [401, 404, [409, 'The endpoint is disabled, or a reset or a restore came in between.'], 413, 415, 422],
});

export const streamEvents = operation({
  operationId: 'streamEvents',
  method: 'GET',
  path: '/_sim/events/stream',
  auth: 'account',
  tag,
  summary: 'Follow events as they happen, as server-sent events',
  description: 'From just after `Last-Event-ID`, else from now on; no event is skipped or sent twice.',
  headers: Type.Object({
    'Last-Event-ID': Type.Optional(
      Type.String({ description: 'The id of the last event that the reader has, `evt_…`.' }),
    ),
  }),
  success: stream('One message for each event: its id, its type as the name, and its body as the data.'),
  refusals: [401, [422, 'The `Last-Event-ID` is unknown.']],
});

export const EVENT_SCHEMAS = [
  SessionEvent,
  ContractEvent,
  InstallmentEvent,
  TestEvent,
  LayawayEvent,
  EventWithDeliveries,
  ResendInput,
] as const;
export const EVENT_OPERATIONS = [listEvents, getEvent, resendEvent, streamEvents] as const;
