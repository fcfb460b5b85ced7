import type { Effort, Line, Twins } from './figure.ts';
import { median, medianInterval } from './numbers.ts';

/** Measuring continues while the noise of a line is higher. */
export const NOISE_MAX = 0.1;

/**
 * How far the ratio of two equal references may be from 1: the far end of the 95 % interval of the median of their ratios
 * per round. A measured ratio is no more exact than that. Null for a single round.
 */
export function noiseOfTwins([first, second]: Twins): number | null {
  const ratios = second.map((value, round) => (first[round] as number) / value);
  if (ratios.length < 2) return null;
  const [low, high] = medianInterval(ratios);
  return Math.max(high - 1, 1 - low);
}

/** How far the true median may be from the measured one. Null for a single value. */
export function noiseOfValues(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const [low, high] = medianInterval(values);
  const middle = median(values);
  return Math.max(high / middle - 1, 1 - low / middle);
}

export const noiseOf = ({ ours, reference }: Pick<Line, 'ours' | 'reference'>) =>
  reference ? noiseOfTwins(reference) : noiseOfValues(ours);

/** Whether to measure another round: up to the minimum number, then until the line is steady or its time is up. */
export function goesOn(
  state: { readonly rounds: number; readonly noise: number | null; readonly elapsedMs: number },
  { rounds, lineLimitMs }: Pick<Effort, 'rounds' | 'lineLimitMs'>,
): boolean {
  if (state.rounds < rounds) return true;
  return (state.noise ?? 0) >= NOISE_MAX && state.elapsedMs < lineLimitMs;
}
