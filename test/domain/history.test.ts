import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, EARLIEST, HOUR, parseInstant, startOfDay } from '../../src/domain/calendar.ts';
import { CONTRACT_STATUSES } from '../../src/domain/contract.ts';
import {
  type History,
  type HistoryTerms,
  planHistory,
  WANTED_INSTALLMENT_STATUSES,
  type WantedState,
} from '../../src/domain/history.ts';
import { CADENCES } from '../../src/domain/quote.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { dueAt } from '../../src/domain/schedule.ts';

const DEFAULTS: HistoryTerms = {
  installment_count: 4,
  installment_cadence: 'biweekly',
  collection_retry_hours: 48,
  grace_days: 10,
  default_days: 30,
};
const at = (text: string) => parseInstant(text) as number;
const NOW = at('2026-03-31T09:30:00Z');

const wanted = (
  status: WantedState['status'],
  number?: number,
  installmentStatus: (typeof WANTED_INSTALLMENT_STATUSES)[number] | null = null,
  daysAgo = 1,
): WantedState => ({
  status,
  installment: number === undefined ? null : { number, status: installmentStatus },
  daysAgo,
});

/** The errors of a refusal; null when there is none. */
function refusalOf(state: WantedState, terms: HistoryTerms, now: number): Record<string, string[]> | null {
  try {
    planHistory(state, terms, now);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal) || !error.is('invalid')) throw error;
    return error.details[0];
  }
}

/** The fields that a refusal names. */
function refusedFor(state: WantedState, terms: HistoryTerms, now: number): string[] | null {
  const errors = refusalOf(state, terms, now);
  return errors && Object.keys(errors);
}

interface Lived {
  readonly contract: string;
  readonly installments: readonly string[];
  readonly lastAt: number;
  /** What comes next, if nobody acts. */
  readonly nextAt: number | null;
  readonly outcomesLeft: number;
}

/** A life told step by step, by decisions §2 and §4 alone. */
function live(history: History, terms: HistoryTerms): Lived {
  if (history.cartCapture === 'fail') {
    return { contract: 'pending', installments: [], lastAt: history.startsAt, nextAt: null, outcomesLeft: 0 };
  }
  const { installment_count: count, installment_cadence: cadence } = terms;
  const plan = Array.from({ length: count }, (_, index) => {
    const deadline = dueAt(index + 2, cadence, history.startsAt);
    return { status: 'upcoming', step: 'collect', at: deadline as number | null, defaultAt: 0 };
  });
  const outcomes = [...history.outcomes];
  let contract = 'active';
  let lastAt = history.startsAt;
  for (;;) {
    const nextAt = Math.min(...plan.map((each) => each.at ?? Number.POSITIVE_INFINITY));
    const next = contract === 'active' ? plan.find((each) => each.at === nextAt) : undefined;
    if (!next || nextAt > history.endsAt) {
      const done = { installments: plan.map(({ status }) => status), outcomesLeft: outcomes.length };
      if (!history.isCancelled) return { ...done, contract, lastAt, nextAt: next ? nextAt : null };
      return { ...done, contract: 'cancelled', lastAt: history.endsAt, nextAt: null };
    }
    lastAt = nextAt;
    if (next.step === 'grace') {
      Object.assign(next, { status: 'delinquent', step: 'default', at: next.defaultAt });
    } else if (next.step === 'default') {
      contract = 'defaulted';
    } else if ((outcomes.shift() ?? 'pay') === 'pay') {
      Object.assign(next, { status: 'paid', at: null });
      if (plan.every(({ status }) => status === 'paid')) contract = 'completed';
    } else if (next.step === 'collect') {
      Object.assign(next, { status: 'due', step: 'retry', at: nextAt + terms.collection_retry_hours * HOUR });
    } else {
      const [graceAt, defaultAt] = [nextAt + terms.grace_days * DAY, nextAt + terms.default_days * DAY];
      const isGrace = graceAt <= defaultAt;
      Object.assign(next, {
        status: 'past_due',
        step: isGrace ? 'grace' : 'default',
        at: isGrace ? graceAt : defaultAt,
        defaultAt,
      });
    }
  }
}

const anyTerms = fc.record({
  installment_count: fc.integer({ min: 1, max: 24 }),
  installment_cadence: fc.constantFrom(...CADENCES),
  // Of whole weeks: a second attempt and the next deadline at one instant.
  collection_retry_hours: fc.oneof(fc.constantFrom(48, 168, 336, 672), fc.integer({ min: 1, max: 1_000 })),
  grace_days: fc.oneof(fc.constant(10), fc.integer({ min: 0, max: 60 })),
  default_days: fc.oneof(fc.constant(30), fc.integer({ min: 0, max: 90 })),
});
const anyState = fc.record({
  status: fc.constantFrom(...CONTRACT_STATUSES),
  installment: fc.option(
    fc.record({
      number: fc.integer({ min: 1, max: 25 }),
      status: fc.option(fc.constantFrom(...WANTED_INSTALLMENT_STATUSES)),
    }),
  ),
  daysAgo: fc.integer({ min: 0, max: 40 }),
});
const anyInstant = fc.oneof(
  fc.integer({ min: at('2023-12-01'), max: at('2029-03-01') }),
  fc.integer({ min: 0, max: 900 * DAY }),
);
/** Everything falls due at midnight, or as many hours after it as settings say. */
const anyNow = fc.oneof(anyInstant, anyInstant.map(startOfDay));

const ENDED = ['completed', 'cancelled', 'defaulted'];

/** Whether a life is in the state that was asked for at `now`, by what happened until `days_ago` days before. */
function isInState(lived: Lived, { status, installment, daysAgo }: WantedState, now: number): boolean {
  if (lived.contract !== status || lived.lastAt > now - daysAgo * DAY) return false;
  if (installment && status !== 'defaulted') {
    if (lived.installments[installment.number - 1] !== (installment.status ?? 'paid')) return false;
  }
  return ENDED.includes(status) || lived.nextAt === null || lived.nextAt > now;
}

describe('interface §8: the history of a contract in any state', () => {
  test('any terms: the life that follows the plan is in the state at the clock, and began no day too early', () => {
    let planned = 0;
    fc.assert(
      fc.property(anyState, anyTerms, anyNow, (state, terms, now) => {
        if (refusedFor(state, terms, now)) return;
        planned += 1;
        const history = planHistory(state, terms, now);
        const lived = live(history, terms);
        expect(isInState(lived, state, now)).toBe(true);
        expect(lived.outcomesLeft).toBe(0);
        expect(history.cartCapture).toBe(state.status === 'pending' ? 'fail' : 'pay');
        for (const outcome of history.outcomes) expect(['pay', 'fail']).toContain(outcome);
        expect(history.startsAt).toBeGreaterThanOrEqual(EARLIEST);
        expect(history.startsAt).toBeLessThanOrEqual(history.endsAt);

        const { installments, contract } = lived;
        const number = state.installment?.number ?? (state.status === 'defaulted' ? 1 : 0);
        for (let before = 1; before < number; before += 1) expect(installments[before - 1]).toBe('paid');
        if (contract === 'defaulted') expect(['past_due', 'delinquent']).toContain(installments[number - 1]);
        if (contract === 'cancelled' && number > 0) {
          expect(history.endsAt).toBe(live({ ...history, isCancelled: false }, terms).lastAt);
        }

        // A day later, either the state is not reached in time, or it does not last until the clock.
        const move = history.isCancelled ? DAY : 0;
        const later = { ...history, startsAt: history.startsAt + DAY, endsAt: history.endsAt + move };
        if (number === 0 && contract !== 'completed') expect(history.startsAt).toBe(now - state.daysAgo * DAY);
        else if (!history.isCancelled) expect(isInState(live(later, terms), state, now)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    expect(planned).toBeGreaterThan(300);
  });

  test('any terms: what is refused for its days_ago is reached by no start at all', () => {
    let refused = 0;
    fc.assert(
      fc.property(anyState, anyTerms, anyNow, (state, terms, now) => {
        if (refusedFor(state, terms, now)?.[0] !== 'days_ago') return;
        refused += 1;
        const endsBy = now - state.daysAgo * DAY;
        if (endsBy < EARLIEST) return;
        const { status, installment } = state;
        const number = installment?.number ?? 1;
        const stage = status === 'defaulted' ? 'delinquent' : installment ? (installment.status ?? 'paid') : 'paid';
        if (status === 'active' && !installment) {
          expect(dueAt(2, terms.installment_cadence, endsBy)).toBeLessThanOrEqual(now);
          return;
        }
        const fails = status === 'completed' || stage === 'paid' ? 0 : stage === 'due' ? 1 : 2;
        const timeOfDay = endsBy - startOfDay(endsBy);
        for (let startsAt = EARLIEST + timeOfDay; startsAt <= endsBy; startsAt += DAY) {
          if (endsBy - startsAt > 1_200 * DAY) continue;
          const cut = { startsAt, cartCapture: 'pay', endsAt: endsBy, isCancelled: status === 'cancelled' } as const;
          const lived = live({ ...cut, outcomes: failing(number, fails, startsAt, terms) }, terms);
          expect(isInState(lived, state, now)).toBe(false);
        }
      }),
      { numRuns: 400 },
    );
    expect(refused).toBeGreaterThan(10);
  });

  /** Outcomes with which installment `number` fails as often, and every other attempt succeeds. */
  function failing(number: number, fails: number, startsAt: number, terms: HistoryTerms): ('pay' | 'fail')[] {
    const deadline = (each: number) => dueAt(each + 1, terms.installment_cadence, startsAt);
    const attempts = Array.from({ length: terms.installment_count }, (_, index) => index + 1).map((each) => ({
      each,
      at: deadline(each),
      outcome: each === number && fails > 0 ? ('fail' as const) : ('pay' as const),
    }));
    const second = {
      each: number,
      at: deadline(number) + terms.collection_retry_hours * HOUR,
      outcome: 'fail' as const,
    };
    return (fails === 2 ? [...attempts, second] : attempts)
      .sort((a, b) => a.at - b.at || a.each - b.each)
      .map(({ outcome }) => outcome);
  }

  test('a month’s end that several starts share: the latest of them', () => {
    const terms = { ...DEFAULTS, installment_cadence: 'monthly' as const };
    const now = at('2026-03-01T12:00:00Z');
    expect(planHistory(wanted('active', 1, 'due'), terms, now).startsAt).toBe(at('2026-01-31T12:00:00Z'));
    // No plan has its first monthly installment on 29, 30 or 31 March 2026, so the latest day before counts.
    const cancelled = planHistory(wanted('cancelled', 1, 'paid'), terms, at('2026-04-01T12:00:00Z'));
    expect(cancelled.endsAt).toBe(at('2026-03-28'));
  });

  test('a later installment that falls due in between: the history begins early enough for it to be paid', () => {
    const history = planHistory(wanted('active', 1, 'delinquent', 5), DEFAULTS, NOW);
    const lived = live(history, DEFAULTS);
    expect(lived.installments).toEqual(['delinquent', 'paid', 'upcoming', 'upcoming']);
    expect(lived.lastAt).toBe(at('2026-03-26'));
  });

  test('what falls due at the clock itself has happened', () => {
    const midnight = at('2026-03-31');
    expect(planHistory(wanted('active', 2, 'paid', 0), DEFAULTS, midnight).startsAt).toBe(at('2026-03-03'));
    expect(refusedFor(wanted('active', 2, 'paid', 14), DEFAULTS, midnight)).toEqual(['days_ago']);
    expect(refusedFor(wanted('active', 2, 'paid', 13), DEFAULTS, midnight)).toBeNull();
    expect(refusedFor(wanted('active', undefined, null, 14), DEFAULTS, midnight)).toEqual(['days_ago']);
    expect(refusedFor(wanted('active', undefined, null, 13), DEFAULTS, midnight)).toBeNull();
  });

  test('a history may begin on the first day of the clock’s range', () => {
    expect(planHistory(wanted('active', 1, 'paid', 0), DEFAULTS, EARLIEST + 14 * DAY).startsAt).toBe(EARLIEST);
    expect(refusedFor(wanted('active', 1, 'paid', 0), DEFAULTS, EARLIEST + 14 * DAY - 1)).toEqual(['days_ago']);
  });

  describe('refusals', () => {
    const until = (instant: string, what: string) =>
      `The contract would not be in this state at 2026-03-31T09:30:00.000000Z: ${what} at ${instant}T00:00:00.000000Z. Choose fewer days.`;
    const never = (status: string) =>
      `The installment.status field cannot be ${status}: with the grace_days and default_days of this account, the next step comes at the same instant or earlier.`;
    const [tooMany, lastPayment, afterGrace, tooEarly] = [
      'The installment.number field must not be greater than 4.',
      'The installment.number field must be less than 4: the last payment completes the contract.',
      'The installment.status field must be delinquent: the grace period ends before the contract defaults.',
      'The days ago field leads to a history that begins before 1970-01-01.',
    ];

    test.each<[string, WantedState, Partial<HistoryTerms>, string, string]>([
      ['an installment beyond the last', wanted('active', 5, 'due'), {}, 'installment.number', tooMany],
      ['a last payment that completes', wanted('active', 4, 'paid'), {}, 'installment.number', lastPayment],
      ['the same on a cancelled one', wanted('cancelled', 4, 'paid'), {}, 'installment.number', lastPayment],
      [
        'the only payment',
        wanted('active', 1, null),
        { installment_count: 1 },
        'installment.status',
        'The installment.status field must not be paid, which is its default: the only payment completes the contract.',
      ],
      [
        'an installment of a pending contract',
        wanted('pending', 1, 'due'),
        {},
        'installment',
        'The installment field must be absent: nothing is collected on a pending contract before its Cart Capture.',
      ],
      [
        'an unpaid installment of a completed contract',
        wanted('completed', 2, 'due'),
        {},
        'installment.status',
        'The installment.status field must be paid: every installment of a completed contract is paid.',
      ],
      ['a paid installment that defaults', wanted('defaulted', 2, 'paid'), {}, 'installment.status', afterGrace],
      ['a default after the grace period', wanted('defaulted', 2, 'past_due'), {}, 'installment.status', afterGrace],
      [
        'a default before the end of the grace period',
        wanted('defaulted', 2, 'delinquent'),
        { grace_days: 31 },
        'installment.status',
        'The installment.status field must be past_due: with these settings the contract defaults before the grace period ends.',
      ],
      [
        'delinquent without time for it',
        wanted('active', 1, 'delinquent'),
        { grace_days: 30 },
        'installment.status',
        never('delinquent'),
      ],
      [
        'delinquent after the default',
        wanted('active', 1, 'delinquent'),
        { grace_days: 31 },
        'installment.status',
        never('delinquent'),
      ],
      [
        'past_due without grace',
        wanted('active', 1, 'past_due', 0),
        { grace_days: 0 },
        'installment.status',
        never('past_due'),
      ],
      [
        'past_due with a default at once',
        wanted('cancelled', 1, 'past_due'),
        { default_days: 0 },
        'installment.status',
        never('past_due'),
      ],
      [
        'a second attempt in between',
        wanted('active', 1, 'due', 2),
        {},
        'days_ago',
        until('2026-03-31', 'the second attempt comes for installment 1'),
      ],
      [
        'the end of the grace period in between',
        wanted('active', 1, 'past_due', 10),
        {},
        'days_ago',
        until('2026-03-31', 'the grace period ends for installment 1'),
      ],
      [
        'the default in between',
        wanted('active', 1, 'delinquent', 20),
        { installment_count: 1 },
        'days_ago',
        until('2026-03-31', 'the default clock ends for installment 1'),
      ],
      [
        'the default in between, before the end of the grace period',
        wanted('active', 1, 'past_due', 30),
        { installment_count: 1, grace_days: 31 },
        'days_ago',
        until('2026-03-31', 'the default clock ends for installment 1'),
      ],
      [
        'a later installment in between, before the default',
        wanted('active', 1, 'delinquent', 20),
        {},
        'days_ago',
        until('2026-03-13', 'installment 2 falls due'),
      ],
      [
        'decisions §6: of two things at one instant, the one of the lower sequence is named',
        wanted('active', 1, 'due', 14),
        { collection_retry_hours: 14 * 24 },
        'days_ago',
        until('2026-03-31', 'the second attempt comes for installment 1'),
      ],
      [
        'the first installment in between',
        wanted('active', undefined, null, 14),
        {},
        'days_ago',
        until('2026-03-31', 'installment 1 falls due'),
      ],
      [
        'the next installment in between',
        wanted('active', 2, 'paid', 14),
        {},
        'days_ago',
        until('2026-03-31', 'installment 3 falls due'),
      ],
      ['a beginning before 1970', wanted('completed', undefined, null, 20_600), {}, 'days_ago', tooEarly],
      ['an end before 1970', wanted('pending', undefined, null, 1e9), {}, 'days_ago', tooEarly],
    ])('%s', (_, state, settings, field, message) => {
      expect(refusalOf(state, { ...DEFAULTS, ...settings }, NOW)).toEqual({ [field]: [message] });
    });

    test.each<[WantedState, Partial<HistoryTerms>]>([
      [wanted('active', 1, 'due', 1), {}],
      [wanted('active', 4, 'due', 1), {}],
      [wanted('cancelled', 4, 'delinquent', 1), {}],
      [wanted('active', 1, 'past_due', 9), {}],
      [wanted('active', undefined, null, 13), {}],
      [wanted('active', 2, 'paid', 13), {}],
      [wanted('defaulted', 2, null, 5_000), {}],
      [wanted('defaulted', 2, 'delinquent'), {}],
      [wanted('defaulted', 4, 'past_due'), { grace_days: 31 }],
      [wanted('completed', 3, 'paid', 0), {}],
      [wanted('pending', undefined, null, 20_543), {}],
    ])('and not what just fits: %j with %j', (state, settings) => {
      expect(refusedFor(state, { ...DEFAULTS, ...settings }, NOW)).toBeNull();
    });
  });
});
