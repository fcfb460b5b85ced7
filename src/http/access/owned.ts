import type { Account } from '../../domain/merchant.ts';
import { Refusal } from '../../domain/refusal.ts';

/**
 * What was found, when it is the account's own; another account's is as good as none.
 * @throws Refusal `not_found`
 */
export function owned<T extends { readonly accountId: number }>(account: Account, found: T | null, noun: string): T {
  if (found?.accountId !== account.id) throw new Refusal('not_found', noun);
  return found;
}
