import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDate, parseInstant } from '../../src/domain/calendar.ts';
import { CADENCES, type Cadence, quote } from '../../src/domain/quote.ts';
import { installmentNumber, schedule, sequenceOf } from '../../src/domain/schedule.ts';

const terms = (installmentCount: number, installmentCadence: Cadence) => ({
  downPaymentPercentage: 20,
  reservationFeePercentage: 5,
  installmentCount,
  installmentCadence,
});
const plan = (total: number, count: number, cadence: Cadence, anchor: number) =>
  schedule(quote(total, terms(count, cadence)), cadence, anchor);
const dates = (cadence: Cadence, anchor: string, count = 4) =>
  plan(12_345, count, cadence, parseInstant(anchor) as number).map(({ dueAt }) => formatDate(dueAt));

const anchors = fc.date({
  min: new Date('1970-01-01T00:00:00Z'),
  max: new Date('2300-12-31T23:59:59Z'),
  noInvalidDate: true,
});

test('decisions §3: due dates strictly increase, at midnight UTC, for every cadence, count and anchor', () => {
  fc.assert(
    fc.property(anchors, fc.constantFrom(...CADENCES), fc.integer({ min: 1, max: 24 }), (date, cadence, count) => {
      const captures = plan(12_345, count, cadence, date.getTime());
      expect(captures).toHaveLength(count + 1);
      captures.forEach(({ dueAt }, index) => {
        expect(dueAt % 86_400_000).toBe(0);
        expect(dueAt).toBeGreaterThan(captures[index - 1]?.dueAt ?? -1);
      });
    }),
  );
});

test('§2.7: sequence 1 is the Cart Capture, without a number; the rest are numbered from 1', () => {
  fc.assert(
    fc.property(fc.integer({ min: 5_000, max: 500_000 }), fc.integer({ min: 1, max: 24 }), (total, count) => {
      const [cart, ...rest] = plan(total, count, 'monthly', 0);
      expect(cart).toMatchObject({ sequence: 1, type: 'cart_capture', number: null });
      rest.forEach((capture, index) => {
        expect(capture).toMatchObject({ sequence: index + 2, type: 'installment_capture', number: index + 1 });
        expect(sequenceOf(index + 1)).toBe(index + 2);
        expect(installmentNumber(index + 2)).toBe(index + 1);
      });
    }),
  );
});

test('decisions §3: the captures add up to customer_total', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 12 }),
      fc.integer({ min: 1, max: 24 }),
      fc.constantFrom(...CADENCES),
      (total, count, cadence) => {
        const sum = plan(total, count, cadence, 0).reduce((cents, { amountCents }) => cents + amountCents, 0);
        expect(sum).toBe(quote(total, terms(count, cadence)).customerTotalCents);
      },
    ),
  );
});

describe('decisions §3: due dates from the UTC date of the Cart Capture', () => {
  test('weekly, over the end of a year', () => {
    expect(dates('weekly', '2026-12-17T23:59:59.999Z')).toEqual([
      '2026-12-17',
      '2026-12-24',
      '2026-12-31',
      '2027-01-07',
      '2027-01-14',
    ]);
  });

  test('biweekly, over a leap day', () => {
    expect(dates('biweekly', '2028-02-16T00:00:00Z')).toEqual([
      '2028-02-16',
      '2028-03-01',
      '2028-03-15',
      '2028-03-29',
      '2028-04-12',
    ]);
  });

  test('monthly from 31 January: clamped from the anchor, never from the clamped date', () => {
    expect(dates('monthly', '2026-01-31T12:00:00Z')).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2026-05-31',
    ]);
    expect(dates('monthly', '2028-01-31T12:00:00Z', 2)).toEqual(['2028-01-31', '2028-02-29', '2028-03-31']);
  });

  test('monthly from 29 February, for two years', () => {
    const twoYears = dates('monthly', '2028-02-29T00:00:00Z', 24);
    expect(twoYears[12]).toBe('2029-02-28');
    expect(twoYears[13]).toBe('2029-03-29');
    expect(twoYears[24]).toBe('2030-02-28');
  });

  test('an anchor just before midnight UTC belongs to its own UTC day', () => {
    expect(dates('weekly', '2026-01-01T23:30:00-01:00', 1)).toEqual(['2026-01-02', '2026-01-09']);
  });
});
