import type { TSchema } from 'typebox';
import * as clock from '../../operations/clock.ts';
import * as contracts from '../../operations/contracts.ts';
import * as coverage from '../../operations/coverage.ts';
import * as emails from '../../operations/emails.ts';
import * as events from '../../operations/events.ts';
import { explain } from '../../operations/explain.ts';
import * as faults from '../../operations/faults.ts';
import { resolved } from '../../operations/index.ts';
import * as keys from '../../operations/keys.ts';
import { bodyOf, type Operation, parametersOf } from '../../operations/operation.ts';
import { closed, standalone } from '../../operations/printed.ts';
import * as requests from '../../operations/requests.ts';
import { EXAMPLE_URLS } from '../../operations/schemas.ts';
import * as service from '../../operations/service.ts';
import * as sessions from '../../operations/sessions.ts';
import * as settings from '../../operations/settings.ts';
import * as webhooks from '../../operations/webhooks.ts';
import type { Schema } from '../../schema.ts';

/** The tools of `layaway mcp` (interface §13): what one account can do and have done to it, by `<noun>_<verb>`. */
export const TOOLS = {
  merchant_ping: service.ping,
  merchant_config: service.getConfig,
  sessions_create: service.createSession,
  sessions_get: service.getCheckoutSession,
  sessions_list: sessions.listSessions,
  sessions_accept: sessions.acceptPlan,
  sessions_pay: sessions.payCartCapture,
  sessions_complete: sessions.completeCheckout,
  sessions_cancel: sessions.cancelCheckout,
  contracts_create: contracts.createContract,
  contracts_list: service.listContracts,
  contracts_find: contracts.findContracts,
  contracts_get: service.getContract,
  contracts_update: service.updateContract,
  contracts_cancel: service.cancelContract,
  contracts_outcomes: contracts.arrangeOutcomes,
  contracts_arranged: contracts.getOutcomes,
  contracts_attempts: contracts.listAttempts,
  contracts_settle: contracts.settleInstallment,
  contracts_scenario: contracts.exportScenario,
  story_explain: explain,
  clock_show: clock.getClock,
  clock_advance: clock.advanceClock,
  clock_progress: clock.getAdvance,
  clock_stop: clock.stopAdvance,
  clock_freeze: clock.freezeClock,
  clock_resume: clock.resumeClock,
  clock_forecast: clock.getForecast,
  events_list: events.listEvents,
  events_get: events.getEvent,
  events_resend: events.resendEvent,
  webhooks_list: webhooks.listWebhookEndpoints,
  webhooks_add: webhooks.createWebhookEndpoint,
  webhooks_update: webhooks.updateWebhookEndpoint,
  webhooks_remove: webhooks.deleteWebhookEndpoint,
  webhooks_rotate: webhooks.rotateWebhookSecret,
  webhooks_test: webhooks.testWebhookEndpoint,
  deliveries_list: webhooks.listDeliveries,
  deliveries_get: webhooks.getDelivery,
  faults_list: faults.listFaults,
  faults_add: faults.addFault,
  faults_remove: faults.removeFault,
  faults_clear: faults.clearFaults,
  coverage_get: coverage.getCoverage,
  coverage_clear: coverage.clearCoverage,
  emails_list: emails.listEmails,
  emails_get: emails.getEmail,
  assumptions_list: settings.getSettings,
  assumptions_set: settings.updateSettings,
  keys_list: keys.listKeys,
  keys_create: keys.createKey,
  keys_revoke: keys.revokeKey,
  logs_list: requests.listRequests,
  logs_get: requests.getRequest,
} as const satisfies Readonly<Record<string, Operation>>;

export type ToolName = keyof typeof TOOLS;

/** What a tool fills in, as its command does. */
const DEFAULTS: Readonly<Partial<Record<ToolName, Readonly<Record<string, string>>>>> = {
  sessions_create: EXAMPLE_URLS,
};

/**
 * Creates that leave everything else as it is. Clients may call such tools without asking. `webhooks_add` is not one: it
 * also changes the endpoint of a listener. Neither are `webhooks_test` and `events_resend`: the answer may disable the
 * endpoint.
 */
const CREATES: readonly ToolName[] = ['sessions_create', 'contracts_create', 'faults_add', 'keys_create'];
/** Posts that change nothing when they are sent again. */
const REPEATABLE: readonly ToolName[] = ['contracts_cancel', 'clock_freeze', 'clock_resume'];
const isRepeatable = (name: ToolName) => TOOLS[name].method !== 'POST' || REPEATABLE.includes(name);
const onlyAdds = (name: ToolName) => TOOLS[name].method === 'GET' || CREATES.includes(name);

/** Where each argument of a tool goes in the request. */
interface Parts {
  readonly params: Properties;
  readonly query: Properties;
  readonly headers: Properties;
  readonly body: Properties;
}
type Properties = Readonly<Record<string, TSchema>>;
type Arguments = Readonly<Record<string, unknown>>;

const KEY_HEADER = 'Idempotency-Key';

function partsOf(operation: Operation): Parts {
  const { query, headers, body } = operation;
  return {
    params: parametersOf(operation),
    query: propertiesOf(query),
    headers: propertiesOf(headers),
    body: propertiesOf(body),
  };
}

const resolvedOrNone = (schema: TSchema | undefined): Schema => (schema ? resolved(schema) : {});
const propertiesOf = (schema: TSchema | undefined): Properties => resolvedOrNone(schema).properties ?? {};
const requiredOf = (schema: TSchema | undefined): readonly string[] => resolvedOrNone(schema).required ?? [];

function descriptionOf(schema: TSchema): object {
  const { description } = resolvedOrNone(schema);
  return description === undefined ? {} : { description };
}

/** `Idempotency-Key` is an argument like any other. */
const argumentName = (name: string) => name.toLowerCase().replaceAll('-', '_');

/** Describes a tool to its callers. */
export function describeTool(name: ToolName) {
  const operation: Operation = TOOLS[name];
  const { params, query, headers, body } = partsOf(operation);
  const named = Object.fromEntries(Object.entries(headers).map(([each, schema]) => [argumentName(each), schema]));
  const defaults = DEFAULTS[name] ?? {};
  const required = [...Object.keys(params), ...requiredOf(operation.query), ...requiredOf(operation.body)];
  const filledIn = Object.entries(defaults).map(([each, value]) => [each, { ...body[each], default: value }]);
  const input = {
    type: 'object',
    // Says what no field says alone: which exclude each other, and what is used without them.
    ...(operation.body && descriptionOf(operation.body)),
    properties: { ...params, ...query, ...named, ...body, ...Object.fromEntries(filledIn) },
    required: required.filter((each) => !(each in defaults)),
    additionalProperties: false,
  };
  return {
    name,
    title: operation.summary,
    description: [`${operation.summary}.`, operation.description]
      .filter(Boolean)
      .join(' ')
      .replaceAll(KEY_HEADER, argumentName(KEY_HEADER)),
    inputSchema: closed(bare(input)),
    outputSchema: bare(bodyOf(operation)),
    annotations: {
      readOnlyHint: operation.method === 'GET',
      destructiveHint: !onlyAdds(name),
      idempotentHint: isRepeatable(name),
    },
  };
}

/** Without `$schema`, because some clients read an older dialect, in which these schemas mean the same. */
function bare(schema: TSchema): { type: 'object'; [key: string]: unknown } {
  const { $schema: _, ...rest } = standalone(schema);
  return { ...rest, type: 'object' };
}

const argumentsOf = (names: readonly string[]) =>
  `${names.length === 1 ? 'argument' : 'arguments'} ${names.join(', ')}`;

const isNullable = ({ type = [] }: Schema) => [type].flat().includes('null');

/** An escape of half a surrogate pair in JSON. A server would say only that the JSON is not valid. */
const HALF_A_PAIR = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/** The arguments of a call in their places in the request, or a message if one is missing, unknown or cannot be sent. */
export function placed(name: ToolName, given: Arguments) {
  const operation: Operation = TOOLS[name];
  const parts = partsOf(operation);
  const { inputSchema } = describeTool(name);
  const names = Object.keys(inputSchema.properties as object);
  const unknown = Object.keys(given).filter((each) => !names.includes(each));
  const missing = (inputSchema.required as string[]).filter((each) => (given[each] ?? null) === null);
  if (unknown.length > 0) return `Unknown ${argumentsOf(unknown)}. ${name} takes: ${names.join(', ') || 'nothing'}.`;
  if (missing.length > 0) return `Missing ${argumentsOf(missing)}.`;
  // A path, a query and a header hold text: a list or an object there would silently be another value.
  const asText = Object.keys({ ...parts.params, ...parts.query, ...parts.headers }).map(argumentName);
  const compound = asText.find((each) => typeof given[each] === 'object' && given[each] !== null);
  if (compound) return `The argument ${compound} must be one value, not a list or an object.`;
  const halved = names.find((each) => HALF_A_PAIR.test(JSON.stringify(given[each] ?? null)));
  if (halved) return `The argument ${halved} contains half of a character, such as an emoji that was cut in two.`;
  const of = (properties: Properties) =>
    Object.fromEntries(
      Object.entries(properties).flatMap(([each, schema]) => {
        const told = given[argumentName(each)] ?? given[each] ?? DEFAULTS[name]?.[each];
        // Many callers write null for an argument that they leave out.
        const value = told === undefined && given[each] === null && isNullable(schema) ? null : told;
        return value === undefined ? [] : [[each, value]];
      }),
    );
  const params = Object.fromEntries(Object.entries(of(parts.params)).map(([each, value]) => [each, String(value)]));
  const key = of(parts.headers)[KEY_HEADER];
  return {
    params,
    query: of(parts.query),
    headers: key === undefined ? {} : { 'idempotency-key': String(key) },
    body: operation.body ? of(parts.body) : undefined,
  };
}
