import type { Account, ApiKey } from '../domain/merchant.ts';
import { modeOfApiKey } from '../domain/mode.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Scope } from '../domain/scope.ts';
import type { World } from './world.ts';

/** The caller: one account, identified by one of its keys. */
export interface Principal {
  readonly account: Account;
  readonly key: ApiKey;
}

/** How many key digests are cached, so that most requests compute none. */
const KEPT = 1000;

/**
 * Returns the account of a header pair. The key must belong to the client id, and both must be of one mode (§5 rules 1,
 * 2). The refusal does not say which half was wrong.
 * @throws Refusal `unauthenticated`
 */
export function createAuthenticate(world: World) {
  const { store, digest } = world;
  const digests = new Map<string, Uint8Array>();

  return function authenticate(clientId: string | undefined, apiKey: string | undefined): Principal {
    if (clientId === undefined || apiKey === undefined) throw new Refusal('unauthenticated');
    const account = store.accounts.find(clientId);
    const key = account && findKey(account, apiKey);
    if (!account || !key || modeOfApiKey(apiKey) !== account.mode) throw new Refusal('unauthenticated');
    return { account, key };
  };

  function findKey(account: Account, apiKey: string): ApiKey | null {
    const presented = digests.get(apiKey) ?? digest.sha256(apiKey);
    const found = heldKey(world, account, presented);
    if (found && !digests.has(apiKey)) {
      if (digests.size >= KEPT) digests.clear();
      digests.set(apiKey, presented);
    }
    return found;
  }
}

/**
 * The active key of an account with this hash; null if there is none. Compares all keys, so that the time taken does not
 * reveal which one matched. After a reset or restore, the same key may have another id.
 */
export function heldKey({ store, digest }: World, account: Account, hash: Uint8Array): ApiKey | null {
  let found: ApiKey | null = null;
  for (const key of store.keys.list(account.id)) {
    if (digest.same(key.hash, hash) && key.revokedAt === null) found = key;
  }
  return found;
}

/** @throws Refusal `merchant_not_cleared`, which comes first, or `account_not_active` (decisions §2) */
export function requireClearance({ settings }: Account) {
  if (settings.clearance !== 'cleared') throw new Refusal('merchant_not_cleared');
  if (settings.account_status !== 'active') throw new Refusal('account_not_active');
}

/** @throws Refusal `scope_missing` */
export function requireScope({ key }: Principal, scope: Scope) {
  if (!key.scopes.includes(scope)) throw new Refusal('scope_missing', scope);
}
