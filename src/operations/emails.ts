import * as Type from 'typebox';
import { listQuery } from './list-query.ts';
import { enveloped, listed, named, ok, operation, resource } from './operation.ts';
import { instant, nullable, text } from './schemas.ts';

const tag = 'Emails';
const params = { id: 'The email’s id.' };

export const Email = named('Email', 'An email that the service would have sent.', {
  id: Type.String(),
  to: Type.String(),
  from: Type.String(),
  subject: Type.String(),
  template: Type.String(),
  reference: nullable(text('The contract that it is about.')),
  text: Type.String(),
  html: Type.String(),
  created_at: instant('Account time.'),
});

export const listEmails = operation({
  operationId: 'listEmails',
  method: 'GET',
  path: '/_sim/emails',
  auth: 'account',
  tag,
  summary: 'List emails, newest first',
  query: listQuery({
    to: Type.Optional(text('Only emails to this address; case is ignored.')),
    reference: Type.Optional(text('Only emails about the contract with this reference.')),
  }),
  success: ok(listed('Email'), 'The emails.'),
  refusals: [401, 422],
});

export const getEmail = operation({
  operationId: 'getEmail',
  method: 'GET',
  path: '/_sim/emails/{id}',
  auth: 'account',
  tag,
  summary: 'Read an email',
  params,
  success: ok(enveloped('Email'), 'The email.'),
  refusals: [401, 404],
});

export const getEmailPage = operation({
  operationId: 'getEmailPage',
  method: 'GET',
  path: '/_sim/emails/{id}/page',
  auth: 'account',
  tag,
  summary: 'Show an email as a page of its own, for a frame',
  params,
  query: Type.Object({
    account: Type.Optional(text('The client id, for a frame that cannot send headers.')),
    ticket: Type.Optional(text('Authenticates a frame of the dashboard, which cannot send headers.')),
  }),
  success: { status: 200, schema: Type.String(), description: 'The HTML part.', type: 'text/html' },
  refusals: [401, 404],
});

export const getEmailFrame = operation({
  operationId: 'getEmailFrame',
  method: 'GET',
  path: '/_sim/browse/emails/{id}/frame',
  auth: 'account',
  tag: 'Dashboard',
  summary: 'Read the URL of an email’s page for a frame of the dashboard',
  params,
  success: ok(resource({ data: resource({ src: Type.String() }) }), 'The address.'),
  refusals: [401, 404],
});

export const EMAIL_SCHEMAS = [Email] as const;
export const EMAIL_OPERATIONS = [listEmails, getEmail, getEmailPage, getEmailFrame] as const;
