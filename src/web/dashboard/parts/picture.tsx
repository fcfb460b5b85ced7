import { useContext, useRef } from 'preact/hooks';
import { isFailure } from '../../../domain/event.ts';
import { INSTALLMENT_STATUSES, isOverdue } from '../../../domain/installment.ts';
import type { Contract, PlanInstallment, Related } from '../../../operations/wire.ts';
import { dateOf, momentOf, money, plural, spaced } from '../words.ts';
import { useWidth } from './forecast.tsx';
import { Here } from './here.ts';

const RIGHT = 16;
const RULE = 34;
const PLAN = 68;
const ATTEMPTS = 134;
const NOTICES = 186;
const EVENTS = 238;
const HEIGHT = 272;
/** Where there is room, the names of the lanes stand before them, else above. */
const ROOMY = 560;
const LABEL_WIDTH = 58;

interface Span {
  readonly from: number;
  readonly to: number;
  readonly kind: 'past_due' | 'delinquent';
}

/** The contract on a time axis: its plan, attempts, emails and events, and the current time. */
export function Picture({ of: { attempts, emails, events, contract } }: { of: Related & { contract: Contract } }) {
  const { now } = useContext(Here);
  const ref = useRef<HTMLDivElement>(null);
  const width = useWidth(ref);
  const { start, end } = boundsOf(contract, now);
  const isRoomy = width >= ROOMY;
  const left = isRoomy ? 92 : 16;
  const x = (at: string | number) =>
    left + ((width - left - RIGHT) * (new Date(at).getTime() - start)) / Math.max(1, end - start);
  const spans = overdueSpans(contract, events, now);
  // A clock that is far beyond the plan stands at the end of the axis, with its date.
  const isBeyond = now > end;
  const nowX = x(Math.min(now, end));
  const radius = radiusOf(contract.installments.map(({ due_date }) => x(due_date)));
  let lastLabel = Number.NEGATIVE_INFINITY;
  return (
    <div ref={ref} class="picture">
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={summary(contract)}
        data-testid="contract-picture"
      >
        {ticks(start, end, width).map((at) => (
          <g key={at}>
            <line class="grid" x1={x(at)} x2={x(at)} y1={RULE - 8} y2={HEIGHT - 14} />
            <text class="tick" x={x(at)} y={16} text-anchor={anchor(x(at), width)}>
              {dateOf(at)}
            </text>
          </g>
        ))}
        {(
          [
            ['Plan', PLAN],
            ['Attempts', ATTEMPTS],
            ['Notices', NOTICES],
            ['Events', EVENTS],
          ] as const
        ).map(([name, y]) => (
          <g key={name}>
            <line class="lane" x1={left} x2={width - RIGHT} y1={y} y2={y} />
            <text class="lane-name" x={0} y={isRoomy ? y + 4 : y - 17}>
              {name}
            </text>
          </g>
        ))}
        <line class="now" x1={nowX} x2={nowX} y1={RULE - 10} y2={HEIGHT - 14} />
        {spans.map(({ from, to, kind }) => (
          <rect
            key={`${from}${kind}`}
            class={`span ${kind}`}
            x={x(from)}
            y={PLAN - 5}
            width={Math.max(2, x(to) - x(from))}
            height={10}
          >
            <title>{`${spaced(kind)} from ${momentOf(from)}`}</title>
          </rect>
        ))}
        {contract.installments.map((each) => {
          const at = x(each.due_date);
          const middle = Math.min(Math.max(at, left + LABEL_WIDTH / 3), width - RIGHT - LABEL_WIDTH / 3);
          const labelled = middle - lastLabel >= LABEL_WIDTH;
          if (labelled) lastLabel = middle;
          return <Capture key={each.sequence} of={each} x={at} width={width} radius={radius} labelled={labelled} />;
        })}
        {attempts.map(({ reference, at, outcome, amount, number, sequence }) => (
          <g key={reference} class={`attempt ${outcome}`} transform={`translate(${x(at)} ${ATTEMPTS})`}>
            <circle r={8} />
            <path d={outcome === 'pay' ? 'M-4 0l3 3 5-6' : 'M-3.5-3.5l7 7M3.5-3.5l-7 7'} />
            <title>{`Attempt ${number} on capture ${sequence}, ${money(amount)}: ${outcome === 'pay' ? 'paid' : 'failed'}, ${momentOf(at)}`}</title>
          </g>
        ))}
        {emails.map(({ id, created_at, subject }) => (
          <g key={id} class="notice" transform={`translate(${x(created_at)} ${NOTICES})`}>
            <rect x={-9} y={-7} width={18} height={14} rx={2} />
            <path d="M-9-6l9 7 9-7" />
            <title>{`${subject}, ${momentOf(created_at)}`}</title>
          </g>
        ))}
        {events.map(({ id, type, created_at }) => (
          <g key={id} class={isFailure(type) ? 'mark bad' : 'mark'}>
            <path d={`M${x(created_at)} ${EVENTS - 7}l6 7-6 7-6-7z`} />
            <title>{`${type}, ${momentOf(created_at)}`}</title>
          </g>
        ))}
        <text class="now-name" x={nowX} y={HEIGHT - 2} text-anchor={anchor(nowX, width)} data-testid="picture-now">
          {isBeyond ? `now, ${dateOf(now)}` : 'now'}
        </text>
      </svg>
      <ul class="legend" aria-hidden="true">
        {INSTALLMENT_STATUSES.map((status) => (
          <li key={status}>
            <span class={`bead ${status}`} /> {spaced(status)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Shape and colour show the status: a paid capture is filled, an overdue one is square. */
function Capture({
  of: { status, amount, due_date, type, installment_number },
  x,
  width,
  radius,
  labelled,
}: {
  of: PlanInstallment;
  x: number;
  width: number;
  radius: number;
  labelled: boolean;
}) {
  const overdue = isOverdue(status);
  const name = type === 'cart_capture' ? 'Cart Capture' : `Installment ${installment_number}`;
  return (
    <g class={`capture ${status}`} data-status={status}>
      {overdue ? (
        <rect x={x - radius} y={PLAN - radius} width={2 * radius} height={2 * radius} rx={2} />
      ) : (
        <circle cx={x} cy={PLAN} r={radius} />
      )}
      {status === 'paid' && radius > 7 && <path class="tickmark" d={`M${x - 4} ${PLAN}l3 3 5-6`} />}
      {labelled && (
        <text class="amount" x={x} y={PLAN + 26} text-anchor={anchor(x, width)}>
          {money(amount)}
        </text>
      )}
      <title>{`${name}, ${money(amount)}, due ${dateOf(due_date)}: ${spaced(status)}`}</title>
    </g>
  );
}

/** As large as the captures allow each other. */
function radiusOf(places: readonly number[]): number {
  const gaps = places.slice(1).map((place, index) => place - (places[index] as number));
  return Math.max(3, Math.min(9, ...gaps.map((gap) => gap / 2 - 1)));
}

const anchor = (x: number, width: number) => (x < 40 ? 'start' : x > width - 40 ? 'end' : 'middle');

export function boundsOf(contract: Contract, now: number): { start: number; end: number } {
  const ends = [contract.completed_at, contract.defaulted_at, contract.cancelled_at];
  const dates = [...contract.installments.map(({ due_date }) => due_date), contract.created_at, ...ends];
  const known = dates.filter((date) => date !== null).map((date) => Date.parse(date));
  const last = Math.max(...known);
  const start = Math.min(...known);
  // A clock far beyond the plan would press the plan itself flat.
  const seen = now > last ? Math.min(now, last + (last - start) * 0.25) : last;
  return { start, end: Math.max(seen, start + 86_400_000) };
}

function ticks(start: number, end: number, width: number): number[] {
  const count = Math.max(2, Math.min(7, Math.floor(width / 130)));
  return Array.from({ length: count }, (_, index) => start + ((end - start) * index) / (count - 1));
}

function overdueSpans(
  { reference, installments, ...contract }: Contract,
  events: Related['events'],
  now: number,
): Span[] {
  const stopped = contract.defaulted_at ?? contract.cancelled_at;
  return installments.flatMap(({ installment_number, paid_at }) => {
    const when = (type: string) => {
      const event = events.find((each) => each.type === type && each.subject === `${reference}#${installment_number}`);
      return event ? Date.parse(event.created_at) : null;
    };
    const pastDue = when('installment.past_due');
    if (pastDue === null) return [];
    const over = paid_at ?? stopped;
    const to = over === null ? now : Date.parse(over);
    const delinquent = when('installment.delinquent');
    if (delinquent === null) return [{ from: pastDue, to, kind: 'past_due' as const }];
    return [
      { from: pastDue, to: delinquent, kind: 'past_due' as const },
      { from: delinquent, to, kind: 'delinquent' as const },
    ];
  });
}

function summary({ status, installments, paid_amount, customer_total }: Contract): string {
  const of = (name: string) => installments.filter((each) => each.status === name).length;
  const parts = INSTALLMENT_STATUSES.flatMap((name) => (of(name) > 0 ? [`${of(name)} ${spaced(name)}`] : []));
  return `Schedule of a contract that is ${status}: ${plural(installments.length, 'capture')}, ${parts.join(', ')}; ${money(paid_amount)} of ${money(customer_total)} collected.`;
}
