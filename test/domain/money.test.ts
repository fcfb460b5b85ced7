import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMoney, lateCharge, share, split } from '../../src/domain/money.ts';
import { quote } from '../../src/domain/quote.ts';

/** Above the largest order that settings allow. */
const cents = fc.integer({ min: 0, max: 10 ** 12 });
const percentage = fc.integer({ min: 0, max: 100 });

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

test('decisions §3: share is floor((total*pct*2 + 100) / 200), computed here without limits of size', () => {
  fc.assert(
    fc.property(cents, percentage, (total, pct) => {
      expect(BigInt(share(total, pct))).toBe((BigInt(total) * BigInt(pct) * 2n + 100n) / 200n);
    }),
    { numRuns: 2_000 },
  );
});

test('decisions §3: share is the nearest cent, and the upper one of two equally near', () => {
  fc.assert(
    fc.property(cents, percentage, (total, pct) => {
      const hundredfold = BigInt(total) * BigInt(pct);
      const error = BigInt(share(total, pct)) * 100n - hundredfold;
      expect(error > -50n && error <= 50n).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [50, 1, 1],
  [49, 1, 0],
  [150, 1, 2],
  [10, 5, 1],
  [9, 5, 0],
  [30, 5, 2],
  [1, 50, 1],
  [0, 90, 0],
])('decisions §3: half a cent goes up: share(%i, %i) is %i', (total, pct, expected) => {
  expect(share(total, pct)).toBe(expected);
});

test('decisions §3: split loses nothing, and leftover cents go one each to the first parts', () => {
  fc.assert(
    fc.property(cents, fc.integer({ min: 1, max: 24 }), (total, parts) => {
      const amounts = split(total, parts);
      const base = Number(BigInt(total) / BigInt(parts));
      const leftover = Number(BigInt(total) % BigInt(parts));
      expect(amounts).toHaveLength(parts);
      expect(sum(amounts)).toBe(total);
      expect(amounts.map((amount) => amount - base)).toEqual(
        Array.from({ length: parts }, (_, index) => (index < leftover ? 1 : 0)),
      );
    }),
  );
});

test('decisions §3, the worked example: 12345 at 20 % and 5 %, 4 captures', () => {
  const terms = {
    downPaymentPercentage: 20,
    reservationFeePercentage: 5,
    installmentCount: 4,
    installmentCadence: 'biweekly',
  } as const;
  expect(quote(12_345, terms)).toEqual({
    totalCents: 12_345,
    downPaymentCents: 2_469,
    reservationFeeCents: 617,
    customerTotalCents: 12_962,
    cartCaptureCents: 3_086,
    installmentCents: [2_469, 2_469, 2_469, 2_469],
  });
});

test('decisions §3: the captures of a quote add up to customer_total, for every setting of §2', () => {
  const everyPercentage = (max: number, min: number) => Array.from({ length: max - min + 1 }, (_, at) => at + min);
  // The smallest order that settings allow, the largest, and some that leave remainders everywhere.
  const totals = [2_400, 5_000, 12_345, 99_999, 500_000, 1_000_003, 10 ** 12];
  for (const downPaymentPercentage of everyPercentage(90, 1)) {
    for (const reservationFeePercentage of everyPercentage(20, 0)) {
      for (const installmentCount of everyPercentage(24, 1)) {
        const total = totals[(downPaymentPercentage + reservationFeePercentage + installmentCount) % totals.length];
        if (total === undefined) throw new Error('no total');
        const q = quote(total, {
          downPaymentPercentage,
          reservationFeePercentage,
          installmentCount,
          installmentCadence: 'weekly',
        });
        const holds =
          q.customerTotalCents === total + q.reservationFeeCents &&
          q.cartCaptureCents === q.downPaymentCents + q.reservationFeeCents &&
          q.cartCaptureCents + sum(q.installmentCents) === q.customerTotalCents &&
          q.installmentCents.length === installmentCount &&
          q.installmentCents.every((amount) => amount > 0 && Number.isSafeInteger(amount)) &&
          q.downPaymentCents > 0;
        if (!holds) expect.unreachable(JSON.stringify({ downPaymentPercentage, installmentCount, ...q }));
      }
    }
  }
});

test('§2.6, decisions §3: a quote of any order adds up and keeps each rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 12 }),
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 1, max: 24 }),
      (total, downPaymentPercentage, reservationFeePercentage, installmentCount) => {
        const q = quote(total, {
          downPaymentPercentage,
          reservationFeePercentage,
          installmentCount,
          installmentCadence: 'monthly',
        });
        const rate = (pct: number) => Number((BigInt(total) * BigInt(pct) * 2n + 100n) / 200n);
        expect(q.downPaymentCents).toBe(rate(downPaymentPercentage));
        expect(q.reservationFeeCents).toBe(rate(reservationFeePercentage));
        expect(q.cartCaptureCents + sum(q.installmentCents)).toBe(total + rate(reservationFeePercentage));
        expect(Math.max(...q.installmentCents) - Math.min(...q.installmentCents)).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test('decisions §2: the late charge is the lesser of the share, half-up, and the cap', () => {
  expect(lateCharge(2_469, 5, 1_000)).toBe(123);
  expect(lateCharge(2_470, 5, 1_000)).toBe(124);
  expect(lateCharge(20_000, 5, 1_000)).toBe(1_000);
  expect(lateCharge(20_001, 5, 1_000)).toBe(1_000);
  expect(lateCharge(5_000, 0, 1_000)).toBe(0);
  expect(lateCharge(5_000, 5, 0)).toBe(0);
});

test.each([
  [0, '$0.00'],
  [5, '$0.05'],
  [99, '$0.99'],
  [100, '$1.00'],
  [123_456, '$1,234.56'],
  [100_000_000, '$1,000,000.00'],
  [-250, '-$2.50'],
])('%i cents read %s', (cents, expected) => {
  expect(formatMoney(cents)).toBe(expected);
});

test('money reads as Intl writes it', () => {
  const reference = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (cents) => {
      expect(formatMoney(cents)).toBe(reference.format(`${BigInt(cents)}E-2` as unknown as number));
    }),
  );
});
