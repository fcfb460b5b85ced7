import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { exchange, open } from '../src/exchange.ts';
import { startUntilReady } from './support/child.ts';

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
  const asked = exchange({ method: 'GET', url, headers: {}, timeoutMs: 200 });
  await expect(asked.finally(() => server.close())).rejects.toMatchObject({ code: 'ETIMEDOUT' });
});

/** Listens, and accepts nothing: the kernel takes a few connections, and leaves the rest without an answer. */
const ACCEPTS_NOTHING = `const server = require('node:net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  require('node:fs').writeSync(1, server.address().port + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

test.runIf(process.platform === 'linux')('a server that accepts no connection is given up in time', async () => {
  await using deaf = await startUntilReady(process.execPath, ['-e', ACCEPTS_NOTHING]);
  const port = Number(deaf.ready);
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  const asked = open(
    { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {}, timeoutMs: 60_000 },
    undefined,
    200,
  );
  await expect(asked.finally(() => waiting.map((socket) => socket.destroy()))).rejects.toMatchObject({
    code: 'ETIMEDOUT',
  });
});
