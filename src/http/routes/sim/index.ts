import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../../domain/refusal.ts';
import { requireJson } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { refuseForeigners } from '../../guard.ts';
import { linkTo } from '../dashboard/door.ts';
import { simBrowse, simBrowseWorkspace } from './browse.ts';
import { simClock } from './clock.ts';
import { simContracts } from './contracts.ts';
import { simEmails } from './emails.ts';
import { simEvents } from './events.ts';
import { simKeys } from './keys.ts';
import { simLookBack } from './look-back.ts';
import { simMerchants } from './merchants.ts';
import { simRequests } from './requests.ts';
import { simSessions } from './sessions.ts';
import { simSettings } from './settings.ts';
import { simSnapshots } from './snapshots.ts';
import { isVisitor, visitorOf } from './visitor.ts';
import { simWebhooks } from './webhooks.ts';

/**
 * What only a simulator can do (interface §3). Account levers take the header pair, workspace levers the token;
 * both take the dashboard's cookie.
 */
export async function controlPlane(app: FastifyInstance, ctx: HttpContext) {
  app.addHook('onRequest', async (request) => refuseForeigners(request, ctx.base));
  app.get('/_sim/health', async () => ({ status: 'ok', version: ctx.version }));

  app.register(async (account) => {
    account.addHook('onRequest', async (request) => {
      const { 'x-client-id': clientId, 'x-api-key': apiKey } = request.headers;
      request.principal =
        visitorOf(request, ctx) ??
        ctx.engine.authenticate(clientId as string | undefined, apiKey as string | undefined);
      requireJson(request);
    });
    for (const routes of [
      simClock,
      simSessions,
      simContracts,
      simEvents,
      simWebhooks,
      simEmails,
      simSettings,
      simKeys,
      simRequests,
      simBrowse,
      simLookBack,
    ])
      routes(account, ctx);
  });

  app.register(async (workspace) => {
    workspace.addHook('onRequest', async (request) => {
      if (!isVisitor(request, ctx)) requireControlToken(request, ctx);
      requireJson(request);
    });
    for (const routes of [simMerchants, simSnapshots, simBrowseWorkspace, dashboardLinks]) routes(workspace, ctx);
  });
}

/** A browser is let in by a link that opens once; whoever holds the control token may draw one. */
function dashboardLinks(app: FastifyInstance, ctx: HttpContext) {
  app.post('/_sim/dashboard-links', async (_request, reply) => reply.code(201).send({ data: { url: linkTo(ctx) } }));
}

function requireControlToken(request: FastifyRequest, { controlToken, digest }: HttpContext) {
  const presented = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (!digest.same(digest.sha256(presented), digest.sha256(controlToken))) throw new Refusal('unauthenticated');
}
