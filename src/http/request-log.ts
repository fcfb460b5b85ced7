import type { FaultMark } from '../domain/faults.ts';
import { maskedHeaders, maskedText } from './masked.ts';

/** One request and its answer. What is kept with the state was masked before; the rest is masked when it is read. */
export interface LoggedRequest {
  /** What its id is made of. */
  readonly number: number;
  readonly at: number;
  /** The clock of its account then. */
  readonly clockAt?: number;
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
  /** It comes from the state, where secrets never were. */
  readonly isMasked?: true;
}

/** Requests that are written to the state together, each a text. */
export interface LogPart {
  /** The place of the last one, and the last number given out by then. */
  readonly last: number;
  readonly given: number;
  readonly texts: readonly string[];
}

/** Where the log is kept while no server runs. */
export interface LogShelf {
  read(): readonly LogPart[];
  add(part: LogPart, kept: number, keptBytes: number): void;
}

export interface LogOptions {
  /** Null keeps it in memory only. */
  readonly shelf?: LogShelf | null;
  /** False: nothing is logged. */
  readonly isOn?: boolean;
  /** Calls `work` once, `ms` of real time from now. */
  after?(ms: number, work: () => void): unknown;
}

/** The log holds so many requests, or as many of the latest as fit into so many bytes. */
const KEPT = 2_000;
const SIZE = 4 * 2 ** 20;
/** Most logs of a test never need more. */
const FIRST_SIZE = 2 ** 16;
/** Numbers that are looked up directly: requests that are answered long after others came make them lie apart. */
const FOUND = 8 * KEPT;
/**
 * What came is written to the state when it has been quiet for so long, or after so many waits: under load most of it has
 * been overtaken by then and never costs anything. A round writes part by part, so that none keeps others waiting.
 */
const QUIET_MS = 2_000;
const WAITS = 5;
const PART_AFTER_MS = 25;
const PART = 200;
const LOST_MAX = 100_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

/**
 * The latest requests under `/v1`, in memory. They are kept as bytes in one ring, which grows to its size: objects that live on for thousands of
 * requests would make each collection dearer, and the heap several times larger.
 *
 * A request is numbered when it first writes something, for what it writes names it, or else when it was answered. Its
 * place in the log follows the answers, so that whoever reads forward misses none.
 */
export function createRequestLog({ shelf = null, isOn = true, after = () => undefined }: LogOptions = {}) {
  let ring = Buffer.allocUnsafeSlow(FIRST_SIZE);
  /** Of the request at the n-th place, at `n % KEPT`: its number, where it begins, counted over every round, its length. */
  const numbers = new Float64Array(KEPT);
  const starts = new Float64Array(KEPT);
  const lengths = new Uint32Array(KEPT);
  /** Of the n-th number, at `n % FOUND`. */
  const places = new Float64Array(FOUND);
  const listeners = new Set<(clientId: string | null) => void>();
  /** Places that were filled, and numbers that were given. */
  let count = 0;
  let given = 0;
  let end = 0;
  /** The last place that is in the state, and what is not there yet. */
  let written = 0;
  let isAwaited = false;

  /** The text in front of the answer, which is text already. */
  function write(number: number, head: string, answer: string) {
    const text = `${head}\n${answer}`;
    const left = SIZE - (end % SIZE);
    let start = end;
    // No character takes more than three bytes: most texts surely fit, and need no counting beforehand.
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

  /** In the first round, what is kept stands where it will stand in the whole ring. */
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
    if (text === null) return null;
    const newline = text.indexOf('\n');
    const { isAnswered, ...head } = JSON.parse(text.slice(0, newline));
    const number = numbers[place % KEPT] as number;
    return { ...head, number, responseBody: isAnswered ? text.slice(newline + 1) : null };
  }

  /** Writes what came since to the state, up to a place. */
  function writeDown(target: number) {
    const texts: string[] = [];
    for (let place = Math.max(written + 1, count - KEPT + 1); place <= target; place += 1) {
      const text = textAt(place);
      if (text !== null) texts.push(keepable(numbers[place % KEPT] as number, text));
    }
    if (texts.length > 0) shelf?.add({ last: target, given, texts }, KEPT, SIZE);
    written = target;
  }

  function flush() {
    if (written < count) writeDown(count);
  }

  function round(end: number) {
    const from = Math.max(written, count - KEPT);
    const target = Math.min(from + PART, end);
    if (written < target) writeDown(target);
    if (written < end) after(PART_AFTER_MS, () => round(end));
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

  /** What an earlier server logged. */
  function load(parts: readonly LogPart[]) {
    const requests = parts.reduce((sum, { texts }) => sum + texts.length, 0);
    count = Math.max(0, (parts.at(-1)?.last ?? 0) - requests);
    for (const { texts } of parts) {
      for (const text of texts) {
        const newline = text.indexOf('\n');
        const { number, ...head } = JSON.parse(text.slice(0, newline));
        write(number, JSON.stringify(head), text.slice(newline + 1));
      }
    }
    written = count;
  }

  const kept = shelf?.read() ?? [];
  if (isOn) load(kept);
  // A server that was killed may have given more than it wrote down.
  for (const part of kept) given = part.given + LOST_MAX;

  /** Null when it is no longer kept, or never was. */
  function placeOf(number: number): number | null {
    const place = places[number % FOUND] as number;
    return place >= 1 && place > count - KEPT && numbers[place % KEPT] === number ? place : null;
  }

  function nextNumber(): number {
    if (!isOn) return 0;
    given += 1;
    return given;
  }

  return {
    nextNumber,
    add({ responseBody, ...request }: Omit<LoggedRequest, 'number'>, number = nextNumber()) {
      if (!isOn) return;
      const head = { ...request, isAnswered: responseBody !== null };
      const isWhole = write(number, JSON.stringify(head), responseBody ?? '');
      if (!isWhole) write(number, JSON.stringify({ ...head, requestBody: null, isAnswered: false }), '');
      for (const listener of listeners) listener(request.clientId);
      awaitRound();
    },
    flush,
    /** Calls `listener` with the account of every further request. */
    subscribe(listener: (clientId: string | null) => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Null when it is no longer kept, or never was. */
    get(number: number): LoggedRequest | null {
      const place = placeOf(number);
      return place === null ? null : read(place);
    },
    placeOf,
    /** Newest first, or oldest first from just after the request numbered `afterNumber`, from the first if it is forgotten. */
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
        const after = placeOf(afterNumber) ?? 0;
        for (let n = Math.max(first, after + 1); n <= count && found.length < limit; n += 1) take(n);
      }
      return found;

      function take(n: number) {
        const request = read(n);
        if (request && matches(request, n)) found.push(request);
      }
    },
    /** The last number that was given, also by an earlier server on the same state. */
    latest: () => given,
    /** From now on, every number that is given is greater than this one. */
    goOnAfter(number: number) {
      given = Math.max(given, number);
    },
  };
}

/** A text that needs no look at each header: at most an API key of the usual form, which every text loses. */
const OTHER_SECRET =
  /(?:authorization|cookie|token|secret|password)":"|api[-_]?key":"(?!sk_(?:test|live)_[A-Za-z0-9]{16,}")/;

/** A text as it is kept: with its number, and without secrets. */
function keepable(number: number, text: string): string {
  const head = text.slice(0, text.indexOf('\n'));
  const safe = OTHER_SECRET.test(head) ? withoutSecretHeaders(head) : head;
  return maskedText(`{"number":${number},"isMasked":true,${safe.slice(1)}${text.slice(head.length)}`);
}

function withoutSecretHeaders(text: string): string {
  const { requestHeaders, ...head } = JSON.parse(text);
  return JSON.stringify({ ...head, requestHeaders: maskedHeaders(requestHeaders) });
}
