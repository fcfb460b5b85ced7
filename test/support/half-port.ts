import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Resolves to how it ended: with nothing when it listens, with the code of the error when it does not. */
const listens = (server: Server, port: number, host: string) =>
  new Promise<string | undefined>((resolve) => {
    const failed = ({ code }: NodeJS.ErrnoException) => resolve(code);
    server.once('error', failed).listen(port, host, () => {
      server.off('error', failed);
      resolve(undefined);
    });
  });

/**
 * Listens on one loopback address, on a port that is closed on the other one. Resolves to the port. It lies below those
 * that a system gives to a server without a port of its own, so no other test can take the other half.
 */
export async function listenOnlyOn(server: Server, address: '127.0.0.1' | '::1'): Promise<number> {
  const port = randomInt(10_000, 30_000);
  const other = createServer();
  const taken = await listens(other, port, address === '::1' ? '127.0.0.1' : '::1');
  if (taken === undefined) await new Promise((resolve) => other.close(resolve));
  const failed = taken === 'EADDRINUSE' ? taken : await listens(server, port, address);
  if (failed === 'EADDRINUSE') return listenOnlyOn(server, address);
  if (failed !== undefined) throw new Error(`Cannot listen on ${address}: ${failed}`);
  return port;
}
