import type { FastifyInstance } from 'fastify';
import { getHostedSession } from '../../../operations/service.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';

/** `GET /v1/sessions/{id}`, the hosted page's unauthenticated read (§4.4, payload @assumed decisions §5). */
export function hostedRead(app: FastifyInstance, { engine, store, views, clocks }: HttpContext) {
  serve(app, getHostedSession, ({ params, reply }) => {
    reply.header('cache-control', 'no-store');
    const { session, account } = engine.openedLink(params.id);
    const own = store.of(account);
    const contract = own.contracts.ofSession(session);
    const installments = contract && own.installments.list(contract);
    return { data: views.hosted(session, account, installments, clocks.now(account.id)) };
  });
}
