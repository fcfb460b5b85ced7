import { Refusal } from '../domain/refusal.ts';
import { type RealTime, yieldToEventLoop } from './real.ts';

/** How long work goes on before other requests get a turn. */
export const TIME_SLICE_MS = 5;

/** Runs `work` step by step and lets other requests run after each slice. */
export async function inTimeSlices<R>(
  time: Pick<RealTime, 'now'>,
  work: Generator<void, R>,
  cancelled?: AbortSignal,
): Promise<R> {
  try {
    for (let sliceStart = time.now(); ; ) {
      const { done, value } = work.next();
      if (done) return value;
      if (time.now() - sliceStart >= TIME_SLICE_MS) {
        await yieldToEventLoop();
        if (cancelled?.aborted) throw cancelledLook(cancelled);
        sliceStart = time.now();
      }
    }
  } finally {
    work.return(undefined as R);
  }
}

const cancelledLook = ({ reason }: AbortSignal) =>
  new Refusal('conflict', `The dry run was cancelled by ${reason}. Run it again if you still need it.`);
