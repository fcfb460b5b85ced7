import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { codeOf } from '../../domain/error-code.ts';
import { isRecord, parsed } from '../../domain/json.ts';
import type { AnyInput } from '../../library/client.ts';
import { getClock } from '../../operations/clock.ts';
import {
  addressOf,
  type Answer as BodyOf,
  type Body as ContentOf,
  isOtherPath,
  type Operation,
  type Params,
  type Query,
} from '../../operations/operation.ts';
import { OF_TOOL } from '../../operations/tool-header.ts';
import { CommandError, EXIT, Refused, Unreachable, unreachable, usage } from '../exit.ts';
import { withProgress } from '../terminal/progress.ts';
import { type Address, type AddressFlags, guardLiveKey, overruledLine, passedOverLine } from './address.ts';
import { SERVICE_DOCUMENT, successOf, type Target } from './answer.ts';
import { isOfControlPlane } from './control-plane.ts';
import { askHealth, isSimulator } from './health.ts';
import { knownAddress } from './known-address.ts';
import { recordOf } from './nearest-server.ts';
import { missingToken, refusalOf } from './refusal.ts';
import { adviceIfSuspended, unlessSilent } from './silence.ts';
import { BASE_URL, exchange, gatewayFault, open, otherKind, TIMEOUT_MS, textOf } from './transport.ts';

/** A response: its body as it was sent and as parsed. */
export interface Answer<Data = unknown, Body extends Enveloped<Data> = Enveloped<Data>> {
  /** The body as received. */
  readonly text: string;
  readonly body: Body;
  readonly headers: IncomingHttpHeaders;
}
interface Enveloped<Data> {
  readonly data: Data;
}

/** A 204 has no body; commands print `{"data":null}`. */
type Parsed<O extends Operation> = BodyOf<O> extends Enveloped<unknown> ? BodyOf<O> : Enveloped<null>;
export type AnswerOf<O extends Operation> = Answer<Parsed<O>['data'], Parsed<O>>;

/** A flag that was not given is undefined, and is not sent. */
type Sparse<T> = { readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };
interface Content<O extends Operation> {
  readonly query?: Sparse<Query<O>>;
  readonly body?: ContentOf<O> extends object ? Sparse<ContentOf<O>> : undefined;
  readonly headers?: Readonly<Record<string, string>>;
}
/** What a call of an operation takes. */
export type Input<O extends Operation> = keyof Params<O> extends never
  ? [input?: Content<O>]
  : [input: Content<O> & { readonly params: Params<O> }];

export type Client = ReturnType<typeof createClient>;

/** An advance may process years of many contracts before it answers. */
const LEVER_TIMEOUT_MS = 600_000;
/** After about this time, a stream whose connection was lost silently ends. */
const KEEP_ALIVE_MS = 15_000;

/** Calls the service at the resolved address, as the resolved account or with the control token. */
export function createClient(
  flags: AddressFlags,
  debug: (text: string) => void,
  note: (text: string) => void,
  env = process.env,
) {
  const known = knownAddress(flags, debug, note, env);
  const { address } = known;
  let answered = false;

  async function send(target: Target, call: AnyInput) {
    const { url, path, headers } = await prepare(target, call);
    const resolved = await address();
    const isSlow = isOfControlPlane(target);
    const work = exchange({
      method: target.method,
      url,
      headers: call.body ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(call.body ? { body: JSON.stringify(call.body) } : {}),
      timeoutMs: isSlow ? LEVER_TIMEOUT_MS : TIMEOUT_MS,
    });
    const incoming = await withProgress(
      'Working',
      isSlow ? unlessSilent(work, () => askHealth(resolved.baseUrl, TIMEOUT_MS)) : work,
    );
    answered = true;
    return successOf(target, path, incoming, resolved);
  }

  const call = async <O extends Operation>(operation: O, ...[input = {}]: Input<O>): Promise<AnswerOf<O>> =>
    (await send(operation, input)) as AnswerOf<O>;

  /**
   * Calls as the account. If its key is refused and a control token is known, calls with the token and the client id,
   * so that a user who has revoked or lost a key can create another.
   */
  async function callOrToken<O extends Operation>(operation: O, ...[input = {}]: Input<O>): Promise<AnswerOf<O>> {
    try {
      return (await send(operation, input)) as AnswerOf<O>;
    } catch (error) {
      const { controlToken, clientId } = await address();
      if (!(error instanceof Refused) || error.status !== 401 || controlToken === null) throw error;
      const headers = { 'x-client-id': clientId };
      return (await send({ ...operation, auth: 'workspace' }, { ...input, headers })) as AnswerOf<O>;
    }
  }

  /** The URL, and the headers with the identity that the operation asks for. */
  async function prepare(target: Target, { params = {}, query, headers = {} }: AnyInput) {
    for (const value of Object.values(params)) checkId(value);
    const resolved = await address();
    const { baseUrl, controlToken } = resolved;
    if (target.auth === 'workspace' && controlToken === null) throw await missingToken(resolved);
    return {
      url: `${baseUrl}${addressOf(target, params, query)}`,
      path: addressOf(target, params),
      headers: { accept: 'application/json', ...TOOL, ...identity(target, resolved), ...headers },
    };
  }

  function identity({ auth }: Target, resolved: Address): Record<string, string> {
    const { clientId, apiKey, controlToken } = resolved;
    if (auth === 'none') return {};
    if (auth === 'workspace') return { authorization: `Bearer ${controlToken}` };
    guardLiveKey(resolved, flags);
    return { 'x-client-id': clientId, 'x-api-key': apiKey };
  }

  return {
    ...known,
    call,
    callOrToken,

    /** The OpenAPI document of the service, to the byte. */
    document: async (): Promise<string> => (await send(SERVICE_DOCUMENT, {})).text,

    /**
     * Explains an error. If nothing answers, the server of this folder may have been meant, unless another flag names the
     * silent one. A TypeError means an answer of an unexpected form: from a simulator it is our own fault, otherwise the
     * server is not the service.
     */
    async explain(error: unknown): Promise<unknown> {
      if (error instanceof Unreachable) {
        if (error.flag !== undefined && error.flag !== BASE_URL) return error;
        const found = await address();
        const hints = [suspendedLine(found, error), passedOverLine(found), overruledLine(found)].filter(
          (hint) => hint !== null,
        );
        return hints.length === 0 ? error : unreachable([error.message, ...hints].join(' '), error);
      }
      if (!answered || !(error instanceof TypeError)) return error;
      const { baseUrl } = await address();
      if (await isSimulator(baseUrl, TIMEOUT_MS)) return error;
      return otherKind(baseUrl, 'its response is not one that the service sends', error);
    },

    /** Opens a response that does not end by itself. Its body is read as it arrives. */
    async stream<O extends Operation>(operation: O, ...[input = {}]: Input<O>): Promise<IncomingMessage> {
      const { url, path, headers } = await prepare(operation, input);
      const response = await open({
        method: operation.method,
        url,
        headers: { ...headers, accept: 'text/event-stream' },
        timeoutMs: 0,
      });
      const status = response.statusCode ?? 0;
      if (status === 200 && response.headers['content-type']?.startsWith('text/event-stream')) {
        response.socket.setKeepAlive(true, KEEP_ALIVE_MS);
        return response;
      }
      const text = await textOf(response, { url, timeoutMs: 0 });
      const body = parsed(text, null);
      if (status >= 400 && isRecord(body))
        throw await refusalOf(operation, { status, text, body, headers: response.headers }, await address());
      const { baseUrl } = await address();
      const gateway = gatewayFault(status, { baseUrl, asked: `${operation.method} ${path}` });
      throw gateway ?? otherKind(url, `it does not stream events at ${path}`);
    },

    /** The time of the account's clock, for "in 13 days". The service itself has no such clock: its own time. */
    async now(answer: Answer): Promise<number> {
      try {
        return Date.parse((await call(getClock)).body.data.now);
      } catch (error) {
        if (!(error instanceof CommandError) || error.code === EXIT.usage) throw error;
        return Date.parse(String(answer.headers.date));
      }
    },
  };
}

/** Marks requests of commands, because coverage counts only those of the store (interface §9). */
const TOOL = { 'user-agent': 'layaway-cli', ...OF_TOOL };

/** What may help if the server of this folder accepts connections and answers nothing; null for any other. */
function suspendedLine({ baseUrl }: Address, { cause }: CommandError): string | null {
  const record = codeOf(cause) === 'ETIMEDOUT' ? recordOf(baseUrl) : null;
  return record && adviceIfSuspended(record.pid);
}

/** @throws CommandError when the value, as a part of a path, would make it another path */
function checkId(value: string): void {
  if (isOtherPath(value)) throw usage(`"${value}" is not an id.`);
  if (!value.isWellFormed()) throw usage('The id is not valid Unicode.');
}
