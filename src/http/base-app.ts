import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { createHostRule, hostRefusal, keepOut } from './access/guard.ts';
import { sendRefusal, toRefusal } from './answer/refusals.ts';
import type { HttpContext } from './context.ts';
import { cover } from './coverage.ts';
import { readBody } from './input/body.ts';
import { reportRequests } from './reporting.ts';
import { hasNoKey } from './routes/sim/dashboard-principal.ts';
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
  interface FastifyRequest {
    /** How often the state had been replaced when its handler began. */
    generation: number;
  }
}

/** An instance without routes: what applies to every request, whatever its route. */
export function createBaseApp(ctx: HttpContext, protocol: Protocol): FastifyInstance {
  const allowsHost = createHostRule(ctx.addresses);
  const app = fastify({
    bodyLimit: ctx.settings.body_limit_bytes,
    exposeHeadRoutes: true,
    forceCloseConnections: true,
    // Loading the routes waits for nothing, but a busy machine can take longer than Fastify's ten seconds.
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
  app.decorateRequest('bodyText', null);
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
  reportRequests(app, ctx);
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
