import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../../domain/refusal.ts';

/** Outstanding links, and browsers let in, that are remembered; the oldest is forgotten first. */
const KEPT = 1_000;

interface Means {
  /** A text that nobody can guess. */
  draw(): string;
  digest(data: string): Uint8Array;
}

export type Door = ReturnType<typeof createDoor>;

/**
 * How a browser comes to the dashboard: a link that opens once, and the cookie that it leaves. Both are kept as
 * digests, in memory: a restart shuts everybody out.
 */
export function createDoor({ draw, digest }: Means) {
  const links = new Set<string>();
  const visitors = new Set<string>();
  const nameOf = (secret: string) => Buffer.from(digest(secret)).toString('base64');

  function remember(among: Set<string>): string {
    const secret = draw();
    among.add(nameOf(secret));
    for (const oldest of among) {
      if (among.size <= KEPT) break;
      among.delete(oldest);
    }
    return secret;
  }

  return {
    /** The token of a new one-time link. */
    newLink: () => remember(links),
    /** The value of a new cookie; null when the link is none, or was used. */
    enter: (token: string): string | null => (links.delete(nameOf(token)) ? remember(visitors) : null),
    knows: (value: string) => visitors.has(nameOf(value)),
  };
}

interface House {
  readonly door: Door;
  readonly base: { readonly url: string };
}

/** Cookies are shared by every port of a host: two simulators must not take each other's. */
export const cookieName = ({ url }: House['base']) => `layaway_dashboard_${new URL(url).port || '80'}`;

/** The path of a one-time link. */
export const linkTo = ({ door, base }: House) => `${base.url}/dashboard/enter?token=${door.newLink()}`;

/** Whether the request comes from a browser that was let in. */
export function hasEntered(request: FastifyRequest, { door, base }: House): boolean {
  const value = cookies(request).get(cookieName(base));
  return value !== undefined && door.knows(value);
}

/**
 * Whether a request to the control plane is made by the dashboard itself. `SameSite` counts every port of this host as
 * one site, so a page on another port is told apart here: it cannot hide its Origin, nor the browser's own word.
 * @throws Refusal `foreign_origin`
 */
export function isFromDashboard(request: FastifyRequest, house: House): boolean {
  if (!hasEntered(request, house)) return false;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw new Refusal('foreign_origin', 'another page');
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  if (changes && request.headers.origin === undefined) {
    throw new Refusal('foreign_origin', 'a page that does not say its origin');
  }
  return true;
}

function cookies({ headers }: FastifyRequest): Map<string, string> {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}
