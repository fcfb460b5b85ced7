import type { LoadGenerator } from './process.ts';

/** How much is measured. */
export interface Effort {
  /** Rounds that a line is measured at least. */
  readonly rounds: number;
  /** The same for programs that start and end: too short to be measured by a few runs. */
  readonly startRounds: number;
  /** How long a line may go on for while its noise is too high. */
  readonly lineLimitMs: number;
  /** How long one load lasts. */
  readonly loadMs: number;
  /** Contracts of a year that a forecast looks through. */
  readonly forecastContracts: number;
  /** How many sessions and contracts memory is measured after. */
  readonly manyObjects: number;
  /** Numbers of contracts that the scale table compares, the smallest first. */
  readonly scale: readonly number[];
}

export interface Bench {
  readonly effort: Effort;
  readonly load: LoadGenerator;
}

/** One reference measured twice in each round: how far both are apart is the noise of the machine. */
export type Twins = readonly [first: readonly number[], second: readonly number[]];

export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One line of the table. */
export interface Line {
  readonly name: string;
  readonly unit: 'req/s' | '/s' | 'ms' | 'MB' | 'events';
  readonly ours: readonly number[];
  /** What ours is divided by; null: the target is a number of the same unit. */
  readonly reference: Twins | null;
  /** Of the ratio, or of ours when there is no reference; null: shown for comparison. */
  readonly target: Target | null;
  /** Where the line stands in the scale table. */
  readonly cell?: { readonly row: string; readonly contracts: number };
}

/** Answers each line as soon as it is measured. */
export type Figure = (bench: Bench) => AsyncIterable<Line>;

/** A figure that this machine cannot measure. It is reported, but does not make the run fail. */
export class CannotMeasure extends Error {}
