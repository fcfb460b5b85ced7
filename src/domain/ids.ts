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
export function ulid(count: number, bytes: Uint8Array): string {
  let head = '';
  for (let rest = count, place = 0; place < 10; place += 1) {
    head = BASE32[rest % 32] + head;
    rest = Math.floor(rest / 32);
  }
  return head + base32(bytes.subarray(0, 16));
}
