import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createSimulator, type SandboxShop } from '../../src/index.ts';
import { headerLines } from '../support/raw-request.ts';
import { leversOf, order } from '../support/shop.ts';

/** Requests whose body arrives after a reset, when another merchant may have the row ids of theirs. */
async function begin() {
  const faults: unknown[] = [];
  const sim = await createSimulator({
    clock: { frozenAt: '2026-01-01T00:00:00Z' },
    onFault: (fault) => faults.push(fault),
  });
  return { sim, faults, shop: await sim.merchant(), [Symbol.asyncDispose]: () => sim.close() };
}

/** Sends a request up to the middle of its body. `rest` sends the rest and returns the whole answer. */
async function sendHalf(
  { url, headers }: Pick<SandboxShop, 'headers'> & { readonly url: string },
  method: string,
  path: string,
  body: object,
) {
  const text = JSON.stringify(body);
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  const sent = {
    host: 'localhost',
    connection: 'close',
    expect: '100-continue',
    'content-type': 'application/json',
    'content-length': text.length,
    ...headers,
  };
  socket.write(`${method} ${path} HTTP/1.1\r\n${headerLines(sent)}\r\n`);
  // The server has authenticated the request by then.
  expect(await once(socket, 'data')).toEqual(['HTTP/1.1 100 Continue\r\n\r\n']);
  socket.write(text.slice(0, 10));
  return async () => {
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(text.slice(10));
    await once(socket, 'close');
    const [start = '', body = ''] = answer.split('\r\n\r\n');
    return { status: Number(start.split(' ')[1]), body };
  };
}

const REFUSED = { status: 401, body: '{"message":"Unauthenticated."}' };

test.each([
  ['POST', '/v1/sessions', order()],
  ['PATCH', '/_sim/settings', { grace_days: 12 }],
  ['POST', '/_sim/keys', { name: 'another' }],
  ['POST', '/_sim/clock/advance', { by: '1d' }],
])('%s %s of a merchant that a reset removes is refused, and reaches no other merchant', async (method, path, body) => {
  await using world = await begin();
  const { sim, faults, shop } = world;
  const rest = await sendHalf({ url: sim.url, headers: shop.headers }, method, path, body);
  await sim.reset();
  const next = leversOf(sim, await sim.merchant());
  const state = async () => [
    await next.levers.sessions.list(),
    await next.levers.assumptions.get(),
    await next.levers.keys.list(),
    await next.levers.clock.show(),
  ];
  const before = await state();
  expect(await rest()).toEqual(REFUSED);
  expect(await state()).toEqual(before);
  expect(faults).toEqual([]);
});

test.each([
  ['POST', '/v1/sessions', order()],
  ['PATCH', '/_sim/settings', { grace_days: 12 }],
])(
  '%s %s with a key that is revoked while the body arrives is refused, and changes nothing',
  async (method, path, body) => {
    await using world = await begin();
    const { sim, faults, shop } = world;
    const { id, key } = await shop.keys.create();
    const headers = { ...shop.headers, 'x-api-key': key };
    const rest = await sendHalf({ url: sim.url, headers }, method, path, body);
    await shop.keys.revoke(id);
    const settings = await shop.assumptions.get();
    expect(await rest()).toEqual(REFUSED);
    expect(await shop.sessions.list()).toEqual([]);
    expect(await shop.assumptions.get()).toEqual(settings);
    expect(faults).toEqual([]);
  },
);

test('a request of a merchant that is in the new state, too, is carried out there', async () => {
  await using world = await begin();
  const { sim } = world;
  const rest = await sendHalf({ url: sim.url, headers: sim.default.headers }, 'POST', '/v1/sessions', order());
  await sim.reset();
  expect(await rest()).toMatchObject({ status: 201 });
  expect(await sim.default.sessions.list()).toHaveLength(1);
});

test('a request is carried out by the settings of the moment at which its body has come', async () => {
  await using world = await begin();
  const { sim, shop } = world;
  const rest = await sendHalf({ url: sim.url, headers: shop.headers }, 'POST', '/v1/sessions', order());
  await shop.assumptions.set({ min_order_amount: 20_001 });
  expect(await rest()).toMatchObject({ status: 422 });
  expect(await shop.sessions.list()).toEqual([]);
});

test.each([
  ['lost_request', /^$/],
  ['error', /^\{"message":"Server Error"\}$/],
  ['throttled', /^\{"message":"Too Many Attempts\."\}$/],
  ['lost_answer', /^$/],
  ['cut_answer', /^\{"message":"Una$/],
  ['late_error', /^\{"message":"Server Error"\}$/],
  ['slow', /^\{"message":"Unauthenticated\."\}$/],
] as const)(
  'interface §7: %s strikes a create whose merchant a reset removes, and the server goes on',
  async (kind, expected) => {
    await using world = await begin();
    const { sim, faults, shop } = world;
    await leversOf(sim, shop).levers.faults.add({
      kind,
      operation: 'createSession',
      ...(kind === 'slow' ? { delay_ms: 1 } : {}),
    });
    const rest = await sendHalf({ url: sim.url, headers: shop.headers }, 'POST', '/v1/sessions', order());
    await sim.reset();
    expect((await rest()).body).toMatch(expected);
    expect(await sim.default.sessions.list()).toEqual([]);
    expect(faults).toEqual([]);
  },
);

test('interface §7: the strike of a fault that a reset removed does not count for the same one of the new state', async () => {
  await using sim = await createSimulator({ seed: 1 });
  const { faults, headers } = sim.default;
  const fault = { kind: 'late_error', operation: 'createSession' } as const;
  const { id } = await faults.add(fault);
  const rest = await sendHalf({ url: sim.url, headers }, 'POST', '/v1/sessions', order());
  await sim.reset();
  expect((await faults.add(fault)).id).toBe(id);
  expect((await rest()).status).toBe(503);
  expect(await faults.list()).toMatchObject([{ id, met: 0 }]);
});

test('a lever that a reset overtakes is in no journal of the new state', async () => {
  await using world = await begin();
  const { sim, faults } = world;
  const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body: object) =>
    fetch(sim.url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const token = { authorization: `Bearer ${sim.controlToken}` };
  const change = () => send('PATCH', '/_sim/settings', sim.default.headers, { grace_days: 3 });
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([change(), send('POST', '/_sim/reset', token, {})]);
    const { grace_days } = await sim.default.assumptions.get();
    const { columns = [], rows = [] } = (await sim.trace()).tables.levers ?? {};
    const told = rows.map((row) => row[columns.indexOf('operation')]);
    expect(told).toEqual(grace_days === 3 ? ['updateSettings'] : []);
  }
  expect(faults).toEqual([]);
});
