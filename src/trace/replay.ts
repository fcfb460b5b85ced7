import { ACCOUNT_DEFAULTS } from '../domain/assumptions.ts';
import { ADVANCE_YEARS_MAX, addDuration, dayOf, formatInstant, SECOND } from '../domain/calendar.ts';
import { readCause } from '../domain/cause.ts';
import { ERROR_STATUSES, FAULT_FIELDS, FAULTS, type FaultKind, leavesUnanswered } from '../domain/faults.ts';
import { NO_USER_INFO } from '../domain/secret-text.ts';
import { listSessions } from '../operations/sessions.ts';
import { BARRED, PLAYED, type Step } from './lever-steps.ts';
import { createNames } from './names.ts';
import {
  answeredWith,
  type Choice,
  type Entry,
  isCreate,
  merchantBefore,
  platformBefore,
  recordingIn,
  type Told,
  tokenOf,
} from './recording.ts';
import { rowsOf, type TracedRequest } from './rows.ts';
import { GONE } from './scrub.ts';

export interface ToldScenario {
  readonly name: string;
  readonly merchant?: object;
  readonly clock: string;
  readonly steps: readonly Step[];
}

/** A scenario, the account whose story it is, and how many sessions of other accounts it leaves out. */
interface Replay {
  readonly scenario: ToldScenario;
  readonly clientId: string;
  readonly foreignSessions: number;
}

/**
 * A scenario that repeats the requests and levers of a trace and expects the same results: those of one contract, or all
 * those of the account that was chosen.
 * @throws BadInput when the trace holds nothing to repeat
 */
export function replayOf(document: Told, choice: Choice): Replay {
  const recording = recordingIn(document, choice);
  const { account, entries, events, begunAt } = recording;
  const names = createNames();
  /** What the clock made, in the order of time. The steps that pass it take it from the front. */
  const ahead = events.filter(({ cause }) => readCause(cause).kind === 'clock').toSorted((a, b) => a.at - b.at);
  const steps: Step[] = [];
  const merchant = merchantBefore(document, recording);
  let settings: Readonly<Record<string, unknown>> = { ...ACCOUNT_DEFAULTS, ...merchant.settings };
  const platform = platformBefore(document, recording);
  if (Object.keys(platform).length > 0) steps.push({ platform });
  let now = begunAt;
  const seconds = new Set([...entries.map(({ at }) => at), Number(account.clock_ms)].map(secondOf));
  for (const entry of entries) tell(entry);
  travelTo(Number(account.clock_ms));
  return {
    scenario: {
      name: choice.contract === null ? 'replay of a trace' : `replay of ${choice.contract}`,
      ...(Object.keys(merchant).length > 0 ? { merchant } : {}),
      clock: formatInstant(begunAt),
      steps,
    },
    clientId: String(account.client_id),
    foreignSessions: rowsOf(document, 'sessions').filter(({ account_id }) => account_id !== account.id).length,
  };

  function tell(entry: Entry) {
    travelTo(entry.at, hasCloseDeadline(entry));
    const types = recording.eventsBy(entry.id).map(({ type }) => type);
    if (entry.request) tellRequest(entry.request, types);
    else if (entry.lever) tellLever(entry.lever, entry.id, types);
    findOpened(entry);
  }

  /**
   * Adds a step that advances the clock to this instant and expects what fell due on the way. A moment needs no step, unless
   * it `isExact`.
   */
  function travelTo(at: number, isExact = false) {
    const furthest = addDuration(now, { months: ADVANCE_YEARS_MAX * 12, ms: 0 });
    if (at > furthest) travelTo(furthest);
    if (at <= now) return;
    const later = ahead.findIndex((event) => event.at > at);
    const count = later < 0 ? ahead.length : later;
    if (count === 0 && !isExact && isMoment(now, at)) return;
    now = at;
    const due = ahead.splice(0, count);
    steps.push({ advance: { to: formatInstant(at) }, expect: { happened: due.map(({ type }) => type) } });
  }

  /** Whether it opens a session whose deadline must be exact: the story goes on, or ends, within a second of it. */
  function hasCloseDeadline({ id }: Entry): boolean {
    const session = recording.sessionBy(id);
    if (session === undefined) return false;
    const deadline = secondOf(Number(session.expires_at));
    return [deadline - 1, deadline, deadline + 1].some((second) => seconds.has(second));
  }

  function tellRequest(request: TracedRequest, types: readonly string[]) {
    const { method, path, body, status, fault, answer, idempotencyKey } = request;
    if (fault) steps.push({ fault: strike(request, fault.kind) });
    const isLost = fault !== null && leavesUnanswered(fault.kind, method);
    const { data } = (answer ?? {}) as { data?: { status?: unknown } };
    const token = isCreate(request) ? answeredWith(request) : undefined;
    const known = token === undefined ? undefined : names.placeOf(token);
    const as = token !== undefined && known === undefined && !isLost ? names.give(token, 'session') : undefined;
    const headers = {
      ...(idempotencyKey === null ? {} : { 'idempotency-key': sendable(verbatim(idempotencyKey)) }),
      ...(status === 401 ? { 'x-api-key': null } : {}),
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    };
    const tells = status !== null && status < 300 && method !== 'HEAD' && typeof data?.status === 'string';
    steps.push({
      request: {
        method,
        path: names.renamed(sendable(verbatim(path))),
        ...(Object.keys(headers).length > 0 ? { headers } : {}),
        ...(body === null ? {} : { body: verbatim(body) }),
      },
      ...(as === undefined ? {} : { as }),
      expect: {
        ...(isLost ? { answer: 'lost' } : { status }),
        ...(tells && !isLost
          ? { body: { data: { ...(known === undefined ? {} : { id: `\${${known}.id}` }), status: data.status } } }
          : {}),
        events: types,
      },
    });
  }

  /** Adds a step that looks up a session that no answer has shown, if a later step names it. */
  function findOpened(opening: Entry) {
    const token = tokenOf(recording.sessionBy(opening.id));
    if (token === undefined || names.has(token)) return;
    const isNamed = ({ request, lever }: Entry) =>
      request ? request.path.includes(token) : Object.values(lever?.params ?? {}).includes(token);
    if (!entries.slice(entries.indexOf(opening) + 1).some(isNamed)) return;
    // It is the newest one of the list.
    const as = names.give(token, 'session', '.0');
    steps.push({ request: { method: 'GET', path: `${listSessions.path}?limit=1` }, as, expect: { status: 200 } });
  }

  /**
   * A fault for this request alone, because the log says which requests a fault struck, but not when it was removed. Nor
   * does it hold the options: all but the status are those of the latest fault of the kind.
   */
  function strike({ number, status }: TracedRequest, kind: FaultKind): object {
    const added = rowsOf(document, 'levers')
      .filter(({ account_id }) => account_id === account.id)
      .filter((row) => row.operation === 'addFault' && Number(row.after_request) < number)
      .map(({ body }) => JSON.parse(String(body)))
      .findLast((body) => body.kind === kind);
    const answered = 'status' in FAULTS[kind].takes && ERROR_STATUSES.some((known) => known === status);
    const options = { ...added, ...(answered ? { status } : {}) };
    return { kind, ...Object.fromEntries(Object.entries(options).filter(([name, value]) => isOption(name, value))) };
  }

  function tellLever({ operation, params, body }: NonNullable<Entry['lever']>, id: string, types: readonly string[]) {
    const subject = names.renamed(params.id ?? params.token ?? params.reference ?? '');
    const made = recording.contractBy(id);
    const opened = recording.sessionBy(id);
    const isBarred = settings.clearance !== 'cleared' || settings.account_status !== 'active';
    const play = isBarred && Object.hasOwn(BARRED, operation) ? BARRED[operation] : PLAYED[operation];
    const step = play?.(subject, verbatim(body) as Readonly<Record<string, unknown>>, params);
    if (!step) return;
    if (operation === 'updateSettings') settings = { ...settings, ...body };
    const as = made ? newContract(String(made.reference)) : opened && names.give(String(opened.token), 'session');
    const email = operation === 'acceptPlan' && made ? { customer_email: String(made.customer_email) } : {};
    const [[verb, input]] = Object.entries(step) as [[string, object]];
    steps.push({
      [verb]: Array.isArray(input) ? input : { ...input, ...email },
      ...(as === undefined ? {} : { as }),
      expect: { events: types },
    });
  }

  /** Undefined for one that has a name already. */
  function newContract(reference: string) {
    return names.has(reference) ? undefined : names.give(reference, 'contract');
  }
}

/** A running clock moves on between any two requests. Schedules depend on the day. */
const isMoment = (from: number, to: number) => to - from < SECOND && dayOf(from) === dayOf(to);

const secondOf = (at: number) => Math.floor(at / SECOND);

const isOption = (name: string, value: unknown) => value !== null && (FAULT_FIELDS as readonly string[]).includes(name);

/**
 * Escapes a `${…}` that a store sent, which would be a place in a scenario, except in a name. A URL loses what a trace
 * leaves of its user info, with which it is not valid.
 */
const verbatim = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value ?? null), (_name, each) =>
    typeof each === 'string' ? each.replaceAll('$' + '{', () => '$$' + '{').replaceAll(NO_USER_INFO, '://') : each,
  );

/** Without the mark of a secret, which HTTP allows neither in a header nor in a path. */
const sendable = (text: string) => text.replaceAll(GONE, '_');
