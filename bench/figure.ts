import type { LoadGenerator } from './process.ts';

/** How much is measured. */
export interface Effort {
  /** The minimum number of rounds for a line. */
  readonly rounds: number;
  /** The same for short programs, which need more runs. */
  readonly startRounds: number;
  /** How long a line with too much noise may continue. */
  readonly lineLimitMs: number;
  /** How long one load lasts. */
  readonly loadMs: number;
  /** How many contracts of a year a forecast looks through. */
  readonly forecastContracts: number;
  /** How long a server rests before its memory is measured again. V8 returns unused memory after about 45 seconds. */
  readonly restMs: number;
  /** The number of sessions and contracts after which memory is measured. */
  readonly manyObjects: number;
  /** Numbers of contracts that the scale table compares, the smallest first. */
  readonly scale: readonly number[];
}

export interface Bench {
  readonly effort: Effort;
  readonly load: LoadGenerator;
}

/** One reference measured twice in each round. The difference is the noise of the machine. */
export type Twins = readonly [first: readonly number[], second: readonly number[]];

export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One line of the table. */
export interface Line {
  readonly name: string;
  readonly unit: 'req/s' | '/s' | 'ms' | 'MB' | 'events';
  readonly ours: readonly number[];
  /** The divisor of the ratio. If null, the target is a number of the same unit. */
  readonly reference: Twins | null;
  /** For the ratio, or for ours if there is no reference. Null: shown for comparison only. */
  readonly target: Target | null;
  /** The place of the line in the scale table. */
  readonly cell?: { readonly row: string; readonly contracts: number };
}

/** Yields each line as soon as it is measured. */
export type Figure = (bench: Bench) => AsyncIterable<Line>;

/** A figure that this machine cannot measure. It is reported, but does not make the run fail. */
export class CannotMeasure extends Error {}
