import type { ComponentChildren } from 'preact';

/** Large enough for a mouse and a thumb. */
export const MARK = 24;

/** The drawing that the lanes are part of. */
export interface Frame {
  x(at: string | number): number;
  readonly width: number;
  readonly now: number;
  /** Shows the words for what is pointed at. */
  point(text: string): void;
}

export interface Lane {
  readonly name: string;
  readonly rows: number;
  readonly rowHeight: number;
  draw(y: number): ComponentChildren;
}

/** SVG elements have no semantics of their own, so roles and labels add them. */
export const groupOf = (name: string) => ({ role: 'group', 'aria-label': name }) as const;
const listOf = (name: string) => ({ role: 'list', 'aria-label': name }) as const;
const imageOf = (name: string) => ({ role: 'img', 'aria-label': name }) as const;
export const LISTED = { role: 'listitem' } as const;
export const UNHEARD = { 'aria-hidden': true } as const;

export const List = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <g {...listOf(name)}>{children}</g>
);

/** One labeled part of the drawing that is not a link. */
export function Item({
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

export const anchor = (x: number, width: number) => (x < 40 ? 'start' : x > width - 40 ? 'end' : 'middle');
