import type { FastifyInstance } from 'fastify';
import { CannotStart } from '../domain/cannot-start.ts';
import { ownHosts } from './guard.ts';

/**
 * Listens on `host` and `port`, 0 for a free one; tells under which URL and hosts the server is reached.
 * @throws CannotStart when the address cannot be had
 */
export async function listen(app: FastifyInstance, host: string, wanted: number) {
  try {
    await app.listen({ host, port: wanted });
  } catch (error) {
    throw explain(error, host, wanted);
  }
  const { port } = app.server.address() as { port: number };
  return { url: `http://${reachable(host)}:${port}`, hosts: ownHosts(host, port) };
}

/** A wildcard address is listened on, not spoken to. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function explain(error: unknown, host: string, port: number): unknown {
  switch ((error as { code?: string }).code) {
    case 'EADDRINUSE':
      return new CannotStart(
        `Port ${port} on ${host} is in use by another program. Stop that one, or choose another port: --port 0 takes a free one.`,
      );
    case 'EACCES':
      return new CannotStart(`Port ${port} may not be opened by this user. Choose one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CannotStart(`${host} is no address of this machine. Leave --host out, or use 127.0.0.1 or 0.0.0.0.`);
    default:
      return error;
  }
}
