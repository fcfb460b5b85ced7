import type { FastifyReply } from 'fastify';
import { layout, type Page } from '../../pages/layout.ts';
import type { Visit } from '../../pages/visit.ts';

export type PageReply = [status: number, page: Page, visit?: Visit];

/**
 * Nothing inline, nothing from other hosts, no framing. `form-action` is not set: browsers apply it to every redirect
 * after a form, also on the merchant's own site, and a customer who has paid would get stuck.
 */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function sendPage(reply: FastifyReply, ...[status, page, visit]: PageReply) {
  return reply
    .code(status)
    .headers(HEADERS)
    .type('text/html; charset=utf-8')
    .send(layout(page, visit ?? null));
}

/** After a form, redirects to the next page with GET. The URL is sent byte for byte (decisions §4). */
export function seeOther(reply: FastifyReply, address: string) {
  return reply.code(303).headers(HEADERS).header('location', address).send();
}
