import { SECOND } from '../domain/calendar.ts';
import {
  type Arrival,
  type FindingRule,
  ignoresRetryAfter,
  isStorm,
  NOTICED_MS,
  POLLS_MAX,
  type Wait,
  withinStorm,
} from '../domain/findings.ts';
import type { Account } from '../domain/merchant.ts';
import type { Shown } from '../domain/situations.ts';
import type { World } from './world.ts';

/** One request of a store to an operation of the service, with its answer. */
export interface Request {
  readonly operation: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The token of the session in its path, which it reads. */
  readonly session: string | null;
  /** The status that the store gets; null if it gets no answer, or only a part of one. */
  readonly status: number | null;
  /** The reason of a 403, or the status of the contract that could not be cancelled. */
  readonly detail: string | null;
  /** A fault refused it, although the service would not have. */
  readonly isThrottledByFault: boolean;
  /** Facts from a successful answer. */
  readonly shown: Shown | null;
  readonly answer: string | null;
  readonly key: string | null;
  /** The parsed body, up to where it was read. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** The operation takes a body, and it was not read, so that nothing is known of it. */
  readonly isBodyUnread: boolean;
  readonly hasUnknownField: boolean;
  readonly retryAfterSeconds: number | null;
  /** In real time. */
  readonly arrivedAt: number;
  readonly answeredAt: number;
  /** Its id in the request log. Only called if the request shows something for the first time. */
  id(): string;
}

/** How a request has been repeated. It describes traffic, not state, so a restart may lose it. */
interface Repetition {
  arrivals: readonly Arrival[];
  wait: Wait;
  answer: string | null;
  reads: number;
}

/** How many are kept; the one that was unused for longest is dropped first. */
const KEPT = 1000;

const NO_WAIT: Wait = { from: 0, until: 0 };

/** Finds mistakes in how stores repeat their requests (interface §9). */
export function createRepeatedRequests({ store, clocks, digest }: Pick<World, 'store' | 'clocks' | 'digest'>) {
  const repetitions = new Map<string, Repetition>();

  /** The findings that follow from this request and earlier ones like it. */
  function findingsOf({ id: accountId }: Account, request: Request): FindingRule[] {
    const { method, url, key, body, arrivedAt, answeredAt, retryAfterSeconds, status, answer } = request;
    // Whether another request is the same one cannot be told.
    if (request.isBodyUnread && key === null) return [];
    const isRead = isResource(request);
    // Every name stays in memory, so a body is replaced by its digest.
    const content = key ?? (body && String(digest.sha256(JSON.stringify(body))));
    // These reads ignore the query and the key, which some clients make new for every request.
    // One string: a template would keep the headers of the request in memory.
    const path = url.split('?', 1)[0] as string;
    const repetition = repetitionOf([accountId, method, ...(isRead ? [path] : [url, content])].join(' '));
    const found: FindingRule[] = [];
    if (ignoresRetryAfter(arrivedAt, repetition.wait)) {
      found.push('retry-after-ignored');
      repetition.wait = NO_WAIT;
    }
    if (retryAfterSeconds !== null) {
      repetition.wait = { from: answeredAt, until: answeredAt + retryAfterSeconds * SECOND };
    }
    repetition.arrivals = withinStorm(repetition.arrivals, { real: arrivedAt, account: clocks.now(accountId) });
    const sentAtOnce = () => (isRead ? sentAtOnceAbout(accountId, path, arrivedAt) : 0);
    if (isStorm(repetition.arrivals) && isStorm(repetition.arrivals, sentAtOnce())) {
      found.push('retry-storm');
      repetition.arrivals = [];
    }
    if (isRead && status !== null && status < 300) {
      repetition.reads = repetition.answer === answer ? repetition.reads + 1 : 1;
      repetition.answer = answer;
      if (repetition.reads > POLLS_MAX && repetition.reads > POLLS_MAX + sentAtOnce()) {
        found.push('polling');
        repetition.reads = 0;
      }
    }
    return found;
  }

  /** How many webhooks about the session or contract at the end of that path were just sent at once. */
  const sentAtOnceAbout = (accountId: number, path: string, now: number) =>
    store.coverage.sentAtOnceAbout(accountId, path.slice(path.lastIndexOf('/') + 1), now - NOTICED_MS);

  function repetitionOf(name: string): Repetition {
    const known = repetitions.get(name);
    if (known) repetitions.delete(name);
    // A new iterator each time: one that is kept keeps every table that the map has had since.
    else if (repetitions.size >= KEPT) repetitions.delete(repetitions.keys().next().value as string);
    const repetition = known ?? { arrivals: [], wait: NO_WAIT, answer: null, reads: 0 };
    repetitions.set(name, repetition);
    return repetition;
  }

  return {
    findingsOf,
    forget({ id }: Account) {
      for (const name of repetitions.keys()) if (name.startsWith(`${id} `)) repetitions.delete(name);
    },
    clear: () => repetitions.clear(),
  };
}

/** Reads one session or one contract. */
const isResource = ({ operation }: Request) => operation === 'getCheckoutSession' || operation === 'getContract';
