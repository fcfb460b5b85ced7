import { expect, test } from 'vitest';
import { createSimulator } from '../../src/index.ts';

test('what fails after the response is a fault that is told', async () => {
  const faults: unknown[] = [];
  await using sim = await createSimulator({
    onFault: (fault) => faults.push(fault),
    onRequest() {
      throw new Error('the watcher broke');
    },
  });
  expect((await fetch(`${sim.url}/_sim/health`)).status).toBe(200);
  await expect.poll(() => faults).toEqual([new Error('the watcher broke')]);
});

test('a watcher that breaks does not cost the entry in the request log', async () => {
  await using sim = await createSimulator({
    onFault: () => undefined,
    onRequest() {
      throw new Error('the watcher broke');
    },
  });
  const answer = await fetch(`${sim.url}/v1/ping`, { headers: sim.default.headers });
  expect(answer.status).toBe(200);
  await expect.poll(async () => (await sim.default.logs.list()).map(({ path }) => path)).toEqual(['/v1/ping']);
});

test('what pages ask for on their own is told to no watcher; what their buttons do is', async () => {
  const told: string[] = [];
  await using sim = await createSimulator({ onRequest: ({ method, path }) => told.push(`${method} ${path}`) });
  const { headers } = sim.default;
  const ofDashboard = { ...headers, 'x-layaway-account': sim.default.clientId };
  const { id } = await sim.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  await sim.default.sessions.complete(id);
  const [email] = await sim.default.emails.list();
  await expect.poll(() => told.at(-1)).toBe('GET /_sim/emails');
  told.length = 0;
  for (const url of ['/healthz', `/checkout/${id}/now`, `/_sim/emails/${email?.id}/page`]) {
    expect((await sim.inject({ method: 'GET', url, headers })).statusCode).toBe(200);
  }
  await sim.inject({ method: 'GET', url: '/_sim/clock', headers: ofDashboard });
  await sim.inject({ method: 'POST', url: '/_sim/clock/freeze', headers: ofDashboard });
  await sim.inject({ method: 'GET', url: '/_sim/settings', headers });
  await expect.poll(() => told.at(-1)).toBe('GET /_sim/settings');
  expect(told).toEqual(['POST /_sim/clock/freeze', 'GET /_sim/settings']);
});

test('a key in a query is masked for watchers, as in the request log', async () => {
  const told: string[] = [];
  await using sim = await createSimulator({ onRequest: ({ path }) => told.push(path) });
  const { headers, apiKey } = sim.default;
  await sim.inject({ url: `/v1/ping?api_key=${apiKey}`, headers });
  const [logged] = await sim.default.logs.list();
  expect(told[0]).toBe(logged?.path);
  expect(told[0]).not.toContain(apiKey);
});
