import type { FastifyRequest } from 'fastify';
import type { HttpContext } from './context.ts';

/**
 * The account whose request log shows a request (interface §3): the caller's; for a hosted read, the session's; for a
 * refused request, the one whose client id it named. Null if there is none.
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
