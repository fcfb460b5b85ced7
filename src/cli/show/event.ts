import { instant } from '../format.ts';
import type { Output } from '../output.ts';
import type { Happening } from './happened.ts';

/** The body of a webhook (decisions §6). */
export interface Event {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly livemode: boolean;
  readonly data: {
    readonly id?: string;
    readonly reference?: string;
    readonly installment?: { readonly installment_number: number | null };
  };
}

/** `LAY-…`, `LAY-…#2` or `cs_…`. */
export function subjectOf({ data }: Event): string {
  const number = data.installment?.installment_number;
  const reference = data.reference ?? data.id ?? '';
  return number === undefined || number === null ? reference : `${reference}#${number}`;
}

export const happeningOf = (event: Event): Happening & { readonly id: string } => ({
  id: event.id,
  at: event.created_at,
  type: event.type,
  subject: subjectOf(event),
});

export function eventTable(out: Output, events: readonly Event[]) {
  out.table(
    [
      { title: 'EVENT' },
      { title: 'AT', paint: out.paint.dim },
      { title: 'TYPE' },
      { title: 'SUBJECT', paint: out.paint.bold },
    ],
    events.map(happeningOf).map(({ id, at, type, subject }) => [id, instant(at), type, subject]),
  );
}
