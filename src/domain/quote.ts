import { share, split } from './money.ts';

/** The merchant's terms, which a session keeps as they are when it opens (§2.5). */
export interface Terms {
  readonly downPaymentPercentage: number;
  readonly reservationFeePercentage: number;
  readonly installmentCount: number;
  readonly installmentCadence: Cadence;
}

export const CADENCES = ['weekly', 'biweekly', 'monthly'] as const;
export type Cadence = (typeof CADENCES)[number];

/** The amounts of a plan for one order, in cents. */
export interface Quote {
  readonly totalCents: number;
  readonly downPaymentCents: number;
  readonly reservationFeeCents: number;
  readonly customerTotalCents: number;
  /** Down payment and fee: "the only capture the Reservation Fee is carried on" (§2.6). */
  readonly cartCaptureCents: number;
  readonly installmentCents: readonly number[];
}

/** @assumed decisions §3 */
export function quote(totalCents: number, terms: Terms): Quote {
  const downPaymentCents = share(totalCents, terms.downPaymentPercentage);
  const reservationFeeCents = share(totalCents, terms.reservationFeePercentage);
  return {
    totalCents,
    downPaymentCents,
    reservationFeeCents,
    customerTotalCents: totalCents + reservationFeeCents,
    cartCaptureCents: downPaymentCents + reservationFeeCents,
    installmentCents: split(totalCents - downPaymentCents, terms.installmentCount),
  };
}
