import { DAY, EARLIEST, formatDate, formatInstant, type Instant, startOfDay } from './calendar.ts';
import type { ContractStatus, Outcome } from './contract.ts';
import { type CollectionTerms, overdueClocks, retry } from './installment.ts';
import type { Cadence } from './quote.ts';
import { invalid } from './refusal.ts';
import { dueAt, sequenceOf } from './schedule.ts';

export const WANTED_INSTALLMENT_STATUSES = ['paid', 'due', 'past_due', 'delinquent'] as const;
export type WantedInstallmentStatus = (typeof WANTED_INSTALLMENT_STATUSES)[number];

/** The state to create a contract in (interface §8). */
export interface WantedState {
  readonly status: ContractStatus;
  readonly installment: WantedInstallment | null;
  readonly daysAgo: number;
}

export interface WantedInstallment {
  /** The `installment_number`, from 1. */
  readonly number: number;
  /** By default `paid`, or for a defaulted contract the status that the default leaves. */
  readonly status: WantedInstallmentStatus | null;
}

/** The inputs of a history: the schedule, and the settings that time an overdue installment. */
export interface HistoryTerms extends CollectionTerms {
  readonly installment_count: number;
  readonly installment_cadence: Cadence;
}

/** The steps that bring a contract into a state, with their instants. */
export interface History {
  /** The instant at which the session opens, the plan is accepted and the Cart Capture is attempted. */
  readonly startsAt: Instant;
  readonly cartCapture: Outcome;
  /** Outcomes of the scheduled attempts, up to the last one that fails. None is left at the end. */
  readonly outcomes: readonly Outcome[];
  /** Everything that falls due until this instant is done. */
  readonly endsAt: Instant;
  /** Whether the contract is cancelled at the end. */
  readonly isCancelled: boolean;
}

/** How far one installment gets. `defaulted` ends the contract because of this installment. */
type Stage = WantedInstallmentStatus | 'defaulted';

/** When an installment is in a stage, counted from its deadline; the second instant is excluded. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Plans the latest history that leads to the state `wanted`: its last step is at or before `now` minus `daysAgo` days,
 * and nothing else falls due until `now`.
 * @throws Refusal `invalid` when these terms never lead to the state (`installment…`), or not by then (`days_ago`)
 */
export function planHistory(wanted: WantedState, terms: HistoryTerms, now: Instant): History {
  const endsBy = now - wanted.daysAgo * DAY;
  const goal = goalOf(wanted, terms);
  if (endsBy < EARLIEST) throw tooEarly();
  if (goal === null) {
    const isPending = wanted.status === 'pending';
    const firstDueAt = deadlineOf(1, terms, endsBy);
    if (wanted.status === 'active' && firstDueAt <= now) {
      throw fallsDueBefore({ at: firstDueAt, what: 'installment 1 falls due' }, now);
    }
    return {
      startsAt: endsBy,
      cartCapture: isPending ? 'fail' : 'pay',
      outcomes: [],
      endsAt: endsBy,
      isCancelled: wanted.status === 'cancelled',
    };
  }

  const day = wanted.status === 'active' ? quietStart(goal, terms, endsBy, now) : latestStart(goal, terms, endsBy);
  const isCancelled = wanted.status === 'cancelled';
  return {
    startsAt: day + (endsBy - startOfDay(endsBy)),
    cartCapture: 'pay',
    outcomes: outcomesOf(goal, terms, day),
    endsAt: isCancelled ? deadlineOf(goal.number, terms, day) + goal.span.from : endsBy,
    isCancelled,
  };
}

/** The installment that decides when the history begins, with the stage that it reaches. */
interface Goal {
  readonly number: number;
  readonly stage: Stage;
  readonly span: Span;
}

/** Null when the state does not depend on an installment. */
function goalOf({ status, installment }: WantedState, terms: HistoryTerms): Goal | null {
  const count = terms.installment_count;
  if (installment && installment.number > count) {
    throw invalid('installment.number', `The installment.number field must not be greater than ${count}.`);
  }
  const goal = (number: number, stage: Stage): Goal => ({ number, stage, span: spanOf(stage, terms) });
  switch (status) {
    case 'pending':
      if (!installment) return null;
      throw invalid(
        'installment',
        'The installment field must be absent: nothing is collected on a pending contract before its Cart Capture.',
      );
    case 'completed':
      refuseOther(installment, 'paid', 'every installment of a completed contract is paid');
      return goal(count, 'paid');
    case 'defaulted': {
      if (overdueClocks(0, terms).next.step === 'grace') {
        refuseOther(installment, 'delinquent', 'the grace period ends before the contract defaults');
      } else {
        refuseOther(installment, 'past_due', 'with these settings the contract defaults before the grace period ends');
      }
      return goal(installment?.number ?? 1, 'defaulted');
    }
    case 'active':
    case 'cancelled': {
      if (!installment) return null;
      const wanted = goal(installment.number, installment.status ?? 'paid');
      if (wanted.stage === 'paid' && count === 1) {
        throw invalid(
          'installment.status',
          'The installment.status field must not be paid, which is its default: the only payment completes the contract.',
        );
      }
      if (wanted.stage === 'paid' && wanted.number === count) {
        throw invalid(
          'installment.number',
          `The installment.number field must be less than ${count}: the last payment completes the contract.`,
        );
      }
      if (isNever(wanted.span)) throw neverIn(wanted.stage);
      return wanted;
    }
  }
}

function refuseOther(installment: WantedInstallment | null, only: WantedInstallmentStatus, why: string) {
  if (installment?.status == null || installment.status === only) return;
  throw invalid('installment.status', `The installment.status field must be ${only}: ${why}.`);
}

const neverIn = (stage: Stage) =>
  invalid(
    'installment.status',
    `The installment.status field cannot be ${stage}: with the grace_days and default_days of this account, the next step comes at the same instant or earlier.`,
  );

const isNever = ({ from, to }: Span) => !(from < to);

function spanOf(stage: Stage, terms: CollectionTerms): Span {
  const secondAt = retry(0, terms).at;
  const { defaultAt, next } = overdueClocks(secondAt, terms);
  switch (stage) {
    case 'paid':
      return { from: 0, to: Number.POSITIVE_INFINITY };
    case 'due':
      return { from: 0, to: secondAt };
    case 'past_due':
      return { from: secondAt, to: next.at };
    case 'delinquent':
      return { from: next.at, to: defaultAt };
    case 'defaulted':
      return { from: defaultAt, to: Number.POSITIVE_INFINITY };
  }
}

/** Finds the latest day of the Cart Capture from which the stage is reached by `endsBy`. */
function latestStart({ number, span }: Goal, terms: HistoryTerms, endsBy: Instant): Instant {
  const deadlineBy = endsBy - span.from;
  let day = startOfDay(deadlineBy);
  while (deadlineOf(number, terms, day) > deadlineBy) day -= DAY;
  if (day < EARLIEST) throw tooEarly();
  return day;
}

/** The same, and nothing falls due between `endsBy` and `now`. */
function quietStart(goal: Goal, terms: HistoryTerms, endsBy: Instant, now: Instant): Instant {
  const latest = latestStart(goal, terms, endsBy);
  for (let day = latest; day >= EARLIEST; day -= DAY) {
    const next = nextStep(goal, terms, day, endsBy);
    if (next === null) break;
    if (next.at > now) return day;
    if (next.isGoal) break;
  }
  throw fallsDueBefore(nextStep(goal, terms, latest, endsBy) as Step, now);
}

interface Step {
  readonly at: Instant;
  readonly what: string;
  /** Whether it ends the requested stage of the installment. */
  readonly isGoal: boolean;
}

/** The step that ends an unpaid stage. */
function endOf(stage: Stage, terms: CollectionTerms): string {
  if (stage === 'due') return 'the second attempt comes';
  const isGrace = stage === 'past_due' && overdueClocks(0, terms).next.step === 'grace';
  return isGrace ? 'the grace period ends' : 'the default clock ends';
}

/** Finds the first step after `since`; null when the contract is completed by then. */
function nextStep({ number, stage, span }: Goal, terms: HistoryTerms, day: Instant, since: Instant): Step | null {
  const leaves = deadlineOf(number, terms, day) + span.to;
  let deadline: Step | null = null;
  for (let other = 1; other <= terms.installment_count && !deadline; other += 1) {
    const at = deadlineOf(other, terms, day);
    if (at > since) deadline = { at, what: `installment ${other} falls due`, isGoal: false };
  }
  if (stage === 'paid' || (deadline && deadline.at < leaves)) return deadline;
  return { at: leaves, what: `${endOf(stage, terms)} for installment ${number}`, isGoal: true };
}

const fallsDueBefore = ({ at, what }: Pick<Step, 'at' | 'what'>, now: Instant) =>
  invalid(
    'days_ago',
    `The contract would not be in this state at ${formatInstant(now)}: ${what} at ${formatInstant(at)}. Choose fewer days.`,
  );

const tooEarly = () =>
  invalid('days_ago', `The days ago field leads to a history that begins before ${formatDate(EARLIEST)}.`);

/** The attempts in the order in which they fall due, up to the last one that fails. */
function outcomesOf({ number, stage }: Goal, terms: HistoryTerms, day: Instant): Outcome[] {
  if (stage === 'paid') return [];
  const lastAt = retry(deadlineOf(number, terms, day), terms).at;
  const outcomes: Outcome[] = Array(number - 1).fill('pay');
  outcomes.push('fail');
  if (stage === 'due') return outcomes;
  for (let later = number + 1; later <= terms.installment_count && deadlineOf(later, terms, day) < lastAt; later += 1) {
    outcomes.push('pay');
  }
  return [...outcomes, 'fail'];
}

const deadlineOf = (number: number, { installment_cadence: cadence }: HistoryTerms, day: Instant): Instant =>
  dueAt(sequenceOf(number), cadence, day);
