import { clientIdPrefix } from '../../../domain/mode.ts';
import type { Auth, Operation } from '../../../operations/operation.ts';
import { type Asked, askedFor, type Given, pathTo } from '../ask.ts';
import { quoted } from './quoted.ts';

/** A request as it goes out, and who may make it. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly auth: Auth;
  readonly body?: object | undefined;
  readonly headers?: readonly string[];
}

/** A call of an operation. */
export function callOf<O extends Operation>(operation: O, ...[input]: Asked<O>): Call {
  const { method, auth } = operation;
  return { method, path: pathTo(operation, input), auth, body: (input as Given | undefined)?.body };
}

const BEARER = ['-H "Authorization: Bearer $LAYAWAY_CONTROL_TOKEN"'];

/** The accounts whose keys `serve` prints as variables. */
let defaults: readonly string[] = [];
export function nameDefaults(clientIds: readonly string[]) {
  defaults = clientIds;
}

/**
 * The variable with a key of an account: for the default ones, of those that `serve` prints; for others, a name that
 * says which key is missing.
 */
export function keyOf(clientId: string): string {
  if (!defaults.includes(clientId)) return `$API_KEY_OF_${clientId}`;
  return clientId.startsWith(clientIdPrefix('live')) ? '$LAYAWAY_LIVE_API_KEY' : '$LAYAWAY_API_KEY';
}

/** Where commands of the package are sent without a flag. */
const DEFAULT_ORIGINS = ['http://127.0.0.1:4747', 'http://localhost:4747'];

/** Commands of the package, one a line, as they work outside of a project too and for the account that is shown. */
export function commandsOf(text: string): string {
  const clientId = askedFor();
  const isDefault = defaults[0] === clientId;
  const base = isDefault && DEFAULT_ORIGINS.includes(location.origin) ? '' : ` --base-url ${quoted(location.origin)}`;
  const pair = isDefault ? '' : ` --client-id ${quoted(clientId)} --api-key "${keyOf(clientId)}"`;
  return text
    .replaceAll(/^layaway (?!snapshots|reset|dashboard).*/gm, (line) => `npx ${line}${base}${pair}`)
    .replaceAll(/^layaway /gm, 'npx layaway ');
}

/** By its own id: pasted where the key is another account's, a command is refused, and changes nothing there. */
const pairOf = (clientId: string) => [headerOf('X-Client-Id', clientId), `-H "X-Api-Key: ${keyOf(clientId)}"`];

const identityOf = (auth: Auth) => {
  if (auth === 'workspace') return BEARER;
  return auth === 'account' ? pairOf(askedFor()) : [];
};

/** A header as an argument of curl. */
export const headerOf = (name: string, value: string) => `-H ${quoted(`${name}: ${value}`)}`;

/** The arguments of one command, a line each. */
export const lined = (words: readonly string[]) => words.join(' \\\n  ');

/** A call for the account that is shown, as a command to paste; secrets come from the environment. */
export function curlOf({ method, path, auth, body, headers = [] }: Call): string {
  // Otherwise curl takes brackets and braces for a list of URLs.
  const flags = /[[\]{}]/.test(path) ? '-g -X' : '-X';
  // Without the slash the path could name another host.
  const target = quoted(`${location.origin}${path.startsWith('/') ? path : `/${path}`}`);
  const lines = [`curl ${flags} ${quoted(method)} ${target}`, ...identityOf(auth)];
  if (body !== undefined) lines.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body))}`);
  return lined([...lines, ...headers]);
}

/** How steps of a scenario name the session and the contract that earlier steps saved. */
export const ORDER = `$\{order.id}`;
export const PLAN = `$\{plan.reference}`;

/** A step of a scenario file; its outcome is saved `as` a name that later steps use. */
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

/** A word that YAML takes for nothing but a text. */
const isPlain = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z_]+$/.test(value) && !['true', 'false', 'null'].includes(value);
