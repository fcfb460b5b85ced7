import type { Paint } from '../terminal/output.ts';

/** A status in its color; null if a fault lost the answer. */
export const httpPaint =
  (paint: Paint) =>
  (status: number | null): string => {
    if (status === null) return paint.red('---');
    if (status >= 500) return paint.red(String(status));
    return status >= 400 ? paint.yellow(String(status)) : paint.green(String(status));
  };
