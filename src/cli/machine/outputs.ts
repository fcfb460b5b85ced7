import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { EVENT_TYPES } from '../../domain/event.ts';
import * as clock from '../../operations/clock.ts';
import * as contracts from '../../operations/contracts.ts';
import * as coverage from '../../operations/coverage.ts';
import * as emails from '../../operations/emails.ts';
import * as events from '../../operations/events.ts';
import { explain } from '../../operations/explain.ts';
import * as faults from '../../operations/faults.ts';
import * as keys from '../../operations/keys.ts';
import { bodyOf, enveloped, listed, type Operation, ref, resource } from '../../operations/operation.ts';
import { standalone } from '../../operations/printed.ts';
import * as requests from '../../operations/requests.ts';
import { instant, nullable, oneOf } from '../../operations/schemas.ts';
import * as service from '../../operations/service.ts';
import * as sessions from '../../operations/sessions.ts';
import * as settings from '../../operations/settings.ts';
import * as webhooks from '../../operations/webhooks.ts';
import * as workspace from '../../operations/workspace.ts';

/** What a command prints with `--json`: one document, or one on each line if it follows something. */
interface Printed {
  readonly schema: TSchema;
  readonly isStream?: true;
}

const answerOf = (operation: Operation): Printed => ({ schema: bodyOf(operation) });
const data = (schema: TSchema): Printed => ({ schema: resource({ data: schema }) });
const oneOfThese = (...schemas: TSchema[]): Printed => ({ schema: Type.Union(schemas) });

const text = Type.String();
const texts = Type.Array(text);
const anyObject = Type.Object({});
const count = Type.Integer({ minimum: 0 });
const pair = resource({ client_id: text, api_key: text });
const account = resource({ client_id: text, api_key: text, webhook_secret: text });
const mark = nullable(resource({ id: text, kind: text }));

const READY = Type.Object({
  event: Type.Literal('ready'),
  version: text,
  pid: Type.Integer(),
  base_url: text,
  listening: text,
  dashboard_url: text,
  control_token: text,
  sandbox: pair,
  live: pair,
  webhook_secret: text,
  webhooks: Type.Array(Type.Object({ url: text, secret: text })),
  merchants: Type.Optional(Type.Array(resource({ legal_name: text, sandbox: account, live: account }))),
  data: nullable(Type.String({ description: 'The state directory; null in memory.' })),
});
const OPENED = Type.Object({ ...READY.properties, account: pair });
const REQUEST_LINE = resource({
  event: Type.Literal('request'),
  at: instant('Real time.'),
  method: text,
  path: text,
  status: nullable(Type.Integer({ description: 'Null when a fault lost the request.' })),
  duration_ms: Type.Number(),
  fault: mark,
});
const attempted = {
  url: text,
  attempt: Type.Integer({ minimum: 1 }),
  status_code: nullable(Type.Integer()),
  duration_ms: Type.Number(),
  error: nullable(text),
};
const DELIVERY_LINE = resource({
  event: Type.Literal('delivery'),
  at: instant('Real time.'),
  id: text,
  event_id: text,
  type: oneOf(EVENT_TYPES),
  subject: text,
  ...attempted,
  fault: mark,
});
const CLOCK_LINE = resource({
  event: Type.Literal('clock'),
  at: instant('Real time.'),
  client_id: text,
  mode: oneOf(['running', 'frozen']),
  now: instant('Account time.'),
});
const FORWARDED = resource({
  delivery_id: text,
  event_id: text,
  created_at: instant('Account time.'),
  type: oneOf(EVENT_TYPES),
  subject: text,
  ...attempted,
  verified: Type.Boolean({ description: 'Whether the signature is valid.' }),
});

const place = {
  line: Type.Integer({ minimum: 1, description: 'In the scenario file.' }),
  column: Type.Integer({ minimum: 1 }),
};
const difference = Type.Object({ at: text, ...place, expected: Type.Unknown(), actual: Type.Unknown() });
const step = Type.Object({
  does: text,
  ...place,
  status: oneOf(['passed', 'failed', 'skipped']),
  events: texts,
  problem: Type.Optional(text),
  differences: Type.Array(difference),
});
const SCENARIOS = resource({
  passed: count,
  failed: count,
  skipped: Type.Integer({ minimum: 0, description: 'The scenarios that were not played because the run ended early.' }),
  scenarios: Type.Array(
    Type.Object({ file: text, name: text, status: oneOf(['passed', 'failed', 'skipped']), steps: Type.Array(step) }),
  ),
});

const compared = resource({ status: Type.Integer(), headers: anyObject, body: Type.Unknown() });
const COMPARISON = resource({
  probes: count,
  differences: Type.Array(
    resource({
      request: resource({ title: text, method: text, path: text, headers: anyObject, body: Type.Unknown() }),
      at: Type.String({ description: 'Where the responses differ, such as body.data.terms.min_order_amount.' }),
      here: compared,
      there: compared,
      decision: text,
      assumption: nullable(
        Type.String({ description: 'The command that removes the difference, or two joined by &&.' }),
      ),
    }),
  ),
});
const IMPORTED = data(
  Type.Union([
    resource({
      changes: Type.Array(resource({ name: text, old: Type.Unknown(), new: Type.Unknown() })),
      applied: Type.Boolean(),
    }),
    Type.Object({ settings: anyObject, platform: Type.Optional(anyObject), file: Type.Optional(text) }),
  ]),
);

const CERTIFICATE = resource({
  passed: count,
  failed: count,
  skipped: count,
  level: oneOf(['must', 'should']),
  checks: Type.Array(
    resource({
      id: text,
      level: oneOf(['must', 'should']),
      title: text,
      verdict: oneOf(['pass', 'fail', 'skip']),
      why: text,
      exchanges: Type.Array(
        resource({
          sent: resource({
            what: text,
            method: oneOf(['POST', 'GET']),
            url: text,
            headers: anyObject,
            body: nullable(Type.String({ description: 'The first 2,000 characters.' })),
          }),
          answered: resource({
            status: nullable(Type.Integer({ description: 'Null when no response came.' })),
            duration_ms: Type.Number({ minimum: 0 }),
            error: nullable(text),
            body: nullable(Type.String({ description: 'The first KiB.' })),
          }),
        }),
        { maxItems: 10 },
      ),
      fix: Type.String({ description: 'A section of docs/webhooks.md.' }),
      note: nullable(text),
    }),
  ),
});

const { duration_ms: _, ...TRACED_REQUEST } = requests.REQUEST_LINE;
const TRACED = resource({
  layaway: Type.String({ description: 'The version that saved it.' }),
  saved_at: instant('Real time.'),
  seed: nullable(text),
  flags: texts,
  failure: Type.Unknown({ description: 'What failed; null where nothing did.' }),
  accounts: Type.Array(resource({ client_id: text, mode: text, now: instant('Account time.') })),
  sessions: count,
  contracts: count,
  events: count,
  deliveries: count,
  emails: count,
  requests: count,
  latest_requests: Type.Array(resource({ ...TRACED_REQUEST, client_id: nullable(text) })),
});

const profileValues = optional({ 'base-url': text, 'client-id': text, 'api-key': text });
const nothing = data(Type.Null());

const CHECKS = data(
  resource({
    ok: Type.Boolean(),
    version: text,
    checks: Type.Array(resource({ name: text, ok: Type.Boolean(), detail: text, advice: nullable(text) })),
  }),
);
const DECIDED = data(
  Type.Array(
    resource({
      name: text,
      value: Type.Unknown({ description: 'null where it cannot be read.' }),
      default: Type.Unknown(),
      scope: oneOf(['account', 'merchant', 'platform', 'server']),
      completes: Type.String({ description: 'Section of the service description.' }),
      note: text,
    }),
  ),
);
const PAYMENT = sessions.payCartCapture.success.schema;

/** What each command prints, by its words; null for a command that prints no JSON. */
export const OUTPUTS: Readonly<Record<string, Printed | null>> = {
  serve: { schema: Type.Union([READY, REQUEST_LINE, DELIVERY_LINE, CLOCK_LINE]), isStream: true },
  exec: null,
  env: data(
    resource({
      LAYAWAY_BASE_URL: text,
      LAYAWAY_CLIENT_ID: text,
      LAYAWAY_API_KEY: text,
      ...optional({
        LAYAWAY_LIVE_CLIENT_ID: text,
        LAYAWAY_LIVE_API_KEY: text,
        LAYAWAY_WEBHOOK_SECRET: text,
        LAYAWAY_CONTROL_TOKEN: text,
      }),
    }),
  ),
  run: { schema: SCENARIOS },
  'sessions create': answerOf(service.createSession),
  'sessions get': answerOf(service.getCheckoutSession),
  'sessions list': answerOf(sessions.listSessions),
  'sessions accept': answerOf(sessions.acceptPlan),
  'sessions pay': { schema: PAYMENT },
  'sessions complete': answerOf(sessions.completeCheckout),
  'sessions cancel': answerOf(sessions.cancelCheckout),
  'sessions open': answerOf(service.getCheckoutSession),
  'contracts create': answerOf(contracts.createContract),
  'contracts list': oneOfThese(
    service.listContracts.success.schema,
    contracts.findContracts.success.schema,
    listed('Contract'),
  ),
  'contracts get': answerOf(service.getContract),
  'contracts update': answerOf(service.updateContract),
  'contracts cancel': answerOf(service.cancelContract),
  'contracts outcomes': answerOf(contracts.arrangeOutcomes),
  'contracts settle': answerOf(contracts.settleInstallment),
  'clock show': answerOf(clock.getClock),
  'clock advance': answerOf(clock.advanceClock),
  'clock progress': answerOf(clock.getAdvance),
  'clock stop': answerOf(clock.stopAdvance),
  'clock freeze': answerOf(clock.freezeClock),
  'clock resume': answerOf(clock.resumeClock),
  'clock forecast': answerOf(clock.getForecast),
  'events list': answerOf(events.listEvents),
  'events get': answerOf(events.getEvent),
  'events resend': answerOf(events.resendEvent),
  'events tail': { schema: ref('LayawayEvent'), isStream: true },
  'events wait': { schema: enveloped('LayawayEvent') },
  listen: { schema: Type.Union([FORWARDED, resource({ data: resource({ secret: text }) })]), isStream: true },
  'webhooks list': answerOf(webhooks.listWebhookEndpoints),
  'webhooks add': answerOf(webhooks.createWebhookEndpoint),
  'webhooks remove': answerOf(webhooks.deleteWebhookEndpoint),
  'webhooks enable': answerOf(webhooks.updateWebhookEndpoint),
  'webhooks disable': answerOf(webhooks.updateWebhookEndpoint),
  'webhooks secret': answerOf(webhooks.readWebhookSecret),
  'webhooks rotate': answerOf(webhooks.rotateWebhookSecret),
  'webhooks test': answerOf(webhooks.testWebhookEndpoint),
  'webhooks deliveries': answerOf(webhooks.listDeliveries),
  'webhooks verify': data(
    resource({
      verified: Type.Boolean(),
      reason: nullable(text),
      event: Type.Union([ref('LayawayEvent'), Type.Null()]),
    }),
  ),
  certify: { schema: CERTIFICATE },
  explain: answerOf(explain),
  'trace save': { schema: resource({ file: text, bytes: count }) },
  'trace open': { schema: OPENED, isStream: true },
  'trace show': { schema: TRACED },
  'trace scenario': { schema: Type.Object({ name: text, steps: Type.Array(anyObject) }) },
  new: data(resource({ framework: text, files: texts, steps: texts })),
  'deliveries list': answerOf(webhooks.listDeliveries),
  'deliveries get': answerOf(webhooks.getDelivery),
  'faults list': answerOf(faults.listFaults),
  'faults add': answerOf(faults.addFault),
  'faults remove': answerOf(faults.removeFault),
  'faults clear': answerOf(faults.clearFaults),
  coverage: answerOf(coverage.getCoverage),
  'coverage merge': { schema: enveloped('CoverageReport') },
  'coverage clear': answerOf(coverage.clearCoverage),
  'emails list': answerOf(emails.listEmails),
  'emails get': answerOf(emails.getEmail),
  'emails wait': { schema: enveloped('Email') },
  'merchants create': answerOf(workspace.createMerchant),
  'merchants list': answerOf(workspace.listMerchants),
  'merchants get': { schema: enveloped('MerchantRecord') },
  'merchants set': answerOf(settings.updateSettings),
  'keys create': answerOf(keys.createKey),
  'keys list': answerOf(keys.listKeys),
  'keys revoke': answerOf(keys.revokeKey),
  'assumptions list': DECIDED,
  'assumptions set': oneOfThese(settings.updateSettings.success.schema, workspace.updatePlatform.success.schema),
  'assumptions reset': data(anyObject),
  import: IMPORTED,
  compare: { schema: COMPARISON },
  'snapshots save': answerOf(workspace.saveSnapshot),
  'snapshots restore': answerOf(workspace.restoreSnapshot),
  'snapshots list': answerOf(workspace.listSnapshots),
  'snapshots delete': answerOf(workspace.deleteSnapshot),
  reset: answerOf(workspace.reset),
  'logs list': answerOf(requests.listRequests),
  'logs tail': { schema: ref('RequestRecord'), isStream: true },
  'config get': data(resource(profileValues)),
  'config set': data(resource(profileValues)),
  'config unset': nothing,
  'config delete': nothing,
  'config list': data(Type.Array(resource({ name: text, selected: Type.Boolean(), ...profileValues }))),
  'config path': data(resource({ path: text })),
  'config use': data(resource({ selected: text })),
  openapi: { schema: Type.Object({ openapi: text, info: anyObject, paths: anyObject }) },
  dashboard: answerOf(workspace.createDashboardLink),
  doctor: CHECKS,
  schema: { schema: Type.Object({ $schema: text }) },
  mcp: null,
  completion: data(resource({ shell: text, script: text })),
};

/** The commands that `schema` has an answer for. */
export const WITH_SCHEMA: readonly string[] = Object.keys(OUTPUTS).filter((words) => OUTPUTS[words] !== null);

function optional(properties: Record<string, TSchema>) {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]));
}

/**
 * The JSON Schema of what a command prints with `--json`, or of each line if it follows something. Null for a command
 * that prints no JSON, undefined for one that does not exist.
 */
export function outputSchema(words: string): Record<string, unknown> | null | undefined {
  const printed = Object.hasOwn(OUTPUTS, words) ? OUTPUTS[words] : undefined;
  if (!printed) return printed;
  const description = printed.isStream ? 'One document on each line.' : 'One document.';
  return { title: `layaway ${words} --json`, description, ...standalone(printed.schema) };
}
