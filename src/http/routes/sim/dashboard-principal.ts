import type { FastifyRequest } from 'fastify';
import type { Account } from '../../../domain/merchant.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { SCOPES } from '../../../domain/scope.ts';
import type { Principal } from '../../../engine/authenticate.ts';
import type { HttpContext } from '../../context.ts';
import { isFromDashboard } from '../dashboard/sign-in.ts';

/**
 * The account that the dashboard acts for: the one that `X-Layaway-Account` names by its client id, of any merchant.
 * Null when the request is not from the dashboard, or has credentials of its own.
 * @throws Refusal `foreign_origin`, `not_found`
 */
export function dashboardPrincipal(request: FastifyRequest, ctx: HttpContext): Principal | null {
  const { headers } = request;
  if (headers['x-client-id'] !== undefined || headers['x-api-key'] !== undefined) return null;
  if (!isFromDashboard(request, ctx)) return null;
  const account = ctx.store.accounts.find(accountNamed(request));
  if (!account) throw new Refusal('not_found', 'Account');
  return withoutKey(account, 'Dashboard');
}

/** A caller who may act for an account without having one of its keys. */
export function withoutKey(account: Account, name: string): Principal {
  const key = { id: 0, token: 'none', accountId: account.id, name, hash: new Uint8Array(32) };
  return { account, key: { ...key, prefix: '', scopes: SCOPES, createdAt: 0, revokedAt: null } };
}

/** Whether the caller is authenticated by the dashboard's cookie or the control token, and not by a key. */
export const hasNoKey = ({ key }: Principal) => key.id === 0;

/** A frame cannot send headers, so a GET may name the account in its URL. */
function accountNamed({ headers, method, query }: FastifyRequest): string {
  const { account } = query as { account?: unknown };
  const named = headers['x-layaway-account'] ?? (method === 'GET' ? account : undefined);
  return typeof named === 'string' ? named : '';
}

/** Whether the dashboard calls a workspace lever. */
export const isDashboard = (request: FastifyRequest, ctx: HttpContext) =>
  request.headers.authorization === undefined && isFromDashboard(request, ctx);
