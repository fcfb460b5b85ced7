import { addMonths, DAY, dayOf, HOUR, MINUTE, SECOND } from '../../domain/calendar.ts';

export { formatMoney as money } from '../../domain/money.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
  hourCycle: 'h23',
});

/** In UTC, as in the API. Every month has three letters: British English alone abbreviates September with four. */
export const dateOf = (instant: string | number) => DATE.format(new Date(instant)).replace('Sept', 'Sep');
export const timeOf = (instant: string | number) => TIME.format(new Date(instant));
export const momentOf = (instant: string | number) => `${dateOf(instant)}, ${timeOf(instant)}`;
export const isoOf = (ms: number) => new Date(ms).toISOString();

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
];
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/**
 * `in 13 days`, seen from `now`. From two days on by the calendar, as commands do, so that the due dates of a weekly plan
 * are seven days apart and those of a monthly one a month.
 */
export function fromNow(instant: string | number, now: number): string {
  const at = new Date(instant).getTime();
  const distance = at - now;
  if (Math.abs(distance) < SECOND) return 'now';
  const months = Math.sign(distance) * monthsBetween(Math.min(at, now), Math.max(at, now));
  if (Math.abs(months) >= 12) return RELATIVE.format(Math.trunc(months / 12), 'year');
  if (months !== 0) return RELATIVE.format(months, 'month');
  if (Math.abs(distance) >= 2 * DAY) return RELATIVE.format(dayOf(at) - dayOf(now), 'day');
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? (['second', SECOND] as const);
  return RELATIVE.format(Math.trunc(distance / ms), unit);
}

/** Whole months of the calendar. */
function monthsBetween(from: number, to: number): number {
  const [first, last] = [new Date(from), new Date(to)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  const months = 12 * years + last.getUTCMonth() - first.getUTCMonth();
  return addMonths(from, months) > to ? months - 1 : months;
}

/**
 * The number in a field. Other text stays as typed, for the simulator to refuse: in JSON, NaN would become null, which
 * can have a meaning of its own.
 */
export function numberIn(text: string): number {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : (text as unknown as number);
}

export const plural = (n: number, one: string, many = `${one}s`) =>
  `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

/** Isolates the text direction of a name where `<bdi>` is not possible, such as in a title. */
export const isolated = (name: string) => `\u2068${name}\u2069`;

/** Shown where there is no value. */
export const NONE = '–';

/** `past_due` as `past due`. */
export const spaced = (name: string) => name.replaceAll('_', ' ');

export const pretty = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
