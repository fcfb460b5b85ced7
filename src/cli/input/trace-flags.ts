import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { usage } from '../exit.ts';

/** The trace flags of `exec` and `run`. */
export interface TraceFlags {
  readonly trace?: string;
  readonly traceAlways?: true;
}

/** @throws CommandError when the flags do not go together, or another kind of file would be lost */
export function checkTrace({ trace, traceAlways }: TraceFlags) {
  if (traceAlways && trace === undefined) throw usage('--trace-always needs --trace.');
  if (trace !== undefined) refuseOtherKind(trace, '--trace');
}

/**
 * An older trace is replaced.
 * @throws CommandError when the file is no trace
 */
export function refuseOtherKind(file: string, writer: '--trace' | 'trace save') {
  if (isOtherKind(file)) {
    throw usage(`${writer} would overwrite ${file}, which is not a trace. Name another file.`);
  }
}

/** The first bytes of a gzip file, which every trace is (interface §11). */
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Writing reports a file that cannot be opened. An empty one, such as one from mktemp, holds nothing to lose. */
function isOtherKind(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    const opened = openSync(file, 'r');
    try {
      const begin = Buffer.alloc(GZIP.length);
      const length = readSync(opened, begin);
      return length > 0 && !begin.equals(GZIP);
    } finally {
      closeSync(opened);
    }
  } catch {
    return false;
  }
}
