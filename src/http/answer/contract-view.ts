import type { Contract } from '../../domain/contract.ts';
import type { Account } from '../../domain/merchant.ts';
import type { HttpContext } from '../context.ts';

/** A contract with its schedule, as the service shows it. */
export const contractView =
  ({ store, views }: Pick<HttpContext, 'store' | 'views'>) =>
  (account: Account, contract: Contract) =>
    views.contract(contract, store.of(account).installments.list(contract));
