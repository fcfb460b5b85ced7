import fastify from 'fastify';
import type { TSchema } from 'typebox';
import type { HttpContext } from './context.ts';
import { type Operation, responses } from './operation.ts';
import { v1 } from './routes/v1/index.ts';
import { NAMED } from './schemas.ts';

/** The version of the description itself (§9). */
const VERSION = '2.0.0';

/** The OpenAPI document of `/v1`, printed from the schemas that its routes validate and answer with. */
export async function openapi(ctx: HttpContext): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, url, operation } of await operationsOf(ctx)) {
    const path = url.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Layaway Checkout Service', version: VERSION },
    servers: [{ url: ctx.base.url }],
    security: [{ clientId: [], apiKey: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(NAMED.map((schema) => [(schema as { $id?: string }).$id, printed(schema)])),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const SECURITY_SCHEMES = {
  clientId: { type: 'apiKey', in: 'header', name: 'X-Client-Id' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
};

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
    description,
    tags: [tag],
    ...(scope === null ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: printed(body) } } } } : {}),
    responses: Object.fromEntries(
      responses(operation).map(({ status, description, schema }) => [
        status,
        { description, ...headersOf(status), content: { 'application/json': { schema: printed(schema) } } },
      ]),
    ),
  };
}

const HEADERS = {
  'Retry-After': {
    required: true,
    description: 'Seconds until the next request is allowed.',
    schema: { type: 'integer', minimum: 1 },
  },
};

const headersOf = (status: number) => (status === 429 ? { headers: HEADERS } : {});

function parametersOf(where: 'path' | 'query' | 'header', schema: TSchema | undefined) {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { description?: string }>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: printed(rest),
  }));
}

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
