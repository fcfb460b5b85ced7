import { isOverdue } from '../../../domain/installment.ts';
import type { Contract, Related } from '../../../operations/wire.ts';

/** Of a contract on the axis: what happened, and what will if nobody acts. */
export type Whole = Related & { readonly contract: Contract };

/** Where a contract's axis begins and ends. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** The forecast belongs to the axis: a plan that falls behind goes on after its last due date. */
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
  // A clock far beyond the plan would press the plan itself flat.
  const seen = now > last ? Math.min(now, last + (last - start) * 0.25) : last;
  return { start, end: Math.max(seen, start + 86_400_000) };
}

/** What an installment goes through while it is not paid, in this order. */
export const SPAN_KINDS = ['due', 'past_due', 'grace', 'delinquent'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** A time in which an installment was, or will be, in one state. */
export interface Span {
  readonly kind: SpanKind;
  /** The installment number. */
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The times of trouble of each installment. Past due lasts until it is paid or the plan ends; grace is its first part, and
 * delinquency the rest.
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

/** Something to place: what it is, from its left edge to its right one. */
export interface Placed<T> {
  readonly of: T;
  readonly x: number;
  readonly left: number;
  readonly right: number;
}

/** Rows in which nothing touches another: each thing goes to the first row with room, so what is at one place is stacked. */
export function stacked<T>(things: readonly Placed<T>[]): (readonly Placed<T>[])[] {
  const rows: Placed<T>[][] = [];
  for (const thing of things.toSorted((a, b) => a.left - b.left)) {
    const row = rows.find((each) => (each.at(-1)?.right ?? Number.NEGATIVE_INFINITY) <= thing.left);
    if (row) row.push(thing);
    else rows.push([thing]);
  }
  return rows;
}
