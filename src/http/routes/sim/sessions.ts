import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../domain/contract.ts';
import type { Account } from '../../../domain/merchant.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { SessionCreate } from '../../../operations/schemas.ts';
import {
  acceptPlan,
  cancelCheckout,
  completeCheckout,
  listSessions,
  openSession,
  payCartCapture,
  previewSession,
} from '../../../operations/sessions.ts';
import { pageOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { sessionInput } from '../../input/session.ts';
import { refuseUnknown } from '../../input/validate.ts';
import { serve } from '../../serve.ts';

/** The hosted steps without a browser, and the list of sessions. */
export function simSessions(app: FastifyInstance, { engine, store, views, clocks, note }: HttpContext) {
  const view = (account: Account, contract: Contract) => ({
    data: views.contract(contract, store.of(account).installments.list(contract)),
  });

  serve(app, listSessions, ({ account, query }) => {
    const { limit, afterId } = pageOf(query, (id) => engine.ownLink(account, id).id);
    const now = clocks.now(account.id);
    return {
      data: store
        .of(account)
        .sessions.list(limit, afterId)
        .map((session) => views.session(session, now)),
    };
  });

  /** A dashboard preview (§4.5): a session whose contract never appears in `/v1`. */
  serve(app, previewSession, ({ account, request }) => {
    const body: { preview?: unknown } = bodyOf(request);
    if (body.preview !== true) {
      throw new Refusal('invalid', {
        preview: ['The preview field must be true; other sessions are opened under /v1.'],
      });
    }
    const { session, now } = engine.openSession(account, () => sessionInput(account, body, note), { preview: true });
    return { data: views.session(session, now) };
  });

  serve(app, openSession, ({ account, request }) => {
    // The account decides which URLs are allowed, so its fields are not checked by the schema alone.
    const body = bodyOf(request);
    refuseUnknown(Object.keys(body), (name) => Object.hasOwn(SessionCreate.properties, name));
    const { session, now } = engine.openSession(account, () => sessionInput(account, body, note));
    return { data: views.session(session, now) };
  });

  serve(app, acceptPlan, ({ account, params, body }) => {
    const session = engine.ownLink(account, params.id);
    const { customer_name: name, customer_email: email } = body();
    return view(account, engine.acceptPlan(account, session, { name, email }));
  });

  serve(app, payCartCapture, ({ account, params, body }) => {
    const session = engine.ownLink(account, params.id);
    return view(account, engine.payCartCapture(account, session, body().outcome ?? 'pay'));
  });

  serve(app, completeCheckout, ({ account, params, body }) => {
    const session = engine.ownLink(account, params.id);
    const input = body();
    if (session.status !== 'decision_made') {
      engine.acceptPlan(account, session, {
        name: input.customer_name ?? 'Test Customer',
        email: input.customer_email ?? session.customerEmail ?? 'customer@example.com',
      });
    }
    return view(account, engine.payCartCapture(account, engine.ownLink(account, params.id), input.outcome ?? 'pay'));
  });

  serve(app, cancelCheckout, ({ account, params }) => {
    const cancelled = engine.backOut(account, engine.ownLink(account, params.id));
    return { data: views.session(cancelled, clocks.now(account.id)) };
  });
}
