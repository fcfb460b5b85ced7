import { neutral } from '../../scenario/neutral.ts';
import type { ScenarioResult, Unplayed } from '../../scenario/result.ts';
import { printableJson } from '../terminal/printable.ts';

/** One document, the same to the byte under one seed. */
export function jsonReport(results: readonly (ScenarioResult | Unplayed)[]): string {
  const counted = (wanted: string) => results.filter(({ status }) => status === wanted).length;
  const counts = { passed: counted('passed'), failed: counted('failed'), skipped: counted('skipped') };
  const scenarios = results.map(neutral).map(({ steps, ...scenario }) => ({
    ...scenario,
    // JSON drops undefined, but a missing value must be visible.
    steps: steps.map(({ differences, ...step }) => ({
      ...step,
      differences: differences.map(({ actual, ...rest }) => ({ ...rest, actual: actual ?? null })),
    })),
  }));
  return `${printableJson(JSON.stringify({ ...counts, scenarios }, null, 2))}\n`;
}
