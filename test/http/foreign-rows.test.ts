import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { CONTROL_OPERATIONS, SERVICE_OPERATIONS } from '../../src/operations/index.ts';
import { addressOf, type Operation } from '../../src/operations/operation.ts';
import { conforming } from '../support/conformance.ts';

/** Every call of an account that names something, made with an id of another account and with an id of nobody. */

let sim: Simulator;
let ids: Readonly<Record<string, string>>;
let other: { readonly headers: Readonly<Record<string, string>> };
let dump: () => Promise<unknown>;
const call = async (method: string, path: string, { headers }: typeof other, body?: object) => {
  const json = body && { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } };
  const { status, text } = await conforming(sim)(path, { method, headers, ...json });
  return { status, text, ...(text.startsWith('{') ? JSON.parse(text) : {}) };
};

beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const owner = sim.default;
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await call(method, path, owner, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.data;
  };
  const endpoint = await ask('POST', '/_sim/webhook-endpoints', {
    url: 'http://localhost:9/hook',
    transport: 'listener',
  });
  const session = await ask('POST', '/v1/sessions', {
    order_reference: 'A-1',
    total_amount: 12_345,
    return_url: 'https://example.com/return',
    cancel_url: 'https://example.com/cancel',
  });
  const contract = await ask('POST', `/_sim/sessions/${session.id}/complete`, {});
  // The response to its own account is kept.
  await ask('GET', `/v1/contracts/${contract.reference}`);
  const [event] = await ask('GET', '/_sim/events');
  const [delivery] = await ask('GET', '/_sim/deliveries');
  const [email] = await ask('GET', '/_sim/emails');
  const [request] = await ask('GET', '/_sim/requests');
  const [key] = await ask('GET', '/_sim/keys');
  const fault = await ask('POST', '/_sim/faults', { kind: 'slow', path: '/v1/ping', skip: 1000 });
  const [attempt] = await ask('GET', `/_sim/contracts/${contract.reference}/attempts`);
  ids = {
    contracts: contract.reference,
    sessions: session.id,
    events: event.id,
    deliveries: delivery.id,
    emails: email.id,
    requests: request.id,
    keys: key.id,
    'webhook-endpoints': endpoint.id,
    attempts: attempt.reference,
    faults: fault.id,
    accounts: owner.clientId,
  };
  other = await sim.merchant();
  dump = () =>
    Promise.all(
      ['/v1/contracts', '/_sim/sessions', '/_sim/events', '/_sim/deliveries', '/_sim/emails', '/_sim/keys']
        .concat('/_sim/webhook-endpoints', '/_sim/faults')
        .map((path) => ask('GET', path)),
    );
});
afterAll(() => sim.close());

/** Operations of an account that name something in their path. */
const naming: readonly Operation[] = [...SERVICE_OPERATIONS, ...CONTROL_OPERATIONS].filter(
  ({ auth, path }: Operation) => auth === 'account' && path.includes('{'),
);

/** The ids that the first parameter of a path can name. */
function idsFor(path: string): string[] {
  if (path.includes('/related/') || path.includes('/explain/')) return Object.values(ids);
  const noun = /\/([\w-]+)\/\{/.exec(path)?.[1] as string;
  return [ids[noun === 'checkout-sessions' ? 'sessions' : noun] as string];
}

const calling = ({ path }: Operation, id: string) => addressOf({ path }, { id, reference: id, number: '1' });

test.each(naming.map((operation) => [operation.operationId, operation] as const))(
  'decisions §1: %s finds nothing of another account, and says what it says of an id of nobody',
  async (_, operation) => {
    const before = await dump();
    const { method } = operation;
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    const unknown = await call(method, calling(operation, 'unknown'), other, body);
    expect(unknown.status).toBe(404);
    for (const id of idsFor(operation.path)) {
      const path = calling(operation, id);
      expect([path, await call(method, path, other, body)]).toEqual([path, unknown]);
    }
    expect(await dump()).toEqual(before);
  },
);

test.each(naming.filter(({ body }) => body).map((operation) => [operation.operationId, operation] as const))(
  'decisions §5: %s looks for what it names before it checks the body',
  async (_, operation) => {
    const body = { order_reference: 5, nothing: true };
    expect((await call(operation.method, calling(operation, 'unknown'), other, body)).status).toBe(404);
  },
);

test('each noun that a path of an account can name has an id in this test, and its owner finds it', async () => {
  expect(naming.length).toBeGreaterThan(20);
  for (const { path } of naming) expect(idsFor(path), path).not.toContain(undefined);
  // A key or a fault belongs to no checkout, so there is no page about it.
  for (const id of Object.values(ids).filter((each) => each !== ids.keys && each !== ids.faults)) {
    expect([id, (await call('GET', `/_sim/browse/related/${id}`, sim.default)).status]).toEqual([id, 200]);
  }
});

test.each([
  ['events', 'after', 'events'],
  ['deliveries', 'after', 'deliveries'],
  ['deliveries', 'event_id', 'events'],
  ['deliveries', 'endpoint_id', 'webhook-endpoints'],
  ['emails', 'after', 'emails'],
  ['sessions', 'after', 'sessions'],
  ['keys', 'after', 'keys'],
  ['webhook-endpoints', 'after', 'webhook-endpoints'],
  ['browse/events', 'before', 'events'],
  ['browse/deliveries', 'before', 'deliveries'],
  ['browse/emails', 'before', 'emails'],
] as const)('decisions §1: the list of %s refuses an id of another account as %s', async (list, parameter, noun) => {
  const asked = (id: string) => call('GET', `/_sim/${list}?${parameter}=${id}`, other);
  const unknown = await asked('unknown');
  expect(unknown.status).toBeGreaterThanOrEqual(404);
  expect(await asked(ids[noun] as string)).toEqual(unknown);
});
