import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { EVENT_TYPES, type EventType } from '../../domain/event.ts';
import { eventExample } from './examples.ts';

/** When each event is sent (decisions §6). */
const WHEN: Readonly<Record<EventType, string>> = {
  'session.decision_made': 'The customer accepted the plan',
  'session.completed': 'The Cart Capture completed the session',
  'session.cancelled': 'The customer cancelled the checkout',
  'session.expired': 'A pending session passed its deadline',
  'contract.activated': 'The Cart Capture activated the contract',
  'contract.completed': 'The last installment was paid',
  'contract.cancelled': 'The merchant ended an active contract',
  'contract.defaulted': 'An installment stayed unpaid until the end of its default period',
  'installment.paid': 'An Installment Capture was collected or settled',
  'installment.payment_failed': 'An attempt to collect an installment failed',
  'installment.past_due': 'The second attempt to collect an installment failed',
  'installment.delinquent': 'The grace period of an installment ended',
  'webhook.test': 'A test was sent to one endpoint',
};

const BODIES: Readonly<Record<string, string>> = {
  session: 'SessionEvent',
  contract: 'ContractEvent',
  installment: 'InstallmentEvent',
  webhook: 'TestEvent',
};

const header = (name: string, description: string, schema: object) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});
const HEADERS = [
  header('webhook-id', 'The id of the event, the same on every retry.', { type: 'string' }),
  header('webhook-timestamp', 'When this attempt was sent, in Unix seconds.', { type: 'integer' }),
  header(
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; after a rotation two of them, separated by a space.',
    { type: 'string' },
  ),
];

/** The webhook of every event. `printed` makes references point into the document. */
export const webhooksOf = (printed: (schema: TSchema) => unknown) =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const name = String(BODIES[type.split('.')[0] ?? '']);
      const body = Type.Intersect([Type.Ref(name), Type.Object({ type: Type.Literal(type) })]);
      const media = { schema: printed(body), example: eventExample(type) };
      return [
        type,
        {
          post: {
            operationId: type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
            summary: WHEN[type],
            description:
              'Signed as in Standard Webhooks 1.0. A 2xx within 15 seconds acknowledges it; after any other response it is sent again, with the same id and body.',
            tags: ['Webhooks'],
            security: [],
            parameters: HEADERS,
            requestBody: { required: true, content: { 'application/json': media } },
            responses: {
              '2XX': { description: 'Acknowledged.' },
              '4XX': { description: 'Not acknowledged: sent again later. 410 disables the endpoint.' },
            },
          },
        },
      ];
    }),
  );
