import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import { renderEmail } from '../../../domain/email.ts';
import type { Account } from '../../../domain/merchant.ts';
import type { StoredEmail } from '../../../store/emails.ts';
import type { HttpContext } from '../../context.ts';
import { listQuery } from '../../list.ts';
import { owned } from '../../owned.ts';
import { textOf } from '../../query.ts';

/** The inbox of an account (decisions §7). */
export function simEmails(app: FastifyInstance, { store }: HttpContext) {
  const find = (account: Account, token: string) => owned(account, store.emails.find(token), 'E-mail');

  app.get<{ Querystring: Record<string, unknown> }>('/_sim/emails', async ({ principal: { account }, query }) => {
    const { limit, afterId } = listQuery(query, (token) => find(account, token).id);
    const narrow = { to: textOf(query, 'to'), reference: textOf(query, 'reference') };
    return { data: store.emails.list(account.id, limit, afterId, narrow).map(emailView) };
  });

  app.get<{ Params: { id: string } }>('/_sim/emails/:id', async ({ principal: { account }, params }) => ({
    data: emailView(find(account, params.id)),
  }));
}

/** An e-mail as one line of a list tells it. */
export function emailLine({ token, recipient, template, facts, createdAt }: StoredEmail) {
  const { subject } = renderEmail(template, facts);
  return { id: token, to: recipient, subject, template, created_at: formatInstant(createdAt) };
}

export function emailView({ token, recipient, template, facts, reference, createdAt }: StoredEmail) {
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
