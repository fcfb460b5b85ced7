import type { Contract, Customer } from '../domain/contract.ts';
import { type History, planHistory, type WantedState } from '../domain/history.ts';
import { DUE_STEPS } from '../domain/installment.ts';
import type { Account } from '../domain/merchant.ts';
import { createProgress } from '../domain/progress.ts';
import { cancel } from './contract.ts';
import { nextOfContract, perform } from './due.ts';
import { accept, capture, insertSession, type SessionInput } from './session.ts';
import { type Tx, transact, type World } from './world.ts';

/** A contract to create together with its history (interface §8). */
export interface MadeContract {
  readonly wanted: WantedState;
  /** Without an order reference, the number of the contract in its account serves as one. */
  readonly order: Omit<SessionInput, 'order_reference'> & { readonly order_reference: string | null };
  readonly customer: Customer;
  /** Whether the account's endpoints receive its events. */
  readonly webhooks: boolean;
}

/**
 * Plays the history of one contract in the account's past, with the same verbs as in normal operation. The clock and
 * the other contracts stay as they are. Availability is not checked.
 * @throws Refusal `invalid` when no history leads to the requested state
 */
export const makeContract = (world: World, account: Account, made: MadeContract): Contract =>
  transact(world, account, (tx) => {
    const history = planHistory(made.wanted, account.settings, tx.now);
    return play({ ...tx, firstAttemptAt: made.webhooks ? tx.now : null }, made, history);
  });

/**
 * Plans the history without playing it.
 * @throws Refusal `invalid`
 */
export const planContract = ({ clocks }: World, account: Account, { wanted }: MadeContract): History =>
  planHistory(wanted, account.settings, clocks.now(account.id));

function play(tx: Tx, { order, customer }: MadeContract, history: History): Contract {
  const { sessions, contracts } = tx.store;
  const start = { ...tx, now: history.startsAt };
  const named = {
    ...order,
    order_reference: order.order_reference ?? `ORDER-${contracts.count(tx.account.id, null) + 1}`,
  };
  const state = order.customer_state ?? tx.account.merchant.state;
  const session = insertSession(start, named, state);
  const { id } = accept(start, session, customer);
  capture(start, sessions.get(session.id), history.cartCapture);
  contracts.setOutcomes(id, history.outcomes);

  const step = createProgress(`The history of contract ${id}`, DUE_STEPS.length * session.terms.installmentCount);
  const following = () => nextOfContract(tx.store, id);
  for (let next = following(); next && next.at <= history.endsAt; next = following()) {
    step(next.at);
    perform({ ...tx, now: next.at }, next);
  }
  if (history.isCancelled) cancel({ ...tx, now: history.endsAt }, contracts.get(id));
  const contract = contracts.get(id);
  if (contract.outcomes.length > 0) throw new Error(`The history of contract ${id} left an outcome script behind.`);
  return contract;
}
