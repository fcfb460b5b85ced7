import type { FastifyRequest } from 'fastify';
import { isSameHost } from '../../access/guard.ts';
import type { HttpContext } from '../../context.ts';

/** A form that was not sent by one of our pages. */
export class ForeignForm extends Error {}

/**
 * Whether the browser says that a form came from another site. Our pages send no referrer, so their forms may have
 * `Origin: null`. Then Sec-Fetch-Site decides, and for a browser that sends neither, the form token.
 */
export function isForeignPost({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  return origin !== undefined && origin !== 'null' && !isSameHost(origin, headers.host);
}

/** The tokens of our forms, each bound to its checkout and to this run of the server. */
export function formTokens({ digest, controlToken }: Pick<HttpContext, 'digest' | 'controlToken'>) {
  const of = (session: string) =>
    Buffer.from(digest.sha256(`${controlToken}\nform of ${session}\n${controlToken}`)).toString('base64url');
  return {
    of,
    /** Compares digests, so that the time taken reveals nothing. */
    accepts: (session: string, given: string) => digest.same(digest.sha256(given), digest.sha256(of(session))),
  };
}
