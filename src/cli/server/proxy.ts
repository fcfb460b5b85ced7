import { isLoopbackHost } from '../../domain/host.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Programs in most languages send their requests through the first of these that is set. */
const PROXIES = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
/** The lists of hosts that they reach without it. */
const EXEMPTIONS = ['no_proxy', 'NO_PROXY'];

/** A variable that makes programs send their requests for this machine to a proxy. */
export interface ProxyInTheWay {
  readonly variable: string;
  /** The host of the URL, which NO_PROXY should name. */
  readonly hostname: string;
}

/** The proxy between a program with this environment and a server on this machine; null if there is none. */
export function proxyInTheWay(url: string, env: Environment): ProxyInTheWay | null {
  const { hostname } = new URL(url);
  const variable = PROXIES.find((name) => env[name]);
  if (variable === undefined || !isLoopbackHost(hostname)) return null;
  const lists = EXEMPTIONS.flatMap((name) => env[name] ?? []);
  const isExempt = lists.length > 0 && lists.every((list) => names(list, hostname));
  return isExempt ? null : { variable, hostname };
}

/** The variables to change so that no proxy is between a program and a server on this machine. */
export function withoutProxy(url: string, env: Environment): Record<string, string> {
  const found = proxyInTheWay(url, env);
  if (!found) return {};
  const given = EXEMPTIONS.filter((name) => env[name] !== undefined);
  const listed = (name: string) => [env[name], found.hostname].filter(Boolean).join(',');
  return Object.fromEntries((given.length > 0 ? given : EXEMPTIONS).map((name) => [name, listed(name)]));
}

const names = (list: string, hostname: string) =>
  list.split(/[\s,]+/).some((entry) => entry === '*' || entry.toLowerCase() === hostname);
