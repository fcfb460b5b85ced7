import { useRef, useState } from 'preact/hooks';
import { isFailure } from '../../../../domain/event.ts';
import type { Happened } from '../../../../operations/wire.ts';
import { dateOf, fromNow, momentOf, plural } from '../../words.ts';
import { isSecond } from '../levers/levers.tsx';
import { Id } from '../link-to.tsx';
import { EventType } from '../ui.tsx';
import { useRoom } from './size.ts';
import { scaleOf } from './timeline.ts';

/** Large enough for a mouse and a thumb. */
const STOP_WIDTH = 30;
const ROWS = 40;
const EDGE = 18;

interface Stop {
  readonly at: string;
  readonly x: number;
  readonly things: Happened[];
  /** The forecast ends within this instant, so more may happen at it. */
  readonly isCut: boolean;
}

interface Props {
  readonly of: readonly Happened[];
  readonly now: number;
  readonly busy: boolean;
  /** Whether more happens after the last entry. */
  readonly more: boolean;
  /** Looks further ahead; null at the limit. */
  readonly further: (() => void) | null;
  travel(at: string): void;
}

/** The forecast as a time axis and as a list. A click moves the clock. */
export function Forecast({ of, now, busy, more, further, travel }: Props) {
  const instants = byInstant(of, more);
  const [shown, setShown] = useState(ROWS);
  return (
    <>
      <Axis instants={instants} now={now} busy={busy} travel={travel} />
      <ol class="ahead">
        {instants.slice(0, shown).map(({ at, things, isCut }) => (
          <li key={at}>
            <div class="ahead-when">
              <strong>{momentOf(at)}</strong>
              <span class="soft">{fromNow(at, now)}</span>
            </div>
            <ul class="ahead-what">
              {tallied(things).map(([type, subject, n]) => (
                <li key={type}>
                  <EventType type={type} />{' '}
                  {n === 1 && !isCut ? (
                    <Id of={subject} short />
                  ) : (
                    <span class="soft">
                      × {n}
                      {isCut && ' or more'}
                    </span>
                  )}
                </li>
              ))}
            </ul>
            <button type="button" disabled={busy} onClick={(event) => isSecond(event) || travel(at)}>
              Travel here<span class="unseen">: {momentOf(at)}</span>
            </button>
          </li>
        ))}
      </ol>
      {instants.length > shown && (
        <p class="more">
          {plural(instants.length - shown, 'later instant')} on the axis above.{' '}
          <button type="button" class="quiet" onClick={() => setShown(shown + ROWS)}>
            Show {Math.min(ROWS, instants.length - shown)} more
          </button>
        </p>
      )}
      {more && (
        <p class="more" data-testid="ahead-more">
          The forecast is long and ends here, at {momentOf(instants.at(-1)?.at ?? now)}.{' '}
          {further && (
            <button type="button" class="quiet" onClick={further}>
              Look further ahead
            </button>
          )}
        </p>
      )}
    </>
  );
}

function Axis({
  instants,
  now,
  busy,
  travel,
}: { instants: readonly Omit<Stop, 'x'>[] } & Omit<Props, 'of' | 'more' | 'further'>) {
  const ref = useRef<HTMLDivElement>(null);
  const { width, unit } = useRoom(ref);
  const end = Date.parse(instants.at(-1)?.at ?? '');
  const x = scaleOf({ start: now, end }, EDGE, width - EDGE);
  const stops = spread(instants.map((stop) => ({ ...stop, x: x(Date.parse(stop.at)) })));
  return (
    <div class="axis" ref={ref} data-testid="forecast-axis">
      <div class="axis-line" />
      <span class="axis-now">now</span>
      <span class="axis-end">{dateOf(end)}</span>
      {stops.map(({ at, x, things, isCut }) => (
        <button
          key={at}
          type="button"
          class={things.some(({ type }) => isFailure(type)) ? 'stop bad' : 'stop'}
          style={{ left: `${x * unit}px` }}
          disabled={busy}
          title={`${momentOf(at)}: ${isCut ? `${things.length} or more events` : plural(things.length, 'event')}`}
          aria-label={`Travel to ${momentOf(at)}, ${countOf(things.length, isCut)} ${things.length === 1 && !isCut ? 'event' : 'events'}`}
          onClick={(event) => isSecond(event) || travel(at)}
        >
          {things.length > 1 || isCut ? countOf(things.length, isCut) : ''}
        </button>
      ))}
    </div>
  );
}

/** A count short enough for a stop. */
const countOf = (n: number, orMore: boolean) => (n > 99 ? '99+' : `${n}${orMore ? '+' : ''}`);

function byInstant(of: readonly Happened[], more: boolean): Omit<Stop, 'x'>[] {
  const stops: Omit<Stop, 'x'>[] = [];
  const end = more ? of.at(-1)?.at : undefined;
  for (const thing of of) {
    const last = stops.at(-1);
    if (last?.at === thing.at) last.things.push(thing);
    else stops.push({ at: thing.at, things: [thing], isCut: thing.at === end });
  }
  return stops;
}

/** Merges stops that would overlap. A merged stop leads to the last one in it. */
function spread(stops: readonly Stop[]): Stop[] {
  const kept: Stop[] = [];
  for (const stop of stops) {
    const last = kept.at(-1);
    if (last && stop.x - last.x < STOP_WIDTH)
      kept[kept.length - 1] = { ...stop, x: last.x, things: [...last.things, ...stop.things] };
    else kept.push(stop);
  }
  return kept;
}

function tallied(things: readonly Happened[]): [type: Happened['type'], subject: string, n: number][] {
  const rows = new Map<Happened['type'], [Happened['type'], string, number]>();
  for (const { type, subject } of things) {
    const row = rows.get(type);
    if (row) row[2] += 1;
    else rows.set(type, [type, subject, 1]);
  }
  return [...rows.values()];
}
