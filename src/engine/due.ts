import type { Condition } from '../domain/condition.ts';
import { type EventType, subjectOf } from '../domain/event.ts';
import type { DueStep } from '../domain/installment.ts';
import type { Account } from '../domain/merchant.ts';
import { invalid } from '../domain/refusal.ts';
import { installmentNumber, sequenceOf } from '../domain/schedule.ts';
import { effectiveStatus } from '../domain/session.ts';
import type { DueThing } from '../store/due.ts';
import { collectAgain, collectFirst, endGrace, endPatience } from './installment.ts';
import { lapse } from './session.ts';
import { type Tx, transact, type World } from './world.ts';

/** Something that happened, or will: an event of decisions §6 with its instant. */
export interface Happening {
  readonly at: number;
  readonly type: EventType;
  readonly subject: string;
  /** Null in a rehearsal. */
  readonly eventId: string | null;
}

/** What was done at one instant. */
export interface Done {
  readonly steps: number;
  /** Events recorded, and the first of them. */
  readonly count: number;
  readonly happened: readonly Happening[];
}

const STEPS: Record<DueStep, typeof collectFirst> = {
  collect: collectFirst,
  retry: collectAgain,
  grace: endGrace,
  default: endPatience,
};

/** The next thing that falls due for an account, or null. */
export const nextDue = (world: World, accountId: number): DueThing | null => world.store.due.nextChange(accountId);

/** Things due at one instant that share a transaction: what many plans collect at midnight is written together. */
const BATCH = 100;

/**
 * Does what fell due, at its own instant, with the account's clock standing there: `first` and what follows it at the
 * same instant, all of it written or nothing. Lists at most `limit` of the events recorded.
 */
export function runDue(world: World, accountId: number, first: DueThing, limit: number): Done {
  const { store, clocks } = world;
  return store.transaction(() => {
    clocks.standAt(accountId, first.at);
    const before = store.events.lastId();
    let steps = 0;
    for (
      let thing: DueThing | null = first;
      thing?.at === first.at && steps < BATCH;
      thing = nextDue(world, accountId)
    ) {
      take(world, accountId, thing);
      steps += 1;
    }
    return { steps, ...recordedSince(world, accountId, before, limit) };
  }, accountId);
}

const take = (world: World, accountId: number, thing: DueThing) =>
  transact(world, world.store.accounts.get(accountId), (tx) => perform(tx, thing), thing.at);

function recordedSince({ store }: World, accountId: number, before: number, limit: number): Omit<Done, 'steps'> {
  const count = store.events.lastId() - before;
  if (count === 0 || limit === 0) return { count, happened: [] };
  const happened = store.events
    .list(accountId, limit, before)
    .map(({ createdAt, type, subject, token }) => ({ at: createdAt, type, subject, eventId: token }));
  return { count, happened };
}

/** Does one thing that falls due at `tx.now`. */
export function perform(tx: Tx, thing: DueThing) {
  if (thing.kind === 'lapse') return lapse(tx, thing.sessionId);
  const contract = tx.store.contracts.get(thing.contractId);
  const installment = tx.store.installments.get(thing.contractId, thing.sequence);
  STEPS[thing.kind](tx, contract, installment);
}

/** How a rehearsal ended. */
export interface Rehearsal {
  readonly count: number;
  readonly happened: readonly Happening[];
  /** When the condition first held; null when it never did, or none was given. */
  readonly reachedAt: number | null;
  /** Whether it stopped at its bound with more still to come. */
  readonly bounded: boolean;
}

export interface RehearsalBounds {
  readonly until: number;
  readonly condition?: Condition;
  readonly limit: number;
  readonly maxSteps: number;
}

/**
 * What would happen if nobody acted: the very steps of an advance, taken in a transaction that is rolled back.
 * Deliveries are not made (decisions: "as if every delivery succeeded").
 */
export function rehearse(world: World, account: Account, bounds: RehearsalBounds): Rehearsal {
  return world.store.rehearsal(() => {
    const { until, condition, limit, maxSteps } = bounds;
    const happened: Happening[] = [];
    let count = 0;
    let at: number | null = null;
    for (let steps = 0; ; steps += 1) {
      const thing = world.store.due.nextChange(account.id);
      // A clock stands only where everything of an instant is done, so only there can a condition be reached.
      if (condition && at !== null && thing?.at !== at && holds(world, account, condition, at)) {
        return { count, happened, reachedAt: at, bounded: false };
      }
      if (!thing || thing.at > until) return { count, happened, reachedAt: null, bounded: false };
      if (steps >= maxSteps) return { count, happened, reachedAt: null, bounded: true };
      at = thing.at;
      const before = world.store.events.lastId();
      take(world, account.id, thing);
      const done = recordedSince(world, account.id, before, limit - happened.length);
      count += done.count;
      happened.push(...done.happened.map((happening) => ({ ...happening, eventId: null })));
    }
  });
}

/**
 * Whether the account has reached the state that `condition` names.
 * @throws Refusal `invalid` (`until`) when it names nothing of this account
 */
export function holds({ store }: World, account: Account, condition: Condition, now: number): boolean {
  const own = store.of(account);
  if (condition.of === 'session') {
    const session = own.sessions.find(condition.token);
    if (!session) throw unknownSubject('checkout session');
    return effectiveStatus(session, now) === condition.status;
  }
  const contract = own.contracts.find(condition.reference);
  if (!contract) throw unknownSubject('contract');
  if (condition.of === 'contract') return contract.status === condition.status;
  const installment = store.installments.find(contract.id, sequenceOf(condition.number));
  if (!installment) throw unknownSubject('installment');
  return installment.status === condition.status;
}

const unknownSubject = (noun: string) => invalid('until', `The until field names no ${noun} of this account.`);

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
