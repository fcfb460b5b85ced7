import { isOverdue } from '../../../../domain/installment.ts';
import type { Contract, Related } from '../../../../operations/wire.ts';

/** A contract with its history and its forecast. */
export type Whole = Related & { readonly contract: Contract };

/** The start and end of a contract's time axis. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** Includes the forecast, because a plan that falls behind continues after its last due date. */
export function boundsOf(contract: Contract, now: number, ahead: readonly { readonly at: string }[] = []): Bounds {
  const ends = [contract.completed_at, contract.defaulted_at, contract.cancelled_at];
  const dates = [
    ...contract.installments.map(({ due_date }) => due_date),
    contract.created_at,
    ...ends,
    ...ahead.map(({ at }) => at),
  ];
  const known = dates.filter((date) => date !== null).map((date) => Date.parse(date));
  const last = Math.max(...known);
  const start = Math.min(...known);
  // A clock far beyond the plan would squeeze the plan together.
  const seen = now > last ? Math.min(now, last + (last - start) * 0.25) : last;
  return { start, end: Math.max(seen, start + 86_400_000) };
}

/** The place of an instant on an axis that reaches from `left` to `right`. */
export const scaleOf =
  ({ start, end }: Bounds, left: number, right: number) =>
  (at: number) =>
    left + ((right - left) * (at - start)) / Math.max(1, end - start);

/** The states of an unpaid installment, in order. */
export const SPAN_KINDS = ['due', 'past_due', 'grace', 'delinquent'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** A period in which an installment was or will be in one state. */
export interface Span {
  readonly kind: SpanKind;
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The periods in which installments are unpaid. Past due lasts until the installment is paid or the plan ends. Grace is
 * its first part, delinquency the rest.
 */
export function spansOf({ contract, events, ahead }: Whole, now: number): Span[] {
  const { reference, installments, defaulted_at, cancelled_at } = contract;
  const all = [...events.map(({ created_at: at, type, subject }) => ({ at, type, subject })), ...ahead];
  const when = (type: string, subject: string) =>
    all
      .filter((each) => each.type === type && each.subject === subject)
      .map(({ at }) => Date.parse(at))
      .reduce<number | null>((first, at) => (first === null ? at : Math.min(first, at)), null);
  const ended = defaulted_at ?? cancelled_at;
  const ends = ended === null ? when('contract.defaulted', reference) : Date.parse(ended);

  return installments.flatMap(({ installment_number: number, paid_at, status }) => {
    if (number === null) return [];
    const subject = `${reference}#${number}`;
    const failed = when('installment.payment_failed', subject);
    const pastDue = when('installment.past_due', subject);
    const delinquent = when('installment.delinquent', subject);
    const paid = paid_at === null ? when('installment.paid', subject) : Date.parse(paid_at);
    const over = paid ?? ends ?? (isOverdue(status) || status === 'due' ? now : null);
    const last = over ?? Number.NEGATIVE_INFINITY;
    const spans: readonly (readonly [SpanKind, number | null, number])[] = [
      ['due', failed, pastDue ?? last],
      ['past_due', pastDue, last],
      ['grace', pastDue, delinquent ?? last],
      ['delinquent', delinquent, last],
    ];
    return spans.flatMap(([kind, from, to]) => (from !== null && to > from ? [{ kind, number, from, to }] : []));
  });
}

/** Something to draw, with its position and its left and right edges. */
export interface Placed<T> {
  readonly of: T;
  readonly x: number;
  readonly left: number;
  readonly right: number;
}

/** Distributes things to rows so that none overlap: each goes into the first row with room. */
export function stacked<T>(things: readonly Placed<T>[]): (readonly Placed<T>[])[] {
  const rows: Placed<T>[][] = [];
  for (const thing of things.toSorted((a, b) => a.left - b.left)) {
    const row = rows.find((each) => (each.at(-1)?.right ?? Number.NEGATIVE_INFINITY) <= thing.left);
    if (row) row.push(thing);
    else rows.push([thing]);
  }
  return rows;
}
