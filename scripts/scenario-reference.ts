import type { TSchema } from 'typebox';
import { EVENT_TYPES } from '../src/domain/event.ts';
import { place } from '../src/scenario/interpolate.ts';
import { Expectation, ScenarioFile, VERB_NAMES, VERBS } from '../src/scenario/schema.ts';
import type { Schema } from '../src/schema.ts';
import { cell } from './table-cell.ts';

/** The types of typebox say less than the schemas hold. */
const schemaOf = (schema: TSchema): Schema => schema;

const SETTINGS = '[settings of the account](../README.md#what-is-simulated-and-what-is-assumed)';

/** `docs/scenarios.md`: what a scenario can do, and every step with its fields. */
export function scenarioReference(): string {
  const { steps: _steps, ...top } = schemaOf(ScenarioFile).properties ?? {};
  return [
    INTRODUCTION,
    '## The file',
    'Besides `steps`, a file can have:',
    table({ properties: top, required: ['name'] }),
    '## What a step can expect',
    EXPECTING,
    table(schemaOf(Expectation)),
    '## Steps',
    'A step has exactly one of these keys. It can also have `name`, `as` and `expect`.',
    ...VERB_NAMES.flatMap((verb) => {
      const schema = schemaOf(VERBS[verb]);
      const fields = verb === 'settings' ? [`Fields: the ${SETTINGS}.`] : schema.properties ? [table(schema)] : [];
      return [`### \`${verb}\``, schema.description ?? '', ...fields];
    }),
  ]
    .join('\n\n')
    .concat('\n');
}

function table(schema: Schema): string {
  return ['| Field | Value | |', '|---|---|---|', ...rowsOf(schema)].join('\n');
}

function rowsOf({ properties = {}, required = [] }: Schema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const description = cell(field.description ?? '');
    if (name === 'settings') return [`| \`${prefix}settings\` | a map | The ${SETTINGS}. |`];
    const needed = required.includes(name) ? ' (required)' : '';
    const row = `| \`${prefix}${name}\`${needed} | ${cell(kindOf(field))} | ${description} |`;
    return [row, ...rowsOf(field, `${prefix}${name}.`)];
  });
}

function kindOf({ type, enum: values, anyOf, items, const: only, minimum, maximum }: Schema): string {
  if (anyOf) return kindOf(anyOf[0] as Schema);
  if (only !== undefined) return `\`${only}\``;
  if (values?.some(isEventType)) return EVENT;
  if (values) return values.map((value) => `\`${value}\``).join(' ');
  if (items) return `a list of ${PLURALS[kindOf(items)] ?? kindOf(items)}`;
  const [first = 'anything', ...others] = [type ?? []].flat();
  const named = [NAMES[first] ?? first, ...others.map((each) => NAMES[each] ?? each)].join(' or ');
  if (minimum === undefined) return named;
  return `${named}, ${maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`}`;
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  object: 'a map',
};
const EVENT = 'an [event type](webhooks.md#events)';
const PLURALS: Readonly<Record<string, string>> = {
  'a string': 'strings',
  'a map': 'maps',
  [EVENT]: '[event types](webhooks.md#events)',
};

const isEventType = (value: unknown) => EVENT_TYPES.some((type) => type === value);

const INTRODUCTION = `# Scenarios, step by step

\`layaway run scenarios/*.yaml\` plays scenario files; the [README](../README.md#scenarios) has an example. The tables below come
from the schema that validates the files. With \`fixtures/scenario.schema.json\`, your editor completes and checks them.

## Names

\`as\` keeps the \`data\` of a response, or the whole body if it has none. Later steps use it as \`${place('order.id')}\` or
\`${place('plan.installments.0.amount')}\`. Inside \`{ }\` and \`[ ]\`, YAML needs quotes around it: \`{ session: "${place('order.id')}" }\`. A value that
consists of one name keeps its type: a number stays a number. \`$${place('text')}\` stands for the text \`${place('text')}\`.

Every scenario has two names from the start:

- \`merchant\` is the merchant of the scenario. It has \`id\`, \`legal_name\`, \`dba\`, \`state\` and \`email\`, and the \`client_id\`,
  \`api_key\` and \`webhook_secret\` of its sandbox account. \`merchant.live\` has those of its live account.
- \`server\` has the \`url\` of the simulator.

## Several accounts

\`request\` sends what its path requires: the scenario's header pair to \`/v1\` and \`/_sim\`, the control token to operations of the
whole server. A header of the step replaces the one that would be sent, so two headers are enough to act for another account:

\`\`\`yaml
name: nobody else sees an order
steps:
  - create-session: { order_reference: A-1, total_amount: 20000 }
    as: order
  - request: { method: POST, path: /_sim/merchants, body: { dba: Other Store } }
    as: other
  - name: another merchant
    request:
      method: GET
      path: "/v1/checkout-sessions/${place('order.id')}"
      headers: { X-Client-Id: "${place('other.sandbox.client_id')}", X-Api-Key: "${place('other.sandbox.api_key')}" }
    expect: { status: 404 }
  - name: the live account of the same merchant
    request:
      method: GET
      path: "/v1/checkout-sessions/${place('order.id')}"
      headers: { X-Client-Id: "${place('merchant.live.client_id')}", X-Api-Key: "${place('merchant.live.api_key')}" }
    expect: { status: 404, body: { message: Checkout session not found. } }
\`\`\`

A body that is a string is sent as it is, without a \`Content-Type\`. To send malformed JSON, set the \`Content-Type\` yourself:

\`\`\`yaml
name: JSON that ends too early
steps:
  - request: { method: POST, path: /v1/sessions, headers: { Content-Type: application/json }, body: "{" }
    expect: { status: 422, body: { errors: { body: ["/./"] } } }
\`\`\`

## Your own store

The steps act as the store: they send its requests. Your own store takes part as a receiver. Name its address in an
\`endpoint\` step, with the \`secret\` that it verifies with; \`deliveries\` then shows how it responded. A scenario cannot ask
your store what it made of the events: use \`layaway certify --observe\` or a [test of your own](../README.md#in-your-tests).

## Time

The clock is frozen. Only \`advance\` moves it. If the scenario has a webhook endpoint, a step ends when the
deliveries that are due have been attempted. \`wait\` waits in real time for what another program does, such as your store. It
cannot bring about what falls due later.`;

const EXPECTING = `- A map must have at least the keys that you name, a list at least the items, in order. An empty list matches only an empty one.
- \`happened\` and \`events\` are exact: every type, in order.
- A string between slashes, such as \`"/past due/i"\`, is a regular expression.
- Lists of \`/_sim\` and \`/v1\` are newest first, but \`emails\` and \`deliveries\` are oldest first.
- A step that is refused fails, unless it expects a \`status\` or \`answer: lost\`.`;
