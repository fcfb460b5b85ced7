import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { RequestLine } from '../../../src/http/stream/watch-lines.ts';
import { createSimulator, type Shop, type Simulator } from '../../../src/index.ts';
import { headerLines } from '../../support/raw-request.ts';
import { expectData, openShop, order, type TestShop } from '../../support/shop.ts';

const faults: unknown[] = [];
const onFault = (error: unknown) => void faults.push(error);
const seen: string[] = [];
let told: () => void;
/** Resolves when the next request was answered, or given up. */
const next = () =>
  new Promise<void>((resolve) => {
    told = resolve;
  });
function observe({ method, path, status }: RequestLine) {
  seen.push(`${method} ${path} ${status}`);
  told?.();
}

let sim: Simulator;
let shop: TestShop;
beforeAll(async () => {
  sim = await createSimulator({
    seed: 1,
    clock: { frozenAt: '2026-01-01T00:00:00Z' },
    onFault,
    onRequest: observe,
  });
  shop = await openShop(sim);
});
afterAll(() => sim.close());

/** Headers as they are written. */
const hostOf = ({ url }: Simulator) => `Host: ${new URL(url).host}\r\n`;
const pairOf = ({ headers }: Shop) => headerLines(headers);

/** The beginning of a request whose body does not come whole. */
const begun = (to: Simulator, credentials: string) =>
  `POST /v1/sessions HTTP/1.1\r\n${hostOf(to)}Content-Type: application/json\r\nContent-Length: 100\r\n${credentials}\r\n{"a":`;

/** A connection, and all that comes over it. */
async function dial(to: Simulator) {
  const { hostname, port } = new URL(to.url);
  const socket: Socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return {
    socket,
    /** All that came until the server hung up. */
    rest: () => closed.then(() => text),
    /** What came so far, once it matches. */
    async until(pattern: RegExp) {
      while (!pattern.test(text)) await once(socket, 'data');
      return text;
    },
  };
}

/** All that the server says to `text`, until it hangs up. */
async function say(text: string, to = sim) {
  const { socket, rest } = await dial(to);
  socket.write(text);
  return parts(await rest());
}

interface Part {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** The answers in what came over a connection, each with the body that its length says. */
function parts(text: string): Part[] {
  if (text === '') return [];
  const [, status] = /^HTTP\/1\.1 (\d+) /.exec(text) ?? [];
  const end = text.indexOf('\r\n\r\n') + 4;
  const headers = text.slice(0, end).toLowerCase();
  const length = Number(/^content-length: (\d+)/m.exec(headers)?.[1]);
  return [{ status: Number(status), headers, body: text.slice(end, end + length) }, ...parts(text.slice(end + length))];
}

/** One answer in the shape of every other error; its sentence. */
function errorIn(answers: Part[], status: number): string {
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  const [{ headers, body }] = answers as [Part];
  expect(headers).toContain('content-type: application/json; charset=utf-8\r\n');
  const error = JSON.parse(body);
  expect(Object.keys(error)).toEqual(['message']);
  return error.message;
}

describe('what Node would answer without a body is told in the shape of every other error', () => {
  it.each(['/v1/ping', '/_sim/clock', '/checkout/cs_1', '/nothing'])('HTTP/1.1 without Host at %s', async (path) => {
    const answers = await say(`GET ${path} HTTP/1.1\r\nConnection: close\r\n${pairOf(shop.shop)}\r\n`);
    expect(errorIn(answers, 400)).toBe('The request has no Host header. HTTP/1.1 requires one.');
  });

  it('HTTP/1.0 needs none', async () => {
    const [answer] = await say('GET /openapi.json HTTP/1.0\r\n\r\n');
    expect(answer?.body).not.toContain('HTTP/1.1 requires');
  });

  it.each([
    ['Host', 'Host: localhost\r\nHost: shop.example', 403, 'This host is not allowed. Start the server with'],
    [
      'Content-Type',
      'Host: localhost\r\nContent-Type: application/json\r\nContent-Type: text/plain',
      415,
      'The request body',
    ],
    ['X-Api-Key', `Host: localhost\r\nX-Api-Key: sk_test_${'0'.repeat(32)}`, 401, 'Unauthenticated.'],
  ])('%s sent twice', async (_name, lines, status, message) => {
    const head = `POST /v1/sessions HTTP/1.1\r\n${lines}\r\nConnection: close\r\n${pairOf(shop.shop)}`;
    expect(errorIn(await say(`${head}Content-Length: 2\r\n\r\n{}`), status)).toContain(message);
  });

  it('Authorization sent twice', async () => {
    const line = `Authorization: Bearer ${sim.controlToken}\r\n`;
    const head = `GET /_sim/merchants HTTP/1.1\r\n${hostOf(sim)}Connection: close\r\n`;
    expect(errorIn(await say(`${head}${line}Authorization: Bearer other\r\n\r\n`), 401)).toBe('Unauthenticated.');
  });

  it.each(['/v1/sessions', '/_sim/keys', '/checkout/cs_1/accept', '/nothing'])(
    'an unknown Expect at %s',
    async (path) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${pairOf(shop.shop)}`;
      const answers = await say(`${head}Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}`);
      expect(errorIn(answers, 417)).toBe(
        'The expectation 200-maybe cannot be met. Leave the Expect header out, or send 100-continue.',
      );
      expect(seen.at(-1)).toBe(`POST ${path} 417`);
    },
  );

  it('100-continue is met', async () => {
    const { socket, rest, until } = await dial(sim);
    const body = JSON.stringify(order());
    const head = `POST /v1/sessions HTTP/1.1\r\n${hostOf(sim)}Connection: close\r\n${pairOf(shop.shop)}`;
    const form = 'Content-Type: application/json\r\nExpect: 100-continue\r\n';
    socket.write(`${head}${form}Content-Length: ${body.length}\r\n\r\n`);
    await until(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    socket.write(body);
    expect(await rest()).toContain('HTTP/1.1 201 Created\r\n');
  });

  it.each(['shop.example:443', 'localhost:80'])('CONNECT %s', async (target) => {
    const answers = await say(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    expect(errorIn(answers, 405)).toBe('The CONNECT method is not supported: this server is not a proxy.');
    expect(answers[0]?.headers).toMatch(/^allow: .*\bget\b/m);
  });

  it('OPTIONS *', async () => {
    const answers = await say('OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(errorIn(answers, 404)).toBe('The route * could not be found.');
  });

  it('headers that are too large', async () => {
    const answers = await say(`GET /v1/ping HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(errorIn(answers, 431)).toBe('The request headers are too large.');
  });
});

describe('a body whose chunks are broken', () => {
  const head = (credentials: string) => {
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    return `POST /v1/sessions HTTP/1.1\r\n${hostOf(sim)}${type}${credentials}\r\n`;
  };

  it('is answered once when the request was refused already', async () => {
    expect(errorIn(await say(`${head('')}zz\r\n`), 401)).toBe('Unauthenticated.');
    const lever = head('').replace('/v1/sessions', '/_sim/keys');
    expect(errorIn(await say(`${lever}zz\r\n`), 401)).toBe('Unauthenticated.');
    // The same in two pieces: the answer is gone when the chunk comes.
    const { socket, rest, until } = await dial(sim);
    socket.write(head(''));
    await until(/Unauthenticated/);
    socket.write('zz\r\n');
    expect(errorIn(parts(await rest()), 401)).toBe('Unauthenticated.');
  });

  it('is answered once when it was not, and is nobody’s fault', async () => {
    expect(errorIn(await say(`${head(pairOf(shop.shop))}zz\r\nzz\r\n`), 400)).toBe('The request is not valid HTTP.');
    expect(seen.at(-1)).toBe('POST /v1/sessions 400');
    expect(faults).toEqual([]);
  });

  it('bytes after a whole request that are not HTTP are answered after it, once', async () => {
    const request = `GET /v1/ping HTTP/1.1\r\n${hostOf(sim)}${pairOf(shop.shop)}\r\n`;
    const answers = await say(`${request}hello\r\n\r\nhello\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });
});

describe('interface §6: patience with a request', () => {
  it('ends for headers and bodies that do not come, and a stream goes on', async () => {
    await using hasty = await createSimulator({ seed: 1, requestTimeoutSeconds: 0.8, onRequest: observe, onFault });
    const { shop: own, open, complete } = await openShop(hasty);
    await open();
    const stream = await dial(hasty);
    stream.socket.write(`GET /_sim/events/stream HTTP/1.1\r\n${hostOf(hasty)}${pairOf(own)}\r\n`);
    await stream.until(/: open/);

    const [headers, body, refused] = await Promise.all([
      say(`GET /v1/ping HTTP/1.1\r\n${hostOf(hasty)}`, hasty),
      say(begun(hasty, pairOf(own)), hasty),
      say(begun(hasty, ''), hasty),
    ]);
    const late = 'The request was not complete after 0.8 seconds. Send it again.';
    expect(errorIn(headers, 408)).toBe(late);
    expect(errorIn(body, 408)).toBe(late);
    expect(body[0]?.headers).toContain('connection: close\r\n');
    expect(errorIn(refused, 401)).toBe('Unauthenticated.');
    expect(seen).toContain('POST /v1/sessions 408');

    await complete();
    await stream.until(/event: session\.completed/);
    stream.socket.destroy();
    expect(faults).toEqual([]);
  });
});

test('an upload that is broken off is nobody’s fault', async () => {
  const { id } = await shop.open();
  const form = `POST /checkout/${id}/accept HTTP/1.1\r\n${hostOf(sim)}Content-Type: application/x-www-form-urlencoded\r\n`;
  for (const text of [begun(sim, pairOf(shop.shop)), `${form}Content-Length: 100\r\n\r\ncustomer_name=Ada`]) {
    const { socket } = await dial(sim);
    const over = next();
    socket.write(text, () => socket.destroy());
    await over;
  }
  expect(seen.slice(-2)).toEqual(['POST /v1/sessions 400', `POST /checkout/${id}/accept 400`]);
  expect(faults).toEqual([]);
  expect(expectData(await shop.call('GET', `/v1/checkout-sessions/${id}`)).status).toBe('pending');
});
