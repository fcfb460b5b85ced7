import { subjectOfData } from '../../domain/event.ts';
import type { LayawayEvent } from '../../operations/wire.ts';
import { instant } from '../terminal/format.ts';
import type { Output } from '../terminal/output.ts';
import type { Happening } from './happened.ts';

/** `LAY-…`, `LAY-…#2` or `cs_…`; empty for a test. */
export const subjectOf = ({ data }: Pick<LayawayEvent, 'data'>) => subjectOfData(data) ?? '';

export const happeningOf = (event: LayawayEvent): Happening & { readonly id: string } => ({
  id: event.id,
  at: event.created_at,
  type: event.type,
  subject: subjectOf(event),
});

export function eventTable(out: Output, events: readonly LayawayEvent[]) {
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
