import { isFailure } from '../../domain/event.ts';
import { instant, relative } from '../terminal/format.ts';
import type { Output, Paint } from '../terminal/output.ts';

/** What an advance, a forecast or an event says happened (interface §3). */
export interface Happening {
  readonly at: string;
  readonly type: string;
  readonly subject: string;
}

/** A timeline: the instant, how far from `from`, what, and to whom. */
export function timeline(out: Output, happened: readonly Happening[], from: number) {
  out.table(
    [
      { title: 'AT', paint: out.paint.dim },
      { title: '', paint: out.paint.dim, shrinks: true },
      { title: 'EVENT', paint: typePaint(out.paint) },
      { title: 'SUBJECT', paint: out.paint.bold },
    ],
    happened.map(({ at, type, subject }) => [instant(at), relative(Date.parse(at), from), type, subject]),
  );
}

const GOOD = /paid|completed|activated/;

export const typePaint =
  (paint: Paint) =>
  (type: string): string => {
    if (isFailure(type)) return paint.red(type);
    return GOOD.test(type) ? paint.green(type) : type;
  };
