import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../../domain/refusal.ts';
import type { World } from '../../../engine/world.ts';

/** How many unused links and signed-in browsers are kept; the oldest is dropped first. */
const KEPT = 1_000;

interface Dependencies extends Pick<World, 'digest'> {
  /** A string that nobody can guess. */
  draw(): string;
}

export type SignIn = ReturnType<typeof createSignIn>;

/**
 * Signs browsers in to the dashboard: a one-time link gives a browser a cookie and a key. The browser sends the cookie
 * to every port of the host, so other programs get it too. The key stays with the pages of this origin, and access
 * needs both. Links and cookies are kept as digests in memory, so a restart signs everybody out.
 */
export function createSignIn({ draw, digest }: Dependencies) {
  /** Of this run of the server. */
  const ownSecret = draw();
  const links = new Set<string>();
  const browsers = new Set<string>();
  const digestOf = (secret: string) => Buffer.from(digest.sha256(secret)).toString('base64');
  const isKnown = (cookie: string) => browsers.has(digestOf(cookie));

  function remember(among: Set<string>): string {
    const secret = draw();
    among.add(digestOf(secret));
    for (const oldest of among) {
      if (among.size <= KEPT) break;
      among.delete(oldest);
    }
    return secret;
  }

  /** Derives a value from a cookie for one purpose, as only this run of the server can. */
  const derive = (purpose: string, cookie: string) =>
    Buffer.from(digest.sha256([ownSecret, purpose, cookie, ownSecret].join('\n'))).toString('base64url');
  const isDerived = (given: string, purpose: string, cookie: string) =>
    isKnown(cookie) && digest.same(digest.sha256(given), digest.sha256(derive(purpose, cookie)));

  return {
    /** Makes the token of a new one-time link. */
    newLink: () => remember(links),
    /** Whether a link was not used yet. */
    isUnused: (token: string) => links.has(digestOf(token)),
    /** Gives the cookie and the key of a link; null for a used or unknown link. A signed-in browser keeps its own. */
    redeem(token: string, before: string): { readonly cookie: string; readonly key: string } | null {
      if (!links.delete(digestOf(token))) return null;
      const cookie = isKnown(before) ? before : remember(browsers);
      return { cookie, key: derive('key', cookie) };
    },
    isKnown,
    isKey: (key: string, cookie: string) => isDerived(key, 'key', cookie),
    /** Lets a frame, which cannot send the key, read one URL. */
    ticket: (cookie: string, address: string) => derive(`frame ${address}`, cookie),
    isTicket: (ticket: string, cookie: string, address: string) => isDerived(ticket, `frame ${address}`, cookie),
  };
}

interface DashboardContext {
  readonly signIn: SignIn;
  readonly base: { readonly url: string };
}

/** All ports of a host share cookies, so each simulator needs a name of its own. */
export const cookieName = ({ headers }: FastifyRequest) =>
  `layaway_dashboard_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'}`;

/** A one-time link. */
export const linkTo = ({ signIn, base }: DashboardContext) => `${base.url}/dashboard/enter?token=${signIn.newLink()}`;

/** The value of the dashboard's cookie; empty if it is missing. */
export const cookieOf = (request: FastifyRequest) => cookies(request).get(cookieName(request)) ?? '';

/** Whether a request has the cookie of a signed-in browser. Other programs on this host can have it too. */
export const isSignedIn = (request: FastifyRequest, { signIn }: DashboardContext) => signIn.isKnown(cookieOf(request));

/**
 * Whether the dashboard itself made a request to the control plane. To `SameSite`, all ports of this host are one site.
 * A page on another port cannot hide its Origin or Sec-Fetch-Site. A program on another port can send any header, but
 * it never got the key.
 * @throws Refusal `foreign_origin`
 */
export function isFromDashboard(request: FastifyRequest, context: DashboardContext): boolean {
  if (!isSignedIn(request, context)) return false;
  const { headers, method } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw new Refusal('foreign_origin', 'another page');
  const changes = method !== 'GET' && method !== 'HEAD';
  if (changes && headers.origin === undefined) throw new Refusal('foreign_origin', '');
  const key = headers['x-layaway-dashboard'];
  if (key !== undefined) return context.signIn.isKey(String(key), cookieOf(request));
  return !changes && hasTicket(request, context);
}

const TICKET = '&ticket=';

/** The URL of a page for a frame of the dashboard. `path` has a query. */
export const framed = (request: FastifyRequest, { signIn }: DashboardContext, path: string) =>
  `${path}${TICKET}${signIn.ticket(cookieOf(request), path)}`;

function hasTicket(request: FastifyRequest, { signIn }: DashboardContext): boolean {
  const [address = '', ticket] = request.url.split(TICKET, 2);
  return ticket !== undefined && signIn.isTicket(ticket, cookieOf(request), address);
}

function cookies({ headers }: FastifyRequest): Map<string, string> {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}
