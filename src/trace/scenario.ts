import {
  ACCOUNT_DEFAULTS,
  MERCHANT_DEFAULTS,
  MERCHANT_PROFILE_NAMES,
  PLATFORM_DEFAULTS,
} from '../domain/assumptions.ts';
import { ADVANCE_YEARS_MAX, addDuration, DAY, formatInstant, SECOND } from '../domain/calendar.ts';
import { BadInput } from '../domain/cannot-start.ts';
import { leverId, readCause } from '../domain/cause.ts';
import { ERROR_STATUSES, FAULT_FIELDS, FAULTS, type FaultKind, leavesUnanswered } from '../domain/faults.ts';
import { REFUSAL_MESSAGES, Refusal } from '../domain/refusal.ts';
import { NO_USER_INFO } from '../domain/secret-text.ts';
import { endContract } from '../operations/contracts.ts';
import { SENT_METHODS } from '../operations/operation.ts';
import { listSessions, openSession } from '../operations/sessions.ts';
import type { Dump } from '../store/dump.ts';
import type { TraceFailure } from './file.ts';
import { failedAccountsIn, failedIn, type Row, requestsIn, rowsOf, type TracedRequest } from './rows.ts';
import { GONE } from './scrub.ts';

/** A trace, or the state of a running server, which has no failure. */
type Told = Dump & { readonly failure?: TraceFailure | null };
type Step = Readonly<Record<string, unknown>>;
type Subject = { readonly [name in 'path' | 'session' | 'contract']?: string };
export interface ToldScenario {
  readonly name: string;
  readonly merchant?: object;
  readonly clock: string;
  readonly steps: readonly Step[];
}

/** A scenario, the account whose story it is, and how many sessions of other accounts are no part of it. */
interface Replay {
  readonly scenario: ToldScenario;
  readonly clientId: string;
  readonly foreignSessions: number;
}

interface Entry {
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

/** Refusals that body and path do not explain, so that a scenario cannot repeat them. A setting may explain a 403. */
const NOT_PLAYED = new Set([403, 408, 413, 415, 429]);
const BY_SETTING: ReadonlySet<unknown> = new Set([
  REFUSAL_MESSAGES.merchant_not_cleared(),
  REFUSAL_MESSAGES.account_not_active(),
]);
/** A scenario sends each header once. */
const REPEATED_KEY: unknown = REFUSAL_MESSAGES.header_repeated('Idempotency-Key');
/** The id of a session or a contract. */
const PLAN_ID = /cs_[A-Za-z0-9]{32}|LAY-[0-9A-Z]{10}/g;

/**
 * A scenario that repeats the requests and levers of a trace and expects what happened: those of one contract, or all
 * of the account of the failed test or, without one, of the account that was asked last.
 * @throws BadInput when the trace holds nothing to repeat
 */
export function replayOf(document: Told, contract: string | null): Replay {
  const sessions = rowsOf(document, 'sessions');
  const contracts = rowsOf(document, 'contracts');
  const wanted = contract === null ? null : contractIn(contracts, contract);
  const requests = keptRequestsIn(document);
  const accounts = rowsOf(document, 'accounts');
  const levers = rowsOf(document, 'levers');
  const account = wanted ? accounts.find(({ id }) => id === wanted.account_id) : askedLast(document, requests);
  if (!account) throw new BadInput('The trace contains no request or lever to play.');
  const isOwn = (row: Row) => row.account_id === account.id;
  /** The other account of the merchant shares its profile. */
  const siblings = accounts.filter(({ id, merchant_id }) => merchant_id === account.merchant_id && id !== account.id);
  const isSibling = (row: Row) => siblings.some(({ id }) => id === row.account_id);
  const ownSessions = sessions.filter(isOwn).filter((row) => !wanted || row.id === wanted.session_id);
  const ownContracts = contracts.filter(isOwn).filter((row) => !wanted || row === wanted);

  /** By token or reference: how later steps call it. */
  const names = new Map<string, string>();
  const events = rowsOf(document, 'events')
    .filter((row) => isOwn(row) && row.session_id !== null && (!wanted || row.session_id === wanted.session_id))
    .map(
      (row): EventRow => ({
        id: Number(row.id),
        type: String(row.type),
        at: Number(row.created_at),
        cause: row.cause as string | null,
      }),
    );
  const untold = new Set(events);
  const entries = entriesOf();
  const [first] = entries;
  if (!first) throw new BadInput('The trace contains no request or lever to play.');
  const steps: Step[] = [];
  const merchant = merchantOf();
  let settings: Readonly<Record<string, unknown>> = { ...ACCOUNT_DEFAULTS, ...merchant.settings };
  const platform = platformBefore();
  if (Object.keys(platform).length > 0) steps.push({ platform });
  let now = first.at;
  for (const entry of entries) tell(entry);
  travelTo(Number(account.clock_ms));
  return {
    scenario: {
      name: contract === null ? 'replay of a trace' : `replay of ${contract}`,
      ...(Object.keys(merchant).length > 0 ? { merchant } : {}),
      clock: formatInstant(first.at),
      steps,
    },
    clientId: String(account.client_id),
    foreignSessions: sessions.filter((row) => !isOwn(row)).length,
  };

  function entriesOf(): Entry[] {
    const asked = requests
      .filter(({ clientId, clockAt }) => clientId === account?.client_id && clockAt !== undefined)
      .map((request): Entry => ({ place: request.number, at: request.clockAt as number, id: request.id, request }));
    const pulled = levers
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
    const all = [...asked, ...pulled].toSorted((a, b) => a.place - b.place || a.id.localeCompare(b.id));
    // An entry on another clock takes the instant of the next one on this clock.
    const standing = all.map((entry, index) =>
      Number.isFinite(entry.at)
        ? entry
        : { ...entry, at: all.slice(index).find(({ at }) => Number.isFinite(at))?.at ?? Number(account?.clock_ms) },
    );
    return standing.filter(isPlayed);
  }

  /** Whether an entry belongs to the story and a scenario can repeat it. */
  function isPlayed({ request, lever, id }: Entry): boolean {
    if (request) {
      const named = namedIn(request.path);
      if (isCreate(request)) {
        const token = answeredWith(request) ?? openedBy(id);
        if (token !== undefined) return isKnown(token);
        return wanted === null && !isHidden(request) && !isUnplayable(request);
      }
      if (isUnplayable(request) || (isHidden(request) && !events.some(({ cause }) => cause === id))) return false;
      if (named === null) return wanted === null;
      return isKnown(named) || (wanted === null && request.status === 404);
    }
    const { operation = '', params = {}, body = {} } = lever ?? {};
    if (!Object.hasOwn(PLAYED, operation)) return false;
    if (operation === 'updateSettings' || operation === 'updatePlatform') return Object.keys(body).length > 0;
    const subject = params.id ?? params.token ?? params.reference;
    if (subject !== undefined) return isKnown(subject);
    if (operation === 'createContract' || operation === 'openSession' || operation === 'previewSession') {
      return ownSessions.some(({ cause }) => String(cause).endsWith(id));
    }
    return true;
  }

  /** The session that a request or lever opened, whatever was answered. */
  function openedBy(id: string): string | undefined {
    const opened = ownSessions.find(({ cause }) => String(cause).endsWith(id));
    return opened && String(opened.token);
  }

  function isKnown(id: string) {
    return ownSessions.some(({ token }) => token === id) || ownContracts.some(({ reference }) => reference === id);
  }

  function tell(entry: Entry) {
    travelTo(entry.at);
    const own = events.filter(({ cause }) => cause?.endsWith(entry.id));
    for (const event of own) untold.delete(event);
    const types = own.map(({ type }) => type);
    if (entry.request) tellRequest(entry.request, types);
    else if (entry.lever) tellLever(entry.lever, entry.id, types);
    findOpened(entry);
  }

  /** Adds a step that advances the clock to this instant and expects what fell due on the way. */
  function travelTo(at: number) {
    const furthest = addDuration(now, { months: ADVANCE_YEARS_MAX * 12, ms: 0 });
    if (at > furthest) travelTo(furthest);
    if (at <= now) return;
    const due = [...untold].filter((event) => event.at <= at && readCause(event.cause).kind === 'clock');
    if (due.length === 0 && isMoment(now, at)) return;
    now = at;
    for (const event of due) untold.delete(event);
    steps.push({ advance: { to: formatInstant(at) }, expect: { happened: due.map(({ type }) => type) } });
  }

  function tellRequest(request: TracedRequest, types: readonly string[]) {
    const { method, path, body, status, fault, answer, idempotencyKey } = request;
    if (fault) steps.push({ fault: strike(request, fault.kind) });
    const isLost = fault !== null && leavesUnanswered(fault.kind, method);
    const { data } = (answer ?? {}) as { data?: { status?: unknown } };
    const token = isCreate(request) ? answeredWith(request) : undefined;
    const known = token === undefined ? undefined : names.get(token);
    const as = token !== undefined && known === undefined && !isLost ? nameOf(token, 'session') : undefined;
    const headers = {
      ...(idempotencyKey === null ? {} : { 'idempotency-key': sendable(verbatim(idempotencyKey)) }),
      ...(status === 401 ? { 'x-api-key': null } : {}),
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    };
    const tells = status !== null && status < 300 && method !== 'HEAD' && typeof data?.status === 'string';
    steps.push({
      request: {
        method,
        path: renamed(sendable(verbatim(path))),
        ...(Object.keys(headers).length > 0 ? { headers } : {}),
        ...(body === null ? {} : { body: verbatim(body) }),
      },
      ...(as === undefined ? {} : { as }),
      expect: {
        ...(isLost ? { answer: 'lost' } : { status }),
        ...(tells && !isLost
          ? { body: { data: { ...(known === undefined ? {} : { id: `\${${known}.id}` }), status: data?.status } } }
          : {}),
        events: types,
      },
    });
  }

  /** Adds a step that looks up a session that no answer has shown, if a later step names it. */
  function findOpened(opening: Entry) {
    const token = openedBy(opening.id);
    if (token === undefined || names.has(token)) return;
    const isNamed = ({ request, lever }: Entry) =>
      request ? request.path.includes(token) : Object.values(lever?.params ?? {}).includes(token);
    if (!entries.slice(entries.indexOf(opening) + 1).some(isNamed)) return;
    const as = nameOf(token, 'session');
    // It is the newest one.
    names.set(token, `${as}.0`);
    steps.push({ request: { method: 'GET', path: `${listSessions.path}?limit=1` }, as, expect: { status: 200 } });
  }

  /**
   * A fault for this request alone, because the log says which requests a fault struck, but not when it was removed. Nor
   * does it hold the options: all but the status are those of the latest fault of the kind.
   */
  function strike({ number, status }: TracedRequest, kind: FaultKind): object {
    const added = levers
      .filter((row) => isOwn(row) && row.operation === 'addFault' && Number(row.after_request) < number)
      .map(({ body }) => JSON.parse(String(body)))
      .findLast((body) => body.kind === kind);
    const answered = 'status' in FAULTS[kind].takes && ERROR_STATUSES.some((known) => known === status);
    const options = { ...added, ...(answered ? { status } : {}) };
    return { kind, ...Object.fromEntries(Object.entries(options).filter(([name, value]) => isOption(name, value))) };
  }

  function tellLever({ operation, params, body }: NonNullable<Entry['lever']>, id: string, types: readonly string[]) {
    const subject = renamed(params.id ?? params.token ?? params.reference ?? '');
    const made = ownContracts.find(({ cause }) => String(cause).endsWith(id));
    const opened = ownSessions.find(({ cause }) => String(cause).endsWith(id));
    const isBarred = settings.clearance !== 'cleared' || settings.account_status !== 'active';
    const play = isBarred && Object.hasOwn(BARRED, operation) ? BARRED[operation] : PLAYED[operation];
    const step = play?.(subject, verbatim(body) as Readonly<Record<string, unknown>>, params);
    if (!step) return;
    if (operation === 'updateSettings') settings = { ...settings, ...body };
    const as =
      made && !names.has(String(made.reference))
        ? nameOf(String(made.reference), 'contract')
        : opened && !made
          ? nameOf(String(opened.token), 'session')
          : undefined;
    const email = operation === 'acceptPlan' && made ? { customer_email: String(made.customer_email) } : {};
    const [[verb, input]] = Object.entries(step) as [[string, object]];
    steps.push({
      [verb]: Array.isArray(input) ? input : { ...input, ...email },
      ...(as === undefined ? {} : { as }),
      expect: { events: types },
    });
  }

  function nameOf(id: string, noun: 'session' | 'contract') {
    const count = [...names.values()].filter((name) => name.startsWith(noun)).length + 1;
    const name = `${noun}${count}`;
    names.set(id, name);
    return name;
  }

  /** Replaces ids by `${…}`, because each run draws its own. */
  function renamed(text: string): string {
    return text.replace(PLAN_ID, (id) => {
      const name = names.get(id);
      return name === undefined ? id : `\${${name}.${id.startsWith('cs_') ? 'id' : 'reference'}}`;
    });
  }

  /** The settings of the account and its merchant that were not the defaults when the story began. */
  function merchantOf() {
    const { legal_name, dba, state, email } =
      rowsOf(document, 'merchants').find(({ id }) => id === account?.merchant_id) ?? {};
    const values = before('updateSettings', {
      ...{ legal_name, dba, state, email },
      ...JSON.parse(String(account?.settings)),
    });
    const settings = differingFrom(ACCOUNT_DEFAULTS, values);
    const profile = differingFrom(MERCHANT_DEFAULTS, values);
    return { ...profile, ...(Object.keys(settings).length > 0 ? { settings } : {}) } as { readonly settings?: object };
  }

  /** The settings of the platform that were not the defaults when the story began. */
  function platformBefore() {
    const [row] = rowsOf(document, 'workspace');
    const values = before('updatePlatform', {
      disabled: row?.platform_disabled === 1,
      unavailable_states: JSON.parse(String(row?.unavailable_states ?? '[]')),
    });
    return differingFrom(PLATFORM_DEFAULTS, values);
  }

  /** Values before the levers of an operation changed them. Levers of older versions do not say what they replaced. */
  function before(operation: string, now: Readonly<Record<string, unknown>>) {
    const levers = entries.flatMap(({ lever }) => (lever?.operation === operation ? [lever] : []));
    const changed = levers.flatMap(({ body }) => Object.keys(body));
    const first = Object.assign({}, ...levers.toReversed().map(({ before }) => before));
    return { ...Object.fromEntries(Object.entries(now).filter(([name]) => !changed.includes(name))), ...first };
  }
}

/** A running clock moves on between any two requests. Schedules depend on the day. */
const isMoment = (from: number, to: number) => to - from < SECOND && Math.floor(from / DAY) === Math.floor(to / DAY);

const isOption = (name: string, value: unknown) => value !== null && (FAULT_FIELDS as readonly string[]).includes(name);
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
 * The client id of the account of a contract, of the failed test or otherwise of the one that was asked last; null if none
 * was asked.
 * @throws BadInput when the trace does not hold the contract
 */
export function clientIdIn(document: Told, contract: string | null): string | null {
  const accountId = contract === null ? null : contractIn(rowsOf(document, 'contracts'), contract).account_id;
  const account =
    accountId === null
      ? askedLast(document, keptRequestsIn(document))
      : rowsOf(document, 'accounts').find(({ id }) => id === accountId);
  return account ? String(account.client_id) : null;
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
function askedLast(document: Told, requests: readonly TracedRequest[]): Row | undefined {
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
  failedIn(document) ? 'the account of the failed test' : 'the account that was asked last';

/** The scenario alone. */
export const scenarioOf = (document: Told, contract: string | null): ToldScenario =>
  replayOf(document, contract).scenario;

/** The sessions and contracts that a scenario names by their ids, because no step of it makes them. */
export function unmadeIn(document: Dump, { steps }: ToldScenario): string[] {
  // What a store sends may hold any id.
  const subjects = steps
    .filter(needsItsSubject)
    .flatMap(({ as: _as, expect: _expect, ...step }) =>
      Object.values(step as Readonly<Record<string, Subject>>).map(
        ({ path, session, contract }) => path ?? session ?? contract,
      ),
    );
  const named = new Set(subjects.join(' ').match(PLAN_ID));
  const ids = [
    ...rowsOf(document, 'sessions').map(({ token }) => String(token)),
    ...rowsOf(document, 'contracts').map(({ reference }) => String(reference)),
  ];
  return ids.filter((id) => named.has(id));
}

/** Whether a step fails without what it names: other refusals, and answers that a fault took, come all the same. */
function needsItsSubject({ expect }: Step): boolean {
  const { status = 200, answer } = (expect ?? {}) as { readonly status?: number; readonly answer?: 'lost' };
  return answer === undefined && (status < 400 || status === 422);
}

/**
 * The scenario of one contract of a running workspace.
 * @throws Refusal `contract_not_found` after a reset or a restore, `conflict` when there is nothing to repeat
 */
export function storyOf(dump: Dump, contract: string): object {
  if (!rowsOf(dump, 'contracts').some(({ reference }) => reference === contract)) {
    throw new Refusal('contract_not_found');
  }
  const scenario = orNothing(() => scenarioOf(dump, contract));
  if (scenario && unmadeIn(dump, scenario).length === 0) return scenario;
  throw new Refusal(
    'conflict',
    'No scenario can be made of this contract: the fixture made it, or its request is not in the log.',
  );
}

function orNothing<T>(told: () => T): T | null {
  try {
    return told();
  } catch (error) {
    if (error instanceof BadInput) return null;
    throw error;
  }
}

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

const isCreate = ({ method, path }: TracedRequest) => method === 'POST' && path.split('?', 1)[0] === '/v1/sessions';

/** The token of the session in an answer. */
const answeredWith = ({ answer }: TracedRequest) => (answer as { data?: { id?: string } } | null)?.data?.id;

const namedIn = (path: string) => /\/((?:LAY-|cs_)\w+)/.exec(path)?.[1] ?? null;

/**
 * Escapes a `${…}` that a store sent, which would be a place in a scenario, except in a name. A URL loses what a trace leaves of its user
 * info, with which it is not valid.
 */
const verbatim = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value ?? null), (_name, each) =>
    typeof each === 'string' ? each.replaceAll('$' + '{', () => '$$' + '{').replaceAll(NO_USER_INFO, '://') : each,
  );

/** Without the mark of a secret, which HTTP allows neither in a header nor in a path. */
const sendable = (text: string) => text.replaceAll(GONE, '_');

/** What a lever was given. Null and an empty text mean the same as nothing, and not every field of a step takes them. */
const stated = (body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== ''));

type Play = (
  subject: string,
  body: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, string>>,
) => Step | null;

/** The step for each lever; null for one that a scenario cannot repeat. */
const PLAYED: Readonly<Record<string, Play>> = {
  acceptPlan: (session, { customer_name }) => ({ accept: { session, customer_name } }),
  payCartCapture: (session, { outcome = 'pay' }) => ({ pay: { session, outcome } }),
  completeCheckout: (session, body) => ({ 'complete-checkout': { session, ...body } }),
  cancelCheckout: (session) => ({ 'cancel-checkout': { session } }),
  arrangeOutcomes: (contract, { outcomes }) => ({ outcomes: { contract, outcomes } }),
  settleInstallment: (contract, _body, { number }) => ({ settle: { contract, installment: Number(number) } }),
  endContract: (contract) => ({ 'cancel-contract': { contract } }),
  createContract: (_subject, body) => ({ 'create-contract': stated(body) }),
  openSession: (_subject, body) => ({ 'create-session': stated(body) }),
  previewSession: (_subject, body) => ({ 'create-session': stated(body) }),
  updateSettings: (_subject, settings) => ({ settings }),
  updatePlatform: (_subject, platform) => ({ platform }),
};

/** The steps for levers that need no clearance, while the step that stands for them otherwise does. */
const BARRED: Readonly<Record<string, Play>> = {
  openSession: (_subject, body) => ({ request: { method: openSession.method, path: openSession.path, body } }),
  endContract: (reference) => ({
    request: { method: endContract.method, path: endContract.path.replace('{reference}', reference) },
  }),
};
