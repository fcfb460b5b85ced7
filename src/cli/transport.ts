import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { unreachable, usage } from './exit.ts';

/** Connecting takes less than this, or never ends. */
const CONNECT_MS = 10_000;

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Silence longer than this is given up on. */
  readonly patienceMs: number;
}

export interface Incoming {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request and reads its whole answer. Node's own client rather than `fetch`, which takes longer to load than
 * most commands take to run; and not imported, for an import reads every name of `http`, WebSocket among them.
 * @throws CommandError when no HTTP answer comes
 */
export async function exchange(outgoing: Outgoing): Promise<Incoming> {
  const response = await open(outgoing);
  try {
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: Buffer.concat(await response.toArray()).toString('utf8'),
    };
  } catch (error) {
    throw explain(error, outgoing);
  }
}

/** Sends a request and answers as soon as the head of its answer is there. */
export async function open(outgoing: Outgoing): Promise<IncomingMessage> {
  const { method, url, headers, body, patienceMs } = outgoing;
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  const options: RequestOptions = {
    method,
    agent: false,
    headers: body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(explain(error, outgoing));
    try {
      const sent = request(url, options, resolve);
      sent.on('error', fail);
      sent.setTimeout(CONNECT_MS, () => sent.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
      sent.on('socket', (socket) => socket.once('connect', () => socket.setTimeout(patienceMs)));
      sent.end(body);
    } catch (error) {
      fail(error);
    }
  });
}

function explain(error: unknown, { url, patienceMs }: Outgoing): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const { origin, hostname } = new URL(url);
  if (code === 'ERR_INVALID_CHAR') {
    return usage('A client id, a key or an idempotency key holds a character that no HTTP header can carry.');
  }
  if (code === 'ECONNREFUSED') {
    return unreachable(
      `Nothing answers at ${origin}. Start the simulator with \`layaway serve\`, or name another address with --base-url.`,
      error,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return unreachable(`The host ${hostname} is not known. Check --base-url and the network.`, error);
  }
  if (code === 'ETIMEDOUT') {
    return unreachable(
      `${origin} gave no answer within ${Math.round(patienceMs / 1000)} seconds. Check that the address is right and its server well.`,
      error,
    );
  }
  if (code.startsWith('HPE_')) return otherKind(origin, 'it does not speak HTTP', error);
  if (code === 'EPROTO') return otherKind(origin, 'it does not speak HTTPS', error);
  return unreachable(
    `The connection to ${origin} failed (${code || (error as Error).message}). Check that the server still runs, then try again.`,
    error,
  );
}

/** Somebody answers, but nobody we know. */
export function otherKind(origin: string, why: string, cause?: unknown) {
  return unreachable(
    `The server at ${origin} is not the Layaway Checkout Service: ${why}. Is another program on that port? Name the right address with --base-url.`,
    cause,
  );
}
