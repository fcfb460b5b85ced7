import { isOverdue } from '../../../../domain/installment.ts';
import type { PlanInstallment } from '../../../../operations/wire.ts';
import { dateOf, money, spaced } from '../../words.ts';
import { type Frame, Item } from './lane.tsx';
import { DIGIT } from './size.ts';

/** Between the amounts. */
const LABEL_GAP = 8;

/** A paid capture is filled, an overdue one is square: color alone is not enough. */
export function Capture({
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

/** The amounts, null for one that would touch the one before. */
export function labelsOf(of: readonly PlanInstallment[], places: readonly number[], width: number): (Label | null)[] {
  let from = Number.NEGATIVE_INFINITY;
  return of.map(({ amount }, index) => {
    const label = labelOf(money(amount), places[index] as number, width);
    if (label.from < from) return null;
    from = label.to + LABEL_GAP;
    return label;
  });
}

/** An amount around `x`, or beside it where the edge of the picture is too near. */
function labelOf(text: string, x: number, width: number): Label {
  const long = DIGIT * text.length;
  if (x < long / 2) return { text, side: 'start', from: x, to: x + long };
  if (x > width - long / 2) return { text, side: 'end', from: x - long, to: x };
  return { text, side: 'middle', from: x - long / 2, to: x + long / 2 };
}

/** As large as possible without overlap. */
export function radiusOf(places: readonly number[]): number {
  const gaps = places.slice(1).map((place, index) => place - (places[index] as number));
  return Math.max(3, Math.min(9, ...gaps.map((gap) => gap / 2 - 1)));
}
