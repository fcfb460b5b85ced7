import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { HttpContext } from '../../context.ts';
import { route } from '../../operation.ts';
import { enveloped } from '../../schemas.ts';

/** `GET /v1/sessions/{id}`, the hosted page's unauthenticated read (§4.4, payload @assumed decisions §5). */
export function hostedRead(app: FastifyInstance, { engine, store, views, clocks }: HttpContext) {
  const options = route({
    operationId: 'getHostedSession',
    summary: 'Read a session as the hosted page does',
    description:
      'What the checkout page itself reads: it tells nothing of the merchant’s books. A merchant’s backend reads `/v1/checkout-sessions/{id}` instead.',
    tag: 'Hosted page',
    scope: null,
    params: Type.Object({ id: Type.String({ description: 'The session’s public token, `cs_…`.' }) }),
    success: { status: 200, schema: enveloped('HostedSession'), description: 'The session as the customer sees it.' },
    refusals: [404, 429],
  });
  app.get<{ Params: { id: string } }>('/v1/sessions/:id', options, async ({ params }, reply) => {
    reply.header('cache-control', 'no-store');
    const { session, account } = engine.openedLink(params.id);
    const contract = store.contracts.ofSession(session.id);
    const installments = contract && store.installments.list(contract.id);
    return { data: views.hosted(session, account, installments, clocks.now(account.id)) };
  });
}
