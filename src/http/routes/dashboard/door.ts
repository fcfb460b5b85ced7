import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../../domain/refusal.ts';
import type { World } from '../../../engine/world.ts';

/** How many unused links and signed-in browsers are kept; the oldest is dropped first. */
const KEPT = 1_000;

interface Means extends Pick<World, 'digest'> {
  /** A string that nobody can guess. */
  draw(): string;
}

export type Door = ReturnType<typeof createDoor>;

/**
 * Signs browsers in to the dashboard: a one-time link gives a browser a cookie and a key. The browser sends the cookie
 * to every port of the host, so other programs get it too. The key stays with the pages of this origin, and access
 * needs both. Links and cookies are kept as digests in memory, so a restart signs everybody out.
 */
export function createDoor({ draw, digest }: Means) {
  const own = draw();
  const links = new Set<string>();
  const visitors = new Set<string>();
  const nameOf = (secret: string) => Buffer.from(digest.sha256(secret)).toString('base64');
  const knows = (cookie: string) => visitors.has(nameOf(cookie));

  function remember(among: Set<string>): string {
    const secret = draw();
    among.add(nameOf(secret));
    for (const oldest of among) {
      if (among.size <= KEPT) break;
      among.delete(oldest);
    }
    return secret;
  }

  /** Derives a value from a cookie for one purpose, as only this run of the server can. */
  const derive = (purpose: string, cookie: string) =>
    Buffer.from(digest.sha256([own, purpose, cookie, own].join('\n'))).toString('base64url');
  const isDerived = (given: string, purpose: string, cookie: string) =>
    knows(cookie) && digest.same(digest.sha256(given), digest.sha256(derive(purpose, cookie)));

  return {
    /** Makes the token of a new one-time link. */
    newLink: () => remember(links),
    /** Whether a link was not used yet. */
    isUnused: (token: string) => links.has(nameOf(token)),
    /** Gives the cookie and the key of a link; null for a used or unknown link. A signed-in browser keeps its own. */
    enter(token: string, before: string): { readonly cookie: string; readonly key: string } | null {
      if (!links.delete(nameOf(token))) return null;
      const cookie = knows(before) ? before : remember(visitors);
      return { cookie, key: derive('key', cookie) };
    },
    knows,
    opens: (cookie: string, key: string) => isDerived(key, 'key', cookie),
    /** Lets a frame, which cannot send the key, read one URL. */
    ticket: (cookie: string, address: string) => derive(`frame ${address}`, cookie),
    admits: (cookie: string, address: string, ticket: string) => isDerived(ticket, `frame ${address}`, cookie),
  };
}

interface House {
  readonly door: Door;
  readonly base: { readonly url: string };
}

/** All ports of a host share cookies, so each simulator needs a name of its own. */
export const cookieName = ({ headers }: FastifyRequest) =>
  `layaway_dashboard_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'}`;

/** A one-time link. */
export const linkTo = ({ door, base }: House) => `${base.url}/dashboard/enter?token=${door.newLink()}`;

/** The value of the dashboard's cookie; empty if it is missing. */
export const cookieOf = (request: FastifyRequest) => cookies(request).get(cookieName(request)) ?? '';

/** Whether a request has the cookie of a signed-in browser. Other programs on this host can have it too. */
export const hasEntered = (request: FastifyRequest, { door }: House) => door.knows(cookieOf(request));

/**
 * Whether the dashboard itself made a request to the control plane. To `SameSite`, all ports of this host are one site.
 * A page on another port cannot hide its Origin or Sec-Fetch-Site. A program on another port can send any header, but
 * it never got the key.
 * @throws Refusal `foreign_origin`
 */
export function isFromDashboard(request: FastifyRequest, house: House): boolean {
  if (!hasEntered(request, house)) return false;
  const { headers, method } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw new Refusal('foreign_origin', 'another page');
  const changes = method !== 'GET' && method !== 'HEAD';
  if (changes && headers.origin === undefined) throw new Refusal('foreign_origin', '');
  const key = headers['x-layaway-dashboard'];
  if (key !== undefined) return house.door.opens(cookieOf(request), String(key));
  return !changes && hasTicket(request, house);
}

const TICKET = '&ticket=';

/** The URL of a page for a frame of the dashboard. `path` has a query. */
export const framed = (request: FastifyRequest, { door }: House, path: string) =>
  `${path}${TICKET}${door.ticket(cookieOf(request), path)}`;

function hasTicket(request: FastifyRequest, { door }: House): boolean {
  const [address = '', ticket] = request.url.split(TICKET, 2);
  return ticket !== undefined && door.admits(cookieOf(request), address, ticket);
}

function cookies({ headers }: FastifyRequest): Map<string, string> {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}
