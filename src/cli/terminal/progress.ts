import { everySecond } from '../wait.ts';

let isUnderWay = false;
let isShown = false;

/** Shows on a terminal for how long work has been going on, if it takes more than a second. Work in it shows nothing more. */
export async function withProgress<T>(label: string, work: Promise<T>): Promise<T> {
  const { stderr } = process;
  // A dumb terminal clears no line.
  if (!stderr.isTTY || process.env.TERM === 'dumb' || isUnderWay) return work;
  isUnderWay = true;
  const stop = everySecond((seconds) => {
    stderr.write(`\r${label}… ${seconds} s`);
    isShown = true;
  });
  try {
    return await work;
  } finally {
    stop();
    isUnderWay = false;
    hideProgress();
  }
}

/** Clears the line of the progress, so that another one can be written. The next second shows it again. */
export function hideProgress() {
  if (isShown) process.stderr.write('\r\u001b[K');
  isShown = false;
}

/** Ends the line in which the terminal shows `^C`, so that the next output begins a line of its own. */
export function leaveEcho() {
  const { stdout, stderr } = process;
  if (isShown) hideProgress();
  else if (stdout.isTTY && stderr.isTTY) stderr.write('\n');
}
