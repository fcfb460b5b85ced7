import type { Account } from '../../../domain/merchant.ts';
import type { Travel } from '../../../time/travel.ts';
import type { News } from '../../stream/news.ts';

type Glance = ReturnType<Travel['glance']>;

/** The short forecast that was asked for last. Whoever asks for it again gets the same one, until something changes. */
export function createGlances({ glance }: Pick<Travel, 'glance'>, { subscribe }: Pick<News, 'subscribe'>) {
  let last: { readonly accountId: number; readonly steps: number; readonly taken: Glance; forget(): void } | null =
    null;

  return {
    take(account: Account, steps: number): Glance {
      if (last?.accountId === account.id && last.steps === steps) return last.taken;
      last?.forget();
      const forget = () => {
        unsubscribe();
        if (last === mine) last = null;
      };
      const unsubscribe = subscribe(account.id, forget);
      const taken = glance(account, steps);
      const mine = { accountId: account.id, steps, taken, forget };
      last = mine;
      taken.catch(forget);
      return taken;
    },
  };
}
