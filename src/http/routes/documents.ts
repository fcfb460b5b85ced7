import type { FastifyInstance } from 'fastify';
import { createAssets, remembered } from '../answer/asset.ts';
import type { HttpContext } from '../context.ts';
import { indexOf, linkedFiles, MARKDOWN, markdownOf } from '../docs/markdown.ts';
import { pathOf } from '../input/path.ts';
import { notFound, type Routes } from '../unknown-routes.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

/** The package does not change while it runs. */
const linkedIn = remembered(linkedFiles);

/**
 * Serves the OpenAPI document, the page that renders it, and the documentation as Markdown with the files that it links
 * to. What is large is loaded on the first request, because few runs need it and it would slow down the start.
 */
export async function documents(app: FastifyInstance, ctx: HttpContext, routes: Routes) {
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
  const documented = Object.keys(MARKDOWN).map((path) => [path, asset(MARKDOWN_TYPE, () => markdownOf(path))] as const);
  const linked = [...(await linkedIn('package'))].map(([path, { type, text }]) => [path, asset(type, text)] as const);
  const files = new Map([...documented, ...linked]);
  routes.add(['GET', 'HEAD'], files.keys());
  // A route for each file of a folder would be a third of all routes, and slow down the start.
  const patterns = [...files.keys()].map((path) => path.replace(/^(\/docs|\/fixtures)\/.*/, '$1/*'));
  for (const pattern of new Set(patterns)) {
    app.get(pattern, async (request, reply) => {
      const send = files.get(pathOf(request.url));
      if (!send) throw notFound(request.url);
      return send(request, reply);
    });
  }

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
