import type { FastifyRequest } from 'fastify';
import type { HttpContext } from './context.ts';

/**
 * The account in whose log a request belongs (interface §3): the one that asked; for a hosted read the one of the
 * session; for a refused request the one whose client id it named. Null when there is none.
 */
export function clientIdOf(
  { principal, routeOptions, params, headers }: FastifyRequest,
  store: HttpContext['store'],
): string | null {
  if (principal) return principal.account.clientId;
  if (routeOptions.config.operation?.operationId === 'getHostedSession') {
    const account = store.ownerOf.session((params as { id: string }).id);
    if (account) return account.clientId;
  }
  return store.accounts.find(String(headers['x-client-id']))?.clientId ?? null;
}
