import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { hostRefusal, keepOut } from './access/guard.ts';
import { refusalBody, STATUS, sendRefusal, toRefusal } from './answer/refusals.ts';
import { createTogether } from './answer/together.ts';
import { clientIdOf } from './attribution.ts';
import type { HttpContext } from './context.ts';
import { readBody } from './input/body.ts';
import { pathOf } from './input/path.ts';
import { dashboard } from './routes/dashboard/index.ts';
import { documents } from './routes/documents.ts';
import { front } from './routes/front.ts';
import { hostedPages } from './routes/hosted/index.ts';
import { controlPlane } from './routes/sim/index.ts';
import { v1 } from './routes/v1/index.ts';
import { createProtocol } from './server/protocol.ts';

/** Longer than a request line that Node accepts, so that an id of any length is a resource not found. */
const PARAMETER_MAX = 65_536;

/**
 * Bodies are checked where a rule's turn comes (`validate.ts`), and the views make exactly the keys of their schema:
 * Fastify's own compilers would only slow the start. The tests hold every answer against the printed schemas.
 */
const COMPILERS = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => JSON.stringify,
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/** The whole HTTP surface, not yet listening. */
export function createApp(ctx: HttpContext): FastifyInstance {
  const protocol = createProtocol(ctx.settings.request_timeout_seconds, ctx.endOfTurn);
  const app = fastify({
    bodyLimit: ctx.settings.body_limit_bytes,
    exposeHeadRoutes: true,
    forceCloseConnections: true,
    routerOptions: {
      maxParamLength: PARAMETER_MAX,
      onBadUrl: (path, { headers }, response) =>
        refuseRaw(response, hostRefusal(headers.host, ctx.allowsHost) ?? notFound(path)),
    },
    ...protocol.options,
    schemaController: { compilersFactory: COMPILERS },
  });

  const routes = collectRoutes(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, raw, done) => {
    try {
      done(null, readBody(request, raw as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error, request, ctx.settings.body_limit_bytes);
    if (refusal?.is('disk_full')) ctx.fault(refusal);
    if (refusal) return sendRefusal(reply, refusal);
    ctx.fault(error);
    return reply
      .code(500)
      .serializer(JSON.stringify)
      .type('application/json; charset=utf-8')
      .send({ message: 'Server Error' });
  });
  watch(app, ctx);
  protocol.serve(app);
  keepOut(app, ctx.allowsHost);

  const refuse = async (request: FastifyRequest, reply: FastifyReply) => refuseRoute(request, reply, routes);
  app.register(async (scope) => {
    // Before the body is read: a route that is not there has nothing to say about it.
    scope.addHook('onRequest', refuse);
    scope.setNotFoundHandler(refuse);
  });
  app.register(async (scope) => {
    // To the router `/v1/contracts/` is a contract whose reference is empty; to everybody else it is no route.
    scope.addHook('onRequest', (request, reply, done) => {
      if (Object.values(request.params as object).includes('')) refuse(request, reply).catch(done);
      else done();
    });
    scope.register((inner) => v1(inner, ctx));
    scope.register((inner) => controlPlane(inner, ctx));
  });
  app.register((scope) => hostedPages(scope, ctx));
  app.register((scope) => dashboard(scope, ctx));
  app.register((scope) => documents(scope, ctx));
  app.register((scope) => front(scope, ctx));
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked for by a page on its own: nobody who watches wants to know. */
    quiet?: boolean;
  }
  interface FastifyReply {
    /** What was sent, for the request log. */
    sentText: string | null;
    /** Whether whoever watches was told of it. */
    isTold: boolean;
  }
  interface FastifyInstance {
    /** Tells whoever watches of a request, which the end of its response does too. */
    tellOf(request: FastifyRequest, reply: FastifyReply): void;
  }
}

/** What somebody asked for is told to whoever watches; what was asked of the service itself is logged with its bodies. */
function watch(app: FastifyInstance, { endOfTurn, observe, realNow, requestLog, store }: HttpContext) {
  const together = createTogether(endOfTurn);
  app.decorateReply('sentText', null);
  app.decorateReply('isTold', false);
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload === 'string') reply.sentText = payload;
    // An answer may tell of rows that are written but not committed yet, its own or another request's.
    const committed = store.committed();
    if (committed) committed.then(() => done(), done);
    else together(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    tell(request, reply);
    done();
  });
  app.decorate('tellOf', tell);

  /** Once: a connection that a fault closes has no response. */
  function tell(request: FastifyRequest, reply: FastifyReply) {
    if (reply.isTold) return;
    reply.isTold = true;
    const { method, url: path, headers, strike } = request;
    const fault = strike?.fault ?? null;
    const status = fault?.kind === 'lost_request' ? null : reply.statusCode;
    const line = { at: realNow(), method, path, status, durationMs: reply.elapsedTime, fault };
    if (!isQuiet(request)) observe(line);
    if (pathOf(path).startsWith('/v1')) {
      requestLog.add({
        ...line,
        requestHeaders: headers,
        requestBody: request.body,
        responseBody: reply.sentText,
        clientId: clientIdOf(request, store),
      });
    }
  }
}

/** A page that keeps itself up to date asks often: the open checkout, and all that the dashboard reads. */
const isQuiet = ({ method, headers, routeOptions }: FastifyRequest) =>
  routeOptions.config.quiet === true || (method === 'GET' && headers['x-layaway-account'] !== undefined);

interface KnownRoute {
  readonly pattern: RegExp;
  readonly methods: string[];
}

/** Notes every route as it is registered, to tell a wrong method from a wrong path. */
function collectRoutes(app: FastifyInstance): () => KnownRoute[] {
  const registered: [method: string, url: string][] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) registered.push([name, url]);
  });
  let known: KnownRoute[] | undefined;
  return () => {
    if (!known) {
      const methods = new Map<string, Set<string>>();
      for (const [method, url] of registered) methods.set(url, (methods.get(url) ?? new Set()).add(method));
      known = [...methods].map(([url, names]) => ({ pattern: patternOf(url), methods: [...names].sort() }));
    }
    return known;
  };
}

const patternOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

function refuseRoute(request: FastifyRequest, reply: FastifyReply, routes: () => KnownRoute[]) {
  const path = pathOf(request.url);
  const allowed = routes().find(({ pattern }) => pattern.test(path))?.methods;
  const name = path === '/' ? path : path.slice(1);
  if (!allowed) return sendRefusal(reply, new Refusal('route_not_found', name));
  return sendRefusal(reply, new Refusal('method_not_allowed', request.method, name, allowed.join(', ')));
}

interface RawResponse {
  writeHead(status: number, headers: Record<string, string>): void;
  end(body: string): void;
}

/** A path that cannot be decoded never reaches Fastify's replies. */
function refuseRaw(response: RawResponse, refusal: Refusal) {
  response.writeHead(STATUS[refusal.code], { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(refusalBody(refusal)));
}

const notFound = (path: string) => new Refusal('route_not_found', pathOf(path).slice(1));
