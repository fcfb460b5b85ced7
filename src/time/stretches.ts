import { Refusal } from '../domain/refusal.ts';
import { breathe, type RealTime } from './real.ts';

/** How long work goes on before other requests get a turn. */
export const STRETCH_MS = 5;

/** Runs `work` step by step and lets other requests run after each stretch. */
export async function inStretches<R>(
  time: Pick<RealTime, 'now'>,
  work: Generator<void, R>,
  cancelled?: AbortSignal,
): Promise<R> {
  try {
    for (let stretch = time.now(); ; ) {
      const { done, value } = work.next();
      if (done) return value;
      if (time.now() - stretch >= STRETCH_MS) {
        await breathe();
        if (cancelled?.aborted) throw cancelledLook(cancelled);
        stretch = time.now();
      }
    }
  } finally {
    work.return(undefined as R);
  }
}

const cancelledLook = ({ reason }: AbortSignal) =>
  new Refusal('conflict', `The dry run was cancelled by ${reason}. Run it again if you still need it.`);
