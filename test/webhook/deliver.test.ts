import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, get } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAbsent } from '../../src/domain/webhook.ts';
import { createDeliver, createNoDelivery, type Deliver, DirectAgent } from '../../src/webhook/deliver.ts';
import { selfSigned } from '../support/certificate.ts';
import { startUntilReady } from '../support/child.ts';
import { listenOnlyOn } from '../support/half-port.ts';
import { hasIpv6 } from '../support/ipv6.ts';
import { openReceiver, type Reply } from '../support/receiver.ts';

let deliver: Deliver['deliver'];
let close: () => void;
beforeEach(() => {
  ({ deliver, close } = createDeliver(Date.now));
});
afterEach(() => close());

const BODY = '{"a":"ä"}';

const send = async (reply: Reply, timeoutMs = 5_000) => {
  await using receiver = await openReceiver([reply]);
  const outcome = await deliver({ url: receiver.url, headers: { 'webhook-id': 'evt_1' }, body: BODY, timeoutMs });
  return { outcome, received: receiver.received };
};

async function listening(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A receiver that speaks raw bytes. */
async function rawReceiver(talk: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => talk(socket));
  });
  const outcome = await deliver({ url: await listening(server), headers: {}, body: '{}', timeoutMs: 5_000 });
  server.close();
  return outcome;
}

describe('a delivery attempt is recorded as what it was (decisions §6)', () => {
  test('the body arrives byte for byte, as JSON, with the headers given', async () => {
    const { outcome, received } = await send(204);
    expect(outcome).toMatchObject({ statusCode: 204, error: null, responseBody: '' });
    expect(received[0]).toMatchObject({
      body: BODY,
      headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json', 'content-length': '10' },
    });
  });

  test('a refusal keeps its status, its headers and the first KiB of its response', async () => {
    const { outcome } = await send((response) => {
      response.writeHead(503, { 'retry-after': '7' });
      response.end('x'.repeat(5_000));
    });
    expect(outcome).toMatchObject({ statusCode: 503, error: null, responseHeaders: { 'retry-after': '7' } });
    expect(outcome.responseBody).toBe('x'.repeat(1024));
  });

  test('the first KiB ends with a whole character', async () => {
    const { outcome } = await send((response) => response.end('€'.repeat(1_000)));
    expect(outcome.responseBody).toBe('€'.repeat(341));
  });

  test('a URL that Node cannot send to is an outcome too', async () => {
    const url = 'http://a%ff:b@127.0.0.1:9/';
    expect(await deliver({ url, headers: { 'webhook-id': 'evt_1' }, body: BODY, timeoutMs: 5_000 })).toMatchObject({
      ...{ statusCode: null, error: 'the request cannot be made: URI malformed', durationMs: 0 },
      requestHeaders: { 'webhook-id': 'evt_1' },
    });
  });

  test('a redirect is a response, and is not followed', async () => {
    await using elsewhere = await openReceiver();
    const { outcome } = await send((response) => response.writeHead(302, { location: elsewhere.url }).end());
    expect(outcome.statusCode).toBe(302);
    expect(elsewhere.received).toEqual([]);
  });

  test('a receiver that switches protocols has answered, and is not waited for', async () => {
    const outcome = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
    });
    expect(outcome).toMatchObject({ statusCode: 101, error: null, responseHeaders: { upgrade: 'websocket' } });
  });

  test('a response without end is cut off, and its status counts', async () => {
    const { outcome } = await send((response) => {
      const flood = () => {
        while (!response.destroyed && response.write('y'.repeat(65_536)));
      };
      response.on('drain', flood);
      response.on('error', () => undefined);
      flood();
    });
    expect(outcome).toMatchObject({ statusCode: 200, error: null });
    expect(outcome.responseBody).toHaveLength(1024);
  });

  test('a receiver that hangs meets the end of our patience', async () => {
    const { outcome } = await send(() => undefined, 50);
    expect(outcome).toMatchObject({ statusCode: null, error: 'no complete response within 0.05 s' });
  });

  test('a receiver that hangs has taken no less than the time that it was given', async () => {
    const left = [1_000, 1_049.4];
    const timed = createDeliver(() => left.shift() as number);
    await using receiver = await openReceiver([() => undefined]);
    const outcome = await timed.deliver({ url: receiver.url, headers: {}, body: BODY, timeoutMs: 50 });
    expect(outcome.durationMs).toBe(50);
    timed.close();
  });

  test('a receiver that hangs after its headers meets it too, and its status is kept', async () => {
    const { outcome } = await send((response) => response.write('partly'), 2_000);
    expect(outcome).toMatchObject({
      statusCode: 200,
      error: 'no complete response within 2 s',
      responseBody: 'partly',
    });
  });

  test('nothing listens', async () => {
    const receiver = await openReceiver();
    await receiver.close();
    const outcome = await deliver({ url: receiver.url, headers: {}, body: '{}', timeoutMs: 5_000 });
    expect(outcome).toMatchObject({ statusCode: null, error: 'connection refused: nothing listens there' });
    expect(isAbsent(outcome.error as string)).toBe(true);
  });

  test('a reset before the response', async () => {
    const outcome = await rawReceiver((socket) => socket.resetAndDestroy());
    expect(outcome).toMatchObject({ statusCode: null, error: 'the receiver closed the connection' });
    expect(isAbsent(outcome.error as string)).toBe(false);
  });

  test('a 200 with a broken chunk is a response that broke off', async () => {
    const outcome = await rawReceiver((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel'),
    );
    expect(outcome.statusCode).toBe(200);
    expect(outcome.error).toMatch(/^the response broke off/);
  });

  test('a connection that is closed before the response', async () => {
    expect(await rawReceiver((socket) => socket.end())).toMatchObject({
      statusCode: null,
      error: 'the receiver closed the connection',
    });
  });

  test('a response that is shorter than it says is a response that broke off', async () => {
    const outcome = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'));
    expect(outcome).toMatchObject({ statusCode: 200, error: 'the response broke off', responseBody: 'hello' });
  });

  test('a response that stops being HTTP is a response that broke off, with the reason', async () => {
    const outcome = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnine\r\n'),
    );
    expect(outcome.statusCode).toBe(200);
    expect(outcome.error).toMatch(/^the response broke off \(not valid HTTP: .*chunk.*\)$/i);
  });

  test.each([
    ['more bytes than its Content-Length counts', '200 OK\r\ncontent-length: 2\r\n\r\nöööö', 200, 'ö'],
    ['the same, and the connection closes', '200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nöööö', 200, 'ö'],
    ['a 204 with a body', '204 No Content\r\ncontent-length: 4\r\n\r\ndone', 204, ''],
    ['a second answer', '200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n', 200, 'ok'],
  ])('a response counts when it is complete, whatever follows: %s', async (_what, answer, statusCode, responseBody) => {
    const outcome = await rawReceiver((socket) => socket.end(`HTTP/1.1 ${answer}`));
    expect(outcome).toMatchObject({ statusCode, error: null, responseBody });
  });

  test('an https URL of a receiver that speaks HTTP', async () => {
    await using receiver = await openReceiver([]);
    const url = receiver.url.replace('http:', 'https:');
    const outcome = await deliver({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
    expect(outcome).toMatchObject({ statusCode: null, error: 'the receiver does not speak HTTPS' });
    expect(isAbsent(outcome.error as string)).toBe(false);
  });

  test('an https URL of a receiver that answers with the length of no record of TLS', async () => {
    const server = createServer((socket) => socket.end(Buffer.from([22, 3, 3, 255, 255])));
    const url = (await listening(server)).replace('http:', 'https:');
    const outcome = await deliver({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
    server.close();
    expect(outcome).toMatchObject({ statusCode: null, error: 'the receiver does not speak HTTPS' });
  });

  test('a receiver that accepts no cipher of the sender', async () => {
    const ciphers = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' } as const;
    // The certificate has an elliptic curve, which these ciphers cannot use.
    const server = createTlsServer({ ...selfSigned(), ...ciphers }).on('tlsClientError', () => undefined);
    const url = (await listening(server)).replace('http:', 'https:');
    const outcome = await deliver({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
    server.close();
    expect(outcome.statusCode).toBeNull();
    expect(outcome.error).toMatch(/^the TLS handshake failed: [\w/]+ alert handshake failure$/);
  });

  test('a response that is not HTTP', async () => {
    const outcome = await rawReceiver((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(outcome).toMatchObject({ statusCode: null, error: expect.stringMatching(/^not valid HTTP: /) });
  });

  test('a response that is not HTTP on a kept connection is not asked for again', async () => {
    const script = ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'SSH-2.0-OpenSSH_9.9\r\n'];
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.on('data', () => socket.write(script.shift() ?? 'HTTP/1.1 500 Asked again\r\ncontent-length: 0\r\n\r\n'));
    });
    const posting = { url: await listening(server), headers: {}, body: '{}', timeoutMs: 5_000 };
    expect(await deliver(posting)).toMatchObject({ statusCode: 200 });
    expect(await deliver(posting)).toMatchObject({ statusCode: null, error: expect.stringMatching(/HTTP/) });
    expect(sockets.size).toBe(1);
    server.close();
  });

  /** Each way leaves the sender’s side of the connection with another error. */
  test.each<[string, (socket: Socket) => Promise<void>]>([
    ['reset', async (socket) => void socket.resetAndDestroy()],
    [
      'closed and then reset',
      (socket) =>
        new Promise((resolve) => {
          socket.end(() => {
            socket.resetAndDestroy();
            resolve();
          });
        }),
    ],
  ])('a kept connection that the receiver %s meanwhile costs no attempt, however often', async (_how, close) => {
    const sockets = new Set<Socket>();
    await using receiver = await openReceiver();
    const answer: Reply = (response, request) => {
      sockets.add(request.socket);
      response.end();
    };
    receiver.script(answer, answer, answer, answer);
    const posting = { url: receiver.url, headers: {}, body: '{}', timeoutMs: 5_000 };
    expect((await deliver(posting)).statusCode).toBe(200);
    for (let round = 0; round < 2; round += 1) {
      const closing = [...sockets].filter(({ destroyed }) => !destroyed).map(close);
      await Promise.all(closing);
      expect((await deliver(posting)).statusCode).toBe(200);
      expect((await deliver(posting)).statusCode).toBe(200);
    }
  });

  test('a GET carries no body', async () => {
    let method: string | undefined;
    await using receiver = await openReceiver([
      (response, request) => {
        method = request.method;
        response.end();
      },
    ]);
    const { requestHeaders } = await deliver({
      method: 'GET',
      url: receiver.url,
      headers: {},
      body: BODY,
      timeoutMs: 5_000,
    });
    expect([method, receiver.received[0]?.body]).toEqual(['GET', '']);
    expect(requestHeaders).toEqual({ 'user-agent': 'layaway-webhooks/1' });
    expect(Object.keys(receiver.received[0]?.headers ?? {})).not.toContain('content-length');
  });

  test('every request says what it is', async () => {
    let method: string | undefined;
    const { outcome, received } = await send((response, request) => {
      method = request.method;
      response.end();
    });
    expect(method).toBe('POST');
    const own = { 'content-type': 'application/json', 'user-agent': 'layaway-webhooks/1', 'webhook-id': 'evt_1' };
    expect(received[0]?.headers).toMatchObject(own);
    expect(outcome.requestHeaders).toEqual(own);
  });

  test('a response in pieces: the first KiB over all of them', async () => {
    const { outcome } = await send((response) => {
      response.write('a'.repeat(600));
      response.write('b'.repeat(600));
      response.end('c'.repeat(600));
    });
    expect(outcome.responseBody).toBe('a'.repeat(600) + 'b'.repeat(424));
  });

  test('a response of 64 KiB is read to its end', async () => {
    const ended = await send((response) => response.end('x'.repeat(65_536)));
    expect(ended.outcome).toMatchObject({ statusCode: 200, error: null });
    const brokenOff = await send((response) => {
      response.writeHead(200, { 'content-length': '65537' });
      response.write('x'.repeat(65_536), () => response.destroy());
    });
    expect(brokenOff.outcome.error).toMatch(/^the response broke off/);
  });

  test('a header that comes twice is one text, and a long one is cut off', async () => {
    const { outcome } = await send((response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.setHeader('x-long', 'x'.repeat(2_000));
      response.end();
    });
    expect(outcome.responseHeaders).toMatchObject({ 'set-cookie': 'a=1, b=2', 'x-long': 'x'.repeat(1_024) });
  });

  test('the time of sending and the time it took are those of the clock it was given', async () => {
    for (const [times, durationMs] of [
      [[1_000, 1_007.6], 8],
      [[1_000, 900], 0],
    ] as const) {
      const left: number[] = [...times];
      const timed = createDeliver(() => left.shift() as number);
      await using receiver = await openReceiver();
      const outcome = await timed.deliver({ url: receiver.url, headers: {}, body: '{}', timeoutMs: 5_000 });
      expect(outcome).toMatchObject({ sentAt: 1_000, durationMs });
      timed.close();
    }
  });

  test.each([
    ['127.0.0.1', 'localhost'] as const,
    ...(hasIpv6 ? (['localhost', 'LOCALHOST', 'shop.localhost'] as const).map((host) => ['::1', host] as const) : []),
  ])(
    'a receiver that listens only on %s is found as %s, whatever this machine resolves that to',
    async (address, host) => {
      const hosts: (string | undefined)[] = [];
      const receiver = createHttpServer((request, response) => {
        hosts.push(request.headers.host);
        response.end();
      });
      const port = await listenOnlyOn(receiver, address);
      const outcome = await deliver({ url: `http://${host}:${port}/`, headers: {}, body: '{}', timeoutMs: 5_000 });
      expect(outcome).toMatchObject({ statusCode: 200, error: null });
      expect(hosts).toEqual([`${host.toLowerCase()}:${port}`]);
      receiver.closeAllConnections();
      receiver.close();
    },
  );

  test.skipIf(process.platform !== 'linux')(
    'a receiver on localhost that is slow to take up connections is waited for',
    async () => {
      const script =
        "require('http').createServer((_, response) => response.end()).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })";
      await using receiver = await startUntilReady(process.execPath, ['-e', script]);
      const port = Number(receiver.ready);
      /** Connections that the system does not answer, since two others wait already. */
      const unanswered = async () => {
        const place = `:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `;
        return (await readFile('/proc/self/net/tcp', 'utf8')).split(place).length - 1;
      };
      receiver.signal('SIGSTOP');
      const others = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
      await expect.poll(unanswered).toBe(1);
      const outcome = deliver({ url: `http://localhost:${port}/`, headers: {}, body: '{}', timeoutMs: 15_000 });
      await expect.poll(unanswered).toBe(2);
      receiver.signal('SIGCONT');
      expect(await outcome).toMatchObject({ statusCode: 200, error: null });
      for (const other of others) other.destroy();
    },
  );

  test('nobody listens on localhost', async () => {
    const gone = createServer();
    const url = (await listening(gone)).replace('127.0.0.1', 'localhost');
    await new Promise((resolve) => gone.close(resolve));
    const { error } = await deliver({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
    expect(error).toBe('connection refused: nothing listens there');
  });

  test('a host that has no address', async () => {
    // No name has a label of more than 63 characters, so that no name server is asked.
    const url = `http://${'a'.repeat(64)}.example/webhooks`;
    const outcome = await deliver({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
    expect(outcome).toMatchObject({
      statusCode: null,
      error: 'the host name is not known',
      responseHeaders: {},
      responseBody: null,
    });
    expect(isAbsent(outcome.error as string)).toBe(true);
  });

  test('interface §13: a certificate that nobody knows is taken only when the endpoint says so', async () => {
    await using receiver = await openReceiver([], { https: true });
    const posting = { url: receiver.url, headers: {}, body: '{}', timeoutMs: 5_000 };
    // Newer versions of Node say more about the certificate.
    const error = expect.stringMatching(
      /^self-signed certificate.* \(`serve`, `listen`, `webhooks add` and `certify` accept it with --insecure\)$/,
    );
    expect(await deliver(posting)).toMatchObject({ statusCode: null, error });
    expect(await deliver({ ...posting, insecure: false })).toMatchObject({ statusCode: null });
    expect(received(receiver)).toBe(0);
    expect(await deliver({ ...posting, insecure: true })).toMatchObject({ statusCode: 200, error: null });
    expect(received(receiver)).toBe(1);
  });

  test.each([false, true])('a connection is kept for the next event (https: %s)', async (https) => {
    const ports: (number | undefined)[] = [];
    const answer: Reply = (response, request) => {
      ports.push(request.socket.remotePort);
      response.end();
    };
    await using receiver = await openReceiver([answer, answer], { https });
    const posting = { url: receiver.url, headers: {}, body: '{}', timeoutMs: 5_000, insecure: true };
    for (let event = 0; event < 2; event += 1) expect((await deliver(posting)).statusCode).toBe(200);
    expect(ports).toEqual([ports[0], ports[0]]);
  });

  test('nothing is kept of a receiver that closes its connections', async () => {
    const agent = new DirectAgent({ keepAlive: true });
    await using receiver = await openReceiver([200, (response) => response.setHeader('connection', 'close').end()]);
    const isReused: boolean[] = [];
    for (let event = 0; event < 2; event += 1) {
      const request = get(receiver.url, { agent });
      const [response] = await once(request, 'response');
      await once(response.resume(), 'close');
      isReused.push(request.reusedSocket);
    }
    expect(isReused).toEqual([false, true]);
    await expect.poll(() => [{ ...agent.sockets }, { ...agent.freeSockets }]).toEqual([{}, {}]);
    agent.destroy();
  });

  test.each([false, true])('closing cuts off what is under way (https: %s)', async (https) => {
    const closing = createDeliver(Date.now);
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    await using receiver = await openReceiver([() => isAsked()], { https });
    const posting = { url: receiver.url, headers: {}, body: '{}', timeoutMs: 60_000, insecure: true };
    const outcome = closing.deliver(posting);
    await asked;
    closing.close();
    expect(await outcome).toMatchObject({ statusCode: null, error: 'the receiver closed the connection' });
  });

  test('closing cuts off what is under way on a kept connection too, and sends it to nobody again', async () => {
    const closing = createDeliver(Date.now);
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    await using receiver = await openReceiver([200, () => isAsked()]);
    const posting = { url: receiver.url, headers: {}, body: '{}', timeoutMs: 60_000 };
    await closing.deliver(posting);
    const outcome = closing.deliver(posting);
    await asked;
    closing.close();
    expect((await outcome).statusCode).toBeNull();
    expect(received(receiver)).toBe(2);
  });
});

test('a server that shows a trace sends nothing anywhere, and says why', async () => {
  await using receiver = await openReceiver();
  const silence = createNoDelivery(() => 7);
  expect(await silence.deliver({ url: receiver.url, headers: {}, body: BODY, timeoutMs: 5_000 })).toEqual({
    ...{ sentAt: 7, durationMs: 0, statusCode: null, error: 'not sent: this server shows a trace' },
    ...{ requestHeaders: {}, responseHeaders: {}, responseBody: null },
  });
  silence.close();
  expect(received(receiver)).toBe(0);
});

const received = (receiver: { readonly received: readonly unknown[] }) => receiver.received.length;
