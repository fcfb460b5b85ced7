import * as Type from 'typebox';
import { CONTRACT_STATUSES, OUTCOMES } from '../domain/contract.ts';
import { EVENT_TYPES } from '../domain/event.ts';
import { MODES } from '../domain/mode.ts';
import { SESSION_STATUSES } from '../domain/session.ts';
import { DELIVERY_STATUSES } from '../domain/webhook.ts';
import { enveloped, named, ok, operation, ref, refOrNull, resource, stream } from './operation.ts';
import { CLIENT_ID, REQUEST_FILTER, REQUEST_LINE } from './requests.ts';
import { count, flag, instant, nullable, oneOf, text } from './schemas.ts';
import type { Wire } from './wire.ts';

/** The reads of the dashboard: pages, searches, counts, and everything about one id. */
const tag = 'Dashboard';

const term = Type.Optional(Type.String({ maxLength: 200 }));
const before = {
  before: Type.Optional(Type.String({ maxLength: 200, description: 'Only items older than this id.' })),
};
const search = { search: term };
const pageOf = <const Statuses extends readonly string[]>(statuses: Statuses) =>
  Type.Object({
    status: Type.Optional(oneOf(statuses)),
    ...search,
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  });

/** Filters for active contracts with an overdue or a delinquent installment; the service has no such status. */
export const OVERDUE = ['overdue', 'delinquent'] as const;

const number = Type.Integer({ minimum: 0 });
const counts = Type.Unsafe<Readonly<Record<string, number>>>({ type: 'object', additionalProperties: number });

export const BrowseMeta = named('BrowseMeta', 'The position of a page in its list.', {
  page: number,
  per_page: number,
  total: number,
  more_than_total: flag('Whether the count stopped at `total`.'),
});
export const EventLine = named('EventLine', 'An event without its data.', {
  id: Type.String(),
  type: oneOf(EVENT_TYPES),
  subject: Type.String(),
  created_at: instant(),
});
export const EmailLine = named('EmailLine', 'An email without its text.', {
  id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  template: Type.String(),
  created_at: instant(),
});
export const RequestLine = named('RequestLine', 'A request without its bodies.', {
  ...REQUEST_LINE,
  client_id: CLIENT_ID,
});
export const Counts = named('Counts', 'How many of each, by status.', {
  sessions: counts,
  contracts: counts,
  deliveries: counts,
});
export const EndpointHealth = named('EndpointHealth', 'How an endpoint answered the latest attempts.', {
  id: Type.String(),
  attempts: number,
  succeeded: number,
  median_ms: nullable(Type.Number({ minimum: 0 })),
  last: Type.Union(
    [
      resource({
        at: instant('Account time.'),
        status_code: nullable(Type.Integer()),
        error: nullable(Type.String()),
      }),
      Type.Null(),
    ],
    { description: 'The latest attempt.' },
  ),
});
export const Triage = named('Triage', 'What may need attention in an account.', {
  overdue: count('Active contracts with an overdue installment.'),
  overdue_amount: count('Cents, late charges included.'),
  delinquent: count('Those of them with a delinquent installment.'),
  disabled_endpoints: number,
  failing_deliveries: count(
    'Given up, or waiting for another attempt. Leaves out a delivery if another one of its event reached the endpoint or still may, if its endpoint was removed, or if it was a forged test.',
  ),
  given_up_deliveries: count('Those of them that are given up.'),
  collected: nullable(count('Cents; null where there are too many contracts.')),
  expected: nullable(count('Cents that were due by now; null where there are too many contracts.')),
});
export const Ahead = named('Ahead', 'A short forecast.', {
  now: instant('Account time.'),
  happened: Type.Array(ref('Happened')),
  more: flag('The forecast stopped before its end.'),
});
const KINDS = [
  'session',
  'contract',
  'payment',
  'event',
  'delivery',
  'email',
  'request',
  'endpoint',
  'account',
] as const;
export const Related = named('Related', 'Everything about the checkout and the contract that an id belongs to.', {
  kind: oneOf(KINDS),
  session: refOrNull('CheckoutSession'),
  contract: refOrNull('Contract'),
  preview: Type.Boolean(),
  outcomes: Type.Array(oneOf(OUTCOMES)),
  attempts: Type.Array(ref('PaymentAttempt')),
  events: Type.Array(ref('EventLine')),
  deliveries: Type.Array(ref('Delivery')),
  emails: Type.Array(ref('EmailLine')),
  requests: Type.Array(ref('RequestLine')),
  ahead: Type.Array(ref('Happened'), { description: 'What will happen to it if nobody acts.' }),
});
export const AccountLine = named('AccountLine', 'An account at a glance.', {
  client_id: Type.String(),
  mode: oneOf(MODES),
  merchant: resource({ id: Type.String(), name: Type.String() }),
  clock: ref('ClockState'),
  contracts: counts,
});
export const SearchHit = named('SearchHit', 'One thing that a search found.', {
  kind: oneOf(['contract', 'session', 'event', 'delivery', 'email']),
  id: Type.String(),
  title: text('The customer, the order, the type, the URL or the subject.'),
  note: Type.String(),
  status: nullable(Type.String()),
});
export const Found = named('Found', 'The account and the item of an id.', {
  kind: oneOf(KINDS),
  client_id: Type.String(),
  session: nullable(Type.String()),
  contract: nullable(Type.String()),
});
export const AssumptionLine = named('AssumptionLine', 'One value that the service description leaves open.', {
  name: Type.String(),
  kind: Type.String(),
  default: Type.Unknown(),
  value: Type.Optional(Type.Unknown()),
  completes: Type.String(),
  scope: oneOf(['account', 'merchant', 'platform', 'server']),
  note: Type.String(),
  group: Type.Optional(text('The group in the settings view; absent for values of the server.')),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  values: Type.Optional(Type.Array(Type.String())),
  nullable: Type.Optional(Type.Boolean()),
});

const pageOfNamed = <Name extends keyof Wire>(name: Name) =>
  resource({ data: Type.Array(ref(name)), meta: ref('BrowseMeta') });
/** A list read backwards; the next request sends `older` as `before`. */
const back = <Name extends keyof Wire>(name: Name) =>
  resource({ data: Type.Array(ref(name)), meta: resource({ older: nullable(Type.String()) }) });

const browsing = <const Id extends string, const Path extends string, Q extends Type.TSchema, S extends Type.TSchema>(
  operationId: Id,
  path: Path,
  summary: string,
  query: Q,
  schema: S,
) =>
  operation({
    operationId,
    method: 'GET',
    path,
    auth: 'account',
    tag,
    summary,
    query,
    success: ok(schema, 'What was found.'),
    refusals: [401, 404, 422],
  });
const NONE = Type.Object({});

/** The number of due things in a short forecast. A whole forecast of many plans takes too long for a page. */
export const AHEAD_STEPS = 400;
export const AHEAD_STEPS_MAX = 10_000;

export const browseContracts = browsing(
  'browseContracts',
  '/_sim/browse/contracts',
  'Page through contracts',
  pageOf([...CONTRACT_STATUSES, ...OVERDUE]),
  pageOfNamed('Contract'),
);
export const browseSessions = browsing(
  'browseSessions',
  '/_sim/browse/sessions',
  'Page through sessions',
  pageOf(SESSION_STATUSES),
  pageOfNamed('CheckoutSession'),
);
export const browseCounts = browsing(
  'browseCounts',
  '/_sim/browse/counts',
  'Count sessions, contracts and deliveries by status',
  NONE,
  enveloped('Counts'),
);
export const browseTriage = browsing(
  'browseTriage',
  '/_sim/browse/triage',
  'Count what may need attention',
  NONE,
  enveloped('Triage'),
);
export const browseEndpoints = browsing(
  'browseEndpoints',
  '/_sim/browse/endpoints',
  'Read how the endpoints answered lately',
  NONE,
  resource({ data: Type.Array(ref('EndpointHealth')) }),
);
export const browseAhead = browsing(
  'browseAhead',
  '/_sim/browse/ahead',
  'Look ahead by a number of steps',
  Type.Object({
    steps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: AHEAD_STEPS_MAX,
        description: `How many due things it takes; ${AHEAD_STEPS} if absent.`,
      }),
    ),
  }),
  enveloped('Ahead'),
);
export const browseRelated = browsing(
  'browseRelated',
  '/_sim/browse/related/{id}',
  'Read everything about the checkout that an id belongs to',
  NONE,
  enveloped('Related'),
);
export const browseSearch = browsing(
  'browseSearch',
  '/_sim/browse/search',
  'Find contracts, sessions, events, deliveries and emails by any part of a name, an address, an order or an id',
  Type.Object({ text: Type.String({ maxLength: 200 }) }),
  resource({
    data: Type.Array(ref('SearchHit')),
    meta: resource({ more: flag('There are more of a kind than the five that are listed.') }),
  }),
);
export const browseEvents = browsing(
  'browseEvents',
  '/_sim/browse/events',
  'Read events backwards',
  Type.Object({ ...search, ...before }),
  back('EventLine'),
);
export const browseDeliveries = browsing(
  'browseDeliveries',
  '/_sim/browse/deliveries',
  'Read deliveries backwards',
  Type.Object({
    status: Type.Optional(oneOf(DELIVERY_STATUSES)),
    endpoint_id: term,
    event_type: Type.Optional(oneOf(EVENT_TYPES)),
    ...before,
  }),
  back('Delivery'),
);
export const browseEmails = browsing(
  'browseEmails',
  '/_sim/browse/emails',
  'Read emails backwards',
  Type.Object({ ...search, ...before }),
  back('EmailLine'),
);
export const browseRequests = browsing(
  'browseRequests',
  '/_sim/browse/requests',
  'Read requests backwards',
  Type.Object({ ...REQUEST_FILTER, ...before }),
  back('RequestLine'),
);

export const browseChanges = operation({
  operationId: 'browseChanges',
  method: 'GET',
  path: '/_sim/browse/changes',
  auth: 'account',
  tag,
  summary: 'Notify that there is something new to read, as server-sent events',
  success: stream(
    '`open`, then `change`, `request` or `restart`. The `state` in `open` and `restart` counts the resets and restores since the start.',
  ),
  refusals: [401],
});

export const browseAccounts = operation({
  operationId: 'browseAccounts',
  method: 'GET',
  path: '/_sim/browse/accounts',
  auth: 'workspace',
  tag,
  summary: 'List the accounts of the newest merchants, or search all accounts by name or client id',
  query: Type.Object(search),
  success: ok(
    resource({
      data: Type.Array(ref('AccountLine')),
      meta: resource({
        merchants: number,
        more: flag('There are more accounts than those that are listed.'),
        version: Type.String(),
        logs_requests: flag('The server keeps a request log.'),
        trace: nullable(
          resource({
            saved_at: Type.String(),
            what: nullable(text('The command or the test that failed.')),
            exit_code: nullable(Type.Integer()),
            messages: Type.Array(Type.String()),
          }),
        ),
      }),
    }),
    'The accounts.',
  ),
  refusals: [401, 422],
});

export const findId = operation({
  operationId: 'findId',
  method: 'GET',
  path: '/_sim/browse/find/{id}',
  auth: 'workspace',
  tag,
  summary: 'Find the account and the checkout that any id belongs to',
  success: ok(enveloped('Found'), 'The account and the item.'),
  refusals: [401, 404],
});

export const browseAssumptions = operation({
  operationId: 'browseAssumptions',
  method: 'GET',
  path: '/_sim/browse/assumptions',
  auth: 'workspace',
  tag,
  summary: 'List every value that the service description leaves open',
  success: ok(resource({ data: Type.Array(ref('AssumptionLine')) }), 'The values.'),
  refusals: [401],
});

export const BROWSE_SCHEMAS = [
  BrowseMeta,
  EventLine,
  EmailLine,
  RequestLine,
  Counts,
  EndpointHealth,
  Triage,
  Ahead,
  Related,
  AccountLine,
  SearchHit,
  Found,
  AssumptionLine,
] as const;
export const BROWSE_OPERATIONS = [
  browseContracts,
  browseSessions,
  browseCounts,
  browseTriage,
  browseEndpoints,
  browseAhead,
  browseRelated,
  browseSearch,
  browseEvents,
  browseDeliveries,
  browseEmails,
  browseRequests,
  browseChanges,
  browseAccounts,
  findId,
  browseAssumptions,
] as const;
