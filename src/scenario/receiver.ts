import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook receiver on this machine that follows a script of statuses, then answers 200. */
export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

export async function openReceiver(script: readonly number[]): Promise<Receiver> {
  const replies = [...script];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.statusCode = replies.shift() ?? 200;
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
