import { everySecond } from '../wait.ts';

/** Shows on a terminal for how long work has been going on, if it takes more than a second. */
export async function withProgress<T>(label: string, work: Promise<T>): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work;
  let shown = false;
  const stop = everySecond((seconds) => {
    stderr.write(`\r${label}… ${seconds} s`);
    shown = true;
  });
  try {
    return await work;
  } finally {
    stop();
    if (shown) stderr.write('\r\u001b[K');
  }
}
