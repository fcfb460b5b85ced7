import type { Request } from './load.ts';
import type { Server } from './process.ts';

const ORDER = {
  order_reference: 'order-%n',
  total_amount: 24999,
  return_url: 'https://shop.example.com/checkout/thank-you?order=%n',
  cancel_url: 'https://shop.example.com/cart',
  customer_email: 'ada@example.com',
  customer_state: 'TX',
  metadata: { cart_id: 'cart-%n', channel: 'web' },
};

/** The same order outside a load. */
export const anOrder = JSON.parse(JSON.stringify(ORDER).replaceAll('%n', '0000000000')) as object;

/** Both servers get the same bytes, except for the path and the header pair. */
export const post = (path: string, { headers }: Server): Request => ({
  method: 'POST',
  paths: [path],
  headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': '%u' },
  body: JSON.stringify(ORDER),
  expectStatus: 201,
});

export const get = (paths: readonly string[], { headers }: Server): Request => ({
  method: 'GET',
  paths,
  headers,
  expectStatus: 200,
});

/** Sends one JSON request outside a load. Throws unless the answer is 2xx. */
export async function call<T>(server: Server, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...server.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Freezes the default account's clock, so that nothing falls due before an advance. */
export async function freeze(server: Server) {
  await call(server, 'POST', '/_sim/clock/freeze');
}

/** Advances the default account's clock. Returns how long that took, and how many events happened. */
export async function advance(server: Server, by: string): Promise<{ tookMs: number; happened: number }> {
  const startedAt = performance.now();
  const { data } = await call<{ data: { happened_count: number } }>(server, 'POST', '/_sim/clock/advance', { by });
  return { tookMs: performance.now() - startedAt, happened: data.happened_count };
}

/** Makes a contract as a store and its customer would. Returns its reference. */
export async function makeContract(server: Server): Promise<string> {
  const session = await call<{ data: { id: string } }>(server, 'POST', '/v1/sessions', anOrder);
  const contract = await call<{ data: { reference: string } }>(
    server,
    'POST',
    `/_sim/sessions/${session.data.id}/complete`,
    {},
  );
  return contract.data.reference;
}
