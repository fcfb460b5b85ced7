import type { FastifyInstance } from 'fastify';
import { createAssets } from '../../answer/asset.ts';
import type { HttpContext } from '../../context.ts';

/** Style, script and icon of the pages. They are not cached across versions of the package. */
export function assets(app: FastifyInstance, ctx: HttpContext) {
  const asset = createAssets(ctx);
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
    });
    for (const [name, { type, text }] of Object.entries(ctx.checkoutAssets)) {
      scope.get(`/assets/${name}`, asset(type, text));
    }
  });
}
