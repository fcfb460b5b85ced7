import type { Account } from '../../../domain/merchant.ts';
import type { Travel } from '../../../time/travel.ts';
import type { News } from '../../stream/news.ts';

interface Kept {
  readonly steps: number;
  readonly taken: ReturnType<Travel['glance']>;
  forget(): void;
}

/** The latest short forecast. A repeated request gets the same one until something changes. */
export function createGlances({ glance }: Pick<Travel, 'glance'>, { subscribe }: Pick<News, 'subscribe'>) {
  /** At most one, by its account, because it may be long. */
  const known = new Map<number, Kept>();

  return {
    take(account: Account, steps: number): Kept['taken'] {
      const kept = known.get(account.id);
      if (kept?.steps === steps) return kept.taken;
      for (const { forget } of known.values()) forget();
      const forget = () => {
        unsubscribe();
        if (known.get(account.id) === mine) known.delete(account.id);
      };
      const unsubscribe = subscribe(account.id, forget);
      const mine = { steps, taken: glance(account, steps), forget };
      known.set(account.id, mine);
      mine.taken.catch(forget);
      return mine.taken;
    },
  };
}
