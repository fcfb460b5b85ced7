import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';

/** Connecting takes less than this, or never ends. */
const CONNECT_MS = 10_000;

/** No answer of layaway is larger: a list of a thousand events with the largest metadata is less than half of it. */
const ANSWER_BYTES_MAX = 256 * 2 ** 20;
export const TOO_LARGE = 'ANSWER_TOO_LARGE';
/** The code of an answer that is a stream. */
export const ENDLESS = 'ANSWER_ENDLESS';

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  /** A list is sent as one header line for each value. */
  readonly headers: Record<string, string | string[]>;
  readonly body?: string;
  /** `exchange` gives up a whole answer that takes longer than this, and `open` a silence. */
  readonly timeoutMs: number;
  /** Accepts any certificate. */
  readonly insecure?: boolean;
}

export interface Incoming {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type Exchange = (outgoing: Outgoing) => Promise<Incoming>;

/**
 * Sends a request and reads its whole answer; an answer that trickles in is given up, too. It uses Node's own client,
 * loaded when it is first needed: `fetch` takes longer to load than most commands take to run.
 */
export const exchange: Exchange = async (outgoing) => {
  const signal = AbortSignal.timeout(outgoing.timeoutMs);
  try {
    const response = await open(outgoing, signal);
    if (response.headers['content-type']?.startsWith('text/event-stream')) throw endless(response);
    return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) };
  } catch (error) {
    throw signal.aborted ? timedOut() : error;
  }
};

/** Reads the whole body. One that would fill the memory is given up. Listeners take less time than an iterator. */
export const textOf = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) response.destroy(tooLarge());
      else chunks.push(chunk);
    });
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.on('error', reject);
  });

const tooLarge = () => Object.assign(new Error('its response is larger than 256 MiB'), { code: TOO_LARGE });
const endless = (response: IncomingMessage) => {
  response.destroy();
  return Object.assign(new Error('its response is a stream of events, which never ends'), { code: ENDLESS });
};
const timedOut = () => Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' });

/**
 * Sends a request and answers as soon as the head of its answer is there. Only a timeout among the options also counts
 * while the socket connects.
 */
export const open = (
  { method, url, headers, body, timeoutMs, insecure = false }: Outgoing,
  signal?: AbortSignal,
  connectMs = CONNECT_MS,
): Promise<IncomingMessage> => {
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  const options: RequestOptions = {
    method,
    agent: false,
    timeout: connectMs,
    ...(signal ? { signal } : {}),
    ...(insecure ? { rejectUnauthorized: false } : {}),
    headers: body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, resolve);
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(timedOut()));
    sent.on('socket', (socket) => socket.once('connect', () => socket.setTimeout(timeoutMs)));
    sent.end(body);
  });
};
