import { formatDate, formatInstant, type Instant, longDate } from '../../domain/calendar.ts';
import { type Html, html } from './html.ts';

/** `January 15, 2026, 09:30 UTC`. */
export const moment = (at: Instant): Html =>
  html`<time datetime="${formatInstant(at)}">${longDate(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC</time>`;

export const day = (at: Instant): Html => html`<time datetime="${formatDate(at)}">${longDate(at)}</time>`;
