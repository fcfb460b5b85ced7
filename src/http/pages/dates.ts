import type { Instant } from '../../domain/calendar.ts';
import { formatInstant } from '../../domain/calendar.ts';
import { type Html, html } from './html.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** `January 15, 2026`, in UTC. */
export function longDate(at: Instant): string {
  const date = new Date(at);
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
}

/** `January 15, 2026, 09:30 UTC`. */
export const moment = (at: Instant): Html =>
  html`<time datetime="${formatInstant(at)}">${longDate(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC</time>`;

export const day = (at: Instant): Html =>
  html`<time datetime="${new Date(at).toISOString().slice(0, 10)}">${longDate(at)}</time>`;
