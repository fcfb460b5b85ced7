import { UNLOGGED } from '../../domain/cause.ts';
import { type LogPart, partsOf } from '../../domain/log-entry.ts';
import { keepable, type LoggedRequest, packed, type ToLog, unpacked } from './logged-request.ts';

/** Stores the log while no server runs. */
export interface LogShelf {
  read(): readonly LogPart[];
  /** The highest number that rows of the state name; 0 if none does. */
  lastNamed(): number;
  add(part: LogPart, kept: number, keptBytes: number): void;
}

export interface LogOptions {
  /** Null: the log is only in memory. */
  readonly shelf?: LogShelf | null;
  /** False: no request is logged. */
  readonly isOn?: boolean;
  /** Calls `work` once, `ms` of real time from now. */
  after?(ms: number, work: () => void): unknown;
}

/** How many requests the log holds, and how many bytes at most. */
const KEPT = 2_000;
const SIZE = 4 * 2 ** 20;
/** The logs of most tests never need more. */
const FIRST_SIZE = 2 ** 16;
/**
 * How many numbers can be looked up directly. There are more than entries, because a request that is answered late has
 * a number far below those of its neighbours.
 */
const FOUND = 8 * KEPT;
/**
 * New entries are written to the state after a quiet time, or after a number of such waits. Under load, most of them
 * have been overwritten by then and are never written. They are written in parts with pauses, so that no part blocks
 * other requests for long.
 */
const QUIET_MS = 2_000;
const WAITS = 5;
const PART_AFTER_MS = 25;
const PART = 200;
const LOST_MAX = 100_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

/**
 * The latest requests under `/v1`, in memory. They are stored as bytes in a ring that grows to its full size: thousands
 * of long-lived objects would slow down every garbage collection and make the heap several times larger.
 *
 * A request gets its number when it first writes a row, because the row contains the number; otherwise when it is
 * answered. Its place in the log follows the order of the answers, so that a reader who goes forward misses none.
 */
export function createRequestLog({ shelf = null, isOn = true, after = () => undefined }: LogOptions = {}) {
  let ring = Buffer.allocUnsafeSlow(FIRST_SIZE);
  /** By `place % KEPT`: the number of the request, its start (counted over all rounds of the ring) and its length. */
  const numbers = new Float64Array(KEPT);
  const starts = new Float64Array(KEPT);
  const lengths = new Uint32Array(KEPT);
  /** The place of a request, by `number % FOUND`. */
  const places = new Float64Array(FOUND);
  const listeners = new Set<(clientId: string | null) => void>();
  /** How many places have been filled, and how many numbers given out. */
  let count = 0;
  let given = 0;
  let end = 0;
  /** The last place that has been written to the state. */
  let written = 0;
  let isAwaited = false;

  function write(number: number, text: string) {
    const left = SIZE - (end % SIZE);
    let start = end;
    // A character takes at most three bytes. Most texts fit even so, and need not be counted.
    if (3 * text.length > left) {
      const needed = Buffer.byteLength(text);
      if (needed > SIZE) return false;
      if (needed > left) start += left;
    }
    makeRoom(start < SIZE ? start + 3 * text.length : SIZE);
    const length = ring.write(text, start % SIZE);
    count += 1;
    numbers[count % KEPT] = number;
    places[number % FOUND] = count;
    starts[count % KEPT] = start;
    lengths[count % KEPT] = length;
    end = start + length;
    return true;
  }

  /** During the first round, entries already have their final position in the full ring. */
  function makeRoom(bytes: number) {
    if (bytes <= ring.length || ring.length === SIZE) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(SIZE, Math.max(bytes, 4 * ring.length)));
    ring.copy(larger);
    ring = larger;
  }

  function textAt(place: number): string | null {
    const start = starts[place % KEPT] as number;
    if (start < end - SIZE) return null;
    return ring.toString('utf8', start % SIZE, (start % SIZE) + (lengths[place % KEPT] as number));
  }

  function read(place: number): LoggedRequest | null {
    const text = textAt(place);
    return text === null ? null : { ...unpacked(text), number: numbers[place % KEPT] as number };
  }

  /** Writes the new entries to the state, up to a place. */
  function writeDown(target: number) {
    const texts: string[] = [];
    for (let place = Math.max(written + 1, count - KEPT + 1); place <= target; place += 1) {
      const request = read(place);
      if (request) texts.push(keepable(request));
    }
    if (texts.length > 0) shelf?.add({ last: target, given, texts }, KEPT, SIZE);
    written = target;
  }

  function flush() {
    if (written < count) writeDown(count);
  }

  function round(last: number) {
    const from = Math.max(written, count - KEPT);
    const target = Math.min(from + PART, last);
    if (written < target) writeDown(target);
    if (written < last) after(PART_AFTER_MS, () => round(last));
    else isAwaited = false;
    if (written < count) awaitRound();
  }

  function awaitRound() {
    if (!shelf || isAwaited) return;
    isAwaited = true;
    awaitQuiet(WAITS);
  }

  function awaitQuiet(waits: number) {
    const seen = count;
    after(QUIET_MS, () => (count === seen || waits === 1 ? round(count) : awaitQuiet(waits - 1)));
  }

  /** Loads the log of an earlier server. */
  function load(parts: readonly LogPart[]) {
    const requests = parts.reduce((sum, { texts }) => sum + texts.length, 0);
    count = Math.max(0, (parts.at(-1)?.last ?? 0) - requests);
    for (const { texts } of parts) {
      for (const text of texts) {
        const { head, answer } = partsOf(text);
        const { number, isAnswered, ...request } = JSON.parse(head);
        write(number, packed({ ...request, responseBody: isAnswered ? answer : null }));
      }
    }
    written = count;
  }

  const kept = shelf?.read() ?? [];
  if (isOn) load(kept);
  // A server that was killed may have given out more numbers than it wrote down, and may have written down none.
  const named = Math.max(kept.at(-1)?.given ?? 0, shelf?.lastNamed() ?? 0);
  if (named > 0) given = named + LOST_MAX;

  /** Null if the request was dropped or never logged. */
  function placeOf(number: number): number | null {
    const place = places[number % FOUND] as number;
    return place >= 1 && place > count - KEPT && numbers[place % KEPT] === number ? place : null;
  }

  function nextNumber(): number {
    if (!isOn) return UNLOGGED;
    given += 1;
    return given;
  }

  return {
    nextNumber,
    add(request: ToLog, number = nextNumber()) {
      if (!isOn) return;
      const isWhole = write(number, packed(request));
      if (!isWhole) write(number, packed({ ...request, requestText: null, requestBody: null, responseBody: null }));
      for (const listener of listeners) listener(request.clientId);
      awaitRound();
    },
    flush,
    /** Calls `listener` with the account of each new request. */
    subscribe(listener: (clientId: string | null) => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Null if the request was dropped or never logged. */
    get(number: number): LoggedRequest | null {
      const place = placeOf(number);
      return place === null ? null : read(place);
    },
    placeOf,
    isOn,
    /** Older than every request that the log holds. Such a number need not have been given out. */
    isOlder(number: number): boolean {
      let place = Math.max(1, count - KEPT + 1);
      while (place <= count && (starts[place % KEPT] as number) < end - SIZE) place += 1;
      return number >= 1 && place <= count && number < (numbers[place % KEPT] as number);
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
      const first = Math.max(1, count - KEPT + 1);
      const found: LoggedRequest[] = [];
      if (afterNumber === null) {
        for (let n = count; n >= first && found.length < limit; n -= 1) take(n);
      } else {
        const seen = placeOf(afterNumber) ?? 0;
        for (let n = Math.max(first, seen + 1); n <= count && found.length < limit; n += 1) take(n);
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
      for (let place = count; place > Math.max(0, count - KEPT); place -= 1) {
        if (!textAt(place)?.includes('\ncookie\n')) continue;
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
