import type { FastifyInstance } from 'fastify';
import { weightsIn } from '../answer/accept.ts';
import type { HttpContext } from '../context.ts';
import { html } from '../pages/html.ts';
import { page } from './dashboard/pages.ts';

/** Allows only the style sheet that the sign-in pages of the dashboard have too. */
const POLICY = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/** Serves `/` and `/healthz`: where everything is, and whether the server works (interface §6). */
export async function home(app: FastifyInstance, { base, version }: HttpContext) {
  app.get('/', async ({ headers }, reply) => {
    const places = {
      api: `${base.url}/v1`,
      docs: `${base.url}/docs`,
      openapi: `${base.url}/openapi.json`,
      dashboard: `${base.url}/dashboard`,
      health: `${base.url}/healthz`,
    };
    reply.headers({ vary: 'accept', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    if (!prefersHtml(headers.accept)) return { name: 'layaway', version, ...places };
    return reply
      .header('content-security-policy', POLICY)
      .type('text/html; charset=utf-8')
      .send(homePage(version, places));
  });

  app.get('/healthz', { config: { quiet: true } }, async () => ({ status: 'ok', version }));
}

/** A browser names HTML. A client that accepts anything gets JSON. */
function prefersHtml(accepted: string | undefined): boolean {
  const weights = weightsIn(accepted);
  const html = weights.get('text/html') ?? 0;
  return html > 0 && html >= (weights.get('application/json') ?? 0);
}

type Place = 'api' | 'docs' | 'openapi' | 'dashboard' | 'health';

const PLACES: Readonly<Record<Exclude<Place, 'api'>, string>> = {
  dashboard: 'The dashboard: what happened and why, and control of the simulator',
  docs: 'The documentation of the API',
  openapi: 'The same for programs, as an OpenAPI document',
  health: 'The health check',
};

function homePage(version: string, places: Readonly<Record<Place, string>>): string {
  const links = (Object.keys(PLACES) as (keyof typeof PLACES)[]).map(
    (name) => html`<li><a href="${places[name]}">${PLACES[name]}</a></li>\n`,
  );
  const { markup } =
    html`<p>Layaway ${version} runs here. It simulates the Layaway Checkout Service; nothing is ever charged.</p>
<ul>
${links}</ul>
<p>The base URL of the API is <code>${places.api}</code>.</p>`;
  return page('Layaway sandbox', markup);
}
