/**
 * The load generator. It is a separate process so that it takes no time from the server under test. It writes prepared
 * bytes to raw sockets and only finds the end of an answer: a full HTTP client would cost more than the servers and hide
 * their difference.
 */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { percentile } from './numbers.ts';

/**
 * What to send. In headers and body, `%n` becomes a new number, `%k` a number that changes after 1,000 requests, and
 * `%u` a random UUID. The paths are used in turn.
 */
export interface Load {
  readonly port: number;
  readonly method: string;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly concurrency: number;
  /** When to stop: after a time, or after a number of requests, to bring servers to the same point. */
  readonly stop: { readonly afterMs: number } | { readonly afterRequests: number };
  readonly expectStatus: number;
}

/** What to send, wherever and however often. */
export type Request = Omit<Load, 'port' | 'concurrency' | 'stop'>;

export interface LoadResult {
  readonly requestsPerSecond: number;
  /** 99 % of the requests were answered within this time. */
  readonly p99Ms: number;
  /** The longest wait for an answer. */
  readonly maxMs: number;
}

const UNKNOWN = 0;
const LAST_CHUNK = '\r\n0\r\n\r\n';
const PLACEHOLDER = /(%[nku])/;
const WIDTH = 10;
let counter = Date.now() % 1_000_000_000;
function serial(): string {
  counter += 1;
  return String(counter).padStart(WIDTH, '0');
}

function prepare({ port, method, paths, headers, body = '' }: Load): () => string {
  const length = Buffer.byteLength(fill(body));
  const sent = { host: `127.0.0.1:${port}`, ...headers, ...(body ? { 'content-length': String(length) } : {}) };
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  const parts = ` HTTP/1.1\r\n${head.join('')}\r\n${body}`.split(PLACEHOLDER);
  let turn = 0;
  return () => {
    turn += 1;
    return `${method} ${paths[turn % paths.length]}${fill(parts)}`;
  };
}

function fill(parts: string | readonly string[]): string {
  const n = serial();
  let text = '';
  for (const part of typeof parts === 'string' ? parts.split(PLACEHOLDER) : parts) {
    text += part === '%n' ? n : part === '%k' ? n.slice(0, -3) : part === '%u' ? randomUUID() : part;
  }
  return text;
}

function run(load: Load): Promise<LoadResult> {
  const next = prepare(load);
  const expected = `HTTP/1.1 ${load.expectStatus} `;
  return new Promise((resolve, reject) => {
    let answered = 0;
    const tookMs: number[] = [];
    let open = load.concurrency;
    const startedAt = performance.now();
    const { stop } = load;
    const goesOn = () =>
      'afterMs' in stop ? performance.now() < startedAt + stop.afterMs : answered + open <= stop.afterRequests;

    const callers = Array.from({ length: load.concurrency }, () => caller(connect(load.port, '127.0.0.1')));
    for (const call of callers) call();

    function caller(socket: Socket) {
      socket.setNoDelay(true);
      socket.setEncoding('latin1');
      let received = '';
      let length = -1;
      let sentAt = 0;
      socket.on('error', reject);
      socket.on('data', (chunk: string) => {
        received += chunk;
        if (length < 0) length = lengthOf(received);
        if (length < 0 || received.length < length) return;
        if (length === UNKNOWN && !received.endsWith(LAST_CHUNK)) return;
        if (!received.startsWith(expected)) return reject(new Error(`Unexpected answer:\n${received}`));
        received = '';
        length = -1;
        answered += 1;
        tookMs.push(performance.now() - sentAt);
        if (goesOn()) return call();
        socket.destroy();
        open -= 1;
        if (open > 0) return;
        const seconds = (performance.now() - startedAt) / 1000;
        resolve({
          requestsPerSecond: answered / seconds,
          p99Ms: percentile(tookMs, 99),
          maxMs: percentile(tookMs, 100),
        });
      });
      const call = () => {
        const bytes = next();
        sentAt = performance.now();
        socket.write(bytes);
      };
      return call;
    }
  });
}

/** The length of head and body; -1 while the head is incomplete, UNKNOWN for a chunked answer. */
function lengthOf(received: string): number {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return -1;
  const match = /\r\n(?:content-length: (\d+)|(transfer-encoding: chunked))/i.exec(received);
  return match?.[2] ? UNKNOWN : end + 4 + Number(match?.[1] ?? 0);
}

process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.(result),
    (error: Error) => {
      console.error(error.message);
      process.exit(1);
    },
  );
});
