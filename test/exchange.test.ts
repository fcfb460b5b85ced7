import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { exchange } from '../src/exchange.ts';

test.each([
  ['says nothing', []],
  ['never ends its head', ['HTTP/1.1 200 OK\r\nx-one: ']],
  ['never ends its body', ['HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n']],
])('a server that %s is given up in time', async (_what, beginning) => {
  const server = createServer();
  server.on('connection', (socket) => {
    for (const part of beginning) socket.write(part);
    const dripping = beginning.length > 0 ? setInterval(() => socket.write('.'), 20) : undefined;
    socket.on('close', () => clearInterval(dripping)).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await expect(exchange({ method: 'GET', url, headers: {}, timeoutMs: 200 })).rejects.toMatchObject({
    code: 'ETIMEDOUT',
  });
  server.close();
});
