import type { Delivery } from '../../operations/wire.ts';
import { when } from '../terminal/format.ts';
import type { Output, Paint } from '../terminal/output.ts';

export function deliveryTable(out: Output, deliveries: readonly Delivery[], now: number) {
  out.table(
    [
      { title: 'DELIVERY' },
      { title: 'EVENT' },
      { title: 'URL', shrinks: true },
      { title: 'STATUS', paint: deliveryPaint(out.paint) },
      { title: 'ATTEMPTS', figures: true },
      { title: 'LAST ANSWER', shrinks: true },
      { title: 'NEXT ATTEMPT', shrinks: true, paint: out.paint.dim },
    ],
    deliveries.map(({ id, event_id, url, status, attempts, next_attempt_at }) => {
      const last = attempts.at(-1);
      const answer = last ? answerOf(last.status_code, last.error) : '—';
      return [id, event_id, url, status, String(attempts.length), answer, when(next_attempt_at, now)];
    }),
  );
}

/** `200`, or why there is none. */
export const answerOf = (statusCode: number | null, error: string | null): string =>
  [...(statusCode === null ? [] : [String(statusCode)]), ...(error === null ? [] : [error])].join(', ');

const deliveryPaint =
  (paint: Paint) =>
  (status: string): string => {
    if (status.trim() === 'delivered') return paint.green(status);
    return status.trim() === 'failed' ? paint.red(status) : paint.yellow(status);
  };
