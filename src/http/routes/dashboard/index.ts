import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createAssets } from '../../answer/asset.ts';
import type { HttpContext } from '../../context.ts';
import { builtFiles } from './files.ts';
import { DOOR_STYLE, NOT_BUILT_PAGE, SIGN_IN_PAGE, USED_LINK_PAGE } from './pages.ts';
import { cookieName, cookieOf, isSignedIn } from './sign-in.ts';

/** Nothing inline and nothing from another host. Emails are framed from the same origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Only an account is a place that a link can lead to. */
const CLIENT_ID = /^mch_(?:test|live)_\w{32}$/;

const HTML = 'text/html; charset=utf-8';

/** Serves the files of the dashboard and signs browsers in. Its pages read from the control plane. */
export async function dashboard(app: FastifyInstance, ctx: HttpContext) {
  const asset = createAssets(ctx);
  let files: ReadonlyMap<string, ReturnType<typeof asset>> | undefined;
  const send = (name: string, request: FastifyRequest, reply: FastifyReply) => {
    files ??= new Map(
      [...(builtFiles() ?? [])].map(([path, { type, bytes }]) => [path, asset(type, () => bytes)] as const),
    );
    return files.get(name)?.(request, reply);
  };

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  /** Works once. For a signed-in browser it works again, so that a second click on a link does too. */
  app.get<{ Querystring: { token?: unknown; account?: unknown } }>('/dashboard/enter', async (request, reply) => {
    const { token, account } = request.query;
    const unused = typeof token === 'string' && ctx.signIn.isUnused(token) ? token : null;
    if (unused === null && !isSignedIn(request, ctx)) return reply.code(401).type(HTML).send(USED_LINK_PAGE);
    // A program that previews a link sends a HEAD, which must not use it up.
    const isOpened = unused !== null && request.method === 'GET';
    const entered = isOpened ? ctx.signIn.redeem(unused, cookieOf(request)) : null;
    if (entered !== null) {
      reply.header('set-cookie', `${cookieName(request)}=${entered.cookie}; HttpOnly; SameSite=Strict; Path=/`);
    }
    const place = typeof account === 'string' && CLIENT_ID.test(account) ? `/dashboard/${account}` : '/dashboard';
    // A browser gives the part after # only to the page.
    return reply
      .code(303)
      .header('location', `${place}${entered === null ? '' : `#key=${entered.key}`}`)
      .send();
  });

  app.get('/dashboard/door.css', asset('text/css; charset=utf-8', DOOR_STYLE));

  /** Every view is the same page, which contains no secrets. The browser reads the view from the URL. */
  for (const path of ['/dashboard', '/dashboard/*']) {
    app.get(path, async (request, reply) => {
      if (!isSignedIn(request, ctx)) return reply.code(401).type(HTML).send(SIGN_IN_PAGE);
      return send('index.html', request, reply) ?? reply.code(503).type(HTML).send(NOT_BUILT_PAGE);
    });
  }

  /** Their names change with their content, so a browser may cache them forever. */
  app.get<{ Params: { name: string } }>('/dashboard/assets/:name', async (request, reply) => {
    const sent = send(`assets/${request.params.name}`, request, reply);
    if (!sent) return reply.code(404).type('text/plain; charset=utf-8').send('File not found.\n');
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return sent;
  });
}
