import type { FastifyInstance, FastifyReply } from 'fastify';
import { type CardErrors, checkCard } from '../../../domain/card.ts';
import type { Contract } from '../../../domain/contract.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { effectiveStatus, type SessionStatus } from '../../../domain/session.ts';
import { trimmed } from '../../../domain/text.ts';
import { DetailsForm } from '../../../operations/sessions.ts';
import { createActing } from '../../acting.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { validate } from '../../input/validate.ts';
import { type DetailsEntered, detailsPage } from '../../pages/details.ts';
import { completedPage, endedPage, type Receipt } from '../../pages/ended.ts';
import type { Page } from '../../pages/layout.ts';
import { type EmailEntered, paymentPage } from '../../pages/payment.ts';
import { addressOf, type Step, type Visit } from '../../pages/visit.ts';
import { ForeignForm, formTokens } from './forgery.ts';
import { seeOther, sendPage } from './send.ts';

interface Request {
  Params: { token: string };
  Querystring: Record<string, unknown>;
}

/** The status that each step requires. */
const STANDS_AT: Record<'accept' | 'email' | 'pay', SessionStatus> = {
  accept: 'pending',
  email: 'decision_made',
  pay: 'decision_made',
};

export function checkout(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, clocks, travel } = ctx;
  const { asLever } = createActing(ctx);
  const tokens = formTokens(ctx);

  app.get<Request>('/:token', async ({ params, query }, reply) => show(reply, visitOf(params.token, query)));

  /** The same for a page that updates itself every few seconds; these requests are not logged. */
  app.get<Request>('/:token/now', { config: { quiet: true } }, async ({ params, query }, reply) =>
    show(reply, visitOf(params.token, query)),
  );

  /** The URL that a form was sent to, reloaded or opened from a bookmark. */
  for (const step of ['accept', 'email', 'pay', 'cancel', 'expire'] as const) {
    app.get<Request>(`/:token/${step}`, async ({ params, query }, reply) =>
      seeOther(reply, addressOf(visitOf(params.token, query))),
    );
  }

  app.post<Request>('/:token/accept', async (request, reply) => {
    const { visit, text } = posted(request);
    if (visit.status !== STANDS_AT.accept) return tellTruth(reply, visit, 'accept');
    const entered = { name: oneLine(text('customer_name')), email: trimmed(text('customer_email')) };
    const errors = detailErrors(entered);
    if (errors) return sendPage(reply, 422, detailsPage(visit, { ...entered, errors }), visit);
    const accepted = { customer_name: entered.name, customer_email: entered.email };
    asLever(request, visit.account, 'acceptPlan', accepted).acceptPlan(visit.account, visit.session, entered);
    return seeOther(reply, addressOf(visit));
  });

  app.post<Request>('/:token/email', async (request, reply) => {
    const { visit, text } = posted(request);
    if (visit.status !== STANDS_AT.email) return tellTruth(reply, visit, 'email');
    const email = trimmed(text('customer_email'));
    const errors = detailErrors({ name: contractOf(visit).customerName, email });
    if (errors) return sendPage(reply, 422, payment(visit, {}, { email, error: errors.email }), visit);
    engine.correctEmail(visit.account, visit.session, email);
    return seeOther(reply, addressOf(visit));
  });

  app.post<Request>('/:token/pay', async (request, reply) => {
    const { visit, text } = posted(request);
    if (visit.status !== STANDS_AT.pay) return tellTruth(reply, visit, 'pay');
    const card = { number: text('card_number'), expiry: text('card_expiry'), code: text('card_code') };
    const errors = checkCard(card, visit.now);
    if (Object.keys(errors).length > 0) return sendPage(reply, 422, payment(visit, errors), visit);
    const outcome = text('outcome') === 'fail' ? 'fail' : 'pay';
    const customer = asLever(request, visit.account, 'payCartCapture', { outcome });
    const { status } = customer.payCartCapture(visit.account, visit.session, outcome);
    return seeOther(reply, status === 'pending' ? addressOf(visit) : visit.session.returnUrl);
  });

  app.post<Request>('/:token/cancel', async (request, reply) => {
    const { visit } = posted(request);
    if (visit.status !== 'pending' && visit.status !== 'decision_made') return tellTruth(reply, visit, 'cancel');
    asLever(request, visit.account, 'cancelCheckout', {}).backOut(visit.account, visit.session);
    return seeOther(reply, visit.session.cancelUrl);
  });

  /** For the simulator bar: advances the account's clock to the deadline and does what falls due until then. */
  app.post<Request>('/:token/expire', async (request, reply) => {
    const { visit } = posted(request);
    const { account, session, status } = visit;
    if (status === 'pending') await travel.advance(account, { to: session.expiresAt });
    return seeOther(reply, addressOf(visit));
  });

  /** @throws Refusal `session_not_found` */
  function visitOf(token: string, query: Record<string, unknown>): Visit {
    const { session, account } = engine.openedLink(token);
    const now = clocks.now(account.id);
    return {
      session,
      account,
      now,
      clockMode: clocks.get(account.id).mode,
      status: effectiveStatus(session, now),
      bar: query.bar !== 'off',
      fill: query.fill === '1',
      formToken: tokens.of(token),
    };
  }

  /**
   * A posted form and its checkout. A field that is missing or was sent twice counts as empty.
   * @throws Refusal `session_not_found`, ForeignForm
   */
  function posted(request: { params: { token: string }; query: Record<string, unknown>; body: unknown }) {
    const visit = visitOf(request.params.token, request.query);
    const body = bodyOf(request) as Record<string, unknown>;
    const text = (name: string) => (typeof body[name] === 'string' ? (body[name] as string) : '');
    if (!tokens.accepts(visit.session.token, text('form_token'))) throw new ForeignForm();
    return { visit, text };
  }

  /** The page for the current state of the session. */
  function show(reply: FastifyReply, visit: Visit) {
    const { status } = visit;
    return sendPage(reply, status === 'cancelled' || status === 'expired' ? 410 : 200, pageOf(visit), visit);
  }

  function pageOf(visit: Visit): Page {
    if (visit.status === 'pending') return detailsPage(visit, null);
    if (visit.status === 'decision_made') return payment(visit, {});
    if (visit.status === 'completed') return completedPage(visit, receiptOf(visit));
    return endedPage(visit, visit.status);
  }

  function payment(visit: Visit, errors: CardErrors, entered: EmailEntered | null = null): Page {
    const contract = contractOf(visit);
    const attempts = store.of(visit.account).attempts.list(contract);
    return paymentPage(visit, contract, { declined: attempts.length > 0, errors, entered });
  }

  function receiptOf(visit: Visit): Receipt {
    const contract = contractOf(visit);
    const own = store.of(visit.account);
    const landed = own.attempts.list(contract).find(({ sequence, outcome }) => sequence === 1 && outcome === 'pay');
    if (!landed) throw new Error(`Session ${visit.session.token} is completed without a payment.`);
    return { contract, installments: own.installments.list(contract), payment: landed };
  }

  function contractOf({ session, account }: Visit): Contract {
    const contract = store.of(account).contracts.ofSession(session);
    if (!contract) throw new Error(`Session ${session.token} was accepted without a contract.`);
    return contract;
  }

  /**
   * Answers a step that the session has already passed, as after a second click or the back button. A repeated step
   * leads where the first one did. Otherwise the page shows the current state.
   */
  function tellTruth(reply: FastifyReply, visit: Visit, step: Step) {
    const { session, status } = visit;
    if (step === 'pay' && status === 'completed') return seeOther(reply, session.returnUrl);
    if (step === 'cancel' && status === 'cancelled') return seeOther(reply, session.cancelUrl);
    if (status === 'pending' || status === 'decision_made') return seeOther(reply, addressOf(visit));
    return sendPage(reply, 409, pageOf(visit), visit);
  }
}

/** Makes one line of a text, as a text field of a browser does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this removes control characters
const oneLine = (text: string) => trimmed(text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' '));

/** The same rules as `POST /_sim/sessions/{id}/accept`, with messages for the customer. */
function detailErrors({ name, email }: { name: string; email: string }): DetailsEntered['errors'] | null {
  try {
    validate(DetailsForm, { customer_name: name, customer_email: email });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal && error.is('invalid'))) throw error;
    const [fields] = error.details;
    return {
      name: fields.customer_name && (name === '' ? 'Enter your full name.' : 'Use at most 255 characters.'),
      email:
        fields.customer_email &&
        (email === '' ? 'Enter your email address.' : 'Enter an email address like name@example.com.'),
    };
  }
}
