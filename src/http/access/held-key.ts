import type { Account, ApiKey } from '../../domain/merchant.ts';
import type { HttpContext } from '../context.ts';

type Rooms = Pick<HttpContext, 'store' | 'digest'>;

/** The key of an account as it is now; null if it is revoked or gone. After a reset or restore, it may have another id. */
export function heldKey({ store, digest }: Rooms, account: Account, { hash }: ApiKey): ApiKey | null {
  const keys = store.of(account).keys.list();
  return keys.find((key) => key.revokedAt === null && digest.same(key.hash, hash)) ?? null;
}
