import fc from 'fast-check';
import { expect, test } from 'vitest';
import { base32, base62, token62, ulid } from '../../src/domain/ids.ts';

const bytes = fc.uint8Array({ minLength: 16, maxLength: 32 });

test('decisions §5: base62 is one letter or digit a byte', () => {
  fc.assert(
    fc.property(bytes, (drawn) => void expect(base62(drawn)).toMatch(new RegExp(`^[0-9A-Za-z]{${drawn.length}}$`))),
  );
  expect(new Set(base62(Uint8Array.from({ length: 256 }, (_, byte) => byte))).size).toBe(62);
});

test('decisions §5: Crockford base32 is one character a byte, without I, L, O and U', () => {
  fc.assert(
    fc.property(
      bytes,
      (drawn) => void expect(base32(drawn)).toMatch(new RegExp(`^[0-9A-HJKMNP-TV-Z]{${drawn.length}}$`)),
    ),
  );
  expect(base32(Uint8Array.from({ length: 32 }, (_, byte) => byte))).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
});

const ulidShape = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

test('decisions §5: a ULID has 26 characters, and ids sort in the order they were drawn', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 30), fc.integer({ min: 1, max: 2 ** 30 }), bytes, bytes, (first, more, a, b) => {
      const [earlier, later] = [ulid(first, a), ulid(first + more, b)];
      expect(earlier).toMatch(ulidShape);
      expect(earlier < later).toBe(true);
    }),
  );
});

test('a ULID carries its count in its first ten characters, up to 48 bits', () => {
  expect(ulid(0, new Uint8Array(16))).toBe('0'.repeat(26));
  expect(ulid(31, new Uint8Array(16)).slice(0, 10)).toBe('000000000Z');
  expect(ulid(32, new Uint8Array(16)).slice(0, 10)).toBe('0000000010');
  expect(ulid(2 ** 48 - 1, new Uint8Array(16))).toMatch(/^7Z{9}0{16}$/);
});

test('decisions §5: a session’s token has 32 base62 characters, and tokens sort in the order they were drawn', () => {
  const drawn = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(fc.nat(62 ** 5), fc.integer({ min: 1, max: 62 ** 5 }), drawn, drawn, (first, more, a, b) => {
      const [earlier, later] = [token62(first, a), token62(first + more, b)];
      expect(earlier).toMatch(/^[0-9A-Za-z]{32}$/);
      expect(earlier.slice(6)).toBe(base62(a.subarray(0, 26)));
      expect(earlier < later).toBe(true);
    }),
  );
});
