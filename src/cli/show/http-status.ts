import type { Paint } from '../terminal/output.ts';

/** A status in its colour; of a request that a fault lost there is none. */
export const httpPaint =
  (paint: Paint) =>
  (status: number | null): string => {
    if (status === null) return paint.red('---');
    if (status >= 500) return paint.red(String(status));
    return status >= 400 ? paint.yellow(String(status)) : paint.green(String(status));
  };
