import { CannotMeasure, type Line } from './figure.ts';
import type { Unmeasured } from './result.ts';

export interface Listener {
  begun(figure: string): void;
  measured(figure: string, line: Line): void;
  failed(unmeasured: Unmeasured): void;
  skipped(unmeasured: Unmeasured): void;
}

export interface Patience {
  /** How long a figure may take for its next line. */
  readonly limitMs: number;
  /** How long it may take to clean up after that. */
  readonly cleanUpMs: number;
  /** Ends the programs that a hanging figure has started, so that it stops waiting for them. */
  readonly abandon: () => void;
}

class Hangs extends Error {}

/** Measures one figure after the other, even if one fails or hangs. */
export async function measureAll(
  figures: Readonly<Record<string, () => AsyncIterable<Line>>>,
  listener: Listener,
  { limitMs, cleanUpMs, abandon }: Patience,
): Promise<void> {
  for (const [figure, measure] of Object.entries(figures)) {
    listener.begun(figure);
    const lines = measure()[Symbol.asyncIterator]();
    let next: Promise<IteratorResult<Line>> | undefined;
    try {
      for (;;) {
        next = lines.next();
        const { done, value } = await within(next, limitMs);
        if (done) break;
        listener.measured(figure, value);
      }
    } catch (error) {
      if (error instanceof Hangs) {
        abandon();
        await within(next as Promise<unknown>, cleanUpMs).catch(() => undefined);
      }
      const unmeasured = { figure, reason: error instanceof Error ? error.message : String(error) };
      if (error instanceof CannotMeasure) listener.skipped(unmeasured);
      else listener.failed(unmeasured);
    }
  }
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Hangs(`It had no result after ${limitMs / 1000} seconds.`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
