import type { DueStep } from '../domain/installment.ts';
import type { DueThing } from '../store/due.ts';
import { collectAgain, collectFirst, endGrace, endPatience } from './installment.ts';
import { lapse } from './session.ts';
import { type Tx, transact, type World } from './world.ts';

const STEPS: Record<DueStep, typeof collectFirst> = {
  collect: collectFirst,
  retry: collectAgain,
  grace: endGrace,
  default: endPatience,
};

/** Does what fell due, at its own instant, in one transaction with the account's clock standing there. */
export function runDue(world: World, accountId: number, thing: DueThing) {
  transact(
    world,
    world.store.accounts.get(accountId),
    (tx) => {
      world.clocks.standAt(accountId, thing.at);
      perform(tx, thing);
    },
    thing.at,
  );
}

function perform(tx: Tx, thing: DueThing) {
  if (thing.kind === 'lapse') return lapse(tx, thing.sessionId);
  const contract = tx.store.contracts.get(thing.contractId);
  const installment = tx.store.installments.get(thing.contractId, thing.sequence);
  STEPS[thing.kind](tx, contract, installment);
}
