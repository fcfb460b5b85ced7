import { execFile } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BLOCK_REASONS } from '../../../src/domain/availability.ts';
import { EVENT_TYPES } from '../../../src/domain/event.ts';
import { createSimulator, type SandboxShop, type Simulator } from '../../../src/index.ts';
import type { SessionCreate } from '../../../src/operations/wire.ts';
import { conforming, createCheck } from '../../support/conformance.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly value: unknown }>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, Media> };
  readonly responses: Record<
    string,
    {
      readonly description: string;
      readonly headers?: Record<string, { readonly required?: boolean }>;
      readonly content: Record<string, Media>;
    }
  >;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, { readonly post: Operation }>;
  readonly components: {
    readonly schemas: Record<string, { readonly required?: readonly string[]; readonly properties?: object }>;
    readonly securitySchemes: Record<string, object>;
  };
}

/** Fails with what redocly's recommended rules find in a document. */
async function expectCleanLint(text: string) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };
  const directory = await mkdtemp(join(tmpdir(), 'layaway-openapi-'));
  const file = join(directory, 'openapi.json');
  await writeFile(file, text);
  const cli = 'node_modules/@redocly/cli/bin/cli.js';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [cli, 'lint', '--extends=recommended', '--format=json', file],
    { env },
  ).finally(() => rm(directory, { recursive: true }));
  const { totals, problems } = JSON.parse(stdout) as {
    totals: object;
    problems: { message: string; location: { pointer: string }[] }[];
  };
  const told = problems.map(({ message, location }) => `${location[0]?.pointer} ${message}`);
  expect(totals, told.join('\n')).toEqual({ errors: 0, warnings: 0, ignored: 0 });
}

let sim: Simulator;
let document: Document;
let text: string;
/** What is registered, as `GET /v1/contracts/{reference}`. */
const routes: string[] = [];

/** Fastify announces each server that it makes, before the server has a route. */
function noteRoutes(message: unknown) {
  (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.push(`${name} ${url.replace(/:(\w+)/g, '{$1}')}`);
  });
}

beforeAll(async () => {
  subscribe('fastify.initialization', noteRoutes);
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const response = await fetch(`${sim.url}/openapi.json`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  text = await response.text();
  document = JSON.parse(text);
});
afterAll(() => sim.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
const operation = (name: string) => {
  const found = operations().find((candidate) => candidate.name === name);
  if (!found) throw new Error(`${name} is not in the document`);
  return found.operation;
};

const successExample = (name: string, status: number) => {
  const { example } = operation(name).responses[status]?.content['application/json'] ?? {};
  return example as { data: Record<string, unknown> };
};

/** §4 with the scopes of §5 rule 6 and the statuses of §4 and §7; 413, 415 and the list's 422 as decisions §5 adds them. */
const SERVICE = {
  'GET /v1/ping': ['checkout:read', 200, 401, 403, 429],
  'GET /v1/config': ['checkout:read', 200, 401, 403, 429],
  'POST /v1/sessions': ['checkout:write', 201, 400, 401, 403, 409, 413, 415, 422, 429],
  'GET /v1/checkout-sessions/{id}': ['checkout:read', 200, 401, 403, 404, 429],
  'GET /v1/sessions/{id}': [null, 200, 404, 429],
  'GET /v1/contracts': ['contracts:read', 200, 401, 403, 422, 429],
  'GET /v1/contracts/{reference}': ['contracts:read', 200, 401, 403, 404, 429],
  'PATCH /v1/contracts/{reference}': ['contracts:write', 200, 401, 403, 404, 413, 415, 422, 429],
  'POST /v1/contracts/{reference}/cancel': ['contracts:write', 200, 401, 403, 404, 413, 415, 422, 429],
} as const;

describe('§9: the machine-readable description', () => {
  test('is OpenAPI 3.1.0, itself numbered 2.0.0, and names the simulator that serves it', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Layaway Checkout Service', version: '2.0.0' });
    expect(document.servers.map(({ url }) => url)).toEqual([sim.url]);
  });

  test('every path carries the prefix /v1', () => {
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/v1\//);
  });

  test('fixtures/openapi.json is what is served (npm run openapi rewrites it)', async () => {
    const shipped = `${text.replaceAll(sim.url, 'http://127.0.0.1:4747')}\n`;
    await expect(shipped).toMatchFileSnapshot('../../../fixtures/openapi.json');
  });

  test('lints without an error or a warning', async () => {
    await expectCleanLint(text);
  });

  test('speaks to its reader, who has none of our papers', () => {
    expect(text).not.toMatch(/§|decisions|@assumed|interface §/);
  });
});

describe('§4: the operations', () => {
  test('are those of the service, no more and no fewer', () => {
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(SERVICE).sort());
  });

  test('§4.4: the hosted read, which knows no merchant and no mode, refuses in its own words', () => {
    const refusal = (name: string) => operation(name).responses[404]?.description;
    expect(refusal('GET /v1/sessions/{id}')).toBe('No session has that token.');
    expect(refusal('GET /v1/checkout-sessions/{id}')).toBe('This account has no such resource.');
  });

  test.each(Object.entries(SERVICE))('%s: scope and statuses', (name, [scope, ...statuses]) => {
    const { responses, description } = operation(name);
    expect(Object.keys(responses).map(Number)).toEqual(statuses);
    expect(description).toContain(scope === null ? 'Needs no key.' : `Scope: \`${scope}\`.`);
  });

  test('each has an id of its own, a summary, a description and a tag that is described', () => {
    const tags = document.tags.map(({ name }) => name);
    const ids = operations().map((one) => one.operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const one of operations()) {
      expect(one.operation.summary, one.name).toMatch(/^[A-Z].+[^.]$/);
      expect(one.operation.description.length, one.name).toBeGreaterThan(one.operation.summary.length);
      expect(
        one.operation.tags.filter((tag) => tags.includes(tag)),
        one.name,
      ).toHaveLength(1);
    }
  });

  test('§4.3: create takes an Idempotency-Key, not required, and needs its body; update may go without', () => {
    const { parameters, requestBody } = operation('POST /v1/sessions');
    expect(parameters).toEqual([expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: false })]);
    expect(requestBody?.required).toBe(true);
    expect(operation('PATCH /v1/contracts/{reference}').requestBody?.required).toBe(false);
    expect(operation('POST /v1/contracts/{reference}/cancel').requestBody).toBeUndefined();
  });

  test('§4.5: the list takes status and page, neither required', () => {
    expect(operation('GET /v1/contracts').parameters).toMatchObject([
      { name: 'status', in: 'query', required: false, schema: { enum: expect.arrayContaining(['defaulted']) } },
      { name: 'page', in: 'query', required: false, schema: { type: 'integer', minimum: 1 } },
    ]);
  });
});

describe('§5: authentication', () => {
  test('both headers together, on every operation but the hosted read', () => {
    expect(document.components.securitySchemes).toMatchObject({
      clientId: { type: 'apiKey', in: 'header', name: 'X-Client-Id' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    });
    expect(document.security).toEqual([{ clientId: [], apiKey: [] }]);
    for (const { name, operation: one } of operations()) {
      expect(one.security, name).toEqual(name === 'GET /v1/sessions/{id}' ? [] : undefined);
    }
  });
});

describe('§2 and §7: bodies and headers', () => {
  test('§2.5 to §2.9: every field that is always present is required, and there are no others', () => {
    const requests = ['SessionCreate', 'ContractUpdate'];
    for (const [name, { required = [], properties = {} }] of Object.entries(document.components.schemas)) {
      if (requests.includes(name)) continue;
      expect([...required].sort(), name).toEqual(Object.keys(properties).sort());
    }
    expect(document.components.schemas.SessionCreate?.required).toEqual([
      'order_reference',
      'total_amount',
      'return_url',
      'cancel_url',
    ]);
    expect(document.components.schemas.ContractUpdate?.required ?? []).toEqual([]);
  });

  test('every reference resolves, and every component is referred to', () => {
    const referred = new Set([...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, reference]) => reference));
    const components = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...referred].sort()).toEqual(components.sort());
  });

  test('§7: 429 always gives Retry-After, every response tells the limits, create tells a replay', () => {
    for (const { name, operation: one } of operations()) {
      expect(one.responses[429]?.headers?.['Retry-After'], name).toMatchObject({ required: true });
      for (const [status, { headers = {} }] of Object.entries(one.responses)) {
        if (status === '429') continue;
        expect(Object.keys(headers), `${name} ${status}`).toEqual([
          ...(name === 'POST /v1/sessions' && status === '201' ? ['Idempotent-Replayed'] : []),
          ...(name === 'GET /v1/sessions/{id}' ? ['Cache-Control'] : []),
          'X-RateLimit-Limit',
          'X-RateLimit-Remaining',
        ]);
      }
    }
  });

  test('every header of a response that is not HTTP’s own is described', async () => {
    const OF_HTTP = new Set([
      'connection',
      'content-length',
      'content-type',
      'date',
      'keep-alive',
      'transfer-encoding',
    ]);
    const { headers } = sim.default;
    const json = { ...headers, 'content-type': 'application/json' };
    const order = JSON.stringify(operation('POST /v1/sessions').requestBody?.content['application/json']?.example);
    const keyed = { ...json, 'idempotency-key': 'described' };
    const { id } = await sim.default.v1.createSession(JSON.parse(order), { idempotencyKey: 'described' });
    const asked: [name: string, status: number, path: string, init: RequestInit][] = [
      ['GET /v1/ping', 200, '/v1/ping', { headers }],
      ['GET /v1/ping', 401, '/v1/ping', {}],
      ['POST /v1/sessions', 201, '/v1/sessions', { method: 'POST', headers: keyed, body: order }],
      [
        'POST /v1/sessions',
        400,
        '/v1/sessions',
        { method: 'POST', headers: { ...json, 'idempotency-key': 'x'.repeat(256) } },
      ],
      ['POST /v1/sessions', 409, '/v1/sessions', { method: 'POST', headers: keyed, body: '{}' }],
      ['POST /v1/sessions', 413, '/v1/sessions', { method: 'POST', headers: json, body: ' '.repeat(1_048_577) }],
      ['POST /v1/sessions', 415, '/v1/sessions', { method: 'POST', headers, body: order }],
      ['POST /v1/sessions', 422, '/v1/sessions', { method: 'POST', headers: json, body: '{}' }],
      ['GET /v1/sessions/{id}', 200, `/v1/sessions/${id}`, {}],
      ['GET /v1/sessions/{id}', 404, '/v1/sessions/cs_none', {}],
      ['GET /v1/contracts', 200, '/v1/contracts', { headers }],
      ['GET /v1/contracts', 422, '/v1/contracts?page=0', { headers }],
      ['GET /v1/contracts/{reference}', 404, '/v1/contracts/LAY-NONE', { headers }],
    ];
    for (const [name, status, path, init] of asked) {
      const answer = await fetch(`${sim.url}${path}`, init);
      expect(answer.status, name).toBe(status);
      const described = Object.keys(operation(name).responses[status]?.headers ?? {}).map((one) => one.toLowerCase());
      const own = [...answer.headers.keys()].filter((one) => !OF_HTTP.has(one));
      expect(described, `${name} ${status}`).toEqual(expect.arrayContaining(own));
    }
  });

  test('every response and every body has an example, and each fits its schema', () => {
    const ajv = new Ajv2020({ allowUnionTypes: true });
    addFormats.default(ajv);
    const check = (name: string, { schema, example, examples = {} }: Media) => {
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ];
      expect(values.length, name).toBeGreaterThan(0);
      const valid = ajv.compile({ ...schema, components: document.components });
      for (const value of values) expect(valid(value), `${name} ${JSON.stringify(value)}`).toBe(true);
    };
    ajv.addVocabulary(['components']);
    for (const { name, operation: one } of operations()) {
      for (const media of Object.values(one.requestBody?.content ?? {})) check(name, media);
      for (const [status, { content }] of Object.entries(one.responses)) {
        expect(Object.keys(content)).toEqual(['application/json']);
        for (const media of Object.values(content)) check(`${name} ${status}`, media);
      }
    }
  });

  test('the examples are true: what the document sends is answered with what the document shows', async () => {
    const send = conforming(sim);
    const headers = { ...sim.default.headers, 'content-type': 'application/json' };
    const order = operation('POST /v1/sessions').requestBody?.content['application/json']?.example;

    const opened = await send('/v1/sessions', { method: 'POST', headers, body: JSON.stringify(order) });
    const session = JSON.parse(opened.text) as { data: { id: string; checkout_url: string } };
    const { id, checkout_url } = session.data;
    expect(session.data).toEqual({ ...successExample('POST /v1/sessions', 201).data, id, checkout_url });

    const hosted = await send(`/v1/sessions/${id}`);
    expect(JSON.parse(hosted.text)).toEqual({ data: { ...successExample('GET /v1/sessions/{id}', 200).data, id } });

    await fetch(`${sim.url}/_sim/sessions/${id}/complete`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ customer_name: 'Ada Byron' }),
    });
    const list = JSON.parse((await send('/v1/contracts', { headers })).text) as { data: Record<string, unknown>[] };
    const shown = successExample('GET /v1/contracts/{reference}', 200).data;
    const { customer_total, down_payment_amount, reservation_fee_amount, paid_amount, remaining_amount, metadata } =
      shown;
    const [contract = {}] = list.data;
    expect(list.data).toHaveLength(1);
    expect(contract).toMatchObject({
      customer_total,
      down_payment_amount,
      reservation_fee_amount,
      paid_amount,
      remaining_amount,
      metadata,
    });
    const planned = ({ amount, due_date, type, status }: Record<string, unknown>) => ({
      amount,
      due_date,
      type,
      status,
    });
    expect((contract.installments as Record<string, unknown>[]).map(planned)).toEqual(
      (shown.installments as Record<string, unknown>[]).map(planned),
    );
  });
});

test('the example of a corrected contract has what the example of the request asks for', () => {
  const path = 'PATCH /v1/contracts/{reference}';
  const asked = operation(path).requestBody?.content['application/json']?.example as object;
  expect(successExample(path, 200).data).toMatchObject(asked);
});

describe('interface §13: the webhooks', () => {
  const checks = () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ components: document.components }, 'openapi', true, false);
    return (type: string) => {
      const content = document.webhooks[type]?.post.requestBody?.content ?? {};
      const { schema, example } = content['application/json'] as Media;
      const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
      return { fits: ajv.compile(pointed), example };
    };
  };

  test('each event type is described, with an example that fits its schema and no other type’s', () => {
    const of = checks();
    expect(Object.keys(document.webhooks).sort()).toEqual([...EVENT_TYPES].sort());
    for (const type of EVENT_TYPES) {
      const others = EVENT_TYPES.filter((other) => of(other).fits(of(type).example));
      expect(others).toEqual([type]);
    }
  });

  test('interface §10: they may have new fields, as the check unknown-field of certify demands', () => {
    const of = checks();
    for (const type of EVENT_TYPES) {
      const { fits, example } = of(type);
      const { data, ...rest } = example as { readonly data: object };
      expect(fits({ ...rest, related: [], data: { ...data, loyalty: { tier: 3 } } }), type).toBe(true);
    }
    expect(text).not.toContain('"additionalProperties":false');
  });

  test('the example of each event is what the simulator sends in that case', async () => {
    const asked = operation('POST /v1/sessions').requestBody?.content['application/json']?.example as SessionCreate;
    const customer = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };
    /** The events of an order of its own. */
    const told = async (play: (shop: SandboxShop, id: string) => Promise<unknown>) => {
      const shop = await sim.merchant({ state: 'TX' });
      const { id } = await shop.sessions.create(asked);
      await play(shop, id);
      return [...(await shop.events.list({ limit: 100 }))].reverse();
    };
    const buy = async (shop: SandboxShop, id: string) => {
      await shop.clock.advance('5m');
      return shop.sessions.complete(id, customer);
    };
    const stories = await Promise.all([
      told(async (shop, id) => {
        await buy(shop, id);
        await shop.clock.advance({ to: '2026-02-26T00:00:00Z' });
      }),
      told(async (shop, id) => {
        const { reference } = await buy(shop, id);
        await shop.clock.advance({ to: '2026-01-01T12:00:00Z' });
        await shop.contracts.cancel(reference);
      }),
      told(async (shop, id) => {
        const { reference } = await buy(shop, id);
        await shop.contracts.outcomes(reference, ['fail', 'fail']);
        await shop.clock.advance({ until: `${reference}=defaulted` });
      }),
      told(async (shop, id) => {
        await shop.clock.advance('5m');
        await shop.sessions.cancel(id);
      }),
      told((shop) => shop.clock.advance('1h')),
    ]);
    const sent = stories.flat();
    const of = checks();
    /** Without what is drawn at random, and where the simulator is. */
    const comparable = (event: unknown) =>
      JSON.parse(
        JSON.stringify(event)
          .replaceAll(sim.url, 'http://127.0.0.1:4747')
          .replace(/\b(evt|cs)_\w+|\bLAY-\w+/g, (id) => id.slice(0, 3)),
      );
    for (const type of EVENT_TYPES) {
      if (type === 'webhook.test') continue;
      const first = sent.find((event) => event.type === type);
      expect(comparable(of(type).example), type).toEqual(comparable(first));
    }
  });

  test('each event type has a summary of its own, which a list of them shows', () => {
    const summaries = Object.values(document.webhooks).map(({ post }) => post.summary);
    expect(new Set(summaries).size).toBe(summaries.length);
  });

  test('what is really sent fits', async () => {
    const of = checks();
    const shop = await sim.merchant();
    await shop.contracts.create({ total_amount: 20_000, status: 'defaulted' });
    const { reference } = await shop.contracts.create({ total_amount: 20_000, status: 'active' });
    await shop.contracts.cancel(reference);
    await shop.contracts.create({ total_amount: 20_000, status: 'completed' });
    const events = await shop.events.list({ limit: 100 });
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(7);
    for (const event of events) {
      const { fits } = of(event.type);
      expect(fits(event), JSON.stringify(fits.errors)).toBe(true);
    }
  });
});

describe('interface §3: the description of the control plane', () => {
  let control: Document;
  let controlText: string;
  beforeAll(async () => {
    controlText = await (await fetch(`${sim.url}/_sim/openapi.json`)).text();
    control = JSON.parse(controlText);
  });

  test('lints without an error or a warning', () => expectCleanLint(controlText));

  test('describes each tag, and has no other', () => {
    const used = Object.values(control.paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags));
    expect(control.tags.map(({ name }) => name).toSorted()).toEqual([...new Set(used)].toSorted());
  });

  test('speaks to its reader, who has none of our papers', () => {
    expect(controlText).not.toMatch(/§|decisions|@assumed/);
  });

  test('every parameter says what it is, and an advance needs its body', () => {
    const described = Object.values(control.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, tags, parameters = [] }) =>
        tags.includes('Dashboard')
          ? []
          : parameters.map(({ name, description }) => [`${operationId} ${name}`, description]),
      ),
    );
    expect(described.filter(([, description]) => !description)).toEqual([]);
    expect(control.paths['/_sim/clock/advance']?.post?.requestBody?.required).toBe(true);
    expect(control.paths['/_sim/contracts']?.post?.requestBody?.required).toBe(false);
  });

  test('a single event, too, has the data of its type', () => {
    const { schema } = control.paths['/_sim/events/{id}']?.get?.responses[200]?.content['application/json'] ?? {};
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ components: control.components }, 'control', true, false);
    const fits = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"control#/')));
    const exampleOf = (type: string) =>
      document.webhooks[type]?.post.requestBody?.content['application/json']?.example as object;
    for (const type of EVENT_TYPES) {
      expect(fits({ data: { ...exampleOf(type), deliveries: [] } }), type).toBe(true);
      const others = EVENT_TYPES.filter((other) => other.split('.')[0] !== type.split('.')[0]);
      for (const other of others)
        expect(fits({ data: { ...exampleOf(type), type: other, deliveries: [] } })).toBe(false);
    }
  });

  test('interface §3: the clock and the settings of a new merchant are described', () => {
    const { MerchantClock, AccountSettings } = control.components.schemas;
    expect(Object.keys(MerchantClock?.properties ?? {})).toEqual(['frozen_at']);
    expect(Object.keys(AccountSettings?.properties ?? {})).toContain('grace_days');
    expect(control.components.schemas.MerchantCreate?.properties).toMatchObject({
      clock: { $ref: '#/components/schemas/MerchantClock' },
      settings: { $ref: '#/components/schemas/AccountSettings' },
    });
  });

  test('interface §13: bodies have no fields but those described, unlike those of the service', () => {
    const open = (schema: object): string[] =>
      Object.entries(schema).flatMap(([name, inner]) => {
        if (typeof inner !== 'object' || inner === null) return [];
        const isOpen =
          'properties' in inner && (inner as { additionalProperties?: unknown }).additionalProperties !== false;
        return [...(isOpen ? [name] : []), ...open(inner)];
      });
    expect(open(control.components.schemas)).toEqual([]);
    expect(open(document.components.schemas)).toEqual(expect.arrayContaining(['SessionCreate', 'ContractUpdate']));
  });

  test('a choice that may be null is one of two schemas, because many generators take no null among values', () => {
    expect(document.components.schemas.LayawayAvailability?.properties).toMatchObject({
      reason: { anyOf: [{ type: 'string', enum: [...BLOCK_REASONS] }, { type: 'null' }] },
    });
    const choices = (text: string) => text.match(/"enum":\[[^\]]*\]/g) ?? [];
    expect([...choices(controlText), ...choices(text)].filter((choice) => choice.includes('null'))).toEqual([]);
  });

  test('interface §2: the number of an installment is an integer, as the contract has it', () => {
    const { parameters } = control.paths['/_sim/contracts/{reference}/installments/{number}/settle']?.post ?? {};
    expect(parameters).toMatchObject([
      { name: 'reference', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'number', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
      { name: 'wait', in: 'query', required: false },
    ]);
  });

  test('every body has an example that its operation takes', async () => {
    const shop = await sim.merchant();
    const session = async () => (await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 })).id;
    const accepted = async () => {
      const id = await session();
      await shop.sessions.accept(id, { customer_name: 'Ada', customer_email: 'ada@example.com' });
      return id;
    };
    const { reference } = await shop.contracts.create();
    const [event] = await shop.events.list({ limit: 1 });
    const endpoint = await shop.webhooks.add('http://127.0.0.1:1/');
    /** What stands in the path, where an operation asks for it. */
    const places: Record<string, () => Promise<string> | string | undefined> = {
      acceptPlan: session,
      payCartCapture: accepted,
      completeCheckout: session,
      arrangeOutcomes: () => reference,
      resendEvent: () => event?.id,
      updateWebhookEndpoint: () => endpoint.id,
      testWebhookEndpoint: () => endpoint.id,
    };
    const send = conforming(sim);
    const untried: string[] = [];
    for (const [path, methods] of Object.entries(control.paths)) {
      for (const [method, { operationId, requestBody, security }] of Object.entries(methods)) {
        if (!requestBody) continue;
        const place = await places[operationId]?.();
        const example = requestBody.content['application/json']?.example;
        expect(example, operationId).toBeDefined();
        if (path.includes('{') && place === undefined) untried.push(operationId);
        else {
          const caller = security ? { authorization: `Bearer ${sim.controlToken}` } : shop.headers;
          const { status, text } = await send(path.replace(/\{\w+\}/, String(place)), {
            method: method.toUpperCase(),
            headers: { ...shop.headers, ...caller, 'content-type': 'application/json' },
            // Whatever listens at the address of the examples is not ours.
            body: JSON.stringify(example).replaceAll('localhost:3000', '127.0.0.1:1'),
          });
          expect(status, `${operationId} ${text}`).toBeLessThan(300);
        }
      }
    }
    expect(untried).toEqual(['reportDelivery', 'sendToReceiver']);
  });

  test('the stream of events can be resumed with what the document describes', () => {
    expect(control.paths['/_sim/events/stream']?.get?.parameters).toMatchObject([
      { name: 'Last-Event-ID', in: 'header', required: false },
    ]);
  });

  test('a 401 speaks of what the operation asks for: the control token or a key', () => {
    const described = Object.values(control.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, security, responses }) => {
        const refused = responses['401']?.description;
        const isOfToken = JSON.stringify(security ?? control.security) === '[{"controlToken":[]}]';
        return refused === undefined || isOfToken === refused.includes('control token') ? [] : [operationId];
      }),
    );
    expect(described).toEqual([]);
  });

  test('decisions §5: an operation that takes no body, too, describes that it refuses one that is not JSON or too large', async () => {
    const send = conforming(sim);
    const { headers } = sim.default;
    for (const [method, path] of [
      ['POST', '/_sim/clock/freeze'],
      ['POST', '/_sim/sessions/cs_none/cancel'],
      ['DELETE', '/_sim/faults'],
      ['DELETE', '/_sim/keys/key_none'],
    ] as const) {
      expect((await send(path, { method, headers, body: 'x' })).status, path).toBe(415);
      const json = { ...headers, 'content-type': 'application/json' };
      expect((await send(path, { method, headers: json, body: ' '.repeat(1_048_577) })).status, path).toBe(413);
    }
    const described = Object.values(control.paths).flatMap((methods) =>
      Object.entries(methods).map(([method, { operationId, responses }]) => ({ method, operationId, responses })),
    );
    const bare = described.filter(({ method, responses }) => method !== 'get' && !(responses[413] && responses[415]));
    expect(bare.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('every route under /_sim is an operation of it, and nothing else is', () => {
    const described = Object.entries(control.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const registered = routes.filter((route) => route.includes(' /_sim') && !route.startsWith('HEAD '));
    expect(registered.sort()).toEqual(described.sort());
  });
});

describe('the check that holds every response of the suite against the document', () => {
  const answering = (status: number, body: object, headers: Record<string, string> = {}) => ({
    method: 'GET',
    path: '/v1/ping',
    status,
    body: JSON.stringify(body),
    header: (name: string) => ({ 'content-type': 'application/json', ...headers })[name.toLowerCase()] ?? null,
  });

  test('refuses an undocumented status, a key too many, a wrong type, a missing header, another content type', () => {
    const check = createCheck(JSON.parse(text));
    const { data } = successExample('GET /v1/ping', 200);
    check(answering(200, { data }));
    check(answering(401, { message: 'Unauthenticated.' }));
    expect(() => check(answering(418, { message: 'x' }))).toThrow(/answers only 200, 401, 403, 429/);
    expect(() => check(answering(200, { data: { ...data, secret: 'x' } }))).toThrow(/additional properties/);
    expect(() => check(answering(200, { data: { ...data, scopes: 'all' } }))).toThrow(/scopes must be array/);
    expect(() => check(answering(401, { message: 'x', code: 'y' }))).toThrow(/additional properties/);
    expect(() => check(answering(429, { message: 'x' }))).toThrow(/Retry-After is missing/);
    expect(() => check(answering(200, { data }, { 'content-type': 'text/html' }))).toThrow(
      /content type is text\/html/,
    );
    expect(() => check({ ...answering(404, { message: 'x' }) })).toThrow(/answers only/);
    check({ ...answering(404, { message: 'x' }), path: '/v1/nowhere' });
    expect(() => check({ ...answering(405, { message: 'x' }), method: 'DELETE' })).toThrow(/allow is missing/);
  });
});
