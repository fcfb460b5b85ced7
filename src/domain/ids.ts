const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Crockford's base32: no I, L, O, U. */
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** One base62 character a byte. */
export function base62(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += BASE62[byte % 62];
  return text;
}

/** One base32 character a byte. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += BASE32[byte & 31];
  return text;
}

/**
 * A ULID whose first 48 bits are a counter instead of a time, so that ids sort in the order in which they were drawn,
 * whatever an account's clock shows. Its other 80 bits come from `bytes` (16 of them).
 */
export const ulid = (count: number, bytes: Uint8Array): string =>
  digits(count, BASE32, 10) + base32(bytes.subarray(0, 16));

/**
 * 32 base62 characters. The first six are a counter, so that a new token is the last one of its index: a random place
 * would have a page written for each. The other 26 come from `bytes` (one each).
 */
export const token62 = (count: number, bytes: Uint8Array): string =>
  digits(count, BASE62, 6) + base62(bytes.subarray(0, 26));

function digits(count: number, alphabet: string, places: number): string {
  let text = '';
  for (let rest = count, place = 0; place < places; place += 1) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
