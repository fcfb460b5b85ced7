import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { createHostRule, hostRefusal, keepOut } from './access/guard.ts';
import { createActing } from './acting.ts';
import { sendRefusal, toRefusal } from './answer/refusals.ts';
import { createTogether } from './answer/together.ts';
import { clientIdOf } from './attribution.ts';
import type { HttpContext } from './context.ts';
import { cover } from './coverage.ts';
import { readBody } from './input/body.ts';
import { pathOf } from './input/path.ts';
import { maskedText } from './log/masked.ts';
import { hasNoKey } from './routes/sim/visitor.ts';
import type { Protocol } from './server/protocol.ts';
import { leadRaw, notFound, refuseRaw } from './unknown-routes.ts';

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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sent by a page on its own, so it is not reported to watchers. */
    quiet?: boolean;
  }
  interface FastifyRequest {
    /** How often the state had been replaced when its handler began. */
    generation: number;
    /** Where the account's clock stood when the request was carried out, once there is an answer. */
    clockAt: number | undefined;
  }
  interface FastifyReply {
    /** The body of the answer, for the request log. */
    sentText: string | null;
    /** Whether watchers were notified. */
    isTold: boolean;
  }
  interface FastifyInstance {
    /** Notifies watchers of a request before its response ends. */
    tellOf(request: FastifyRequest, reply: FastifyReply): void;
  }
}

/** An instance without routes: what every request meets, whichever route it asks for. */
export function createFrame(ctx: HttpContext, protocol: Protocol): FastifyInstance {
  const allowsHost = createHostRule(ctx.addresses);
  const app = fastify({
    bodyLimit: ctx.settings.body_limit_bytes,
    exposeHeadRoutes: true,
    forceCloseConnections: true,
    // Routes wait for nobody but a busy machine, which can hold them up for longer than Fastify's ten seconds.
    pluginTimeout: 0,
    routerOptions: {
      maxParamLength: PARAMETER_MAX,
      onBadUrl(path, { headers }, response) {
        const refusal = hostRefusal(headers.host, allowsHost);
        if (!refusal && path.startsWith('/dashboard/')) return leadRaw(response, '/dashboard');
        refuseRaw(response, refusal ?? notFound(path));
      },
    },
    ...protocol.options,
    schemaController: { compilersFactory: COMPILERS },
  });
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
    // A client that still sends would be cut off before it reads the answer. Node reads the rest and drops it.
    if (refusal?.is('body_too_large')) reply.removeHeader('connection');
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
  protocol.check(app);
  keepOut(app, allowsHost);
  stay(app, ctx);
  return app;
}

/**
 * While the body of a request arrives, its key can be revoked, and a reset or restore can remove its account. Another
 * account may have its row id then. So the request is refused as if it came later.
 */
function stay(app: FastifyInstance, { engine, store }: HttpContext) {
  app.decorateRequest('generation', 0);
  app.addHook('preHandler', (request, _reply, done) => {
    request.generation = engine.journal.generation();
    const { principal } = request;
    if (!principal) return done();
    const account = store.accounts.find(principal.account.clientId);
    if (account?.id !== principal.account.id) return done(new Refusal('unauthenticated'));
    const key = hasNoKey(principal) ? principal.key : engine.heldKey(account, principal.key.hash);
    if (!key) return done(new Refusal('unauthenticated'));
    request.principal = { account, key };
    done();
  });
}

/** Answers the requests of a throw-away merchant in its own workspace. Nothing else records them. */
function passOn(app: FastifyInstance, { throwAways }: HttpContext) {
  app.addHook('onRequest', ({ headers, raw }, reply, done) => {
    if (!throwAways.answers(headers['x-client-id'], raw, reply.raw)) return done();
    reply.isTold = true;
    reply.hijack();
  });
}

/** Reports requests to watchers, and logs requests to the service with their bodies. */
function watch(app: FastifyInstance, ctx: HttpContext) {
  const { clocks, endOfTurn, observe, realNow, requestLog, store } = ctx;
  const acting = createActing(ctx);
  app.decorateRequest('bodyText', null);
  app.decorateRequest('lever', null);
  app.decorateRequest('replaced', null);
  const together = createTogether(endOfTurn);
  app.decorateReply('sentText', null);
  app.decorateReply('isTold', false);
  app.decorateRequest('clockAt', undefined);
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string') reply.sentText = payload;
    if (isOfService(request)) takePlace(request);
    if (reply.raw.socket === null) reportIfUnsent(request, reply);
    // An answer may show rows, its own or another request's, that are written but not committed yet. This refusal shows none.
    const committed = reply.refusal?.is('disk_full') ? null : store.committed();
    if (committed) committed.then(() => done(), done);
    else together(done);
  });
  /** After the server has closed, there is nothing to write to. */
  let isClosing = false;
  app.addHook('onClose', (_app, done) => {
    isClosing = true;
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    report(request, reply);
    done();
  });
  app.decorate('tellOf', tell);

  function report(request: FastifyRequest, reply: FastifyReply) {
    try {
      tell(request, reply);
    } catch (error) {
      // The request is answered, so Fastify would not report it.
      if (!isClosing) ctx.fault(error);
    }
  }

  /** An answer that waits for an earlier one on its connection is never sent if that one is hung up. */
  function reportIfUnsent(request: FastifyRequest, reply: FastifyReply) {
    const hungUp = () => report(request, reply);
    if (request.raw.socket.destroyed) endOfTurn(hungUp);
    else reply.raw.once('close', hungUp);
  }

  /** The account's clock. None if a reset or a restore has removed the account in the meantime. */
  function clockAt(clientId: string | null, principal: FastifyRequest['principal']): number | undefined {
    const account = clientId === null ? null : store.accounts.find(clientId);
    return account && (principal?.account ?? account).id === account.id ? clocks.now(account.id) : undefined;
  }

  /** The clock may move on while the answer is on its way, and so may the log. */
  function takePlace(request: FastifyRequest) {
    request.logNumber ??= requestLog.nextNumber();
    request.clockAt = clockAt(clientIdOf(request, store), request.principal);
  }

  /** Runs once per request: a connection that a fault closes has no response. */
  function tell(request: FastifyRequest, reply: FastifyReply) {
    if (reply.isTold) return;
    reply.isTold = true;
    const { method, url: path, headers, strike } = request;
    const fault = strike?.fault ?? null;
    const status = fault?.kind === 'lost_request' ? null : reply.statusCode;
    const at = realNow();
    const durationMs = reply.elapsedTime;
    if (isOfService(request)) {
      const clientId = clientIdOf(request, store);
      requestLog.add(
        {
          at,
          clockAt: request.clockAt ?? clockAt(clientId, request.principal),
          method,
          path,
          status,
          durationMs,
          fault,
          limit: request.limit,
          requestHeaders: headers,
          requestBody: request.body,
          requestText: request.bodyText,
          responseBody: reply.sentText,
          clientId,
        },
        request.logNumber ?? requestLog.nextNumber(),
      );
    } else acting.note(request, reply.statusCode);
    if (!isQuiet(request)) observe({ at, method, path: maskedText(path), status, durationMs, fault });
  }
}

const isOfService = ({ url }: FastifyRequest) => pathOf(url).startsWith('/v1');

/** Requests that a page repeats to stay up to date: the open checkout, and everything that the dashboard reads. */
const isQuiet = ({ method, headers, routeOptions }: FastifyRequest) =>
  routeOptions.config.quiet === true || (method === 'GET' && headers['x-layaway-account'] !== undefined);
