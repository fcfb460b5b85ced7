import { usage } from './exit.ts';
import { chosenProfile, type Profile } from './profiles.ts';
import { readServerFile } from './server-file.ts';

/** The flags that say where to talk to and as whom. */
export interface AddressFlags {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly apiKey?: string;
  readonly profile?: string;
  readonly controlToken?: string;
}

export interface Address {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly apiKey: string;
  /** Null when nobody gave one. */
  readonly controlToken: string | null;
  /** Where the URL and the key came from, for error messages. */
  readonly from: { readonly baseUrl: string; readonly apiKey: string };
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:4747';

/**
 * Where to talk to and as whom, first hit wins, URL and pair each on its own (interface §1). The two halves of a pair
 * are looked for apart, so that `--api-key` alone tries another key of the same account.
 */
export async function resolveAddress(flags: AddressFlags, env = process.env): Promise<Address> {
  const server = readServerFile();
  const named = flags.profile || env.LAYAWAY_PROFILE || undefined;
  const profile = once(() => chosenProfile(named));
  // A profile asked for by name must exist even when nothing of it is needed.
  if (named !== undefined) await profile();
  const chooser = flags.profile ? '--profile' : named !== undefined ? 'LAYAWAY_PROFILE' : 'the profile';
  /** A profile counts where it was chosen: as a flag, as the environment, or, chosen with `config use`, after both. */
  const profiled = (where: typeof chooser, key: keyof Profile): Source<string> => [
    where,
    async () => (where === chooser ? (await profile())[key] : undefined),
  ];

  const baseUrl = await firstOf<string>([
    ['--base-url', () => flags.baseUrl],
    profiled('--profile', 'base-url'),
    ['LAYAWAY_BASE_URL', () => env.LAYAWAY_BASE_URL],
    profiled('LAYAWAY_PROFILE', 'base-url'),
    ['.layaway/server.json', () => server?.base_url],
    profiled('the profile', 'base-url'),
    ['the default', () => DEFAULT_BASE_URL],
  ]);
  const url = parseBaseUrl(baseUrl.value, baseUrl.from);
  // Its secrets are for that server alone: another URL never sees them.
  const own = server && url === parseBaseUrl(server.base_url, '.layaway/server.json') ? server : null;

  const half = (
    flag: 'clientId' | 'apiKey',
    flagName: string,
    variable: string,
    field: 'client_id' | 'api_key',
    key: keyof Profile,
  ) =>
    firstOf<string>([
      [flagName, () => flags[flag]],
      profiled('--profile', key),
      [variable, () => env[variable]],
      profiled('LAYAWAY_PROFILE', key),
      ['.layaway/server.json', () => own?.sandbox[field]],
      profiled('the profile', key),
      ['the default sandbox pair', async () => (await defaultPair())[flag]],
    ]);
  const clientId = await half('clientId', '--client-id', 'LAYAWAY_CLIENT_ID', 'client_id', 'client-id');
  const apiKey = await half('apiKey', '--api-key', 'LAYAWAY_API_KEY', 'api_key', 'api-key');

  return {
    baseUrl: url,
    clientId: clientId.value,
    apiKey: apiKey.value,
    controlToken: flags.controlToken || env.LAYAWAY_CONTROL_TOKEN || own?.control_token || null,
    from: { baseUrl: baseUrl.from, apiKey: apiKey.from },
  };
}

type Source<T> = readonly [from: string, read: () => T | undefined | Promise<T | undefined>];

/** The last source always answers. An empty value counts as absent, as in a CI file with an unset variable. */
async function firstOf<T>(sources: readonly Source<T>[]): Promise<{ value: T; from: string }> {
  for (const [from, read] of sources) {
    const value = await read();
    if (value) return { value, from };
  }
  throw new Error('no source answered');
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/**
 * The derived pair of every local sandbox (decisions §5). Commands are clients and join no rooms, with this exception:
 * a derived secret can only be derived the same way, and a copy would be a second truth.
 */
async function defaultPair() {
  const { defaultDraw } = await import('../secrets/draw.ts');
  return { clientId: defaultDraw.clientId('sandbox', 1), apiKey: defaultDraw.apiKey('sandbox', 1) };
}

/**
 * An absolute http(s) URL without a slash at its end.
 * @throws CommandError when it is none
 */
export function parseBaseUrl(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw usage(`${from}: ${text} is no base URL. Write it like http://127.0.0.1:4747.`);
  }
  return url.href.replace(/\/+$/, '');
}
