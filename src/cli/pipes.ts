/**
 * A reader that has seen enough (`| head -1`) ends the command quietly. Whoever holds something open replaces `end`.
 */
export const closedPipe: { end(): void } = { end: () => process.exit(0) };

export function watchPipes() {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      closedPipe.end();
    });
  }
}
