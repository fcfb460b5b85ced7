import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { CONTROL_OPERATIONS, resolved, SERVICE_OPERATIONS } from '../../operations/index.ts';
import { type Operation, parametersOf, responses } from '../../operations/operation.ts';
import { closed, printed as inPlace, namedIn, opened } from '../../operations/printed.ts';
import type { Schema } from '../../schema.ts';
import { exampleOf, refusalExamples, successExample } from './examples.ts';
import { webhooksOf } from './webhooks.ts';

/** §9 */
const INFO = {
  title: 'Layaway Checkout Service',
  version: '2.0.0',
  summary: 'Sell orders on a layaway plan: a down payment at checkout, the rest in scheduled installments.',
  description: `The merchant’s backend announces an order by opening a checkout session and sends the customer to its \`checkout_url\`. The quote, the acceptance of the plan, cards and payments all happen on that hosted page; the store learns of them through webhooks and by reading the session.

- **Bodies** are JSON. A successful response wraps its resource in \`data\`.
- **Money** is an integer number of cents. **Timestamps** are ISO 8601 date-times in UTC.
- **Modes**: the prefix of the API key decides. \`sk_test_\` is the sandbox, where nothing is charged; \`sk_live_\` is live. Neither mode sees data of the other.
- **Authentication**: \`X-Client-Id\` and \`X-Api-Key\` together, from the merchant’s backend only. A rejected pair gives 401, and the response does not say which half was wrong.
- **Rate limits** apply per source and per key; beyond them the response is 429 with \`Retry-After\`.

This document is served by a local simulator of the service: nothing here is ever charged, in either mode.`,
  license: { name: 'MIT', identifier: 'MIT' },
};

const TAGS = [
  { name: 'Merchant', description: 'The merchant of a key, and its terms.' },
  { name: 'Checkout sessions', description: 'An order on its way through the hosted checkout.' },
  { name: 'Hosted page', description: 'Read by the customer’s page, without a key.' },
  { name: 'Contracts', description: 'Agreements with their payment schedules: list, read, correct, cancel.' },
  { name: 'Webhooks', description: 'Events, as the service sends them to the endpoints of a merchant.' },
];

const CONTROL_INFO = {
  title: 'Layaway simulator: control plane',
  summary: 'Control of the simulator: move time, arrange failures, read the inbox, save and restore state.',
  description: `Account levers take the merchant’s own header pair, whatever its scopes; workspace levers take the control token. Bodies are JSON, and a field or a query parameter that is not named here is refused with 422. A successful response wraps its resource in \`data\`, except for the health check, this document, streams and pages. Every operation refuses a \`Host\` or an \`Origin\` of another server with 403. Lists are newest first; only faults are listed in the order in which they strike. \`after\` reads on from an id, oldest first.`,
  license: { name: 'MIT', identifier: 'MIT' },
};

const CONTROL_TAGS = [
  { name: 'Clock', description: 'Account time: read it, move it, forecast.' },
  { name: 'Checkout sessions', description: 'The steps of the hosted page as single requests.' },
  { name: 'Contracts', description: 'Payment attempts, arranged outcomes and settlements.' },
  { name: 'Events', description: 'Events in order; resend one.' },
  { name: 'Webhooks', description: 'Endpoints and deliveries.' },
  { name: 'Faults', description: 'Failures that strike requests and webhooks.' },
  { name: 'Coverage', description: 'The situations that a store has met, and its habits.' },
  { name: 'Emails', description: 'The inbox of an account.' },
  { name: 'Settings', description: 'Settings of an account and its merchant.' },
  { name: 'Keys', description: 'API keys.' },
  { name: 'Requests', description: 'Requests to `/v1`.' },
  { name: 'Explain', description: 'Why something happened, and what comes next.' },
  { name: 'Workspace', description: 'Merchants, platform, snapshots and reset.' },
  { name: 'Dashboard', description: 'For the dashboard; not meant for scripts.' },
];

const CONTROL_TOKEN = {
  type: 'http',
  scheme: 'bearer',
  description: 'The control token that `layaway serve` prints.',
};
const PAIR = { clientId: [], apiKey: [] };

/** §5 */
const SECURITY_SCHEMES = {
  clientId: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Client-Id',
    description:
      '`mch_test_` or `mch_live_` followed by 32 characters. Identifies the merchant in one mode; not a secret.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: '`sk_test_` or `sk_live_` followed by 32 characters, of the same mode as the client id. A secret.',
  },
};

/** The OpenAPI document of `/v1`. */
export function serviceDocument(baseUrl: string) {
  const paths = opened(pathsOf(SERVICE_OPERATIONS, ofService));
  const webhooks = opened(webhooksOf(printed));
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: baseUrl, description: 'The simulator.' }],
    security: [PAIR],
    tags: TAGS,
    paths,
    webhooks,
    components: { schemas: opened(namedIn([paths, webhooks], COMPONENTS)), securitySchemes: SECURITY_SCHEMES },
  };
}

/** The part of the control plane's document that is the same for every server. */
let control: { readonly paths: object; readonly schemas: object } | undefined;

function controlPlane() {
  const paths = pathsOf(CONTROL_OPERATIONS.map(withUsualRefusals), ofControlPlane);
  return { paths, schemas: closed(namedIn(paths, COMPONENTS)) };
}

/** The OpenAPI document of the control plane. */
export function controlDocument(baseUrl: string, version: string) {
  control ??= controlPlane();
  const { paths, schemas } = control;
  return {
    openapi: '3.1.0',
    info: { ...CONTROL_INFO, version },
    servers: [{ url: baseUrl, description: 'The simulator.' }],
    security: [PAIR],
    tags: CONTROL_TAGS,
    paths,
    components: {
      schemas,
      securitySchemes: { ...SECURITY_SCHEMES, controlToken: CONTROL_TOKEN },
    },
  };
}

/**
 * Adds what every operation but one refuses: unknown fields and query parameters (interface §13), and in a request that may
 * have a body, one that is too large or not JSON, even if the operation takes none (decisions §5).
 */
const withUsualRefusals = (operation: Operation): Operation => {
  const { ignoresUnknown, method, refusals } = operation;
  if (ignoresUnknown) return operation;
  const listed: readonly number[] = responses(operation).map(({ status }) => status);
  const isNew = (status: number) => !listed.includes(status);
  const ofBody = method === 'GET' ? [] : ([413, 415] as const).filter(isNew);
  const what = method === 'GET' ? 'A query parameter' : 'A field or a query parameter';
  const unknown = [422, `${what} is not known.`] as const;
  return { ...operation, refusals: [...refusals, ...ofBody, ...(isNew(422) ? [unknown] : [])] };
};

function pathsOf(operations: readonly Operation[], own: (operation: Operation) => Own) {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation, own(operation)) };
  }
  return paths;
}

/** What differs between the two documents. */
interface Own {
  readonly description: string;
  readonly security: object;
  headersOf(status: number): object | undefined;
  examplesOf(status: number): object;
}

const ofService = (operation: Operation): Own => ({
  description: `${operation.description}\n\n${operation.scope ? `Scope: \`${operation.scope}\`.` : 'Needs no key.'}`,
  security: operation.auth === 'none' ? { security: [] } : {},
  headersOf: (status) => headersOf(operation, status),
  examplesOf: (status) =>
    status === operation.success.status
      ? { example: successExample(operation) }
      : { examples: refusalExamples(operation, status) },
});

const CONTROL_SECURITY = { account: {}, workspace: { security: [{ controlToken: [] }] }, none: { security: [] } };

/** With the control token, the client id alone names the account. */
const PAIR_OR_TOKEN = { security: [PAIR, { controlToken: [], clientId: [] }] };

const ofControlPlane = ({ description = '', summary, auth, orToken }: Operation): Own => ({
  description: description || `${summary}.`,
  security: orToken ? PAIR_OR_TOKEN : CONTROL_SECURITY[auth],
  headersOf: () => undefined,
  examplesOf: () => ({}),
});

function describe(operation: Operation, { description, security, headersOf, examplesOf }: Own) {
  const { operationId, summary, tag, query, headers, body } = operation;
  const pathParameters = Type.Object(parametersOf(operation));
  const parameters = [
    ...described('path', pathParameters),
    ...described('query', query),
    ...described('header', headers),
  ];
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...security,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(operation, body) } : {}),
    responses: Object.fromEntries(
      responses(operation).map(({ status, description, schema }) => [
        status,
        {
          description,
          headers: headersOf(status),
          ...(status === 204
            ? {}
            : { content: { [typeOf(operation, status)]: { schema: printed(schema), ...examplesOf(status) } } }),
        },
      ]),
    ),
  };
}

const typeOf = ({ success }: Operation, status: number) =>
  (status === success.status ? success.type : undefined) ?? 'application/json';

/** A body with only optional fields may be omitted, unless `needsBody`: it counts as `{}` (decisions §5). */
function requestBody({ needsBody }: Operation, body: TSchema) {
  const { required = [] }: Schema = resolved(body);
  return {
    required: needsBody === true || required.length > 0,
    content: {
      'application/json': {
        schema: printed(body),
        example: exampleOf(body),
      },
    },
  };
}

const count = (description: string, minimum = 0) => ({ description, schema: { type: 'integer', minimum } });
const LIMITS = {
  'X-RateLimit-Limit': count('Requests allowed in a minute. Absent when the simulator has no rate limits.', 1),
  'X-RateLimit-Remaining': count('Requests left in this minute. Absent when the simulator has no rate limits.'),
};
const REPLAYED = {
  'Idempotent-Replayed': {
    description: 'Present when the key was used before and this is the session it opened then.',
    schema: { type: 'string', enum: ['true'] },
  },
};
const REFUSED = {
  'Retry-After': { required: true, ...count('Seconds until the next request is allowed.') },
  'X-RateLimit-Limit': { required: true, ...count('Requests allowed in a minute.', 1) },
  'X-RateLimit-Remaining': { required: true, ...count('Requests left in this minute.') },
  'X-RateLimit-Reset': { required: true, ...count('When the next request is allowed, in Unix seconds.', 1) },
};

const UNCACHED = {
  'Cache-Control': { description: 'The state of a checkout changes.', schema: { type: 'string', enum: ['no-store'] } },
};

function headersOf({ success, headers, auth }: Operation, status: number) {
  if (status === 429) return REFUSED;
  return {
    ...(status === success.status && headers ? REPLAYED : {}),
    ...(auth === 'none' ? UNCACHED : {}),
    ...LIMITS,
  };
}

function described(where: 'path' | 'query' | 'header', schema: TSchema | undefined) {
  const { properties = {}, required = [] }: Schema = schema ?? {};
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: required.includes(name),
    description,
    schema: printed(rest),
  }));
}

const COMPONENTS = '#/components/schemas/';
const printed = (value: unknown) => inPlace(value, COMPONENTS);
