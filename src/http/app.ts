import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { createHostRule, hostRefusal, keepOut } from './access/guard.ts';
import { createActing } from './acting.ts';
import { refusalBody, STATUS, sendRefusal, toRefusal } from './answer/refusals.ts';
import { createTogether } from './answer/together.ts';
import { clientIdOf } from './attribution.ts';
import type { HttpContext } from './context.ts';
import { cover } from './coverage.ts';
import { readBody } from './input/body.ts';
import { pathOf } from './input/path.ts';
import { dashboard } from './routes/dashboard/index.ts';
import { documents } from './routes/documents.ts';
import { front } from './routes/front.ts';
import { hostedPages } from './routes/hosted/index.ts';
import { controlPlane } from './routes/sim/index.ts';
import { v1 } from './routes/v1/index.ts';
import { createProtocol } from './server/protocol.ts';

/** Longer than any request line that Node accepts, so that an overlong id is answered with 404 like any unknown one. */
const PARAMETER_MAX = 65_536;

/**
 * `validate.ts` checks bodies in the order of the rules, and views make exactly the keys of their schemas. Fastify's
 * own compilers would only slow down the start. The tests compare every answer with the printed schemas.
 */
const COMPILERS = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => JSON.stringify,
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/** Builds the whole HTTP server; it does not listen yet. */
export function createApp(ctx: HttpContext): FastifyInstance {
  const allowsHost = createHostRule(ctx.addresses);
  const protocol = createProtocol(ctx.settings.request_timeout_seconds, ctx.endOfTurn);
  const app = fastify({
    bodyLimit: ctx.settings.body_limit_bytes,
    exposeHeadRoutes: true,
    forceCloseConnections: true,
    routerOptions: {
      maxParamLength: PARAMETER_MAX,
      onBadUrl: (path, { headers }, response) =>
        refuseRaw(response, hostRefusal(headers.host, allowsHost) ?? notFound(path)),
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
  cover(app, ctx);
  watch(app, ctx);
  passOn(app, ctx);
  protocol.serve(app);
  keepOut(app, allowsHost);

  const refuse = async (request: FastifyRequest, reply: FastifyReply) => refuseRoute(request, reply, routes);
  app.register(async (scope) => {
    // Before the body is read: for an unknown route, the body does not matter.
    scope.addHook('onRequest', refuse);
    scope.setNotFoundHandler(refuse);
  });
  app.register(async (scope) => {
    // The router takes `/v1/contracts/` for a contract with an empty reference. It is an unknown route.
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
    /** Sent by a page on its own, so it is not reported to watchers. */
    quiet?: boolean;
  }
  interface FastifyReply {
    /** The request body, for the request log. */
    sentText: string | null;
    /** Whether watchers were notified. */
    isTold: boolean;
  }
  interface FastifyInstance {
    /** Notifies watchers of a request before its response ends. */
    tellOf(request: FastifyRequest, reply: FastifyReply): void;
  }
}

/** Answers the requests of a throw-away merchant in its own workspace. Nothing else records them. */
function passOn(app: FastifyInstance, { throwAways }: HttpContext) {
  app.addHook('onRequest', ({ headers, raw }, reply, done) => {
    if (!throwAways.answers(headers['x-client-id'], raw, reply.raw)) return done();
    reply.isTold = true;
    reply.hijack();
  });
  app.addHook('onClose', () => throwAways.close());
}

/** Reports requests to watchers, and logs requests to the service with their bodies. */
function watch(app: FastifyInstance, ctx: HttpContext) {
  const { clocks, endOfTurn, observe, realNow, requestLog, store } = ctx;
  const acting = createActing(ctx);
  app.decorateRequest('lever', null);
  app.decorateRequest('replaced', null);
  const together = createTogether(endOfTurn);
  app.decorateReply('sentText', null);
  app.decorateReply('isTold', false);
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload === 'string') reply.sentText = payload;
    // An answer may show rows, its own or another request's, that are written but not committed yet. This refusal shows none.
    const committed = reply.refusal?.is('disk_full') ? null : store.committed();
    if (committed) committed.then(() => done(), done);
    else together(done);
  });
  let isClosing = false;
  app.addHook('onClose', (_app, done) => {
    isClosing = true;
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    try {
      tell(request, reply);
    } catch (error) {
      // The request is answered, so Fastify would not report it. After the server has closed, there is no log to write to.
      if (!isClosing) ctx.fault(error);
    }
    done();
  });
  app.decorate('tellOf', tell);

  /** A reset or a restore may have removed the account in the meantime. */
  const isThere = (principal?: FastifyRequest['principal'] | null) =>
    principal != null && store.accounts.find(principal.account.clientId)?.id === principal.account.id;

  /** Runs once per request: a connection that a fault closes has no response. */
  function tell(request: FastifyRequest, reply: FastifyReply) {
    if (reply.isTold) return;
    reply.isTold = true;
    const { method, url: path, headers, strike } = request;
    const fault = strike?.fault ?? null;
    const status = fault?.kind === 'lost_request' ? null : reply.statusCode;
    const line = { at: realNow(), method, path, status, durationMs: reply.elapsedTime, fault };
    if (pathOf(path).startsWith('/v1')) {
      const { principal } = request;
      requestLog.add(
        {
          ...line,
          ...(isThere(principal) && { clockAt: clocks.now(principal.account.id) }),
          requestHeaders: headers,
          requestBody: request.body,
          responseBody: reply.sentText,
          clientId: clientIdOf(request, store),
        },
        request.logNumber ?? requestLog.nextNumber(),
      );
    } else if (method !== 'GET') acting.note(request, reply.statusCode);
    if (!isQuiet(request)) observe(line);
  }
}

/** Requests that a page repeats to stay up to date: the open checkout, and everything that the dashboard reads. */
const isQuiet = ({ method, headers, routeOptions }: FastifyRequest) =>
  routeOptions.config.quiet === true || (method === 'GET' && headers['x-layaway-account'] !== undefined);

interface KnownRoute {
  readonly pattern: RegExp;
  readonly methods: string[];
}

/** Collects every route as it is registered, to tell a wrong method from a wrong path. */
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

/** Answers a path that cannot be decoded, for which Fastify makes no reply object. */
function refuseRaw(response: RawResponse, refusal: Refusal) {
  response.writeHead(STATUS[refusal.code], { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(refusalBody(refusal)));
}

const notFound = (path: string) => new Refusal('route_not_found', pathOf(path).slice(1));
