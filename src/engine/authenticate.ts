import type { Account, ApiKey } from '../domain/merchant.ts';
import { modeOfApiKey } from '../domain/mode.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Scope } from '../domain/scope.ts';
import type { World } from './world.ts';

/** Who asks: one account, through one of its keys. */
export interface Principal {
  readonly account: Account;
  readonly key: ApiKey;
}

/** Keys whose digest is known, so that not every request pays for one. */
const KEPT = 1000;

/**
 * The account behind a header pair. The key is looked up beneath the client id, both must name one mode (§5 rules 1, 2).
 * Which half was wrong is not said.
 * @throws Refusal `unauthenticated`
 */
export function createAuthenticate({ store, digest }: World) {
  const digests = new Map<string, Uint8Array>();

  return function authenticate(clientId: string | undefined, apiKey: string | undefined): Principal {
    if (clientId === undefined || apiKey === undefined) throw new Refusal('unauthenticated');
    const account = store.accounts.find(clientId);
    const key = account && findKey(account, apiKey);
    if (!account || !key || modeOfApiKey(apiKey) !== account.mode) throw new Refusal('unauthenticated');
    return { account, key };
  };

  /** Every live key of the account is compared, so that the time taken tells nothing of the one that fits. */
  function findKey(account: Account, apiKey: string): ApiKey | null {
    const presented = digests.get(apiKey) ?? digest.sha256(apiKey);
    let found: ApiKey | null = null;
    for (const key of store.keys.list(account.id)) {
      if (digest.same(key.hash, presented) && key.revokedAt === null) found = key;
    }
    if (found && !digests.has(apiKey)) {
      if (digests.size >= KEPT) digests.clear();
      digests.set(apiKey, presented);
    }
    return found;
  }
}

/** @throws Refusal `merchant_not_cleared`, named first, or `account_not_active` (decisions §2) */
export function requireClearance({ settings }: Account) {
  if (settings.clearance !== 'cleared') throw new Refusal('merchant_not_cleared');
  if (settings.account_status !== 'active') throw new Refusal('account_not_active');
}

/** @throws Refusal `scope_missing` */
export function requireScope({ key }: Principal, scope: Scope) {
  if (!key.scopes.includes(scope)) throw new Refusal('scope_missing', scope);
}
