import { canonicalUrl } from '../base-url.ts';
import { isRecord, parsed } from '../domain/json.ts';
import { isHeaderValue } from '../domain/text.ts';
import { askedSeconds } from '../domain/webhook.ts';
import {
  type Answer,
  addressOf,
  type Body,
  isOtherPath,
  type Method,
  type Operation,
  type Params,
  type Query,
} from '../operations/operation.ts';
import {
  cancelContract,
  createSession,
  getCheckoutSession,
  getConfig,
  getContract,
  listContracts,
  ping,
  updateContract,
} from '../operations/service.ts';
import { ANY, isContent, isText, refuseLacking, refuseWrong, TEXT } from '../options.ts';
import { LayawayError } from './refused.ts';
import type { ContractPage, ContractStatus, ContractUpdate, SessionCreate } from './wire.ts';

/** A request to the server. */
export interface Outgoing {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}
/** A response, with its headers by their names in lower case. */
interface Incoming {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}
/** Sends a request. The body of the response is parsed if it is JSON. */
export type Send = (request: Outgoing) => Promise<Incoming>;

/** What a call of an operation takes. */
export type Input<O extends Operation> = (keyof Params<O> extends never
  ? { readonly params?: undefined }
  : { readonly params: Params<O> }) & {
  readonly query?: Query<O>;
  readonly body?: Body<O>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Calls an operation and returns the body of its response; throws LayawayError for any status but 2xx. */
export type Ask = <O extends Operation>(
  operation: O,
  ...input: keyof Params<O> extends never ? [input?: Input<O>] : [input: Input<O>]
) => Promise<Answer<O>>;

/** The input of a call whose operation is known only at run time. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The request that calls an operation. */
export function requestOf(operation: Operation, { params, query, body, headers = {} }: AnyInput): Outgoing {
  return {
    method: operation.method,
    path: addressOf(operation, params, query),
    headers,
    ...(body ? { body } : {}),
  };
}

/** How requests reach the server, and the headers that identify the caller. */
export interface Connection {
  readonly send: Send;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Calls operations over a connection. Public functions take the connection instead: the type of this function is made
 * of schemas, which the published types leave out.
 */
export const asker =
  ({ send, headers: own }: Connection): Ask =>
  async (operation, input = {} as never) => {
    refuseMisplaced(operation, input);
    const request = requestOf(operation, input);
    const answer = await send({ ...request, headers: { ...own, ...request.headers } });
    // The service never redirects, so a redirect comes from something else.
    if (answer.status < 200 || answer.status >= 300) {
      throw new LayawayError(answer.status, answer.body, askedSeconds(answer.headers));
    }
    return answer.body as never;
  };

/** Without types, callers pass a whole session for its id, a name that they did not set, or a name for a body. */
function refuseMisplaced({ method, path }: Operation, { params = {}, query, body }: AnyInput) {
  for (const [name, value] of Object.entries<unknown>(params)) {
    if (isText(value)) {
      if (!isOtherPath(value) && value.isWellFormed()) continue;
      throw new TypeError(`${method} ${path} needs its ${name}, not ${JSON.stringify(value)}.`);
    }
    const what = isRecord(value) || Array.isArray(value) ? 'an object' : String(value);
    throw new TypeError(`${method} ${path} needs its ${name} as a string, not ${what}.`);
  }
  for (const [name, value] of Object.entries<unknown>({ query, body })) {
    if (value === undefined || value === null || isContent(value)) continue;
    if (isRecord(value)) throw new TypeError(`${method} ${path} needs its ${name} as a plain object.`);
    const what = Array.isArray(value) ? 'a list' : `a ${typeof value}`;
    throw new TypeError(`${method} ${path} needs its ${name} as an object, not ${what}.`);
  }
}

export const dataOf = <T>({ data }: { readonly data: T }): T => data;

export type Client = ReturnType<typeof v1Client>;

/**
 * The endpoints of the service (§4). Each resolves with the `data` of the response, `listContracts` with the whole page.
 */
export function v1Client(connection: Connection) {
  const ask = asker(connection);
  return {
    ping: () => ask(ping).then(dataOf),
    config: () => ask(getConfig).then(dataOf),
    createSession: async (body: SessionCreate, options: { readonly idempotencyKey?: string } = {}) => {
      refuseWrong(options, { idempotencyKey: TEXT }, 'createSession');
      const { idempotencyKey } = options;
      const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      return ask(createSession, { body, headers }).then(dataOf);
    },
    getSession: (id: string) => ask(getCheckoutSession, { params: { id } }).then(dataOf),
    listContracts: async (
      query: { readonly status?: ContractStatus; readonly page?: number } = {},
    ): Promise<ContractPage> => {
      // The service ignores what it does not know, and refuses wrong values.
      refuseWrong(query, { status: ANY, page: ANY }, 'listContracts');
      return ask(listContracts, { query });
    },
    getContract: (reference: string) => ask(getContract, { params: { reference } }).then(dataOf),
    updateContract: (reference: string, body: ContractUpdate) =>
      ask(updateContract, { params: { reference }, body }).then(dataOf),
    cancelContract: (reference: string) => ask(cancelContract, { params: { reference } }).then(dataOf),
  };
}

/**
 * A typed client of the service (§4) for a store's own tests, for a simulator or any other address. Amounts are cents.
 * Its methods throw LayawayError for a refusal, and Error when the address does not answer or is not the service.
 * @throws Error when `baseUrl` is not an absolute http(s) URL. `/v1` at its end is allowed
 * @throws TypeError when an option is unknown, missing or not a string
 */
export function createClient(options: {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly apiKey: string;
}): Client {
  refuseWrong(options, { baseUrl: TEXT, clientId: TEXT, apiKey: TEXT }, 'createClient');
  refuseLacking(options, ['baseUrl', 'clientId', 'apiKey'], 'createClient');
  const headers = { 'x-client-id': options.clientId, 'x-api-key': options.apiKey };
  const baseUrl = canonicalUrl(options.baseUrl);
  if (baseUrl === null) {
    throw new Error(`${options.baseUrl} is not a base URL. Use a URL such as http://127.0.0.1:4747.`);
  }
  return v1Client({ send: sendTo(baseUrl), headers });
}

const sendTo =
  (baseUrl: string): Send =>
  async ({ method, path, headers, body }) => {
    for (const [name, value] of Object.entries(headers)) {
      // fetch() leaves out white space at the ends.
      if (isHeaderValue(value.trim())) continue;
      throw new TypeError(
        `The header ${name} contains a character that HTTP does not allow in headers, such as the … of a shortened key.`,
      );
    }
    const request: RequestInit = {
      method,
      headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: 'manual',
    };
    const unanswered = (error: Error) => {
      // `fetch failed`, whose cause says why; where several addresses failed, that has only a code.
      const { message, code } = (error.cause ?? error) as { readonly message: string; readonly code?: string };
      const why = message || code;
      const advice =
        why === 'bad port'
          ? 'fetch() does not connect to ports that browsers reserve for other protocols. Use another port.'
          : 'Check that the server is running and that the URL is right.';
      throw new Error(`${baseUrl} gave no response: ${why}. ${advice}`, { cause: error });
    };
    const response = await fetch(`${baseUrl}${path}`, request).catch(unanswered);
    const text = await response.text().catch(unanswered);
    // A gateway may answer with a page of its own, which is passed on as text.
    const answer = parsed(text, text);
    if (response.ok && (typeof answer !== 'object' || answer === null)) {
      throw new Error(`${baseUrl} is not the Layaway Checkout Service: its response to ${method} ${path} is not JSON.`);
    }
    return { status: response.status, headers: Object.fromEntries(response.headers), body: answer };
  };
