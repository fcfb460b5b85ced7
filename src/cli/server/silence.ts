/**
 * The result of `work`, unless `ask` rejects first: it asks the server again and again for something that a working
 * server answers immediately, and a suspended one never.
 */
export async function unlessSilent<T>(work: Promise<T>, ask: () => Promise<unknown>, everyMs = 10_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const silence = new Promise<never>((_, reject) => {
    const wait = () => {
      if (!isOver) timer = setTimeout(() => ask().then(wait, reject), everyMs);
    };
    wait();
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** What to do if that process is a server that does not answer; null where terminals do not suspend processes. */
export const adviceIfSuspended = (pid: number): string | null =>
  process.platform === 'win32'
    ? null
    : `If its process was suspended, as Ctrl-Z does, \`kill -CONT ${pid}\` lets it continue.`;
