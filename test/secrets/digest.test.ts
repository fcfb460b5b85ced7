import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameDigest, sha256 } from '../../src/secrets/digest.ts';

test('the SHA-256 of FIPS 180-4', () => {
  expect(sha256('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('').toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256('é')).toEqual(sha256(new Uint8Array([0xc3, 0xa9])));
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(sha256(bytes).equals(createHash('sha256').update(bytes).digest())).toBe(true);
    }),
  );
});

test('decisions §5: digests are the same only when every byte is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, flip) => {
      expect(sameDigest(bytes, Uint8Array.from(bytes))).toBe(true);
      const other = Uint8Array.from(bytes);
      other[at % bytes.length] = (other[at % bytes.length] as number) ^ flip;
      expect(sameDigest(bytes, other)).toBe(false);
    }),
  );
});

test('decisions §5: different lengths are different, and throw nothing', () => {
  expect(sameDigest(new Uint8Array(32), new Uint8Array(31))).toBe(false);
  expect(sameDigest(new Uint8Array(0), new Uint8Array(32))).toBe(false);
  expect(sameDigest(sha256('a'), sha256('a').subarray(0, 16))).toBe(false);
});
