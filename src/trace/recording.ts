import {
  ACCOUNT_DEFAULTS,
  MERCHANT_DEFAULTS,
  MERCHANT_PROFILE_NAMES,
  PLATFORM_DEFAULTS,
  type Platform,
} from '../domain/assumptions.ts';
import { BadInput } from '../domain/cannot-start.ts';
import { leverId, readCause } from '../domain/cause.ts';
import { REFUSAL_MESSAGES } from '../domain/refusal.ts';
import type { Dump } from '../domain/trace.ts';
import { SENT_METHODS } from '../operations/operation.ts';
import type { TraceFailure } from './file.ts';
import { PLAYED } from './lever-steps.ts';
import { failedAccountsIn, failedIn, type Row, requestsIn, rowsOf, type TracedRequest } from './rows.ts';

/** A trace, or the state of a running server, which has no failure. */
export type Told = Dump & { readonly failure?: TraceFailure | null };

/** A request or a lever. */
export interface Entry {
  /** The place among the requests. A lever comes after the last request before it. */
  readonly place: number;
  readonly at: number;
  readonly id: string;
  readonly request?: TracedRequest;
  readonly lever?: {
    readonly operation: string;
    readonly params: Readonly<Record<string, string>>;
    readonly body: object;
    /** The settings that it replaced, if it changed any. */
    readonly before: object;
  };
}

interface EventRow {
  readonly id: number;
  readonly type: string;
  readonly at: number;
  readonly cause: string | null;
}

/** What a trace holds of one account, or of one of its contracts, and a scenario can repeat. */
export interface Recording {
  readonly account: Row;
  readonly events: readonly EventRow[];
  /** Requests and levers in the order in which they were carried out. */
  readonly entries: readonly Entry[];
  /** The instant of the first entry. */
  readonly begunAt: number;
  /** The events that a request or lever made. */
  eventsBy(id: string): readonly EventRow[];
  /** The session that a request or lever opened, whatever was answered. */
  sessionBy(id: string): Row | undefined;
  /** The contract that a request or lever made. */
  contractBy(id: string): Row | undefined;
}

const NOTHING_TO_PLAY = 'The trace contains no request or lever to play.';

/** Refusals that body and path do not explain, so that a scenario cannot repeat them. A setting may explain a 403. */
const NOT_PLAYED = new Set([403, 408, 413, 415, 429]);
const BY_SETTING: ReadonlySet<unknown> = new Set([
  REFUSAL_MESSAGES.merchant_not_cleared(),
  REFUSAL_MESSAGES.account_not_active(),
]);
/** A scenario sends each header once. */
const REPEATED_KEY: unknown = REFUSAL_MESSAGES.header_repeated('Idempotency-Key');

/**
 * Selects what belongs to the contract or, without one, to the account that was chosen.
 * @throws BadInput when the trace does not hold the contract or the account, or nothing to repeat
 */
export function recordingIn(document: Told, choice: Choice): Recording {
  const contracts = rowsOf(document, 'contracts');
  const wanted = choice.contract === null ? null : contractIn(contracts, choice.contract);
  const requests = keptRequestsIn(document);
  const account = accountIn(document, choice, requests);
  if (!account) throw new BadInput(NOTHING_TO_PLAY);
  const isOwn = (row: Row) => row.account_id === account.id;
  const ownSessions = rowsOf(document, 'sessions')
    .filter(isOwn)
    .filter((row) => !wanted || row.id === wanted.session_id);
  const ownContracts = contracts.filter(isOwn).filter((row) => !wanted || row === wanted);
  const events = rowsOf(document, 'events')
    .filter((row) => isOwn(row) && row.session_id !== null && (!wanted || row.session_id === wanted.session_id))
    .map(eventOf);

  const sessions = byCause(ownSessions);
  const contractsMade = byCause(ownContracts);
  const caused = eventsByCause(events);
  const story: Story = {
    isOfContract: wanted !== null,
    ids: new Set([...ownSessions.map(({ token }) => token), ...ownContracts.map(({ reference }) => reference)]),
    eventsBy: (id) => caused.get(id) ?? [],
    sessionBy: (id) => sessions.get(id),
  };
  const all = [...askedIn(requests, account, story), ...pulledIn(document, account)];
  const entries = onOneClock(all, account).filter((entry) => isPlayed(entry, story));
  const [first] = entries;
  if (!first) throw new BadInput(NOTHING_TO_PLAY);
  const { eventsBy, sessionBy } = story;
  const contractBy = (id: string) => contractsMade.get(id);
  return { account, events, entries, begunAt: first.at, eventsBy, sessionBy, contractBy };
}

/** What a recording is selected by. */
interface Story extends Pick<Recording, 'eventsBy' | 'sessionBy'> {
  /** Otherwise it is that of the whole account. */
  readonly isOfContract: boolean;
  /** Its sessions and contracts. */
  readonly ids: ReadonlySet<unknown>;
}

const eventOf = (row: Row): EventRow => ({
  id: Number(row.id),
  type: String(row.type),
  at: Number(row.created_at),
  cause: row.cause as string | null,
});

/** The requests of the account. */
function askedIn(requests: readonly TracedRequest[], account: Row, { sessionBy }: Story): Entry[] {
  // A running clock has moved on when the answer is logged, and a deadline counts from the opening.
  const openedAt = (id: string) => sessionBy(id)?.created_at as number | undefined;
  return requests.flatMap((request): Entry[] => {
    const { number, id, clientId, clockAt } = request;
    if (clientId !== account.client_id || clockAt === undefined) return [];
    return [{ place: number, at: openedAt(id) ?? clockAt, id, request }];
  });
}

/** The levers of the account and of the workspace, and what those of the merchant's other account change for both. */
function pulledIn(document: Told, account: Row): Entry[] {
  const accounts = rowsOf(document, 'accounts');
  const siblings = accounts.filter(({ id, merchant_id }) => merchant_id === account.merchant_id && id !== account.id);
  const isOwn = (row: Row) => row.account_id === account.id;
  const isSibling = (row: Row) => siblings.some(({ id }) => id === row.account_id);
  return rowsOf(document, 'levers')
    .filter((row) => isOwn(row) || row.account_id === null || (isSibling(row) && row.operation === 'updateSettings'))
    .map((row): Entry => {
      const { before = {}, ...body } = JSON.parse(String(row.body)) ?? {};
      const told = isSibling(row) ? profileIn : <T>(values: T) => values;
      return {
        place: Number(row.after_request) + 0.5,
        // A lever of the workspace or of the other account is on another clock.
        at: isOwn(row) ? Number(row.at) : Number.NEGATIVE_INFINITY,
        id: leverId(Number(row.id)),
        lever: {
          operation: String(row.operation),
          params: JSON.parse(String(row.params)),
          body: told(body),
          before: told(before),
        },
      };
    });
}

/** In order. An entry on another clock takes the instant of the next one on the account's clock. */
function onOneClock(entries: readonly Entry[], account: Row): Entry[] {
  const all = entries.toSorted((a, b) => a.place - b.place || a.id.localeCompare(b.id));
  return all.map((entry, index) =>
    Number.isFinite(entry.at)
      ? entry
      : { ...entry, at: all.slice(index).find(({ at }) => Number.isFinite(at))?.at ?? Number(account.clock_ms) },
  );
}

/** Whether an entry belongs to the story and a scenario can repeat it. */
const isPlayed = ({ request, lever, id }: Entry, story: Story): boolean =>
  request ? isRequestPlayed(request, story) : lever !== undefined && isLeverPlayed(lever, id, story);

function isRequestPlayed(request: TracedRequest, { isOfContract, ids, eventsBy, sessionBy }: Story): boolean {
  if (isCreate(request)) {
    const token = answeredWith(request) ?? tokenOf(sessionBy(request.id));
    if (token !== undefined) return ids.has(token);
    return !isOfContract && !isHidden(request) && !isUnplayable(request);
  }
  if (isUnplayable(request) || (isHidden(request) && eventsBy(request.id).length === 0)) return false;
  const named = namedIn(request.path);
  if (named === null) return !isOfContract;
  return ids.has(named) || (!isOfContract && request.status === 404);
}

function isLeverPlayed(
  { operation, params, body }: NonNullable<Entry['lever']>,
  id: string,
  { ids, sessionBy }: Story,
): boolean {
  if (!Object.hasOwn(PLAYED, operation)) return false;
  if (operation === 'updateSettings' || operation === 'updatePlatform') return Object.keys(body).length > 0;
  const subject = params.id ?? params.token ?? params.reference;
  if (subject !== undefined) return ids.has(subject);
  if (operation === 'createContract' || operation === 'openSession' || operation === 'previewSession') {
    return sessionBy(id) !== undefined;
  }
  return true;
}

/** The id of the request or the lever in a cause; null for anything else. */
function idIn(cause: unknown): string | null {
  const read = readCause(cause as string | null);
  return 'id' in read ? read.id : null;
}

/** Rows by the id of the request or the lever that wrote them. */
const byCause = (rows: readonly Row[]) => new Map(rows.map((row) => [idIn(row.cause), row]));

function eventsByCause(events: readonly EventRow[]): ReadonlyMap<string | null, EventRow[]> {
  const caused = new Map<string | null, EventRow[]>();
  for (const event of events) {
    const id = idIn(event.cause);
    const others = caused.get(id);
    if (others) others.push(event);
    else caused.set(id, [event]);
  }
  return caused;
}

/** The token of a session. */
export const tokenOf = (session: Row | undefined) => session && String(session.token);

function isUnplayable({ method, status, fault, answer }: TracedRequest): boolean {
  const { message, reason } = (answer ?? {}) as { message?: unknown; reason?: unknown };
  if (message === REPEATED_KEY || !SENT_METHODS.some((sent) => sent === method)) return true;
  // The connection ended before the whole body had come.
  if (status === 400 && message === undefined && fault === null) return true;
  // Of all faults, only a throttled one answers so.
  if (fault?.kind === 'throttled' || status === null || !NOT_PLAYED.has(status)) return false;
  return status !== 403 || (reason === undefined && !BY_SETTING.has(message));
}

/** A late error hides why nothing was opened or cancelled. In a scenario, the same request may do it. */
const isHidden = ({ method, fault }: TracedRequest) => method === 'POST' && fault?.kind === 'late_error';

export const isCreate = ({ method, path }: TracedRequest) =>
  method === 'POST' && path.split('?', 1)[0] === '/v1/sessions';

/** The token of the session in an answer. */
export const answeredWith = ({ answer }: TracedRequest) => (answer as { data?: { id?: string } } | null)?.data?.id;

const namedIn = (path: string) => /\/((?:LAY-|cs_)\w+)/.exec(path)?.[1] ?? null;

/** The settings of the account and its merchant that were not the defaults when the story began. */
export function merchantBefore(document: Dump, { account, entries }: Recording) {
  const { legal_name, dba, state, email } =
    rowsOf(document, 'merchants').find(({ id }) => id === account.merchant_id) ?? {};
  const values = before(entries, 'updateSettings', {
    ...{ legal_name, dba, state, email },
    ...JSON.parse(String(account.settings)),
  });
  const settings = differingFrom(ACCOUNT_DEFAULTS, values);
  const profile = differingFrom(MERCHANT_DEFAULTS, values);
  return { ...profile, ...(Object.keys(settings).length > 0 ? { settings } : {}) } as { readonly settings?: object };
}

/** The settings of the platform that were not the defaults when the story began. */
export function platformBefore(document: Dump, { entries }: Recording) {
  const [row] = rowsOf(document, 'workspace');
  const values = before(entries, 'updatePlatform', {
    disabled: row?.platform_disabled === 1,
    unavailable_states: JSON.parse(String(row?.unavailable_states ?? '[]')),
  } satisfies Readonly<Record<keyof Platform, unknown>>);
  return differingFrom(PLATFORM_DEFAULTS, values);
}

/** Values before the levers of an operation changed them. Levers of older versions do not say what they replaced. */
function before(entries: readonly Entry[], operation: string, now: Readonly<Record<string, unknown>>) {
  const levers = entries.flatMap(({ lever }) => (lever?.operation === operation ? [lever] : []));
  const changed = levers.flatMap(({ body }) => Object.keys(body));
  const first = Object.assign({}, ...levers.toReversed().map(({ before }) => before));
  return { ...Object.fromEntries(Object.entries(now).filter(([name]) => !changed.includes(name))), ...first };
}

const isProfile = (name: string) => (MERCHANT_PROFILE_NAMES as readonly string[]).includes(name);
const profileIn = (values: object) => Object.fromEntries(Object.entries(values).filter(([name]) => isProfile(name)));

const differingFrom = (defaults: object, values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(defaults)
      .map(([name, usual]) => [name, values[name] === undefined ? usual : values[name], usual])
      .filter(([, value, usual]) => JSON.stringify(value) !== JSON.stringify(usual)),
  );

/** The requests that no restore or reset has discarded. */
function keptRequestsIn(document: Dump): TracedRequest[] {
  const discarded = rowsOf(document, 'discarded');
  return requestsIn(document).filter(
    ({ number }) =>
      !discarded.some(({ after_request, up_to }) => number > Number(after_request) && number <= Number(up_to)),
  );
}

/**
 * What names an account; the contract counts first. Without either, it is that of what failed or otherwise the one that
 * was used last.
 */
export interface Choice {
  readonly contract: string | null;
  readonly clientId: string | null;
}

/**
 * The client id of the account that was chosen; null if none was, and none was asked.
 * @throws BadInput when the trace does not hold it
 */
export function clientIdIn(document: Told, choice: Choice): string | null {
  const account = accountIn(document, choice);
  return account ? String(account.client_id) : null;
}

function accountIn(
  document: Told,
  { contract, clientId }: Choice,
  requests?: readonly TracedRequest[],
): Row | undefined {
  const accounts = rowsOf(document, 'accounts');
  if (contract === null && clientId !== null) {
    const named = accounts.find(({ client_id }) => client_id === clientId);
    if (!named) throw new BadInput(`The trace contains no account ${clientId}.`);
    return named;
  }
  if (contract === null) return usedLast(document, requests);
  const { account_id } = contractIn(rowsOf(document, 'contracts'), contract);
  return accounts.find(({ id }) => id === account_id);
}

function contractIn(contracts: readonly Row[], reference: string): Row {
  const found = contracts.find((row) => row.reference === reference);
  if (!found) throw new BadInput(`The trace contains no contract ${reference}.`);
  return found;
}

/**
 * By a request or, if there is none, by a lever. Where a test with a merchant of its own failed, only the accounts of that
 * merchant count, however late another test asked for something.
 */
function usedLast(document: Told, requests: readonly TracedRequest[] = keptRequestsIn(document)): Row | undefined {
  const accounts = failedAccountsIn(document) ?? rowsOf(document, 'accounts');
  const byClientId = (clientId: string | null) => accounts.find(({ client_id }) => client_id === clientId);
  const byId = (accountId: unknown) => accounts.find(({ id }) => id === accountId);
  const request = requests.findLast(({ clientId }) => byClientId(clientId));
  if (request) return byClientId(request.clientId);
  return (
    byId(rowsOf(document, 'levers').findLast(({ account_id }) => byId(account_id))?.account_id) ?? failedIn(document)
  );
}

/** Why a story is that of its account, if no contract was named. */
export const whoseIn = (document: Told): string =>
  failedIn(document) ? 'the account of the failed test or scenario' : 'the account that was used last';
