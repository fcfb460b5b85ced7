import { useContext, useId, useRef, useState } from 'preact/hooks';
import { INSTALLMENT_STATUSES } from '../../../../domain/installment.ts';
import type { Contract } from '../../../../operations/wire.ts';
import { dateOf, money, plural, spaced } from '../../words.ts';
import { Here } from '../here.ts';
import { Capture, labelsOf, radiusOf } from './capture.tsx';
import { anchor, type Frame, groupOf, List, MARK, UNHEARD } from './lane.tsx';
import { markLane } from './mark-lane.tsx';
import { marksOf } from './marks.tsx';
import { useRoom } from './size.ts';
import { spanLane } from './span-lane.tsx';
import { boundsOf, SPAN_KINDS, scaleOf, spansOf, type Whole } from './timeline.ts';

const RIGHT = 16;
/** The lanes begin here, below the dates. */
const TOP = 34;
/** Room for the word `now` at the bottom. */
const FOOT = 20;
/** From this width on, the lane names are on the left; otherwise above the lanes. */
const ROOMY = 560;
const NAMES = 96;
const NAME_HEIGHT = 16;
const LANE_GAP = 10;
const PLAN_HEIGHT = 44;

/** A contract on one time axis: plan, overdue spans, payments, emails, events and deliveries, past and forecast. */
export function Picture({ of }: { of: Whole }) {
  const here = useContext(Here);
  const { now } = here;
  const { contract, ahead, deliveries } = of;
  const ref = useRef<HTMLDivElement>(null);
  const { width, unit } = useRoom(ref);
  const [pointed, setPointed] = useState('');
  const after = useId();
  const retries = deliveries.flatMap(({ next_attempt_at: at }) => (at === null ? [] : [{ at }]));
  const bounds = boundsOf(contract, now, [...ahead, ...retries]);
  const { start, end } = bounds;
  const isRoomy = width >= ROOMY;
  const left = isRoomy ? NAMES : 16;
  const scale = scaleOf(bounds, left, width - RIGHT);
  // Anything long after the plan is drawn at the end of the axis.
  const x = (at: string | number) => scale(clamped(new Date(at).getTime(), start, end));
  // A clock far beyond the plan is drawn at the end of the axis, with its date.
  const isBeyond = now > end;
  const nowX = x(Math.min(now, end));

  const frame: Frame = { x, width, now, point: setPointed };
  const spans = spansOf(of, now);
  const lanes = [
    ...SPAN_KINDS.map((kind) => spanLane(kind, spans, frame)),
    ...marksOf(of, here).map(([name, marks]) => markLane(name, marks, frame)),
  ].filter((lane) => lane.rows > 0);

  let y = TOP;
  const top = (height: number) => {
    const own = y + (isRoomy ? 0 : NAME_HEIGHT);
    y = own + height + LANE_GAP;
    return own;
  };
  const planY = top(PLAN_HEIGHT) + 14;
  const placed = lanes.map((lane) => ({ ...lane, y: top(lane.rows * lane.rowHeight) }));
  const height = y + FOOT;
  const axisEnd = height - FOOT;

  const nameOf = (name: string, at: number, rowHeight: number) => (
    <text class="lane-name" x={0} y={isRoomy ? at + rowHeight / 2 + 4 : at - 4} {...UNHEARD}>
      {name}
    </text>
  );
  const places = contract.installments.map(({ due_date }) => x(due_date));
  const radius = radiusOf(places);
  const labels = labelsOf(contract.installments, places, width);
  return (
    <div ref={ref} class="picture">
      <a class="skip-axis" href={`#${after}`}>
        Skip the time axis
      </a>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: a title would show as a tooltip everywhere; `groupOf` adds the label */}
      <svg
        width={width * unit}
        height={height * unit}
        viewBox={`0 0 ${width} ${height}`}
        {...groupOf(summary(contract))}
        data-testid="contract-picture"
      >
        {!isBeyond && nowX < width - RIGHT && (
          <rect class="future" x={nowX} y={TOP - 10} width={width - RIGHT / 2 - nowX} height={axisEnd - TOP + 10} />
        )}
        <g {...UNHEARD}>
          {ticks(start, end, width).map((at) => (
            <g key={at}>
              <line class="grid" x1={x(at)} x2={x(at)} y1={TOP - 8} y2={axisEnd} />
              <text class="tick" x={x(at)} y={16} text-anchor={anchor(x(at), width)}>
                {dateOf(at)}
              </text>
            </g>
          ))}
          <line class="lane" x1={left} x2={width - RIGHT} y1={planY} y2={planY} />
          <line class="now" x1={nowX} x2={nowX} y1={TOP - 10} y2={axisEnd} />
        </g>
        {nameOf('Plan', isRoomy ? planY - MARK / 2 : planY - 14, MARK)}
        <List name="Plan">
          {contract.installments.map((each, index) => (
            <Capture
              key={each.sequence}
              of={each}
              x={places[index] as number}
              y={planY}
              radius={radius}
              label={labels[index] ?? null}
              point={setPointed}
            />
          ))}
        </List>
        {placed.map((lane) => (
          <g key={lane.name}>
            {nameOf(lane.name, lane.y, lane.rowHeight)}
            {lane.draw(lane.y)}
          </g>
        ))}
        <text
          class="now-name"
          x={nowX}
          y={height - 6}
          text-anchor={anchor(nowX, width)}
          data-testid="picture-now"
          {...UNHEARD}
        >
          {isBeyond ? `now, ${dateOf(now)}` : 'now'}
        </text>
      </svg>
      <p class="pointed" aria-hidden="true" data-testid="picture-pointed">
        {pointed || 'Point at a mark, or move to it with Tab, to read it here.'}
      </p>
      <ul class="legend" aria-hidden="true">
        {INSTALLMENT_STATUSES.map((status) => (
          <li key={status}>
            <span class={`bead ${status}`} /> {spaced(status)}
          </li>
        ))}
        {ahead.length > 0 && (
          <li>
            <span class="bead foreseen" /> ahead, if nobody acts
          </li>
        )}
      </ul>
      <span id={after} />
    </div>
  );
}

const clamped = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

function ticks(start: number, end: number, width: number): number[] {
  const count = Math.max(2, Math.min(7, Math.floor(width / 130)));
  return Array.from({ length: count }, (_, index) => start + ((end - start) * index) / (count - 1));
}

function summary({ status, installments, paid_amount, customer_total }: Contract): string {
  const of = (name: string) => installments.filter((each) => each.status === name).length;
  const parts = INSTALLMENT_STATUSES.flatMap((name) => (of(name) > 0 ? [`${of(name)} ${spaced(name)}`] : []));
  return `Schedule of a contract that is ${status}: ${plural(installments.length, 'capture')}, ${parts.join(', ')}; ${money(paid_amount)} of ${money(customer_total)} collected.`;
}
