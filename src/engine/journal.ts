import type { Account } from '../domain/merchant.ts';
import type { Lever } from '../store/levers.ts';
import type { World } from './world.ts';

/**
 * The call of a lever. It gets its number when it begins to write, because the rows that it writes contain that number.
 */
export type LeverCall = Pick<Lever, 'number' | 'accountId' | 'at' | 'sentAt' | 'afterRequest' | 'afterEvent'>;

/** Records the levers that people and tests used on an account, besides the requests of its store. */
export function createJournal({ store, clocks }: World) {
  let generation = 0;
  return {
    /** How often a reset or restore has replaced the state. */
    generation: () => generation,
    /** Call it after a reset or restore. */
    restart() {
      generation += 1;
    },
    begin: (account: Account | null, sentAt: number, afterRequest: number): LeverCall => ({
      number: store.levers.nextNumber(),
      accountId: account?.id ?? null,
      at: account ? clocks.now(account.id) : sentAt,
      sentAt,
      afterRequest,
      afterEvent: store.events.lastId(),
    }),
    note: (lever: Lever) => store.transaction(() => store.levers.insert(lever)),
  };
}
