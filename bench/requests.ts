import type { Load } from './load.ts';
import type { Server } from './process.ts';

export type Request = Omit<Load, 'port' | 'concurrency' | 'stop'>;

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

/** The same bytes go to both servers, but for the path and the pair. */
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

/** One JSON request outside a load; throws unless it is answered with 2xx. */
export async function call<T>(server: Server, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...server.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** The default account's clock stands from then on: what falls due waits for an advance. */
export async function freeze(server: Server) {
  await call(server, 'POST', '/_sim/clock/freeze');
}

/** A session and the contract it becomes, made as a store and its customer would. */
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
