import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port mapping, as of a container: it passes bytes unchanged from its port to the one set with `leadTo`. */
export async function openProxy() {
  let target = 0;
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect(target, '127.0.0.1');
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    outside.on('error', () => {
      inside.destroy();
      server.emit('refused');
    });
    inside.pipe(outside).pipe(inside);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(url: string) {
      target = Number(new URL(url).port);
    },
    /** Ends every connection, and takes no other until it leads somewhere again. */
    cut() {
      target = 0;
      for (const socket of sockets) socket.destroy();
    },
    /** Resolves when the next connection finds nobody. */
    refused: () => once(server, 'refused'),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
