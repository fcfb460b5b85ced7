import { counted } from './text.ts';

/** Milliseconds since 1970-01-01T00:00:00Z. All times are UTC. */
export type Instant = number;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

/** The range of account clocks. Things fall due up to 20 years after the latest, which still has a four-digit year. */
export const EARLIEST: Instant = Date.UTC(1970, 0, 1);
export const LATEST: Instant = Date.UTC(9979, 11, 31, 23, 59, 59, 999);
/** How far one advance moves a clock at most. */
export const ADVANCE_YEARS_MAX = 10;
/** The forms that `parseInstant` takes. */
export const INSTANT_FORM = 'an ISO 8601 instant from 1970 to 9979, such as 2026-01-31T09:00:00Z';

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/** `2026-01-01T00:00:00.000000Z`: six fraction digits (@assumed decisions §2). Four times as fast as `toISOString`. */
export function formatInstant(at: Instant): string {
  const date = new Date(at);
  const hours = TWO_DIGITS[date.getUTCHours()];
  const minutes = TWO_DIGITS[date.getUTCMinutes()];
  const seconds = TWO_DIGITS[date.getUTCSeconds()];
  const milliseconds = date.getUTCMilliseconds();
  const fraction = `${TWO_DIGITS[Math.floor(milliseconds / 10)]}${milliseconds % 10}000`;
  return `${dateOf(date)}T${hours}:${minutes}:${seconds}.${fraction}Z`;
}

/** For a sentence: `2026-01-01 00:00:00 UTC`. */
export const formatMoment = (at: Instant) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** For a customer: `January 15, 2026`, in UTC. */
export function longDate(at: Instant): string {
  const date = new Date(at);
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
}

/** The UTC date, `2026-01-01`. */
export const formatDate = (at: Instant) => dateOf(new Date(at));

function dateOf(date: Date): string {
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw new RangeError(`${date.getTime()} is not an instant of the years 0 to 9999.`);
  const month = TWO_DIGITS[date.getUTCMonth() + 1];
  return `${TWO_DIGITS[Math.floor(year / 100)]}${TWO_DIGITS[year % 100]}-${month}-${TWO_DIGITS[date.getUTCDate()]}`;
}

/** The number of a day of the UTC calendar. */
export const dayOf = (at: Instant) => Math.floor(at / DAY);

export const startOfDay = (at: Instant): Instant => at - (((at % DAY) + DAY) % DAY);

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?)?$/;

/**
 * Reads an ISO 8601 date or date-time. Without an offset it is UTC; a date alone means midnight. Fractions below a
 * millisecond are cut off. Null for anything else, and for days that do not exist.
 */
export function parseInstant(text: string): Instant | null {
  const match = ISO.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction, , sign, offsetHour, offsetMinute] = match;
  const parts = [hour, minute, second].map((part) => Number(part ?? 0)) as [number, number, number];
  if (parts[0] > 23 || parts[1] > 59 || parts[2] > 59) return null;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // The year of a day that does not exist may have five digits, which `formatDate` does not take.
  if (midnight > LATEST + DAY || formatDate(midnight) !== `${year}-${month}-${day}`) return null;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return null;
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHour ?? 0) * HOUR + Number(offsetMinute ?? 0) * MINUTE);
  const milliseconds = Number((fraction ?? '').slice(0, 3).padEnd(3, '0'));
  const at = midnight + parts[0] * HOUR + parts[1] * MINUTE + parts[2] * SECOND + milliseconds - offset;
  return at >= EARLIEST && at <= LATEST ? at : null;
}

/** Adds calendar months to `anchor` and keeps its day, or takes the last day of a shorter month. */
export function addMonths(anchor: Instant, months: number): Instant {
  const date = new Date(anchor);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate();
  return first + (Math.min(date.getUTCDate(), last) - 1) * DAY + (anchor - startOfDay(anchor));
}

/** A span of time: calendar months, then milliseconds. */
export interface Duration {
  readonly months: number;
  readonly ms: number;
}

/** `14d`, or several units from the largest to the smallest, each once: `1d12h`. */
const SHORT_SPAN =
  /^(?:(?<months>\d{1,9})mo)?(?:(?<weeks>\d{1,9})w)?(?:(?<days>\d{1,9})d)?(?:(?<hours>\d{1,9})h)?(?:(?<minutes>\d{1,9})m)?(?:(?<seconds>\d{1,9})s)?$/;
const ISO_SPAN =
  /^P(?:(?<years>\d+)Y)?(?:(?<months>\d+)M)?(?:(?<weeks>\d+)W)?(?:(?<days>\d+)D)?(?:T(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?)?$/;
/** Empty, or without the number that `P` or `T` announces. */
const ENDS_EARLY = /^$|[PT]$/;

/** `30s`, `45m`, `36h`, `30d`, `2w`, `3mo`, `1d12h` or ISO 8601 (`P1M`); null for anything else. */
export function parseDuration(text: string): Duration | null {
  const span = text.trim();
  const { groups } = SHORT_SPAN.exec(span) ?? ISO_SPAN.exec(span) ?? {};
  if (!groups || ENDS_EARLY.test(span)) return null;
  const of = (unit: string) => Number(groups[unit] ?? 0);
  const time = of('hours') * HOUR + of('minutes') * MINUTE + of('seconds') * SECOND;
  const duration = { months: of('years') * 12 + of('months'), ms: of('weeks') * WEEK + of('days') * DAY + time };
  return isReachable(duration) ? duration : null;
}

/** A longer span leaves every calendar, and sums with it would not be finite. */
const isReachable = ({ months, ms }: Duration) => months <= 12 * 8_000 && ms <= LATEST;

export const addDuration = (at: Instant, { months, ms }: Duration): Instant => addMonths(at, months) + ms;

/** `40 minutes`, `3 days`. Rounds to a whole unit, so that half a second less than an hour is still an hour. */
export function coarse(ms: number): string {
  const units = [
    [SECOND, 'second', MINUTE],
    [MINUTE, 'minute', HOUR],
    [HOUR, 'hour', 2 * DAY],
  ] as const;
  const [unit, name] = units.find(([size, , limit]) => Math.round(ms / size) * size < limit) ?? [DAY, 'day'];
  return counted(Math.round(ms / unit), name);
}
