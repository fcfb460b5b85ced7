import { formatInstant } from '../domain/calendar.ts';
import { requestCause, UNLOGGED } from '../domain/cause.ts';
import { type CoverageReport, type Noted, reportOf, sumOfAccounts } from '../domain/coverage.ts';
import {
  CONFIRM_MS,
  type FindingRule,
  findingsOfAnswer,
  isNewKeyOnRetry,
  isRememberedCreate,
  isSameKeyRetry,
} from '../domain/findings.ts';
import type { Account } from '../domain/merchant.ts';
import { type Situation, situationsOfRequest, situationsOfWebhook } from '../domain/situations.ts';
import { type Carried, type Delivery, isDelivered, SUCCESS_LOST } from '../domain/webhook.ts';
import type { CoverageRow, FirstRow } from '../store/coverage.ts';
import type { Store } from '../store/store.ts';
import { createRepeatedRequests, type Request } from './repeated-requests.ts';
import type { Tx, World } from './world.ts';

export type Coverage = ReturnType<typeof createCoverage>;

/** Measures which situations stores have met, and finds mistakes in how they call the service (interface §9). */
export function createCoverage(world: World, situations: readonly Situation[]) {
  const { store, clocks } = world;
  const repeatedRequests = createRepeatedRequests(world);
  /** How often the state was replaced. */
  let states = 0;

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
    const before = store.lostCreates.find(accountId, order);
    const { status, key } = request;
    if (status === null || status >= 500) {
      // A server error does not undo that an answer to this key was lost.
      const wasLost = before?.isLost === true && before.key === key;
      const lost = { key, isLost: status === null || wasLost, at: now };
      store.shared(() => store.lostCreates.insert(accountId, order, lost), accountId);
    } else if (before && status < 300) {
      store.shared(() => store.lostCreates.remove(accountId, order), accountId);
    }
    return before && isRememberedCreate(before, now, settings.idempotency_hours) ? before : null;
  }

  function reportFor(accountId: number): CoverageReport {
    const noted = new Map(store.coverage.listOf(accountId).map((row) => [row.what, notedOf(row)]));
    const late = store.unconfirmedSessions.list(accountId, clocks.now(accountId) - CONFIRM_MS);
    if (late[0]) {
      const { completedAt, event } = late[0];
      const first = { at: formatInstant(completedAt), kind: 'event', id: event, client_id: null } as const;
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
      const found: FindingRule[] = repeatedRequests.findingsOf(account, request);
      const opened = shown?.opened;
      if (opened && !opened.withKey) found.push('create-without-key');
      if (before && isNewKeyOnRetry(before, request.key)) found.push('new-key-on-retry');
      if (request.hasUnknownField) found.push('unknown-field');
      noteAll(account, [...met, ...found], request);
      // The store has asked, even if a fault changed the answer.
      const isRefused = Math.floor((status ?? 0) / 100) === 4 && !request.isThrottledByFault;
      if (session !== null && !isRefused && store.unconfirmedSessions.isAny(account.id)) {
        store.shared(() => store.unconfirmedSessions.confirmRead(account.id, session), account.id);
      }
    },
    report(account: Account): CoverageReport {
      store.writeCounts();
      return reportFor(account.id);
    },
    /** The sum over all accounts. */
    reportOfAll(): CoverageReport {
      store.writeCounts();
      return sumOfAccounts(
        situations,
        store.accounts.ids().map((id) => [store.accounts.get(id).clientId, reportFor(id)]),
      );
    },
    clear(account: Account) {
      store.transaction(() => {
        store.coverage.clear(account.id);
        store.lostCreates.clear(account.id);
        store.unconfirmedSessions.clear(account.id);
      }, account.id);
      repeatedRequests.forget(account);
    },
    /** Call it after a reset or restore: the requests so far belong to another state. */
    restart() {
      repeatedRequests.clear();
      states += 1;
    },
    /** Returns a function that says whether the account is still in its present state. */
    watch(account: Account): () => boolean {
      const state = states;
      return () => states === state && store.accounts.isThere(account);
    },
  };
}

/** Stands for every request that was not logged. */
const UNLOGGED_ID = requestCause(UNLOGGED);

const notedOf = ({ count, at, kind, id }: CoverageRow): Noted => ({
  count,
  first: { at: formatInstant(at), kind, id: id === UNLOGGED_ID ? null : id, client_id: null },
});

function count(store: Store, accountId: number, what: readonly string[]) {
  for (const each of what) {
    // A transaction of their own would first commit what this answer waits for. If that failed, the answer would not know.
    if (store.coverage.count(accountId, each)) store.shared(store.coverage.write, accountId);
  }
}

/** Notes what an attempt shows about the receiver. Runs in the transaction that records the attempt. */
export function noteAttempt({ store, account, now }: Tx, delivery: Delivery, outcome: Carried, number: number) {
  const { coverage, events, unconfirmedSessions } = store;
  const { endpointId, eventId, isForged } = delivery;
  const event = events.head(eventId);
  const what: string[] = findingsOfAnswer({ statusCode: outcome.statusCode, durationMs: outcome.durationMs, isForged });
  const isAnswered = isDelivered(outcome) && !isForged;
  const isConfirmed = isAnswered || outcome.error === SUCCESS_LOST;
  if (isConfirmed && event.sessionId !== null && unconfirmedSessions.isAny(account.id)) {
    unconfirmedSessions.confirm(account.id, event.sessionId, event.createdAt);
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
