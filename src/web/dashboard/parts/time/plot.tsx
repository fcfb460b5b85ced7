import { useContext, useRef } from 'preact/hooks';
import type { Contract } from '../../../../operations/wire.ts';
import { dateOf, money } from '../../words.ts';
import { Here } from '../here.ts';
import { DIGIT, useRoom } from './size.ts';
import { boundsOf, scaleOf } from './timeline.ts';

const HEIGHT = 200;
const TOP = 14;
const BOTTOM = 26;
const LEFT_MIN = 74;
const RIGHT = 16;
/** Room for the first and the last date. */
const DATES = 24 * DIGIT;

type Step = readonly [at: number, cents: number];

/** Cumulative money collected, against money expected. */
export function Plot({ of: contract }: { of: Contract }) {
  const { now } = useContext(Here);
  const ref = useRef<HTMLDivElement>(null);
  const { width, unit } = useRoom(ref);
  const bounds = boundsOf(contract, now);
  const { start, end } = bounds;
  const left = Math.max(LEFT_MIN, 12 + DIGIT * money(contract.customer_total).length);
  const x = scaleOf(bounds, left, width - RIGHT);
  const y = (cents: number) =>
    HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * cents) / Math.max(1, contract.customer_total);

  // A plan that has ended expects nothing further. What is overdue then stays expected.
  const over = contract.cancelled_at ?? contract.defaulted_at;
  const stop = over === null ? end : Date.parse(over);
  const expected = sums(
    contract.installments
      .map(({ due_date, amount }) => [Math.max(start, Date.parse(due_date)), amount] as const)
      .filter(([at]) => at <= stop),
  );
  const collected = sums(
    contract.installments.flatMap(({ paid_at, amount }) => (paid_at === null ? [] : [[Date.parse(paid_at), amount]])),
  );
  const until = Math.min(now, end);
  const line = (steps: readonly Step[], last: number) =>
    `M${x(start)} ${y(0)}${steps.map(([at, sum]) => `H${x(at)}V${y(sum)}`).join('')}H${x(Math.max(last, steps.at(-1)?.[0] ?? last))}`;
  const owed = expected.filter(([at]) => at <= now).at(-1)?.[1] ?? 0;
  return (
    <div ref={ref} class="plot">
      <svg
        width={width * unit}
        height={HEIGHT * unit}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        data-testid="contract-plot"
        aria-label={`By ${dateOf(now)}, ${money(contract.paid_amount)} collected, ${money(owed)} expected, ${money(contract.customer_total)} in all.`}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line
              class="grid"
              x1={left}
              x2={width - RIGHT}
              y1={y(contract.customer_total * share)}
              y2={y(contract.customer_total * share)}
            />
            <text class="tick" x={left - 8} y={y(contract.customer_total * share) + 4} text-anchor="end">
              {money(Math.round(contract.customer_total * share))}
            </text>
          </g>
        ))}
        <path class="expected" d={line(expected, stop)} />
        <path class="collected" d={line(collected, until)} />
        <line class="now" x1={x(until)} x2={x(until)} y1={TOP - 6} y2={HEIGHT - BOTTOM} />
        <text class="tick" x={Math.min(left, width - RIGHT - DATES)} y={HEIGHT - 8}>
          {dateOf(start)}
        </text>
        <text class="tick" x={width - RIGHT} y={HEIGHT - 8} text-anchor="end">
          {dateOf(end)}
        </text>
      </svg>
      <ul class="legend" aria-hidden="true">
        <li>
          <span class="stroke collected" /> collected {money(contract.paid_amount)}
        </li>
        <li>
          <span class="stroke expected" /> expected by now {money(owed)}
        </li>
      </ul>
    </div>
  );
}

function sums(payments: readonly (readonly number[])[]): Step[] {
  let sum = 0;
  return [...payments]
    .sort(([a = 0], [b = 0]) => a - b)
    .map(([at = 0, cents = 0]) => {
      sum += cents;
      return [at, sum];
    });
}
