import { DAY, parseDuration } from './calendar.ts';
import { EVENT_TYPES, type EventType } from './event.ts';
import { type FieldErrors, invalid, notAmong, Refusal } from './refusal.ts';

/** The options of a kind, with their names on the wire. */
export const FAULT_FIELDS = ['status', 'retry_after', 'delay_ms', 'by', 'copies'] as const;
export type FaultField = (typeof FAULT_FIELDS)[number];

/** The filters of a fault: for requests, or for deliveries. */
export const FAULT_FILTERS = {
  request: ['operation', 'method', 'path'],
  delivery: ['event', 'endpoint_id'],
} as const;
export type FaultTarget = keyof typeof FAULT_FILTERS;

/** What each filter and field holds, unless it is null. */
interface FaultValues {
  readonly operation: string;
  readonly method: FaultMethod;
  readonly path: string;
  readonly event: EventPattern;
  readonly endpoint_id: string;
  readonly status: number;
  readonly retry_after: number;
  readonly delay_ms: number;
  readonly by: string;
  readonly copies: number;
}

interface KindRow {
  readonly on: FaultTarget;
  /** What happens, in one sentence. */
  readonly effect: string;
  /** The fields that the kind takes, with their defaults. */
  readonly takes: { readonly [Field in FaultField]?: FaultValues[Field] | null };
}

/** Every kind (interface §7). */
export const FAULTS = {
  lost_request: { on: 'request', effect: 'The connection is closed. Nothing was done.', takes: {} },
  lost_answer: {
    on: 'request',
    effect: 'Everything is done and committed. The connection is closed without a response.',
    takes: {},
  },
  cut_answer: {
    on: 'request',
    effect: 'Everything is done. Status, headers and half of the body are sent, then the connection is closed.',
    takes: {},
  },
  error: {
    on: 'request',
    effect: 'Nothing is done. The response is a server error.',
    takes: { status: 503, retry_after: null },
  },
  late_error: {
    on: 'request',
    effect: 'Everything is done and committed. The response is a server error.',
    takes: { status: 503, retry_after: null },
  },
  throttled: {
    on: 'request',
    effect: 'Nothing is done. The response is 429 with Retry-After.',
    takes: { retry_after: 1 },
  },
  slow: { on: 'request', effect: 'The response comes later, in real time.', takes: { delay_ms: 1000 } },
  lost: { on: 'delivery', effect: 'The attempt does not reach the receiver, and is made again later.', takes: {} },
  lost_ack: {
    on: 'delivery',
    effect: 'The attempt reaches the receiver. Its response is ignored, so the event comes again.',
    takes: {},
  },
  duplicate: { on: 'delivery', effect: 'After success the same event is sent again.', takes: { copies: 1 } },
  reordered: {
    on: 'delivery',
    effect: 'The event is sent after the next one to the same endpoint, or an hour of account time later.',
    takes: {},
  },
  delayed: { on: 'delivery', effect: 'The first attempt comes later, in account time.', takes: { by: '1h' } },
} as const satisfies Record<string, KindRow>;

export type FaultKind = keyof typeof FAULTS;
export const FAULT_KINDS = Object.keys(FAULTS) as [FaultKind, ...FaultKind[]];

/** The kinds after which a request has no answer. */
const UNANSWERED: ReadonlySet<unknown> = new Set<FaultKind>(['lost_request', 'lost_answer', 'cut_answer']);

/** Whether a fault leaves a request without an answer. The answer to a HEAD has no body that could be cut. */
export const leavesUnanswered = (kind: FaultKind | undefined, method: string) =>
  UNANSWERED.has(kind) && !(kind === 'cut_answer' && method === 'HEAD');

export const ERROR_STATUSES = [500, 502, 503, 504] as const;

/** Inclusive bounds of whole numbers. */
export const FAULT_BOUNDS = {
  times: [1, 1_000_000],
  every: [1, 1_000_000],
  skip: [0, 1_000_000],
  retry_after: [0, 86_400],
  delay_ms: [0, 60_000],
  copies: [1, 100],
} as const;

const DELAY_MAX_MS = 30 * DAY;

/** The methods of `/v1`. */
export const FAULT_METHODS = ['GET', 'HEAD', 'POST', 'PATCH'] as const;
type FaultMethod = (typeof FAULT_METHODS)[number];

type EventNoun<Type> = Type extends `${infer Noun}.${string}` ? Noun : never;
/** An event type, or a prefix of event types. */
export type EventPattern = EventType | `${EventNoun<EventType>}.*`;
export const EVENT_PATTERNS: readonly EventPattern[] = [
  ...EVENT_TYPES,
  ...new Set(EVENT_TYPES.map((type) => `${type.split('.', 1)[0] as EventNoun<EventType>}.*` as const)),
];

/** A fault and the requests or attempts that it matches. A null field belongs to other kinds, or matches everything. */
export interface FaultRule {
  readonly kind: FaultKind;
  readonly operation: string | null;
  readonly method: FaultMethod | null;
  readonly path: string | null;
  readonly event: EventPattern | null;
  readonly endpointId: number | null;
  /** Null: always. */
  readonly times: number | null;
  readonly skip: number;
  readonly every: number;
  readonly status: number | null;
  readonly retryAfter: number | null;
  readonly delayMs: number | null;
  /** A duration, as given. */
  readonly by: string | null;
  readonly copies: number | null;
}

export interface Fault extends FaultRule {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  /** The public id of the only endpoint that it matches. */
  readonly endpoint: string | null;
  /** Matches so far, strikes included. */
  readonly seen: number;
  /** Strikes so far. */
  readonly met: number;
  readonly createdAt: number;
}

/** The mark of a fault on a log entry or an attempt. */
export interface FaultMark {
  /** `flt_…`, or `chaos`. */
  readonly id: string;
  readonly kind: FaultKind;
}

export const theFault = ({ kind, id }: FaultMark) => `The fault ${kind} (${id})`;

/** A fault as requested on the wire. The schema has checked types and bounds. */
export type FaultInput = {
  readonly kind: FaultKind;
  readonly times?: number | null | undefined;
  readonly skip?: number | undefined;
  readonly every?: number | undefined;
} & FaultOptions;
type FaultOptions = { readonly [Name in keyof FaultValues]?: FaultValues[Name] | null | undefined };

/** The filters and fields that a kind takes besides `times`, `skip` and `every`, as on the wire. */
export function fieldsOf(kind: FaultKind): readonly string[] {
  const { on, takes }: KindRow = FAULTS[kind];
  return [...FAULT_FILTERS[on], ...Object.keys(takes)];
}

/**
 * Makes a rule from an input and fills in the defaults. `endpointId` belongs to the endpoint that the input names.
 * @throws Refusal `invalid` for a field that the kind does not take, and for values that the schema cannot check
 */
export function faultRule(input: FaultInput, endpointId: number | null): FaultRule {
  const { takes }: KindRow = FAULTS[input.kind];
  const options: FaultOptions = input;
  const errors: FieldErrors = {};
  const mine = fieldsOf(input.kind);
  const others = [...FAULT_FILTERS.request, ...FAULT_FILTERS.delivery, ...FAULT_FIELDS].filter(
    (name) => !mine.includes(name),
  );
  for (const name of others) {
    if (input[name] != null) errors[name] = [`The ${label(name)} field does not belong to the kind ${input.kind}.`];
  }
  const field = <Name extends FaultField>(name: Name): FaultValues[Name] | null =>
    name in takes ? (options[name] ?? takes[name] ?? null) : null;
  const status = field('status');
  if (status !== null && !ERROR_STATUSES.some((known) => known === status)) {
    errors.status ??= [notAmong('status', ERROR_STATUSES)];
  }
  const wrongPath = typeof input.path === 'string' ? pathProblem(input.path) : null;
  if (wrongPath !== null) errors.path ??= [`The path field ${wrongPath}`];
  const by = field('by');
  const problem = by === null ? null : delayProblem(by);
  if (problem !== null) errors.by ??= [`The by field ${problem}`];
  if (Object.keys(errors).length > 0) throw new Refusal('invalid', errors);

  return {
    kind: input.kind,
    operation: input.operation ?? null,
    method: input.method ?? null,
    path: input.path ?? null,
    event: input.event ?? null,
    endpointId,
    times: input.times === undefined ? 1 : input.times,
    skip: input.skip ?? 0,
    every: input.every ?? 1,
    status,
    retryAfter: field('retry_after'),
    delayMs: field('delay_ms'),
    by,
    copies: field('copies'),
  };
}

/** No request has another path, so a filter for one would never match. */
function pathProblem(path: string): string | null {
  if (!/^\/(v1|\*)\/[^?#]*$/.test(path)) return 'must begin with /v1/ and have no query.';
  if (/%[0-9a-f]{2}/i.test(path)) return 'must be decoded, without % escapes.';
  return path.split('/').some((segment) => segment.includes('*') && segment !== '*')
    ? 'may contain * only as a whole segment; each * matches one segment.'
    : null;
}

const label = (name: string) => name.replaceAll('_', ' ');

/** Months differ in length, so a bound in days could not be checked for them. */
function delayProblem(text: string): string | null {
  const duration = parseDuration(text);
  if (!duration) return 'must be a duration such as 45m, 2h or 30d.';
  if (duration.months > 0) return 'must not be more than 30 days; give it in days or less, such as 30d.';
  if (duration.ms <= 0) return 'must be more than 0.';
  return duration.ms > DELAY_MAX_MS ? 'must not be more than 30 days.' : null;
}

/** How long a `delayed` delivery waits. */
export const delayMsOf = (by: string) => parseDuration(by)?.ms ?? 0;

/** The facts of a request that a fault can match. */
export interface RequestFacts {
  readonly operation: string;
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
}

/** An operation that faults strike. The path has `{…}` for a value. */
interface StruckOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

/** @throws Refusal `invalid` if no request can pass the filters, so that the fault would never strike */
export function checkFilters(rule: FaultRule, operations: readonly StruckOperation[]) {
  if (rule.operation === null) return checkAddress(rule, operations);
  const operation = operations.find(({ operationId }) => operationId === rule.operation);
  if (!operation) {
    throw invalid('operation', `The operation ${rule.operation} takes no credentials, so no fault strikes it.`);
  }
  const conflict = conflictOf(rule, operation);
  if (!conflict) return;
  const { method, path } = operation;
  throw invalid(
    conflict,
    `The ${conflict} field does not fit the operation ${rule.operation}, which is ${method} ${path}.`,
  );
}

function checkAddress({ method, path }: FaultRule, operations: readonly StruckOperation[]) {
  const fits = (filters: Pick<FaultRule, 'method' | 'path'>) =>
    operations.some((operation) => conflictOf(filters, operation) === null);
  if (!fits({ method: null, path })) {
    throw invalid('path', 'The path field fits no operation that takes credentials.');
  }
  if (!fits({ method, path })) {
    throw invalid('method', 'The method field fits no operation at that path that takes credentials.');
  }
}

/** The filter that no request of the operation can pass; null if there is none. */
export function conflictOf(
  { method, path }: Pick<FaultRule, 'method' | 'path'>,
  operation: Pick<StruckOperation, 'method' | 'path'>,
): 'method' | 'path' | null {
  // HEAD is answered as GET is.
  const asked = method === 'HEAD' ? 'GET' : method;
  if (asked !== null && asked !== operation.method) return 'method';
  const isValue = (segment: string) => segment.startsWith('{');
  return path === null || matchesPath(path, operation.path, isValue) ? null : 'path';
}

export const matchesRequest = (
  { kind, operation, method, path }: Pick<FaultRule, 'kind' | 'operation' | 'method' | 'path'>,
  facts: RequestFacts,
): boolean =>
  FAULTS[kind].on === 'request' &&
  (operation === null || operation === facts.operation) &&
  (method === null || method === facts.method) &&
  (path === null || matchesPath(path, facts.path));

/** `isOpen` says which segments of the path may be anything. */
function matchesPath(pattern: string, path: string, isOpen: (segment: string) => boolean = () => false): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    given.every((segment, at) => {
      if (isOpen(segment)) return wanted[at] !== '';
      return wanted[at] === '*' ? segment !== '' : wanted[at] === segment;
    })
  );
}

/** The facts of an attempt that a fault can match. */
export interface AttemptFacts {
  readonly event: EventType;
  readonly endpointId: number | null;
  readonly isFirst: boolean;
  readonly isForged: boolean;
}

/**
 * Only a first attempt can be delayed, only an endpoint has a next event to wait for, and what is forged is sent once.
 */
export const matchesAttempt = ({ kind, event, endpointId }: FaultRule, facts: AttemptFacts): boolean =>
  FAULTS[kind].on === 'delivery' &&
  (event === null || matchesEvent(event, facts.event)) &&
  (endpointId === null || endpointId === facts.endpointId) &&
  (kind === 'delayed' || kind === 'reordered' ? facts.isFirst : true) &&
  (kind !== 'reordered' || facts.endpointId !== null) &&
  (kind !== 'duplicate' || !facts.isForged);

const matchesEvent = (pattern: string, type: EventType) =>
  pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;

/** The counts that decide whether a fault strikes the next match. */
export type FaultCount = Pick<Fault, 'times' | 'skip' | 'every' | 'seen' | 'met'>;

export const isSpent = ({ times, met }: Pick<Fault, 'times' | 'met'>) => times !== null && met >= times;

/** It strikes the first match after `skip`, then every n-th, until it has struck `times` times. */
export const strikesNext = (fault: FaultCount): boolean =>
  !isSpent(fault) && fault.seen >= fault.skip && (fault.seen - fault.skip) % fault.every === 0;

/**
 * Finds the first fault that strikes, in the order in which they were added. `passed` are the earlier ones that match
 * but do not strike: they count the match. Later ones do not.
 */
export function firstToStrike<F extends FaultCount>(
  faults: readonly F[],
  isMatch: (fault: F) => boolean,
): { readonly struck: F | null; readonly passed: readonly F[] } {
  const passed: F[] = [];
  for (const fault of faults) {
    if (isSpent(fault) || !isMatch(fault)) continue;
    if (strikesNext(fault)) return { struck: fault, passed };
    passed.push(fault);
  }
  return { struck: null, passed };
}
