import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { CannotStart, PortInUse } from '../../domain/cannot-start.ts';
import { codeOf } from '../../domain/error-code.ts';

/** How many free ports are tried until one is free on both addresses. */
const TRIES = 50;

/** Where a server listens. */
export interface Listening {
  /** An address of this machine that reaches it. */
  readonly url: string;
  /** Sentences for whoever started it. */
  readonly notes: readonly string[];
}

/**
 * Listens on `host`; without one, on 127.0.0.1 and, if the machine has it, on ::1. Port 0 takes a free port.
 * @throws CannotStart when the address cannot be used
 */
export async function listen(app: FastifyInstance, host: string | undefined, wanted: number): Promise<Listening> {
  const isPair = host === undefined || host === 'localhost';
  await (isPair ? listenOnBoth(app, wanted) : listenOn(app, host, wanted));
  const { address, port } = app.server.address() as AddressInfo;
  const isLoopback = address === '::1' || address.startsWith('127.');
  const url = `http://${reachable(host ?? '127.0.0.1')}:${port}`;
  return { url, notes: isLoopback ? [] : [reachableByOthers(port)] };
}

const reachableByOthers = (port: number) =>
  `Warning: anyone who can reach port ${port} of this machine can use this simulator, because its default credentials are public.`;

async function listenOn(app: FastifyInstance, host: string, port: number) {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw explain(error, host, port);
  }
}

async function listenOnBoth(app: FastifyInstance, wanted: number) {
  let beside: Server | null = null;
  app.addHook('preClose', async () => void beside?.close());
  // The routes must be ready before the first connection.
  await app.ready();
  for (let tries = 1; ; tries += 1) {
    beside = await listenBeside(app, wanted);
    try {
      await app.listen({ host: '127.0.0.1', port: beside ? portOf(beside) : wanted });
      return;
    } catch (error) {
      beside?.close();
      if (wanted === 0 && codeOf(error) === 'EADDRINUSE' && tries < TRIES) continue;
      throw explain(error, '127.0.0.1', wanted);
    }
  }
}

/**
 * Listens on ::1 and passes connections to the app; null if this machine has no such address.
 * @throws CannotStart when the port is taken
 */
async function listenBeside(app: FastifyInstance, port: number): Promise<Server | null> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    app.server.emit('connection', socket),
  );
  try {
    return await bind(server, '::1', port);
  } catch (error) {
    if (codeOf(error) === 'EADDRNOTAVAIL' || codeOf(error) === 'EAFNOSUPPORT') return null;
    if (codeOf(error) !== 'EADDRINUSE') throw explain(error, '::1', port);
  }
  // With half of a port, `localhost` would reach another program. If both halves are taken, the error names 127.0.0.1.
  const other = await bind(createServer(), '127.0.0.1', port).catch((error) => {
    throw explain(error, '127.0.0.1', port);
  });
  other.close();
  throw explain({ code: 'EADDRINUSE' }, '::1', port);
}

const bind = (server: Server, host: string, port: number) =>
  new Promise<Server>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Clients cannot connect to a wildcard address. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function explain(error: unknown, host: string, port: number): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new PortInUse(port, host);
    case 'EACCES':
      return new CannotStart(`Port ${port} may not be opened by this user. Choose one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CannotStart(
        `${host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0, or leave the host out.`,
      );
    case 'EMFILE':
    case 'ENFILE':
      return new CannotStart(
        'The server cannot listen: too many files are open. Close some, or raise the limit with ulimit -n.',
      );
    default:
      return error;
  }
}
