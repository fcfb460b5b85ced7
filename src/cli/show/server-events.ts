import { formatInstant } from '../../domain/calendar.ts';
import type { SimulatorOptions } from '../../index.ts';
import { isOfControlPlane } from '../server/control-plane.ts';
import { instant } from '../terminal/format.ts';
import type { Output } from '../terminal/output.ts';
import { answerOf } from './delivery.ts';
import { httpPaint } from './http-status.ts';
import { struckBy } from './struck-by.ts';

/** What `layaway serve` prints after its ready line (interface §2). */
export function watchers(
  { json, document, line, paint }: Output,
  isStopping: () => boolean,
): Required<Pick<SimulatorOptions, 'onRequest' | 'onDelivery' | 'onClock'>> {
  const { dim, bold } = paint;
  const time = (at: number) => dim(formatInstant(at).slice(11, 19));
  const say = (event: string, at: number, facts: object, text: () => string) => {
    if (isStopping()) return;
    if (json) document(JSON.stringify({ event, at: formatInstant(at), ...facts }));
    else line(`${time(at)}  ${text()}`);
  };

  return {
    onRequest({ at, method, path, status, durationMs, fault }) {
      // Commands that wait or follow read several times a second. On a screen that would push away what the store asks.
      if (!json && method === 'GET' && status !== null && status < 400 && isOfControlPlane({ path })) return;
      const duration_ms = round(durationMs);
      say('request', at, { method, path, status, duration_ms, fault }, () =>
        [
          httpPaint(paint)(status),
          `${method.padEnd(6)} ${path}`,
          dim(`${duration_ms} ms`),
          ...struckBy(paint, fault),
        ].join('  '),
      );
    },
    onDelivery({ at, id, eventId, type, subject, url, attempt, statusCode, durationMs, error, fault }) {
      const facts = {
        id,
        event_id: eventId,
        type,
        subject,
        url,
        attempt,
        status_code: statusCode,
        duration_ms: durationMs,
        error,
        fault,
      };
      say('delivery', at, facts, () =>
        [
          statusCode === null ? paint.red('---') : httpPaint(paint)(statusCode),
          `EVENT  ${type} ${bold(subject)} to ${url}`,
          dim(`${error === null ? '' : `${answerOf(null, error)}, `}attempt ${attempt}, ${durationMs} ms`),
          ...struckBy(paint, fault),
        ].join('  '),
      );
    },
    onClock({ at, clientId, mode, now }) {
      const reads = formatInstant(now);
      say(
        'clock',
        at,
        { client_id: clientId, mode, now: reads },
        () => `     CLOCK  ${mode} at ${bold(instant(reads))} ${dim(clientId)}`,
      );
    },
  };
}

const round = (ms: number) => Math.round(ms * 10) / 10;
