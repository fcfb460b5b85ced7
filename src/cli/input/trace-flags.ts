import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
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

/** How much of a file is read: enough to unpack the first field of a trace. */
const BEGIN_BYTES = 1024;

/** Writing reports a file that cannot be opened. An empty one, such as one from mktemp, holds nothing to lose. */
function isOtherKind(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    const opened = openSync(file, 'r');
    try {
      const begin = Buffer.alloc(BEGIN_BYTES);
      const length = readSync(opened, begin);
      return length > 0 && !beginsTrace(begin.subarray(0, length));
    } finally {
      closeSync(opened);
    }
  } catch {
    return false;
  }
}

/** Whether they are the first bytes of the gzip of `{"trace": …}` (interface §11). */
function beginsTrace(bytes: Uint8Array): boolean {
  try {
    // Flushed, so that it does not matter where the bytes were cut off.
    const text = gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
    return /^\{\s*"trace"\s*:/.test(text);
  } catch {
    return false;
  }
}
