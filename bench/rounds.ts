import type { Effort, Twins } from './figure.ts';
import { goesOn, noiseOfTwins, noiseOfValues } from './noise.ts';

type Measure = () => Promise<number>;
type Limits = Pick<Effort, 'rounds' | 'lineLimitMs'>;

/**
 * Measures ours, reference, ours, twin, and so on, so that other load of the machine affects all alike. Without a twin,
 * the reference is measured again.
 */
export async function interleave(
  effort: Limits,
  ours: Measure,
  reference: Measure,
  twin = reference,
): Promise<{ ours: number[]; reference: Twins }> {
  const measured = { ours: [] as number[], reference: [[], []] as [number[], number[]] };
  const [first, second] = measured.reference;
  const startedAt = performance.now();
  const state = () => ({
    rounds: second.length,
    noise: noiseOfTwins(measured.reference),
    elapsedMs: performance.now() - startedAt,
  });
  while (goesOn(state(), effort)) {
    measured.ours.push(await ours());
    first.push(await reference());
    measured.ours.push(await ours());
    second.push(await twin());
  }
  return measured;
}

/** The same without a reference. */
export async function repeat(effort: Limits, measure: Measure): Promise<number[]> {
  const values: number[] = [];
  const startedAt = performance.now();
  const state = () => ({
    rounds: values.length,
    noise: noiseOfValues(values),
    elapsedMs: performance.now() - startedAt,
  });
  while (goesOn(state(), effort)) values.push(await measure());
  return values;
}

/** The effort for short programs. */
export const ofStarts = ({ startRounds, lineLimitMs }: Effort): Limits => ({ rounds: startRounds, lineLimitMs });

/** The effort for work that takes many seconds per round. */
export const ofLongWork = ({ rounds, lineLimitMs }: Effort): Limits => ({ rounds: Math.min(rounds, 3), lineLimitMs });
