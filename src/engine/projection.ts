import { CLOCK } from '../domain/cause.ts';
import type { Contract } from '../domain/contract.ts';
import type { Installment } from '../domain/installment.ts';
import type { Account } from '../domain/merchant.ts';
import type { Session } from '../domain/session.ts';
import type { Draw } from '../secrets/draw.ts';
import type { DueThing } from '../store/due.ts';
import { type Happening, nextOfContract, perform } from './due.ts';
import type { StepTables, StepTx } from './steps.ts';
import type { Views } from './world.ts';

export type Projection = ReturnType<typeof createProjection>;

/**
 * Copies of contracts and sessions of one account, whose time can pass without storing anything. `note` gets the events
 * that they would make.
 */
export function createProjection(account: Account, note: (happening: Happening) => void) {
  const contracts = new Map<number, Contract>();
  const schedules = new Map<number, readonly Installment[]>();
  const sessions = new Map<number, Session>();
  const contractOf = (id: number) => contracts.get(id) as Contract;
  const scheduleOf = (id: number) => schedules.get(id) as readonly Installment[];
  const sessionOf = (id: number) => sessions.get(id) as Session;

  const store: StepTables = {
    sessions: {
      get: sessionOf,
      // A session's effective status follows from its deadline.
      setStatus: () => undefined,
    },
    contracts: {
      get: contractOf,
      setStatus: (id, status, { startedAt, completedAt, defaultedAt, cancelledAt }) => {
        contracts.set(id, { ...contractOf(id), status, startedAt, completedAt, defaultedAt, cancelledAt });
      },
      setOutcomes: (id, outcomes) => void contracts.set(id, { ...contractOf(id), outcomes }),
    },
    installments: {
      get: (id, sequence) => scheduleOf(id)[sequence - 1] as Installment,
      list: scheduleOf,
      update: (changed) => {
        const schedule = scheduleOf(changed.contractId);
        schedules.set(changed.contractId, schedule.with(changed.sequence - 1, changed));
      },
      clearObligations: (id) => {
        const schedule = scheduleOf(id).map((installment) => ({ ...installment, next: null }));
        schedules.set(id, schedule);
      },
    },
    events: {
      nextId: UNKEPT.nextId,
      insert: ({ createdAt, type, subject }) => note({ at: createdAt, type, subject, eventId: null }),
    },
    attempts: UNKEPT,
    emails: UNKEPT,
    deliveries: UNKEPT,
    endpoints: { list: () => [] },
  };
  const stepAt = (now: number): StepTx => ({
    store,
    draw: BLANK,
    views: BLANK_VIEWS,
    account,
    now,
    cause: CLOCK,
  });

  return {
    contract: contractOf,
    schedule: scheduleOf,
    addContract(contract: Contract, schedule: readonly Installment[]) {
      contracts.set(contract.id, contract);
      schedules.set(contract.id, schedule);
    },
    addSession: (session: Session) => void sessions.set(session.id, session),
    nextOfContract: (id: number) => nextOfContract(store, id),
    nextOfSession(sessionId: number): DueThing | null {
      const { status, expiresAt } = sessionOf(sessionId);
      return status === 'pending' ? { at: expiresAt, kind: 'lapse', sessionId } : null;
    },
    /** Performs one thing at its instant. Returns the next one of the same contract or session. */
    take(thing: DueThing): DueThing | null {
      perform(stepAt(thing.at), thing);
      return thing.kind === 'lapse' ? null : nextOfContract(store, thing.contractId);
    },
    /** Drops the copy, which is not needed any longer. */
    drop(thing: DueThing) {
      if (thing.kind === 'lapse') sessions.delete(thing.sessionId);
      else {
        contracts.delete(thing.contractId);
        schedules.delete(thing.contractId);
      }
    },
  };
}

/** Discards what would be stored. */
const UNKEPT = { nextId: () => 1, insert: () => undefined };

/** Ids that nobody sees. */
const blank = () => '';
const BLANK: Draw = {
  session: blank,
  contract: blank,
  payment: blank,
  id: blank,
  clientId: blank,
  firstKey: blank,
  apiKey: blank,
  webhookSecret: blank,
};

const BLANK_VIEWS: Views = { session: () => ({}), contract: () => ({}), installment: () => ({}) };
