const SECRET_HEADER = /(?:^|[-_])(?:authorization|cookie|token|secret|password|api[-_]?key)$/;

/** The user info of a URL is before the last @ in front of its path. */
const USER_INFO = /:\/\/[^\s/?#"<>\\]*@/g;
const API_KEY = /(sk_(?:test|live)_[A-Za-z0-9]{4})[A-Za-z0-9]+/g;
const SIGNING_SECRET = /whsec_[A-Za-z0-9+/=]+/g;

/** The first characters of a key of at least this length do not reveal it. */
const LONG = 24;

/** Removes secrets from a text: the user info of URLs, and all but the prefix of keys. */
export const maskedText = (text: string) =>
  text.replace(USER_INFO, '://…@').replace(API_KEY, '$1…').replace(SIGNING_SECRET, 'whsec_…');

/** The same for every text in a JSON value. */
export function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(masked);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]));
}

export const maskedHeaders = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADER.test(name) ? maskedSecret(name, String(value)) : masked(value),
    ]),
  );

/** Keeps the first characters of a key, which identify it, and the scheme of other credentials. */
function maskedSecret(name: string, value: string): string {
  if (name === 'x-api-key') return value.length < LONG ? '…' : `${value.slice(0, 12)}…`;
  const scheme = name.endsWith('authorization') ? /^[\w-]+ (?=\S)/.exec(value)?.[0] : undefined;
  return `${scheme ?? ''}…`;
}
