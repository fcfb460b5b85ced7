import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkCard } from '../../../domain/card.ts';
import { overdueOf } from '../../../domain/contract.ts';
import type { Installment } from '../../../domain/installment.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { effectiveStatus, type SessionStatus } from '../../../domain/session.ts';
import { oneLine, trimmed } from '../../../domain/text.ts';
import { DetailsForm } from '../../../operations/sessions.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { validate } from '../../input/validate.ts';
import { type DetailsEntered, detailsPage } from '../../pages/details.ts';
import { addressOf, type Step, type Visit } from '../../pages/visit.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { ForeignForm, formTokens } from './forgery.ts';
import { seeOther, sendPage } from './send.ts';
import { createVisitPages } from './visit-pages.ts';

interface Request {
  Params: { token: string };
  Querystring: Record<string, unknown>;
}

/** A posted form with its checkout. */
interface Posted {
  readonly visit: Visit;
  /** The text of a field; empty if it is missing or was sent twice. */
  text(name: string): string;
}

/** The statuses in which each step can be taken. */
const STANDS_AT: Record<Step, readonly SessionStatus[]> = {
  accept: ['pending'],
  email: ['decision_made'],
  pay: ['decision_made'],
  settle: ['completed'],
  cancel: ['pending', 'decision_made'],
  expire: ['pending'],
};

export function checkout(app: FastifyInstance, ctx: HttpContext) {
  const { engine, clocks, travel } = ctx;
  const { asLever } = createRequestVerbs(ctx);
  const tokens = formTokens(ctx);
  const { pageOf, payment, installmentsOf, contractOf } = createVisitPages(ctx);

  app.get<Request>('/:token', async ({ params, query }, reply) => show(reply, visitOf(params.token, query)));

  /** The same for a page that updates itself every few seconds; these requests are not logged. */
  app.get<Request>('/:token/now', { config: { quiet: true } }, async ({ params, query }, reply) =>
    show(reply, visitOf(params.token, query)),
  );

  step('accept', ({ visit, text }, request, reply) => {
    const entered = { name: oneLine(text('customer_name')), email: trimmed(text('customer_email')) };
    const errors = detailErrors(entered);
    if (errors) return sendPage(reply, 422, detailsPage(visit, { ...entered, errors }), visit);
    const accepted = { customer_name: entered.name, customer_email: entered.email };
    asLever(request, visit.account, 'acceptPlan', accepted).acceptPlan(visit.account, visit.session, entered);
    return seeOther(reply, addressOf(visit));
  });

  step('email', ({ visit, text }, _request, reply) => {
    const email = trimmed(text('customer_email'));
    const errors = detailErrors({ name: contractOf(visit).customerName, email });
    if (errors) return sendPage(reply, 422, payment(visit, {}, { email, error: errors.email }), visit);
    engine.correctEmail(visit.account, visit.session, email);
    return seeOther(reply, addressOf(visit));
  });

  step('pay', ({ visit, text }, request, reply) => {
    const card = { number: text('card_number'), expiry: text('card_expiry'), code: text('card_code') };
    const outcome = text('outcome') === 'fail' ? 'fail' : 'pay';
    const errors = checkCard(card, visit.now);
    if (Object.keys(errors).length > 0) {
      const again = { ...visit, decline: outcome === 'fail' };
      return sendPage(reply, 422, payment(again, errors), again);
    }
    const customer = asLever(request, visit.account, 'payCartCapture', { outcome });
    const { status } = customer.payCartCapture(visit.account, visit.session, outcome);
    return seeOther(reply, status === 'pending' ? addressOf(visit) : visit.session.returnUrl);
  });

  /** The customer pays the overdue installment whose button was pressed. */
  step('settle', ({ visit, text }, request, reply) => {
    const { account } = visit;
    const contract = contractOf(visit);
    const installments = installmentsOf(visit, contract);
    const isChosen = ({ number }: Installment) => number !== null && String(number) === text('installment');
    // A second click leads where the first one did.
    if (installments.find(isChosen)?.status === 'paid') return seeOther(reply, addressOf(visit));
    const number = overdueOf(contract, installments).find(isChosen)?.number;
    if (!number) return sendPage(reply, 409, pageOf(visit), visit);
    const params = { reference: contract.reference, number: String(number) };
    asLever(request, account, 'settleInstallment', {}, params).settle(account, contract, number);
    return seeOther(reply, addressOf(visit));
  });

  step('cancel', ({ visit }, request, reply) => {
    asLever(request, visit.account, 'cancelCheckout', {}).backOut(visit.account, visit.session);
    return seeOther(reply, visit.session.cancelUrl);
  });

  /** For the simulator bar: advances the account's clock to the deadline and does what falls due until then. */
  step('expire', async ({ visit }, _request, reply) => {
    await travel.advance(visit.account, { to: visit.session.expiresAt });
    return seeOther(reply, addressOf(visit));
  });

  /** Takes a step if the session's status allows it, and otherwise shows that status. */
  function step(
    name: Step,
    take: (form: Posted, request: FastifyRequest<Request>, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>,
  ) {
    const canBeTaken = ({ status }: Visit) => STANDS_AT[name].includes(status);
    app.post<Request>(`/:token/${name}`, async (request, reply) => {
      const form = posted(request);
      if (!canBeTaken(form.visit)) return tellTruth(reply, form.visit, name);
      try {
        return await take(form, request, reply);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // Meanwhile the deadline passed, for example.
        const visit = visitOf(request.params.token, request.query);
        if (canBeTaken(visit)) throw error;
        request.lever = null;
        return tellTruth(reply, visit, name);
      }
    });
    // The URL that the form was sent to, reloaded or opened from a bookmark.
    app.get<Request>(`/:token/${name}`, async ({ params, query }, reply) =>
      seeOther(reply, addressOf(visitOf(params.token, query))),
    );
  }

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
      decline: false,
      formToken: tokens.of(token),
    };
  }

  /** @throws Refusal `session_not_found`, ForeignForm */
  function posted(request: FastifyRequest<Request>): Posted {
    const visit = visitOf(request.params.token, request.query);
    const body = bodyOf(request) as Record<string, unknown>;
    const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
    if (!tokens.accepts(visit.session.token, text('form_token'))) throw new ForeignForm();
    return { visit, text };
  }

  /** The page for the current state of the session. */
  function show(reply: FastifyReply, visit: Visit) {
    const { status } = visit;
    return sendPage(reply, status === 'cancelled' || status === 'expired' ? 410 : 200, pageOf(visit), visit);
  }

  /**
   * Answers a step that the session has already passed, as after a second click or the back button. A repeated step
   * leads where the first one did. Otherwise the page shows the current state.
   */
  function tellTruth(reply: FastifyReply, visit: Visit, step: Step) {
    const { session, status } = visit;
    if (step === 'expire') return seeOther(reply, addressOf(visit));
    if (step === 'pay' && status === 'completed') return seeOther(reply, session.returnUrl);
    if (step === 'cancel' && status === 'cancelled') return seeOther(reply, session.cancelUrl);
    if (status === 'pending' || status === 'decision_made') return seeOther(reply, addressOf(visit));
    return sendPage(reply, 409, pageOf(visit), visit);
  }
}

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
