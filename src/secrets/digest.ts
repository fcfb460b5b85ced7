import { hash, timingSafeEqual } from 'node:crypto';

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer');

/** Whether two digests are equal, in a time that does not tell where they differ. */
export const sameDigest = (a: Uint8Array, b: Uint8Array) => a.length === b.length && timingSafeEqual(a, b);
