import type { ComponentChildren } from 'preact';
import { momentOf } from '../../words.ts';
import { Link } from '../ui.tsx';
import { anchor, type Frame, Item, type Lane, LISTED, List, MARK } from './lane.tsx';
import type { Mark } from './marks.tsx';
import { type Placed, stacked } from './timeline.ts';

/** Of marks above one another. A receiver that fails for days would have dozens. */
const MARK_ROWS = 12;

export function markLane(name: string, marks: readonly Mark[], { x, width, now, point }: Frame): Lane {
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
