import { EXIT } from '../exit.ts';

/** A reader that closes the pipe (`| head -1`) ends the command quietly. A command with more to do replaces `end`. */
export const closedPipe: { end(): void } = { end: () => process.exit() };

export function watchPipes() {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return closedPipe.end();
    const reason = error.code === 'ENOSPC' ? 'the disk is full' : (error.code ?? error.message);
    process.stderr.write(`The output could not be written: ${reason}.\n`);
    process.exit(EXIT.failure);
  });
  // Without stderr, the exit code still says how the command ended.
  process.stderr.on('error', () => undefined);
}
