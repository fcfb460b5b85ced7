import { canonicalUrl } from '../../base-url.ts';
import { once } from '../../domain/once.ts';
import { CommandError, usage } from '../exit.ts';
import { pasted } from '../input/shell-quoted.ts';
import { folderOf, type NearestServer, nearestServer } from './nearest-server.ts';
import { chosenProfile } from './profiles.ts';
import { isLoopback } from './url.ts';

/** The flags that say where to talk to and as whom. */
export interface AddressFlags {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly apiKey?: string;
  readonly profile?: string;
  readonly controlToken?: string;
  /** A live key may leave this machine. */
  readonly live?: boolean;
}

export interface Address {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly apiKey: string;
  /** Null when none is known that belongs to this URL. */
  readonly controlToken: string | null;
  /** Where each came from, for people. */
  readonly from: {
    readonly baseUrl: string;
    readonly clientId: string;
    readonly apiKey: string;
    readonly controlToken: string | null;
  };
  /** The server of this folder, if it was not used because a pair or token without a URL led elsewhere. */
  readonly passedOver: string | null;
  /** The server of this folder, if LAYAWAY_BASE_URL names another. */
  readonly overruled: string | null;
  /** A sentence about a choice of server that may surprise; null for any other. */
  readonly notice: string | null;
}

const BASE_URL_VARIABLE = 'LAYAWAY_BASE_URL';
const DEFAULT_BASE_URL = 'http://127.0.0.1:4747';
/** Where a URL and a pair come from if nothing gives them. */
export const DEFAULT = 'the default';
export const DEFAULT_PAIR = 'the default sandbox pair';

interface Given {
  readonly value: string;
  readonly from: string;
}

/** What one place has, and the URL that it is for. */
interface Source {
  readonly url: Given;
  readonly clientId?: Given | undefined;
  readonly apiKey?: Given | undefined;
  readonly controlToken?: Given | undefined;
}

/** Reads a place when it is first needed; undefined when nothing is given there. */
type Read = () => Source | undefined;

/**
 * Decides where to talk to and as whom (interface §1). The first place that gives anything decides on the URL; a pair
 * or token without a URL is for the default address. A secret is only sent to the URL that it is for (interface §6), so
 * the places are asked again, and those of another URL give nothing. Both halves of a pair are looked for separately,
 * so that `--api-key` alone tries another key of the same account.
 */
export async function resolveAddress(flags: AddressFlags, env = process.env): Promise<Address> {
  const nearest = nearestServer();
  const sources = placesOf(flags, env, nearest);
  const url = firstOf(sources, ({ url }) => url) ?? { value: DEFAULT_BASE_URL, from: DEFAULT };
  const baseUrl = parseBaseUrl(url.value, url.from);

  const faults = new Set<CommandError>();
  const readable = sources.map((read) => tolerant(read, faults));
  const ofThatUrl = (secret: 'clientId' | 'apiKey' | 'controlToken') =>
    firstOf(readable, (source) => (canonicalUrl(source.url.value) === baseUrl ? source[secret] : undefined));
  const clientId = ofThatUrl('clientId') ?? { value: (await defaultPair()).clientId, from: DEFAULT_PAIR };
  const apiKey = ofThatUrl('apiKey') ?? { value: (await defaultPair()).apiKey, from: DEFAULT_PAIR };
  const controlToken = ofThatUrl('controlToken');

  // The pair of that URL may be there.
  const [unread] = [clientId.from, apiKey.from].includes(DEFAULT_PAIR) ? faults : [];

  const nearestUrl = nearest && canonicalUrl(nearest.server.base_url) !== baseUrl ? nearest.server.base_url : null;
  return {
    baseUrl,
    clientId: clientId.value,
    apiKey: apiKey.value,
    controlToken: controlToken?.value ?? null,
    from: {
      baseUrl: url.from,
      clientId: clientId.from,
      apiKey: apiKey.from,
      controlToken: controlToken?.from ?? null,
    },
    passedOver: url.from === DEFAULT ? nearestUrl : null,
    overruled: url.from === BASE_URL_VARIABLE ? nearestUrl : null,
    notice: notice(),
  };

  function notice() {
    if (unread) return unread.message;
    if (url.from === nearest?.from) return noticeOfKilled(nearest) ?? noticeOfOthers(nearest);
    return url.from === DEFAULT && !nearest ? strange(baseUrl) : null;
  }
}

/** Once the URL is known without them, settings that cannot be read, or lack the selected profile, give nothing. */
const tolerant =
  (read: Read, faults: Set<CommandError>): Read =>
  () => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      faults.add(error);
      return undefined;
    }
  };

/** A server of a folder above takes the place of one that was killed, and has another state. */
const noticeOfKilled = ({ server, folder, killedIn }: NearestServer): string | null =>
  killedIn &&
  `The server of ${killedIn} was killed. This command uses ${server.base_url}, which was started in ${folder}.`;

/** Which of several servers of one folder was chosen. */
function noticeOfOthers({ server, folder, others }: NearestServer): string | null {
  if (others.length === 0) return null;
  const urls = others.map(({ base_url }) => base_url).join(' and ');
  return `${others.length + 1} servers were started in ${folder}. This command uses ${server.base_url}; for ${urls}, use --base-url.`;
}

/** The default address may be that of another project's server. */
function strange(baseUrl: string): string | null {
  const folder = folderOf(baseUrl);
  return (
    folder && `No server was started in this folder. This command uses ${baseUrl}, which was started in ${folder}.`
  );
}

/**
 * The places in the order in which they are asked. The profile comes where it was chosen: by a flag, by a variable,
 * last.
 */
function placesOf(flags: AddressFlags, env: NodeJS.ProcessEnv, nearest: NearestServer | null): Read[] {
  const named = flags.profile || env.LAYAWAY_PROFILE || undefined;
  const read = once(() => chosenProfile(named));
  // A profile asked for by name must exist, even if no value of it is needed.
  if (named !== undefined) read();
  const chooser = flags.profile ? '--profile' : named !== undefined ? 'LAYAWAY_PROFILE' : 'the profile';
  const profile = (where: typeof chooser) => (where === chooser ? read() : {});
  const profileUrl = (where: typeof chooser) => given(where, profile(where)['base-url']);

  const urlOfEnv = () => given(BASE_URL_VARIABLE, env[BASE_URL_VARIABLE]) ?? profileUrl('LAYAWAY_PROFILE');
  const urlOfFlags = () => given('--base-url', flags.baseUrl) ?? profileUrl('--profile');

  const profiled =
    (where: typeof chooser): Read =>
    () => {
      const { 'client-id': clientId, 'api-key': apiKey } = profile(where);
      return source(profileUrl(where), given(where, clientId), given(where, apiKey));
    };
  const places: Read[] = [
    () => {
      const own = source(
        urlOfFlags(),
        given('--client-id', flags.clientId),
        given('--api-key', flags.apiKey),
        given('--control-token', flags.controlToken),
      );
      return own?.url.from === DEFAULT ? { ...own, url: urlOfEnv() ?? own.url } : own;
    },
    profiled('--profile'),
    () =>
      source(
        urlOfEnv(),
        given('LAYAWAY_CLIENT_ID', env.LAYAWAY_CLIENT_ID),
        given('LAYAWAY_API_KEY', env.LAYAWAY_API_KEY),
        given('LAYAWAY_CONTROL_TOKEN', env.LAYAWAY_CONTROL_TOKEN),
      ),
    profiled('LAYAWAY_PROFILE'),
    () => ofServer(nearest),
    profiled('the profile'),
  ];
  return places.map(once);
}

/** An empty value counts as absent, as in a CI file with an unset variable. */
const given = (from: string, value: string | undefined): Given | undefined => (value ? { value, from } : undefined);

function source(url?: Given, clientId?: Given, apiKey?: Given, controlToken?: Given): Source | undefined {
  if (!url && !clientId && !apiKey && !controlToken) return undefined;
  return { url: url ?? { value: DEFAULT_BASE_URL, from: DEFAULT }, clientId, apiKey, controlToken };
}

function ofServer(nearest: NearestServer | null): Source | undefined {
  if (!nearest) return undefined;
  const { base_url, control_token, sandbox } = nearest.server;
  const [url, clientId, apiKey, token] = [base_url, sandbox.client_id, sandbox.api_key, control_token].map((value) =>
    given(nearest.from, value),
  );
  return source(url, clientId, apiKey, token);
}

function firstOf(places: readonly Read[], read: (source: Source) => Given | undefined) {
  for (const place of places) {
    const found = place();
    const value = found && read(found);
    if (value) return value;
  }
  return undefined;
}

/**
 * The derived pair of every local sandbox (decisions §5). Commands join no rooms, except here: a copy of the derivation
 * could differ from it.
 */
async function defaultPair() {
  const { defaultDraw } = await import('../../secrets/draw.ts');
  return { clientId: defaultDraw.clientId('sandbox', 1), apiKey: defaultDraw.firstKey('sandbox', 1) };
}

/** The flags of this command for the address. Another command with them reaches the same account. */
export function addressWords({ baseUrl, profile, clientId, apiKey, controlToken, live = false }: AddressFlags): string {
  const given = Object.entries({ baseUrl, profile, clientId, apiKey, controlToken }).flatMap(([name, value]) =>
    value === undefined ? [] : ` --${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)} ${pasted(value)}`,
  );
  return `${given.join('')}${live ? ' --live' : ''}`;
}

/** Adds them to each command in backticks. */
export function readdressed(text: string, flags: AddressFlags): string {
  const words = addressWords(flags);
  return text.replaceAll(/`(layaway [^`]+)`/g, (_, command) => `\`${command}${words}\``);
}

/** What `--debug` and `doctor` say: which URL, and whose pair and token (interface §6). */
export function addressLine({ baseUrl, from }: Address): string {
  const token = from.controlToken === null ? 'no control token' : `the control token from ${from.controlToken}`;
  return `${baseUrl} (${from.baseUrl}), ${pairOf(from)}, ${token}`;
}

function pairOf({ clientId, apiKey }: Address['from']): string {
  if (clientId !== apiKey) return `the client id from ${clientId} and the API key from ${apiKey}`;
  return apiKey === DEFAULT_PAIR ? apiKey : `the pair from ${apiKey}`;
}

/** Why the server of this folder was not used; null when there is none, or it was used. */
export const passedOverLine = ({ passedOver }: Address): string | null =>
  passedOver &&
  `The server of this folder, ${passedOver}, was not used: a pair or token without a URL applies to ${DEFAULT_BASE_URL}. Name the server with --base-url.`;

/** Variables outlive the server that they are for. Null unless the one of this folder may have been meant. */
export const overruledLine = ({ overruled }: Address): string | null =>
  overruled &&
  `That address is from ${BASE_URL_VARIABLE}. The server of this folder is ${overruled}; \`layaway env\` prints the variables for it.`;

export const isLive = (apiKey: string): boolean => apiKey.trim().startsWith('sk_live_');

/**
 * A live key leaves this machine only with --live.
 * @throws CommandError without it
 */
export function guardLiveKey({ apiKey, baseUrl, from }: Address, { live = false }: AddressFlags): void {
  if (live || !isLive(apiKey) || isLoopback(baseUrl)) return;
  throw usage(
    `The live API key from ${from.apiKey} was not sent to ${baseUrl}, which is another machine. Use --live to send it.`,
  );
}

/** @throws CommandError when `text` is not a base URL */
export function parseBaseUrl(text: string, from: string): string {
  const url = canonicalUrl(text);
  if (url === null) throw usage(`${from}: ${text} is not a base URL. Use a URL such as http://127.0.0.1:4747.`);
  return url;
}
