import { randomBytes } from 'node:crypto';
import { base32, base62, token62, ulid } from '../domain/ids.ts';
import { apiKeyPrefix, clientIdPrefix, type Mode, paymentPrefix } from '../domain/mode.ts';
import { sha256 } from './digest.ts';

/** Draws the n-th id, token, reference or key of its kind; a seed fixes all of them (decisions §1). */
export interface Draw {
  session(n: number): string;
  /** `salt` draws again after a collision. */
  contract(n: number, salt: number): string;
  payment(mode: Mode, n: number): string;
  /** A prefix and a ULID: `evt_…`, `eml_…`. */
  id(prefix: string, n: number): string;
  clientId(mode: Mode, n: number): string;
  /** The key that the n-th merchant begins with. Keys that are issued later do not change it. */
  firstKey(mode: Mode, n: number): string;
  apiKey(mode: Mode, n: number): string;
  webhookSecret(name: string, n: number): string;
}

/** Random without a seed, so that nobody can derive the keys from what is stored. */
export const createDraw = (seed: string | null): Draw => createDrawOf(() => seed);

/** The same with a seed that can change: a reset or a restore brings another one. */
export function createDrawOf(seedNow: () => string | null): Draw {
  const bytes = (kind: string, n: number | string) => {
    const seed = seedNow();
    return seed === null ? chance(32) : sha256(`${seed}\n${kind}\n${n}`);
  };
  return {
    session: (n) => `cs_${token62(n, bytes('session', n))}`,
    contract: (n, salt) => `LAY-${base32(bytes('contract', salt === 0 ? n : `${n}.${salt}`).subarray(0, 10))}`,
    payment: (mode, n) => paymentPrefix(mode) + ulid(n, bytes('payment', n)),
    id: (prefix, n) => `${prefix}_${ulid(n, bytes(prefix, n))}`,
    clientId: (mode, n) => clientIdPrefix(mode) + base62(bytes(`client ${mode}`, n)),
    firstKey: (mode, n) => apiKeyPrefix(mode) + base62(bytes(`key ${mode}`, 2 * n - (mode === 'sandbox' ? 1 : 0))),
    apiKey: (mode, n) => apiKeyPrefix(mode) + base62(bytes(`issued key ${mode}`, n)),
    webhookSecret: (name, n) => `whsec_${bytes(`webhook ${name}`, n).toString('base64')}`,
  };
}

/** Random bytes are asked for in large parts: each question costs far more than its bytes. */
const POOL = 8192;
let pool = Buffer.alloc(0);

function chance(count: number): Buffer {
  if (pool.length < count) pool = randomBytes(POOL);
  const bytes = pool.subarray(0, count);
  pool = pool.subarray(count);
  return bytes;
}

/** What nobody can guess. */
export const randomSecret = () => randomBytes(32).toString('hex');

/**
 * Draws the default merchant's credentials: the same on every machine, so that a `.env` and a CI file stay valid
 * (decisions §5). They are of use only with a simulator.
 */
export const defaultDraw = createDraw('layaway: the default merchant of every local sandbox');
