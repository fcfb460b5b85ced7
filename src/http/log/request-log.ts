import { UNLOGGED } from '../../domain/cause.ts';
import { type LogPart, partsOf } from '../../domain/log-entry.ts';
import { keepable, type LoggedRequest, packed, type ToLog, unpacked } from './logged-request.ts';
import { createRing } from './ring.ts';
import { createWriting, type LogShelf } from './writing.ts';

export interface LogOptions {
  /** Null: the log is only in memory. */
  readonly shelf?: LogShelf | null;
  /** False: no request is logged. */
  readonly isOn?: boolean;
  /** Calls `work` once, `ms` of real time from now. */
  after?(ms: number, work: () => void): unknown;
}

/** How many numbers a server that was killed may have given out without writing them down. */
const LOST_MAX = 100_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

/**
 * The latest requests under `/v1`, in memory.
 *
 * A request gets its number when it first writes a row, because the row contains the number; otherwise when it is
 * answered. Its place in the log follows the order of the answers, so that a reader who goes forward misses none.
 */
export function createRequestLog({ shelf = null, isOn = true, after = () => undefined }: LogOptions = {}) {
  const kept = shelf?.read() ?? [];
  const { last: lastPlace = 0 } = kept.at(-1) ?? {};
  const ring = createRing(Math.max(0, lastPlace - kept.reduce((sum, { texts }) => sum + texts.length, 0)));
  const listeners = new Set<(clientId: string | null) => void>();
  /** How many numbers were given out. */
  let given = 0;
  const writing = createWriting(ring, { read: keepableAt, given: () => given, shelf, after });

  function read(place: number): LoggedRequest | null {
    const text = ring.textAt(place);
    return text === null ? null : { ...unpacked(text), number: ring.numberAt(place) };
  }

  function keepableAt(place: number): string | null {
    const request = read(place);
    return request && keepable(request);
  }

  /** Loads the log of an earlier server. */
  function load(parts: readonly LogPart[]) {
    for (const { texts } of parts) {
      for (const text of texts) {
        const { head, answer } = partsOf(text);
        const { number, isAnswered, ...request } = JSON.parse(head);
        ring.write(number, packed({ ...request, responseBody: isAnswered ? answer : null }));
      }
    }
    writing.beginHere();
  }

  if (isOn) load(kept);
  // A server that was killed may have given out more numbers than it wrote down, and may have written down none.
  const named = Math.max(kept.at(-1)?.given ?? 0, shelf?.lastNamed() ?? 0);
  if (named > 0) given = named + LOST_MAX;

  function nextNumber(): number {
    if (!isOn) return UNLOGGED;
    given += 1;
    return given;
  }

  return {
    nextNumber,
    add(request: ToLog, number = nextNumber()) {
      if (!isOn) return;
      const isWhole = ring.write(number, packed(request));
      if (!isWhole)
        ring.write(number, packed({ ...request, requestText: null, requestBody: null, responseBody: null }));
      for (const listener of listeners) listener(request.clientId);
      writing.writeSoon();
    },
    flush: writing.flush,
    /** Calls `listener` with the account of each new request. */
    subscribe(listener: (clientId: string | null) => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Null if the request was dropped or never logged. */
    get(number: number): LoggedRequest | null {
      const place = ring.placeOf(number);
      return place === null ? null : read(place);
    },
    /** Null if the request was dropped or never logged. */
    placeOf: ring.placeOf,
    isOn,
    /** Older than every request that the log holds. Such a number need not have been given out. */
    isOlder(number: number): boolean {
      let place = ring.oldest();
      while (place <= ring.last() && ring.isOverwritten(place)) place += 1;
      return number >= 1 && place <= ring.last() && number < ring.numberAt(place);
    },
    /**
     * Newest first; or oldest first from just after the request numbered `afterNumber`, or from the oldest if that was
     * dropped.
     */
    list(
      limit: number,
      afterNumber: number | null,
      matches: (request: LoggedRequest, place: number) => boolean,
    ): LoggedRequest[] {
      const [oldest, latest] = [ring.oldest(), ring.last()];
      const found: LoggedRequest[] = [];
      if (afterNumber === null) {
        for (let n = latest; n >= oldest && found.length < limit; n -= 1) take(n);
      } else {
        const seen = ring.placeOf(afterNumber) ?? 0;
        for (let n = Math.max(oldest, seen + 1); n <= latest && found.length < limit; n += 1) take(n);
      }
      return found;

      function take(n: number) {
        const request = read(n);
        if (request && matches(request, n)) found.push(request);
      }
    },
    /** The Cookie headers of this server's requests, newest first. Those of earlier servers are masked. */
    cookies(): string[] {
      const found = new Set<string>();
      for (let place = ring.last(); place >= ring.oldest(); place -= 1) {
        if (!ring.textAt(place)?.includes('\ncookie\n')) continue;
        const { requestHeaders, isMasked } = read(place) as LoggedRequest;
        if (!isMasked && typeof requestHeaders.cookie === 'string') found.add(requestHeaders.cookie);
      }
      return [...found];
    },
    /** The last number given out, including those of earlier servers on the same state. */
    latest: () => given,
    /** Makes every later number greater than this one. */
    goOnAfter(number: number) {
      given = Math.max(given, number);
    },
  };
}
