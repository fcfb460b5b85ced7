import { coarse, DAY, SECOND } from '../../domain/calendar.ts';

/** Values as a person reads them. */

const dayOf = (at: number) => Math.floor(at / DAY);

/** `in 13 days`, `2 hours ago`, `now`, counted from `now`; days are those of the UTC calendar, as for a date. */
export function relative(at: number, now: number): string {
  const ms = Math.abs(at - now);
  if (ms < SECOND) return 'now';
  const span = ms < 2 * DAY ? coarse(ms) : counted(Math.abs(dayOf(at) - dayOf(now)), 'day');
  return at > now ? `in ${span}` : `${span} ago`;
}

/** `1 second`, `2 seconds` */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** `2026-01-14 09:30:00 UTC`; seconds are always shown, because the clock can be moved to any. */
export const instant = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

/** `2026-01-14 09:30:00 UTC (in 13 days)`; an em dash for none. */
export const when = (iso: string | null, now: number): string =>
  iso === null ? '—' : `${instant(iso)} (${relative(Date.parse(iso), now)})`;

/** `2026-01-14 (in 13 days)`: whole days of the UTC calendar. */
export function day(date: string, now: number): string {
  const days = dayOf(Date.parse(date)) - dayOf(now);
  if (days === 0) return `${date} (today)`;
  return `${date} (${relative(days * DAY, 0)})`.replace('in 24 hours', 'tomorrow').replace('24 hours ago', 'yesterday');
}

const WIDE =
  /\ufe0f|[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Latin letters and their punctuation: a column each. */
const PLAIN = /^[\x20-\x7e\u00a1-\u024f\u2010-\u2027]*$/;
/** Created on first use, because it takes as long as a request and most tables do not need it. */
let segmenter: Intl.Segmenter | undefined;
const segments = (text: string) => {
  segmenter ??= new Intl.Segmenter('en');
  return segmenter.segment(text);
};

/** Columns that `text` takes on a terminal. */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of segments(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** `text` in at most `columns`, its end replaced by an ellipsis when it is longer. */
export function shorten(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of segments(text)) {
    const next = width(segment);
    if (used + next > columns - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}
