import type { TargetedMouseEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { decoded } from '../../domain/text.ts';

/** The current address, which alone decides what the page shows. */
export interface Route {
  /** Empty in an address without an account, such as `/dashboard/webhooks`. */
  readonly account: string;
  readonly view: string;
  readonly id: string | null;
  readonly query: URLSearchParams;
}

const ROOT = '/dashboard';
const listeners = new Set<() => void>();

function readRoute(): Route {
  const parts = location.pathname
    .slice(ROOT.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const account = parts[0]?.startsWith('mch_') ? (parts.shift() ?? '') : '';
  const [view = '', id = null] = parts;
  return { account, view, id, query: new URLSearchParams(location.search) };
}

export function hrefOf(
  account: string,
  view = '',
  id: string | null = null,
  query: Record<string, string> = {},
): string {
  const path = [account, view, id ?? ''].filter((part) => part !== '').map(encodeURIComponent);
  const kept = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(kept).toString();
  return `${[ROOT, ...path].join('/')}${text === '' ? '' : `?${text}`}`;
}

export function go(href: string, { replace = false } = {}) {
  if (href === location.pathname + location.search) return;
  const { view, id } = readRoute();
  if (replace) history.replaceState(history.state, '', href);
  else history.pushState(null, '', href);
  const next = readRoute();
  if (!replace && (next.view !== view || next.id !== id)) scrollTo(0, 0);
  for (const listener of [...listeners]) listener();
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const read = () => setRoute(readRoute());
    listeners.add(read);
    addEventListener('popstate', read);
    return () => {
      listeners.delete(read);
      removeEventListener('popstate', read);
    };
  }, []);
  return route;
}

/** Opens a link inside the dashboard without a page load. Modified clicks stay with the browser. */
export function followed(href: string) {
  return (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    go(href);
    scrollTo(0, 0);
  };
}

/** Changes query parameters of the address, such as a filter. */
export function refine(changes: Record<string, string>, { replace = true } = {}) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  go(`${location.pathname}${text === '' ? '' : `?${text}`}`, { replace });
}
