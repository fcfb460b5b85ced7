import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type Address,
  type AddressFlags,
  addressLine,
  guardLiveKey,
  passedOverLine,
  resolveAddress,
} from './address.ts';
import { CommandError, EXIT, Refused, unreachable, usage } from './exit.ts';
import { counted } from './format.ts';
import { harmless } from './harmless.ts';
import { isSimulator } from './health.ts';
import { withProgress } from './progress.ts';
import { exchange, open, otherKind } from './transport.ts';

/** An answer as it came and as it reads. */
export interface Answer<Data = unknown> {
  /** The body, to the byte. */
  readonly text: string;
  readonly body: { readonly data: Data };
  readonly headers: IncomingHttpHeaders;
}

export interface Call {
  readonly body?: object;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Client = ReturnType<typeof createClient>;

const PATIENCE_MS = 30_000;
/** Years of many contracts may be done before an advance answers. */
const LEVER_PATIENCE_MS = 600_000;

/** Speaks to the service at the resolved address, as the resolved merchant or with the control token. */
export function createClient(flags: AddressFlags, debug: (text: string) => void) {
  let resolving: Promise<Address> | undefined;
  const address = () => {
    resolving ??= resolveAddress(flags).then((found) => {
      debug(`Using ${addressLine(found)}.`);
      return found;
    });
    return resolving;
  };

  let answered = false;

  async function send<Data>(method: string, path: string, call: Call = {}): Promise<Answer<Data>> {
    const { url, headers } = await prepare(path, call);
    const incoming = await withProgress(
      'Working',
      exchange({
        method,
        url,
        headers: call.body ? { ...headers, 'content-type': 'application/json' } : headers,
        ...(call.body ? { body: JSON.stringify(call.body) } : {}),
        patienceMs: path.startsWith('/_sim') ? LEVER_PATIENCE_MS : PATIENCE_MS,
      }),
    );
    answered = true;
    const { origin } = new URL(url);
    if (incoming.status >= 300 && incoming.status < 400) {
      throw otherKind(origin, `it redirects to ${incoming.headers.location ?? 'another place'}`);
    }
    if (incoming.status === 204)
      return { text: '{"data":null}', body: { data: null as Data }, headers: incoming.headers };
    const body = parse(incoming.text);
    if (!isObject(body)) {
      throw otherKind(
        origin,
        `its answer to ${method} ${path} is not JSON (${incoming.status} ${incoming.headers['content-type'] ?? 'without a type'})`,
      );
    }
    if (incoming.status >= 400) throw await refusal(path, incoming.status, incoming.text, body, incoming.headers);
    if (!path.startsWith('/openapi') && !('data' in body)) {
      throw otherKind(origin, `its answer to ${method} ${path} holds no data`);
    }
    return { text: incoming.text, body: body as { data: Data }, headers: incoming.headers };
  }

  /** The URL and the headers that authenticate. */
  async function prepare(path: string, { query = {}, headers = {} }: Call) {
    const resolved = await address();
    const { baseUrl, clientId, apiKey, controlToken } = resolved;
    const isLever = isWorkspaceLever(path);
    if (!isLever) guardLiveKey(resolved, flags);
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
    const identity = isLever
      ? { authorization: `Bearer ${controlToken ?? missingToken(resolved)}` }
      : { 'x-client-id': clientId, 'x-api-key': apiKey };
    return {
      url: `${baseUrl}${path}${search}`,
      headers: { accept: 'application/json', 'user-agent': 'layaway-cli', ...identity, ...headers },
    };
  }

  async function refusal(path: string, status: number, text: string, body: object, headers: IncomingHttpHeaders) {
    const resolved = await address();
    const { baseUrl, from } = resolved;
    const said = sentences(body);
    if (status === 404 && path.startsWith('/_sim') && !(await isSimulator(baseUrl))) {
      const hint = `The server at ${baseUrl} has no control plane: this command works on a simulator only, not on the service itself.`;
      return new Refused(status, text, '', { hint });
    }
    if (said === null) throw otherKind(new URL(baseUrl).origin, `its refusal (${status}) says nothing`);
    const seconds = headers['retry-after'];
    const who = isWorkspaceLever(path)
      ? `The control token is not the one of the server at ${baseUrl}.`
      : `The key came from ${from.apiKey}, for the server at ${baseUrl}.`;
    const hints: Readonly<Record<number, string | undefined>> = {
      401: [who, passedOverLine(resolved)].filter(Boolean).join(' '),
      429: seconds && `Try again in ${counted(Number(seconds), 'second')}.`,
    };
    return new Refused(status, text, said, { hint: hints[status] });
  }

  return {
    address,

    /**
     * An answer that cannot be read is a stranger's, unless a simulator gave it: then the fault is ours. Where nobody
     * answers, the server that was meant may be that of this folder.
     */
    async explain(error: unknown): Promise<unknown> {
      if (error instanceof CommandError && error.code === EXIT.unreachable) {
        const hint = passedOverLine(await address());
        return hint === null ? error : unreachable(`${error.message} ${hint}`, error);
      }
      if (!answered || !(error instanceof TypeError)) return error;
      const { baseUrl } = await address();
      if (await isSimulator(baseUrl)) return error;
      return otherKind(new URL(baseUrl).origin, 'what it answers is not what the service would', error);
    },

    get: <Data>(path: string, call?: Call) => send<Data>('GET', path, call),
    post: <Data>(path: string, call?: Call) => send<Data>('POST', path, call),
    put: <Data>(path: string, call?: Call) => send<Data>('PUT', path, call),
    patch: <Data>(path: string, call?: Call) => send<Data>('PATCH', path, call),
    delete: <Data>(path: string, call?: Call) => send<Data>('DELETE', path, call),

    /** An answer that does not end by itself: what follows its head is read as it comes. */
    async stream(path: string, call: Call = {}): Promise<IncomingMessage> {
      const { url, headers } = await prepare(path, call);
      const response = await open({
        method: 'GET',
        url,
        headers: { ...headers, accept: 'text/event-stream' },
        patienceMs: 0,
      });
      const status = response.statusCode ?? 0;
      if (status === 200 && response.headers['content-type']?.startsWith('text/event-stream')) return response;
      const text = Buffer.concat(await response.toArray()).toString('utf8');
      const body = parse(text);
      if (status >= 400 && isObject(body)) throw await refusal(path, status, text, body, response.headers);
      throw otherKind(new URL(url).origin, `it has no stream of events at ${path}`);
    },

    /** The account's clock, for "in 13 days"; where there is none, the service's own time. */
    async now(answer: Answer): Promise<number> {
      try {
        const { body } = await send<{ now: string }>('GET', '/_sim/clock');
        return Date.parse(body.data.now);
      } catch (error) {
        if (!(error instanceof CommandError) || error.code === EXIT.usage) throw error;
        return Date.parse(String(answer.headers.date));
      }
    },
  };
}

/** The levers that take the control token (interface §3). */
const isWorkspaceLever = (path: string) =>
  /^\/_sim\/(merchants|platform|snapshots|reset|dashboard-links)(\/|$)/.test(path);

function missingToken({ baseUrl }: Address): never {
  throw usage(
    `This command needs the control token of ${baseUrl}. Run it where \`layaway serve\` was started, or give --control-token, or LAYAWAY_BASE_URL and LAYAWAY_CONTROL_TOKEN together: \`layaway serve\` prints it.`,
  );
}

/** The message of an error body, and each field's own messages (§2.9); null when the service would not speak so. */
function sentences(body: { message?: unknown; errors?: unknown; reason?: unknown }): string | null {
  const { message, errors, reason } = body;
  if (typeof message !== 'string' || message === '') return null;
  const fields = Object.entries(isObject(errors) ? errors : {}).flatMap(([field, messages]) =>
    [messages].flat().map((each) => ({ field, message: String(each) })),
  );
  const isSaid = fields.length === 1 && fields[0]?.message === message;
  return [
    message,
    ...(isSaid ? [] : fields.map(({ field, message }) => `  ${field}: ${message}`)),
    ...(typeof reason === 'string' ? [`  reason: ${reason}`] : []),
  ]
    .map(harmless)
    .join('\n');
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * A value of the user as one step of a path.
 * @throws CommandError when it would be another path
 */
export function step(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw usage(`"${value}" is no id.`);
  if (!value.isWellFormed()) throw usage('An id cannot hold half a character.');
  return encodeURIComponent(value);
}
