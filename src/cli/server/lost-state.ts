import { statSync, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';

const LOOK_MS = 1_000;

/**
 * Notes once that the state directory was removed or replaced, as by somebody who wants to start over: the server still
 * has its files open and answers as before.
 */
export function watchState(data: string, note: (text: string) => void) {
  const file = join(data, 'layaway.db');
  const kept = statSync(file, { throwIfNoEntry: false });
  // Called for a change, and once if there is no such file.
  watchFile(file, { interval: LOOK_MS, persistent: false }, ({ ino, birthtimeMs }) => {
    // Some network file systems give a file that stays another number, but none another birth.
    if (ino === kept?.ino || birthtimeMs === kept?.birthtimeMs) return;
    unwatchFile(file);
    note(
      `The state directory ${data} was removed or replaced. The server goes on with the state that it had, but that is lost when it ends. To start over, stop it and start it again.`,
    );
  });
}
