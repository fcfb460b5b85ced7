import type { Account } from '../domain/merchant.ts';
import type { Lever } from '../store/levers.ts';
import type { World } from './world.ts';

/** A call of a lever: numbered when it begins to write, for what it writes names it. */
export type LeverCall = Pick<Lever, 'number' | 'accountId' | 'at' | 'sentAt' | 'afterRequest' | 'afterEvent'>;

/** The levers that were pulled: what people did to an account, beside what its store asked for. */
export function createJournal({ store, clocks }: World) {
  return {
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
