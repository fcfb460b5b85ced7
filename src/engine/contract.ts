import { formatDate } from '../domain/calendar.ts';
import {
  balanceOf,
  type Contract,
  type ContractStatus,
  type ContractTrigger,
  type Customer,
  cannotCancel,
  customerTotalCents,
  moveContract,
  type Outcome,
  paidCents,
} from '../domain/contract.ts';
import { firstCollection, type Installment, moved } from '../domain/installment.ts';
import type { Account } from '../domain/merchant.ts';
import type { Metadata } from '../domain/metadata.ts';
import { quote } from '../domain/quote.ts';
import { Refusal } from '../domain/refusal.ts';
import { dueAt, schedule } from '../domain/schedule.ts';
import type { Session } from '../domain/session.ts';
import { recordAttempt } from './attempt.ts';
import { recordContractEmail, recordContractEvent } from './record.ts';
import type { StepTx } from './steps.ts';
import { type Tx, transact, transactTogether, type World } from './world.ts';

/** Creates a pending contract with its schedule. Until the Cart Capture lands, dates count from now (decisions §3). */
export function draft(tx: Tx, session: Session, customer: Customer): Contract {
  const { store, now, cause } = tx;
  const id = store.contracts.nextId();
  const contract: Contract = {
    id,
    reference: drawReference(tx, id),
    accountId: session.accountId,
    sessionId: session.id,
    status: 'pending',
    orderReference: session.orderReference,
    customerName: customer.name,
    customerEmail: customer.email,
    customerState: session.customerState,
    totalCents: session.totalCents,
    reservationFeeCents: session.reservationFeeCents,
    downPaymentCents: session.downPaymentCents,
    metadata: session.metadata,
    preview: session.preview,
    outcomes: [],
    startedAt: null,
    completedAt: null,
    defaultedAt: null,
    cancelledAt: null,
    createdAt: now,
  };
  store.contracts.insert(contract, cause);
  const captures = schedule(quote(session.totalCents, session.terms), session.terms.installmentCadence, now);
  for (const capture of captures) {
    store.installments.insert(id, session.accountId, capture, capture.sequence === 1 ? 'due' : 'upcoming', cause);
  }
  return contract;
}

function drawReference({ store, draw }: Tx, id: number): string {
  for (let salt = 0; ; salt += 1) {
    const reference = draw.contract(id, salt);
    if (!store.contracts.isTaken(reference)) return reference;
  }
}

/** The Cart Capture landed: the plan starts now, and its due dates count from now. */
export function activate(tx: Tx, session: Session): Contract {
  const { store, now } = tx;
  const drafted = store.contracts.ofSession(session.id) as Contract;
  const contract = moveTo(tx, drafted, 'activate', { startedAt: now });
  const [cart, ...rest] = store.installments.list(contract.id) as [Installment, ...Installment[]];
  const number = recordAttempt(tx, contract, cart, 'pay');
  store.installments.update({ ...moved(cart, 'collect'), dueAt: redated(cart), paidAt: now, attempts: number });
  for (const installment of rest) {
    const at = redated(installment);
    store.installments.update({ ...installment, dueAt: at, next: firstCollection(at) });
  }
  recordContractEvent(tx, 'contract.activated', contract);
  const first = rest[0];
  recordContractEmail(tx, 'plan_confirmation', contract.customerEmail, contract, {
    amountCents: cart.amountCents,
    paidCents: cart.amountCents,
    remainingCents: customerTotalCents(contract) - cart.amountCents,
    installments: rest.length,
    nextDueDate: first ? formatDate(redated(first)) : null,
  });
  return contract;

  function redated({ sequence }: Installment) {
    return dueAt(sequence, session.terms.installmentCadence, now);
  }
}

/** The Cart Capture was declined. The customer may retry at any time. There is no event or email (decisions §6). */
export function declineCartCapture(tx: Tx, session: Session): Contract {
  const contract = tx.store.contracts.ofSession(session.id) as Contract;
  const cart = tx.store.installments.get(contract.id, 1);
  tx.store.installments.update({ ...cart, attempts: recordAttempt(tx, contract, cart, 'fail') });
  return contract;
}

/** The customer backed out: the pending contract, if any, is cancelled without event or email. */
export function abandon(tx: Tx, session: Session) {
  const contract = tx.store.contracts.ofSession(session.id);
  if (contract) moveTo(tx, contract, 'abandon', { cancelledAt: tx.now });
}

/** The last unpaid installment was paid. */
export function complete(tx: StepTx, contract: Contract) {
  const completed = moveTo(tx, contract, 'complete', { completedAt: tx.now });
  recordContractEvent(tx, 'contract.completed', completed);
  recordContractEmail(tx, 'plan_completed', contract.customerEmail, completed, {
    paidCents: paidCents(tx.store.installments.list(contract.id)),
  });
}

/** An installment was still unpaid when its default clock ended: collection stops, the fee is kept (decisions §4). */
export function declareDefault(tx: StepTx, contract: Contract, unpaid: Installment) {
  const defaulted = moveTo(tx, contract, 'default', { defaultedAt: tx.now });
  tx.store.installments.clearObligations(contract.id);
  recordContractEvent(tx, 'contract.defaulted', defaulted);
  const installments = tx.store.installments.list(contract.id);
  recordContractEmail(tx, 'plan_defaulted', contract.customerEmail, defaulted, {
    installment: unpaid.number as number,
    installments: installments.length - 1,
    dueDate: formatDate(unpaid.dueAt),
    reservationFeeCents: contract.reservationFeeCents,
    ...balanceOf(contract, installments),
  });
}

/**
 * Cancels an active contract (§4.8). A contract that is already cancelled is returned unchanged.
 * @throws Refusal `contract_not_found`, `contract_not_active`, `contract_ended`
 */
export function cancelContract(world: World, account: Account, reference: string): Contract {
  const contract = readContract(world, account, reference);
  if (contract.status === 'cancelled') return contract;
  return transactTogether(world, account, (tx) => cancel(tx, contract), world.clocks.now(account.id));
}

export function cancel(tx: Tx, contract: Contract): Contract {
  if (moveContract(contract.status, 'cancel') === null) throw cannotCancel(contract.status);
  const cancelled = moveTo(tx, contract, 'cancel', { cancelledAt: tx.now });
  tx.store.installments.clearObligations(contract.id);
  recordContractEvent(tx, 'contract.cancelled', cancelled);
  const facts = balanceOf(contract, tx.store.installments.list(contract.id));
  recordContractEmail(tx, 'plan_cancelled_merchant', tx.account.merchant.email, cancelled, facts);
  recordContractEmail(tx, 'plan_cancelled_customer', contract.customerEmail, cancelled, facts);
  return cancelled;
}

/** Finds a contract of this account. Previews and contracts of other accounts count as not found (§4.6). */
export function readContract(world: World, account: Account, reference: string): Contract {
  const contract = ownContract(world, account, reference);
  if (contract.preview) throw new Refusal('contract_not_found');
  return contract;
}

/** The same for `/_sim`, which also finds the account's previews. */
export function ownContract(world: World, account: Account, reference: string): Contract {
  const contract = world.store.of(account).contracts.find(reference);
  if (!contract) throw new Refusal('contract_not_found');
  return contract;
}

/** Lists one page of contracts, newest first, with the total (§4.5). */
export function listContracts(
  world: World,
  account: Account,
  { status, page, size }: { status: ContractStatus | null; page: number; size: number },
) {
  const { contracts } = world.store.of(account);
  return { contracts: contracts.page(status, size, (page - 1) * size), total: contracts.count(status) };
}

/** The bookkeeping fields of an update (§4.7). */
export interface BookkeepingUpdate {
  readonly order_reference?: string;
  readonly metadata?: Metadata | null;
}

/** Updates the bookkeeping fields. An absent field stays as it is; metadata is replaced as a whole (§4.7). */
export const updateContract = (
  world: World,
  account: Account,
  contract: Contract,
  update: BookkeepingUpdate,
): Contract => {
  const work = (tx: Tx) => {
    const orderReference = update.order_reference ?? contract.orderReference;
    const metadata = update.metadata === undefined ? contract.metadata : (update.metadata ?? {});
    tx.store.contracts.setBookkeeping(contract.id, orderReference, metadata);
    return { ...contract, orderReference, metadata };
  };
  return transactTogether(world, account, work, world.clocks.now(account.id));
};

/**
 * Sets the outcomes of the next scheduled attempts (decisions §1) and replaces earlier ones.
 * @throws Refusal `conflict` when collection on the contract has ended
 */
export const arrangeOutcomes = (world: World, account: Account, contract: Contract, outcomes: readonly Outcome[]) =>
  transact(world, account, (tx) => {
    if (contract.status !== 'pending' && contract.status !== 'active') {
      throw new Refusal('conflict', `Collection on a ${contract.status} contract has ended.`);
    }
    tx.store.contracts.setOutcomes(contract.id, outcomes);
    return { ...contract, outcomes };
  });

function moveTo(tx: StepTx, contract: Contract, trigger: ContractTrigger, instants: Partial<Contract>): Contract {
  const status = moveContract(contract.status, trigger);
  if (status === null) throw new Error(`A ${contract.status} contract does not allow ${trigger}.`);
  const moved = { ...contract, ...instants, status };
  tx.store.contracts.setStatus(contract.id, status, moved);
  return moved;
}
