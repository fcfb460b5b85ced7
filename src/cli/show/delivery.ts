import type { Delivery, DeliveryAttempt, GivenUp } from '../../operations/wire.ts';
import { when } from '../terminal/format.ts';
import type { Output, Paint } from '../terminal/output.ts';

export function deliveryTable(out: Output, deliveries: readonly Delivery[], now: number) {
  out.table(
    [
      { title: 'DELIVERY' },
      { title: 'EVENT' },
      { title: 'TYPE' },
      { title: 'URL', shrinks: true },
      { title: 'STATUS', paint: deliveryPaint(out.paint) },
      { title: 'ATTEMPTS', figures: true },
      { title: 'LAST RESPONSE', shrinks: true },
      { title: 'NEXT ATTEMPT', shrinks: true, paint: out.paint.dim },
    ],
    deliveries.map(({ id, event_id, event_type, url, status, attempts, next_attempt_at, given_up }) => {
      const last = attempts.at(-1);
      const answer = last ? answerOf(last.status_code, last.error) : (given_up?.reason ?? '—');
      return [id, event_id, event_type, url, status, String(attempts.length), answer, when(next_attempt_at, now)];
    }),
  );
}

/** Why a delivery that was asked for has no attempt. */
export const NOT_ATTEMPTED =
  'Pending: a fault holds it back, or the endpoint belongs to a `layaway listen` that is not running.';

/** Shows one delivery with the headers of each attempt, and what the receiver returned. The event is its body. */
export function showDelivery(out: Output, delivery: Delivery, now: number) {
  out.facts([
    ['delivery', delivery.id, out.paint.bold],
    ['event', `${delivery.event_type} ${delivery.event_id}`],
    ['endpoint', delivery.endpoint_id ?? '—'],
    ['url', delivery.url],
    ['status', delivery.status, deliveryPaint(out.paint)],
    ['next attempt', when(delivery.next_attempt_at, now)],
    ...(delivery.given_up ? givenUp(delivery.given_up, now) : []),
  ]);
  for (const attempt of delivery.attempts) {
    out.line();
    out.facts([
      ['attempt', String(attempt.number), out.paint.bold],
      ['at', when(attempt.at, now)],
      ['response', timedAnswerOf(attempt)],
      ...(attempt.response_body ? [['body', attempt.response_body] as const] : []),
    ]);
    headers(out, 'request headers', attempt.request_headers);
    headers(out, 'response headers', attempt.response_headers);
  }
}

/** When a delivery was given up before its last attempt, and why. */
const givenUp = ({ at, reason }: GivenUp, now: number) =>
  [
    ['given up', when(at, now)],
    ['because', reason],
  ] as const;

function headers(out: Output, title: string, given: Readonly<Record<string, string>>) {
  const lines = Object.entries(given);
  if (lines.length > 0) out.line(title);
  for (const [name, value] of lines) out.line(`  ${name}: ${value}`);
}

/** `200`, why there is no status, or both if the answer broke off. */
export const answerOf = (statusCode: number | null, error: string | null): string =>
  [...(statusCode === null ? [] : [String(statusCode)]), ...(error === null ? [] : [error])].join(', ');

/** `200 (4 ms)` */
export const timedAnswerOf = (attempt: Pick<DeliveryAttempt, 'status_code' | 'error' | 'duration_ms'>): string =>
  `${answerOf(attempt.status_code, attempt.error)} (${attempt.duration_ms} ms)`;

const deliveryPaint =
  (paint: Paint) =>
  (status: string): string => {
    if (status.trim() === 'delivered') return paint.green(status);
    return status.trim() === 'failed' ? paint.red(status) : paint.yellow(status);
  };
