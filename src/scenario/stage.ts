import type { IncomingHttpHeaders } from 'node:http';
import type { ChaosOptions } from '../domain/chaos.ts';
import type { FaultMark } from '../domain/faults.ts';
import { given } from '../domain/given.ts';
import { parsed } from '../domain/json.ts';
import { decoded } from '../domain/text.ts';
import { ENDLESS, type Exchange } from '../exchange.ts';
import { type AnyInput, type Ask, asker, requestOf } from '../library/client.ts';
import type { Waiting } from '../library/wait.ts';
import { CONTROL_OPERATIONS } from '../operations/index.ts';
import type { Auth, Operation } from '../operations/operation.ts';
import { createMerchant } from '../operations/workspace.ts';
import type { Simulator, SimulatorOptions } from '../simulator-types.ts';
import { placeText } from '../yaml.ts';
import { ScenarioError } from './error.ts';
import type { ReadScenario } from './file.ts';
import { told } from './told.ts';

/** A fault that struck during a step. */
export interface Struck extends FaultMark {
  /** `POST /v1/sessions`, `contract.activated LAY-… attempt 1`. */
  readonly on: string;
}

/** What a play needs from outside this room. */
export interface Dependencies {
  readonly start: (options: SimulatorOptions) => Promise<Pick<Simulator, 'url' | 'controlToken' | 'close'>>;
  readonly exchange: Exchange;
  readonly waiting: Waiting;
}

/** Where a scenario is played: a server, and a merchant there for this scenario alone. */
export interface Stage {
  readonly url: string;
  readonly merchant: Merchant;
  readonly waiting: Waiting;
  /** Calls an operation; a refusal is an answer too. */
  call(operation: Operation, input?: AnyInput): Promise<Answer>;
  /** @throws LayawayError */
  readonly ask: Ask;
  /** Sends any request, with the credentials that its path requires. */
  send(request: Request): Promise<Answer>;
  /** The faults that struck since the last call. Always empty on a server that is not the scenario's own. */
  struck(): readonly Struck[];
  close(): Promise<void>;
}

/** As the control plane returns it on creation. */
interface Merchant {
  readonly sandbox: { readonly client_id: string; readonly api_key: string; readonly webhook_secret: string };
}

export interface Request {
  readonly method: string;
  /** From the server's root. */
  readonly path: string;
  /** Null omits a header that would be sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed if it is JSON, otherwise the text; null if it is empty. */
  readonly body: unknown;
  /** The connection ended before the answer was complete; its status is 0 then. */
  readonly isLost?: true;
}

const LOST: Answer = { status: 0, headers: {}, body: null, isLost: true };

/**
 * Whether the error, or one that it wraps, has one of these codes. In Jest, the errors of Node's own modules are not
 * instances of the global Error.
 */
function hasCode(error: unknown, codes: readonly unknown[]): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return codes.includes(code) || hasCode(cause, codes);
}

/** By Node's codes for a server that closed the connection. */
const isHangUp = (error: unknown) => hasCode(error, ['ECONNRESET', 'EPIPE']);

/** An answer that no step can read. */
export class Endless extends Error {
  constructor() {
    super(
      'The response is a stream of events, which never ends. Use the step `wait` to wait for an event, an email or a delivery.',
    );
  }
}

/** The server created no merchant for a scenario. */
export class NoMerchant extends Error {
  override readonly name = 'NoMerchant';
  readonly url: string;
  readonly status: number;
  readonly body: unknown;

  constructor(url: string, answer: Answer) {
    super(`${url} created no merchant for the scenario. ${whyNone(answer)}`);
    this.url = url;
    this.status = answer.status;
    this.body = answer.body;
  }
}

function whyNone(answer: Answer): string {
  if (answer.status === 401) return 'The control token does not match this server.';
  if (answer.status === 404 || answer.status < 400) return 'Scenarios work on a Layaway simulator only.';
  return `It returned: ${told(answer)}`;
}

const START = '2026-01-01T00:00:00Z';
const TIMEOUT_MS = 600_000;

/** A simulator in this process for this scenario alone. */
export async function ownStage(
  read: ReadScenario,
  { seed, chaos }: { readonly seed: number | string; readonly chaos?: ChaosOptions | undefined },
  { start, exchange, waiting }: Dependencies,
): Promise<Stage> {
  const { clock: frozenAt = START, rate_limit: rateLimit } = read.scenario;
  let met: Struck[] = [];
  const sim = await start({
    seed,
    clock: { frozenAt },
    ...given({ rateLimit, chaos }),
    onRequest({ fault, method, path }) {
      if (fault) met.push({ ...fault, on: `${method} ${path}` });
    },
    onDelivery({ fault, type, subject, attempt }) {
      if (fault) met.push({ ...fault, on: `${type} ${subject} attempt ${attempt}` });
    },
  });
  const struck = () => {
    const last = met;
    met = [];
    return last;
  };
  try {
    return { ...(await stageAt(read, { ...sim, exchange, waiting })), struck };
  } catch (error) {
    await sim.close();
    throw error;
  }
}

/** A server that is running already. */
export interface Server extends Omit<Dependencies, 'start'> {
  readonly url: string;
  readonly controlToken: string;
}

/** @throws ScenarioError, which ends with `advice`, when the scenario needs a simulator of its own */
export function refuseOwn({ file, scenario, placeOf }: ReadScenario, advice: string) {
  if (scenario.rate_limit === undefined) return;
  const place = placeOf(['rate_limit'], true);
  const message = `rate_limit needs a simulator of the scenario’s own. ${advice}`;
  throw new ScenarioError(`${placeText(place)} ${message}`, [{ ...place, file, message }]);
}

/** A merchant on a server that is running already. The scenario needs none of its own. */
export const stageOn = (read: ReadScenario, server: Server): Promise<Stage> =>
  stageAt(read, { ...server, close: async () => undefined });

async function stageAt(
  read: ReadScenario,
  { url, controlToken, exchange, waiting, close }: Server & Pick<Simulator, 'close'>,
): Promise<Stage> {
  const { merchant: profile = {}, clock = START } = read.scenario;
  let pair: Record<string, string> = {};
  const credentials: Readonly<Record<Auth, () => Record<string, string>>> = {
    account: () => ({ accept: 'application/json', ...pair }),
    workspace: () => ({ authorization: `Bearer ${controlToken}` }),
    none: () => ({}),
  };

  async function deliver(auth: Auth, { method, path, headers = {}, body }: Request): Promise<Answer> {
    const all: Record<string, string | null> = {
      'user-agent': 'layaway-scenario',
      ...credentials[auth](),
      ...(body !== undefined && typeof body !== 'string' ? { 'content-type': 'application/json' } : {}),
      ...lowerCased(headers),
    };
    const outgoing = {
      method,
      url: `${url}${path}`,
      headers: Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MS,
    };
    const answer = await exchange(outgoing).catch((error) => {
      // Faults strike only /v1. On other paths, the server itself has gone.
      if (isService(path) && isHangUp(error)) return null;
      if (hasCode(error, [ENDLESS])) throw new Endless();
      throw error;
    });
    if (answer === null) return LOST;
    return {
      status: answer.status,
      headers: answer.headers,
      body: answer.text === '' ? null : parsed(answer.text, answer.text),
    };
  }

  const call: Stage['call'] = (operation, input = {}) => deliver(operation.auth, requestOf(operation, input));

  const created = await call(createMerchant, { body: { ...profile, clock: { frozen_at: clock } } });
  if (created.status === 422) refuseMerchant(read, created);
  const merchant = (created.body as { data?: Merchant } | null)?.data;
  if (created.status >= 300 || !merchant?.sandbox) throw new NoMerchant(url, created);
  pair = { 'x-client-id': merchant.sandbox.client_id, 'x-api-key': merchant.sandbox.api_key };
  return {
    url,
    merchant,
    waiting,
    call,
    ask: (operation, ...input) =>
      asker({ send: (request) => deliver(operation.auth, request), headers: {} })(operation, ...input),
    send: (request) => deliver(authOf(request.path), request),
    struck: () => [],
    close,
  };
}

/** @throws ScenarioError at the places in the file that the server refuses */
function refuseMerchant({ file, placeOf }: ReadScenario, answer: Answer) {
  const { errors = {} } = answer.body as { readonly errors?: Readonly<Record<string, readonly string[]>> };
  const [first, ...others] = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => ({
      ...placeOf(['merchant', ...field.split('.')]),
      file,
      message: `merchant: ${message}`,
    })),
  );
  if (!first) return;
  const lines = [first, ...others].map((each) => `${placeText(each)} ${each.message}`);
  throw new ScenarioError(lines.join('\n'), [first, ...others]);
}

const isService = (path: string) => placeIn(path).startsWith('/v1/');

/** A path as the server's routes see it: decoded, without its query. One that cannot be decoded has no route. */
const placeIn = (path: string): string => decoded(path.split('?', 1)[0] as string);

/** The paths that require the control token: those of such operations, up to their first parameter. */
const WORKSPACE_PATHS = CONTROL_OPERATIONS.filter(({ auth }) => auth === 'workspace').map(({ path }) =>
  path.replace(/\/\{.*$/, ''),
);

/** The credentials that a path requires, even if no operation has this path. */
function authOf(path: string): Auth {
  const place = placeIn(path);
  const isIn = (folder: string) => place === folder || place.startsWith(`${folder}/`);
  if (WORKSPACE_PATHS.some(isIn)) return 'workspace';
  return ['/v1', '/_sim'].some(isIn) ? 'account' : 'none';
}

const lowerCased = (headers: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
