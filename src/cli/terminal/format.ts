import width from 'fast-string-width';
import { coarse, DAY, dayOf, SECOND } from '../../domain/calendar.ts';
import { counted } from '../../domain/text.ts';

/** Values as a person reads them. */

/** `in 13 days`, `2 hours ago`, `now`, counted from `now`; days are those of the UTC calendar, as for a date. */
export function relative(at: number, now: number): string {
  const ms = Math.abs(at - now);
  if (ms < SECOND) return 'now';
  const span = ms < 2 * DAY ? coarse(ms) : counted(Math.abs(dayOf(at) - dayOf(now)), 'day');
  return at > now ? `in ${span}` : `${span} ago`;
}

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

export { width };

/** Created on first use, because it takes as long as a request and most tables do not need it. */
let segmenter: Intl.Segmenter | undefined;

/** `text` in at most `columns`, its end replaced by an ellipsis when it is longer. */
export function shorten(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  segmenter ??= new Intl.Segmenter('en');
  let kept = '';
  let left = columns - width('…');
  for (const { segment } of segmenter.segment(text)) {
    left -= width(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}
