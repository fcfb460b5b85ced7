import type { Paint } from '../terminal/output.ts';

export const httpPaint =
  (paint: Paint) =>
  (status: number): string => {
    if (status >= 500) return paint.red(String(status));
    return status >= 400 ? paint.yellow(String(status)) : paint.green(String(status));
  };
