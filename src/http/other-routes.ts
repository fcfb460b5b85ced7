import type { FastifyInstance } from 'fastify';
import type { HttpContext } from './context.ts';
import { dashboard } from './routes/dashboard/index.ts';
import { documents } from './routes/documents.ts';
import { home } from './routes/home.ts';
import { hostedPages } from './routes/hosted/index.ts';
import { controlPlane } from './routes/sim/index.ts';
import { hasEmptyParameter, type Routes } from './unknown-routes.ts';

/** Every route but those of the service, and the refusal of unknown ones. */
export function otherRoutes(app: FastifyInstance, ctx: HttpContext, routes: Routes) {
  app.register(async (scope) => {
    // Before the body is read: for an unknown route, the body does not matter.
    scope.addHook('onRequest', async (request, reply) => routes.refuse(request, reply));
    scope.setNotFoundHandler((request, reply) => routes.refuse(request, reply));
  });
  app.register(async (scope) => {
    scope.addHook('onRequest', (request, reply, done) => {
      if (hasEmptyParameter(request)) routes.refuse(request, reply);
      else done();
    });
    scope.register((inner) => controlPlane(inner, ctx));
  });
  app.register((scope) => hostedPages(scope, ctx, routes));
  app.register((scope) => dashboard(scope, ctx));
  app.register((scope) => documents(scope, ctx, routes));
  app.register((scope) => home(scope, ctx));
}
