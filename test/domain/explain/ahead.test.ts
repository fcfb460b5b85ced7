import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/domain/calendar.ts';
import type { EventType } from '../../../src/domain/event.ts';
import { aheadOf, attemptsAhead } from '../../../src/domain/explain/ahead.ts';
import { delivery, installment, OPENED, STORE, session, story } from '../../support/story.ts';

const DEFAULT = OPENED + 90 * DAY;

const foreseen = (type: EventType, subject: string, at = OPENED) => ({ type, subject, at });
const plan = story({ installments: [1, 2].map((number) => installment(number)) });
const whats = (...[events, subjects, of = plan]: [Parameters<typeof aheadOf>[0], string[], typeof plan?]) =>
  aheadOf(events, subjects, of).map(({ what }) => what);
const unlessOf = (type: EventType, subject: string, of = plan) =>
  aheadOf([foreseen(type, subject)], [subject], of)[0]?.unless;

test('interface §11: what lies ahead of a contract includes its installments, and nothing of another one', () => {
  const events = [
    foreseen('installment.paid', 'LAY-1#1', OPENED + DAY),
    foreseen('installment.paid', 'LAY-10#1', OPENED + DAY),
    foreseen('contract.completed', 'LAY-1', OPENED + 2 * DAY),
    foreseen('contract.completed', 'LAY-10', OPENED + 2 * DAY),
  ];
  expect(aheadOf(events, ['LAY-1'], plan)).toMatchObject([
    { at: OPENED + DAY, what: 'installment.paid of LAY-1#1' },
    { at: OPENED + 2 * DAY, what: 'contract.completed of LAY-1' },
  ]);
});

test('interface §11: an installment includes the default of its own contract, unless it is paid by then', () => {
  const end = [foreseen('contract.defaulted', 'LAY-1', DEFAULT), foreseen('contract.completed', 'LAY-1', DEFAULT)];
  const defaults = ['contract.defaulted of LAY-1'];
  expect(whats(end, ['LAY-1#1'])).toEqual(defaults);
  expect(whats(end, ['LAY-2#1'])).toEqual([]);

  const paidBefore = [foreseen('installment.paid', 'LAY-1#1'), ...end];
  expect(whats(paidBefore, ['LAY-1#1'])).toEqual(['installment.paid of LAY-1#1']);
  expect(whats(paidBefore, ['LAY-1#2'])).toEqual(defaults);

  const alreadyPaid = { ...plan, installments: [installment(1, { status: 'paid' }), installment(2)] };
  expect(whats(end, ['LAY-1#1'], alreadyPaid)).toEqual([]);
  expect(whats(end, ['LAY-1#2'], alreadyPaid)).toEqual(defaults);
});

test('interface §11: a command arranges the outcomes up to the one that is to be another', () => {
  const events = [
    foreseen('installment.paid', 'LAY-1#1'),
    foreseen('installment.payment_failed', 'LAY-1#2'),
    foreseen('installment.payment_failed', 'LAY-1#2'),
    foreseen('installment.past_due', 'LAY-1#2'),
  ];
  expect(aheadOf(events, ['LAY-1'], plan).map(({ unless }) => unless)).toEqual([
    'a failure is arranged: `layaway contracts outcomes LAY-1 fail`',
    'a success is arranged: `layaway contracts outcomes LAY-1 pay pay`',
    'a success is arranged: `layaway contracts outcomes LAY-1 pay fail pay`',
    'a success is arranged: `layaway contracts outcomes LAY-1 pay fail pay`',
  ]);
  // The attempts on others use the script up, too.
  expect(aheadOf(events, ['LAY-1#2'], plan)[0]?.unless).toMatch(/LAY-1 pay pay`$/);
});

test('interface §11: each event that lies ahead says what averts it', () => {
  expect(unlessOf('installment.delinquent', 'LAY-1#2')).toBe('it is settled first: `layaway contracts settle LAY-1 2`');
  expect(unlessOf('contract.completed', 'LAY-1')).toBe(
    'an installment stays unpaid, or it ends first: `layaway contracts cancel LAY-1`',
  );
  expect(unlessOf('contract.cancelled', 'LAY-1')).toBe('somebody acts first');
});

test('interface §11: accepting a plan takes an email address where the session has none', () => {
  const accept = 'the customer accepts the plan first: `layaway sessions accept cs_1 --customer-name "Test Customer"';
  expect(unlessOf('session.expired', 'cs_1')).toBe(`${accept} --customer-email customer@example.com\``);
  const known = story({ session: session({ customerEmail: 'ada@example.com' }) });
  expect(unlessOf('session.expired', 'cs_1', known)).toBe(`${accept}\``);
  expect(unlessOf('session.expired', 'cs_1', story({ session: null }))).toContain('--customer-email');
});

test('interface §11: a default is averted by settling the installment whose clock ends then', () => {
  const settle = (number: number) =>
    `the overdue installment is settled first: \`layaway contracts settle LAY-1 ${number}\``;
  const end = foreseen('contract.defaulted', 'LAY-1', DEFAULT);
  const installments = [
    installment(1, { status: 'paid', defaultAt: DEFAULT }),
    installment(2, { status: 'past_due', defaultAt: DEFAULT + DAY }),
    installment(3, { status: 'delinquent', defaultAt: DEFAULT }),
  ];
  expect(aheadOf([end], ['LAY-1'], { ...plan, installments })[0]?.unless).toBe(settle(3));

  // The clock may start only in the forecast.
  const starts = DEFAULT - plan.settings.default_days * DAY;
  const events = [
    foreseen('installment.past_due', 'LAY-1#1', starts - DAY),
    foreseen('installment.payment_failed', 'LAY-1#3', starts),
    foreseen('installment.past_due', 'LAY-1#2', starts),
    end,
  ];
  expect(aheadOf(events, ['LAY-1'], plan).at(-1)?.unless).toBe(settle(2));
});

const pending = (id: number, nextAttemptAt: number | null, over: Parameters<typeof delivery>[1] = {}) =>
  delivery(id, { ...over, delivery: { status: 'pending', nextAttemptAt, ...over.delivery } });

test('interface §11: the next attempts come in the order of their instants, then of their deliveries', () => {
  const deliveries = [
    pending(3, OPENED + HOUR),
    pending(2, OPENED + HOUR, { delivery: { attempts: 4 } }),
    pending(4, OPENED + 1),
    pending(1, null),
  ];
  expect(attemptsAhead(deliveries, OPENED)).toEqual(
    [
      [OPENED + 1, `attempt 1 of the delivery dlv_4 to ${STORE}`],
      [OPENED + HOUR, `attempt 5 of the delivery dlv_2 to ${STORE}`],
      [OPENED + HOUR, `attempt 1 of the delivery dlv_3 to ${STORE}`],
    ].map(([at, what]) => ({ at, what, unless: 'the endpoint is disabled or removed first' })),
  );
  expect(attemptsAhead([pending(1, OPENED)], OPENED + DAY)[0]?.at).toBe(OPENED + DAY);
});

test('interface §11: an attempt says what holds it back', () => {
  const held = (kind: 'reordered' | 'delayed') =>
    attemptsAhead([pending(1, OPENED, { heldBy: { id: 'flt_1', kind } })], OPENED)[0]?.unless;
  expect(held('delayed')).toBe('the endpoint is disabled or removed first');
  expect(held('reordered')).toBe(
    'the endpoint answers a later event first, after which it comes at once, or is disabled or removed',
  );
  expect(attemptsAhead([pending(1, OPENED, { isHeard: false })], OPENED)).toEqual([
    {
      at: OPENED,
      what: `attempt 1 of the delivery dlv_1 to ${STORE}, once layaway listen runs for it again`,
      unless: 'nobody listens for an hour of real time, or the endpoint is disabled or removed first',
    },
  ]);
});
