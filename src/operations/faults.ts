import * as Type from 'typebox';
import { EVENT_PATTERNS, FAULT_BOUNDS, FAULT_KINDS, FAULT_METHODS, FAULTS } from '../domain/faults.ts';
import { ListQuery } from './list-query.ts';
import {
  created,
  enveloped,
  input,
  listed,
  NOTHING,
  named,
  type Operation,
  ok,
  operation,
  ref,
  refOrNull,
} from './operation.ts';
import { count, instant, nullable, oneOf, text } from './schemas.ts';
import { SERVICE_OPERATIONS } from './service.ts';

const tag = 'Faults';

/** Faults strike only requests with valid credentials. */
export const STRUCK_OPERATIONS = SERVICE_OPERATIONS.filter(({ scope }: Operation) => scope !== undefined);
export const STRUCK_OPERATION_IDS = STRUCK_OPERATIONS.map(({ operationId }) => operationId);
export const FAULTY_OPERATIONS = SERVICE_OPERATIONS.map(({ operationId }) => operationId);

const bounded = ([minimum, maximum]: readonly [number, number], description: string) =>
  Type.Integer({ minimum, maximum, description });

const kind = oneOf(FAULT_KINDS, {
  description: Object.entries(FAULTS)
    .map(([name, { effect }]) => `\`${name}\`: ${effect}`)
    .join(' '),
});
const operationName = oneOf(FAULTY_OPERATIONS, {
  description: 'Only requests to this operation of `/v1`. Faults strike only requests with valid credentials.',
});
const method = oneOf(FAULT_METHODS, { description: 'Only requests with this method.' });
const path = Type.String({
  maxLength: 2048,
  description: 'Only requests to this whole path, decoded and without the query; `*` matches one segment.',
});
const event = oneOf(EVENT_PATTERNS, {
  description: 'Only deliveries of this event type; a pattern such as contract.* is allowed.',
});
const endpoint = text('Only deliveries to this endpoint.');
const times = bounded(FAULT_BOUNDS.times, 'How often it strikes; null: always.');
const skip = bounded(FAULT_BOUNDS.skip, 'How many matches it lets pass first.');
const every = bounded(FAULT_BOUNDS.every, 'After the first strike it strikes every n-th match.');
const STATUS = { description: '`error` and `late_error`: 500, 502, 503 or 504.' };
const status = Type.Integer({ minimum: 500, maximum: 504, ...STATUS });
/** The rules of the kind check it, so that a kind without a status is refused as such. */
const anyStatus = Type.Integer(STATUS);
const retryAfter = bounded(
  FAULT_BOUNDS.retry_after,
  '`error`, `late_error`, `throttled`: the Retry-After header, in seconds.',
);
const delay = bounded(FAULT_BOUNDS.delay_ms, '`slow`: how much later the response comes, in real time.');
const by = text('`delayed`: a duration of account time, at most 30 days.');
const copies = bounded(FAULT_BOUNDS.copies, '`duplicate`: how many more times it is sent.');

export const Fault = named(
  'Fault',
  'A fault of the account’s requests or deliveries. Fields of other kinds are null.',
  {
    id: text('`flt_…`'),
    kind,
    operation: nullable(operationName),
    method: nullable(method),
    path: nullable(path),
    event: nullable(event),
    endpoint_id: nullable(endpoint),
    times: nullable(times),
    skip,
    every,
    status: nullable(status),
    retry_after: nullable(retryAfter),
    delay_ms: nullable(delay),
    by: nullable(by),
    copies: nullable(copies),
    met: count('How often it struck.'),
    created_at: instant('Account time.'),
  },
);

const given = <T extends Type.TSchema>(schema: T) => Type.Optional(nullable(schema));
export const FaultCreate = input(
  'FaultCreate',
  'Defaults: `times` 1, `skip` 0, `every` 1, `status` 503, `retry_after` 1 for `throttled`, `delay_ms` 1000, `by` `1h`, `copies` 1.',
  {
    kind,
    operation: given(operationName),
    method: given(method),
    path: given(path),
    event: given(event),
    endpoint_id: given(endpoint),
    times: given(times),
    skip: Type.Optional(skip),
    every: Type.Optional(every),
    status: given(anyStatus),
    retry_after: given(retryAfter),
    delay_ms: given(delay),
    by: given(by),
    copies: given(copies),
  },
);

export const FaultMark = named('FaultMark', 'The fault that struck.', {
  id: text('`flt_…`, or `chaos`.'),
  kind: oneOf(FAULT_KINDS),
});
/** The fault of a request or of an attempt. */
export const STRUCK_BY = refOrNull('FaultMark', 'The fault that struck it, or null.');

export const listFaults = operation({
  operationId: 'listFaults',
  method: 'GET',
  path: '/_sim/faults',
  auth: 'account',
  tag,
  summary: 'List faults in the order in which they strike',
  query: ListQuery,
  success: ok(listed('Fault'), 'The faults, with how often each struck.'),
  refusals: [401, 422],
});

export const addFault = operation({
  operationId: 'addFault',
  method: 'POST',
  path: '/_sim/faults',
  auth: 'account',
  tag,
  summary: 'Add a fault that requests or deliveries will meet',
  body: ref('FaultCreate'),
  success: created(enveloped('Fault'), 'The fault.'),
  refusals: [401, 413, 415, 422],
});

export const clearFaults = operation({
  operationId: 'clearFaults',
  method: 'DELETE',
  path: '/_sim/faults',
  auth: 'account',
  tag,
  summary: 'Remove all faults of the account',
  success: NOTHING,
  refusals: [401],
});

export const removeFault = operation({
  operationId: 'removeFault',
  method: 'DELETE',
  path: '/_sim/faults/{id}',
  auth: 'account',
  tag,
  summary: 'Remove a fault',
  params: { id: 'The fault’s id, `flt_…`.' },
  success: NOTHING,
  refusals: [401, 404],
});

export const FAULT_SCHEMAS = [Fault, FaultCreate, FaultMark] as const;
export const FAULT_OPERATIONS = [listFaults, addFault, clearFaults, removeFault] as const;
