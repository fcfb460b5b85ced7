/** An absolute http(s) URL without a slash or `/v1`, which the paths begin with, at its end; null when `text` is not one that requests can be put behind. */
export function canonicalUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) return null;
  return url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** Whether the URL names this machine itself, so that nothing leaves it. */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
