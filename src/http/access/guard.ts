import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HOST_NAME, isLocalhost } from '../../domain/host.ts';
import { Refusal } from '../../domain/refusal.ts';
import { sendRefusal } from '../answer/refusals.ts';
import type { Addresses } from '../server/addresses.ts';

/** Returns whether a `Host` header names this server. */
export type HostRule = (header: string | undefined) => boolean;

/**
 * Prevents DNS rebinding (interface §6): a web page can make its own name resolve to this machine, but it cannot do
 * that with `localhost` or an IP address. The port is not compared, so a mapped port works.
 */
export function createHostRule({ host, publicUrl, allowHosts }: Addresses): HostRule {
  if (allowHosts.includes('*')) return () => true;
  const given = [...allowHosts, ...(host === undefined ? [] : [host])].map(withoutDot);
  const names = new Set(publicUrl === undefined ? given : [...given, withoutDot(new URL(publicUrl).hostname)]);
  const allows = (name: string) => {
    if (isLocalhost(name) || isIPv4(name)) return true;
    if (name.startsWith('[') && name.endsWith(']') && isIPv6(name.slice(1, -1))) return true;
    return names.has(name);
  };
  // Most requests have the same host as the previous one.
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

/** Names are compared in lower case. A dot at the end has no meaning here. */
const withoutDot = (name: string) => name.toLowerCase().replace(/\.$/, '');

/** Null when the host is allowed. A request without a `Host`, as in HTTP/1.0, is refused. */
export function hostRefusal(header: string | undefined, allows: HostRule): Refusal | null {
  if (allows(header)) return null;
  const name = nameIn(header);
  return new Refusal('foreign_host', HOST_NAME.test(name) ? name : '<name>');
}

/** Whether an `Origin` has the host and port of the `Host` header. */
export function isSameHost(origin: string, host = ''): boolean {
  const [, scheme, rest] = /^(https?:\/\/)(.+)$/i.exec(origin) ?? [];
  if (scheme === undefined || !URL.canParse(origin) || !URL.canParse(scheme + host)) return false;
  // The default port may be present or absent.
  return !/[/?#@\\]/.test(`${rest}${host}`) && new URL(origin).host === new URL(scheme + host).host;
}

/** Routes that only their own pages and programs may call. */
const PRIVATE = /^\/(_sim|dashboard)(?![\w-])/;

function originRefusal({ headers, routeOptions, url }: FastifyRequest): Refusal | null {
  // Compares the route if there is one, because the router also takes `/%5Fsim` for `/_sim`.
  if (headers.origin === undefined || !PRIVATE.test(routeOptions.url ?? url)) return null;
  return isSameHost(headers.origin, headers.host) ? null : new Refusal('foreign_origin', headers.origin, headers.host);
}

/** Refuses requests that a foreign web page may have caused, on every route and before anything else. */
export function keepOut(app: FastifyInstance, allows: HostRule) {
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = hostRefusal(request.headers.host, allows) ?? originRefusal(request);
    if (refusal) sendRefusal(reply, refusal);
    else done();
  });
}
