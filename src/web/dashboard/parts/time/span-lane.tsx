import { dateOf } from '../../words.ts';
import { type Frame, Item, type Lane, List } from './lane.tsx';
import { type Span, type SpanKind, stacked } from './timeline.ts';

const BAR = 10;
const SPAN_ROW = 16;
/** Room for the installment number after or before the bar. */
const SPAN_LABEL = 26;

const SPAN_NAMES = { due: 'Due', past_due: 'Past due', grace: 'Grace', delinquent: 'Delinquent' };

/** The spans of one kind. Spans that would touch get separate rows; the future part of a span is hollow. */
export function spanLane(kind: SpanKind, all: readonly Span[], { x, width, now, point }: Frame): Lane {
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
