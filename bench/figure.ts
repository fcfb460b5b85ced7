import type { LoadGenerator } from './process.ts';

/** How much is measured: repetitions of each side, and how long a load lasts. */
export interface Effort {
  readonly repetitions: number;
  readonly loadMs: number;
  /** Short programs start and end too fast to be measured by a few runs. */
  readonly startRepetitions: number;
}

export interface Bench {
  readonly effort: Effort;
  readonly load: LoadGenerator;
}

/** One line of the table: ours against what it is measured by. */
export interface Line {
  readonly name: string;
  readonly unit: 'req/s' | '/s' | 'ms' | 'MB' | 'events';
  readonly ours: readonly number[];
  readonly reference: readonly number[];
  /** Whether `ours / reference` is to be at least or at most the target; null: shown for comparison. */
  readonly target: { readonly atLeast: number } | { readonly atMost: number } | null;
}

export type Figure = (bench: Bench) => Promise<Line[]>;

/** A B A B …: what else the machine does meanwhile falls on both sides alike. */
export async function interleave(
  repetitions: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<{ ours: number[]; reference: number[] }> {
  const measured = { ours: [] as number[], reference: [] as number[] };
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    measured.ours.push(await ours());
    measured.reference.push(await reference());
  }
  return measured;
}
