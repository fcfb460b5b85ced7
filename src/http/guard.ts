import type { FastifyRequest } from 'fastify';
import { Refusal } from '../domain/refusal.ts';

/**
 * Refuses requests that a web page could have been tricked into making: a Host that is not ours (DNS rebinding),
 * or an Origin other than the server's own (interface §3).
 * @throws Refusal `foreign_host`, `foreign_origin`
 */
export function refuseForeigners(request: FastifyRequest, own: { readonly hosts: ReadonlySet<string> }) {
  const host = request.headers.host?.toLowerCase() ?? '';
  if (!own.hosts.has(host)) throw new Refusal('foreign_host', host || '(none)');
  const { origin } = request.headers;
  if (origin !== undefined && !isOwn(origin, own.hosts)) throw new Refusal('foreign_origin', origin);
}

function isOwn(origin: string, hosts: ReadonlySet<string>): boolean {
  return origin.toLowerCase().startsWith('http://') && hosts.has(origin.toLowerCase().slice('http://'.length));
}

/** The names under which a server on `host` and `port` may be addressed. */
export function ownHosts(host: string, port: number): ReadonlySet<string> {
  const names = new Set(['localhost', '127.0.0.1', '[::1]', host.includes(':') ? `[${host}]` : host.toLowerCase()]);
  return new Set([...names].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
}
