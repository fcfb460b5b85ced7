import { isLoopbackHost } from '../../../../domain/host.ts';
import { clientIdPrefix } from '../../../../domain/mode.ts';
import type { Auth, Operation } from '../../../../operations/operation.ts';
import { type Asked, askedFor, type Given, pathTo } from '../../ask.ts';
import { quoted, variable } from './quoted.ts';

/** A request, and how it is authenticated. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly auth: Auth;
  /** A string is sent as it is. */
  readonly body?: object | string | undefined;
  /** The type of the body. @default JSON */
  readonly type?: string;
  readonly headers?: readonly string[];
}

export function callOf<O extends Operation>(operation: O, ...[input]: Asked<O>): Call {
  const { method, auth } = operation;
  return { method, path: pathTo(operation, input), auth, body: (input as Given | undefined)?.body };
}

const BEARER = ['-H "Authorization: Bearer $LAYAWAY_CONTROL_TOKEN"'];

/** The accounts whose keys `serve` prints as environment variables, sandbox first. */
let defaults: readonly string[] = [];
export function nameDefaults(clientIds: readonly string[]) {
  defaults = clientIds;
}

/**
 * The environment variable with the key of an account. Only default accounts have one; the name for any other account
 * shows whose key has to be filled in.
 */
export function keyOf(clientId: string): string {
  if (!defaults.includes(clientId)) return variable(`API_KEY_OF_${clientId}`);
  return isLive(clientId) ? '$LAYAWAY_LIVE_API_KEY' : '$LAYAWAY_API_KEY';
}

const isLive = (clientId: string) => clientId.startsWith(clientIdPrefix('live'));

/** Where the command line connects without `--base-url`. */
const DEFAULT_ORIGINS = ['http://127.0.0.1:4747', 'http://localhost:4747'];

/**
 * Completes `layaway` commands, one per line, so that they work in any folder and for the account shown. A live key leaves
 * this machine only with --live.
 */
export function commandsOf(text: string): string {
  const clientId = askedFor();
  const isDefault = defaults[0] === clientId;
  return text.replaceAll(/^layaway .*/gm, (line) => {
    const isOfAccount = !/^layaway (snapshots|reset)\b/.test(line);
    const isShort = isOfAccount && isDefault && DEFAULT_ORIGINS.includes(location.origin);
    const base = isShort ? '' : ` --base-url ${quoted(location.origin)}`;
    const pair = isDefault || !isOfAccount ? '' : ` --client-id ${quoted(clientId)} --api-key "${keyOf(clientId)}"`;
    const live = isOfAccount && isLive(clientId) && !isLoopbackHost(location.hostname) ? ' --live' : '';
    return `npx ${line}${base}${pair}${live}`;
  });
}

/** Names the client id too, so that a command with another account's key is refused and changes nothing. */
const pairOf = (clientId: string) => [headerOf('X-Client-Id', clientId), `-H "X-Api-Key: ${keyOf(clientId)}"`];

const identityOf = (auth: Auth) => {
  if (auth === 'workspace') return BEARER;
  return auth === 'account' ? pairOf(askedFor()) : [];
};

export const headerOf = (name: string, value: string) => `-H ${quoted(`${name}: ${value}`)}`;

/** One command, with each argument on its own line. */
export const lined = (words: readonly string[]) => words.join(' \\\n  ');

/** A call for the account shown, as a curl command. It takes secrets from the environment. */
export function curlOf({ method, path, auth, body, type, headers = [] }: Call): string {
  // Without -g, curl expands brackets and braces to a list of URLs.
  const globbing = /[[\]{}]/.test(path) ? ['-g'] : [];
  // Without --path-as-is, curl resolves segments of dots.
  const dots = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(path) ? ['--path-as-is'] : [];
  // With -X HEAD, curl waits for a body that never comes.
  const verb = method === 'HEAD' ? ['--head'] : ['-X', quoted(method)];
  // Without the slash, the path could change the host.
  const target = quoted(`${location.origin}${path.startsWith('/') ? path : `/${path}`}`);
  const lines = [['curl', ...globbing, ...dots, ...verb, target].join(' '), ...identityOf(auth)];
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const typed = type === undefined ? '-H "Content-Type: application/json"' : headerOf('Content-Type', type);
  // After -d, an @ would name a file to send.
  if (text !== undefined) lines.push(typed, `${text.startsWith('@') ? '--data-raw' : '-d'} ${quoted(text)}`);
  return lined([...lines, ...headers]);
}

/** References in a scenario to the session and the contract that earlier steps saved. */
export const ORDER = `$\{order.id}`;
export const PLAN = `$\{plan.reference}`;

/** A step of a scenario file. Later steps refer to its result by the name in `as`. */
export function stepOf(verb: string, input: object, as?: string): string {
  const step = `- ${verb}: ${flow(input)}`;
  return as === undefined ? step : `${step}\n  as: ${as}`;
}

/** YAML on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return isPlain(value) ? value : JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${flow(name)}: ${flow(each)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** Whether YAML reads the unquoted word as a string. */
const isPlain = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z_]+$/.test(value) && !['true', 'false', 'null'].includes(value);
