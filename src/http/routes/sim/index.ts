import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../../domain/refusal.ts';
import type { Principal } from '../../../engine/authenticate.ts';
import { createDashboardLink, getControlDocument, getHealth } from '../../../operations/workspace.ts';
import type { HttpContext } from '../../context.ts';
import { requireJson } from '../../input/body.ts';
import { serve } from '../../serve.ts';
import { linkTo } from '../dashboard/sign-in.ts';
import { simBrowse, simBrowseWorkspace } from './browse.ts';
import { simChanges } from './changes.ts';
import { simClock } from './clock.ts';
import { simContracts } from './contracts.ts';
import { simCoverage } from './coverage.ts';
import { dashboardPrincipal, isDashboard, withoutKey } from './dashboard-principal.ts';
import { simEmails } from './emails.ts';
import { simEvents } from './events.ts';
import { simExplain } from './explain/explain.ts';
import { simFaults } from './faults.ts';
import { simKeys } from './keys.ts';
import { simListeners } from './listeners.ts';
import { simLookBack } from './look-back.ts';
import { simMerchants } from './merchants.ts';
import { simRequests } from './requests.ts';
import { simSearch } from './search.ts';
import { simSessions } from './sessions.ts';
import { simSettings } from './settings.ts';
import { simSnapshots } from './snapshots.ts';
import { simWebhooks } from './webhooks.ts';

/**
 * What only a simulator can do (interface §3). Account levers take the header pair, workspace levers the token. Both
 * also take the dashboard's cookie with its key.
 */
export async function controlPlane(app: FastifyInstance, ctx: HttpContext) {
  app.addHook('onRequest', async (request) => {
    const { auth, orToken } = request.routeOptions.config.operation ?? {};
    if (auth === 'account') {
      request.principal =
        dashboardPrincipal(request, ctx) ?? (orToken ? byToken(request, ctx) : null) ?? presented(request);
    }
    if (auth === 'workspace' && !isDashboard(request, ctx)) requireControlToken(request, ctx);
    if (auth !== 'none') requireJson(request);
  });
  for (const routes of [
    simClock,
    simSessions,
    simContracts,
    simEvents,
    simWebhooks,
    simListeners,
    simFaults,
    simCoverage,
    simEmails,
    simSettings,
    simKeys,
    simRequests,
    simExplain,
    simBrowse,
    simChanges,
    simLookBack,
    simSearch,
    simMerchants,
    simSnapshots,
    simBrowseWorkspace,
  ])
    routes(app, ctx);
  // A one-time link signs a browser in. Whoever has the control token may make one.
  serve(app, createDashboardLink, () => ({ data: { url: linkTo(ctx) } }));
  serve(app, getHealth, () => ({ status: 'ok' as const, version: ctx.version }));
  serve(app, getControlDocument, async () => {
    const { controlDocument } = await import('../../docs/openapi.ts');
    return controlDocument(ctx.base.url, ctx.version);
  });

  function presented({ headers: { 'x-client-id': clientId, 'x-api-key': apiKey } }: FastifyRequest) {
    return ctx.engine.authenticate(clientId as string | undefined, apiKey as string | undefined);
  }
}

/** The account that a caller with the control token names; null for a caller with an API key. */
function byToken(request: FastifyRequest, ctx: HttpContext): Principal | null {
  const { authorization, 'x-api-key': apiKey, 'x-client-id': clientId } = request.headers;
  if (authorization === undefined || apiKey !== undefined) return null;
  requireControlToken(request, ctx);
  const account = ctx.store.accounts.find(String(clientId));
  if (!account) throw new Refusal('unauthenticated');
  return withoutKey(account, 'control token');
}

function requireControlToken(request: FastifyRequest, { controlToken, digest }: HttpContext) {
  const presented = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (!digest.same(digest.sha256(presented), digest.sha256(controlToken))) throw new Refusal('unauthenticated');
}
