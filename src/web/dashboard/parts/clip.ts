import { askedFor } from '../ask.ts';
import { quoted } from './quoted.ts';

export type Call = readonly [method: string, path: string, body?: object];

const BEARER = ['-H "Authorization: Bearer $LAYAWAY_CONTROL_TOKEN"'];

/** The variable, of those that `serve` prints, with a key of that half of an account. */
export const keyOf = (clientId: string) =>
  clientId.startsWith('mch_live_') ? '$LAYAWAY_LIVE_API_KEY' : '$LAYAWAY_API_KEY';

/** By its own id: pasted where the key is another account's, a command is refused, and changes nothing there. */
const pairOf = (clientId: string) => [headerOf('X-Client-Id', clientId), `-H "X-Api-Key: ${keyOf(clientId)}"`];

/** A header as an argument of curl. */
export const headerOf = (name: string, value: string) => `-H ${quoted(`${name}: ${value}`)}`;

/** The arguments of one command, a line each. */
export const lined = (words: readonly string[]) => words.join(' \\\n  ');

/** A call of the account that is looked at, as a command to paste; secrets come from the environment. */
export function curlOf(method: string, path: string, body?: object, headers: readonly string[] = []): string {
  const isWorkspace = /^\/_sim\/(platform|snapshots|reset)\b/.test(path);
  // Otherwise curl takes brackets and braces for a list of URLs.
  const flags = /[[\]{}]/.test(path) ? '-g -X' : '-X';
  // Without the slash the path could name another host.
  const target = quoted(path.startsWith('/') ? path : `/${path}`);
  const lines = [
    `curl ${flags} ${quoted(method)} "$LAYAWAY_BASE_URL"${target}`,
    ...(isWorkspace ? BEARER : pairOf(askedFor())),
  ];
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
