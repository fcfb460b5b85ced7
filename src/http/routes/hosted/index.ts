import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../domain/refusal.ts';
import { isBrokenOff, STATUS } from '../../answer/refusals.ts';
import type { HttpContext } from '../../context.ts';
import { bodyPage, faultPage, methodPage, notOursPage, refusedPage, unknownPage } from '../../pages/ended.ts';
import type { Routes } from '../../unknown-routes.ts';
import { assets } from './assets.ts';
import { checkout } from './checkout.ts';
import { ForeignForm, isForeignPost } from './forgery.ts';
import { type PageReply, sendPage } from './send.ts';

/** Much more than a name and a card need. */
const FORM_BYTES_MAX = 16 * 1024;

/** The customer's pages (§1 "hosted checkout link"). Every answer is HTML, also a refusal. */
export async function hostedPages(app: FastifyInstance, ctx: HttpContext, routes: Routes) {
  assets(app, ctx);
  app.register(
    async (scope) => {
      // The rest of the service reads every body as JSON. These forms are not JSON.
      scope.removeAllContentTypeParsers();
      scope.register(formbody, { bodyLimit: FORM_BYTES_MAX });
      scope.addHook('onRequest', async (request, reply) => {
        // Fastify would first look at the content type of a QUERY.
        if (request.is404) return refuse(request, reply);
        if (request.method === 'POST' && isForeignPost(request)) throw new ForeignForm();
      });
      scope.setErrorHandler((error, request, reply) => sendPage(reply, ...pageOf(error, request)));
      scope.setNotFoundHandler(refuse);
      checkout(scope, ctx);
    },
    { prefix: '/checkout' },
  );

  function refuse(request: FastifyRequest, reply: FastifyReply) {
    const allowed = routes.methodsAt(request.url);
    if (!allowed) return sendPage(reply, 404, unknownPage);
    reply.header('allow', allowed.join(', '));
    return sendPage(reply, 405, methodPage);
  }

  function pageOf(error: unknown, request: FastifyRequest): PageReply {
    if (error instanceof ForeignForm) return [403, notOursPage];
    if (error instanceof Refusal) return refused(error);
    const { code, statusCode } = error as { code?: string; statusCode?: number };
    if (isBrokenOff(error, request)) return [400, bodyPage];
    if (code?.startsWith('FST_ERR_CTP_') && statusCode) return [statusCode, bodyPage];
    ctx.fault(error);
    return [500, faultPage];
  }

  function refused(refusal: Refusal): PageReply {
    if (refusal.is('session_not_found')) return [404, unknownPage];
    if (refusal.is('disk_full')) ctx.fault(refusal);
    return [STATUS[refusal.code], refusedPage(refusal.message)];
  }
}
