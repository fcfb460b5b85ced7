import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import {
  ASSUMPTIONS,
  type Assumption,
  MERCHANT_PROFILE_NAMES,
  PLATFORM_NAMES,
  SETTING_NAMES,
} from '../domain/assumptions.ts';
import { CONTRACT_STATUSES, OUTCOMES } from '../domain/contract.ts';
import { EVENT_TYPES } from '../domain/event.ts';
import { EVENT_PATTERNS, FAULT_BOUNDS, FAULT_KINDS, FAULT_METHODS } from '../domain/faults.ts';
import { WANTED_INSTALLMENT_STATUSES } from '../domain/history.ts';
import { FAULTY_OPERATIONS } from '../operations/faults.ts';
import { SENT_METHODS } from '../operations/operation.ts';
import { place } from './interpolate.ts';

/**
 * The schema of scenario files (interface §5), which validates them; `fixtures/scenario.schema.json` is printed from it
 * for editors. `${…}` can replace any value, so every value may also be a string of that form.
 */

const INTERPOLATED = { type: 'string', pattern: '\\$\\{[^{}]+\\}' } as const;

const text = (description: string, options: object = {}) => Type.String({ minLength: 1, description, ...options });
const integer = (description: string, options: object = {}) =>
  Type.Unsafe<number | string>({ anyOf: [{ type: 'integer', ...options }, INTERPOLATED], description });
const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number] | string>({
    anyOf: [{ type: 'string', enum: [...values] }, INTERPOLATED],
    ...(description ? { description } : {}),
  });
const within = (name: keyof typeof FAULT_BOUNDS) => ({
  minimum: FAULT_BOUNDS[name][0],
  maximum: FAULT_BOUNDS[name][1],
});
const bounded = (name: keyof typeof FAULT_BOUNDS, description: string) => integer(description, within(name));
const flag = (description: string) =>
  Type.Unsafe<boolean | string>({ anyOf: [{ type: 'boolean' }, INTERPOLATED], description });
const anything = (description: string) => Type.Unknown({ description });
const closed = <P extends Record<string, TSchema>>(properties: P, options: object) =>
  Type.Object(properties, { additionalProperties: false, ...options });
const described = <P extends Record<string, TSchema>>(description: string, properties: P, options: object = {}) =>
  closed(properties, { description, ...options });
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

const session = text(`A session’s id, such as ${place('order.id')}.`);
const contract = text(`A contract’s reference, such as ${place('plan.reference')}.`);
const outcome = oneOf(OUTCOMES, 'How the Cart Capture ends. Default: pay.');
const metadata = Type.Unsafe<Record<string, string>>({
  type: ['object', 'null'],
  additionalProperties: { type: 'string' },
  description: 'Your own keys and values.',
});
const customerName = text('The customer’s name.');
const EMAIL = 'The customer’s email address.';
const customerEmail = text(EMAIL);
/** To the service, null is the same as a missing field. */
const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, description });
const customerState = textOrNull('The state the order ships to.');

/** One decided value (decisions §2). The service checks what a schema cannot. */
function settingSchema({ note, completes, ...kind }: Assumption): TSchema {
  const description = `${note} (completes ${completes})`;
  switch (kind.kind) {
    case 'integer':
      return integer(description, { minimum: kind.min, maximum: kind.max });
    case 'boolean':
      return flag(description);
    case 'choice':
      return oneOf(kind.values, description);
    case 'states':
      return Type.Array(Type.String(), { description });
    case 'seconds':
      return Type.Array(integer('Seconds.', { minimum: 0, maximum: kind.max }), { minItems: 1, description });
    case 'state':
    case 'email':
      return Type.String({ description });
    case 'text':
      return Type.Unsafe<string | null>({ type: kind.nullable ? ['string', 'null'] : 'string', description });
  }
}

const settingsOf = (names: readonly (keyof typeof ASSUMPTIONS)[]) =>
  Object.fromEntries(names.map((name) => [name, optional(settingSchema(ASSUMPTIONS[name]))]));

const Settings = Type.Unsafe<Record<string, unknown>>(
  described('Changes settings of the account.', settingsOf(SETTING_NAMES), { minProperties: 1 }),
);

const eventTypes = (description: string) => Type.Array(oneOf(EVENT_TYPES), { description });
const subsets = (description: string) =>
  Type.Unsafe<Record<string, unknown>[]>({ type: 'array', items: { type: 'object' }, description });

export const Expectation = described(
  'What must be true after the step.',
  {
    answer: optional(oneOf(['lost'], 'The connection is closed before the response is complete, as a fault does it.')),
    status: optional(integer('The HTTP status of the response.', { minimum: 100, maximum: 599 })),
    body: optional(anything('Part of the response’s body. A string between slashes is a regular expression.')),
    headers: optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Some of the response’s headers. Null: the response has no such header.',
      }),
    ),
    happened: optional(
      eventTypes(
        'For advance: the types of the events that it reports, in order. For any other step: the same as events.',
      ),
    ),
    events: optional(eventTypes('The types of all events since the step began, in order.')),
    emails: optional(subsets('Some of the emails sent since the step began, oldest first.')),
    deliveries: optional(subsets('Some of the webhook deliveries of the account, oldest first.')),
    faults: optional(
      subsets('Some of the faults of the account, in the order in which they strike; met counts the strikes.'),
    ),
  },
  { dependentSchemas: { answer: { properties: { status: false, body: false, headers: false } } } },
);

/** What a step does: exactly one of these keys. */
export const VERBS = {
  'create-session': described('Opens a checkout session.', {
    order_reference: text('Your own order identifier.'),
    total_amount: integer('Cents.'),
    return_url: optional(text('Where the customer goes after the checkout. Default: https://example.com/return.')),
    cancel_url: optional(text('Where the customer goes after cancelling. Default: https://example.com/cancel.')),
    customer_email: optional(textOrNull(EMAIL)),
    customer_state: optional(customerState),
    metadata: optional(metadata),
    idempotency_key: optional(text('Sent as the Idempotency-Key header.')),
    preview: optional(flag('A dashboard preview: its contract never appears under /v1.')),
  }),
  accept: described('Accepts the plan as the customer. This creates a pending contract.', {
    session,
    customer_name: customerName,
    customer_email: optional(text('The customer’s email address. Default: that of the session.')),
  }),
  pay: described('Pays the Cart Capture as the customer.', { session, outcome: optional(outcome) }),
  'complete-checkout': described('Accepts the plan as the customer, unless it is accepted already, and pays.', {
    session,
    customer_name: optional(customerName),
    customer_email: optional(customerEmail),
    outcome: optional(outcome),
  }),
  'cancel-checkout': described('Cancels the checkout as the customer.', { session }),
  outcomes: described('Sets the outcomes of the next collection attempts. Later attempts succeed.', {
    contract,
    outcomes: Type.Array(oneOf(OUTCOMES), { description: 'One for each attempt, in order.' }),
  }),
  settle: described(
    'Settles an overdue installment as the customer: the earliest one unless `installment` names another.',
    { contract, installment: optional(integer('The installment_number.', { minimum: 1 })) },
  ),
  'create-contract': described('Creates a contract in any state, with the history that leads to it.', {
    status: optional(oneOf(CONTRACT_STATUSES, 'The contract’s status at the clock. Default: active.')),
    installment: optional(
      described(
        'One installment of it; those before it are paid. On a defaulted contract: the installment that defaults.',
        {
          number: integer('The installment_number.', { minimum: 1 }),
          status: optional(oneOf(WANTED_INSTALLMENT_STATUSES, 'The installment’s status at the clock. Default: paid.')),
        },
      ),
    ),
    days_ago: optional(
      integer('The minimum number of days between the end of the history and the clock. Default: 1.', { minimum: 0 }),
    ),
    webhooks: optional(flag('False records the events and sends none of them.')),
    order_reference: optional(text('Your own order identifier.')),
    total_amount: optional(integer('Cents.')),
    customer_name: optional(customerName),
    customer_email: optional(customerEmail),
    customer_state: optional(customerState),
    metadata: optional(metadata),
  }),
  'cancel-contract': described('Cancels a contract.', { contract }),
  'update-contract': described('Changes the order reference or the metadata of a contract.', {
    contract,
    order_reference: optional(text('Your own order identifier.')),
    metadata: optional(metadata),
  }),
  advance: described(
    'Moves the clock forward and performs everything that falls due on the way.',
    {
      by: optional(text('A duration: 30s, 45m, 36h, 30d, 2w, 3mo, P1M.')),
      to: optional(text('An ISO 8601 instant.')),
      next: optional(Type.Unsafe<true>({ type: 'boolean', const: true, description: 'To the next thing due.' })),
      until: optional(text('A condition: LAY-…=defaulted, LAY-…#2=past_due, cs_…=expired.')),
    },
    { oneOf: ['by', 'to', 'next', 'until'].map((name) => ({ required: [name] })) },
  ),
  settings: Settings,
  platform: Type.Unsafe<Record<string, unknown>>(
    described(
      'Changes settings of the whole platform. They are restored when the scenario ends.',
      settingsOf(PLATFORM_NAMES),
      { minProperties: 1 },
    ),
  ),
  endpoint: described('Adds a webhook endpoint.', {
    url: text(`Where webhooks go, such as ${place('store.url')} of a receiver.`),
    events: optional(
      Type.Array(oneOf(['*', ...EVENT_TYPES]), {
        minItems: 1,
        description: 'Only events of these types. Default: all.',
      }),
    ),
    secret: optional(text('whsec_ and the base64 of 24 to 64 bytes.')),
    insecure: optional(flag('Accepts any certificate of an https receiver, such as a self-signed one.')),
  }),
  receiver: Type.Array(integer('An HTTP status.', { minimum: 200, maximum: 599 }), {
    description: `Opens a webhook receiver that responds with these statuses, then with 200. Its address is ${place('name.url')}.`,
  }),
  fault: described('Adds a fault that later requests of the store or webhook deliveries meet.', {
    kind: oneOf(FAULT_KINDS, 'What happens.'),
    operation: optional(oneOf(FAULTY_OPERATIONS, 'Only requests to this operation.')),
    method: optional(oneOf(FAULT_METHODS, 'Only requests with this method.')),
    path: optional(text('Only requests to this whole path; * matches one segment.')),
    event: optional(
      oneOf(EVENT_PATTERNS, 'Only deliveries of this event type; a pattern such as contract.* is allowed.'),
    ),
    endpoint_id: optional(text(`Only deliveries to this endpoint, such as ${place('hook.id')}.`)),
    times: optional(
      Type.Unsafe<number | string | null>({
        anyOf: [{ type: ['integer', 'null'], ...within('times') }, INTERPOLATED],
        description: 'How often it strikes; null: always. Default: 1.',
      }),
    ),
    skip: optional(bounded('skip', 'How many matches it lets pass first. Default: 0.')),
    every: optional(bounded('every', 'After the first strike it strikes every n-th match. Default: 1.')),
    status: optional(
      integer('error and late_error: 500, 502, 503 or 504. Default: 503.', { minimum: 500, maximum: 504 }),
    ),
    retry_after: optional(bounded('retry_after', 'error, late_error and throttled: Retry-After in seconds.')),
    delay_ms: optional(bounded('delay_ms', 'slow: how much later the response comes, in real time. Default: 1000.')),
    by: optional(text('delayed: a duration of account time. Default: 1h.')),
    copies: optional(bounded('copies', 'duplicate: how many more times it is sent. Default: 1.')),
  }),
  request: described('Sends any request to the simulator, with the credentials that its path requires.', {
    method: Type.Unsafe<string>({
      type: 'string',
      enum: [...SENT_METHODS],
    }),
    path: text(`A path, or a whole URL of the same server such as ${place('order.checkout_url')}.`, {
      pattern: '^(/|https?://|\\$\\{)',
      examples: ['/v1/ping'],
    }),
    headers: optional(
      Type.Unsafe<Record<string, string | number | boolean | null>>({
        type: 'object',
        additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
        description: 'Sent in addition to the credentials, or in their place. Null omits a header.',
      }),
    ),
    body: optional(
      anything('A string is sent as it is, without a Content-Type, anything else as JSON; null sends no body.'),
    ),
  }),
  wait: described(
    'Waits in real time for an event, an email or a delivery. If it exists already, the step ends at once.',
    {
      event: optional(oneOf(EVENT_TYPES, 'An event of this type.')),
      contract: optional(text('Only an event about this contract.')),
      session: optional(text('Only an event about this session or its contract.')),
      email: optional(Type.Unsafe<object>({ type: 'object', description: 'An email that matches this.' })),
      delivery: optional(Type.Unsafe<object>({ type: 'object', description: 'A webhook delivery that matches this.' })),
      timeout: optional(text('How long to wait, such as 2m. Default: 30s.')),
    },
    { oneOf: ['event', 'email', 'delivery'].map((name) => ({ required: [name] })) },
  ),
} as const;

export type Verb = keyof typeof VERBS;
export const VERB_NAMES = Object.keys(VERBS) as Verb[];

const NAME = '^[A-Za-z_][A-Za-z0-9_-]*$';

const Step = closed(
  {
    name: optional(text('What the step is for.')),
    ...Object.fromEntries<TSchema>(VERB_NAMES.map((verb) => [verb, optional<TSchema>(VERBS[verb])])),
    as: optional(
      text(`Stores the data of the response under this name, so that later steps can use ${place('name.field')}.`, {
        pattern: NAME,
        examples: ['plan', 'second_plan'],
      }),
    ),
    expect: optional(Expectation),
  },
  { oneOf: VERB_NAMES.map((verb) => ({ required: [verb] })) },
);

export const ScenarioFile = closed(
  {
    $schema: optional(Type.String()),
    name: text('What the scenario shows.'),
    merchant: optional(
      described('The merchant of the scenario. Default: one with default settings.', {
        ...settingsOf(MERCHANT_PROFILE_NAMES),
        settings: optional(Settings),
      }),
    ),
    clock: optional(text('The instant at which the frozen clock starts. Default: 2026-01-01T00:00:00Z.')),
    rate_limit: optional(
      Type.Unsafe<number>({
        type: 'integer',
        minimum: 1,
        description:
          'Requests per minute, for both limits. Needs a simulator of the scenario’s own, so it cannot be used with --base-url.',
      }),
    ),
    steps: Type.Array(Step, { minItems: 1 }),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Layaway scenario',
    description: 'A scenario for `layaway run`.',
  },
);

export type Expected = Static<typeof Expectation>;
export type StepInput<V extends Verb> = Static<(typeof VERBS)[V]>;
export type Step = { readonly name?: string; readonly as?: string; readonly expect?: Expected } & {
  readonly [V in Verb]?: StepInput<V>;
};
export interface Scenario {
  readonly name: string;
  readonly merchant?: Readonly<Record<string, unknown>>;
  readonly clock?: string;
  readonly rate_limit?: number;
  readonly steps: readonly Step[];
}

export const verbOf = (step: Step) => VERB_NAMES.find((verb) => step[verb] !== undefined) as Verb;
