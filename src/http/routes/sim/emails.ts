import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import { renderEmail } from '../../../domain/email.ts';
import type { Account } from '../../../domain/merchant.ts';
import { getEmail, getEmailFrame, getEmailPage, listEmails } from '../../../operations/emails.ts';
import { addressOf } from '../../../operations/operation.ts';
import type { StoredEmail } from '../../../store/emails.ts';
import { found } from '../../answer/found.ts';
import { pageOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';
import { framed } from '../dashboard/sign-in.ts';

/** The inbox of an account (decisions §7). */
export function simEmails(app: FastifyInstance, ctx: HttpContext) {
  const { store } = ctx;
  const find = (account: Account, token: string) => found(store.of(account).emails.find(token), 'Email');

  serve(app, listEmails, ({ account, query }) => {
    const { limit, afterId } = pageOf(query, (token) => find(account, token).id);
    const { to = null, reference = null } = query;
    return { data: store.of(account).emails.list(limit, afterId, { to, reference }).map(emailView) };
  });

  serve(app, getEmail, ({ account, params }) => ({ data: emailView(find(account, params.id)) }));

  /** The URL of an email's page for the dashboard's frame. */
  serve(app, getEmailFrame, ({ account, params, request }) => {
    const { token } = find(account, params.id);
    return {
      data: { src: framed(request, ctx, addressOf(getEmailPage, { id: token }, { account: account.clientId })) },
    };
  });

  /** Nothing in the page can run, load or navigate. */
  serve(app, getEmailPage, ({ account, params, reply }) => {
    const email = find(account, params.id);
    return reply
      .headers({
        'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .serializer((page: string) => page)
      .send(renderEmail(email.template, email.facts).html);
  });
}

/** An email as a line of a list. */
export function emailLine({ token, recipient, template, facts, createdAt }: StoredEmail) {
  const { subject } = renderEmail(template, facts);
  return { id: token, to: recipient, subject, template, created_at: formatInstant(createdAt) };
}

function emailView({ token, recipient, template, facts, reference, createdAt }: StoredEmail) {
  const { from, subject, text, html } = renderEmail(template, facts);
  return {
    id: token,
    to: recipient,
    from,
    subject,
    template,
    reference,
    text,
    html,
    created_at: formatInstant(createdAt),
  };
}
