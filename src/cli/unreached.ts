import { existsSync } from 'node:fs';
import { isLocalhost } from '../domain/host.ts';
import { NOBODY_LISTENS, UNKNOWN_HOST } from '../domain/webhook.ts';
import { isLoopback } from './server/url.ts';

/** The name that containers use for the machine on which they run. */
const HOST = 'host.docker.internal';

export const isInContainer = () => existsSync('/.dockerenv') || existsSync('/run/.containerenv');

/** Notes once for each URL that there is no receiver, and what to do, on behalf of the process that sends. */
export function watchUnreached(note: (text: string) => void) {
  const told = new Set<string>();
  const inContainer = isInContainer();

  /** @param tried the other loopback addresses that refused too */
  return (url: string, error: string | null, tried: readonly string[] = []): void => {
    if (told.has(url)) return;
    const advice = adviceIfUnreached(url, error, { inContainer, tried });
    if (advice === null) return;
    told.add(url);
    const also = tried.length === 0 ? '' : ` (tried ${tried.join(' and ')} too)`;
    const what = error === UNKNOWN_HOST ? `The host of ${url} is not known` : `Nothing listens at ${url}${also}`;
    note(`${what}. ${advice} Failed events are sent again.`);
  };
}

interface Sender {
  /** Null if the command does not know. */
  readonly inContainer: boolean | null;
  readonly tried?: readonly string[];
}

/** What to do about a receiver that an attempt did not find; null if the attempt failed for another reason. */
export function adviceIfUnreached(url: string, error: string | null, sender: Sender): string | null {
  const where = whereElse(url, error, sender);
  return error === NOBODY_LISTENS ? ['Start the receiver.', ...where].join(' ') : (where[0] ?? null);
}

/** Sentences on where a receiver may be that an attempt did not find, if there is something to say. */
export function whereElse(url: string, error: unknown, { inContainer, tried = [] }: Sender): string[] {
  if (error !== NOBODY_LISTENS && error !== UNKNOWN_HOST) return [];
  const { hostname } = new URL(url);
  if (error === UNKNOWN_HOST) {
    return hostname === HOST ? [`On Linux, start the container with \`--add-host ${HOST}:host-gateway\`.`] : [];
  }
  if (!isLoopback(url) && !isLocalhost(hostname)) {
    return ['It has to listen on this address, not only on 127.0.0.1.'];
  }
  const isTried = isLocalhost(hostname) || tried.length > 0;
  const where = inContainer
    ? 'This is a container: for a receiver on the host'
    : 'If layaway runs in a container, and the receiver on its host';
  return [
    ...(isTried ? [] : [`If it listens on another loopback address, use ${at(url, 'localhost')}.`]),
    ...(inContainer === false ? [] : [`${where}, use ${at(url, HOST)}.`]),
  ];
}

/** The same URL on another host. */
function at(url: string, hostname: string): string {
  const there = new URL(url);
  there.hostname = hostname;
  return there.href;
}
