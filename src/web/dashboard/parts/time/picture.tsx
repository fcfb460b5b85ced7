import type { ComponentChildren } from 'preact';
import { useContext, useId, useRef, useState } from 'preact/hooks';
import { INSTALLMENT_STATUSES, isOverdue } from '../../../../domain/installment.ts';
import type { Contract, PlanInstallment } from '../../../../operations/wire.ts';
import { dateOf, momentOf, money, plural, spaced } from '../../words.ts';
import { Here } from '../here.ts';
import { Link } from '../ui.tsx';
import { type Mark, marksOf } from './marks.tsx';
import { DIGIT, useRoom } from './size.ts';
import {
  boundsOf,
  type Placed,
  SPAN_KINDS,
  type Span,
  type SpanKind,
  scaleOf,
  spansOf,
  stacked,
  type Whole,
} from './timeline.ts';

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
/** Between the amounts below the plan. */
const LABEL_GAP = 8;
const PLAN_HEIGHT = 44;
/** Large enough for a mouse and a thumb. */
const MARK = 24;
/** Of marks above one another. A receiver that fails for days would have dozens. */
const MARK_ROWS = 12;
const BAR = 10;
const SPAN_ROW = 16;
/** Room for the installment number after or before the bar. */
const SPAN_LABEL = 26;

/** The drawing that the lanes are part of. */
interface Frame {
  x(at: string | number): number;
  readonly width: number;
  readonly now: number;
  /** Shows the words for what is pointed at. */
  point(text: string): void;
}

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
  const radius = radiusOf(contract.installments.map(({ due_date }) => x(due_date)));
  let labelledTo = Number.NEGATIVE_INFINITY;
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
          {contract.installments.map((each) => {
            const at = x(each.due_date);
            const label = labelOf(money(each.amount), at, width);
            const isLabelled = label.from >= labelledTo;
            if (isLabelled) labelledTo = label.to + LABEL_GAP;
            return (
              <Capture
                key={each.sequence}
                of={each}
                x={at}
                y={planY}
                radius={radius}
                label={isLabelled ? label : null}
                point={setPointed}
              />
            );
          })}
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

/** SVG elements have no semantics of their own, so roles and labels add them. */
const groupOf = (name: string) => ({ role: 'group', 'aria-label': name }) as const;
const listOf = (name: string) => ({ role: 'list', 'aria-label': name }) as const;
const imageOf = (name: string) => ({ role: 'img', 'aria-label': name }) as const;
const LISTED = { role: 'listitem' } as const;
const UNHEARD = { 'aria-hidden': true } as const;

const List = ({ name, children }: { name: string; children: ComponentChildren }) => <g {...listOf(name)}>{children}</g>;

/** One labelled part of the drawing that is not a link. */
function Item({
  text,
  point,
  children,
  ...rest
}: Pick<Frame, 'point'> & {
  text: string;
  children: ComponentChildren;
  class?: string;
  'data-status'?: string;
}) {
  const pointing = { onMouseEnter: () => point(text) };
  return (
    <g {...LISTED}>
      <g {...rest} {...imageOf(text)} {...pointing}>
        {children}
      </g>
    </g>
  );
}

interface Lane {
  readonly name: string;
  readonly rows: number;
  readonly rowHeight: number;
  draw(y: number): ComponentChildren;
}

const SPAN_NAMES = { due: 'Due', past_due: 'Past due', grace: 'Grace', delinquent: 'Delinquent' };

/** The spans of one kind. Spans that would touch get separate rows; the future part of a span is hollow. */
function spanLane(kind: SpanKind, all: readonly Span[], { x, width, now, point }: Frame): Lane {
  const rows = stacked(
    all
      .filter((span) => span.kind === kind)
      .map((span) => {
        const [from, to] = [x(span.from), Math.max(x(span.to), x(span.from) + 3)];
        const isLabelFirst = to + SPAN_LABEL > width;
        return {
          of: span,
          x: isLabelFirst ? from - 4 : to + 4,
          left: from - (isLabelFirst ? SPAN_LABEL : 0),
          right: to + (isLabelFirst ? 1 : SPAN_LABEL),
        };
      }),
  );
  const name = SPAN_NAMES[kind];
  return {
    name,
    rows: rows.length,
    rowHeight: SPAN_ROW,
    draw: (y) => (
      <List name={name}>
        {rows.flatMap((row, index) =>
          row.map(({ of: span, x: labelX }) => {
            const middle = y + index * SPAN_ROW + SPAN_ROW / 2;
            const bar = (from: number, to: number, foreseen: string) => (
              <rect
                class={`span ${kind}${foreseen}`}
                x={x(from)}
                y={middle - BAR / 2}
                width={Math.max(3, x(to) - x(from))}
                height={BAR}
              />
            );
            return (
              <Item key={span.number} text={spanText(span, now)} point={point}>
                {span.from <= now && bar(span.from, Math.min(span.to, now), '')}
                {span.to > now && bar(Math.max(span.from, now), span.to, ' foreseen')}
                <text
                  class="tick span-label"
                  x={labelX}
                  y={middle + 4}
                  text-anchor={labelX < x(span.from) ? 'end' : 'start'}
                >
                  #{span.number}
                </text>
              </Item>
            );
          }),
        )}
      </List>
    ),
  };
}

function spanText({ kind, number, from, to }: Span, now: number): string {
  const when = `${dateOf(from)} to ${dateOf(to)}`;
  return `${to > now && from > now ? 'Ahead: installment' : 'Installment'} ${number}, ${SPAN_NAMES[kind].toLowerCase()}, ${when}${to > now && from <= now ? ', partly ahead' : ''}`;
}

function markLane(name: string, marks: readonly Mark[], { x, width, now, point }: Frame): Lane {
  const all = stacked(
    marks.map((mark): Placed<Mark> => {
      const at = x(mark.at);
      return { of: mark, x: at, left: at - MARK / 2, right: at + MARK / 2 };
    }),
  );
  const rows = all.slice(0, MARK_ROWS);
  const left = all.slice(MARK_ROWS).flat();
  const places = new Map(rows.flatMap((row, index) => row.map(({ of, x: at }) => [of, [at, index] as const] as const)));
  const draw = (mark: Mark, y: number) => {
    const [at, index] = places.get(mark) as readonly [number, number];
    const drawing = (
      <g transform={`translate(${at} ${y + index * MARK + MARK / 2})`}>
        <rect class="hit" x={-MARK / 2} y={-MARK / 2} width={MARK} height={MARK} rx={4} />
        {mark.glyph}
      </g>
    );
    return mark.href === undefined ? (
      <Item key={mark.key} text={mark.text} point={point} class={`${mark.class} foreseen`}>
        {drawing}
      </Item>
    ) : (
      <MarkLink key={mark.key} href={mark.href} text={mark.text} point={point} class={mark.class}>
        {drawing}
      </MarkLink>
    );
  };
  const isAhead = ({ at }: Mark) => Date.parse(at) > now;
  const done = marks.filter((mark) => places.has(mark) && !isAhead(mark));
  const foreseen = marks.filter((mark) => places.has(mark) && isAhead(mark));
  return {
    name,
    rows: rows.length + (left.length > 0 ? 1 : 0),
    rowHeight: MARK,
    draw: (y) => (
      <>
        {done.length > 0 && <List name={name}>{done.map((mark) => draw(mark, y))}</List>}
        {foreseen.length > 0 && (
          <List name={`${name} ahead, if nobody acts`}>{foreseen.map((mark) => draw(mark, y))}</List>
        )}
        {left.length > 0 && (
          <LeftOut name={name} of={left} y={y + rows.length * MARK + MARK / 2} width={width} point={point} />
        )}
      </>
    ),
  };
}

/** Stands for the marks of a lane that have no room, below the first of them. */
function LeftOut({
  name,
  of,
  y,
  width,
  point,
}: Pick<Frame, 'width' | 'point'> & { name: string; of: readonly Placed<Mark>[]; y: number }) {
  const times = of.map(({ of: { at } }) => Date.parse(at));
  const [first, last] = [momentOf(Math.min(...times)), momentOf(Math.max(...times))];
  const at = Math.min(...of.map(({ x }) => x));
  const when = first === last ? `at ${first}` : `from ${first} to ${last}`;
  return (
    <List name={`${name} without room`}>
      <Item text={`${name}: ${of.length} more, ${when}`} point={point} class="left-out">
        <text class="tick" x={at} y={y + 4} text-anchor={anchor(at, width)}>
          +{of.length}
        </text>
      </Item>
    </List>
  );
}

/** A mark of something that has a page, or a place on this one, to which the browser scrolls. */
function MarkLink({
  href,
  text,
  point,
  children,
  ...rest
}: Pick<Frame, 'point'> & { href: string; text: string; class: string; children: ComponentChildren }) {
  const A = href.startsWith('#') ? 'a' : Link;
  return (
    <g {...LISTED}>
      <A {...rest} href={href} aria-label={text} onFocus={() => point(text)} onMouseEnter={() => point(text)}>
        {children}
      </A>
    </g>
  );
}

/** A paid capture is filled, an overdue one is square: colour alone is not enough. */
function Capture({
  of: { status, amount, due_date, type, installment_number },
  x,
  y,
  radius,
  label,
  point,
}: Pick<Frame, 'point'> & {
  of: PlanInstallment;
  x: number;
  y: number;
  radius: number;
  /** Null where there is no room for one. */
  label: Label | null;
}) {
  const overdue = isOverdue(status);
  const name = type === 'cart_capture' ? 'Cart Capture' : `Installment ${installment_number}`;
  const text = `${name}, ${money(amount)}, due ${dateOf(due_date)}: ${spaced(status)}`;
  return (
    <Item text={text} point={point} class={`capture ${status}`} data-status={status}>
      {overdue ? (
        <rect x={x - radius} y={y - radius} width={2 * radius} height={2 * radius} rx={2} />
      ) : (
        <circle cx={x} cy={y} r={radius} />
      )}
      {status === 'paid' && radius > 7 && <path class="tickmark" d={`M${x - 4} ${y}l3 3 5-6`} />}
      {status === 'due' && <circle class="core" cx={x} cy={y} r={2} />}
      {label && (
        <text class="amount" x={x} y={y + 26} text-anchor={label.side}>
          {label.text}
        </text>
      )}
    </Item>
  );
}

interface Label {
  readonly text: string;
  readonly side: 'start' | 'middle' | 'end';
  readonly from: number;
  readonly to: number;
}

/** An amount around `x`, or beside it where the edge of the picture is too near. */
function labelOf(text: string, x: number, width: number): Label {
  const long = DIGIT * text.length;
  if (x < long / 2) return { text, side: 'start', from: x, to: x + long };
  if (x > width - long / 2) return { text, side: 'end', from: x - long, to: x };
  return { text, side: 'middle', from: x - long / 2, to: x + long / 2 };
}

/** As large as possible without overlap. */
function radiusOf(places: readonly number[]): number {
  const gaps = places.slice(1).map((place, index) => place - (places[index] as number));
  return Math.max(3, Math.min(9, ...gaps.map((gap) => gap / 2 - 1)));
}

const anchor = (x: number, width: number) => (x < 40 ? 'start' : x > width - 40 ? 'end' : 'middle');

function ticks(start: number, end: number, width: number): number[] {
  const count = Math.max(2, Math.min(7, Math.floor(width / 130)));
  return Array.from({ length: count }, (_, index) => start + ((end - start) * index) / (count - 1));
}

function summary({ status, installments, paid_amount, customer_total }: Contract): string {
  const of = (name: string) => installments.filter((each) => each.status === name).length;
  const parts = INSTALLMENT_STATUSES.flatMap((name) => (of(name) > 0 ? [`${of(name)} ${spaced(name)}`] : []));
  return `Schedule of a contract that is ${status}: ${plural(installments.length, 'capture')}, ${parts.join(', ')}; ${money(paid_amount)} of ${money(customer_total)} collected.`;
}
