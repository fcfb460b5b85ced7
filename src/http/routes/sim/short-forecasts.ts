import type { Account } from '../../../domain/merchant.ts';
import type { Travel } from '../../../time/travel.ts';
import type { Notifier } from '../../stream/notifier.ts';

interface Kept {
  readonly steps: number;
  readonly forecast: ReturnType<Travel['shortForecast']>;
  forget(): void;
}

/** The latest short forecast. A repeated request gets the same one until something changes. */
export function createShortForecasts(
  { shortForecast }: Pick<Travel, 'shortForecast'>,
  { subscribe }: Pick<Notifier, 'subscribe'>,
) {
  /** At most one, by its account, because it may be long. */
  const known = new Map<number, Kept>();

  return {
    of(account: Account, steps: number): Kept['forecast'] {
      const kept = known.get(account.id);
      if (kept?.steps === steps) return kept.forecast;
      for (const { forget } of known.values()) forget();
      const forget = () => {
        unsubscribe();
        if (known.get(account.id) === mine) known.delete(account.id);
      };
      const unsubscribe = subscribe(account.id, forget);
      const mine = { steps, forecast: shortForecast(account, steps), forget };
      known.set(account.id, mine);
      mine.forecast.catch(forget);
      return mine.forecast;
    },
  };
}
