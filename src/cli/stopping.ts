import type { Stopping } from '../scenario/stopping.ts';
import type { OneShot } from './command.ts';
import { rest } from './wait.ts';

/** How long after a signal a server may still answer, and when the command ends even without its report. */
const LEAVING_MS = 4000;
const ENDING_MS = 5000;

/** A signal stops the work but not the command, which can still report what it has done. */
export async function stoppedBySignal({
  beforeSignal,
}: Pick<OneShot, 'beforeSignal'>): Promise<{ readonly signal: AbortSignal; readonly stopping: Stopping }> {
  const { stoppedBy } = await import('../scenario/stopping.ts');
  const stop = new AbortController();
  const stopping = stoppedBy(stop.signal, () => rest(LEAVING_MS));
  beforeSignal(() => {
    stop.abort();
    return rest(ENDING_MS);
  });
  return { signal: stop.signal, stopping };
}
