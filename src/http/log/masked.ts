import { KEY_PREFIX_LENGTH } from '../../domain/limits.ts';
import { API_KEY, SIGNING_SECRET, withoutUserInfo } from '../../domain/secret-text.ts';

const SECRET_HEADER = /(?:^|[-_])(?:authorization|cookie|token|secret|password|api[-_]?key)$/;

const everyOne = ({ source }: RegExp) => new RegExp(source, 'g');
const API_KEYS = everyOne(API_KEY);
const SIGNING_SECRETS = everyOne(SIGNING_SECRET);

/** The first characters of a key of at least this length do not reveal it. */
const LONG = 24;

/** Removes secrets from text: the user info of URLs, and all but the prefix of keys. */
export const maskedText = (text: string) =>
  withoutUserInfo(text)
    .replace(API_KEYS, (key) => `${key.slice(0, KEY_PREFIX_LENGTH)}…`)
    .replace(SIGNING_SECRETS, 'whsec_…');

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
  if (name === 'x-api-key') return value.length < LONG ? '…' : `${value.slice(0, KEY_PREFIX_LENGTH)}…`;
  const scheme = name.endsWith('authorization') ? /^[\w-]+ (?=\S)/.exec(value)?.[0] : undefined;
  return `${scheme ?? ''}…`;
}
