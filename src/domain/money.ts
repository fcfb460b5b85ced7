import { grouped } from './text.ts';

/**
 * `percentage` of `totalCents`, rounded half-up to the cent (@assumed decisions §3).
 * Integer arithmetic only, because floating point would lose cents.
 */
export function share(totalCents: number, percentage: number): number {
  const doubled = totalCents * percentage * 2 + 100;
  return (doubled - (doubled % 200)) / 200;
}

/** Splits `totalCents` into `parts`; the first parts get one leftover cent each (@assumed decisions §3). */
export function split(totalCents: number, parts: number): number[] {
  const leftover = totalCents % parts;
  const base = (totalCents - leftover) / parts;
  const amounts: number[] = [];
  for (let index = 0; index < parts; index += 1) amounts.push(base + (index < leftover ? 1 : 0));
  return amounts;
}

/** The late charge on one overdue installment: the lesser of the share and the cap (@assumed decisions §2). */
export function lateCharge(amountCents: number, percentage: number, maxCents: number): number {
  return Math.min(share(amountCents, percentage), maxCents);
}

/** `123456` as `$1,234.56`. */
export function formatMoney(cents: number): string {
  const whole = grouped(Math.floor(Math.abs(cents) / 100));
  return `${cents < 0 ? '-' : ''}$${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}
