import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../domain/contract.ts';
import type { Account } from '../../../domain/merchant.ts';
import { invalid, Refusal } from '../../../domain/refusal.ts';
import { EXAMPLE_CUSTOMER, SessionCreate } from '../../../operations/schemas.ts';
import {
  acceptPlan,
  cancelCheckout,
  completeCheckout,
  listSessions,
  openSession,
  PreviewInput,
  payCartCapture,
  previewSession,
} from '../../../operations/sessions.ts';
import { contractView } from '../../answer/contract-view.ts';
import { pageOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { sessionInput } from '../../input/session.ts';
import { refuseUnknown } from '../../input/validate.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { serve } from '../../serve.ts';

/** The hosted steps without a browser, and the list of sessions. */
export function simSessions(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, views, clocks, courier, note } = ctx;
  const { by } = createRequestVerbs(ctx);
  const seen = contractView(ctx);
  const view = (account: Account, contract: Contract) => ({ data: seen(account, contract) });

  serve(app, listSessions, ({ account, query }) => {
    const { limit, afterId } = pageOf(query, (id) => engine.ownSession(account, id).id);
    const now = clocks.now(account.id);
    const wanted = { status: query.status ?? null, orderReference: query.order_reference ?? null };
    const sessions = store.of(account).sessions.list(limit, afterId, now, wanted);
    return { data: sessions.map((session) => views.session(session, now)) };
  });

  /** A dashboard preview (§4.5): a session whose contract never appears in `/v1`. */
  serve(app, previewSession, ({ account, request }) => {
    const body: { preview?: unknown } = bodyOf(request);
    if (body.preview !== true) {
      throw new Refusal('invalid', {
        preview: ['The preview field must be true; other sessions are opened under /v1.'],
      });
    }
    refuseUnknown(Object.keys(body), PreviewInput);
    const { session, now } = by(request).openSession(account, () => sessionInput(account, body, note), {
      preview: true,
    });
    return { data: views.session(session, now) };
  });

  serve(app, openSession, ({ account, request }) => {
    // The account decides which URLs are allowed, so the schema alone cannot check the fields.
    const body = bodyOf(request);
    refuseUnknown(Object.keys(body), SessionCreate);
    const { session, now } = by(request).openSession(account, () => sessionInput(account, body, note));
    return { data: views.session(session, now) };
  });

  /** Answers at once, or after the due webhooks were attempted if the caller asked to wait. */
  async function waited<A>(account: Account, { wait }: { readonly wait?: string }, answer: A): Promise<A> {
    if (wait === 'true') await courier.drain(account.id);
    return answer;
  }

  serve(app, acceptPlan, ({ account, params, query, body, request }) => {
    const session = engine.ownSession(account, params.id);
    const { customer_name: name, customer_email: email = session.customerEmail } = body();
    if (email === null) throw invalid('customer_email', 'The customer email field is required: the session has none.');
    return waited(account, query, view(account, by(request).acceptPlan(account, session, { name, email })));
  });

  serve(app, payCartCapture, ({ account, params, query, body, request }) => {
    const session = engine.ownSession(account, params.id);
    return waited(account, query, view(account, by(request).payCartCapture(account, session, body().outcome ?? 'pay')));
  });

  serve(app, completeCheckout, ({ account, params, query, body, request }) => {
    const session = engine.ownSession(account, params.id);
    const input = body();
    const customer = {
      name: input.customer_name ?? EXAMPLE_CUSTOMER.name,
      email: input.customer_email ?? session.customerEmail ?? EXAMPLE_CUSTOMER.email,
    };
    const contract = by(request).completeCheckout(account, session, customer, input.outcome ?? 'pay');
    return waited(account, query, view(account, contract));
  });

  serve(app, cancelCheckout, ({ account, params, query, request }) => {
    const cancelled = by(request).backOut(account, engine.ownSession(account, params.id));
    return waited(account, query, { data: views.session(cancelled, clocks.now(account.id)) });
  });
}
