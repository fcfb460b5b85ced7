import { SETTING_NAMES } from '../domain/assumptions.ts';
import type { Account } from '../domain/merchant.ts';
import type { Mode } from '../domain/mode.ts';
import { CONTROL_OPERATIONS } from '../operations/index.ts';
import { SENT_METHODS } from '../operations/operation.ts';
import { ANY, type Form, isHeaders, isText, refuseLacking, refuseWrong, TEXT, TEXTS } from '../options.ts';
import type { InjectedRequest, InjectedResponse, Simulator } from '../simulator-types.ts';
import type { TraceFailure } from '../trace/file.ts';
import type { Workspace } from '../workspace.ts';
import type { Send } from './client.ts';
import { type Credentials, issued, type MerchantOptions, shopsOf, workspaceLevers } from './shops.ts';
import type { Waiting } from './wait.ts';

/** What the handle needs from a running simulator. */
export interface Running extends Pick<Simulator, 'url' | 'listening' | 'controlToken' | 'notes' | 'close'> {
  readonly workspace: Pick<
    Workspace,
    'receivers' | 'clock' | 'endpoints' | 'drawnMerchants' | 'generation' | 'lastRestored'
  >;
  /** Answers a request that does not cross the network. */
  answer(request: InjectedRequest): Promise<InjectedResponse>;
  dashboardLink(): string;
  findAccount(clientId: string): Account | null;
  /** Draws the credentials that are the same on every machine. */
  readonly draw: { clientId(mode: Mode, n: number): string; firstKey(mode: Mode, n: number): string };
  readonly waiting: Waiting;
}

/** The `Simulator` that a test holds: the server, its merchants and every lever. */
export function createHandle(running: Running): Simulator {
  const { url, listening, controlToken, notes, close } = running;
  const { host } = new URL(url);

  const inject = ({ headers, ...request }: InjectedRequest) =>
    running.answer({ ...request, headers: { host, ...headers } }).catch(unanswered);
  const send: Send = async ({ method, path, headers, body }) => {
    const answer = await inject({ method, url: path, headers, ...(body ? { payload: body } : {}) });
    const { statusCode: status, headers: answered } = answer;
    return { status, headers: answered, body: answer.body === '' ? null : answer.json() };
  };
  const { generation: count, lastRestored } = running.workspace;
  const replacementsOf = (clientId: string) => ({ count, lastEvent: () => lastRestored(clientId) });
  const shops = shopsOf({ url, controlToken, send, waiting: running.waiting, replacementsOf });
  const { create, ...levers } = workspaceLevers({ send, headers: { authorization: `Bearer ${controlToken}` } });

  /** Null when the state directory does not hold that account. */
  function credentialsOf(clientId: string, apiKey: string): Credentials | null {
    const account = running.findAccount(clientId);
    return account && { account, apiKey };
  }

  /** The n-th merchant, if its credentials were drawn. */
  function drawn(n: number) {
    const { clientId, firstKey } = running.draw;
    const sandbox = credentialsOf(clientId('sandbox', n), firstKey('sandbox', n));
    const live = credentialsOf(clientId('live', n), firstKey('live', n));
    return sandbox && live ? [shops(sandbox, live)] : [];
  }

  const [defaultShop, ...merchants] = Array.from({ length: running.workspace.drawnMerchants }, (_, index) =>
    drawn(index + 1),
  ).flat();
  if (!defaultShop) throw new Error('The state has no default merchant.');

  return {
    url,
    listening,
    controlToken,
    get dashboardUrl() {
      return running.dashboardLink();
    },
    default: defaultShop,
    merchants,
    webhooks: running.workspace.receivers(),
    startClock: running.workspace.clock(),
    endpoints: running.workspace.endpoints(),
    notes,
    ...levers,
    async trace(failure = null) {
      if (failure === null) return levers.trace();
      refuseWrong(failure, FAILURE, 'trace');
      refuseLacking(failure, ['what', 'exit_code', 'messages'], 'trace');
      return levers.trace(withoutToken(failure, controlToken));
    },
    async merchant(options: MerchantOptions = {}) {
      refuseWrong(options, MERCHANT, 'merchant');
      if (options.clock) refuseWrong(options.clock, { frozenAt: TEXT }, 'clock');
      const { sandbox, live } = await create(options);
      return shops(issued(sandbox), issued(live));
    },
    async inject(request) {
      refuseWrong(request, INJECTED, 'inject');
      const { url: path, method = 'GET' } = request;
      if (!path) throw new TypeError('inject needs a url, such as /v1/ping.');
      if (method.toUpperCase() === 'GET' && isStream(path)) {
        throw new TypeError(
          `GET ${path} is a stream of events, which never ends, and inject waits for the whole response. Use fetch() with the URL of the simulator, or shop.events.tail().`,
        );
      }
      return inject(request);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The server checks the values. */
const MERCHANT: Readonly<Record<string, Form>> = Object.fromEntries(
  ['clock', ...SETTING_NAMES].map((name) => [name, ANY]),
);

const FAILURE: Readonly<Record<keyof TraceFailure, Form>> = {
  what: TEXT,
  exit_code: { what: 'a whole number or null', is: (value) => value === null || Number.isSafeInteger(value) },
  messages: TEXTS,
  client_id: TEXT,
};

const INJECTED: Readonly<Record<keyof InjectedRequest, Form>> = {
  method: {
    what: `one of ${SENT_METHODS.join(', ')}`,
    is: (value) => isText(value) && SENT_METHODS.some((method) => method === value.toUpperCase()),
  },
  url: TEXT,
  headers: { what: 'an object of names and values, such as shop.headers', is: isHeaders },
  payload: ANY,
  remoteAddress: TEXT,
};

const STREAMS = CONTROL_OPERATIONS.filter(
  ({ success }) => 'type' in success && success.type === 'text/event-stream',
).map(({ path }) => new RegExp(`^(?:https?://[^/]+)?${path.replace(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`));
const isStream = (path: string) => STREAMS.some((stream) => stream.test(path));

/** What failed may quote the token, such as a header that a test has compared. */
const withoutToken = ({ what, messages, ...failure }: TraceFailure, token: string): TraceFailure => {
  const [clean = '', ...others] = [what, ...messages].map((text) => text.replaceAll(token, '…'));
  return { ...failure, what: clean, messages: others };
};

/** A connection that a fault closes fails as it would on a network. */
function unanswered(error: Error & { code?: string }): never {
  if (error.code === 'FST_ERR_REOPENED_CLOSE_SERVER') throw new Error('The simulator is closed.');
  if (error.code !== 'LIGHT_ECONNRESET') throw error;
  throw Object.assign(new Error('The connection was closed before the response was complete.'), { code: 'ECONNRESET' });
}
