import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { browseChanges, browseRelated, browseRequests } from '../../operations/browse.ts';
import { getCoverage } from '../../operations/coverage.ts';
import type { Answer, Operation } from '../../operations/operation.ts';
import { getRequest } from '../../operations/requests.ts';
import {
  AskError,
  type Asked,
  actsSoFar,
  askAs,
  askErrorOf,
  askedFor,
  type Data,
  listen,
  pathTo,
  signedOut,
} from './ask.ts';
import { shared } from './shared.ts';

/** `gone`: the account does not exist. */
export type Connection = 'connecting' | 'live' | 'lost' | 'gone';

/** The views read again at most once in this time, however much happens. */
const REFRESH_INTERVAL_MS = 600;
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000];
/** How long the first reads wait for the change stream. */
const PATIENCE_MS = 1_000;

const connection = shared<Connection>('connecting');
export const useConnection = connection.use;

/** Why views read again: something changed, or only a request was logged. */
type Reason = 'change' | 'request';
const versions = { change: shared(0), request: shared(0) };
const owed = new Set<Reason>();
let due: ReturnType<typeof setTimeout> | undefined;
let lastRefreshAt = 0;

const raise = (reason: Reason) => versions[reason].set(versions[reason].get() + 1);

/** Makes the views read again: at once, or after `CALM_MS` since the last time. */
export function refresh(reason: Reason = 'change') {
  owed.add(reason);
  if (due !== undefined) return;
  const wait = Math.max(0, lastRefreshAt + REFRESH_INTERVAL_MS - performance.now());
  due = setTimeout(() => {
    due = undefined;
    lastRefreshAt = performance.now();
    // A request may have caused the change.
    if (owed.has('change')) raise('change');
    raise('request');
    owed.clear();
  }, wait);
}

/**
 * Reads wait at this gate until the change stream is open. After that they cannot miss a change, so nothing has to be
 * read twice. Without a stream to wait for, the gate is open.
 */
interface Gate {
  readonly opened: Promise<void>;
  isOpen: boolean;
  open(): void;
}

let gate = newGate();

function newGate(): Gate {
  let resolve = () => {};
  const opened = new Promise<void>((done) => {
    resolve = done;
  });
  const made: Gate = {
    opened,
    isOpen: false,
    open() {
      made.isOpen = true;
      resolve();
    },
  };
  return made;
}

/** For a page without an account, which has no change stream. */
export const connectToNothing = () => gate.open();

/** Listens for changes in the account while the page is visible. After a pause the views read again. */
export function connect(): () => void {
  if (gate.isOpen) gate = newGate();
  const own = gate;
  const patience = setTimeout(own.open, PATIENCE_MS);
  let abort = new AbortController();
  let ended = false;
  let failures = 0;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  async function run() {
    const mine = abort;
    let isGone = false;
    try {
      await listen(browseChanges, mine.signal, (event, data) => {
        failures = 0;
        connection.set('live');
        const isAwaited = !own.isOpen;
        own.open();
        if ((event === 'open' || event === 'restart') && isReplaced(data)) forgetAll();
        if (event === 'open' && isAwaited) return;
        refresh(event === 'request' ? 'request' : 'change');
      });
    } catch (error) {
      if (mine.signal.aborted) return;
      own.open();
      if (signedOut.get()) return;
      isGone = error instanceof AskError && error.status === 404;
    }
    if (mine.signal.aborted || ended) return;
    own.open();
    // A restore can bring the account back.
    connection.set(isGone ? 'gone' : 'lost');
    waiting = setTimeout(run, RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length - 1)]);
    failures += 1;
  }

  // Browsers limit connections to one host, so a hidden tab closes its stream.
  function look() {
    clearTimeout(waiting);
    abort.abort();
    if (document.hidden || ended) return own.open();
    abort = new AbortController();
    void run();
  }

  // A stream may outlast a lost network, but not the reads of that time.
  const again = () => refresh();

  connection.set('connecting');
  document.addEventListener('visibilitychange', look);
  addEventListener('online', again);
  look();
  return () => {
    ended = true;
    clearTimeout(patience);
    document.removeEventListener('visibilitychange', look);
    removeEventListener('online', again);
    look();
  };
}

/** Operations whose answers contain logged requests or depend on them. */
const SHOWS_REQUESTS: ReadonlySet<Operation> = new Set<Operation>([
  getRequest,
  browseRequests,
  browseRelated,
  getCoverage,
]);

/** The latest answers, so that going back shows a view at once. */
const remembered = new Map<string, unknown>();
const REMEMBERED_MAX = 60;

function remember(key: string, value: unknown) {
  remembered.delete(key);
  remembered.set(key, value);
  for (const oldest of remembered.keys()) {
    if (remembered.size <= REMEMBERED_MAX) break;
    remembered.delete(oldest);
  }
}

/** How often the whole state was replaced by a reset or a restore. */
let epoch = 0;

export function forgetAll() {
  remembered.clear();
  epoch += 1;
}

/** What the stream said last about the state, as text. */
let lastState: string | null = null;

/** Whether a reset or a restore replaced the state since the stream spoke of it, which may be while it was closed. */
function isReplaced(state: string): boolean {
  const before = lastState;
  lastState = state;
  return before !== null && before !== state;
}

export const stateEpoch = () => epoch;

const inFlight = new Map<string, Promise<unknown>>();

/** Shares one request between all simultaneous reads of the same data. */
function readOnce<T>(name: string, read: () => Promise<T>): Promise<T> {
  const running = inFlight.get(name) ?? read().finally(() => inFlight.delete(name));
  inFlight.set(name, running);
  return running as Promise<T>;
}

export interface Read<T> {
  readonly data: T | undefined;
  readonly error: AskError | null;
  /** When it was read, by `performance.now()`. */
  readonly at: number;
  /** Whether this view read it; otherwise an earlier view did. */
  readonly isFresh: boolean;
  /** How many of this page's changes it includes. */
  readonly acts: number;
  /** How often the state had been replaced when it was read. */
  readonly epoch: number;
  reload(): void;
  /** Shows what a change has answered, until the next read. */
  put(data: T): void;
}

/** The first read once the others have data too, so that nothing on the page moves. Until then, one that still lacks it. */
export function onceWith<T>(read: Read<T>, ...others: readonly Read<unknown>[]): Read<T> {
  const missing = [read, ...others].filter(({ data }) => data === undefined);
  const shown = missing.find(({ error }) => error) ?? missing[0];
  return shown ? { ...shown, data: undefined } : read;
}

/** An optional read: its data is null if the simulator refuses it. */
export const ifThere = <T>(read: Read<T>): Read<T | null> =>
  read.data === undefined && read.error ? { ...read, data: null, error: null } : read;

/** Keeps a list on the page until the list with the next filter has arrived, but none that was refused meanwhile. */
export function useKept<T>(read: Read<T>): Read<T> {
  const kept = useRef<{ account: string; data: T } | null>(null);
  const account = askedFor();
  if (read.data !== undefined) kept.current = { account, data: read.data };
  else if (read.error) kept.current = null;
  if (read.data !== undefined || kept.current?.account !== account) return read;
  return { ...read, data: kept.current.data };
}

/** Reads the `data` of an operation. */
export function useRead<O extends Operation>(operation: O, ...input: Asked<O> | [input: null]): Read<Data<O>> {
  const { data, put, ...read } = useReadWhole(operation, ...input);
  return {
    ...read,
    data: (data as { readonly data: Data<O> } | undefined)?.data,
    put: (data) => put({ data } as Answer<O>),
  };
}

/**
 * Reads an operation, and reads it again whenever something changes. Old data stays until new data arrives, or until the
 * simulator refuses to give it. The input null reads nothing.
 */
export function useReadWhole<O extends Operation>(operation: O, ...[input]: Asked<O> | [input: null]): Read<Answer<O>> {
  type T = Answer<O>;
  const path = input === null ? null : pathTo(operation, input);
  const now = versions[SHOWS_REQUESTS.has(operation) ? 'request' : 'change'].use();
  const account = askedFor();
  const name = `${account} ${path}`;
  const [state, setState] = useState<Omit<Read<T>, 'reload' | 'put'> & { readonly name: string }>({
    name,
    data: remembered.get(name) as T | undefined,
    error: null,
    at: performance.now(),
    isFresh: false,
    acts: 0,
    epoch,
  });
  const asked = useRef(input);
  asked.current = input;
  const [wish, setWish] = useState(0);
  const flying = useRef<{ name: string; again: boolean } | null>(null);
  const alive = useRef(true);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);

  // A new `now` or `wish` reads again.
  useEffect(() => {
    if (path === null) return;
    if (flying.current?.name === name) {
      flying.current.again = true;
      return;
    }
    const mine = { name, again: false };
    flying.current = mine;
    void (async () => {
      do {
        mine.again = false;
        try {
          await gate.opened;
          const [acts, began] = [actsSoFar(), epoch];
          const read = () => askAs(account, null, operation, ...([asked.current] as unknown as Asked<O>));
          const data = await readOnce(`${name} ${now} ${wish}`, read);
          if (flying.current !== mine || !alive.current) return;
          remember(name, data);
          setState({ name, data, error: null, at: performance.now(), isFresh: true, acts, epoch: began });
        } catch (thrown) {
          if (flying.current !== mine || !alive.current) return;
          const error = askErrorOf(thrown);
          // Data that no longer exists, as after a reset, is not shown.
          const isRefused = error.status >= 400 && error.status < 500;
          if (isRefused) remembered.delete(name);
          setState((old) => ({
            name,
            data: old.name === name && !isRefused ? old.data : undefined,
            error,
            at: performance.now(),
            isFresh: old.name === name && old.isFresh,
            acts: old.acts,
            epoch: old.epoch,
          }));
        }
      } while (mine.again);
      flying.current = null;
    })();
  }, [name, now, wish, path, operation]);

  const reload = useCallback(() => setWish((n) => n + 1), []);
  const put = (data: T) => {
    // A read under way may be older.
    flying.current = null;
    remember(name, data);
    setState({ name, data, error: null, at: performance.now(), isFresh: true, acts: actsSoFar(), epoch });
  };
  if (state.name !== name) {
    const data = remembered.get(name) as T | undefined;
    return { data, error: null, at: performance.now(), isFresh: false, acts: 0, epoch, reload, put };
  }
  const { name: _, ...read } = state;
  return { ...read, reload, put };
}
