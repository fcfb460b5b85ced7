import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Calls route handlers as Next.js does: a `Request` in, a `Response` out, 405 for a method without a handler.
 * `dynamic` routes have one parameter, `reference`, at the end of their path.
 * @param {Record<string, Record<string, Function>>} routes
 * @param {Record<string, Record<string, Function>>} dynamic
 */
export async function serveRoutes(routes, dynamic, port = 0) {
  const server = createServer(async (request, response) => {
    const [folder = '', reference] = /** @type {string} */ (request.url).slice(1).split('/');
    const route = reference === undefined ? routes[folder] : dynamic[folder];
    const handler = route?.[/** @type {string} */ (request.method)];
    if (!handler) return response.writeHead(route ? 405 : 404).end();
    const chunks = await request.toArray();
    const headers = /** @type {[string, string][]} */ (Object.entries(request.headers));
    const body = request.method === 'POST' ? { body: Buffer.concat(chunks) } : {};
    const incoming = new Request(`http://localhost${request.url}`, { method: request.method, headers, ...body });
    const params = Promise.resolve({ reference: decodeURIComponent(reference ?? '') });
    const answer = await handler(incoming, { params });
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
