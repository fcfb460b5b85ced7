import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** A refusal below the routes: HTTP that is not a valid request. */
interface Answer {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const NO_HOST: Answer = { status: 400, message: 'The request has no Host header. HTTP/1.1 requires one.' };
const NOT_HTTP: Answer = { status: 400, message: 'The request is not valid HTTP.' };
const HEADERS_TOO_LARGE: Answer = { status: 431, message: 'The request headers are too large.' };
const NO_PROXY: Answer = {
  status: 405,
  message: 'The CONNECT method is not supported: this server is not a proxy.',
  headers: { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
};

export type Protocol = ReturnType<typeof createProtocol>;

/**
 * HTTP below the routes. Node answers some mistakes with an empty body, and some not at all. Here each gets one answer
 * in the shape of all other errors.
 */
export function createProtocol(patienceSeconds: number, endOfTurn: (work: () => void) => void) {
  /** The answer to the latest request of each connection. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const refused = new WeakSet<Socket>();
  const unmet = new WeakSet<IncomingMessage>();
  /** The responses of each connection that wait for an earlier one to end. */
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  const timeoutMs = Math.ceil(patienceSeconds * 1000);
  const tooLate: Answer = {
    status: 408,
    message: `The request was not complete after ${patienceSeconds} seconds. Send it again.`,
  };

  /** Waits until pending work has run as far as it can, because the request may be about to be refused. */
  const whenSettled = (work: () => void) => queueMicrotask(() => process.nextTick(() => endOfTurn(work)));

  /** If its connection closes, Node emits no `close` for a response that waits for an earlier one. */
  function closeWith(socket: Socket, response: ServerResponse) {
    const unsent = waiting.get(socket) ?? new Set();
    if (!waiting.has(socket)) {
      waiting.set(socket, unsent);
      socket.once('close', () => {
        for (const hungUp of unsent) hungUp.emit('close');
      });
    }
    unsent.add(response);
    // From here on, Node does it.
    response.once('socket', () => unsent.delete(response));
  }

  function answerOf(code: string | undefined): Answer {
    if (code === 'HPE_HEADER_OVERFLOW') return HEADERS_TOO_LARGE;
    return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? tooLate : NOT_HTTP;
  }

  /** Handles input that Node could not read or that came too late. */
  function clientErrorHandler(error: Error & { code?: string }, socket: Socket) {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // Everything after the first mistake is also invalid.
    if (refused.has(socket)) return;
    refused.add(socket);
    const answer = answerOf(error.code);
    const last = latest.get(socket);
    if (!last) sendRaw(socket, answer);
    else if (last.req.complete) afterwards(last, () => sendRaw(socket, answer));
    else whenSettled(() => (last.headersSent ? socket.destroySoon() : sendInstead(last, answer)));
  }

  return {
    /** Options of Fastify. */
    options: {
      requestTimeout: timeoutMs,
      http: {
        requestTimeout: timeoutMs,
        headersTimeout: timeoutMs,
        connectionsCheckingInterval: Math.min(1000, Math.ceil(timeoutMs / 4)),
        requireHostHeader: false,
        // A header sent twice is then no valid value. Node would take the first one and drop the others.
        joinDuplicateHeaders: true,
      },
      clientErrorHandler,
    },
    /** Follows the connections of the server that listens. */
    follow(server: Server) {
      server.prependListener('request', (request, response) => {
        latest.set(request.socket, response);
        if (response.socket === null) closeWith(request.socket, response);
      });
      server.on('checkExpectation', (request, response) => {
        unmet.add(request);
        server.emit('request', request, response);
      });
      server.on('connect', (_request, socket) => sendRaw(socket as Socket, NO_PROXY));
    },
    check(app: FastifyInstance) {
      app.addHook('onRequest', ({ raw, headers }, reply, done) => {
        if (raw.httpVersion === '1.1' && headers.host === undefined) send(reply, NO_HOST);
        else if (unmet.has(raw)) send(reply, unmetExpectation(headers.expect));
        else done();
      });
    },
  };
}

const unmetExpectation = (expected = ''): Answer => ({
  status: 417,
  message: `The expectation ${expected} cannot be met. Leave the Expect header out, or send 100-continue.`,
});

const TYPE = 'application/json; charset=utf-8';

/** Answers through a reply, so that the request is logged. */
const send = (reply: FastifyReply, { status, message }: Answer) =>
  reply.code(status).type(TYPE).serializer(JSON.stringify).send({ message });

/** Answers instead of the route. */
function sendInstead(response: ServerResponse, { status, message }: Answer) {
  const body = JSON.stringify({ message });
  response.writeHead(status, { 'content-type': TYPE, 'content-length': Buffer.byteLength(body), connection: 'close' });
  response.end(body);
}

/** Answers when there is no request. */
function sendRaw(socket: Socket, { status, message, headers = {} }: Answer) {
  const body = JSON.stringify({ message });
  const fields = { 'content-type': TYPE, 'content-length': Buffer.byteLength(body), connection: 'close', ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  socket.destroySoon();
}

function afterwards(response: ServerResponse, work: () => void) {
  if (response.writableFinished) work();
  else response.once('finish', work);
}
