import * as Type from 'typebox';
import { IDEMPOTENCY_KEY_MAX } from '../domain/limits.ts';
import { created, enveloped, ok, operation, ref, resource } from './operation.ts';
import { ContractListQuery, RefusedOrInvalid } from './schemas.ts';

const SESSION = { id: 'The session’s public token, `cs_…`.' };
const CONTRACT = { reference: 'The agreement’s public reference, `LAY-…`.' };

/** §4.1 */
export const ping = operation({
  operationId: 'ping',
  method: 'GET',
  path: '/v1/ping',
  ignoresUnknown: true,
  auth: 'account',
  scope: 'checkout:read',
  tag: 'Merchant',
  summary: 'Confirm that a key authenticates',
  description:
    'Returns the merchant and the scopes of the key. A 200 proves only that the pair authenticates; whether the merchant can sell is in `layaway.available`.',
  success: ok(enveloped('Ping'), 'The pair authenticates.'),
  refusals: [401, 403, 429],
});

/** §4.2 */
export const getConfig = operation({
  operationId: 'getConfig',
  method: 'GET',
  path: '/v1/config',
  ignoresUnknown: true,
  auth: 'account',
  scope: 'checkout:read',
  tag: 'Merchant',
  summary: 'Read the merchant’s display data and selling terms',
  description:
    'Read it once, at installation, and cache it. Returns 200 even when layaway is unavailable: read `layaway.available`, not the status.',
  success: ok(enveloped('MerchantConfiguration'), 'The configuration.'),
  refusals: [401, 403, 429],
});

/** §4.3 */
export const createSession = operation({
  operationId: 'createSession',
  method: 'POST',
  path: '/v1/sessions',
  ignoresUnknown: true,
  auth: 'account',
  scope: 'checkout:write',
  tag: 'Checkout sessions',
  summary: 'Open a checkout session',
  description: [
    'Called from the merchant’s backend only. Redirect the customer to `checkout_url`; nothing is owed until they accept the plan there.',
    'Send an `Idempotency-Key`: the same key with the same body returns the session that it opened; with a different body, the response is 409. Without one, the same `order_reference` sent twice opens two sessions. A request that fails validation leaves the key unused.',
  ].join('\n\n'),
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        maxLength: IDEMPOTENCY_KEY_MAX,
        description:
          'A UUID, one per checkout attempt, reused across retries of that attempt. It is valid for 24 hours, in the merchant and mode that sent it.',
      }),
    ),
  }),
  body: ref('SessionCreate'),
  success: created(enveloped('CheckoutSession'), 'The session, new or replayed.'),
  refusals: [
    400,
    401,
    [
      403,
      'With `reason`: layaway is unavailable for this merchant or this customer’s state; not retryable. Without: the key lacks the scope, the merchant is not cleared to transact, or the account is not active.',
      Type.Union([Type.Ref('Error'), Type.Ref('LayawayRefusal')]),
    ],
    409,
    413,
    415,
    [422, 'The body is invalid, most often a total outside the merchant’s range.'],
    429,
  ],
});

/** §4.4 */
export const getCheckoutSession = operation({
  operationId: 'getCheckoutSession',
  method: 'GET',
  path: '/v1/checkout-sessions/{id}',
  ignoresUnknown: true,
  auth: 'account',
  scope: 'checkout:read',
  tag: 'Checkout sessions',
  summary: 'Read a checkout session, server to server',
  description:
    'The status is the effective one: a session past its deadline reads `expired`. A token of another merchant, or of the other mode, is not found.',
  params: SESSION,
  success: ok(enveloped('CheckoutSession'), 'The session.'),
  refusals: [401, 403, 404, 429],
});

/** What the hosted page reads, without keys (§4.4, payload @assumed decisions §5). */
export const getHostedSession = operation({
  operationId: 'getHostedSession',
  method: 'GET',
  path: '/v1/sessions/{id}',
  ignoresUnknown: true,
  auth: 'none',
  tag: 'Hosted page',
  summary: 'Read a session as the hosted page does',
  description:
    'For the checkout page: the response contains no data that only the merchant may see. A merchant’s backend reads `/v1/checkout-sessions/{id}` instead.',
  params: SESSION,
  success: ok(enveloped('HostedSession'), 'The session as the customer sees it.'),
  refusals: [[404, 'No session has that token.'], 429],
});

/** §4.5 */
export const listContracts = operation({
  operationId: 'listContracts',
  method: 'GET',
  path: '/v1/contracts',
  ignoresUnknown: true,
  auth: 'account',
  scope: 'contracts:read',
  tag: 'Contracts',
  summary: 'List contracts, newest first',
  description:
    'A sandbox key lists sandbox contracts, a live key live ones. Contracts from dashboard checkout previews never appear.',
  query: ContractListQuery,
  success: ok(
    resource({ data: Type.Array(ref('Contract')), links: ref('PageLinks'), meta: ref('PageMeta') }),
    'One page.',
  ),
  refusals: [401, 403, [422, 'The `status` or the `page` is invalid.'], 429],
});

/** §4.6 */
export const getContract = operation({
  operationId: 'getContract',
  method: 'GET',
  path: '/v1/contracts/{reference}',
  ignoresUnknown: true,
  auth: 'account',
  scope: 'contracts:read',
  tag: 'Contracts',
  summary: 'Read one contract with its full schedule',
  description:
    'Identified by the reference that webhooks carry. One of another merchant, or of the other mode, is not found.',
  params: CONTRACT,
  success: ok(enveloped('Contract'), 'The contract.'),
  refusals: [401, 403, 404, 429],
});

/** §4.7 */
export const updateContract = operation({
  operationId: 'updateContract',
  method: 'PATCH',
  path: '/v1/contracts/{reference}',
  ignoresUnknown: true,
  auth: 'account',
  scope: 'contracts:write',
  tag: 'Contracts',
  summary: 'Correct bookkeeping fields',
  description:
    'Replaces `order_reference`, `metadata`, or both. Money, status and the customer’s identity are not writable; other keys are ignored.',
  params: CONTRACT,
  body: ref('ContractUpdate'),
  success: ok(enveloped('Contract'), 'The updated contract.'),
  refusals: [401, 403, 404, 413, 415, 422, 429],
});

/** §4.8 */
export const cancelContract = operation({
  operationId: 'cancelContract',
  method: 'POST',
  path: '/v1/contracts/{reference}/cancel',
  ignoresUnknown: true,
  auth: 'account',
  scope: 'contracts:write',
  tag: 'Contracts',
  summary: 'End an active contract',
  description: [
    'No further installments are collected and nothing is refunded: paid installments stay paid, and what happens to that money is between merchant and customer. Cancelling again changes nothing.',
    '`contract.cancelled` is delivered to the subscribed webhook endpoints, and the merchant and the customer get an email.',
  ].join('\n\n'),
  params: CONTRACT,
  success: ok(enveloped('Contract'), 'The contract, now cancelled.'),
  refusals: [
    401,
    403,
    404,
    413,
    415,
    [422, 'The contract is completed, defaulted or still pending; or the body is not a JSON object.', RefusedOrInvalid],
    429,
  ],
});

/** The service's own operations, in the order of its document. */
export const SERVICE_OPERATIONS = [
  ping,
  getConfig,
  createSession,
  getCheckoutSession,
  getHostedSession,
  listContracts,
  getContract,
  updateContract,
  cancelContract,
] as const;

/** Whether the service has a route at this path, whatever its method. */
export const isServicePath = (pathname: string): boolean =>
  SERVICE_OPERATIONS.some(({ path }) => isOfPath(path, pathname));

/** The operation of a request to the service. */
export const serviceOperationAt = (method: string, pathname: string) =>
  SERVICE_OPERATIONS.find((each) => each.method === method && isOfPath(each.path, pathname));

const isOfPath = (path: string, pathname: string) =>
  new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);

/**
 * The routes of the service, with the ids of `asked`, such as `GET /v1/contract/LAY-1`, so that only the rest differs. Of one
 * whose id is empty, such as `POST /v1/contracts//cancel`, only those that lack it.
 */
export function routesLike(asked: string): string[] {
  const segments = asked.split('/');
  const filled = (path: string) =>
    path.split('/').map((segment, at) => (segment.startsWith('{') ? (segments[at] ?? segment) : segment));
  const lacking = SERVICE_OPERATIONS.filter(({ path }) => asked.endsWith(` ${path.replace(/\{\w+\}/, '')}`));
  if (lacking.length > 0) return lacking.map(({ method, path }) => `${method} ${path}`);
  return SERVICE_OPERATIONS.map(({ method, path }) => `${method} ${filled(path).join('/')}`);
}
