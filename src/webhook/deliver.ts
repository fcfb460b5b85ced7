import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket, TcpNetConnectOpts } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { urlToHttpOptions } from 'node:url';
import { MINUTE } from '../domain/calendar.ts';
import { certificateFault } from '../domain/certificate-fault.ts';
import { isLocalhost } from '../domain/host.ts';
import { shortened } from '../domain/text.ts';
import { type AttemptOutcome, NOBODY_LISTENS, UNKNOWN_HOST } from '../domain/webhook.ts';
import { resolveLocalhost } from './localhost.ts';

export interface Posting {
  readonly url: string;
  /** @default 'POST' */
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Not used for GET. */
  readonly body: string;
  readonly timeoutMs: number;
  /** Accepts any certificate, including a self-signed one. */
  readonly insecure?: boolean;
}

/** How much of an answer is kept. */
const KEPT_BYTES = 1024;
/** How much of an answer is read before the connection is closed. */
const READ_BYTES = 64 * 1024;

declare module 'node:http' {
  interface Agent {
    /** Finds or opens a connection. Node calls it for each request, but does not document it. */
    addRequest(request: ClientRequest, options: RequestOptions): void;
  }
}

export type Deliver = ReturnType<typeof createDeliver>;

/** Replaces the deliverer for an opened trace, which sends nothing. */
export const createNoDelivery = (now: () => number): Deliver => ({
  deliver: async () => unanswered(now(), 0, 'not sent: this server shows a trace', {}),
  close: () => undefined,
});

/** The outcome of an attempt that has no answer. */
export const unanswered = (
  sentAt: number,
  durationMs: number,
  error: AttemptOutcome['error'],
  requestHeaders: AttemptOutcome['requestHeaders'],
): AttemptOutcome => ({
  ...{ sentAt, durationMs, statusCode: null, error },
  ...{ requestHeaders, responseHeaders: {}, responseBody: null },
});

/** Posts to receivers over kept connections. Memory and time are bounded, whatever a receiver answers. */
export function createDeliver(now: () => number) {
  const kept = agentsWith({ keepAlive: true });
  const fresh = agentsWith({ keepAlive: false });
  /** Parsed URLs, because most deliveries go to the same few. */
  const targets = new Map<string, Target>();
  let closed = false;

  function targetOf(url: string): Target {
    const known = targets.get(url);
    if (known) return known;
    if (targets.size >= TARGETS) targets.clear();
    const { protocol, hostname, port, path, auth } = urlToHttpOptions(new URL(url));
    const isHere = isLocalhost(hostname ?? '');
    const target = { protocol, hostname, port, path, auth, ...(isHere ? ON_LOCALHOST : ELSEWHERE) };
    targets.set(url, target);
    return target;
  }

  /** Never throws: that a receiver cannot be reached is an outcome too. */
  async function deliver(posting: Posting): Promise<AttemptOutcome> {
    try {
      const target = targetOf(posting.url);
      const outcome = await post(posting, target, kept, now, () => closed);
      // A kept connection that the receiver had closed says nothing about the receiver.
      return outcome === 'stale'
        ? ((await post(posting, target, fresh, now, () => closed)) as AttemptOutcome)
        : outcome;
    } catch (error) {
      // Node takes no such URL or header.
      return unanswered(now(), 0, `the request cannot be made: ${(error as Error).message}`, posting.headers);
    }
  }

  return {
    deliver,
    /** Cuts off the requests under way. */
    close() {
      closed = true;
      for (const agents of [kept, fresh]) {
        agents.http.destroy();
        agents.https.destroy();
        agents.insecure.destroy();
      }
    },
  };
}

/** How many parsed URLs are kept. */
const TARGETS = 1000;
type Target = Pick<RequestOptions, 'protocol' | 'hostname' | 'port' | 'path' | 'auth' | 'lookup'> &
  Pick<TcpNetConnectOpts, 'autoSelectFamilyAttemptTimeout'>;

/**
 * Node gives up an address after 250 ms if there is another one. On this machine, an address where nobody listens refuses
 * at once, and one that takes longer belongs to a busy receiver. Only Windows takes seconds to refuse.
 */
const ON_LOCALHOST = {
  lookup: resolveLocalhost,
  autoSelectFamilyAttemptTimeout: process.platform === 'win32' ? undefined : MINUTE,
};
const ELSEWHERE = { lookup: undefined, autoSelectFamilyAttemptTimeout: undefined };

/**
 * Gives a kept connection to the next request at once. Node's own agent copies the options of each request before it looks
 * for a connection, which takes a twentieth of a delivery.
 */
export class DirectAgent extends HttpAgent {
  override addRequest(request: ClientRequest, options: RequestOptions) {
    const { host, port } = options;
    const name = this.getName({ host, port });
    const free: NodeJS.Dict<Socket[]> = this.freeSockets;
    const socket = free[name]?.pop();
    // An empty list would stay, one for each receiver that ever was.
    if (free[name]?.length === 0) delete free[name];
    if (!socket || socket.destroyed) return super.addRequest(request, options);
    this.reuseSocket(socket, request);
    const inUse: NodeJS.Dict<Socket[]> = this.sockets;
    const others = inUse[name];
    if (others) others.push(socket);
    else inUse[name] = [socket];
    request.onSocket(socket);
  }
}

type Agents = ReturnType<typeof agentsWith>;
const agentsWith = (options: { keepAlive: boolean }) => ({
  http: new DirectAgent(options),
  https: new HttpsAgent(options),
  insecure: new HttpsAgent({ ...options, rejectUnauthorized: false }),
});

function post(
  posting: Posting,
  target: Target,
  agents: Agents,
  now: () => number,
  isCutOff: () => boolean,
): Promise<AttemptOutcome | 'stale'> {
  const sentAt = now();
  const { method = 'POST' } = posting;
  const body = method === 'GET' ? undefined : posting.body;
  const requestHeaders = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    'user-agent': 'layaway-webhooks/1',
    ...posting.headers,
  };
  return new Promise((resolve) => {
    let response: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;

    /** Only the first outcome of a request counts. */
    const finish = (error: string | null, minMs = 0) => {
      clearTimeout(patience);
      resolve({
        sentAt,
        statusCode: response?.statusCode ?? null,
        durationMs: Math.max(minMs, Math.round(now() - sentAt)),
        error,
        requestHeaders,
        responseHeaders: response ? flat(response) : {},
        responseBody: response ? keptOf(Buffer.concat(chunks)) : null,
      });
    };
    const fail = (error: NodeJS.ErrnoException) => {
      if (!response && request.reusedSocket && isHungUp(error) && !isCutOff()) {
        clearTimeout(patience);
        return resolve('stale');
      }
      // Bytes after a complete answer, such as those that its Content-Length does not count, do not spoil it. Its `end`
      // still comes.
      if (response?.complete) return;
      finish(response ? `the response broke off (${reason(error)})` : reason(error));
    };

    const { protocol, hostname, port, path, auth, lookup, autoSelectFamilyAttemptTimeout } = target;
    const isSecure = protocol === 'https:';
    const agent = isSecure ? (posting.insecure ? agents.insecure : agents.https) : agents.http;
    // A literal: copying options by spreading takes a twentieth of a delivery.
    const options = {
      protocol,
      hostname,
      port,
      path,
      auth,
      lookup,
      autoSelectFamilyAttemptTimeout,
      method,
      headers: requestHeaders,
      agent,
    };
    const request: ClientRequest = isSecure ? httpsRequest(options) : httpRequest(options);
    const patience = setTimeout(() => {
      // Node counts whole milliseconds, so that a timer can end a fraction of one early.
      finish(`no complete response within ${posting.timeoutMs / 1000} s`, posting.timeoutMs);
      request.destroy();
    }, posting.timeoutMs);

    request.on('error', fail);
    // After a 101, the connection speaks another protocol, whose answer never ends.
    request.on('upgrade', (answer, socket) => {
      response = answer;
      socket.destroy();
      finish(null);
    });
    request.on('response', (answer) => {
      response = answer;
      answer.on('error', () => finish('the response broke off'));
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > READ_BYTES) {
          finish(null);
          request.destroy();
        }
      });
      answer.on('end', () => finish(answer.complete ? null : 'the response broke off'));
    });
    request.end(body);
  });
}

const isHungUp = ({ code }: NodeJS.ErrnoException) => code === 'ECONNRESET' || code === 'EPIPE';

/** On a machine without ::1, as many containers are, nothing can listen there. */
const lacksIpv6 = ({ code = '', address }: NodeJS.ErrnoException & { readonly address?: string }) =>
  address === '::1' && /^(?:EADDRNOTAVAIL|EAFNOSUPPORT|ENETUNREACH)$/.test(code);

const reason = (error: NodeJS.ErrnoException) => {
  const inner = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  if (isHungUp(inner)) return 'the receiver closed the connection';
  if (lacksIpv6(inner)) return NOBODY_LISTENS;
  if (inner.code?.startsWith('HPE_')) return `not valid HTTP: ${inner.message.replace(/^Parse Error: /, '')}`;
  switch (inner.code) {
    case 'ECONNREFUSED':
      return NOBODY_LISTENS;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return UNKNOWN_HOST;
    case 'EPROTO':
      return handshakeFailure(inner.message);
    default:
      // Node names every host of a certificate that is for others.
      return certificateFault(inner.code) ? `${shortened(inner.message, 300)} (${ACCEPTING})` : inner.message;
  }
};

const ACCEPTING = '`serve`, `listen`, `webhooks add` and `certify` accept it with --insecure';

/** What OpenSSL says when a receiver's first bytes are not TLS. Since Node 22 it calls the data, not the packet, too long. */
const NOT_TLS: ReadonlySet<string> = new Set([
  'wrong version number',
  'packet length too long',
  'data length too long',
]);

/** OpenSSL says `error:<number>:SSL routines:<function>:<reason>:<source file>:<line>:`. */
function handshakeFailure(message: string): string {
  const why = /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
  if (why !== undefined && NOT_TLS.has(why)) return 'the receiver does not speak HTTPS';
  return why === undefined ? message.trim() : `the TLS handshake failed: ${why}`;
}

/** A decoder leaves out the character that the cut went through. */
const keptOf = (answer: Buffer): string =>
  answer.length > KEPT_BYTES
    ? new StringDecoder('utf8').write(answer.subarray(0, KEPT_BYTES))
    : answer.toString('utf8');

const flat = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textOf(value).slice(0, 1024)]));

const textOf = (value: string | string[] = '') => (typeof value === 'string' ? value : value.join(', '));
