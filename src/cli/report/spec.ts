import { counted } from '../../domain/text.ts';
import { visible } from '../../scenario/neutral.ts';
import type { ScenarioResult, StepResult, Unplayed } from '../../scenario/result.ts';
import { type Paint, PLAIN } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { differenceLines, placeIn } from './diff.ts';

/** What a step is called in every report. */
export const titleLine = ({ does, name, as }: StepResult) =>
  `${name === undefined ? does : `${name} (${does})`}${as === undefined ? '' : ` → ${as}`}`;

export const scenarioLine = (name: string, file: string, { bold, dim }: Paint) => `${bold(name)}  ${dim(file)}`;

const MARKS = { passed: ['✓', 'green'], failed: ['✗', 'red'], skipped: ['-', 'dim'] } as const;

/** A step as a person reads it: how it went, what happened, and what was wrong. */
export function stepLines(step: StepResult, file: string, paint: Paint): string[] {
  const [mark, tone] = MARKS[step.status];
  const events = step.events.length > 0 ? `  ${paint.dim(countedRuns(step.events))}` : '';
  const struck = (step.faults ?? []).map(({ kind, on }) => paint.yellow(`! ${kind} struck ${on}`));
  const differences = step.differences.map(({ actual, ...rest }) => ({
    ...rest,
    actual: typeof actual === 'string' ? visible(actual) : actual,
  }));
  return [
    `  ${paint[tone](mark)} ${titleLine(step)}${events}`,
    ...struck.map((line) => `      ${line}`),
    ...failureLines({ ...step, differences }, file).map((line) => `      ${colored(line, paint)}`),
  ];
}

/** Why a step failed: its problem, after its place in the file, or what was not as expected. */
export function failureLines({ problem, differences, ...place }: StepResult, file: string): string[] {
  const lines = problem === undefined ? [] : `${placeIn(file, place)} ${problem}`.split('\n');
  return [...lines.filter((text) => text !== ''), ...differences.flatMap((each) => differenceLines(each, file))];
}

/** `installment.paid ×3, contract.completed` */
function countedRuns(types: readonly string[]): string {
  const runs: { type: string; count: number }[] = [];
  for (const type of types) {
    const last = runs.at(-1);
    if (last?.type === type) last.count += 1;
    else runs.push({ type, count: 1 });
  }
  return runs.map(({ type, count }) => (count === 1 ? type : `${type} ×${count}`)).join(', ');
}

function colored(line: string, { red, green }: Paint): string {
  if (line.startsWith('- ')) return green(line);
  return line.startsWith('+ ') ? red(line) : line;
}

export function summaryOf(total: number, failed: number): string {
  const scenarios = counted(total, 'scenario');
  return failed === 0 ? `${scenarios} passed.` : `${failed} of ${scenarios} failed.`;
}

export function interruptionOf({ passed, failed, skipped }: Readonly<Record<StepResult['status'], number>>): string {
  const total = passed + failed + skipped;
  const notPlayed = skipped === 0 ? '' : `, ${skipped} not played`;
  return `Interrupted: ${passed} of ${counted(total, 'scenario')} passed, ${failed} failed${notPlayed}.`;
}

/** The whole report, as it is written to a file. */
export function specReport(results: readonly (ScenarioResult | Unplayed)[], summary: string): string {
  const lines = results.flatMap(({ name, file, steps }) => [
    scenarioLine(name, file, PLAIN),
    ...steps.flatMap((step) => stepLines(step, file, PLAIN)),
  ]);
  return `${[...lines, summary].map(printable).join('\n')}\n`;
}
