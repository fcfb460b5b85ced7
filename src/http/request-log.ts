import type { FaultMark } from '../domain/faults.ts';

/** One request and its answer: texts as they came, masked when they are read. */
export interface LoggedRequest {
  readonly number: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Null when a fault lost the request. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestHeaders: Readonly<Record<string, unknown>>;
  readonly requestBody: unknown;
  readonly responseBody: string | null;
  readonly clientId: string | null;
  /** What struck it. */
  readonly fault: FaultMark | null;
}

/** The log holds so many requests, or as many of the latest as fit into so many bytes. */
const KEPT = 2_000;
const SIZE = 4 * 2 ** 20;

export type RequestLog = ReturnType<typeof createRequestLog>;

/**
 * The latest requests under `/v1`, in memory: traffic, not state. They are kept as bytes in one ring: objects that live
 * on for thousands of requests would make each collection dearer, and the heap several times larger.
 */
export function createRequestLog() {
  const ring = Buffer.allocUnsafeSlow(SIZE);
  /** Of the n-th request at `n % KEPT`: where it begins, counted over every round of the ring, and its length. */
  const starts = new Float64Array(KEPT);
  const lengths = new Uint32Array(KEPT);
  const listeners = new Set<(clientId: string | null) => void>();
  let count = 0;
  let end = 0;

  /** Reserved, and not written yet. */
  const open = new Set<number>();

  function reserve(): number {
    count += 1;
    starts[count % KEPT] = Number.NEGATIVE_INFINITY;
    open.add(count);
    return count;
  }

  /** The text in front of the answer, which is text already. */
  function write(number: number, head: string, answer: string) {
    // So many came meanwhile that its place was taken.
    if (number <= count - KEPT) return true;
    const text = `${head}\n${answer}`;
    const length = Buffer.byteLength(text);
    if (length > SIZE) return false;
    const left = SIZE - (end % SIZE);
    const start = length > left ? end + left : end;
    ring.write(text, start % SIZE);
    starts[number % KEPT] = start;
    lengths[number % KEPT] = length;
    end = start + length;
    return true;
  }

  function read(number: number): LoggedRequest | null {
    const start = starts[number % KEPT] as number;
    if (start < end - SIZE) return null;
    const text = ring.toString('utf8', start % SIZE, (start % SIZE) + (lengths[number % KEPT] as number));
    const newline = text.indexOf('\n');
    const { isAnswered, ...head } = JSON.parse(text.slice(0, newline));
    return { ...head, number, responseBody: isAnswered ? text.slice(newline + 1) : null };
  }

  return {
    /** Its number before it has ended, for what is written down about it. Then it has to be added. */
    reserve,
    /** Under the number that was reserved for it, otherwise the next one. */
    add({ responseBody, ...request }: Omit<LoggedRequest, 'number'>, number = reserve()) {
      open.delete(number);
      const head = { ...request, isAnswered: responseBody !== null };
      const isWhole = write(number, JSON.stringify(head), responseBody ?? '');
      if (!isWhole) write(number, JSON.stringify({ ...head, requestBody: null, isAnswered: false }), '');
      for (const listener of listeners) listener(request.clientId);
    },
    /** Calls `listener` with the account of every further request. */
    subscribe(listener: (clientId: string | null) => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Null when it is not kept any more, or never was. */
    get: (number: number) => (number > count - KEPT && number >= 1 && number <= count ? read(number) : null),
    /** Newest first, or oldest first from just after `afterNumber`. */
    list(limit: number, afterNumber: number | null, matches: (request: LoggedRequest) => boolean): LoggedRequest[] {
      const first = Math.max(1, count - KEPT + 1);
      const found: LoggedRequest[] = [];
      if (afterNumber === null) {
        for (let n = count; n >= first && found.length < limit; n -= 1) take(n);
      } else {
        // Who reads on from here must not pass by one that is still under way.
        for (let n = Math.max(first, afterNumber + 1); n <= count && found.length < limit && !open.has(n); n += 1)
          take(n);
      }
      return found;

      function take(n: number) {
        const request = read(n);
        if (request && matches(request)) found.push(request);
      }
    },
    latest: () => count,
  };
}
