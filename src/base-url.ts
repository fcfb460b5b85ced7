/**
 * A base URL without a slash or `/v1` at its end, because the paths begin with them. Null when `text` is not an
 * absolute http(s) URL, or has a query, a fragment or a user.
 */
export function canonicalUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) return null;
  return url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
}
