import { ACCOUNT_SETTING_NAMES, ASSUMPTIONS } from '../../domain/assumptions.ts';
import * as operations from '../../operations/settings.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import type { Settings } from '../wire.ts';

export function assumptionLevers(connection: Connection) {
  const ask = asker(connection);
  const setAssumptions = (changes: Partial<Settings>) => ask(operations.updateSettings, { body: changes }).then(dataOf);
  return {
    get: () => ask(operations.getSettings).then(dataOf),
    set: setAssumptions,
    /** Returns one value, or every value of the account, to its default. */
    reset: (name?: keyof Settings) =>
      setAssumptions(
        Object.fromEntries(
          // The server refuses an unknown name.
          (name === undefined ? ACCOUNT_SETTING_NAMES : [name]).map((each) => [
            each,
            ASSUMPTIONS[each]?.default ?? null,
          ]),
        ) as Partial<Settings>,
      ),
  };
}
