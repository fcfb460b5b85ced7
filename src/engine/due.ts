import { type EventType, subjectOf } from '../domain/event.ts';
import { DUE_STEPS, type DueStep, nextOf } from '../domain/installment.ts';
import { createProgress } from '../domain/progress.ts';
import { installmentNumber } from '../domain/schedule.ts';
import type { DueThing } from '../store/due.ts';
import { declareDefault } from './contract.ts';
import { collect, collectFirst, endGrace } from './installment.ts';
import { lapse } from './session.ts';
import type { StepTables, StepTx } from './steps.ts';
import { type Tx, transact, type World } from './world.ts';

/** An event of decisions §6 with its instant, past or forecast. */
export interface Happening {
  readonly at: number;
  readonly type: EventType;
  readonly subject: string;
  /** Null in a forecast. */
  readonly eventId: string | null;
}

/** The result of one batch. */
export interface Done {
  readonly steps: number;
  /** The types of all recorded events; `happened` lists only the first of them. */
  readonly types: readonly EventType[];
  readonly happened: readonly Happening[];
}

const STEPS: Record<DueStep, typeof collectFirst> = {
  collect: collectFirst,
  retry: collect,
  grace: endGrace,
  default: declareDefault,
};

/**
 * How many steps share a transaction. Larger batches are faster, because a page of the database is written once for
 * several steps. Other requests wait for about 10 ms meanwhile.
 */
const BATCH = 128;

/** The limits of a batch: its latest instant, its steps, its listed events, and how long others may wait. */
export interface BatchLimits {
  readonly until: number;
  readonly stepsMax: number;
  readonly listedMax: number;
  readonly isLong: () => boolean;
}

/**
 * Performs `first` and the due things after it in one transaction, each at its own instant on the account's clock. Ends
 * early when a delivery is owed, because that is sent before time goes on.
 */
export function runDue(world: World, accountId: number, first: DueThing, limits: BatchLimits): Done {
  const { store, clocks } = world;
  const stepsMax = Math.min(BATCH, limits.stepsMax);

  function following(): DueThing | null {
    if (store.deliveries.isAnyOwed(accountId)) return null;
    const thing = store.due.nextChange(accountId);
    return thing && thing.at <= limits.until ? thing : null;
  }

  return store.transaction(() => {
    const before = store.events.lastId();
    let steps = 0;
    for (let thing: DueThing | null = first; thing; ) {
      clocks.standAt(accountId, thing.at);
      steps += transact(world, store.accounts.get(accountId), takeBatch, thing.at);
      thing = steps < stepsMax && !limits.isLong() ? following() : null;
    }
    return { steps, ...recordedSince(world, accountId, before, limits.listedMax) };
  }, accountId);
}

/** Performs due things at `tx.now`, in order, and returns their number. At least one must be due, and none earlier. */
function takeBatch(tx: Tx): number {
  const { store, account, now } = tx;
  const due = store.due.installments(account.id, now, null, BATCH);
  if (due.length === 0) {
    const lapsing = store.due.sessions(account.id, now, null, BATCH);
    if (lapsing.length === 0) throw new Error(`What is due at ${now} is not there.`);
    for (const { id } of lapsing) lapse(tx, id);
    return lapsing.length;
  }
  const step = createProgress(`What falls due for account ${account.id}`, BATCH * DUE_STEPS.length);
  let steps = 0;
  for (const contractId of new Set(due.map(({ id }) => id))) {
    const following = () => nextOfContract(store, contractId);
    // A step may make another step of its contract due at the same instant.
    for (let next = following(); next?.at === now; next = following()) {
      step(now);
      perform(tx, next);
      steps += 1;
    }
  }
  return steps;
}

function recordedSince({ store }: World, accountId: number, before: number, limit: number): Omit<Done, 'steps'> {
  const count = store.events.lastId() - before;
  const types = count === 0 ? [] : store.events.typesAfter(accountId, before);
  if (count === 0 || limit === 0) return { types, happened: [] };
  const happened = store.events
    .list(accountId, limit, before)
    .map(({ createdAt, type, subject, token }) => ({ at: createdAt, type, subject, eventId: token }));
  return { types, happened };
}

/** The next thing that falls due for a contract. */
export function nextOfContract({ installments }: StepTables, contractId: number): DueThing | null {
  const next = nextOf(installments.list(contractId));
  return next && { at: next.at, kind: next.step, contractId, sequence: next.sequence };
}

/** Performs one thing that falls due at `tx.now`. */
export function perform(tx: StepTx, thing: DueThing) {
  if (thing.kind === 'lapse') return lapse(tx, thing.sessionId);
  const contract = tx.store.contracts.get(thing.contractId);
  const installment = tx.store.installments.get(thing.contractId, thing.sequence);
  STEPS[thing.kind](tx, contract, installment);
}

/** What the clock announces: the name that the next thing will have once it is done. */
export interface Announced {
  readonly at: number;
  readonly type: string;
  readonly subject: string;
}

export function describeDue({ store }: World, thing: DueThing): Announced {
  if (thing.kind === 'lapse') {
    return { at: thing.at, type: 'session.expired', subject: store.sessions.get(thing.sessionId).token };
  }
  const { reference, outcomes } = store.contracts.get(thing.contractId);
  const subject = subjectOf(reference, installmentNumber(thing.sequence));
  if (thing.kind === 'grace') return { at: thing.at, type: 'installment.delinquent', subject };
  if (thing.kind === 'default') return { at: thing.at, type: 'contract.defaulted', subject: reference };
  return { at: thing.at, type: outcomes[0] === 'fail' ? 'installment.payment_failed' : 'installment.paid', subject };
}
