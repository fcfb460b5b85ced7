import { EXIT } from '../exit.ts';

/**
 * A reader that has seen enough (`| head -1`) ends the command quietly. Whoever holds something open replaces `end`.
 */
export const closedPipe: { end(): void } = { end: () => process.exit() };

export function watchPipes() {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return closedPipe.end();
    const reason = error.code === 'ENOSPC' ? 'the disk is full' : (error.code ?? error.message);
    process.stderr.write(`The output could not be written: ${reason}.\n`);
    process.exit(EXIT.failure);
  });
  // The exit code tells what stderr cannot.
  process.stderr.on('error', () => undefined);
}
