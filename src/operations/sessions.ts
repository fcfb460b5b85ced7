import * as Type from 'typebox';
import { OUTCOMES } from '../domain/contract.ts';
import { EMAIL_MAX } from '../domain/limits.ts';
import { SESSION_STATUSES } from '../domain/session.ts';
import { listQuery, WaitQuery } from './list-query.ts';
import { created, enveloped, input, listed, ok, operation, ref } from './operation.ts';
import { flag, oneOf, SessionCreate, text } from './schemas.ts';

const tag = 'Checkout sessions';
const params = { id: 'The session’s public token, `cs_…`.' };

const customerName = Type.String({ minLength: 1, maxLength: 255 });
const customerEmail = Type.String({ format: 'email', maxLength: EMAIL_MAX });
const outcome = oneOf(OUTCOMES, { description: 'How the Cart Capture ends; `pay` when absent.' });

export const PreviewInput = input('PreviewInput', 'An order as session create takes it, marked as a preview.', {
  ...SessionCreate.properties,
  preview: flag('Always `true`.'),
});
/** The form of the hosted page. */
export const DetailsForm = Type.Object({ customer_name: customerName, customer_email: customerEmail });
export const AcceptInput = input(
  'AcceptInput',
  'The customer who accepts the plan. Without an email address, the session’s is used.',
  { customer_name: customerName, customer_email: Type.Optional(customerEmail) },
);
export const PayInput = input('PayInput', 'How the payment ends.', { outcome: Type.Optional(outcome) });
export const CompleteInput = input(
  'CompleteInput',
  'Without a name `Test Customer`; without an address the session’s own, or `customer@example.com`.',
  {
    customer_name: Type.Optional(customerName),
    customer_email: Type.Optional(customerEmail),
    outcome: Type.Optional(outcome),
  },
);

const UNAVAILABLE = [403, 'Layaway is unavailable.', Type.Ref('LayawayRefusal')] as const;
const REFUSED = [401, 404, [409, 'The session’s state does not allow it.']] as const;

export const listSessions = operation({
  operationId: 'listSessions',
  method: 'GET',
  path: '/_sim/sessions',
  auth: 'account',
  tag,
  summary: 'List checkout sessions, newest first',
  query: listQuery({
    status: Type.Optional(oneOf(SESSION_STATUSES, { description: 'Only sessions with this status.' })),
    order_reference: Type.Optional(text('Only sessions with exactly this order reference.')),
  }),
  success: ok(listed('CheckoutSession'), 'The sessions; previews are left out.'),
  refusals: [401, 422],
});

export const previewSession = operation({
  operationId: 'previewSession',
  method: 'POST',
  path: '/_sim/sessions',
  auth: 'account',
  tag,
  summary: 'Open a preview, whose contract never appears under /v1',
  description: 'A preview makes no event and no email.',
  body: ref('PreviewInput'),
  success: created(enveloped('CheckoutSession'), 'The preview.'),
  refusals: [401, UNAVAILABLE, 413, 415, 422],
});

export const openSession = operation({
  operationId: 'openSession',
  method: 'POST',
  path: '/_sim/sessions/open',
  auth: 'account',
  tag,
  summary: 'Open a session as the store, as the dashboard does without a key',
  body: ref('SessionCreate'),
  success: created(enveloped('CheckoutSession'), 'The session.'),
  refusals: [401, UNAVAILABLE, 413, 415, 422],
});

export const acceptPlan = operation({
  operationId: 'acceptPlan',
  method: 'POST',
  path: '/_sim/sessions/{id}/accept',
  auth: 'account',
  tag,
  summary: 'Accept the plan as the customer',
  params,
  query: WaitQuery,
  body: ref('AcceptInput'),
  success: ok(enveloped('Contract'), 'The contract, pending until the Cart Capture lands.'),
  refusals: [...REFUSED, 413, 415, 422],
});

export const payCartCapture = operation({
  operationId: 'payCartCapture',
  method: 'POST',
  path: '/_sim/sessions/{id}/pay',
  auth: 'account',
  tag,
  summary: 'Pay the Cart Capture as the customer, or have it declined',
  params,
  query: WaitQuery,
  body: ref('PayInput'),
  success: ok(enveloped('Contract'), 'The contract: active, or still pending after a decline.'),
  refusals: [...REFUSED, 413, 415, 422],
});

export const completeCheckout = operation({
  operationId: 'completeCheckout',
  method: 'POST',
  path: '/_sim/sessions/{id}/complete',
  auth: 'account',
  tag,
  summary: 'Accept the plan, unless it is accepted already, and pay',
  params,
  query: WaitQuery,
  body: ref('CompleteInput'),
  success: ok(enveloped('Contract'), 'The contract.'),
  refusals: [...REFUSED, 413, 415, 422],
});

export const cancelCheckout = operation({
  operationId: 'cancelCheckout',
  method: 'POST',
  path: '/_sim/sessions/{id}/cancel',
  auth: 'account',
  tag,
  summary: 'Back out of the checkout as the customer',
  params,
  query: WaitQuery,
  success: ok(enveloped('CheckoutSession'), 'The session, cancelled.'),
  refusals: REFUSED,
});

export const SESSION_SCHEMAS = [PreviewInput, AcceptInput, PayInput, CompleteInput] as const;
export const SESSION_OPERATIONS = [
  listSessions,
  previewSession,
  openSession,
  acceptPlan,
  payCartCapture,
  completeCheckout,
  cancelCheckout,
] as const;
