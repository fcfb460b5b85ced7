import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AttemptOutcome, Delivery, Endpoint, Letter } from '../../../src/domain/webhook.ts';
import { createListeners } from '../../../src/http/stream/listeners.ts';
import { createSimulator, type Simulator, verifyWebhook } from '../../../src/index.ts';
import { journey } from '../../support/journey.ts';
import { headerLines } from '../../support/raw-request.ts';
import { expectData } from '../../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator();
});
afterAll(() => sim.close());

interface Forwarded {
  readonly delivery_id: string;
  readonly attempt: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

type Story = Awaited<ReturnType<typeof journey>>;

/** The stream of an endpoint, as text. */
async function open({ headers }: Story, endpointId: string) {
  const abort = new AbortController();
  const { signal } = abort;
  const response = await fetch(`${sim.url}/_sim/webhook-endpoints/${endpointId}/stream`, { headers, signal });
  expect(response.status).toBe(200);
  const texts = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
  return { texts, hangUp: () => abort.abort() };
}

/** A listening process that reports nothing. */
async function listenInSilence(story: Story, endpointId: string) {
  const { texts, hangUp } = await open(story, endpointId);
  const reader = texts.getReader();
  return {
    hangUp,
    async getsDelivery() {
      for (let told = ''; !told.includes('event: delivery'); ) told += (await reader.read()).value;
    },
  };
}

/** A delivery under way: the listening process has it, but has not reported the result. */
async function awaitResult(by = '0s') {
  const { story, endpoint } = await begin();
  const silent = await listenInSilence(story, endpoint.id);
  await story.opens();
  await story.accepts();
  const advanced = story.advances({ by });
  await silent.getsDelivery();
  const [{ id }] = expectData(await story.call('GET', '/_sim/deliveries'));
  return { story, endpoint, silent, id, advanced };
}

/** What `layaway listen` does: reads the stream, and reports each attempt with the next status of its script. */
async function listen(story: Story, endpointId: string, script: number[] = []) {
  const { texts, hangUp } = await open(story, endpointId);
  const forwarded: Forwarded[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of texts) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data === undefined) continue;
        const delivery = JSON.parse(data) as Forwarded;
        if ('superseded' in delivery) return delivery;
        if ('secret_changed' in delivery) continue;
        forwarded.push(delivery);
        const status = script.shift() ?? 200;
        const report = { status_code: status, duration_ms: 3, response_body: 'ok' };
        expectData(await story.call('POST', `/_sim/deliveries/${delivery.delivery_id}/report`, report));
      }
    }
  })().catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return {
    forwarded,
    /** What it was told last. */
    ended: reading,
    async hangUp() {
      hangUp();
      await reading;
    },
  };
}

async function begin() {
  const story = await journey(sim, { at: '2026-01-01T00:00:00Z' });
  const input = { url: 'http://localhost:3000/webhooks', transport: 'listener' };
  /** What a listening process does when it starts. */
  const again = (more: object = {}) => story.call('POST', '/_sim/webhook-endpoints', { ...input, ...more });
  const endpoint = expectData(await again(), 201);
  return { story, endpoint, again };
}

test('a listening process: what it forwards is signed, and its result is recorded like any other', async () => {
  const { story, endpoint } = await begin();
  const listener = await listen(story, endpoint.id, [500]);
  await story.buys();
  await story.advances({ by: '5s' });
  const deliveries = expectData(await story.call('GET', '/_sim/deliveries')).reverse();
  expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(deliveries[0].attempts).toMatchObject([
    { number: 1, status_code: 500, at: '2026-01-01T00:00:00.000000Z' },
    { number: 2, status_code: 200, at: '2026-01-01T00:00:05.000000Z', response_body: 'ok', duration_ms: 3 },
  ]);
  expect(listener.forwarded.map(({ attempt }) => attempt).toSorted()).toEqual([1, 1, 1, 2]);
  for (const { body, headers } of listener.forwarded) verifyWebhook(body, headers, endpoint.secret);
  await listener.hangUp();
});

test('interface §9: the headers that it forwarded are recorded, so coverage sees two signatures after a rotation', async () => {
  const { story, endpoint } = await begin();
  const listener = await listen(story, endpoint.id);
  expectData(await story.call('POST', `/_sim/webhook-endpoints/${endpoint.id}/rotate`));
  await story.opens();
  await story.accepts();
  await story.advances({ by: '0s' });
  const [{ headers }] = listener.forwarded as [Forwarded];
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  const [{ attempts }] = expectData(await story.call('GET', '/_sim/deliveries'));
  expect(attempts).toMatchObject([{ request_headers: headers }]);
  const { situations } = expectData(await story.call('GET', '/_sim/coverage'));
  expect(situations).toContainEqual(expect.objectContaining({ id: 'webhooks.two-signatures', met: 1 }));
  await listener.hangUp();
});

test('while nobody listens what is owed waits, and an advance does not; a listener that comes back misses nothing', async () => {
  const { story, endpoint } = await begin();
  const first = await listen(story, endpoint.id);
  await story.opens();
  await story.accepts();
  await story.advances({ by: '0s' });
  await first.hangUp();

  await story.pays();
  await story.advances({ by: '14d' });
  expect(expectData(await story.call('GET', '/_sim/deliveries?status=pending'))).toHaveLength(3);

  const second = await listen(story, endpoint.id);
  await story.advances({ by: '0s' });
  const types = [...first.forwarded, ...second.forwarded].map(({ body }) => JSON.parse(body).type);
  expect(types).toEqual(['session.decision_made', 'contract.activated', 'session.completed', 'installment.paid']);
  await second.hangUp();
});

test('what nobody listens for yet is not what comes next, until somebody listens', async () => {
  const { story, endpoint } = await begin();
  expectData(await story.call('PATCH', '/_sim/settings', { webhook_retry_seconds: [60] }));
  await story.opens();
  await story.accepts();
  const nextDue = async () => expectData(await story.call('GET', '/_sim/clock')).next_due;
  expect(await nextDue()).toBeNull();
  const listener = await listen(story, endpoint.id);
  expect(await nextDue()).toMatchObject({ at: '2026-01-01T00:01:00.000000Z', type: 'webhook.attempt' });
  await story.advances({ next: true });
  expect(listener.forwarded).toHaveLength(1);
  await listener.hangUp();
});

test('of two that listen for one endpoint the newer one forwards, and the older one is notified', async () => {
  const { story, endpoint } = await begin();
  const older = await listen(story, endpoint.id);
  const newer = await listen(story, endpoint.id);
  expect(await older.ended).toEqual({ superseded: true });
  await story.opens();
  await story.accepts();
  expectData(await story.call('POST', '/_sim/clock/advance', { by: '0s' }));
  expect(newer.forwarded).toHaveLength(1);
  expect(older.forwarded).toHaveLength(0);
  await newer.hangUp();
});

test('a process that starts again gets its endpoint back, unless it asks for another secret', async () => {
  const { endpoint, again } = await begin();
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  expect(await again()).toMatchObject({ status: 200, body: { data: { id: endpoint.id } } });
  expect(await again({ secret: endpoint.secret })).toMatchObject({ status: 200, body: { data: { id: endpoint.id } } });
  const events = ['contract.cancelled'];
  expect(await again({ events })).toMatchObject({ status: 200, body: { data: { id: endpoint.id, events } } });
  const own = await again({ secret: other });
  expect(own).toMatchObject({ status: 201, body: { data: { secret: other } } });
  expect(own.body.data.id).not.toBe(endpoint.id);
});

test('a process that starts again gets what waited for its endpoint, unless it skips that', async () => {
  const { story, again } = await begin();
  await story.opens();
  await story.accepts();
  const statuses = async () =>
    expectData(await story.call('GET', '/_sim/deliveries')).map(({ status }: { status: string }) => status);
  await again();
  expect(await statuses()).toEqual(['pending']);
  await again({ skip_missed: true });
  expect(await statuses()).toEqual(['failed']);
});

test('interface §2: a retry of what it forwarded is not skipped', async () => {
  const { story, endpoint, again } = await begin();
  const first = await listen(story, endpoint.id, [500]);
  await story.opens();
  await story.accepts();
  await story.advances({ by: '0s' });
  await first.hangUp();
  await story.pays();
  await again({ skip_missed: true });
  const second = await listen(story, endpoint.id);
  await story.advances({ by: '5s' });
  const deliveries = expectData(await story.call('GET', '/_sim/deliveries')).reverse();
  expect(deliveries).toMatchObject([
    { event_type: 'session.decision_made', status: 'delivered', attempts: [{ number: 1 }, { number: 2 }] },
    { event_type: 'contract.activated', status: 'failed', attempts: [] },
    {
      event_type: 'session.completed',
      status: 'failed',
      given_up: { reason: 'layaway listen skipped what it missed' },
    },
  ]);
  await second.hangUp();
});

test.each(['hangs up', 'is replaced'] as const)(
  'a listener that %s with a delivery under way holds up no advance; the next one gets the delivery',
  async (how) => {
    const { story, endpoint, silent, advanced } = await awaitResult('1h');
    if (how === 'hangs up') {
      silent.hangUp();
      await advanced;
    }
    const next = await listen(story, endpoint.id);
    await advanced;
    await story.advances({ by: '0s' });
    expect(next.forwarded).toMatchObject([{ attempt: 1 }]);
    await next.hangUp();
  },
);

test('a result of another attempt than the one under way is refused, and that one goes on', async () => {
  const { story, silent, id, advanced } = await awaitResult();
  const report = (more: object) => story.call('POST', `/_sim/deliveries/${id}/report`, { duration_ms: 1, ...more });
  const late = await report({ attempt: 2, status_code: 500 });
  expect([late.status, late.body]).toEqual([409, { message: 'Nobody awaits the result of this delivery.' }]);
  expectData(await report({ attempt: 1, status_code: null, duration_ms: 60_000 }));
  const reportedBy = Date.now();
  await advanced;
  const { attempts } = expectData(await story.call('GET', `/_sim/deliveries/${id}`));
  expect(attempts).toMatchObject([{ number: 1, status_code: null, error: 'the request failed' }]);
  // It was sent before its answer was awaited.
  expect(Date.parse(attempts[0].sent_at)).toBeLessThanOrEqual(reportedBy - 60_000);
  silent.hangUp();
});

test.each(['', ' ok\n'])('the body %j that a listener reports is recorded as it is', async (response_body) => {
  const { story, silent, id, advanced } = await awaitResult();
  const report = { status_code: 200, duration_ms: 1, response_body };
  expectData(await story.call('POST', `/_sim/deliveries/${id}/report`, report));
  await advanced;
  const { attempts } = expectData(await story.call('GET', `/_sim/deliveries/${id}`));
  expect(attempts).toMatchObject([{ number: 1, response_body }]);
  silent.hangUp();
});

test('a stream that waits for an earlier response on its connection ends with the connection', async () => {
  const { story, endpoint } = await begin();
  const { hostname, port, host } = new URL(sim.url);
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${headerLines({ host, ...story.headers })}\r\n`;
  const isAway = async () => {
    const [listed] = expectData(await story.call('GET', '/_sim/webhook-endpoints'));
    return listed.disconnected_at !== null;
  };
  const socket = connect(Number(port), hostname);
  // The first stream never ends, so nothing of the second one is sent.
  socket.write(get('/_sim/events/stream') + get(`/_sim/webhook-endpoints/${endpoint.id}/stream`));
  await expect.poll(isAway).toBe(false);
  socket.destroy();
  await expect.poll(isAway).toBe(true);
});

test('the stream of an endpoint that the server itself sends to is refused', async () => {
  const { story } = await begin();
  const { id } = expectData(await story.call('POST', '/_sim/webhook-endpoints', { url: 'http://127.0.0.1:9/' }), 201);
  const answer = await story.call('GET', `/_sim/webhook-endpoints/${id}/stream`);
  expect([answer.status, answer.body]).toEqual([409, { message: 'The server itself sends to this webhook endpoint.' }]);
});

test('a listener whose endpoint is removed is told so, and its stream ends', async () => {
  const { story, endpoint } = await begin();
  const path = `/_sim/webhook-endpoints/${endpoint.id}`;
  const stream = await fetch(`${sim.url}${path}/stream`, { headers: story.headers });
  expect((await story.call('DELETE', path)).status).toBe(204);
  expect(await stream.text()).toBe(`: open\n\nid: ${endpoint.id}\nevent: removed\ndata: {"removed":true}\n\n`);
});

test('a URL that the server itself sends to is another endpoint, with a secret of its own', async () => {
  const { story, endpoint } = await begin();
  const add = async (transport: string, url: string) =>
    expectData(await story.call('POST', '/_sim/webhook-endpoints', { url, transport }), 201);
  const sent = await add('http', endpoint.url);
  const sentOnly = await add('http', 'http://localhost:3000/other');
  const heard = await add('listener', sentOnly.url);
  expect(new Set([endpoint.id, sent.id, sentOnly.id, heard.id]).size).toBe(4);
  expect(heard.secret).toBe(endpoint.secret);
  expect(new Set([endpoint.secret, sent.secret, sentOnly.secret]).size).toBe(3);
});

test('a result that nobody awaits is refused', async () => {
  const { story, endpoint } = await begin();
  await story.opens();
  await story.accepts();
  const [delivery] = expectData(await story.call('GET', '/_sim/deliveries'));
  const report = await story.call('POST', `/_sim/deliveries/${delivery.id}/report`, {
    status_code: 200,
    duration_ms: 1,
  });
  expect(report.status).toBe(409);
  expect(endpoint.transport).toBe('listener');
});

test('each change of its endpoint is told once, whatever else happens', async () => {
  const { story, endpoint } = await begin();
  const path = `/_sim/webhook-endpoints/${endpoint.id}`;
  const stream = await fetch(`${sim.url}${path}/stream`, { headers: story.headers });
  await story.call('POST', `${path}/rotate`);
  await story.call('PATCH', path, { enabled: false });
  await story.opens();
  await story.accepts();
  await story.call('DELETE', path);
  expect((await stream.text()).match(/^event: .*$/gm)).toEqual(['event: secret', 'event: disabled', 'event: removed']);
});

test('a delivery under way is given up for its own endpoint, and for every one when the state is replaced', async () => {
  const { connect, forward, rehome } = createListeners({
    endpoints: { find: () => ({}) as Endpoint },
    onCommit: () => undefined,
  });
  const connection = {
    send: () => undefined,
    tell: () => undefined,
    dismiss: () => undefined,
    hangUp: () => undefined,
  };
  for (const id of [1, 12]) connect(id, { ...connection });
  const ended: [string, AttemptOutcome | null][] = [];
  const delivery = { token: 'dlv_1', attempts: 0 } as Delivery;
  for (const id of [1, 12])
    void forward(id, delivery, {} as Letter).then((outcome) => ended.push([`of ${id}`, outcome]));
  const disconnect = connect(1, { ...connection });
  expect(disconnect()).toEqual([1]);
  await Promise.resolve();
  expect(ended).toEqual([['of 1', null]]);
  rehome((id) => id + 1);
  await Promise.resolve();
  expect(ended).toEqual([
    ['of 1', null],
    ['of 12', null],
  ]);
});
