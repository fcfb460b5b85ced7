import type { Instant } from './calendar.ts';

/** A card as typed. It is checked and never stored. */
export interface Card {
  readonly number: string;
  readonly expiry: string;
  readonly code: string;
}
export type CardErrors = { readonly [Field in keyof Card]?: string };

/** The mistakes in a card, in words for its holder. There are no magic numbers: every well-formed card can pay. */
export function checkCard(card: Card, now: Instant): CardErrors {
  const errors = writtenErrors(card);
  const expiry = errors.expiry ?? dateError(card.expiry, now);
  return expiry === null ? errors : { ...errors, expiry };
}

/** The mistakes that do not depend on the date. The browser checks them before it sends the form. */
export function writtenErrors({ number, expiry, code }: Card): CardErrors {
  const errors = { number: numberError(number), expiry: expiryError(expiry), code: codeError(code) };
  return Object.fromEntries(Object.entries(errors).filter(([, error]) => error !== null));
}

function numberError(typed: string): string | null {
  const digits = typed.replace(/[\s-]/g, '');
  if (digits === '') return 'Enter the card number.';
  if (!/^\d{12,19}$/.test(digits)) return 'A card number has 12 to 19 digits.';
  // No scheme gives out a number with a leading zero.
  const isPossible = !digits.startsWith('0') && passesLuhn(digits);
  return isPossible ? null : 'Check the card number. A digit seems to be wrong.';
}

/** ISO/IEC 7812-1, annex B: every second digit from the right is doubled; the digits must sum to a multiple of ten. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const weighted = place % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

/** No issuer gives a card a later expiry date. */
const YEARS_AHEAD_MAX = 20;

/** A month with a two- or four-digit year. */
const EXPIRY = /^(0?[1-9]|1[0-2])(?:\s*[/\-.]\s*|\s+)(\d{4}|\d{2})$|^(0[1-9]|1[0-2])(\d{2})$/;

/** `2029-08`, the form in which HTML describes `cc-exp`. */
const YEAR_FIRST = /^\s*(\d{4})(?:\s*[/\-.]\s*|\s+)(0?[1-9]|1[0-2])\s*$/;

/** With the month before the year, as on the card. */
export const monthFirst = (typed: string) => typed.replace(YEAR_FIRST, '$2 / $1');

const expiryIn = (typed: string) => EXPIRY.exec(monthFirst(typed).trim());

function expiryError(typed: string): string | null {
  if (typed.trim() === '') return 'Enter the expiry date.';
  return expiryIn(typed) ? null : 'Write the expiry date as month and year, like 08 / 29.';
}

function dateError(typed: string, now: Instant): string | null {
  const match = expiryIn(typed) as RegExpExecArray;
  const month = Number(match[1] ?? match[3]);
  const today = new Date(now);
  const year = fullYear((match[2] ?? match[4]) as string, today.getUTCFullYear());
  // A card is valid through the last day of its month.
  if (Date.UTC(year, month, 1) <= now) return 'This card has expired. Use another one.';
  return year > today.getUTCFullYear() + YEARS_AHEAD_MAX ? 'Check the year of the expiry date.' : null;
}

/** Two digits mean the year nearest to now, because the account's clock may be in any century. */
function fullYear(typed: string, thisYear: number): number {
  if (typed.length === 4) return Number(typed);
  const year = thisYear - (thisYear % 100) + Number(typed);
  if (year < thisYear - 50) return year + 100;
  return year > thisYear + 50 ? year - 100 : year;
}

function codeError(typed: string): string | null {
  if (typed.trim() === '') return 'Enter the security code.';
  return /^\d{3,4}$/.test(typed.trim()) ? null : 'The security code has 3 or 4 digits.';
}

/** An expiry date, such as `08 / 29`, well after `now`, for filling in test data. */
export function laterExpiry(now: Instant): string {
  const date = new Date(now);
  const month = String(date.getUTCMonth() + 1).padStart(2, '0');
  return `${month} / ${String((date.getUTCFullYear() + 3) % 100).padStart(2, '0')}`;
}
