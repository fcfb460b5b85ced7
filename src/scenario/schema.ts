import Type, { type Static, type TSchema } from 'typebox';
import { ASSUMPTIONS, type Assumption, MERCHANT_PROFILE_NAMES, SETTING_NAMES } from '../domain/assumptions.ts';
import { EVENT_TYPES } from '../domain/event.ts';
import { place } from './interpolate.ts';

/**
 * What a scenario file may say (interface §5). This is what validates; `fixtures/scenario.schema.json` is printed from
 * it, for editors. Wherever a value stands, `${…}` may stand, so every value may be a string of that form.
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
const flag = (description: string) =>
  Type.Unsafe<boolean | string>({ anyOf: [{ type: 'boolean' }, INTERPOLATED], description });
const anything = (description: string) => Type.Unknown({ description });
const closed = <P extends Record<string, TSchema>>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

const OUTCOMES = ['pay', 'fail'] as const;
const session = text(`A session’s id, such as ${place('order.id')}.`);
const contract = text(`A contract’s reference, such as ${place('plan.reference')}.`);
const outcome = oneOf(OUTCOMES, 'How the Cart Capture ends; pay when absent.');
const metadata = Type.Unsafe<Record<string, string>>({
  type: ['object', 'null'],
  additionalProperties: { type: 'string' },
  description: 'Your own keys and values.',
});
const customerName = text('The customer’s name.');
const customerEmail = text('The customer’s e-mail address.');

/** One decided value (decisions §2) as far as a file can be wrong about it; the service has the last word. */
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
  closed(settingsOf(SETTING_NAMES), { description: 'Changes settings of the account.', minProperties: 1 }),
);

const eventTypes = (description: string) => Type.Array(oneOf(EVENT_TYPES), { description });
const subsets = (description: string) =>
  Type.Unsafe<Record<string, unknown>[]>({ type: 'array', items: { type: 'object' }, description });

export const Expectation = closed(
  {
    status: optional(integer('The HTTP status of the answer.', { minimum: 100, maximum: 599 })),
    body: optional(anything('Part of the answer’s body. A text between slashes is a regular expression.')),
    headers: optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'Some of the answer’s headers.' }),
    ),
    happened: optional(eventTypes('The types of all events since the step began, in order, and no others.')),
    events: optional(eventTypes('The types of all events since the step began, in order, and no others.')),
    emails: optional(subsets('E-mails among those written since the step began.')),
    deliveries: optional(subsets('Webhook deliveries among all of the account.')),
  },
  { description: 'What must be true after the step.' },
);

/** What a step does: one of these keys. */
export const VERBS = {
  'create-session': closed(
    {
      order_reference: text('Your own order identifier.'),
      total_amount: integer('Cents.'),
      return_url: optional(text('Where the customer lands; https://example.com/return when absent.')),
      cancel_url: optional(text('Where the customer lands after backing out; https://example.com/cancel when absent.')),
      customer_email: optional(text('The customer’s e-mail address.')),
      customer_state: optional(text('The state the order ships to.')),
      metadata: optional(metadata),
      idempotency_key: optional(text('Sent as the Idempotency-Key header.')),
      preview: optional(flag('A dashboard preview: its contract never appears under /v1.')),
    },
    { description: 'Opens a checkout session.' },
  ),
  accept: closed(
    { session, customer_name: customerName, customer_email: customerEmail },
    { description: 'The customer accepts the plan.' },
  ),
  pay: closed({ session, outcome: optional(outcome) }, { description: 'The customer pays the Cart Capture.' }),
  'complete-checkout': closed(
    {
      session,
      customer_name: optional(customerName),
      customer_email: optional(customerEmail),
      outcome: optional(outcome),
    },
    { description: 'The customer accepts, unless that is done, and pays.' },
  ),
  'cancel-checkout': closed({ session }, { description: 'The customer backs out.' }),
  outcomes: closed(
    { contract, outcomes: Type.Array(oneOf(OUTCOMES)) },
    { description: 'Arranges how the next collection attempts end; then they succeed.' },
  ),
  settle: closed(
    { contract, installment: optional(integer('The installment_number.', { minimum: 1 })) },
    { description: 'The customer settles an overdue installment, the earliest when none is named.' },
  ),
  'cancel-contract': closed({ contract }, { description: 'Cancels a contract.' }),
  'update-contract': closed(
    { contract, order_reference: optional(text('Your own order identifier.')), metadata: optional(metadata) },
    { description: 'Corrects a contract’s bookkeeping.' },
  ),
  advance: closed(
    {
      by: optional(text('A duration: 30s, 45m, 36h, 30d, 2w, 3mo, P1M.')),
      to: optional(text('An ISO 8601 instant.')),
      next: optional(Type.Unsafe<true>({ type: 'boolean', const: true, description: 'To the next thing due.' })),
      until: optional(text('A condition: LAY-…=defaulted, LAY-…#2=past_due, cs_…=expired.')),
    },
    {
      description: 'Moves the clock and does all that falls due on the way.',
      oneOf: ['by', 'to', 'next', 'until'].map((name) => ({ required: [name] })),
    },
  ),
  settings: Settings,
  platform: closed(
    {
      disabled: optional(settingSchema(ASSUMPTIONS.disabled)),
      unavailable_states: optional(settingSchema(ASSUMPTIONS.unavailable_states)),
    },
    { description: 'Changes what holds for every merchant; put back when the scenario ends.', minProperties: 1 },
  ),
  endpoint: closed(
    {
      url: text(`Where webhooks go, such as ${place('store.url')} of a receiver.`),
      events: optional(Type.Array(oneOf(['*', ...EVENT_TYPES]), { minItems: 1 })),
      secret: optional(text('whsec_ and the base64 of 24 to 64 bytes.')),
    },
    { description: 'Adds a webhook endpoint.' },
  ),
  receiver: Type.Array(integer('An HTTP status.', { minimum: 200, maximum: 599 }), {
    description: `Opens a webhook receiver that answers with these statuses, then with 200. Its address is ${place('name.url')}.`,
  }),
  request: closed(
    {
      method: Type.Unsafe<string>({
        type: 'string',
        enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      }),
      path: text(`A path, or a whole URL of the same server such as ${place('order.checkout_url')}.`, {
        pattern: '^(/|https?://|\\$\\{)',
        examples: ['/v1/ping'],
      }),
      headers: optional(
        Type.Unsafe<Record<string, string | number | boolean | null>>({
          type: 'object',
          additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
          description: 'Beside the merchant’s pair; null leaves one out.',
        }),
      ),
      body: optional(anything('An object is sent as JSON, a text as it stands.')),
    },
    { description: 'Sends any request, with the merchant’s header pair.' },
  ),
  wait: closed(
    {
      event: optional(oneOf(EVENT_TYPES, 'An event of this type.')),
      contract: optional(text('The event concerns this contract.')),
      session: optional(text('The event concerns this session.')),
      email: optional(Type.Unsafe<object>({ type: 'object', description: 'An e-mail like this.' })),
      delivery: optional(Type.Unsafe<object>({ type: 'object', description: 'A webhook delivery like this.' })),
      timeout: optional(text('Real time: 30s when absent.')),
    },
    {
      description: 'Waits, in real time, until it is there; what is there already counts.',
      oneOf: ['event', 'email', 'delivery'].map((name) => ({ required: [name] })),
    },
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
      text(`Keeps the answer’s data under this name, for ${place('name.field')} later on.`, {
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
      closed(
        { ...settingsOf(MERCHANT_PROFILE_NAMES), settings: optional(Settings) },
        { description: 'The merchant it is about; the defaults when absent.' },
      ),
    ),
    clock: optional(text('Where the frozen clock starts; 2026-01-01T00:00:00Z when absent.')),
    rate_limit: optional(
      Type.Unsafe<number>({
        type: 'integer',
        minimum: 1,
        description: 'Requests a minute, for both limits, of a server of its own; not with --base-url.',
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
