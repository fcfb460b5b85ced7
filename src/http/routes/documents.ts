import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../context.ts';

/** The machine-readable description. Printed when first asked for: few runs need it, and a start should not pay for it. */
export async function documents(app: FastifyInstance, ctx: HttpContext) {
  let document: Promise<string> | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    document ??= import('../openapi.ts').then(async ({ openapi }) => JSON.stringify(await openapi(ctx), null, 2));
    return reply.type('application/json; charset=utf-8').send(await document);
  });
}
