import { usage } from '../exit.ts';

/** The trace flags of `exec` and `run`. */
export interface TraceFlags {
  readonly trace?: string;
  readonly traceAlways?: true;
}

/** @throws CommandError when the flags do not go together */
export function checkTrace({ trace, traceAlways }: TraceFlags) {
  if (traceAlways && trace === undefined) throw usage('--trace-always needs --trace.');
}
