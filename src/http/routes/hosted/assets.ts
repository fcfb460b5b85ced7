import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../context.ts';

/** Style, script and icon of the pages. They are not cached across versions of the package. */
export function assets(app: FastifyInstance, { checkoutAssets, digest }: HttpContext) {
  for (const [name, { type, text }] of Object.entries(checkoutAssets)) {
    const etag = `"${Buffer.from(digest.sha256(text)).toString('base64url').slice(0, 16)}"`;
    app.get(`/assets/${name}`, async (request, reply) => {
      reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type(type).send(text);
    });
  }
}
