import fastify from 'fastify';
import type { TSchema } from 'typebox';
import type { HttpContext } from './context.ts';
import { exampleOf, refusalExamples, successExample } from './examples.ts';
import { type Operation, responses } from './operation.ts';
import { v1 } from './routes/v1/index.ts';
import { NAMED } from './schemas.ts';

/** §9 */
const INFO = {
  title: 'Layaway Checkout Service',
  version: '2.0.0',
  summary: 'Sell orders on a layaway plan: a down payment at checkout, the rest in scheduled installments.',
  description: `The merchant’s backend announces an order by opening a checkout session and sends the customer to its \`checkout_url\`. The quote, the acceptance of the plan, cards and payments all happen on that hosted page; the store learns of them through webhooks and by reading the session.

- **Bodies** are JSON. A success wraps its resource in \`data\`.
- **Money** is an integer number of cents. **Timestamps** are ISO 8601 date-times in UTC.
- **Modes**: the prefix of the API key decides. \`sk_test_\` is the sandbox, where nothing is charged; \`sk_live_\` is live. Neither sees anything of the other.
- **Authentication**: \`X-Client-Id\` and \`X-Api-Key\` together, from the merchant’s backend only. A rejected pair answers 401 without saying which half was wrong.
- **Rate limits** hold per source and per key; beyond them the answer is 429 with \`Retry-After\`.

This document is served by a local simulator of the service: nothing here is ever charged, in either mode.`,
  license: { name: 'MIT', identifier: 'MIT' },
};

const TAGS = [
  { name: 'Merchant', description: 'Whom a key speaks for, and the terms it may sell at.' },
  { name: 'Checkout sessions', description: 'An order on its way through the hosted checkout.' },
  { name: 'Hosted page', description: 'What the customer’s page reads, without a key.' },
  { name: 'Contracts', description: 'Agreements with their payment schedules: list, read, correct, cancel.' },
];

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

/** The OpenAPI document of `/v1`, printed from the schemas that its routes validate and answer with. */
export async function openapi(ctx: HttpContext): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, url, operation } of await operationsOf(ctx)) {
    const path = url.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: ctx.base.url, description: 'The simulator.' }],
    security: [{ clientId: [], apiKey: [] }],
    tags: TAGS,
    paths,
    components: {
      schemas: Object.fromEntries(NAMED.map((schema) => [nameOf(schema), printed(schema)])),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** Registers the routes once more, on an app that never listens, and reads what they say of themselves. */
async function operationsOf(ctx: HttpContext) {
  const operations: { method: string; url: string; operation: Operation }[] = [];
  const app = fastify({ exposeHeadRoutes: false });
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.operation) operations.push({ method: String(method), url, operation: config.operation });
  });
  app.register((scope) => v1(scope, ctx));
  await app.ready();
  await app.close();
  return operations;
}

function describe(operation: Operation) {
  const { operationId, summary, description, tag, scope, params, querystring, headers, body } = operation;
  const parameters = [
    ...parametersOf('path', params),
    ...parametersOf('query', querystring),
    ...parametersOf('header', headers),
  ];
  return {
    operationId,
    summary,
    description: `${description}\n\n${scope === null ? 'Needs no key.' : `Scope: \`${scope}\`.`}`,
    tags: [tag],
    ...(scope === null ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body) } : {}),
    responses: Object.fromEntries(
      responses(operation).map(({ status, description, schema }) => [
        status,
        {
          description,
          headers: headersOf(operation, status),
          content: {
            'application/json': {
              schema: printed(schema),
              ...(status === operation.success.status
                ? { example: successExample(operation) }
                : { examples: refusalExamples(operation, status) }),
            },
          },
        },
      ]),
    ),
  };
}

/** A body whose fields are all optional may be left out: none counts as `{}` (decisions §5). */
function requestBody(body: TSchema) {
  const named = NAMED.find((schema) => nameOf(schema) === (body as { $ref?: string }).$ref);
  const { required = [] } = (named ?? body) as { required?: readonly string[] };
  return {
    required: required.length > 0,
    content: { 'application/json': { schema: printed(body), example: exampleOf(body) } },
  };
}

const count = (description: string, minimum = 0) => ({ description, schema: { type: 'integer', minimum } });
const LIMITS = {
  'X-RateLimit-Limit': count('Requests allowed in a minute. Absent when the simulator limits nothing.', 1),
  'X-RateLimit-Remaining': count('Requests left in this minute. Absent when the simulator limits nothing.'),
};
const REPLAYED = {
  'Idempotent-Replayed': {
    description: 'Present when the key was used before and this is the session it opened then.',
    schema: { type: 'string', enum: ['true'] },
  },
};
const REFUSED = {
  'Retry-After': { required: true, ...count('Seconds until the next request is allowed.', 1) },
  'X-RateLimit-Limit': { required: true, ...count('Requests allowed in a minute.', 1) },
  'X-RateLimit-Remaining': { required: true, ...count('Requests left in this minute.') },
  'X-RateLimit-Reset': { required: true, ...count('When the next request is allowed, in Unix seconds.', 1) },
};

/** Undefined, and so not printed, where a status has none. */
function headersOf({ success, headers }: Operation, status: number) {
  if (status === 429) return REFUSED;
  if (status !== success.status) return undefined;
  return headers ? { ...REPLAYED, ...LIMITS } : LIMITS;
}

function parametersOf(where: 'path' | 'query' | 'header', schema: TSchema | undefined) {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { description?: string }>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: required.includes(name),
    description,
    schema: printed(rest),
  }));
}

const nameOf = (schema: TSchema) => (schema as { $id?: string }).$id;

/** A schema as the document holds it: without its `$id`, its references pointing at the components. */
function printed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(printed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '$id')
      .map(([key, inner]) => [key, key === '$ref' ? `#/components/schemas/${inner}` : printed(inner)]),
  );
}
