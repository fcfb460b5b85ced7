import type { Line } from './figure.ts';
import { noiseOf } from './noise.ts';
import { median } from './numbers.ts';

/** The value compared with the target: the ratio of the medians, or the median if there is no reference. */
export function worthOf({ ours, reference }: Pick<Line, 'ours' | 'reference'>): number {
  return reference ? median(ours) / median(reference.flat()) : median(ours);
}

/** Null if there is no target. */
export function isReached(line: Pick<Line, 'ours' | 'reference' | 'target'>): boolean | null {
  const { target } = line;
  if (target === null) return null;
  return 'atLeast' in target ? worthOf(line) >= target.atLeast : worthOf(line) <= target.atMost;
}

/** A line with its figure and the values computed from it. */
export interface Result extends Line {
  readonly figure: string;
  /** See `worthOf`. */
  readonly worth: number;
  readonly noise: number | null;
  readonly reached: boolean | null;
}

export const resultOf = (figure: string, line: Line): Result => ({
  figure,
  ...line,
  worth: worthOf(line),
  noise: noiseOf(line),
  reached: isReached(line),
});

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
}

/** A run, as `--json` prints it; or what `--output` has of it so far. */
export interface Run {
  readonly startedAt: string;
  readonly machine: Machine;
  /** The one-minute load averages before and after the run. */
  readonly loadAverage: readonly [before: number, after: number];
  readonly node: string;
  /** Ends with `+` if files have changed since. */
  readonly commit: string;
  readonly effort: 'full' | 'quick';
  readonly figures: readonly Result[];
  readonly failures: readonly Unmeasured[];
  readonly skipped: readonly Unmeasured[];
}

export interface Unmeasured {
  readonly figure: string;
  readonly reason: string;
}
