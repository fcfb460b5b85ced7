import type { Effort, Line, Twins } from './figure.ts';
import { median, medianInterval } from './numbers.ts';

/** A line goes on while its noise is higher. */
export const NOISE_MAX = 0.1;

/**
 * How far from 1 the ratio of two equal references may lie: the farther end of the 95 % interval of the median of their
 * ratios, round by round. A ratio beside it is worth no more. Null for a single round.
 */
export function noiseOfTwins([first, second]: Twins): number | null {
  const ratios = second.map((value, round) => (first[round] as number) / value);
  if (ratios.length < 2) return null;
  const [low, high] = medianInterval(ratios);
  return Math.max(high - 1, 1 - low);
}

/** How far from their median the true one may lie. Null for a single value. */
export function noiseOfValues(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const [low, high] = medianInterval(values);
  const middle = median(values);
  return Math.max(high / middle - 1, 1 - low / middle);
}

export const noiseOf = ({ ours, reference }: Pick<Line, 'ours' | 'reference'>) =>
  reference ? noiseOfTwins(reference) : noiseOfValues(ours);

/** The stopping rule: a line is measured for its least number of rounds, then until it is steady or its time is up. */
export function goesOn(
  state: { readonly rounds: number; readonly noise: number | null; readonly elapsedMs: number },
  { rounds, lineLimitMs }: Pick<Effort, 'rounds' | 'lineLimitMs'>,
): boolean {
  if (state.rounds < rounds) return true;
  return (state.noise ?? 0) >= NOISE_MAX && state.elapsedMs < lineLimitMs;
}
