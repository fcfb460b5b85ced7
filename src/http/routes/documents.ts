import type { FastifyInstance } from 'fastify';
import { createAssets, remembered } from '../answer/asset.ts';
import type { HttpContext } from '../context.ts';
import { indexOf, linkedFiles, MARKDOWN, markdownOf } from '../docs/markdown.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/**
 * Serves the OpenAPI document, the page that renders it, and the documentation as Markdown with the files that it links
 * to. What is large is loaded on the first request, because few runs need it and it would slow down the start.
 */
export async function documents(app: FastifyInstance, ctx: HttpContext) {
  const asset = createAssets(ctx);
  const service = remembered(async (base: string) => {
    const { serviceDocument } = await import('../docs/openapi.ts');
    return JSON.stringify(serviceDocument(base), null, 2);
  });
  app.get(
    '/openapi.json',
    asset('application/json; charset=utf-8', () => service(ctx.base.url)),
  );

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });
  const page = asset('text/html; charset=utf-8', () => import('../docs/reference.ts').then(({ PAGE }) => PAGE));
  app.get('/docs', async (request, reply) => {
    const { POLICY } = await import('../docs/reference.ts');
    return page(request, reply.header('content-security-policy', POLICY));
  });

  app.get(
    '/llms.txt',
    asset('text/plain; charset=utf-8', () => indexOf(ctx.base.url, ctx.version)),
  );
  for (const path of Object.keys(MARKDOWN)) {
    app.get(
      path,
      asset('text/markdown; charset=utf-8', () => markdownOf(path)),
    );
  }

  for (const [path, { type, text }] of await linkedFiles()) app.get(path, asset(type, text));

  /** The bundle is large, so browsers cache it until the version changes. */
  const scripts = {
    start: asset(JAVASCRIPT, () => import('../docs/reference.ts').then(({ START }) => START)),
    standalone: asset(
      JAVASCRIPT,
      () => import('../docs/reference.ts').then(({ referenceScript }) => referenceScript()),
      `layaway-${ctx.version}`,
    ),
  };
  for (const [name, send] of Object.entries(scripts)) {
    app.get(`/docs/assets/${name}.js`, async (request, reply) =>
      send(request, reply.header('cache-control', 'no-cache')),
    );
  }
}
