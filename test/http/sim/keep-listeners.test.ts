import { expect, test } from 'vitest';
import { createSimulator, type Simulator, verifyWebhook } from '../../../src/index.ts';
import { eventStream } from '../../support/event-stream.ts';
import { buy } from '../../support/shop.ts';

type Json = { data: { id: string; secret: string; enabled: boolean; events: string[] } };

/** A listening process of the default sandbox account that answers 200 to whatever it is sent. */
async function listen(
  sim: Simulator,
  url = 'http://localhost:3000/webhooks',
  secret?: string,
  beforeItConnects: (endpoint: Json['data']) => unknown = () => undefined,
) {
  const { headers } = sim.default;
  const post = (path: string, body: object) =>
    fetch(`${sim.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const created = await post('/_sim/webhook-endpoints', { url, transport: 'listener', ...(secret && { secret }) });
  const { data: endpoint } = (await created.json()) as Json;
  await beforeItConnects(endpoint);
  const response = await fetch(`${sim.url}/_sim/webhook-endpoints/${endpoint.id}/stream`, { headers });
  const types: string[] = [];
  const signatures: boolean[] = [];
  const news: string[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() as string;
      for (const block of blocks) {
        const data = /^event: delivery\ndata: (.*)$/m.exec(block)?.[1];
        if (data === undefined) {
          news.push(...(/^event: (.*)$/m.exec(block)?.slice(1) ?? []));
          continue;
        }
        const letter = JSON.parse(data);
        types.push(JSON.parse(letter.body).type);
        signatures.push(isSigned(letter, endpoint.secret));
        await post(`/_sim/deliveries/${letter.delivery_id}/report`, { status_code: 200, duration_ms: 1 });
      }
    }
  })();
  // The server of the test closes under it.
  reading.catch((error: Error) => expect(error.message).toBe('terminated'));
  return { endpoint, status: created.status, types, signatures, news };
}

function isSigned({ headers, body }: { headers: Record<string, string>; body: string }, secret: string) {
  try {
    verifyWebhook(body, headers, secret, { toleranceSeconds: Number.POSITIVE_INFINITY });
    return true;
  } catch {
    return false;
  }
}

async function buyNow(sim: Simulator) {
  await buy(sim.default);
  await sim.default.clock.advance('0s');
}

const options = { seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } };
const PURCHASE = ['session.decision_made', 'contract.activated', 'session.completed'];

test('interface §2: who listens hears what happens after a reset, signed with the same secret', async () => {
  await using sim = await createSimulator(options);
  const { types, endpoint } = await listen(sim);
  await buyNow(sim);
  await sim.reset();
  await buyNow(sim);
  expect(types).toEqual([...PURCHASE, ...PURCHASE]);
  expect(endpoint.secret).toBe(sim.default.webhookSecret);
  expect(await sim.default.webhooks.list()).toHaveLength(1);
});

test('one that listens for some event types hears only those after a reset', async () => {
  await using sim = await createSimulator(options);
  const payload = { events: ['contract.activated'] };
  const { headers } = sim.default;
  const { types } = await listen(sim, undefined, undefined, ({ id }) =>
    sim.inject({ method: 'PATCH', url: `/_sim/webhook-endpoints/${id}`, headers, payload }),
  );
  await sim.reset();
  await buyNow(sim);
  expect(types).toEqual(payload.events);
});

test('interface §3: and after a restore to a state that knew nothing of the listener', async () => {
  await using sim = await createSimulator(options);
  await sim.snapshots.save('before');
  const { types } = await listen(sim);
  await sim.snapshots.restore('before');
  await buyNow(sim);
  expect(types).toEqual(PURCHASE);
});

test('a restore that makes an endpoint for a listener tells no stream what happened before the snapshot', async () => {
  await using sim = await createSimulator(options);
  await buyNow(sim);
  await sim.snapshots.save('bought');
  await sim.reset();
  await listen(sim);
  await using stream = await eventStream(sim, { ...sim.default.headers });
  await sim.snapshots.restore('bought');
  await sim.default.contracts.cancel((await sim.default.contracts.listAll())[0]?.reference as string);
  expect((await stream.take(1)).map(({ event }) => event)).toEqual(['contract.cancelled']);
});

test('a listener is told when its endpoint is disabled in the state that a restore brings', async () => {
  await using sim = await createSimulator(options);
  const { endpoint, news } = await listen(sim);
  const { webhooks } = sim.default;
  await webhooks.disable(endpoint.id);
  await sim.snapshots.save('disabled');
  await webhooks.enable(endpoint.id);
  await sim.snapshots.restore('disabled');
  await expect.poll(() => news).toEqual(['disabled', 'enabled', 'disabled']);
});

test('and when it is disabled before the listener has connected', async () => {
  await using sim = await createSimulator(options);
  const { news } = await listen(sim, undefined, undefined, ({ id }) => sim.default.webhooks.disable(id));
  await expect.poll(() => news).toEqual(['disabled']);
});

test('two that listen with secrets of their own for one URL each keep their endpoint over a reset and a restore', async () => {
  await using sim = await createSimulator(options);
  await sim.snapshots.save('before');
  const url = 'http://localhost:3000/webhooks';
  const secrets = [`whsec_${'A'.repeat(32)}`, `whsec_${'B'.repeat(32)}`];
  const first = await listen(sim, url, secrets[0]);
  const both = [first, await listen(sim, url, secrets[1])];
  await sim.default.webhooks.remove(first.endpoint.id);
  await sim.snapshots.save('second');
  both[0] = await listen(sim, url, secrets[0]);
  await sim.snapshots.restore('second');
  await sim.reset();
  await buyNow(sim);
  await sim.snapshots.save('both');
  await sim.snapshots.restore('before');
  await buyNow(sim);
  await sim.snapshots.restore('both');
  await buyNow(sim);
  for (const { types, signatures } of both) {
    expect(types).toEqual([...PURCHASE, ...PURCHASE, ...PURCHASE]);
    expect(new Set(signatures)).toEqual(new Set([true]));
  }
  const again = [await listen(sim, url, secrets[0]), await listen(sim, url, secrets[1])];
  expect(again.map(({ status }) => status)).toEqual([200, 200]);
  expect(await sim.default.webhooks.list()).toHaveLength(2);
});

test('the endpoint with the secret of one listener is not given to another one of its URL', async () => {
  await using sim = await createSimulator(options);
  const url = 'http://localhost:3000/webhooks';
  const [own, other] = [`whsec_${'A'.repeat(32)}`, `whsec_${'B'.repeat(32)}`];
  const { endpoint } = await listen(sim, url, own);
  await sim.snapshots.save('before');
  await sim.default.webhooks.remove(endpoint.id);
  const both = [await listen(sim, url, other), await listen(sim, url, own)];
  await sim.snapshots.restore('before');
  await buyNow(sim);
  for (const { types, signatures } of both) {
    expect(types).toEqual(PURCHASE);
    expect(new Set(signatures)).toEqual(new Set([true]));
  }
});

test('an endpoint that no listener has is given to one of those of its URL, the others get their own', async () => {
  await using sim = await createSimulator(options);
  const url = 'http://localhost:3000/webhooks';
  const { endpoint } = await listen(sim, url, `whsec_${'A'.repeat(32)}`);
  await sim.snapshots.save('before');
  await sim.default.webhooks.remove(endpoint.id);
  const both = [await listen(sim, url, `whsec_${'B'.repeat(32)}`), await listen(sim, url, `whsec_${'C'.repeat(32)}`)];
  await sim.snapshots.restore('before');
  await buyNow(sim);
  for (const { types } of both) expect(types).toEqual(PURCHASE);
  expect(await sim.default.webhooks.list()).toHaveLength(2);
});

test('a listener of an account that is gone after the reset is hung up on', async () => {
  await using sim = await createSimulator(options);
  const shop = await sim.merchant();
  const { id } = (
    (await (
      await fetch(`${sim.url}/_sim/webhook-endpoints`, {
        method: 'POST',
        headers: { ...shop.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ url: 'http://localhost:3000/', transport: 'listener' }),
      })
    ).json()) as Json
  ).data;
  const response = await fetch(`${sim.url}/_sim/webhook-endpoints/${id}/stream`, { headers: shop.headers });
  const ended = response.text();
  await sim.reset();
  expect(await ended).toBe(': open\n\n');
});

test('a listener that starts again takes up its endpoint: 200, the secret again, enabled', async () => {
  await using sim = await createSimulator(options);
  const first = await listen(sim);
  await sim.default.webhooks.disable(first.endpoint.id);
  const second = await listen(sim);
  expect([first.status, second.status]).toEqual([201, 200]);
  expect(second.endpoint).toMatchObject({ id: first.endpoint.id, secret: first.endpoint.secret, enabled: true });
  const other = await listen(sim, 'http://localhost:4000/');
  expect(other.endpoint.id).not.toBe(first.endpoint.id);
});
