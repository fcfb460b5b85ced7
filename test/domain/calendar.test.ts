import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDuration,
  addMonths,
  coarse,
  dayOf,
  EARLIEST,
  formatDate,
  formatInstant,
  formatMoment,
  LATEST,
  parseDuration,
  parseInstant,
  startOfDay,
} from '../../src/domain/calendar.ts';

const DAY_MS = 86_400_000;
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const lengthOf = (year: number, month: number) =>
  [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] as number;

/** Days since 1970-01-01, counted year by year and month by month: a reference that knows no Date. */
function daysOf(year: number, month: number, day: number): number {
  let days = day - 1;
  for (let y = 1970; y < year; y += 1) days += isLeap(y) ? 366 : 365;
  for (let m = 1; m < month; m += 1) days += lengthOf(year, m);
  return days;
}

const pad = (value: number) => String(value).padStart(2, '0');
const calendarDate = fc
  .tuple(fc.integer({ min: 1970, max: 2400 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }))
  .map(([year, month, day]) => ({ year, month, day: Math.min(day, lengthOf(year, month)) }));
const instant = fc.integer({ min: EARLIEST, max: LATEST });

describe('instants', () => {
  test('decisions §2: UTC with six fraction digits', () => {
    expect(formatInstant(daysOf(2026, 1, 1) * DAY_MS)).toBe('2026-01-01T00:00:00.000000Z');
    expect(formatInstant(daysOf(2026, 12, 31) * DAY_MS + DAY_MS - 1)).toBe('2026-12-31T23:59:59.999000Z');
    expect(formatInstant(daysOf(2028, 2, 29) * DAY_MS + 1)).toBe('2028-02-29T00:00:00.001000Z');
    for (const at of [Number.NaN, 1e20]) {
      expect(() => formatInstant(at)).toThrow(RangeError);
      expect(() => formatDate(at)).toThrow(RangeError);
    }
  });

  test('an instant read back is the same instant, over the whole range', () => {
    fc.assert(
      fc.property(instant, (at) => {
        expect(formatInstant(at)).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
        expect(parseInstant(formatInstant(at))).toBe(at);
        const iso = new Date(at).toISOString();
        expect([formatInstant(at), formatDate(at)]).toEqual([`${iso.slice(0, -1)}000Z`, iso.slice(0, 10)]);
      }),
    );
  });

  test('a date is the midnight that counting days gives, and its date again', () => {
    fc.assert(
      fc.property(calendarDate, ({ year, month, day }) => {
        const text = `${year}-${pad(month)}-${pad(day)}`;
        const at = daysOf(year, month, day) * DAY_MS;
        expect(parseInstant(text)).toBe(at);
        expect(formatDate(at)).toBe(text);
        expect(formatDate(at + DAY_MS - 1)).toBe(text);
        expect(startOfDay(at + DAY_MS - 1)).toBe(at);
      }),
    );
  });

  test('an offset is subtracted', () => {
    fc.assert(
      fc.property(
        calendarDate.filter(({ year }) => year > 1970),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        fc.constantFrom('+', '-'),
        ({ year, month, day }, hours, minutes, sign) => {
          const text = `${year}-${pad(month)}-${pad(day)}T12:30:15.250${sign}${pad(hours)}:${pad(minutes)}`;
          const local = daysOf(year, month, day) * DAY_MS + ((12 * 60 + 30) * 60 + 15) * 1000 + 250;
          const offset = (hours * 60 + minutes) * 60_000;
          expect(parseInstant(text)).toBe(sign === '+' ? local - offset : local + offset);
        },
      ),
    );
  });

  const newYear = daysOf(2026, 1, 1) * DAY_MS;
  test.each([
    ['2026-01-01', newYear],
    ['2026-01-01T00:00Z', newYear],
    ['2026-01-01T00:00:00', newYear],
    [' 2026-01-01T00:00:00Z ', newYear],
    ['2026-01-01t00:00:00z', newYear],
    ['2026-01-01 00:00:00Z', newYear],
    ['2026-01-01T01:00:00+01:00', newYear],
    ['2026-01-01T01:00:00+0100', newYear],
    ['2025-12-31T19:00:00-05:00', newYear],
    ['2026-01-01T00:00:00.5Z', newYear + 500],
    ['2026-01-01T00:00:00.001999999Z', newYear + 1],
  ])('%j is read', (text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  test.each([
    '',
    'now',
    'tomorrow',
    '1767225600',
    '2026',
    '2026-01',
    '2026-1-1',
    '26-01-01',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-01-32',
    '2026-02-29',
    '2026-02-30',
    '2100-02-29',
    '2026-04-31',
    '9999-12-32',
    '9999-13-01',
    '9999-99-99',
    '2026-01-01T24:00:00Z',
    '2026-01-01T24:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+00:60',
    '2026-01-01T00:00:00+1',
    '2026-01-01T00:00:00 UTC',
    '2026-01-01T00:00:00ZZ',
    '2026-01-01T00:00:00.Z',
    '2026-01-01+01:00',
    '+002026-01-01',
    '-2026-01-01',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+00:01',
    '10000-01-01',
    '9979-12-31T23:59:59-00:01',
    '9980-01-01',
    '0099-01-01',
    '2026-01-01\n2026-01-02',
    '２０２６-01-01',
  ])('%j is no instant', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test('29 February exists in leap years alone', () => {
    for (let year = 1970; year <= 2400; year += 1) {
      expect(parseInstant(`${year}-02-29`) !== null).toBe(isLeap(year));
    }
  });
});

describe('calendar months', () => {
  test('decisions §3: a month keeps the day of the anchor, or is clamped to the end of the month', () => {
    fc.assert(
      fc.property(
        calendarDate,
        fc.integer({ min: 0, max: 240 }),
        fc.integer({ min: 0, max: DAY_MS - 1 }),
        ({ year, month, day }, months, ofDay) => {
          const count = year * 12 + (month - 1) + months;
          const [toYear, toMonth] = [Math.floor(count / 12), (count % 12) + 1];
          const expected = daysOf(toYear, toMonth, Math.min(day, lengthOf(toYear, toMonth))) * DAY_MS + ofDay;
          expect(addMonths(daysOf(year, month, day) * DAY_MS + ofDay, months)).toBe(expected);
        },
      ),
    );
  });

  test.each([
    ['2026-01-31', ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['2028-01-31', ['2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31']],
    ['2026-01-30', ['2026-02-28', '2026-03-30', '2026-04-30', '2026-05-30']],
    ['2028-02-29', ['2028-03-29', '2028-04-29', '2028-05-29', '2028-06-29']],
    ['2026-11-30', ['2026-12-30', '2027-01-30', '2027-02-28', '2027-03-30']],
    ['2026-12-31', ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30']],
  ])('decisions §3: months from %s are %j, clamped from the anchor', (anchor, expected) => {
    const at = parseInstant(anchor) as number;
    expect([1, 2, 3, 4].map((months) => formatDate(addMonths(at, months)))).toEqual(expected);
  });

  test('a year after 29 February is 28 February', () => {
    expect(formatDate(addMonths(parseInstant('2028-02-29') as number, 12))).toBe('2029-02-28');
    expect(formatDate(addMonths(parseInstant('2028-02-29') as number, 48))).toBe('2032-02-29');
  });
});

describe('durations', () => {
  test.each([
    ['30s', { months: 0, ms: 30_000 }],
    ['45m', { months: 0, ms: 45 * 60_000 }],
    ['36h', { months: 0, ms: 36 * 3_600_000 }],
    ['30d', { months: 0, ms: 30 * DAY_MS }],
    ['2w', { months: 0, ms: 14 * DAY_MS }],
    ['3mo', { months: 3, ms: 0 }],
    ['1d12h', { months: 0, ms: 36 * 3_600_000 }],
    ['1mo2w3d4h5m6s', { months: 1, ms: 17 * 86_400_000 + 4 * 3_600_000 + 5 * 60_000 + 6_000 }],
    ['P1M', { months: 1, ms: 0 }],
    ['P1Y', { months: 12, ms: 0 }],
    ['P2W', { months: 0, ms: 14 * DAY_MS }],
    ['PT1M', { months: 0, ms: 60_000 }],
    ['PT36H', { months: 0, ms: 36 * 3_600_000 }],
    ['P1Y2M3DT4H5M6S', { months: 14, ms: 3 * DAY_MS + 4 * 3_600_000 + 5 * 60_000 + 6_000 }],
    [' 14d ', { months: 0, ms: 14 * DAY_MS }],
  ])('interface §2: %j is a duration', (text, expected) => {
    expect(parseDuration(text)).toEqual(expected);
  });

  test.each([
    '',
    '30',
    'd',
    's30',
    '-30d',
    '+30d',
    '1.5h',
    '30 d',
    '30D',
    '1M',
    '1y',
    '30m1h',
    'P',
    'PT',
    'P1',
    'P1DT',
    'PT1D',
    'P1H',
    'p1m',
    '-P1M',
    'P-1M',
    'P1.5D',
    '30 days',
    'month',
  ])('interface §2: %j is none', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  test.each(['999999999w', '999999999mo', 'P99999Y', 'P999999999999999999999999D', `P${'9'.repeat(400)}Y`])(
    'a span that leads out of the calendar is none: %.20s',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );

  test('the longest spans, and white space around them', () => {
    expect(parseDuration('96000mo')).toEqual({ months: 96_000, ms: 0 });
    expect(parseDuration('96001mo')).toBeNull();
    expect(parseDuration('8000y')).toBeNull();
    expect(parseDuration('P8000Y')).toEqual({ months: 96_000, ms: 0 });
    expect(parseDuration(' 12w\n')).toEqual({ months: 0, ms: 84 * DAY_MS });
    expect(parseDuration(' P12W\n')).toEqual({ months: 0, ms: 84 * DAY_MS });
  });

  test('no month moves no instant', () => {
    fc.assert(fc.property(instant, (at) => void expect(addDuration(at, { months: 0, ms: 7 })).toBe(at + 7)));
  });

  test('months are calendar months, the rest is exact', () => {
    const from = parseInstant('2026-01-31T09:00:00Z') as number;
    const later = (text: string) => formatInstant(addDuration(from, parseDuration(text) as never));
    expect(later('1mo')).toBe('2026-02-28T09:00:00.000000Z');
    expect(later('P1M1D')).toBe('2026-03-01T09:00:00.000000Z');
    expect(later('30d')).toBe('2026-03-02T09:00:00.000000Z');
    expect(later('P1Y')).toBe('2027-01-31T09:00:00.000000Z');
  });
});

test.each([
  [0, '0 seconds'],
  [1_400, '1 second'],
  [59_400, '59 seconds'],
  [59_500, '1 minute'],
  [3_569_000, '59 minutes'],
  [3_570_000, '1 hour'],
  [2 * DAY_MS - 1_800_001, '47 hours'],
  [2 * DAY_MS - 1_800_000, '2 days'],
  [2.4 * DAY_MS, '2 days'],
])('%d ms are about %s', (ms, expected) => {
  expect(coarse(ms)).toBe(expected);
});

test('a moment is shown to the second; the days of two instants are as far apart as their dates', () => {
  const at = Date.parse('2026-01-31T23:59:59.999Z');
  expect(formatMoment(at)).toBe('2026-01-31 23:59:59 UTC');
  expect([dayOf(at + 1) - dayOf(at), dayOf(at) - dayOf(at - DAY_MS + 1)]).toEqual([1, 0]);
});
