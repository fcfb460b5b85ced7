/** The smallest value that `percent` of the values do not exceed. */
export const percentile = (values: readonly number[], percent: number) =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil((values.length * percent) / 100) - 1)] as number;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/**
 * The 95 % confidence interval of the median, for any distribution: two of the samples, counted from both ends. With
 * fewer than six samples it is their whole range, with less confidence.
 */
export function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const outside = countOutside(sorted.length);
  return [sorted[outside] as number, sorted[sorted.length - 1 - outside] as number];
}

/** How many samples to leave out at either end: as many are below the median as coins show heads. */
function countOutside(count: number): number {
  // From 1,075 samples on, 0.5 ** count is 0. The normal distribution gives nearly the same ranks.
  if (count > 1000) return Math.floor((count - 1 - 1.96 * Math.sqrt(count)) / 2);
  let probability = 0.5 ** count;
  let below = probability;
  let outside = 0;
  for (let heads = 1; 2 * (below + (probability * (count - heads + 1)) / heads) <= 0.05; heads += 1) {
    probability *= (count - heads + 1) / heads;
    below += probability;
    outside = heads;
  }
  return outside;
}
