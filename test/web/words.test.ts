import { expect, test } from 'vitest';
import { relative } from '../../src/cli/terminal/format.ts';
import { dateOf, fromNow, numberIn, plural } from '../../src/web/dashboard/words.ts';

const seen = (at: string, now: string) => fromNow(at, Date.parse(now));

test('dates of every month have the same form', () => {
  const dates = Array.from({ length: 12 }, (_, month) => dateOf(Date.UTC(2026, month, 15)));
  for (const date of dates) expect(date).toMatch(/^15 [A-Z][a-z]{2} 2026$/);
});

test('the due dates of a monthly plan are a month apart, and none is left out', () => {
  const due = ['2027-08-02', '2027-09-02', '2027-10-02', '2027-11-02', '2027-12-02', '2028-01-02', '2028-02-02'];
  expect(due.map((date) => seen(date, '2027-04-06T09:30:00Z'))).toEqual([
    'in 3 months',
    'in 4 months',
    'in 5 months',
    'in 6 months',
    'in 7 months',
    'in 8 months',
    'in 9 months',
  ]);
});

test.each([
  ['2026-03-03T09:30:00Z', 'in 1 day'],
  ['2026-03-04T09:29:59Z', 'in 1 day'],
  ['2026-03-04T09:30:00Z', 'in 2 days'],
  ['2026-03-16', 'in 14 days'],
  ['2026-03-30', 'in 28 days'],
  ['2026-04-02T09:29:59Z', 'in 31 days'],
  ['2026-04-02T09:30:00Z', 'in 1 month'],
  ['2027-03-02T09:29:59Z', 'in 11 months'],
  ['2027-03-02T09:30:00Z', 'in 1 year'],
  ['2028-03-02T09:29:59Z', 'in 1 year'],
  ['2026-03-02T09:30:00.900Z', 'now'],
  ['2026-03-02T09:29:00Z', '1 minute ago'],
  ['2026-02-28', '2 days ago'],
  ['2026-02-02T09:30:01Z', '28 days ago'],
  ['2026-02-02T09:30:00Z', '1 month ago'],
  ['2025-03-02T09:30:01Z', '11 months ago'],
  ['2025-03-02T09:30:00Z', '1 year ago'],
])('%s is %s, seen from the morning of 2 March 2026', (at, text) => {
  expect(seen(at, '2026-03-02T09:30:00Z')).toBe(text);
});

test('the last day of a shorter month is a month after the 31st', () => {
  expect(seen('2026-02-28', '2026-01-31')).toBe('in 1 month');
  expect(seen('2026-01-31', '2026-02-28')).toBe('1 month ago');
});

test('the days that a contract is away are those that commands tell', () => {
  const now = Date.parse('2026-03-02T09:30:00Z');
  for (const date of ['2026-03-16', '2026-03-30', '2026-02-05', '2026-02-26T23:59:59Z']) {
    expect(fromNow(date, now), date).toBe(relative(Date.parse(date), now));
  }
});

test.each(['', ' ', 'ten', '1e999', '-Infinity'])('%j in a field is no number, and stays as it was typed', (text) => {
  expect([numberIn(text), numberIn(' 12.5 ')]).toEqual([text, 12.5]);
});

test('only one is singular', () => {
  expect([0, 1, 2, 1_000].map((n) => plural(n, 'plan'))).toEqual(['0 plans', '1 plan', '2 plans', '1,000 plans']);
});
