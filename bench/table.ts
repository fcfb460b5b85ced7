import type { Line } from './figure.ts';
import { median } from './numbers.ts';

const HEADER = ['figure', 'unit', 'median (min to max)', 'reference', 'ratio', 'target', ''];

/** One line a figure; the ratio is that of the medians. */
export function table(lines: readonly Line[]): string {
  const rows = [HEADER, ...lines.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const ratioOf = ({ ours, reference }: Line) => median(ours) / median(reference);

export function isReached(line: Line): boolean {
  const { target } = line;
  if (target === null) return true;
  return 'atLeast' in target ? ratioOf(line) >= target.atLeast : ratioOf(line) <= target.atMost;
}

function cells(line: Line): string[] {
  const { name, unit, ours, reference, target } = line;
  return [
    name,
    unit,
    spread(ours),
    spread(reference),
    ratioOf(line).toFixed(2),
    wanted(target),
    target === null ? '' : isReached(line) ? 'reached' : 'missed',
  ];
}

function wanted(target: Line['target']): string {
  if (target === null) return '-';
  return 'atLeast' in target ? `>= ${target.atLeast.toFixed(1)}` : `<= ${target.atMost.toFixed(1)}`;
}

function spread(values: readonly number[]): string {
  const [middle, low, high] = [median(values), Math.min(...values), Math.max(...values)].map(short);
  return `${middle} (${low} to ${high})`;
}

const short = (value: number) => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));
