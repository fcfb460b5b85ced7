import { fileReason } from '../../domain/file-error.ts';
import { EXIT } from '../exit.ts';

/** A reader that closes the pipe (`| head -1`) ends the command quietly. A command with more to do replaces `end`. */
export const closedPipe: { end(): void } = { end: () => process.exit() };

/** Output that finds no room on the disk ends the command. A server that a store already uses sets `ends` to false. */
export const unwritten = { ends: true };

export function watchPipes() {
  let isTold = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return closedPipe.end();
    if (!isTold) process.stderr.write(`The output could not be written: ${fileReason(error)}.\n`);
    isTold = true;
    if (unwritten.ends) process.exit(EXIT.failure);
  });
  // Without stderr, the exit code still says how the command ended.
  process.stderr.on('error', () => undefined);
}

/** A command that goes on when its function has returned sets `atOnce` to false. */
export const leaving = { atOnce: true };

/** Ends the process when its output is written. By itself Node would first free its memory, which takes longer. */
export function leave() {
  if (!leaving.atOnce) return;
  process.stdout.write('', (error) => {
    // An error of stdout ends the process with a code of its own.
    if (!error) process.stderr.write('', () => process.exit());
  });
}
