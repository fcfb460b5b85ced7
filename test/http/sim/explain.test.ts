import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { toldKey } from '../../../src/domain/explain/request.ts';
import { createSimulator, type SandboxShop, type Simulator } from '../../../src/index.ts';
import { CARD, customerOf } from '../../support/customer.ts';
import { openReceiver } from '../../support/receiver.ts';
import { buy, CUSTOMER, caller, manualTime, order } from '../../support/shop.ts';

let sim: Simulator;
let shop: SandboxShop;
beforeAll(async () => {
  sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off' });
});
afterAll(() => sim.close());

describe('interface §11: the deliveries ahead', () => {
  it('tells what waits for a layaway listen that is away, and dates nothing in the past', async () => {
    shop = await sim.merchant();
    const url = 'http://localhost:3000/webhooks';
    await caller(sim, { ...shop.headers })('POST', '/_sim/webhook-endpoints', {
      url,
      transport: 'listener',
      events: ['contract.activated'],
    });
    const { reference } = await buy(shop);
    const { now } = await shop.clock.advance('3d');
    const { chain, ahead } = await shop.explain(reference);
    const [delivery] = await shop.webhooks.deliveries();
    expect(ahead[0]).toEqual({
      at: now,
      what: `attempt 1 of the delivery ${delivery?.id} to ${url}, once layaway listen runs for it again`,
      unless: 'nobody listens for an hour of real time, or the endpoint is disabled or removed first',
    });
    expect(chain.find(({ kind }) => kind === 'delivery')?.because).toBe('No layaway listen is connected for it.');
  });

  it('names the fault that holds a delivery back, while it does', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url, { events: ['contract.activated', 'session.completed'] });
    const delayed = await shop.faults.add({ kind: 'delayed', event: 'contract.activated' });
    const reordered = await shop.faults.add({ kind: 'reordered', event: 'session.completed' });
    const { reference } = await buy(shop);
    await shop.clock.advance('1m');
    const { chain, ahead } = await shop.explain(reference);
    const told = (type: string) => chain.find(({ kind, what }) => kind === 'delivery' && what.includes(type))?.because;
    expect(told('contract.activated')).toBe(`The fault delayed (${delayed.id}) holds it back.`);
    expect(told('session.completed')).toBe(
      `The fault reordered (${reordered.id}) holds it back until the endpoint answers a later event.`,
    );
    expect(ahead.slice(0, 2).map(({ unless }) => unless)).toEqual([
      'the endpoint is disabled or removed first',
      'the endpoint answers a later event first, after which it comes at once, or is disabled or removed',
    ]);
    await shop.clock.advance('1h');
    expect(JSON.stringify(await shop.explain(reference))).not.toContain('holds it back');
  });

  it('tells when and why a delivery was given up', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([500]);
    const endpoint = await shop.webhooks.add(receiver.url, { events: ['contract.activated'] });
    const { reference } = await buy(shop);
    await shop.clock.advance('1s');
    await shop.webhooks.remove(endpoint.id);
    const [delivery] = await shop.webhooks.deliveries();
    const { chain } = await shop.explain(reference);
    expect(chain.findLast(({ kind }) => kind === 'delivery')).toMatchObject({
      id: delivery?.id,
      at: '2026-01-01T00:00:01.000000Z',
      what: expect.stringMatching(/^Webhook contract\.activated evt_\w+ to .+ was given up\.$/),
      because: 'The endpoint was removed.',
    });
  });
});

it('interface §11: a delivery is told with its own attempts ahead, not with those of others', async () => {
  shop = await sim.merchant();
  await using failing = await openReceiver([500, 500]);
  for (const path of ['a', 'b']) await shop.webhooks.add(`${failing.url}${path}`, { events: ['contract.activated'] });
  const { reference } = await buy(shop);
  await shop.clock.advance('0s');
  for (const { id } of await shop.webhooks.deliveries()) {
    const { ahead } = await shop.explain(id);
    expect(ahead.filter(({ what }) => what.startsWith('attempt'))).toMatchObject([
      { what: expect.stringContaining(`attempt 2 of the delivery ${id}`) },
    ]);
  }
  expect((await shop.explain(reference)).ahead.filter(({ what }) => what.startsWith('attempt'))).toHaveLength(2);
});

it('interface §11: no explanation holds the user info of a URL', async () => {
  shop = await sim.merchant();
  await using receiver = await openReceiver([500, 410]);
  const url = receiver.url.replace('://', '://ada:hunter2@');
  const endpoint = await shop.webhooks.add(url, { events: ['contract.activated'] });
  const { reference } = await buy(shop);
  const from = `/v1/contracts/${reference}?from=https://ada:hunter2@shop.example/`;
  await sim.inject({ method: 'PATCH', url: from, headers: shop.headers, payload: { order_reference: 'A-2' } });
  const [request] = await shop.logs.list();
  await shop.clock.advance('0s');
  const told = async (id: string) => JSON.stringify(await shop.explain(id));
  const [delivery] = await shop.webhooks.deliveries();
  const ids = [reference, String(delivery?.id)];
  const [ahead] = await Promise.all(ids.map(told));
  expect(ahead).toContain('://…@');
  await shop.clock.advance('5s');
  const [email] = await shop.emails.list({ to: 'merchant@example.com' });
  for (const id of [...ids, String(email?.id), String(request?.id), endpoint.id]) {
    expect(await told(id)).toContain('://…@');
    expect(await told(id)).not.toContain('hunter2');
  }
  expect(ahead).not.toContain('hunter2');
});

it('interface §11: only a contract has installments, and only those of its plan', async () => {
  shop = await sim.merchant();
  const { reference } = await buy(shop);
  const [event] = await shop.events.list({ limit: 1 });
  expect((await shop.explain(`${reference}#4`)).state).toBe('upcoming');
  for (const id of [`${reference}#5`, `${reference}#0`, `${reference}#`, `${event?.id}#1`]) {
    await expect(shop.explain(id), id).rejects.toMatchObject({ status: 404 });
  }
});

it('interface §11: a delivery is in its chain, however many later ones the story has', async () => {
  shop = await sim.merchant();
  const call = caller(sim, { ...shop.headers });
  const url = 'http://localhost:3000/webhooks';
  const events = ['contract.activated'];
  await call('POST', '/_sim/webhook-endpoints', { url, transport: 'listener', events });
  await buy(shop);
  const [delivery] = await shop.webhooks.deliveries();
  const { id = '', event_id = '' } = delivery ?? {};
  for (let count = 0; count < 1_000; count += 1) await shop.events.resend(event_id);
  const { chain, ahead } = await shop.explain(id);
  expect(chain.filter((link) => link.id === id)).toHaveLength(1);
  expect(ahead.filter(({ what }) => what.includes(`attempt 1 of the delivery ${id} to ${url}`))).toHaveLength(1);
});

describe('interface §11: a request that made nothing', () => {
  it('is in the chain of its contract with what the service said, and the summary is its own', async () => {
    shop = await sim.merchant();
    const call = caller(sim, { ...shop.headers });
    const { reference } = await buy(shop);
    const path = `/v1/contracts/${reference}`;
    await call('PATCH', path, { order_reference: ' ' });
    await call('PATCH', path, { order_reference: 'A-2' });
    await shop.faults.add({ kind: 'throttled', operation: 'getContract' });
    await call('GET', path);
    await shop.clock.advance('14d');
    await shop.contracts.cancel(reference);
    await call('POST', `${path}/cancel`);
    const asked = (await shop.logs.list()).filter((request) => request.path.startsWith(path)).toReversed();
    expect(asked.map(({ status }) => status)).toEqual([422, 200, 429, 200, 200]);
    const told = await Promise.all(asked.map(({ id }) => shop.explain(id)));
    const own = told.map(({ subject, chain }) => chain.filter(({ id }) => id === subject));
    expect(own.map((links) => links.map(({ what }) => what))).toEqual(
      asked.map(({ method, path, status }) => [`${method} ${path} returned ${status}.`]),
    );
    expect(told[0]?.summary).toContain('The service said: The order reference field is required.');
    expect(own[2]?.[0]?.because).toContain('fault');
    for (const { chain } of told) {
      expect(chain.map(({ at }) => at)).toEqual(chain.map(({ at }) => at).toSorted());
      expect(chain[0]).toMatchObject({ kind: 'request', what: expect.stringContaining('POST /v1/sessions') });
    }
  });
});

describe('interface §11: a request that changed nothing', () => {
  const ownLink = async (id: string) => (await shop.explain(id)).chain.find((link) => link.id === id);

  it('a refusal gives everything that the service refused, not only the first', async () => {
    shop = await sim.merchant();
    await caller(sim, { ...shop.headers })('POST', '/v1/sessions', { order_reference: 'A-1' });
    const [refused] = await shop.logs.list();
    expect(refused?.status).toBe(422);
    expect((await ownLink(refused?.id as string))?.because).toBe(
      'The request came from the store. The service said: The total amount field is required. The return url field is required. The cancel url field is required.',
    );
  });

  it('a refusal of a store on http names the setting that would let it pass', async () => {
    shop = await sim.merchant();
    const why = async (return_url: string) => {
      await caller(sim, shop.headers)('POST', '/v1/sessions', order({ return_url }));
      const [refused] = await shop.logs.list({ limit: 1 });
      expect(refused?.status).toBe(422);
      return (await ownLink(refused?.id as string))?.because;
    };
    expect(await why('http://localhost:3000/thanks')).toMatch(
      /https:\/\/\. The return_url http:\/\/localhost:3000\/thanks was refused: .*`layaway assumptions set allow_http_localhost true`/,
    );
    expect(await why('http://shop.example/thanks')).not.toContain('allow_http_localhost');
  });

  it('a refusal gives the reason that the store got', async () => {
    shop = await sim.merchant({ excluded_states: ['TX'] });
    await shop.sessions
      .create({ order_reference: 'A-1', total_amount: 20_000, customer_state: 'TX' })
      .catch(() => undefined);
    const [refused] = await shop.logs.list();
    expect((await ownLink(refused?.id as string))?.because).toMatch(
      /Please choose another way to pay\. The reason is state_excluded\. excluded_states was \["TX"\], set for this account; \[\] is assumed otherwise\.$/,
    );
  });

  it('a 404 of a route that the service does not have names the one that was meant', async () => {
    shop = await sim.merchant();
    const why = async (path: string) => {
      expect((await fetch(sim.url + path, { headers: shop.headers })).status).toBe(404);
      const [request] = await shop.logs.list({ limit: 1 });
      return (await ownLink(request?.id as string))?.because;
    };
    expect(await why('/v1/contract/LAY-0000000000?page=1')).toBe(
      'The request came from the store. The service said: The route v1/contract/LAY-0000000000 could not be found. Did you mean GET /v1/contracts/LAY-0000000000?',
    );
    expect(await why('/v1/contracts//cancel')).toMatch(/Did you mean POST \/v1\/contracts\/\{reference\}\/cancel\?$/);
    expect(await why('/v1/orders')).toMatch(/could not be found\. Available: GET \/v1\/ping, /);
    expect(await why('/v1/contracts/LAY-0000000000')).not.toMatch(/Did you mean|Available/);
  });

  it('a 404 of a session or contract tells why there is none', async () => {
    shop = await sim.merchant();
    const why = async (path: string) => {
      expect((await fetch(`${sim.url}/v1/${path}`, { headers: shop.headers })).status).toBe(404);
      const [request] = await shop.logs.list({ limit: 1 });
      return (await ownLink(request?.id as string))?.because.replace(/^The request came from .* not found\. /, '');
    };
    const other = await shop.live.contracts.create();
    const { id: preview } = await shop.sessions.preview(order());
    const { reference: ofPreview } = await shop.sessions.complete(preview);
    expect(await why(`contracts/${other.reference}`)).toBe(
      `The account, in sandbox mode, has no contract ${other.reference}. It may belong to another account, such as that of the other mode, or be from before a reset.`,
    );
    expect(await why('checkout-sessions/undefined?x=1')).toBe(
      '"undefined" is not the id of a checkout session, which begins with cs_.',
    );
    expect(await why(`contracts/${preview}`)).toBe(
      `"${preview}" is not the reference of a contract, which begins with LAY-.`,
    );
    expect(await why('contracts/LAY-0000000000/pay')).not.toContain('has no contract');
    const hidden = 'It belongs to a preview, which /v1 never shows.';
    expect([await why(`checkout-sessions/${preview}`), await why(`contracts/${ofPreview}`)]).toEqual([hidden, hidden]);
  });

  it('a 401 tells what was wrong with the API key, without the key', async () => {
    shop = await sim.merchant();
    const own = shop.apiKey;
    const { key: revoked, id } = await shop.keys.create({ name: 'old', scopes: ['checkout:read'] });
    await shop.keys.revoke(id);
    const live = shop.live.apiKey;
    const why = async (apiKey: string | undefined) => {
      const headers = { 'x-client-id': shop.clientId, ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) };
      expect((await caller(sim, headers)('GET', '/v1/ping')).status).toBe(401);
      const [refused] = await shop.logs.list();
      const because = (await ownLink(refused?.id as string))?.because ?? '';
      expect(because).toMatch(/^The request came from the store\. The service said: Unauthenticated\. /);
      return because.slice('The request came from the store. The service said: Unauthenticated. '.length);
    };
    expect(await why(undefined)).toBe('It sent no X-Api-Key header.');
    expect(await why('short')).toBe('Its X-Api-Key is too short for an API key.');
    expect(await why('x'.repeat(40))).toBe('Its X-Api-Key is not an API key: they begin with sk_test_ or sk_live_.');
    expect(await why(`${own.slice(0, 8)}0000${own.slice(12)}`)).toBe(
      `The account has no API key ${own.slice(0, 8)}0000….`,
    );
    expect(await why(`${own}x`)).toBe(
      `Its API key begins with ${own.slice(0, 12)}, like one of the account, but is a different key.`,
    );
    expect(await why(revoked)).toBe(`Its API key ${revoked.slice(0, 12)}… is revoked.`);
    expect(await why(live)).toBe(
      `Its API key ${live.slice(0, 12)}… is for live mode, but the client id is for sandbox mode.`,
    );
  });

  it('a 415 tells which Content-Type came, such as the one that a client sends unasked', async () => {
    shop = await sim.merchant();
    const why = async (type?: string) => {
      const headers = { ...shop.headers, ...(type === undefined ? {} : { 'content-type': type }) };
      const sent = await fetch(`${sim.url}/v1/sessions`, { method: 'POST', headers, body: Buffer.from('{}') });
      expect(sent.status).toBe(415);
      const [refused] = await shop.logs.list({ limit: 1 });
      return (await ownLink(refused?.id as string))?.because;
    };
    const said =
      'The request came from the store. The service said: The request body must be sent as application/json.';
    expect(await why()).toBe(`${said} It came without a Content-Type.`);
    expect(await why('application/x-www-form-urlencoded')).toBe(
      `${said} Its Content-Type was application/x-www-form-urlencoded.`,
    );
  });

  it('a 422 about the body tells what was wrong with it, which the store’s code may not show', async () => {
    shop = await sim.merchant();
    const why = async (body: string | Buffer, extra: Record<string, string> = {}) => {
      const headers = { ...shop.headers, 'content-type': 'application/json', ...extra };
      const sent = await fetch(`${sim.url}/v1/sessions`, { method: 'POST', headers, body });
      expect(sent.status).toBe(422);
      const [refused] = await shop.logs.list({ limit: 1 });
      return (await ownLink(refused?.id as string))?.because.replace(/^.* must be (valid JSON|a JSON object)\. ?/, '');
    };
    expect(await why(gzipSync('{}'), { 'content-encoding': 'gzip' })).toBe(
      'The body was encoded: its Content-Encoding was gzip.',
    );
    expect(await why(Buffer.from('{"order_reference":"é"}', 'latin1'))).toBe('The body was not in UTF-8.');
    expect(await why('\ufeff{}')).toBe('The body began with a byte order mark.');
    expect(await why('{"order_reference":"A-1",}')).toMatch(/^The parser said: .*JSON at position 25.*\.$/);
    expect(await why('{"order_reference":"\\ud800"}')).toBe(
      'The body was nested too deeply or contained an unpaired surrogate.',
    );
    expect(await why('[]')).toBe('');
    // The parser quotes some characters around the mistake.
    expect(await why(`{"key":"${shop.apiKey}"x}`)).not.toContain(shop.apiKey.slice(-8));
  });

  it('a request of a command or a test is not said to be the store’s', async () => {
    shop = await sim.merchant();
    const { reference } = await buy(shop);
    await shop.faults.add({ kind: 'late_error', operation: 'cancelContract' });
    await shop.contracts.cancel(reference).catch(() => undefined);
    await caller(sim, { ...shop.headers })('POST', `/v1/contracts/${reference}/cancel`);
    const [again, cancelled] = await shop.logs.list();
    const { chain } = await shop.explain(reference);
    const asked = chain.filter(({ kind }) => kind === 'request').map(({ because }) => because.split(';')[0]);
    expect(asked).toEqual([
      'The request came from a command or a test, not from the store.',
      'The request came from a command or a test, not from the store',
    ]);
    expect(chain.at(-1)?.at).toBe((await ownLink(cancelled?.id as string))?.at);
    expect((await ownLink(again?.id as string))?.because).toMatch(/^The request came from the store\. /);
  });

  it('a repeated create says that its key was known, the first one does not', async () => {
    shop = await sim.merchant();
    const call = caller(sim, { ...shop.headers, 'idempotency-key': 'k-1' });
    const order = {
      order_reference: 'A-1',
      total_amount: 20_000,
      return_url: 'https://shop.example',
      cancel_url: 'https://shop.example',
    };
    for (let n = 0; n < 2; n += 1) expect((await call('POST', '/v1/sessions?from=app', order)).status).toBe(201);
    const [again, first] = await shop.logs.list();
    expect((await ownLink(first?.id as string))?.because).toBe('The request came from the store.');
    expect((await ownLink(again?.id as string))?.because).toBe(
      `The request came from the store. Its Idempotency-Key was that of ${first?.id}, so it got the same session, and nothing new was opened.`,
    );
    await shop.clock.advance('2h');
    await call('POST', '/v1/sessions?from=app', order);
    const [late] = await shop.logs.list();
    expect((await ownLink(late?.id as string))?.because).toMatch(/ nothing new was opened\. That session is expired: /);
  });

  it('a 409 names the request that used the key first, and its session', async () => {
    shop = await sim.merchant();
    const call = caller(sim, { ...shop.headers, 'idempotency-key': 'k-1' });
    const create = (order_reference: string) =>
      call('POST', '/v1/sessions', {
        order_reference,
        total_amount: 20_000,
        return_url: 'https://shop.example',
        cancel_url: 'https://shop.example',
      });
    const first = await create('A-1');
    await shop.clock.advance('1h');
    expect((await create('A-2')).status).toBe(409);
    await shop.clock.advance('23h');
    expect((await create('A-3')).status).toBe(201);
    await shop.assumptions.set({ idempotency_hours: 1 });
    const [, refused, opening] = await shop.logs.list();
    const { data } = first.body as { data: { id: string } };
    expect((await ownLink(refused?.id as string))?.because).toBe(
      `The request came from the store. The service said: The Idempotency-Key has already been used with a different request body. It was that of ${opening?.id}, which opened ${data.id}. The two bodies differ in order_reference. idempotency_hours was 24, as the service description says (§4.3).`,
    );
  });

  it('a 409 names only fields that differ, although the log lost the secrets of the first body in a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'layaway-explain-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const started = () => createSimulator({ data: folder, seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const create = (server: Simulator, total_amount: number) =>
      caller(server, { ...server.default.headers, 'idempotency-key': 'k-1' })('POST', '/v1/sessions', {
        ...order({ total_amount }),
        metadata: { callback: 'https://user:secret@shop.example' },
      });
    const before = await started();
    expect((await create(before, 20_000)).status).toBe(201);
    await before.close();
    await using after = await started();
    expect((await create(after, 25_000)).status).toBe(409);
    const [refused] = await after.default.logs.list();
    const { chain } = await after.default.explain(refused?.id as string);
    expect(chain.at(-1)?.because).toContain(' The two bodies differ in total_amount. ');
  });

  it('a list of contracts names the parameters that select nothing', async () => {
    shop = await sim.merchant();
    for (const query of ['?status=active&page=1', '?state=active', '']) {
      expect((await fetch(`${sim.url}/v1/contracts${query}`, { headers: shop.headers })).status).toBe(200);
    }
    const told = await Promise.all((await shop.logs.list()).map(({ id }) => ownLink(id)));
    expect(told.map((link) => link?.because)).toEqual([
      'The request came from the store.',
      'The request came from the store. The service ignores the parameter state of the query.',
      'The request came from the store.',
    ]);
  });

  it('a cancel of a contract that is already cancelled says so', async () => {
    shop = await sim.merchant();
    const call = caller(sim, { ...shop.headers });
    const { reference } = await buy(shop);
    const cancel = `/v1/contracts/${reference}/cancel?from=app`;
    for (let n = 0; n < 2; n += 1) expect((await call('POST', cancel)).status).toBe(200);
    const [again, first] = await shop.logs.list();
    expect((await ownLink(first?.id as string))?.because).toBe('The request came from the store.');
    expect((await ownLink(again?.id as string))?.because).toBe(
      'The request came from the store. The contract was already cancelled, so nothing changed.',
    );
  });
});

describe('interface §11: an event that was not sent', () => {
  const saidOf = async (id: string) => {
    const { chain, summary } = await shop.explain(id);
    return [
      chain
        .find((link) => link.id === id)
        ?.because.split('. ')
        .at(-1),
      summary,
    ];
  };

  it('because no enabled endpoint subscribed to it, with the command that sends it', async () => {
    shop = await sim.merchant();
    await buy(shop);
    const [event] = await shop.events.list();
    const id = event?.id as string;
    expect(await saidOf(id)).toEqual([
      'No enabled endpoint subscribed to it, so it was not sent.',
      expect.stringContaining(`Once an endpoint is enabled, \`layaway events resend ${id}\` sends it.`),
    ]);
    await using receiver = await openReceiver();
    const endpoint = await shop.webhooks.add(receiver.url);
    await shop.events.resend(id);
    expect(receiver.received).toHaveLength(1);
    const sent = ['A change and its event are written in one transaction.', expect.not.stringContaining('not sent')];
    expect(await saidOf(id)).toEqual(sent);
    await shop.webhooks.remove(endpoint.id);
    expect(await saidOf(id)).toEqual(sent);
  });

  it('because its contract was created without webhooks', async () => {
    await using receiver = await openReceiver();
    shop = await sim.merchant();
    await shop.webhooks.add(receiver.url);
    await shop.contracts.create({ webhooks: false });
    const [silent] = await shop.events.list();
    await shop.contracts.create();
    const [sent] = await shop.events.list();
    const why = 'The contract was created without webhooks, so it was not sent.';
    expect(await saidOf(silent?.id as string)).toEqual([why, expect.stringContaining(why)]);
    expect((await saidOf(sent?.id as string))[0]).toBe('A change and its event are written in one transaction.');
  });

  it('for one of these reasons: which one, a fixture does not leave behind', async () => {
    await using started = await createSimulator({ fixture: { contracts: [{ webhooks: false }] } });
    shop = started.default;
    const [event] = await shop.events.list();
    const why = 'It was not sent: no enabled endpoint subscribed to it, or its contract was created without webhooks.';
    expect(await saidOf(event?.id as string)).toEqual([why, expect.stringContaining(why)]);
  });
});

it('interface §11: the summary of an installment that is due tells the attempt that failed, not that an event was recorded', async () => {
  shop = await sim.merchant({ collection_retry_hours: 336 });
  const { reference } = await buy(shop);
  await shop.contracts.outcomes(reference, ['fail', 'fail', 'fail']);
  await shop.clock.advance('28d');
  const [one, two] = await Promise.all([1, 2].map((number) => shop.explain(`${reference}#${number}`)));
  expect(one).toMatchObject({ state: 'past_due' });
  expect(two).toMatchObject({
    state: 'due',
    summary: expect.stringMatching(
      new RegExp(
        `^${reference}#2 is due\\. Payment attempt 1 on installment 2, \\$40\\.00, failed\\. ` +
          'The contract’s outcome script said `fail`, arranged by lvr_\\d+\\. Next: ',
      ),
    ),
  });
});

describe('interface §11: the default that lies ahead of an installment', () => {
  beforeAll(async () => {
    shop = await sim.merchant();
  });

  it('is told of the overdue one, and of those that it leaves unpaid', async () => {
    const { reference } = await buy(shop);
    await shop.contracts.outcomes(reference, ['fail', 'fail']);
    const { now } = await shop.clock.advance({ until: `${reference}#1=delinquent` });
    expect(now).toBe('2026-01-27T00:00:00.000000Z');
    const comes = {
      at: '2026-02-16T00:00:00.000000Z',
      what: `contract.defaulted of ${reference}`,
      unless: `the overdue installment is settled first: \`layaway contracts settle ${reference} 1\``,
    };
    const overdue = await shop.explain(`${reference}#1`);
    expect(overdue.ahead).toEqual([comes]);
    expect(overdue.summary).toContain(`Next: contract.defaulted of ${reference} at 2026-02-16 00:00:00 UTC, unless `);
    expect((await shop.explain(`${reference}#4`)).ahead).toEqual([comes]);
    expect((await shop.explain(`${reference}#3`)).ahead.map(({ what }) => what)).toEqual([
      `installment.paid of ${reference}#3`,
    ]);
  });

  it('is not told of one that is paid, nor once it is averted', async () => {
    const { reference } = await buy(shop);
    await shop.contracts.outcomes(reference, ['pay', 'fail', 'fail']);
    await shop.clock.advance({ until: `${reference}#2=past_due` });
    expect((await shop.explain(`${reference}#1`)).ahead).toEqual([]);
    expect((await shop.explain(`${reference}#2`)).ahead.map(({ what }) => what)).toEqual([
      `installment.delinquent of ${reference}#2`,
      `contract.defaulted of ${reference}`,
    ]);
    await shop.contracts.settle(reference, 2);
    expect((await shop.explain(`${reference}#2`)).ahead).toEqual([]);
  });
});

describe('interface §11: how to avert what lies ahead', () => {
  it('each command about payments averts its own event', async () => {
    shop = await sim.merchant();
    const { reference } = await buy(shop);
    await shop.contracts.outcomes(reference, ['pay', 'fail', 'pay', 'fail', 'fail']);
    const { ahead } = await shop.explain(reference);
    const commands = ahead.flatMap(({ at, what, unless }) => {
      const outcomes = / outcomes LAY-\w+ (.+)`$/.exec(unless)?.[1]?.split(' ') as ('pay' | 'fail')[] | undefined;
      return outcomes ? [{ at, what, outcomes }] : [];
    });
    expect(commands.map(({ what, outcomes }) => [what.replace(reference, ''), outcomes.join(' ')])).toEqual([
      ['installment.paid of #1', 'fail'],
      ['installment.payment_failed of #2', 'pay pay'],
      ['installment.paid of #2', 'pay fail fail'],
      ['installment.payment_failed of #3', 'pay fail pay pay'],
      ['installment.payment_failed of #3', 'pay fail pay fail pay'],
      ['installment.past_due of #3', 'pay fail pay fail pay'],
      ['installment.paid of #4', 'pay fail pay fail fail fail'],
    ]);
    for (const { at, what, outcomes } of commands) {
      await shop.contracts.outcomes(reference, outcomes);
      const left = (await shop.explain(reference)).ahead.map((each) => `${each.at} ${each.what}`);
      expect(left).not.toContain(`${at} ${what}`);
    }
  });

  it('names a customer who accepts the plan, with an address if the session has none', async () => {
    shop = await sim.merchant();
    for (const [changes, customer] of [
      [{}, '--customer-name "Test Customer" --customer-email customer@example.com'],
      [{ customer_email: 'ada@example.com' }, '--customer-name "Test Customer"'],
    ] as const) {
      const { id } = await shop.v1.createSession(order(changes));
      const [expiry] = (await shop.explain(id)).ahead;
      expect(expiry?.unless).toBe(`the customer accepts the plan first: \`layaway sessions accept ${id} ${customer}\``);
    }
  });

  it('names the installment by which a contract defaults', async () => {
    shop = await sim.merchant();
    const { reference } = await buy(shop);
    await shop.contracts.outcomes(reference, ['fail', 'fail', 'fail', 'fail']);
    await shop.clock.advance({ until: `${reference}#1=past_due` });
    const unless = async () =>
      (await shop.explain(reference)).ahead.find(({ what }) => what.startsWith('contract.defaulted'))?.unless;
    const settled = 'the overdue installment is settled first: `layaway contracts settle';
    expect(await unless()).toBe(`${settled} ${reference} 1\``);
    await shop.assumptions.set({ default_days: 5 });
    expect(await unless()).toBe(`${settled} ${reference} 2\``);
    await shop.clock.advance({ until: `${reference}=defaulted` });
    expect((await shop.explain(reference)).chain).toContainEqual(
      expect.objectContaining({
        what: 'The default clock of installment 2 ended.',
        setting: { name: 'default_days', value: 5 },
      }),
    );
  });
});

describe('interface §11: the setting that decided', () => {
  it('the late charge: the percentage or the cap, with the value of that time', async () => {
    shop = await sim.merchant({ late_charge_percentage: 10, late_charge_max_amount: 300 });
    const settingOf = async (reference: string) =>
      (await shop.explain(reference)).chain.find(({ what }) => what.includes('with a late charge'))?.setting;
    const delinquent = { status: 'active', installment: { number: 1, status: 'delinquent' } } as const;
    const capped = await shop.contracts.create(delinquent);
    const shared = await shop.contracts.create({ ...delinquent, total_amount: 10_000 });
    await shop.assumptions.set({ late_charge_percentage: 0, late_charge_max_amount: 0 });
    const free = await shop.contracts.create(delinquent);
    await shop.assumptions.set({ late_charge_percentage: 50, late_charge_max_amount: 1 });
    expect(await settingOf(capped.reference)).toEqual({ name: 'late_charge_max_amount', value: 300 });
    expect(await settingOf(shared.reference)).toEqual({ name: 'late_charge_percentage', value: 10 });
    expect(await settingOf(free.reference)).toEqual({ name: 'late_charge_percentage', value: 0 });
  });

  it('the grace period of that time, even of an installment that was settled since', async () => {
    shop = await sim.merchant({ grace_days: 4 });
    const { reference } = await shop.contracts.create({ installment: { number: 1, status: 'past_due' } });
    await shop.contracts.settle(reference, 1);
    await shop.assumptions.set({ grace_days: 9 });
    const { chain } = await shop.explain(reference);
    expect(chain.find(({ what }) => what.includes('to past_due'))?.setting).toEqual({ name: 'grace_days', value: 4 });
  });

  it('a retry: the ladder of that time, or the Retry-After of the receiver', async () => {
    shop = await sim.merchant();
    await shop.assumptions.set({ webhook_retry_seconds: [0, 7] });
    await using receiver = await openReceiver([500]);
    await shop.webhooks.add(receiver.url, { events: ['contract.activated'] });
    const { reference } = await buy(shop);
    await shop.clock.advance('7s');
    await shop.assumptions.set({ webhook_retry_seconds: [0, 9, 10] });
    await using busy = await openReceiver([(response) => void response.writeHead(503, { 'retry-after': '60' }).end()]);
    await shop.webhooks.add(busy.url, { events: ['contract.activated'] });
    const { reference: other } = await buy(shop);
    await shop.clock.advance('60s');
    const retryOf = async (of: string, url: string) =>
      (await shop.explain(of)).chain.find(({ what }) => what.includes(`attempt 2, was sent to ${url}`));
    expect((await retryOf(reference, receiver.url))?.setting).toEqual({ name: 'webhook_retry_seconds', value: [0, 7] });
    expect(await retryOf(other, busy.url)).toMatchObject({
      because: 'The previous attempt got 503 with a Retry-After of 60 s.',
      setting: null,
    });
  });

  it('a refusal: the rule, and the setting with the value of that time', async () => {
    shop = await sim.merchant();
    const call = caller(sim, shop.headers);
    const { reference } = await shop.contracts.create({ status: 'completed' });
    const opens =
      (changes: object = {}) =>
      () =>
        call('POST', '/v1/sessions', order(changes));
    const reuses = async () => {
      const again = caller(sim, { ...shop.headers, 'idempotency-key': 'k-1' });
      for (const order_reference of ['A-1', 'A-2']) await again('POST', '/v1/sessions', order({ order_reference }));
    };
    const cases = [
      [{ layaway_enabled: false }, opens(), 403, 'service §2.3', { name: 'layaway_enabled', value: false }],
      [{ layaway_activated: false }, opens(), 403, 'service §2.3', { name: 'layaway_activated', value: false }],
      [{ layaway_overridden: true }, opens(), 403, 'service §2.3', { name: 'layaway_overridden', value: true }],
      [{ excluded_states: ['TX'] }, opens(), 403, 'service §2.3', { name: 'excluded_states', value: ['TX'] }],
      [{ idempotency_hours: 48 }, reuses, 409, 'service §4.3', { name: 'idempotency_hours', value: 48 }],
      [{}, opens({ customer_state: ' zz ' }), 403, 'service §2.3', null],
      [{ clearance: 'in_review' }, opens(), 403, 'service §5', { name: 'clearance', value: 'in_review' }],
      [{ account_status: 'closed' }, opens(), 403, 'service §5', { name: 'account_status', value: 'closed' }],
      [{}, opens({ total_amount: 4_999 }), 422, 'decisions §5', { name: 'min_order_amount', value: 5_000 }],
      [{}, opens({ total_amount: 500_001 }), 422, 'decisions §5', { name: 'max_order_amount', value: 500_000 }],
      [{}, opens({ order_reference: ' ' }), 422, 'decisions §5', null],
      [{}, () => call('GET', '/v1/contracts/LAY-0000000000'), 404, 'service §7', null],
      [{}, () => call('GET', '/v1/pong'), 404, 'decisions §5', null],
      [{}, () => call('POST', `/v1/contracts/${reference}/cancel`), 422, 'service §4.8', null],
      [{}, () => call('DELETE', '/v1/ping'), 405, 'decisions §5', null],
    ] as const;
    for (const [changes, ask, status, section, setting] of cases) {
      await shop.assumptions.set(changes);
      await ask();
      const [request] = await shop.logs.list({ limit: 1 });
      await shop.clock.advance('1s');
      await shop.assumptions.reset();
      const { chain, summary } = await shop.explain(String(request?.id));
      expect(request?.status).toBe(status);
      expect(chain.at(-1)).toMatchObject({ section, setting });
      expect(summary).toContain(setting ? `${setting.name} was ` : 'The service said');
    }
  });

  it('a refusal of the platform is not said to be a setting of the account', async () => {
    await using alone = await createSimulator();
    await alone.platform.set({ disabled: true });
    await caller(alone, alone.default.headers)('POST', '/v1/sessions', order());
    const [request] = await alone.default.logs.list({ limit: 1 });
    expect((await alone.default.explain(String(request?.id))).summary).toContain(
      'disabled was true, set for the platform; false is assumed otherwise.',
    );
  });

  it('a refusal for a state: the unavailable states of that time, even if they were changed in the same millisecond', async () => {
    await using alone = await createSimulator({ time: manualTime() });
    await alone.platform.set({ unavailable_states: ['NY'] });
    await caller(alone, alone.default.headers)('POST', '/v1/sessions', order({ customer_state: 'ny' }));
    await alone.default.settings.set({ state: 'MD' });
    await alone.platform.set({ unavailable_states: ['MD'] });
    await caller(alone, alone.default.headers)('POST', '/v1/sessions', order());
    const [latest, first] = await alone.default.logs.list({ limit: 2 });
    const settingOf = async (id = '') => (await alone.default.explain(id)).chain.at(-1)?.setting;
    expect(await settingOf(first?.id)).toEqual({ name: 'unavailable_states', value: ['NY'] });
    expect(await settingOf(latest?.id)).toEqual({ name: 'unavailable_states', value: ['MD'] });
  });

  it('a failure: the outcomes that were arranged before it, not those arranged after it', async () => {
    shop = await sim.merchant();
    const { reference } = await buy(shop);
    await shop.contracts.outcomes(reference, ['fail']);
    await shop.clock.advance({ next: true });
    await shop.contracts.outcomes(reference, ['pay']);
    const { chain } = await shop.explain(reference);
    const [arranged] = chain.filter(({ what }) => what.endsWith('(arrangeOutcomes).'));
    expect(chain.find(({ what }) => what.endsWith('failed.'))?.because).toContain(`arranged by ${arranged?.id}.`);
  });
});

it('interface §11: the summary of an event, a delivery, an email, an attempt or a request gives its own reason', async () => {
  shop = await sim.merchant();
  await using receiver = await openReceiver([200, 500]);
  await shop.webhooks.add(receiver.url, { events: ['contract.activated', 'installment.payment_failed'] });
  const { reference } = await buy(shop);
  await shop.contracts.outcomes(reference, ['fail']);
  await shop.clock.advance('20d');
  const events = await shop.events.list();
  const idOf = (wanted: string) => events.find(({ type }) => type === wanted)?.id as string;
  const [attempt] = (await shop.contracts.attempts(reference)).filter(({ outcome }) => outcome === 'fail');
  const [email] = await shop.emails.list({ limit: 1 });
  const deliveries = await shop.webhooks.deliveries();
  const delivery = deliveries.find(({ event_id }) => event_id === idOf('contract.activated'));
  const failed = 'Payment attempt 1 on installment 1, $40.00, failed. The contract’s outcome script said `fail`';
  for (const [id, reason] of [
    [idOf('installment.payment_failed'), failed],
    [idOf('contract.activated'), `Contract ${reference} moved from pending to active.`],
    [idOf('session.completed'), 'moved from decision_made to completed. The Cart Capture landed.'],
    [attempt?.reference as string, failed],
    [email?.id as string, 'was written to customer@example.com. The event installment.paid triggers it.'],
    [delivery?.id as string, `, attempt 1, was sent to ${receiver.url}: 200. The endpoint subscribed to this event.`],
  ] as const) {
    expect((await shop.explain(id)).summary.split(' Next: ')[0]).toContain(reason);
  }
});

it('interface §11: the email about a disabled endpoint names the endpoint and the reason', async () => {
  shop = await sim.merchant({ webhook_disable_days: 1 });
  await using gone = await openReceiver([410]);
  await using failing = await openReceiver([500, 500, 500, 500, 500, 500, 500, 500]);
  for (const { url } of [gone, failing]) await shop.webhooks.add(url, { events: ['contract.activated'] });
  await buy(shop);
  await shop.clock.advance('3d');
  const reasons = new Map([
    [gone.url, 'it answered 410 Gone'],
    [failing.url, 'failing for 1 day'],
  ]);
  for (const { id, text } of await shop.emails.list({ to: 'merchant@example.com' })) {
    const [url] = [...reasons.keys()].filter((each) => text.includes(each));
    expect((await shop.explain(id)).chain.slice(-2)).toMatchObject([
      { kind: 'transition', what: `Webhook endpoint ${url} was disabled: ${reasons.get(url as string)}.` },
      { kind: 'email', id, because: `The endpoint ${url} was disabled: ${reasons.get(url as string)}.` },
    ]);
    // Of an endpoint that was removed, the email alone still says it.
    const endpoint = (await shop.webhooks.list()).find((each) => each.url === url);
    await shop.webhooks.remove(endpoint?.id ?? '');
    expect((await shop.explain(id)).chain).toMatchObject([
      { kind: 'email', because: `The endpoint ${url} was disabled: ${reasons.get(url as string)}.` },
    ]);
    reasons.delete(url as string);
  }
  expect(reasons.size).toBe(0);
});

describe('interface §11: a preview, which makes no events', () => {
  const order = { order_reference: 'A-1', total_amount: 20_000 };
  const customer = { customer_name: 'Ada', customer_email: 'ada@example.com' };
  const summaryOf = async (id: string) => (await shop.explain(id)).summary.split(' Next: ')[0];

  it('that is completed: both summaries agree with the state', async () => {
    shop = await sim.merchant();
    const { id } = await shop.sessions.preview(order);
    const { reference } = await shop.sessions.complete(id);
    expect(await summaryOf(id)).toBe(
      `${id} is completed. Session ${id} moved from decision_made to completed. The Cart Capture landed. A preview makes no events.`,
    );
    expect(await summaryOf(reference)).toContain(`is active. Contract ${reference} moved from pending to active.`);
    const { chain } = await shop.explain(id);
    expect(chain.map(({ kind, what }) => `${kind} ${what.replace(/(?<=cs_)\w{32}|LAY-\w+/g, '…')}`)).toEqual([
      'lever A preview was opened (previewSession).',
      'transition Checkout session cs_… is pending, for $200.00.',
      'lever The customer went through the checkout (completeCheckout).',
      'transition Session cs_… moved from pending to decision_made; the pending contract … was created.',
      'attempt Payment attempt 1 on the Cart Capture, $50.00, succeeded.',
      'transition Contract … moved from pending to active.',
      'transition Session cs_… moved from decision_made to completed.',
    ]);
  });

  it('that was accepted, backed out of, or left to expire', async () => {
    shop = await sim.merchant();
    const open = async () => (await shop.sessions.preview(order)).id;
    const [accepted, cancelled, left, expired] = [await open(), await open(), await open(), await open()];
    for (const id of [accepted, cancelled]) await shop.sessions.accept(id, customer);
    for (const id of [cancelled, left]) await shop.sessions.cancel(id);
    await shop.clock.advance('1h');
    expect(await summaryOf(accepted)).toContain('is decision_made. Session');
    expect(await summaryOf(accepted)).toContain('moved from pending to decision_made');
    expect(await summaryOf(cancelled)).toMatch(/ moved to cancelled, and so did contract LAY-\w+\. /);
    expect(await summaryOf(left)).toMatch(/ moved to cancelled\. /);
    expect(await summaryOf(expired)).toContain('moved from pending to expired.');
    expect((await shop.explain(left)).chain.map(({ kind }) => kind)).toEqual([
      'lever',
      'transition',
      'lever',
      'transition',
    ]);
  });

  it('whose contract ended', async () => {
    shop = await sim.merchant();
    const { id } = await shop.sessions.preview(order);
    const { reference } = await shop.sessions.complete(id);
    await shop.clock.advance('90d');
    expect(await summaryOf(reference)).toContain(`is completed. Contract ${reference} moved from active to completed.`);
    expect(await summaryOf(id)).toContain('is completed. Session');
  });
});

describe('interface §11: the summary of a contract', () => {
  it('gives the contract’s own last change, not that of its session', async () => {
    shop = await sim.merchant();
    const { reference } = await buy(shop);
    const { summary } = await shop.explain(reference);
    expect(summary.split(' Next: ')[0]).toBe(
      `${reference} is active. Contract ${reference} moved from pending to active. The down payment of $40.00 and the Reservation Fee were collected. down_payment_percentage was 20, an assumption: the service description leaves it open (§2.5).`,
    );
  });

  it('gives the change of the session that created or ended the contract', async () => {
    shop = await sim.merchant();
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    const { reference } = await shop.sessions.accept(id, { customer_name: 'Ada', customer_email: 'ada@example.com' });
    expect((await shop.explain(reference)).summary).toContain(`the pending contract ${reference} was created.`);
    await shop.sessions.cancel(id);
    expect((await shop.explain(reference)).summary).toContain(`moved to cancelled, and so did contract ${reference}.`);
  });
});

it('interface §11: the summary of a pending contract says what it waits for', async () => {
  shop = await sim.merchant();
  const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  const { reference } = await shop.sessions.accept(id, { customer_name: 'Ada', customer_email: 'ada@example.com' });
  const said = async (subject: string) => (await shop.explain(subject)).summary;
  const waits = `The Cart Capture is still to be paid, without a deadline: \`layaway sessions pay ${id}\`.`;
  const declined = 'The customer’s last payment was declined.';
  for (const subject of [id, reference, `${reference}#1`]) {
    expect((await said(subject)).endsWith(waits), subject).toBe(true);
    expect(await said(subject)).not.toContain(declined);
  }
  await shop.sessions.pay(id, 'fail');
  for (const subject of [id, reference, `${reference}#1`])
    expect(await said(subject)).toContain(`${declined} ${waits}`);
  await shop.sessions.pay(id);
  for (const subject of [id, reference]) expect(await said(subject)).not.toContain('is still to be paid');
});

it('interface §11: a settlement succeeds though a failure was arranged, and names a late charge only if there is one', async () => {
  shop = await sim.merchant({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const { reference } = await buy(shop);
  await shop.contracts.outcomes(reference, ['fail', 'fail', 'fail', 'fail', 'fail']);
  const settled = async (condition: string) => {
    const number = Number(condition.at(1));
    await shop.clock.advance({ until: reference + condition });
    await shop.contracts.settle(reference, number);
    const { chain } = await shop.explain(`${reference}#${number}`);
    const of = (kind: string) => chain.findLast((link) => link.kind === kind)?.because;
    return [of('attempt'), of('transition')];
  };
  const always = 'A settlement always succeeds: the outcome script is for scheduled attempts only.';
  expect(await settled('#1=past_due')).toEqual([always, 'The customer settled it.']);
  expect(await settled('#2=delinquent')).toEqual([always, 'The customer settled it, late charge included.']);
});

it('interface §11: without a request log, each request still stands in the chain, without an id', async () => {
  await using unlogged = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, requestLog: false });
  const { id } = await unlogged.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  const { reference } = await unlogged.default.sessions.complete(id);
  await unlogged.default.contracts.cancel(reference);
  const { chain } = await unlogged.default.explain(reference);
  const because = 'A request did this. The server did not log requests then.';
  expect(chain.filter(({ kind }) => kind === 'request')).toMatchObject([
    { what: 'POST /v1/sessions opened the checkout session.', because, id: null },
    { what: 'The contract was cancelled.', because, id: null },
  ]);
});

it('interface §11: a step of the customer names the checkout page if it was made there, and otherwise the lever', async () => {
  shop = await sim.merchant();
  const customer = customerOf(sim);
  const because = async (id: string) => {
    const { chain } = await shop.explain(id);
    return chain.flatMap(({ kind, what, because }) => (kind === 'lever' ? [[what, because]] : []));
  };
  const byLever = await shop.sessions.create(order());
  await shop.sessions.complete(byLever.id);
  expect(await because(byLever.id)).toEqual([
    ['The customer went through the checkout (completeCheckout).', 'A lever of the simulator did this.'],
  ]);

  const { id, checkout_url } = await shop.sessions.create(order());
  const link = new URL(checkout_url).pathname;
  await customer.send(link, 'accept', CUSTOMER);
  await customer.send(link, 'pay', CARD);
  expect(await because(id)).toEqual([
    ['The customer accepted the plan (acceptPlan).', 'This was done on the checkout page.'],
    ['The customer tried to pay the Cart Capture (payCartCapture).', 'This was done on the checkout page.'],
  ]);
});

it('interface §11: a 429 names the rate limit that refused the request, and its value', async () => {
  await using limited = await createSimulator({ rateLimit: 2 });
  const ofLast = async (...addresses: string[]) => {
    const shop = await limited.merchant();
    const asked = { url: '/v1/ping', headers: shop.headers };
    for (const remoteAddress of addresses) await limited.inject({ ...asked, remoteAddress });
    const [last] = await shop.logs.list();
    const [link] = (await shop.explain(String(last?.id))).chain;
    return [last?.status, link?.section, link?.setting, link?.because];
  };
  const told = (name: string, usual: number) => [
    429,
    'service §8',
    { name, value: 2 },
    expect.stringContaining(`${name} was 2, set for the server; ${usual} is assumed otherwise.`),
  ];
  expect(await ofLast('192.0.2.1', '192.0.2.2', '192.0.2.3')).toEqual(told('rate_limit_key', 6000));
  expect(await ofLast('192.0.2.4', '192.0.2.4', '192.0.2.4')).toEqual(told('rate_limit_source', 12_000));
});

it('interface §11: what the server has made at its start is told as that, once', async () => {
  const contracts = [{ installment: { number: 1, status: 'past_due' as const } }];
  await using seeded = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, fixture: { contracts } });
  const [contract] = await seeded.default.contracts.listAll();
  const { chain } = await seeded.default.explain(String(contract?.reference));
  expect(chain.filter(({ kind }) => kind === 'lever' || kind === 'request')).toMatchObject([
    {
      what: 'It belongs to the initial state of the server.',
      because: 'The fixture or the flags ask for it.',
      id: null,
    },
  ]);
});

it('interface §11: an API key is revoked when every key that begins like it is', () => {
  const [key, prefix] = ['sk_test_abcdefgh', 'sk_test_abcd'];
  const [revoked, live] = [
    { prefix, revokedAt: 1 },
    { prefix, revokedAt: null },
  ];
  expect(toldKey(key, 'sandbox', [revoked, revoked])).toBe(`Its API key ${prefix}… is revoked.`);
  expect(toldKey(key, 'sandbox', [revoked, live])).toContain('but is a different key');
});

it('interface §11: what cannot be explained is refused with the ids that can be', async () => {
  shop = await sim.merchant();
  const { reference } = await buy(shop);
  const { id: endpoint } = await shop.webhooks.add('http://localhost:3000/webhooks');
  for (const id of ['foo', `${reference}#9`, 'evt_1', 'key_1', shop.clientId, `${endpoint}#1`]) {
    await expect(shop.explain(id), id).rejects.toMatchObject({
      status: 404,
      body: {
        message:
          'Id not found. Use the id of a session (cs_…), contract (LAY-…), installment (LAY-…#2), event (evt_…), delivery (dlv_…), email (eml_…), request (req_…), payment attempt (sim_…) or webhook endpoint (we_…) of this account.',
      },
    });
  }
});

it('interface §11: the id of a lever, which a chain shows, is refused with what to explain instead', async () => {
  shop = await sim.merchant();
  const { reference } = await shop.contracts.create();
  await shop.contracts.outcomes(reference, ['fail']);
  await shop.clock.advance('14d');
  const { chain } = await shop.explain(reference);
  const [made = '', arranged = ''] = chain.flatMap(({ id, kind }) => (kind === 'lever' ? [String(id)] : []));
  const refusalOf = async (id: string, { headers } = shop) => {
    const { status, body } = await caller(sim, { ...headers })('GET', `/_sim/explain/${id}`);
    return { status, message: body.message };
  };
  expect(await refusalOf(made)).toEqual({
    status: 404,
    message: `${made} is a call of the lever createContract. Instead, explain the session, contract or event that it changed.`,
  });
  expect(await refusalOf(arranged)).toEqual({
    status: 404,
    message: `${arranged} is a call of the lever arrangeOutcomes. Instead, explain ${reference}.`,
  });
  expect((await refusalOf(arranged, await sim.merchant())).message).toMatch(/^Id not found\. /);
});

it('while a clock is frozen, attempts of one millisecond are told in the order in which they were made', async () => {
  await using still = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, time: manualTime() });
  const { default: own } = still;
  await using receiver = await openReceiver();
  await own.assumptions.set({ webhook_retry_seconds: [5] });
  await own.webhooks.add(receiver.url);
  await own.faults.add({ kind: 'duplicate' });
  const { reference } = await buy(own);
  // All three are due since then, and the copy of the first from now on.
  await own.clock.advance('30s', { wait: false });
  await own.clock.advance('0s');
  const { chain } = await own.explain(reference);
  const told = chain.flatMap(({ kind, what }) => (kind === 'delivery' ? (/evt_\w+/.exec(what)?.[0] ?? what) : []));
  expect(told).toEqual(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(told.at(-1)).toBe(told[0]);
});
