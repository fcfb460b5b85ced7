import { neutral } from '../../scenario/neutral.ts';
import type { ScenarioResult } from '../../scenario/play.ts';
import { printableJson } from '../terminal/printable.ts';

/** One document, the same to the byte under one seed. */
export function jsonReport(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ status }) => status === 'failed').length;
  const scenarios = results.map(neutral).map(({ steps, ...scenario }) => ({
    ...scenario,
    // JSON drops undefined, but a missing value must be visible.
    steps: steps.map(({ differences, ...step }) => ({
      ...step,
      differences: differences.map(({ actual, ...rest }) => ({ ...rest, actual: actual ?? null })),
    })),
  }));
  return `${printableJson(JSON.stringify({ passed: results.length - failed, failed, scenarios }, null, 2))}\n`;
}
