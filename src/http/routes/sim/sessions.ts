import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../domain/contract.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { listQuery } from '../../list.ts';
import { AcceptInput, CompleteInput, PayInput } from '../../schemas.ts';
import { validateStrictly } from '../../validate.ts';
import { sessionInput } from '../v1/sessions.ts';

type ById = { Params: { id: string } };

/** The hosted steps without a browser, and the list of sessions. */
export function simSessions(app: FastifyInstance, { engine, store, views, clocks }: HttpContext) {
  const view = (contract: Contract) => ({ data: views.contract(contract, store.installments.list(contract.id)) });

  app.get<{ Querystring: Record<string, unknown> }>('/_sim/sessions', async ({ principal, query }) => {
    const { account } = principal;
    const { limit, afterId } = listQuery(query, (id) => engine.ownLink(account, id).id);
    const now = clocks.now(account.id);
    return { data: store.sessions.list(account.id, limit, afterId).map((session) => views.session(session, now)) };
  });

  /** A dashboard preview (§4.5): a session whose contract never appears in `/v1`. */
  app.post('/_sim/sessions', async (request, reply) => {
    const body: { preview?: unknown } = bodyOf(request);
    if (body.preview !== true) {
      throw new Refusal('invalid', {
        preview: ['The preview field must be true; other sessions are opened under /v1.'],
      });
    }
    const { account } = request.principal;
    const { session, now } = engine.openSession(account, () => sessionInput(account, body), { preview: true });
    return reply.code(201).send({ data: views.session(session, now) });
  });

  app.post<ById>('/_sim/sessions/:id/accept', async (request) => {
    const { account } = request.principal;
    const body = bodyOf(request);
    const session = engine.ownLink(account, request.params.id);
    const input = validateStrictly(AcceptInput, body);
    return view(engine.acceptPlan(account, session, { name: input.customer_name, email: input.customer_email }));
  });

  app.post<ById>('/_sim/sessions/:id/pay', async (request) => {
    const { account } = request.principal;
    const body = bodyOf(request);
    const session = engine.ownLink(account, request.params.id);
    return view(engine.payCartCapture(account, session, validateStrictly(PayInput, body).outcome ?? 'pay'));
  });

  /** Accept, unless it already was, and pay. */
  app.post<ById>('/_sim/sessions/:id/complete', async (request) => {
    const { account } = request.principal;
    const body = bodyOf(request);
    const session = engine.ownLink(account, request.params.id);
    const input = validateStrictly(CompleteInput, body);
    if (session.status !== 'decision_made') {
      engine.acceptPlan(account, session, {
        name: input.customer_name ?? 'Test Customer',
        email: input.customer_email ?? session.customerEmail ?? 'customer@example.com',
      });
    }
    return view(engine.payCartCapture(account, engine.ownLink(account, request.params.id), input.outcome ?? 'pay'));
  });

  app.post<ById>('/_sim/sessions/:id/cancel', async (request) => {
    const { account } = request.principal;
    const cancelled = engine.backOut(account, engine.ownLink(account, request.params.id));
    return { data: views.session(cancelled, clocks.now(account.id)) };
  });
}
