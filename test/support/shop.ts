import { setTimeout } from 'node:timers/promises';
import type { ContractStatus } from '../../src/domain/contract.ts';
import type { SandboxShop, Shop, Simulator } from '../../src/index.ts';
import type { Send } from '../../src/library/client.ts';
import { shopLevers } from '../../src/library/shop.ts';
import type { MerchantOptions } from '../../src/library/shops.ts';
import type { Scope } from '../../src/library/wire.ts';
import { conforming } from './conformance.ts';

/** An answer with its body. */
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

/** Makes requests with `headers`. Objects are sent as JSON, text and bytes unchanged. */
export function caller(sim: Pick<Simulator, 'url'>, headers: Record<string, string> = {}): Call {
  const send = conforming(sim);
  return async (method, path, payload, more = {}) => {
    const isRaw = payload === undefined || typeof payload === 'string' || payload instanceof Uint8Array;
    const sent = new Headers(headers);
    if (payload !== undefined) sent.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(more)) sent.set(name, value);
    const body = isRaw ? payload : JSON.stringify(payload);
    const answer = await send(path, { method, headers: sent, ...(body === undefined ? {} : { body }) });
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') && answer.text !== '';
    return { ...answer, body: isJson ? JSON.parse(answer.text) : undefined };
  };
}

export const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };

/** A valid body of session create. */
export const order = (changes: object = {}) => ({
  order_reference: 'A-1',
  total_amount: 20_000,
  return_url: 'https://shop.example/return',
  cancel_url: 'https://shop.example/cancel',
  ...changes,
});

/** A customer goes through the checkout, which makes three events. Returns the contract. */
export async function buy(shop: Pick<SandboxShop, 'sessions'>) {
  const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  return shop.sessions.complete(id);
}

/** A new merchant with both its accounts. */
export async function openShop(sim: Simulator, settings: MerchantOptions = {}) {
  const shop: SandboxShop = await sim.merchant(settings);
  return { shop, ...leversOf(sim, shop), live: leversOf(sim, shop.live) };
}

export type TestShop = Awaited<ReturnType<typeof openShop>>;

/** Real time, for the library's waits. */
const WAITING = { now: () => Date.now(), pause: (ms: number) => setTimeout(ms) };

/**
 * What tests do with an account: the library's levers, over real HTTP and with every answer checked against the OpenAPI
 * documents, and `call` for other requests.
 */
export function leversOf(sim: Pick<Simulator, 'url'>, { headers }: Pick<Shop, 'headers'>) {
  const call = caller(sim, { ...headers });
  const send: Send = async ({ method, path, body, headers: more }) => {
    const answer = await call(method, path, body, more);
    const headers = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, body: answer.text === '' ? null : answer.body };
  };
  const levers = shopLevers({ send, headers: {} }, WAITING);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const open = (changes: object = {}): Promise<any> => levers.v1.createSession(order(changes));
  /** A contract brought to `status` by the usual steps. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async function contractIn(status: ContractStatus, changes: object = {}): Promise<any> {
    const { id } = await open(changes);
    const pending = await levers.sessions.accept(id, CUSTOMER);
    if (status === 'pending') return pending;
    const active = await levers.sessions.pay(id);
    if (status === 'active') return active;
    if (status === 'cancelled') return await levers.contracts.cancel(active.reference);
    await levers.contracts.outcomes(active.reference, status === 'defaulted' ? ['fail', 'fail'] : []);
    await levers.clock.advance({ until: `${active.reference}=${status}` });
    return await levers.contracts.get(active.reference);
  }
  return {
    levers,
    call,
    contractIn,
    /** A pending session. */
    open,
    /** A step on the hosted page that must succeed. */
    step: async (id: string, verb: string, body: object = {}) =>
      expectData(await call('POST', `/_sim/sessions/${id}/${verb}`, body)),
    /** An active contract. */
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    complete: async (changes: object = {}): Promise<any> => levers.sessions.complete((await open(changes)).id),
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    set: (settings: object): Promise<any> => levers.assumptions.set(settings),
    /** The headers of a new key. */
    withScopes: async (scopes: readonly string[]) => {
      const { key } = await levers.keys.create({ scopes: scopes as readonly Scope[] });
      return { 'x-client-id': headers['x-client-id'], 'x-api-key': key };
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
    /** Passes `ms` and runs the timers that fall due. */
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

/** The same, which cannot be read while `isUnknown` is set. */
export function unreliableTime() {
  const manual = manualTime();
  const time = {
    ...manual,
    isUnknown: false,
    now() {
      if (time.isUnknown) throw new Error('The time is not known.');
      return manual.now();
    },
  };
  return time;
}
