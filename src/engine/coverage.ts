import { formatInstant, SECOND } from '../domain/calendar.ts';
import { requestCause, UNLOGGED } from '../domain/cause.ts';
import { type CoverageReport, mergeReports, type Noted, reportOf } from '../domain/coverage.ts';
import {
  type Arrival,
  CONFIRM_MS,
  COPIED_MS,
  type FindingRule,
  findingsOfAnswer,
  ignoresRetryAfter,
  isNewKeyOnRetry,
  isRememberedCreate,
  isSameKeyRetry,
  isStorm,
  POLLS_MAX,
  type Wait,
  withinStorm,
} from '../domain/findings.ts';
import type { Account } from '../domain/merchant.ts';
import { type Shown, type Situation, situationsOfRequest, situationsOfWebhook } from '../domain/situations.ts';
import { type Carried, type Delivery, isDelivered, SUCCESS_LOST } from '../domain/webhook.ts';
import type { CoverageRow, FirstRow } from '../store/coverage.ts';
import type { Store } from '../store/store.ts';
import type { Tx, World } from './world.ts';

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

export type Coverage = ReturnType<typeof createCoverage>;

/** How a request has been repeated. It describes traffic, not state, so a restart may lose it. */
interface Habit {
  arrivals: readonly Arrival[];
  wait: Wait;
  answer: string | null;
  reads: number;
}

/** How many habits are kept; the one that was unused for longest is dropped first. */
const KEPT = 1000;

const NO_WAIT: Wait = { from: 0, until: 0 };

/** Measures which situations stores have met, and finds mistakes in how they call the service (interface §9). */
export function createCoverage(world: World, situations: readonly Situation[]) {
  const { store, clocks } = world;
  const habits = new Map<string, Habit>();
  /** Kept between calls, because a new iterator would walk over all deleted entries again. */
  let oldest = habits.keys();
  /** How often the state was replaced. */
  let states = 0;

  function habitOf(name: string): Habit {
    const known = habits.get(name);
    if (known) habits.delete(name);
    else if (habits.size >= KEPT) habits.delete(oldest.next().value as string);
    const habit = known ?? { arrivals: [], wait: NO_WAIT, answer: null, reads: 0 };
    habits.set(name, habit);
    return habit;
  }

  function forgetHabitsOf({ id }: Account) {
    for (const name of habits.keys()) if (name.startsWith(`${id} `)) habits.delete(name);
  }

  /** Notes what a request shows, at the time of the account's clock. */
  function noteAll({ id: accountId }: Account, what: readonly string[], request: Request) {
    const fresh = what.filter((each) => !store.coverage.isMet(accountId, each));
    if (fresh.length > 0) {
      const first = { at: clocks.now(accountId), kind: 'request', id: request.id() } as const;
      store.shared(() => {
        for (const each of fresh) store.coverage.meet(accountId, each, first);
      }, accountId);
    }
    const known = what.filter((each) => !fresh.includes(each));
    count(store, accountId, known);
  }

  /** Finds the failed create that this request repeats, and records a create that fails. */
  function retryOf({ id: accountId, settings }: Account, request: Request) {
    const order = request.body?.order_reference;
    if (request.operation !== 'createSession' || typeof order !== 'string') return null;
    const now = clocks.now(accountId);
    const before = store.coverage.lostCreate(accountId, order);
    const { status, key } = request;
    if (status === null || status >= 500) {
      // A server error does not undo that an answer to this key was lost.
      const wasLost = before?.isLost === true && before.key === key;
      const lost = { key, isLost: status === null || wasLost, at: now };
      store.shared(() => store.coverage.lose(accountId, order, lost), accountId);
    } else if (before && status < 300) {
      store.shared(() => store.coverage.found(accountId, order), accountId);
    }
    return before && isRememberedCreate(before, now, settings.idempotency_hours) ? before : null;
  }

  /** The findings that follow from this request and earlier ones like it. */
  function habitsOf({ id: accountId }: Account, request: Request): FindingRule[] {
    const { method, url, key, body, arrivedAt, answeredAt, retryAfterSeconds, status, answer } = request;
    // Whether another request is the same one cannot be told.
    if (request.isBodyUnread && key === null) return [];
    const isRead = isResource(request);
    // Every name stays in memory, so a body is replaced by its digest.
    const content = key ?? (body && String(world.digest.sha256(JSON.stringify(body))));
    // These reads ignore the query and the key, which some clients make new for every request.
    // One string: a template would keep the headers of the request in memory.
    const path = url.split('?', 1)[0] as string;
    const habit = habitOf([accountId, method, ...(isRead ? [path] : [url, content])].join(' '));
    const found: FindingRule[] = [];
    if (ignoresRetryAfter(arrivedAt, habit.wait)) {
      found.push('retry-after-ignored');
      habit.wait = NO_WAIT;
    }
    if (retryAfterSeconds !== null) {
      habit.wait = { from: answeredAt, until: answeredAt + retryAfterSeconds * SECOND };
    }
    habit.arrivals = withinStorm(habit.arrivals, { real: arrivedAt, account: clocks.now(accountId) });
    const copies = () => (isRead ? copiesAbout(accountId, path, arrivedAt) : 0);
    if (isStorm(habit.arrivals) && isStorm(habit.arrivals, copies())) {
      found.push('retry-storm');
      habit.arrivals = [];
    }
    if (isRead && status !== null && status < 300) {
      habit.reads = habit.answer === answer ? habit.reads + 1 : 1;
      habit.answer = answer;
      if (habit.reads > POLLS_MAX && habit.reads > POLLS_MAX + copies()) {
        found.push('polling');
        habit.reads = 0;
      }
    }
    return found;
  }

  /** How many copies of webhooks about the session or contract at the end of that path a fault just sent. */
  const copiesAbout = (accountId: number, path: string, now: number) =>
    store.coverage.copiesAbout(accountId, path.slice(path.lastIndexOf('/') + 1), now - COPIED_MS);

  function reportFor(accountId: number): CoverageReport {
    const noted = new Map(store.coverage.listOf(accountId).map((row) => [row.what, notedOf(row)]));
    const late = store.coverage.unconfirmed(accountId, clocks.now(accountId) - CONFIRM_MS);
    if (late[0]) {
      const { completedAt, event } = late[0];
      const first = { at: formatInstant(completedAt), kind: 'event', id: event } as const;
      noted.set('redirect-trusted', { count: late.length, first });
    }
    return reportOf(situations, (what) => noted.get(what));
  }

  return {
    /** Call it just before a request is answered. */
    answered(account: Account, request: Request) {
      const { operation, status, detail, shown, session } = request;
      const before = retryOf(account, request);
      const isRetry = before !== null && isSameKeyRetry(before, request.key);
      const met = situationsOfRequest({ operation, status, detail, shown, isRetry });
      const found: FindingRule[] = habitsOf(account, request);
      const opened = shown?.opened;
      if (opened && !opened.withKey) found.push('create-without-key');
      if (before && isNewKeyOnRetry(before, request.key)) found.push('new-key-on-retry');
      if (request.hasUnknownField) found.push('unknown-field');
      noteAll(account, [...met, ...found], request);
      // The store has asked, even if a fault changed the answer.
      const isRefused = Math.floor((status ?? 0) / 100) === 4 && !request.isThrottledByFault;
      if (session !== null && !isRefused && store.coverage.isAnyUnconfirmed(account.id)) {
        store.shared(() => store.coverage.confirmRead(account.id, session), account.id);
      }
    },
    report(account: Account): CoverageReport {
      store.writeCounts();
      return reportFor(account.id);
    },
    /** The sum over all accounts. */
    reportOfAll(): CoverageReport {
      store.writeCounts();
      return mergeReports(situations, store.accounts.ids().map(reportFor));
    },
    clear(account: Account) {
      store.transaction(() => store.coverage.clear(account.id), account.id);
      forgetHabitsOf(account);
    },
    /** Call it after a reset or restore: the requests so far belong to another state. */
    restart() {
      habits.clear();
      oldest = habits.keys();
      states += 1;
    },
    /** Tells whether the account is still in the state of now. */
    watch({ id, clientId }: Account): () => boolean {
      const state = states;
      return () => states === state && store.accounts.find(clientId)?.id === id;
    },
  };
}

/** Reads one session or one contract. */
const isResource = ({ operation }: Request) => operation === 'getCheckoutSession' || operation === 'getContract';

/** Stands for every request that was not logged. */
const UNLOGGED_ID = requestCause(UNLOGGED);

const notedOf = ({ count, at, kind, id }: CoverageRow): Noted => ({
  count,
  first: { at: formatInstant(at), kind, id: id === UNLOGGED_ID ? null : id },
});

function count(store: Store, accountId: number, what: readonly string[]) {
  for (const each of what) {
    // A transaction of their own would first commit what this answer waits for. If that failed, the answer would not know.
    if (store.coverage.count(accountId, each)) store.shared(store.coverage.write, accountId);
  }
}

/** Notes what an attempt shows about the receiver. Runs in the transaction that records the attempt. */
export function noteAttempt({ store, account, now }: Tx, delivery: Delivery, outcome: Carried, number: number) {
  const { coverage, events } = store;
  const { endpointId, eventId } = delivery;
  const event = events.head(eventId);
  const isForged = delivery.isForged === 1;
  const what: string[] = findingsOfAnswer({ statusCode: outcome.statusCode, durationMs: outcome.durationMs, isForged });
  const isAnswered = isDelivered(outcome) && !isForged;
  const isConfirmed = isAnswered || outcome.error === SUCCESS_LOST;
  if (isConfirmed && event.sessionId !== null && coverage.isAnyUnconfirmed(account.id)) {
    coverage.confirm(account.id, event.sessionId, event.createdAt);
  }
  if (isAnswered) {
    const newest = endpointId === null ? 0 : coverage.newestAnswered(account.id, endpointId);
    const isCopy = outcome.struck?.isCopy === true;
    const isDuplicate =
      isCopy ||
      (number > 1 && coverage.isAnswerLost(delivery.id)) ||
      coverage.isAnsweredElsewhere(eventId, delivery.url, delivery.id);
    what.push(
      ...situationsOfWebhook({
        type: event.type,
        isRetry: number > 1 && !isCopy,
        isDuplicate,
        isLate: newest > eventId,
        signatures: outcome.requestHeaders['webhook-signature']?.split(' ').length ?? 1,
        ageMs: now - event.createdAt,
      }),
    );
    if (endpointId !== null && eventId > newest) coverage.setNewestAnswered(endpointId, eventId);
  }
  const first: FirstRow = { at: now, kind: 'delivery', id: delivery.token };
  for (const each of what) {
    if (!coverage.isMet(account.id, each)) coverage.meet(account.id, each, first);
    else if (coverage.count(account.id, each)) coverage.write();
  }
}
