import { canonicalUrl } from '../../base-url.ts';
import { isRecord, parsed } from '../../domain/json.ts';
import { askedSeconds } from '../../domain/webhook.ts';
import type { Incoming } from '../../exchange.ts';
import { suggestion } from '../../nearest.ts';
import { OF_TOOL } from '../../operations/tool-header.ts';
import { failure, Refused, usage } from '../exit.ts';
import { pastedArgument } from '../input/shell-quoted.ts';
import { asked } from '../terminal/prompt.ts';
import { rest } from '../wait.ts';
import { type Address, DEFAULT_PAIR, isLive, parseBaseUrl, resolveAddress } from './address.ts';
import { readProfiles } from './profiles.ts';
import { exchange, gatewayFault, otherKind, redirection, TIMEOUT_MS } from './transport.ts';
import { isLoopback } from './url.ts';

/** A second server beside the one that commands use, with a sandbox pair for it. */
export interface SecondServer {
  /** The flag that names it, for advice. */
  readonly flag: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly apiKey: string;
}

/**
 * The server that `flag` names, or the person at the terminal.
 * @throws CommandError as `secondServerOf` does
 */
export async function askedSecondServer(flag: string, named: string | undefined): Promise<SecondServer> {
  const missing = `Missing ${flag}: the name of a profile, or a URL.`;
  const check = (text: string) => secondServerOf(flag, text);
  return secondServerOf(
    flag,
    await asked(named || undefined, missing, { message: 'Profile or URL of the service', check }),
  );
}

/**
 * The server that `flag` names by a profile or a URL. A pair belongs to its URL (interface §6): for a URL, it is the
 * one in a profile with that URL, a sandbox pair if there is one, otherwise the one that any other command would use
 * there.
 * @throws CommandError when the server is unknown, no pair is known for it, or the key is a live one
 */
async function secondServerOf(flag: string, named: string): Promise<SecondServer> {
  const { address, profile } = await addressOf(flag, named);
  if (isLive(address.apiKey)) {
    const which = profile === undefined ? `from ${address.from.apiKey}` : `of the profile ${profile}`;
    throw usage(`${flag}: the API key ${which} is a live key. Use a sandbox pair (sk_test_…).`);
  }
  if (address.from.apiKey === DEFAULT_PAIR && !isLoopback(address.baseUrl)) throw noPair(flag, address.baseUrl);
  const { baseUrl, clientId, apiKey } = address;
  return { flag, baseUrl, clientId, apiKey };
}

/** With the profile that it was read from, if any. */
async function addressOf(flag: string, named: string): Promise<{ address: Address; profile: string | undefined }> {
  const profiles = readProfiles();
  const profile = profiles.get(named);
  if (profile) {
    if (!profile['base-url']) throw usage(`${flag}: the profile ${named} has no base-url. ${howToStore(named)}`);
    return { address: await resolveAddress({ profile: named }, {}), profile: named };
  }
  if (!/^https?:\/\//i.test(named)) {
    throw usage(`${flag}: there is no profile named ${named}. ${suggestion(named, profiles.names)} A URL works too.`);
  }
  const baseUrl = parseBaseUrl(named, flag);
  const owners = profiles.names.filter((name) => {
    const { 'base-url': url, 'api-key': key } = profiles.get(name) ?? {};
    return key !== undefined && url !== undefined && canonicalUrl(url) === baseUrl;
  });
  // One host serves both modes (§1), so another profile may hold a live key for it.
  const owner = owners.find((name) => !isLive(profiles.get(name)?.['api-key'] ?? '')) ?? owners[0];
  const address = await (owner === undefined ? resolveAddress({ baseUrl }) : resolveAddress({ profile: owner }, {}));
  return { address, profile: owner };
}

const noPair = (flag: string, baseUrl: string) =>
  usage(`${flag}: no API key is known for ${baseUrl}. ${howToStore('real')} Then use ${flag} real.`);

const howToStore = (name: string) =>
  `Store the service in a profile: \`layaway config use ${pastedArgument(name)}\`, then \`layaway config set base-url …\`, \`client-id …\` and \`api-key …\`.`;

/** A request to a server that is reached with a pair of its own. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

const WAIT_MAX_MS = 60_000;

/**
 * Sends a request. If the server limits requests, waits as long as it asks for and tries again.
 * @throws CommandError when there is no answer, a gateway answers for the server, or the wait is longer than a minute
 */
export async function send(
  { baseUrl, flag }: SecondServer,
  { method, path, headers, body }: Asked,
  note: (text: string) => void,
): Promise<Incoming> {
  for (let waitedMs = 0; ; ) {
    const outgoing = {
      method,
      url: `${baseUrl}${path}`,
      headers: { accept: 'application/json', 'user-agent': 'layaway-cli', ...OF_TOOL, ...headers },
      ...(body === undefined ? {} : { body }),
      timeoutMs: TIMEOUT_MS,
    };
    const answer = await exchange(outgoing, flag);
    const isPage = answer.status >= 502 && refusalOf(parsed(answer.text, null)) === null;
    const gone = isPage ? gatewayFault(answer.status, { baseUrl, asked: `${method} ${path}` }, flag) : null;
    if (gone) throw gone;
    if (answer.status !== 429) return answer;
    // Without a usable number, and for 0, a second keeps this from a storm.
    const waitMs = Math.max(1, askedSeconds(answer.headers) ?? 1) * 1000;
    waitedMs += waitMs;
    if (!(waitedMs <= WAIT_MAX_MS)) {
      const hint = `${baseUrl} limits requests for more than a minute. Try again later.`;
      throw refusalOf(parsed(answer.text, null)) === null
        ? failure(hint)
        : new Refused(answer.status, answer.text, '', { hint });
    }
    note(`${baseUrl} limits requests: waiting ${waitMs / 1000} s.`);
    await rest(waitMs);
  }
}

export const pairHeaders = ({ clientId, apiKey }: SecondServer) => ({ 'x-client-id': clientId, 'x-api-key': apiKey });

/**
 * Reads the `data` at a path of the service.
 * @throws CommandError when the server refuses, or is not the service
 */
export async function read(server: SecondServer, path: string, note: (text: string) => void): Promise<unknown> {
  const answer = await send(server, { method: 'GET', path, headers: pairHeaders(server) }, note);
  const { status, text } = answer;
  const redirected = redirection(answer);
  if (redirected !== null) throw notTheService(server, redirected);
  const body = parsed(text, null);
  if (status === 200 && isRecord(body) && typeof body.data === 'object' && body.data !== null) return body.data;
  const refusal = refusalOf(body);
  if (refusal !== null)
    throw new Refused(status, text, `${server.baseUrl} refused GET ${path} (${status}): ${refusal}`);
  const asked = `GET ${path}`;
  const gateway = gatewayFault(status, { baseUrl: server.baseUrl, asked }, server.flag);
  throw gateway ?? notTheService(server, `its response to ${asked} contains no data`);
}

/** The sentence of a refusal; null when the body is another program's. */
const refusalOf = (body: unknown): string | null =>
  isRecord(body) && typeof body.message === 'string' ? body.message : null;

/** The error for a server whose answer the service does not give. */
export const notTheService = ({ baseUrl, flag }: SecondServer, why: string) => otherKind(baseUrl, why, undefined, flag);

/**
 * Reads the display data and the terms of the account.
 * @throws CommandError as `read` does, and when the answer has no terms
 */
export async function readConfig(server: SecondServer, note: (text: string) => void): Promise<Record<string, unknown>> {
  const path = '/v1/config';
  const config = await read(server, path, note);
  if (isRecord(config) && isRecord(config.terms)) return config;
  throw notTheService(server, `its response to GET ${path} has no terms`);
}
