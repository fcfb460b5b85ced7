import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../context.ts';
import { indexOf, MARKDOWN, markdownOf } from '../docs/markdown.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/**
 * Serves the OpenAPI document, the page that renders it and the documentation as Markdown. What is large is loaded on the
 * first request, because few runs need it and it would slow down the start.
 */
export async function documents(app: FastifyInstance, ctx: HttpContext) {
  let document: Promise<string> | undefined;
  const printed = (value: object) => JSON.stringify(value, null, 2);
  app.get('/openapi.json', async (_request, reply) => {
    document ??= import('../docs/openapi.ts').then(({ serviceDocument }) => printed(serviceDocument(ctx.base.url)));
    return reply.type('application/json; charset=utf-8').send(await document);
  });

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });
  app.get('/docs', async (_request, reply) => {
    const { PAGE, POLICY } = await import('../docs/reference.ts');
    return reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE);
  });
  app.get('/docs/assets/start.js', async (_request, reply) => {
    const { START } = await import('../docs/reference.ts');
    return reply.type(JAVASCRIPT).send(START);
  });

  app.get('/llms.txt', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(indexOf(ctx.base.url, ctx.version)),
  );
  for (const path of Object.keys(MARKDOWN)) {
    app.get(path, async (_request, reply) => reply.type('text/markdown; charset=utf-8').send(await markdownOf(path)));
  }

  /** The bundle is large, so browsers cache it until the version changes. */
  const etag = `"layaway-${ctx.version}"`;
  app.get('/docs/assets/standalone.js', async (request, reply) => {
    reply.headers({ etag, 'cache-control': 'no-cache' });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    const { referenceScript } = await import('../docs/reference.ts');
    return reply.type(JAVASCRIPT).send(referenceScript());
  });
}
