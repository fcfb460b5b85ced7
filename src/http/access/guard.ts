import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HOST_NAME } from '../../domain/host.ts';
import { Refusal } from '../../domain/refusal.ts';
import { sendRefusal } from '../answer/refusals.ts';
import type { Addresses } from '../server/addresses.ts';

/** Whether a server may be addressed by what a `Host` header says. */
export type HostRule = (header: string | undefined) => boolean;

/**
 * The rule against DNS rebinding (interface §6): a web page can make its own name lead to this machine, but not
 * `localhost`, and not an IP address. The port is not compared, so a mapped port works.
 */
export function createHostRule({ host, publicUrl, allowHosts }: Addresses): HostRule {
  if (allowHosts.includes('*')) return () => true;
  const given = [...allowHosts, ...(host === undefined ? [] : [host])].map(withoutDot);
  const names = new Set(publicUrl === undefined ? given : [...given, withoutDot(new URL(publicUrl).hostname)]);
  const allows = (name: string) => {
    if (name === 'localhost' || name.endsWith('.localhost') || isIPv4(name)) return true;
    if (name.startsWith('[') && name.endsWith(']') && isIPv6(name.slice(1, -1))) return true;
    return name !== '' && names.has(name);
  };
  // Most requests name the same host as the one before.
  let allowed: string | undefined;
  return (header) => {
    if (header !== undefined && header === allowed) return true;
    if (!allows(nameIn(header))) return false;
    allowed = header;
    return true;
  };
}

/** The host of a `Host` header, without port. */
const nameIn = (header = '') => withoutDot(header.replace(/:\d*$/, ''));

/** Names are compared in lower case; a dot at the end only says that a name is complete. */
const withoutDot = (name: string) => name.toLowerCase().replace(/\.$/, '');

/** Null when the host is allowed; a request without a `Host` names none. */
export function hostRefusal(header: string | undefined, allows: HostRule): Refusal | null {
  if (allows(header)) return null;
  const name = nameIn(header);
  return new Refusal('foreign_host', HOST_NAME.test(name) ? name : '<name>');
}

/** Whether an `Origin` has the host and port of the `Host` header beside it. */
export function isSameHost(origin: string, host = ''): boolean {
  const [, scheme, rest] = /^(https?:\/\/)(.+)$/i.exec(origin) ?? [];
  if (scheme === undefined || !URL.canParse(origin) || !URL.canParse(scheme + host)) return false;
  // A default port may be written or left out.
  return !/[/?#@\\]/.test(`${rest}${host}`) && new URL(origin).host === new URL(scheme + host).host;
}

/** Where the answers are for nobody but the page that asks, and for programs. */
const PRIVATE = /^\/(_sim|dashboard)(?![\w-])/;

function originRefusal({ headers, routeOptions, url }: FastifyRequest): Refusal | null {
  // By the route where there is one: the router also takes `/%5Fsim` for `/_sim`.
  if (headers.origin === undefined || !PRIVATE.test(routeOptions.url ?? url)) return null;
  return isSameHost(headers.origin, headers.host) ? null : new Refusal('foreign_origin', headers.origin);
}

/** Refuses what a web page could have been tricked into asking, on every route and before anything else. */
export function keepOut(app: FastifyInstance, allows: HostRule) {
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = hostRefusal(request.headers.host, allows) ?? originRefusal(request);
    if (refusal) sendRefusal(reply, refusal);
    else done();
  });
}
