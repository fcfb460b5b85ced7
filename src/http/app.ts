import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createBaseApp } from './base-app.ts';
import type { HttpContext } from './context.ts';
import { v1 } from './routes/v1/index.ts';
import { createProtocol } from './server/protocol.ts';
import { createRoutes, hasEmptyParameter } from './unknown-routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether something of the workspace has that id. */
    knows(id: string): boolean;
  }
}

/**
 * Builds the HTTP server; it does not listen yet. Only the service is there from the start. All other routes take several
 * times as long to build, so an instance beside it gets them with the first request that the service does not answer.
 */
export function createApp(ctx: HttpContext): FastifyInstance {
  const protocol = createProtocol(ctx.settings.request_timeout_seconds, ctx.endOfTurn);
  const routes = createRoutes();
  const app = createBaseApp(ctx, protocol);
  protocol.follow(app.server);
  app.decorate('knows', (id) => ctx.store.ownerOf.id(id) !== null);
  let building: Promise<FastifyInstance> | undefined;

  async function build() {
    const { otherRoutes } = await import('./other-routes.ts');
    const instance = createBaseApp(ctx, protocol);
    routes.collect(instance);
    otherRoutes(instance, ctx, routes);
    await instance.ready();
    return instance;
  }

  function handOver(instance: FastifyInstance, { raw }: FastifyRequest, reply: FastifyReply) {
    // The other instance reports the request.
    reply.isTold = true;
    reply.hijack();
    instance.routing(raw, reply.raw);
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && !hasEmptyParameter(request)) return done();
    building ??= build().catch((error) => {
      // It may have been for lack of file handles, which does not last.
      building = undefined;
      throw error;
    });
    building.then((instance) => {
      if (!request.raw.destroyed) handOver(instance, request, reply);
    }, done);
  });
  // Before the connections are closed, because their advances are answered.
  app.addHook('preClose', ctx.throwAways.close);
  app.addHook('onClose', async () => {
    await (await building?.catch(() => undefined))?.close();
  });
  routes.collect(app);
  app.register((scope) => v1(scope, ctx));
  return app;
}
