/** One answered request as the log keeps it: texts as they came, redacted when they are read. */
export interface LoggedRequest {
  readonly number: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestHeaders: Readonly<Record<string, unknown>>;
  readonly requestBody: unknown;
  readonly responseBody: string | null;
  readonly clientId: string | null;
}

/** Requests kept; older ones are forgotten. */
const KEPT = 2_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The latest requests under `/v1`, in memory: traffic, not state. */
export function createRequestLog() {
  const ring: LoggedRequest[] = [];
  let count = 0;

  return {
    add(request: Omit<LoggedRequest, 'number'>) {
      count += 1;
      ring[(count - 1) % KEPT] = { ...request, number: count };
    },
    /** Newest first, or oldest first from just after `afterNumber`. */
    list(limit: number, afterNumber: number | null, matches: (request: LoggedRequest) => boolean): LoggedRequest[] {
      const first = Math.max(1, count - KEPT + 1);
      const found: LoggedRequest[] = [];
      if (afterNumber === null) {
        for (let n = count; n >= first && found.length < limit; n -= 1) take(n);
      } else {
        for (let n = Math.max(first, afterNumber + 1); n <= count && found.length < limit; n += 1) take(n);
      }
      return found;

      function take(n: number) {
        const request = ring[(n - 1) % KEPT] as LoggedRequest;
        if (matches(request)) found.push(request);
      }
    },
    latest: () => count,
  };
}

const SECRET_HEADERS = new Set(['x-api-key', 'authorization', 'cookie']);

/** Secrets are shown by their first characters only. */
export const redacted = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name) ? `${String(value).slice(0, 12)}…` : value,
    ]),
  );
