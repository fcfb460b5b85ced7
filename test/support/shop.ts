import type { ContractStatus } from '../../src/domain/contract.ts';
import type { SandboxShop, Shop, Simulator } from '../../src/index.ts';
import { conforming } from './conformance.ts';

/** What came back, read once. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

type Payload = object | string | Uint8Array<ArrayBuffer> | undefined;
export type Call = (
  method: string,
  path: string,
  payload?: Payload,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Requests under `headers`; an object is sent as JSON, text and bytes as they are, and none is no body at all. */
export function caller(sim: Pick<Simulator, 'url'>, headers: Record<string, string> = {}): Call {
  const send = conforming(sim);
  return async (method, path, payload, more = {}) => {
    const isRaw = payload === undefined || typeof payload === 'string' || payload instanceof Uint8Array;
    const sent = new Headers(headers);
    if (payload !== undefined) sent.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(more)) sent.set(name, value);
    const body = isRaw ? payload : JSON.stringify(payload);
    const response = await send(path, { method, headers: sent, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
}

/** A body of session create that nothing is wrong with. */
export const order = (changes: object = {}) => ({
  order_reference: 'A-1',
  total_amount: 20_000,
  return_url: 'https://shop.example/return',
  cancel_url: 'https://shop.example/cancel',
  ...changes,
});

type Settings = Parameters<Simulator['merchant']>[0];

/** A merchant of its own, and requests under the header pairs of both its accounts. */
export async function openShop(sim: Simulator, settings: Settings = {}) {
  const shop: SandboxShop = await sim.merchant(settings);
  return { shop, ...leversOf(sim, shop), live: leversOf(sim, shop.live) };
}

export type TestShop = Awaited<ReturnType<typeof openShop>>;

function leversOf(sim: Simulator, { headers }: Shop) {
  const call = caller(sim, { ...headers });
  const open = async (changes: object = {}) => expectData(await call('POST', '/v1/sessions', order(changes)), 201);
  const step = async (id: string, verb: string, body: object = {}) =>
    expectData(await call('POST', `/_sim/sessions/${id}/${verb}`, body));
  /** A contract in `status`, brought there the way contracts get there. */
  const contractIn = async (status: ContractStatus, changes: object = {}) => {
    const { id } = await open(changes);
    const pending = await step(id, 'accept', { customer_name: 'Ada Byron', customer_email: 'ada@example.com' });
    if (status === 'pending') return pending;
    const active = await step(id, 'pay');
    const path = `/v1/contracts/${active.reference}`;
    if (status === 'active') return active;
    if (status === 'cancelled') return expectData(await call('POST', `${path}/cancel`));
    const outcomes = status === 'defaulted' ? ['fail', 'fail'] : [];
    expectData(await call('PUT', `/_sim/contracts/${active.reference}/outcomes`, { outcomes }));
    expectData(await call('POST', '/_sim/clock/advance', { until: `${active.reference}=${status}` }));
    return expectData(await call('GET', path));
  };
  return {
    call,
    contractIn,
    /** A pending session. */
    open,
    /** A hosted step that must succeed. */
    step,
    /** An active contract. */
    complete: async (changes: object = {}) => step((await open(changes)).id, 'complete'),
    set: async (settings: object) => expectData(await call('PATCH', '/_sim/settings', settings)),
    /** The headers of a further key. */
    withScopes: async (scopes: readonly string[]) => {
      const { key } = expectData(await call('POST', '/_sim/keys', { scopes }), 201);
      return { 'x-client-id': headers['x-client-id'], 'x-api-key': key as string };
    },
  };
}

/** The resource of an answer that must be a success. */
export function expectData({ status, body, text }: Answer, expected = 200) {
  if (status !== expected) throw new Error(`Expected ${expected}, got ${status}: ${text}`);
  return body.data;
}

/** Real time that moves only when told to. */
export function manualTime(start = '2026-01-01T00:00:00Z') {
  let at = Date.parse(start);
  const waiting = new Set<{ at: number; work: () => void }>();
  return {
    now: () => at,
    after(ms: number, work: () => void) {
      const entry = { at: at + ms, work };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    /** Passes `ms` while timers stand still, as they do in a computer that sleeps. */
    sleep(ms: number) {
      at += ms;
      for (const entry of waiting) entry.at += ms;
    },
    /** Passes `ms`, doing on the way what was to be done. */
    pass(ms: number) {
      const end = at + ms;
      for (;;) {
        const [next] = [...waiting].filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        waiting.delete(next);
        at = Math.max(at, next.at);
        next.work();
      }
      at = end;
    },
  };
}
