import { LayawayError } from './refused.ts';
import type {
  CheckoutSession,
  Contract,
  ContractPage,
  ContractStatus,
  ContractUpdate,
  MerchantConfiguration,
  Ping,
  SessionCreate,
} from './wire.ts';

/** A request on its way, and what came back. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}
export type Send = (request: Outgoing) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Requests under one header pair: the body of a success, or a LayawayError. */
export type Ask = <T>(
  method: Outgoing['method'],
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<T>;

export function asker(send: Send, headers: Readonly<Record<string, string>>): Ask {
  return async <T>(
    method: Outgoing['method'],
    path: string,
    body?: object,
    more: Readonly<Record<string, string>> = {},
  ) => {
    const answer = await send({ method, path, headers: { ...headers, ...more }, ...(body ? { body } : {}) });
    // A redirect is an answer of somebody else's: the service sends none to a client.
    if (answer.status < 200 || answer.status >= 300) throw new LayawayError(answer.status, answer.body);
    return answer.body as T;
  };
}

/** `?a=1&b=2` of what is given. */
export function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`;
}

export const data =
  <T>() =>
  ({ data: inner }: { data: T }) =>
    inner;

export type Client = ReturnType<typeof v1Client>;

/** The service's own interface, typed (§4). */
export function v1Client(ask: Ask) {
  const path = (noun: string, id: string) => `/v1/${noun}/${encodeURIComponent(id)}`;
  return {
    ping: () => ask<{ data: Ping }>('GET', '/v1/ping').then(data<Ping>()),
    config: () => ask<{ data: MerchantConfiguration }>('GET', '/v1/config').then(data<MerchantConfiguration>()),
    createSession: (input: SessionCreate, { idempotencyKey }: { readonly idempotencyKey?: string } = {}) =>
      ask<{ data: CheckoutSession }>(
        'POST',
        '/v1/sessions',
        input,
        idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      ).then(data<CheckoutSession>()),
    getSession: (id: string) =>
      ask<{ data: CheckoutSession }>('GET', path('checkout-sessions', id)).then(data<CheckoutSession>()),
    listContracts: (narrow: { readonly status?: ContractStatus; readonly page?: number } = {}) =>
      ask<ContractPage>('GET', `/v1/contracts${query(narrow)}`),
    getContract: (reference: string) =>
      ask<{ data: Contract }>('GET', path('contracts', reference)).then(data<Contract>()),
    updateContract: (reference: string, changes: ContractUpdate) =>
      ask<{ data: Contract }>('PATCH', path('contracts', reference), changes).then(data<Contract>()),
    cancelContract: (reference: string) =>
      ask<{ data: Contract }>('POST', `${path('contracts', reference)}/cancel`).then(data<Contract>()),
  };
}

/**
 * A typed client of the service, for a store's own tests: against this simulator or any other address.
 * Refusals are thrown as LayawayError.
 */
export function createClient(options: {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly apiKey: string;
}): Client {
  const headers = { 'x-client-id': options.clientId, 'x-api-key': options.apiKey };
  return v1Client(asker(sendTo(options.baseUrl), headers));
}

const sendTo =
  (baseUrl: string): Send =>
  async ({ method, path, headers, body }) => {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: 'manual',
    });
    const text = await response.text();
    const answer = parsed(text);
    if (response.ok && (typeof answer !== 'object' || answer === null)) {
      throw new Error(`${baseUrl} is not the Layaway Checkout Service: its answer to ${method} ${path} is not JSON.`);
    }
    return { status: response.status, body: answer };
  };

/** What a gateway in between says is passed on as it stands. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
