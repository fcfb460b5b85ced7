import type { Simulator } from '../../src/index.ts';

/** What a browser without scripts gets: a page or a redirect. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The page's own name. */
  readonly page: string | undefined;
  readonly location: string | null;
}

type Fields = Record<string, string> | readonly (readonly [string, string])[];

/** A valid card, by the field names of the form. The account clock of these tests is in 2026. */
export const CARD = { card_number: '5555 5555 5555 4444', card_expiry: '12 / 30', card_code: '987' };

/** Follows no redirect, so that a test sees each answer. */
export function customerOf(sim: Pick<Simulator, 'url'>) {
  async function request(path: string, init: RequestInit = {}): Promise<Seen> {
    const response = await fetch(new URL(path, sim.url), { ...init, redirect: 'manual' });
    const html = await response.text();
    const page = /data-testid="checkout-(\w+)"/.exec(html)?.[1];
    return {
      status: response.status,
      headers: response.headers,
      html,
      page,
      location: response.headers.get('location'),
    };
  }
  const open = (path: string) => request(path);

  /** Sends `fields` as the page at `link` would, with its token unless `fields` has one. */
  async function send(link: string, step: string, fields: Fields = {}, headers: Record<string, string> = {}) {
    const url = new URL(link, sim.url);
    const pairs = Array.isArray(fields) ? [...fields] : Object.entries(fields);
    if (!pairs.some(([name]) => name === 'form_token')) pairs.push(['form_token', await tokenOf(link)]);
    return request(`${url.pathname}/${step}${url.search}`, {
      method: 'POST',
      body: new URLSearchParams(pairs as [string, string][]),
      headers,
    });
  }

  /** The token outlives the form: a stale tab still has it. */
  const tokens = new Map<string, string>();
  async function tokenOf(link: string): Promise<string> {
    const known = tokens.get(link);
    if (known !== undefined) return known;
    const token = /name="form_token" value="([^"]+)"/.exec((await open(link)).html)?.[1];
    if (token === undefined) throw new Error(`No form on ${link}.`);
    tokens.set(link, token);
    return token;
  }

  return { request, open, send, tokenOf };
}

/** The text of the element with that test id. Entities are not decoded. */
export function textOf(html: string, testId: string): string | undefined {
  const match = new RegExp(`<(\\w+)[^>]*data-testid="${testId}"[^>]*>([\\s\\S]*?)</\\1>`).exec(html);
  return match?.[2]
    ?.replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The attributes of the input with that name. */
export function inputOf(html: string, name: string): Record<string, string> {
  const tag = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? '';
  return Object.fromEntries([...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
}
