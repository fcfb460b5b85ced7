import type { Line } from './figure.ts';
import { NOISE_MAX } from './noise.ts';
import { median } from './numbers.ts';
import type { Result } from './result.ts';

export const HEADER = ['figure', 'unit', 'median (min to max)', 'reference', 'ratio', 'noise', 'target', ''];
/** Fixed, because a line is printed before the next ones are known. */
const WIDTHS = [51, 6, 26, 26, 6, 6, 10, 0];

export const header = () => row(HEADER);
export const textOf = (result: Result) => row(cellsOf(result));

const row = (cells: readonly string[]) =>
  cells
    .map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0))
    .join('  ')
    .trimEnd();

export function cellsOf(result: Result): string[] {
  const { name, unit, ours, reference, worth, target, reached } = result;
  const verdict = reached === null ? '' : reached ? 'reached' : 'missed';
  return [
    name,
    unit,
    spread(ours),
    reference ? spread(reference.flat()) : '-',
    reference ? worth.toFixed(2) : '-',
    noiseIn(result),
    wanted(target, reference === null),
    isUnsteady(result) ? `${verdict} (noisy)`.trim() : verdict,
  ];
}

/** Whether time ran out before the machine was steady enough for an exact ratio. */
export const isUnsteady = ({ noise }: Pick<Result, 'noise'>) => noise !== null && noise >= NOISE_MAX;

const noiseIn = ({ noise }: Result) => (noise === null ? '-' : `${(100 * noise).toFixed(noise < 0.0995 ? 1 : 0)} %`);

function wanted(target: Line['target'], isAbsolute: boolean): string {
  if (target === null) return '-';
  const [sign, value] = 'atLeast' in target ? ['>=', target.atLeast] : ['<=', target.atMost];
  return `${sign} ${isAbsolute ? value : value.toFixed(1)}`;
}

function spread(values: readonly number[]): string {
  if (values.length === 1) return short(values[0] as number);
  const [middle, low, high] = [median(values), Math.min(...values), Math.max(...values)].map(short);
  return `${middle} (${low} to ${high})`;
}

export const short = (value: number) => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));
